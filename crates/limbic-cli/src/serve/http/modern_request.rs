//! What a request of protocol 2026-07-28 says of itself: its headers repeat fields of its body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::HeaderMap;
use hyper::header::HeaderName;
use serde_json::json;
use serde_json::value::RawValue;

use super::accept::AcceptedTypes;
use super::queued_bytes::Reservation;
use super::session_quota::SessionOwner;
use crate::serve::envelope::{self, Envelope, MODERN_VERSIONS};
use crate::serve::members::{params_of, text_of};
use crate::serve::message::{Message, Refused};

pub static SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub static VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
static METHOD: HeaderName = HeaderName::from_static("mcp-method");
static NAME: HeaderName = HeaderName::from_static("mcp-name");
/// MCP's error code for headers that differ from the body.
const HEADER_MISMATCH: i64 = -32020;
/// A header's value that is not printable ASCII is encoded between these.
const ENCODED: (&str, &str) = ("=?base64?", "?=");

/// Methods whose header `Mcp-Name` repeats this parameter.
const NAMED: [(&str, &str); 3] = [("tools/call", "name"), ("prompts/get", "name"), ("resources/read", "uri")];

/// Whether a request without a body is of a client without a session.
pub fn is_modern_version(headers: &HeaderMap) -> bool {
    names_modern(headers) && !headers.contains_key(&SESSION)
}

/// Whether the header names a version without sessions that this server speaks.
pub fn names_modern(headers: &HeaderMap) -> bool {
    value_of(headers, &VERSION).is_some_and(|version| MODERN_VERSIONS.contains(&version.as_str()))
}

/// Whether a message is a notification of protocol 2026-07-28, which needs no session and no answer.
pub fn is_notification(headers: &HeaderMap, message: &Message<'_>) -> bool {
    matches!(message, Message::Silent | Message::Cancelled { .. }) && names_modern(headers)
}

/// Returns what a request of protocol 2026-07-28 says of its client; `None` for a request up to 2025-11-25.
///
/// # Errors
/// If it is incomplete or of an unknown version, or its headers differ from its body.
pub fn envelope_of(
    headers: &HeaderMap,
    method: &str,
    params: Option<&RawValue>,
) -> Result<Option<Envelope>, Refused> {
    let version = value_of(headers, &VERSION);
    let version = version.as_deref();
    let names_modern = version.is_some_and(|version| version >= MODERN_VERSIONS[0]);
    let Some(envelope) = envelope::envelope_of(params)? else {
        return match version {
            Some(version) if names_modern && method == "initialize" => {
                Err(mismatch("MCP-Protocol-Version", Some(version), "an older version, as initialize has"))
            }
            _ if names_modern => Err(envelope::missing()),
            _ => Ok(None),
        };
    };
    if version.is_some_and(|version| version != envelope.version) {
        return Err(mismatch("MCP-Protocol-Version", version, &envelope.version));
    }
    let given = value_of(headers, &METHOD);
    let given = given.as_deref();
    if given.is_some_and(|given| given != method) {
        return Err(mismatch("Mcp-Method", given, method));
    }
    envelope.require_version()?;
    if version.is_none() {
        return Err(mismatch("MCP-Protocol-Version", version, &envelope.version));
    }
    if given.is_none() {
        return Err(mismatch("Mcp-Method", given, method));
    }
    if let Some(name) = name_in(method, params) {
        let given = value_of(headers, &NAME);
        let given = given.as_deref();
        if given.and_then(decoded).as_deref() != Some(name.as_str()) {
            return Err(mismatch("Mcp-Name", given, &name));
        }
    }
    Ok(Some(envelope))
}

fn mismatch(header: &str, given: Option<&str>, body: &str) -> Refused {
    let text = match given {
        Some(given) => format!("The header {header} is {given:?}, but the body has {body:?}"),
        None => format!("The header {header} is missing: the body has {body:?}"),
    };
    let data = json!({"mismatch": {"header": given.unwrap_or("(missing)"), "body": body}});
    Refused::new(HEADER_MISMATCH, text).with_data(data)
}

/// The value of a header. If the header is repeated, its values are a list, which equals none of them.
pub fn value_of(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let values: Vec<_> =
        headers.get_all(name).iter().map(|value| value.to_str().unwrap_or_default().trim()).collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// The text of a header's value; `None` if it is encoded and the encoding is invalid.
fn decoded(value: &str) -> Option<String> {
    let encoded = value.strip_prefix(ENCODED.0).and_then(|value| value.strip_suffix(ENCODED.1));
    match encoded {
        None => Some(value.to_owned()),
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
    }
}

/// What the header `Mcp-Name` of a request must repeat.
fn name_in(method: &str, params: Option<&RawValue>) -> Option<String> {
    let (_, field) = NAMED.iter().find(|(named, _)| *named == method)?;
    params_of(params, [*field])[0].and_then(text_of)
}

/// A request without a session.
pub struct ModernRequest<'r> {
    pub id: &'r RawValue,
    pub method: &'r str,
    pub envelope: Envelope,
    /// The whole message.
    pub text: String,
    /// Holder of the token, for limits and the session.
    pub owner: SessionOwner,
    /// The bytes of the message, until it is answered.
    pub bytes: Reservation,
    /// What its client takes as response.
    pub accepted: AcceptedTypes,
}
