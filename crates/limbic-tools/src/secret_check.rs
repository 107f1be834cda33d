//! No secrets: a call that would write one is refused before anything else looks at it, so that nothing repeats it.

use limbic_core::{Error, Result};
use limbic_guard::find_secret;
use serde_json::Value;

use crate::{Access, Tool, Toolset};

/// Kept as JSON: a telling word may stand in a key and the secret in its value.
const METADATA: &str = "metadata";

/// Refuses arguments that seem to hold a secret, where the tool writes memories or domains. Every text counts, that of
/// ids, types, names and reasons too. An error names the kind of secret, never the secret.
///
/// The id of what is to be deleted does not count: what has come in before must be able to go.
pub fn refuse_secrets(tool: &Tool, arguments: &Value) -> Result<()> {
    let is_kept = tool.access != Access::Read && matches!(tool.toolset, Toolset::Memory | Toolset::Domain);
    let Value::Object(fields) = arguments else { return Ok(()) };
    let is_asked = |name: &str| !(tool.access == Access::Destroy && name == "id");
    if is_kept {
        fields
            .iter()
            .filter(|(name, _)| is_asked(name))
            .try_for_each(|(name, value)| check_field(name, value))?;
    }
    Ok(())
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
