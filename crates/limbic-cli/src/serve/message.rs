//! JSON-RPC 2.0, one message per line. Arguments and answers are passed through unparsed.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::members::{is_object, members_of, params_of, text_of};

/// JSON-RPC error code.
pub const PARSE_ERROR: i64 = -32700;
/// See [`PARSE_ERROR`].
pub const INVALID_REQUEST: i64 = -32600;
/// See [`PARSE_ERROR`].
pub const METHOD_NOT_FOUND: i64 = -32601;
/// See [`PARSE_ERROR`].
pub const INVALID_PARAMS: i64 = -32602;
/// See [`PARSE_ERROR`].
pub const INTERNAL_ERROR: i64 = -32603;

/// U+FEFF, which some programs write at the start of UTF-8 text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The error for a batch where the version of the protocol has none.
pub const NO_BATCHES: &str = "This version of the protocol has no batches: send each message by itself";

/// An error of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// The JSON-RPC code.
    pub code: i64,
    /// The error as a sentence.
    pub message: String,
    /// Details of the error.
    pub data: Option<Value>,
}

/// A parsed line.
#[derive(Debug)]
pub enum Message<'a> {
    /// A request.
    Request {
        /// The id as received: a string or an integer.
        id: &'a RawValue,
        /// The method's name.
        method: String,
        /// A JSON object.
        params: Option<&'a RawValue>,
    },
    /// The cancellation of a request.
    Cancelled {
        /// The request's id, as received.
        id: &'a RawValue,
    },
    /// Another notification or a response, which need no answer.
    Silent,
}

/// An invalid message, or a request that fails.
#[derive(Debug)]
pub struct Refusal<'a> {
    /// The message's id, if known.
    pub id: Option<&'a RawValue>,
    /// Why it is refused.
    pub reason: Refused,
}

impl Refused {
    /// An error without details.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Adds details.
    pub fn with_data(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }
}

/// A tool call.
#[derive(Debug)]
pub struct Call<'a> {
    /// The tool's name.
    pub name: String,
    /// A JSON object, as received.
    pub arguments: &'a str,
    /// The token for progress notifications, as received.
    pub progress_token: Option<&'a RawValue>,
    /// The answer of a person to the server's question, as received.
    pub input_responses: Option<&'a RawValue>,
    /// The state that the server sent with its question, as received.
    pub request_state: Option<&'a RawValue>,
}

/// Returns a text without the byte order mark that some programs begin their output with, which RFC 8259 allows to
/// ignore.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Parses a line.
pub fn read(line: &str) -> Result<Message<'_>, Refusal<'_>> {
    let line = without_mark(line);
    let whole: &RawValue = serde_json::from_str(line).map_err(|error| Refusal {
        id: None,
        reason: Refused::new(PARSE_ERROR, format!("The line is not valid JSON: {error}")),
    })?;
    let refuse = |id, message: &str| Refusal { id, reason: Refused::new(INVALID_REQUEST, message) };
    match whole.get().as_bytes().first() {
        Some(b'[') => return Err(refuse(None, NO_BATCHES)),
        Some(b'{') => {}
        _ => return Err(refuse(None, "A message must be a JSON object")),
    }
    let [jsonrpc, given_id, method, params, result, error] =
        members_of(whole.get(), ["jsonrpc", "id", "method", "params", "result", "error"]);
    let id = given_id.filter(|id| is_id(id));
    if jsonrpc.and_then(text_of).as_deref() != Some("2.0") {
        return Err(refuse(id, "A message must have \"jsonrpc\": \"2.0\""));
    }
    // An error about a message whose id could not be read has none.
    if method.is_none() && error.is_some() && given_id.is_none_or(|id| id.get() == "null") {
        return Ok(Message::Silent);
    }
    if given_id.is_some() && id.is_none() {
        return Err(refuse(None, "The id must be a string or an integer"));
    }
    let Some(method) = method else {
        let is_answer = id.is_some() && (result.is_some() || error.is_some());
        let otherwise = "The message is neither a request nor a notification nor a response of JSON-RPC 2.0";
        return if is_answer { Ok(Message::Silent) } else { Err(refuse(id, otherwise)) };
    };
    let method = text_of(method).ok_or_else(|| refuse(id, "The method must be a string"))?;
    check_params(params).map_err(|problem| refuse(id, problem))?;
    Ok(match id {
        Some(id) => Message::Request { id, method, params },
        None if method == "notifications/cancelled" => {
            params.and_then(cancelled).map_or(Message::Silent, |id| Message::Cancelled { id })
        }
        None => Message::Silent,
    })
}

