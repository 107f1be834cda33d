//! Calls that read a file, as JavaScript holds them between two steps.

use limbic_tools::{Answer, Limbic, SessionId};
use wasm_bindgen::prelude::*;

use crate::source::{FileSource, JsSource};

/// A call that reads a file or a folder, for [`Core::step`](crate::Core::step).
#[wasm_bindgen]
pub struct FileCall(limbic_tools::FileCall);

#[wasm_bindgen]
impl FileCall {
    /// A call of a tool whose arguments name this file. Nothing is read yet; `source` as in
    /// [`Core::call_with_file`](crate::Core::call_with_file) must be open until the call is over.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(tool: &str, arguments: &str, source: JsSource, session: Option<String>) -> Self {
        let session = SessionId::from(session.unwrap_or_default());
        Self(limbic_tools::FileCall::new(session, tool, arguments, Box::new(FileSource::new(source))))
    }

    /// What an import has stored so far, as its error would describe it; `undefined` if that is nothing.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn stored(&self) -> Option<String> {
        self.0.stored()
    }

    /// A call that waits for something other than a file; see [`Core::waits`](crate::Core::waits).
    #[must_use]
    pub fn without_file(tool: &str, arguments: &str, session: Option<String>) -> Self {
        let session = SessionId::from(session.unwrap_or_default());
        Self(limbic_tools::FileCall::without_file(session, tool, arguments))
    }
}

impl FileCall {
    /// See [`Limbic::step`].
    pub fn step(&mut self, limbic: &mut Limbic, progress: &mut dyn FnMut(u64, u64)) -> Option<Answer> {
        limbic.step(&mut self.0, progress)
    }

    /// See [`Limbic::interrupt`].
    pub fn interrupt(self, limbic: &Limbic) -> Answer {
        limbic.interrupt(self.0)
    }
}
