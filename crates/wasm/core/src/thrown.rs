//! Exceptions for failures that are not part of an answer.

use std::cell::Cell;

use js_sys::Error as JsError;
use limbic_core::Error;
use limbic_tools::{Options, Shell, error_json_for};
use wasm_bindgen::JsValue;

thread_local! {
    /// The shell, which is the same for all calls of an instance of the module.
    static SHELL: Cell<Shell> = const { Cell::new(Shell::Command) };
}

/// Sets the shell on which the hints of failures depend.
pub fn set_shell(shell: Shell) {
    SHELL.set(shell);
}

/// An `Error` of JavaScript whose message is `{error, code, hint?}`.
pub fn thrown(error: Error) -> JsValue {
    let options = Options { shell: SHELL.get(), ..Options::default() };
    JsError::new(&error_json_for(&error, &options)).into()
}
