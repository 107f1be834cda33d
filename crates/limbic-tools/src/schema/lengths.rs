//! Checks the lengths of arguments alone, with errors that repeat nothing of what they contain.

use limbic_core::Result;
use serde_json::Value;

use super::{
    ALIAS,
    check::{check_count, check_length, join, type_of},
};

/// Checks the lengths of texts and lists against a schema, and nothing else. Errors name the part of the arguments by
/// its path; empty for all of them.
///
/// # Errors
/// [`limbic_core::Error::InvalidArgument`] for the first that is too long. It names the argument as the schema does.
pub fn check_lengths(schema: &Value, arguments: &Value, path: &str) -> Result<()> {
    check(schema, arguments, path)
}

fn check(schema: &Value, found: &Value, path: &str) -> Result<()> {
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        let is_meant = |choice: &&Value| choice.get("type").and_then(Value::as_str) == Some(type_of(found));
        return choices.iter().find(is_meant).map_or(Ok(()), |choice| check(choice, found, path));
    }
    match found {
        Value::String(text) => check_length(schema, text, path),
        Value::Array(items) => {
            check_count(schema, items, path)?;
            let Some(item) = schema.get("items") else { return Ok(()) };
            items
                .iter()
                .enumerate()
                .try_for_each(|(index, found)| check(item, found, &format!("{path}[{index}]")))
        }
        Value::Object(fields) => fields.iter().try_for_each(|(key, found)| match field(schema, key) {
            Some((name, field)) => check(field, found, &join(path, name)),
            // The client's own name.
            None => schema
                .get("additionalProperties")
                .map_or(Ok(()), |others| check(others, found, &join(path, "*"))),
        }),
        _ => Ok(()),
    }
}

/// Returns the name and the schema of a field that arguments name so, or by its alias.
fn field<'a>(schema: &'a Value, key: &str) -> Option<(&'a str, &'a Value)> {
    let known = schema.get("properties")?.as_object()?;
    let is_named = |(name, field): &(&'a String, &'a Value)| {
        name.as_str() == key || field.get(ALIAS).and_then(Value::as_str) == Some(key)
    };
    known.iter().find(is_named).map(|(name, field)| (name.as_str(), field))
}
