//! Rejects calls that would store a secret, before any other check could repeat it in an error.

use limbic_core::{Error, Result};
use limbic_guard::{SecretKind, find_secret, find_secret_about};
use serde_json::Value;

use crate::{Access, Options, Tool, Toolset, registry::is_server_memory};

/// Arguments checked as JSON text: a keyword may be in a key and the secret in its value.
const METADATA: &str = "metadata";

/// Fields that say what the statements beside them are about.
const TOPICS: [&str; 8] =
    ["subject", "name", "entityName", "entity_name", "tags", "path", "entityType", "entity_type"];

/// Fields that name what exists already.
const EXISTING: [&str; 5] = ["id", "accept", "reject", "trust", "distrust"];

/// Fields with statements.
const STATEMENTS: [&str; 4] = ["content", "contents", "observations", "summary"];

/// Rejects arguments that contain a secret, for tools that write memories, domains or the graph. All texts are checked,
/// including ids, types, names and reasons. The error names the kind of secret, never the secret.
///
/// The ids of memories and labels of origins to delete or decide about are exempt, and so are records of the graph to delete, so that existing records can be
/// deleted. The tools of the reference server store their arguments unchecked, unless `scan_graph`.
pub fn refuse_secrets(tool: &Tool, arguments: &Value, options: &Options) -> Result<()> {
    let is_kept = match (tool.access, tool.toolset) {
        (Access::Read, _) | (_, Toolset::Code | Toolset::More) | (Access::Destroy, Toolset::Graph) => false,
        (_, Toolset::Memory | Toolset::Domain | Toolset::Explorer) => true,
        (_, Toolset::Graph) => options.scan_graph || !is_server_memory(options),
    };
    let Value::Object(fields) = arguments else { return Ok(()) };
    let is_asked = |name: &str| {
        !(tool.access == Access::Destroy && EXISTING.contains(&name)) && tool.file_argument != Some(name)
    };
    if is_kept {
        fields
            .iter()
            .filter(|(name, _)| is_asked(name))
            .try_for_each(|(name, value)| check_field(name, value))?;
        if let Some(kind) = secret_by_topic(arguments) {
            return Err(Error::SecretRefused(kind.name()));
        }
    }
    Ok(())
}

/// Rejects texts that a stored topic makes secrets, such as the type of an entity.
pub fn refuse_secrets_about(topic: &str, texts: &[String]) -> Result<()> {
    match texts.iter().find_map(|text| find_secret_about(topic, text)) {
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
            let of_statement =
                |statement: &str| texts(&TOPICS).find_map(|topic| find_secret_about(topic, statement));
            texts(&STATEMENTS).find_map(of_statement).or_else(|| fields.values().find_map(secret_by_topic))
        }
        _ => None,
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

/// Whether a text or a field's name in a value contains a secret.
pub fn holds_secret(value: &Value) -> bool {
    check_field("", value).is_err() || secret_by_topic(value).is_some()
}

fn check_field(name: &str, value: &Value) -> Result<()> {
    check(name)?;
    if name == METADATA && value.is_object() {
        check(&value.to_string())?;
    }
    match value {
        Value::String(text) => check(text),
        Value::Array(items) => items.iter().try_for_each(|item| check_field("", item)),
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| check_field(name, value)),
        _ => Ok(()),
    }
}

fn check(text: &str) -> Result<()> {
    find_secret(text).map_or(Ok(()), |kind| Err(Error::SecretRefused(kind.name())))
}
