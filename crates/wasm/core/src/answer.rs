//! The answer of a call, for JavaScript.

use wasm_bindgen::prelude::*;

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
    fn from(answer: limbic_tools::Answer) -> Self {
        Self(answer)
    }
}