/// Returns the id of a request, whatever else it contains; `None` if the text is not a request, or its id is invalid.
pub fn id_of(text: &str) -> Option<&RawValue> {
    let text = without_mark(text);
    let _: &RawValue = serde_json::from_str(text).ok()?;
    let [id, method] = members_of(text, ["id", "method"]);
    id.filter(|id| method.is_some() && is_id(id))
}

/// Parses the parameters of `tools/call`; the error is a sentence.
pub fn read_call(params: Option<&RawValue>) -> Result<Call<'_>, String> {
    let [name, arguments, meta, input_responses, request_state] =
        params_of(params, ["name", "arguments", "_meta", "inputResponses", "requestState"]);
    let Some(name) = name.and_then(text_of) else {
        return Err("tools/call requires \"name\", the name of a tool".to_owned());
    };
    if arguments.is_some_and(|arguments| !is_object(arguments)) {
        return Err("the \"arguments\" of tools/call must be a JSON object".to_owned());
    }
    Ok(Call {
        name,
        arguments: arguments.map_or("{}", RawValue::get),
        progress_token: meta.and_then(progress_token).filter(|token| is_token(token)),
        input_responses,
        request_state,
    })
}

/// Returns the response to a request, with `result` unchanged.
pub fn answer(id: &RawValue, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, id.get())
}

/// Returns an error response.
pub fn refusal(Refusal { id, reason }: &Refusal<'_>) -> String {
    let Refused { code, message, data } = reason;
    let mut error = json!({"code": code, "message": message});
    if let Some(data) = data {
        error["data"] = data.clone();
    }
    format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, id.map_or("null", RawValue::get))
}

/// Returns a notification.
pub fn notification(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

/// Why parameters have not the form that all requests and notifications share.
fn check_params(params: Option<&RawValue>) -> Result<(), &'static str> {
    let Some(params) = params else { return Ok(()) };
    if !is_object(params) {
        return Err("The params must be a JSON object");
    }
    let [Some(meta)] = members_of(params.get(), ["_meta"]) else { return Ok(()) };
    if !is_object(meta) {
        return Err("The \"_meta\" of the params must be a JSON object");
    }
    if progress_token(meta).is_none_or(is_token) {
        Ok(())
    } else {
        Err("The \"progressToken\" must be a string or a number")
    }
}

/// Whether a value can be a progress token, which is returned as received: a text or any number.
fn is_token(value: &RawValue) -> bool {
    matches!(value.get().as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'))
}

fn progress_token(meta: &RawValue) -> Option<&RawValue> {
    members_of(meta.get(), ["progressToken"])[0]
}

fn cancelled(params: &RawValue) -> Option<&RawValue> {
    members_of(params.get(), ["requestId"])[0].filter(|id| is_id(id))
}

/// Whether a value is an id, which is returned as received: a text, also one with lone surrogates, or an integer in any
/// notation and of any size.
fn is_id(value: &RawValue) -> bool {
    match value.get().as_bytes().first() {
        Some(b'"') => true,
        Some(b'-' | b'0'..=b'9') => is_integral(value.get()),
        _ => false,
    }
}

/// Whether a number in JSON's notation is an integer.
fn is_integral(number: &str) -> bool {
    let number = number.trim_start_matches('-');
    let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    if whole.bytes().chain(fraction.bytes()).all(|digit| digit == b'0') {
        return true;
    }
    // Digits after the decimal point that remain behind it, or zeros before it that come to stand behind it.
    let zeros = whole.len() - whole.trim_end_matches('0').len();
    let lowest = if fraction.is_empty() { places(zeros) } else { -places(fraction.len()) };
    match exponent.parse::<i128>() {
        Ok(exponent) => exponent.saturating_add(lowest) >= 0,
        // It has more digits than a message has bytes.
        Err(_) => !exponent.starts_with('-'),
    }
}

fn places(count: usize) -> i128 {
    i128::try_from(count).unwrap_or(i128::MAX)
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
