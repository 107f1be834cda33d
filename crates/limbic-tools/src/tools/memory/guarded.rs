//! What may not be stored: secrets never, personal data where the user wants it left out.

use limbic_core::{
    Error, Result,
    guard::{find_secret, redact_personal},
};
use serde_json::Value;

use super::fields::Fields;

/// Refuses a memory that seems to hold a secret, and takes personal data out of it where that is asked for. An error
/// names the kind of secret, never the secret.
pub fn guard(fields: &mut Fields, redact: bool) -> Result<()> {
    let texts =
        [&mut fields.content, &mut fields.summary, &mut fields.subject, &mut fields.source, &mut fields.path];
    for text in texts.into_iter().flatten().chain(fields.tags.iter_mut().flatten()) {
        guard_text(text, redact)?;
    }
    if let Some(metadata) = &mut fields.metadata {
        // As a whole first: a telling word may stand in a key.
        check(&serde_json::to_string(metadata).unwrap_or_default())?;
        metadata.values_mut().try_for_each(|value| guard_value(value, redact))?;
    }
    Ok(())
}

fn guard_value(value: &mut Value, redact: bool) -> Result<()> {
    match value {
        Value::String(text) => guard_text(text, redact),
        Value::Array(items) => items.iter_mut().try_for_each(|item| guard_value(item, redact)),
        Value::Object(fields) => fields.values_mut().try_for_each(|field| guard_value(field, redact)),
        _ => Ok(()),
    }
}

fn guard_text(text: &mut String, redact: bool) -> Result<()> {
    check(text)?;
    if redact {
        *text = redact_personal(text).into_owned();
    }
    Ok(())
}

fn check(text: &str) -> Result<()> {
    find_secret(text).map_or(Ok(()), |kind| Err(Error::SecretRefused(kind.name())))
}
