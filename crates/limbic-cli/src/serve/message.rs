//! JSON-RPC 2.0, one message per line. Arguments and answers are passed through unparsed.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

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

/// The unparsed parts of a message: JSON strings may contain lone surrogates.
#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// The parameters of `tools/call`.
#[derive(Deserialize)]
struct CallParts<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    name: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present", rename = "_meta")]
    meta: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present", rename = "inputResponses")]
    input_responses: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present", rename = "requestState")]
    request_state: Option<&'a RawValue>,
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
    let parts: Parts = serde_json::from_str(whole.get())
        .map_err(|error| refuse(None, &format!("The message cannot be read: {error}")))?;
    let id = parts.id.filter(|id| is_id(id));
    if parts.jsonrpc.map(RawValue::get) != Some("\"2.0\"") {
        return Err(refuse(id, "A message must have \"jsonrpc\": \"2.0\""));
    }
    if parts.id.is_some() && id.is_none() {
        return Err(refuse(None, "The id must be a string or an integer"));
    }
    let Some(method) = parts.method else {
        let is_answer = id.is_some() && (parts.result.is_some() || parts.error.is_some());
        let otherwise = "The message is neither a request nor a notification nor a response of JSON-RPC 2.0";
        return if is_answer { Ok(Message::Silent) } else { Err(refuse(id, otherwise)) };
    };
    let method: String =
        serde_json::from_str(method.get()).map_err(|_| refuse(id, "A method must be a text"))?;
    if parts.params.is_some_and(|params| !is_object(params)) {
        return Err(refuse(id, "The params must be a JSON object"));
    }
    Ok(match id {
        Some(id) => Message::Request { id, method, params: parts.params },
        None if method == "notifications/cancelled" => {
            parts.params.and_then(cancelled).map_or(Message::Silent, |id| Message::Cancelled { id })
        }
        None => Message::Silent,
    })
}

/// Returns the id of a request, whatever else it contains; `None` if the text is not a request, or its id is invalid.
pub fn id_of(text: &str) -> Option<&RawValue> {
    let text = without_mark(text);
    // A list would be read as the fields in their order.
    let parts: Parts = serde_json::from_str(text).ok().filter(|_| text.trim_start().starts_with('{'))?;
    parts.id.filter(|id| parts.method.is_some() && is_id(id))
}

/// Parses the parameters of `tools/call`; the error is a sentence.
pub fn read_call(params: Option<&RawValue>) -> Result<Call<'_>, String> {
    let parts: CallParts = serde_json::from_str(params.map_or("{}", RawValue::get))
        .map_err(|error| format!("The params of tools/call cannot be read: {error}"))?;
    let Some(name) = parts.name.and_then(|name| serde_json::from_str(name.get()).ok()) else {
        return Err("tools/call requires \"name\", the name of a tool".to_owned());
    };
    if parts.arguments.is_some_and(|arguments| !is_object(arguments)) {
        return Err("the \"arguments\" of tools/call must be a JSON object".to_owned());
    }
    Ok(Call {
        name,
        arguments: parts.arguments.map_or("{}", RawValue::get),
        progress_token: parts.meta.and_then(progress_token),
        input_responses: parts.input_responses,
        request_state: parts.request_state,
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

fn progress_token(meta: &RawValue) -> Option<&RawValue> {
    #[derive(Deserialize)]
    struct Meta<'a> {
        #[serde(borrow, rename = "progressToken")]
        progress_token: Option<&'a RawValue>,
    }
    let meta: Meta = serde_json::from_str(meta.get()).ok()?;
    meta.progress_token.filter(|token| is_id(token))
}

fn cancelled(params: &RawValue) -> Option<&RawValue> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow, rename = "requestId")]
        request_id: &'a RawValue,
    }
    let params: Params = serde_json::from_str(params.get()).ok()?;
    Some(params.request_id).filter(|id| is_id(id))
}

/// Whether a value is a JSON object.
pub fn is_object(value: &RawValue) -> bool {
    value.get().starts_with('{')
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

/// Deserialises a present field, including `null`, which serde would treat as absent.
pub fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
