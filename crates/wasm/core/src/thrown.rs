//! Exceptions for failures that are not part of an answer.

use js_sys::Error as JsError;
use limbic_core::Error;
use limbic_tools::error_json;
use wasm_bindgen::JsValue;

/// An `Error` of JavaScript whose message is `{error, code, hint?}`.
pub fn thrown(error: Error) -> JsValue {
    JsError::new(&error_json(&error)).into()
}
