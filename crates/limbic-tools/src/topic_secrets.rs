//! Texts that are secrets because of a field beside them, such as a password whose subject is a login.

use limbic_core::{Error, Result};
use limbic_guard::{MAX_TOPIC_BYTES, SecretKind, find_secret_by_topics, is_related};
use serde_json::Value;

/// Fields that say what the statements beside them are about.
const TOPICS: [&str; 8] =
    ["subject", "name", "entityName", "entity_name", "tags", "path", "entityType", "entity_type"];

/// Fields with statements.
const STATEMENTS: [&str; 4] = ["content", "contents", "observations", "summary"];

/// Rejects texts that a stored topic makes secrets, such as the type of an entity.
pub fn refuse_secrets_about(topic: &str, texts: &[String]) -> Result<()> {
    match find_secret_by_topics(std::iter::once(topic), texts.iter().map(String::as_str)) {
        Some(kind) => Err(Error::SecretRefused(kind.name())),
        None => Ok(()),
    }
}

/// Returns the kind of the first statement in a value that is a secret because of the fields beside it: content of a
/// subject, observations of an entity.
pub fn secret_by_topic(value: &Value) -> Option<SecretKind> {
    match value {
        Value::Array(items) => items.iter().find_map(secret_by_topic),
        Value::Object(fields) => {
            let texts = |names: &'static [&str]| names.iter().flat_map(|name| texts(fields.get(*name)));
            let topics: Vec<&str> = texts(&TOPICS).collect();
            find_secret_by_topics(topics.iter().copied(), texts(&STATEMENTS))
                .or_else(|| fields.values().find_map(secret_by_topic))
        }
        _ => None,
    }
}

/// Returns how much [`secret_by_topic`] scans, in bytes.
pub fn related_bytes(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(related_bytes).sum(),
        Value::Object(fields) => {
            let texts = |names: &'static [&str]| names.iter().flat_map(|name| texts(fields.get(*name)));
            // The type of an entity may be stored.
            let topics: usize = texts(&TOPICS).map(|topic| topic.len().min(MAX_TOPIC_BYTES)).sum();
            let related = texts(&STATEMENTS).filter(|text| is_related(text));
            let bytes: usize = related.map(|text| topics + MAX_TOPIC_BYTES / 4 + text.len()).sum();
            bytes + fields.values().map(related_bytes).sum::<usize>()
        }
        _ => 0,
    }
}

/// The texts of a field: itself, or the items of a list.
fn texts(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let items = match value {
        Some(Value::Array(items)) => items.as_slice(),
        Some(other) => std::slice::from_ref(other),
        None => &[],
    };
    items.iter().filter_map(Value::as_str)
}
