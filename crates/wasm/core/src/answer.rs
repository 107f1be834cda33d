//! The answer of a call, for JavaScript.

use limbic_core::Error;
use wasm_bindgen::prelude::*;

use crate::database_file::with_holder;

/// In an error, the code of [`Error::Busy`].
const BUSY: &str = "\"code\":\"database_busy\"";

/// The answer of a call. It stays in the module's memory until `free` is called.
#[wasm_bindgen]
pub struct Answer(limbic_tools::Answer);

#[wasm_bindgen]
impl Answer {
    /// Whether the text is an error: `{error, code, hint?}`.
    #[wasm_bindgen(getter, js_name = isError)]
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.0.is_error
    }

    /// The answer as JSON, as the tool wrote it: numbers and the order of keys are the same on every build. It can be
    /// taken once, so that a large answer is not copied.
    #[wasm_bindgen(js_name = takeText)]
    #[must_use]
    pub fn take_text(&mut self) -> String {
        std::mem::take(&mut self.0.json)
    }
}

impl From<limbic_tools::Answer> for Answer {
    /// Adds the owner of the lock to the answer that the database is busy, if waiting is futile.
    fn from(answer: limbic_tools::Answer) -> Self {
        if answer.is_error && answer.json.contains(BUSY) {
            let json = limbic_tools::error_json(&with_holder(Error::Busy));
            return Self(limbic_tools::Answer { json, ..answer });
        }
        Self(answer)
    }
}
