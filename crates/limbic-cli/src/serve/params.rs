//! Parameters of requests that must have a type.

use serde_json::value::RawValue;

use super::members::{is_object, text_of};
use super::message::{INVALID_PARAMS, Refused};

/// A parameter that must be a text.
///
/// # Arguments
/// * `name` - of the parameter.
/// * `method` - of the request.
pub fn text_param(value: Option<&RawValue>, name: &str, method: &str) -> Result<String, Refused> {
    value
        .and_then(text_of)
        .ok_or_else(|| Refused::new(INVALID_PARAMS, format!("{method} requires \"{name}\", a text")))
}

/// A parameter that must be a JSON object if it is given, which is returned as received.
///
/// # Arguments
/// * `name` - of the parameter.
/// * `method` - of the request.
pub fn object_param<'a>(value: Option<&'a RawValue>, name: &str, method: &str) -> Result<&'a str, Refused> {
    match value {
        None => Ok("{}"),
        Some(value) if is_object(value) => Ok(value.get()),
        Some(_) => {
            let text = format!("the \"{name}\" of {method} must be a JSON object");
            Err(Refused::new(INVALID_PARAMS, text))
        }
    }
}
