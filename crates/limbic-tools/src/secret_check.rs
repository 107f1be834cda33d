//! Rejects calls that would store a secret, before any other check could repeat it in an error.

use limbic_core::{Error, Result};
use limbic_guard::find_secret;
use serde_json::Value;

use crate::{
    Access, Options, Tool, Toolset,
    scan_limits::{self, METADATA},
    topic_secrets::secret_by_topic,
};

/// Fields that name what exists already.
const EXISTING: [&str; 5] = ["id", "accept", "reject", "trust", "distrust"];

/// Rejects arguments that contain a secret, for tools that write memories, domains or the graph. All texts are checked,
/// including ids, types, names and reasons; but first their lengths, since the scan takes its time for each megabyte.
/// The error names the kind of secret, never the secret.
///
/// The ids of memories and labels of origins to delete or decide about are exempt, and so are records of the graph to
/// delete, so that existing records can be deleted. The tools of the reference server store their arguments unchecked,
/// unless `scan_graph`.
pub fn refuse_secrets(tool: &Tool, arguments: &Value, options: &Options) -> Result<()> {
    let is_kept = match (tool.access, tool.toolset) {
        (Access::Read, _) | (_, Toolset::Code | Toolset::More) | (Access::Destroy, Toolset::Graph) => false,
        (_, Toolset::Memory | Toolset::Domain | Toolset::Explorer) => true,
        (_, Toolset::Graph) => options.refuses_graph_secrets(),
    };
    let Value::Object(fields) = arguments else { return Ok(()) };
    if is_kept {
        scan_limits::check(tool, arguments)?;
    }
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
