//! Protocol 2026-07-28: what each request says of its client, and what each result says of the server.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::identity::{identity, short_identity};
use super::members::{is_object, members_of, params_of, text_of};
use super::message::{INVALID_PARAMS, Refused};

/// The versions without sessions: each request names its version.
pub const MODERN_VERSIONS: [&str; 1] = ["2026-07-28"];
/// MCP's error code for a version that the server does not speak.
pub const UNSUPPORTED_VERSION: i64 = -32022;
/// The field of `_meta` that names the stream which a notification belongs to.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER: &str = "io.modelcontextprotocol/serverInfo";
/// How long the lists may be cached: they change with the options of the server only.
const LIST_MILLIS: u32 = 3_600_000;

/// The fields of a request that describe its client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// The version of the protocol.
    pub version: String,
    /// The client's name, as reported by the client; may be empty.
    pub client: String,
    /// Whether the client shows forms to a person.
    pub can_ask: bool,
}

/// How long a result may be cached, and for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cache {
    /// A list that is the same for every client.
    List,
    /// A list that depends on the client's token.
    OwnList,
    /// The memory may change at any time, and is private to its user.
    Content,
}

/// Returns what a request says of its client; `None` for a request that names no version, as those up to 2025-11-25.
/// The version may be one that this server does not speak.
///
/// # Errors
/// If a field is missing or not of its type.
pub fn envelope_of(params: Option<&RawValue>) -> Result<Option<Envelope>, Refused> {
    let [Some(meta)] = params_of(params, ["_meta"]) else { return Ok(None) };
    let [Some(version), client, capabilities] = members_of(meta.get(), [VERSION, CLIENT, CAPABILITIES])
    else {
        return Ok(None);
    };
    let version = text_of(version).ok_or_else(|| invalid(VERSION, "a text"))?;
    let capabilities = capabilities
        .filter(|capabilities| is_object(capabilities))
        .ok_or_else(|| invalid(CAPABILITIES, "a JSON object"))?;
    let client = match client {
        None => String::new(),
        Some(client) => {
            match members_of(client.get(), ["name", "version"]).map(|text| text.and_then(text_of)) {
                [Some(name), Some(_)] => name,
                _ => return Err(invalid(CLIENT, "a JSON object with the texts \"name\" and \"version\"")),
            }
        }
    };
    Ok(Some(Envelope { version, client, can_ask: has_forms(capabilities) }))
}

/// Whether these capabilities of a client declare that it shows forms.
fn has_forms(capabilities: &RawValue) -> bool {
    let [elicitation] = members_of(capabilities.get(), ["elicitation"]);
    let Some(elicitation) = elicitation.filter(|declared| is_object(declared)) else { return false };
    // An empty declaration is the older way to say it.
    let [form, url] = members_of(elicitation.get(), ["form", "url"]);
    form.is_some() || url.is_none()
}

impl Envelope {
    /// Rejects a version that this server does not speak.
    pub fn require_version(&self) -> Result<(), Refused> {
        if MODERN_VERSIONS.contains(&self.version.as_str()) {
            return Ok(());
        }
        Err(unsupported(Some(&self.version)))
    }
}

/// The refusal of a request with a version that this server does not speak, or that needs an initialisation.
pub fn unsupported(requested: Option<&str>) -> Refused {
    let text = match requested {
        Some(requested) => format!("Unsupported protocol version: {requested}"),
        None => "Unsupported protocol version: the request names none".to_owned(),
    };
    let mut data = json!({"supported": MODERN_VERSIONS});
    if let Some(requested) = requested {
        data["requested"] = requested.into();
    }
    Refused::new(UNSUPPORTED_VERSION, text).with_data(data)
}

/// The refusal of a request that names no version, where every request must.
pub fn missing() -> Refused {
    invalid(VERSION, "a text")
}

fn invalid(field: &str, expected: &str) -> Refused {
    Refused::new(
        INVALID_PARAMS,
        format!(
            "The \"_meta\" of each request of protocol {} needs \"{field}\", {expected}",
            MODERN_VERSIONS[0]
        ),
    )
}

/// Returns a result with the fields of protocol 2026-07-28; the rest is unchanged.
///
/// # Arguments
/// * `result` - a JSON object without these fields.
pub fn complete(result: &str, cache: Option<Cache>) -> String {
    typed("complete", result, cache, &json!({(SERVER): short_identity()}))
}

/// As [`complete`], for a call that needs an answer of its user.
pub fn input_required(result: &str) -> String {
    typed("input_required", result, None, &json!({(SERVER): short_identity()}))
}

/// As [`complete`], with the whole identity of the server.
pub fn discovered(result: &str, cache: Cache) -> String {
    typed("complete", result, Some(cache), &json!({(SERVER): identity()}))
}

/// The result of a stream that has ended.
///
/// # Arguments
/// * `id` - the id of its request, as received.
pub fn stream_ended(id: &RawValue) -> String {
    typed("complete", "{}", None, &json!({(SUBSCRIPTION_ID): id, (SERVER): short_identity()}))
}

fn typed(kind: &str, result: &str, cache: Option<Cache>, meta: &Value) -> String {
    let cached = match cache {
        None => String::new(),
        Some(cache) => {
            let (millis, scope) = match cache {
                Cache::List => (LIST_MILLIS, "public"),
                Cache::OwnList => (LIST_MILLIS, "private"),
                Cache::Content => (0, "private"),
            };
            format!(r#","ttlMs":{millis},"cacheScope":"{scope}""#)
        }
    };
    let rest = result.strip_prefix('{').unwrap_or("}");
    let comma = if rest.starts_with('}') { "" } else { "," };
    format!(r#"{{"resultType":"{kind}","_meta":{meta}{cached}{comma}{rest}"#)
}

#[cfg(test)]
#[path = "envelope_tests.rs"]
mod tests;
