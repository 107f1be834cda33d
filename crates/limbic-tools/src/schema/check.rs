//! Validates arguments against a schema, with errors that name the argument, its value and what to do.
//!
//! Supports only the part of JSON Schema that `schemars` generates for the tools' types.

use limbic_core::{Error, Result, model::text::echo};
use serde_json::{Map, Number, Value};

use super::ALIAS;
use crate::suggest::nearest;

/// Validates and normalises arguments: removes null fields, renames aliases, turns integral floats into integers.
///
/// # Errors
/// [`Error::InvalidArgument`] for the first invalid argument.
pub fn fit(schema: &Value, arguments: &mut Value) -> Result<()> {
    fit_at(schema, arguments, "")
}

/// As [`fit`], for a part of the arguments, which errors name by its path.
///
/// # Errors
/// As [`fit`].
pub fn fit_at(schema: &Value, part: &mut Value, path: &str) -> Result<()> {
    value(schema, part, path)
}

fn value(schema: &Value, found: &mut Value, path: &str) -> Result<()> {
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        return any_of(choices, found, path);
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        return one_of(allowed, found, path);
    }
    let wanted = schema.get("type").and_then(Value::as_str).unwrap_or("");
    if wanted == "integer" {
        drop_point(found);
    }
    match (wanted, &mut *found) {
        ("object", Value::Object(fields)) => object(schema, fields, path),
        ("array", Value::Array(items)) => array(schema, items, path),
        ("string", Value::String(text)) => string(schema, text, path),
        ("integer", Value::Number(number)) if number.is_i64() => range(schema, number, path),
        ("integer", Value::Number(number)) if number.is_u64() => {
            Err(Error::invalid(format!("{} must be at most {}, but got {number}", name(path), i64::MAX)))
        }
        ("number", Value::Number(number)) => range(schema, number, path),
        ("boolean", Value::Bool(_)) | ("", _) => Ok(()),
        (wanted, _) => Err(Error::invalid(format!(
            "{} must be {}, but got {}",
            name(path),
            article(wanted),
            show(found)
        ))),
    }
}

/// JavaScript writes 1.0 as 1, but other clients do not.
#[allow(
    clippy::cast_possible_truncation,
    reason = "only whole numbers that a float holds exactly are turned"
)]
fn drop_point(found: &mut Value) {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Some(number) =
        found.as_f64().filter(|number| found.is_f64() && number.fract() == 0.0 && number.abs() < EXACT)
    {
        *found = Value::from(number as i64);
    }
}

fn object(schema: &Value, fields: &mut Map<String, Value>, path: &str) -> Result<()> {
    fields.retain(|_, found| !found.is_null());
    let empty = Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    rename_aliases(known, fields, path)?;
    let others = schema.get("additionalProperties").unwrap_or(&Value::Null);
    for (key, found) in fields.iter_mut() {
        match known.get(key) {
            Some(field) => value(field, found, &join(path, key))?,
            None if closed => return Err(unknown(key, known, path)),
            None => value(others, found, &join(path, key))?,
        }
    }
    let required =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for key in required {
        if !fields.contains_key(key) {
            return Err(Error::InvalidArgument {
                message: format!("{} is missing", join(path, key)),
                hint: known.get(key).map(expected),
            });
        }
    }
    Ok(())
}

/// Returns what a field expects: its description, or its values, and its type where they do not say it.
fn expected(field: &Value) -> String {
    let description =
        field.get("description").and_then(Value::as_str).unwrap_or_default().trim_end_matches('.');
    let wanted = wanted(field);
    if description.is_empty() { format!("It is {wanted}") } else { format!("{description} ({wanted})") }
}

/// Returns the kind of value that a schema describes: one of some words, or a JSON type.
fn wanted(schema: &Value) -> String {
    let types = |schemas: &[Value]| schemas.iter().map(wanted).collect::<Vec<_>>().join(" or ");
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        return types(choices);
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
        return format!("one of {}", words.join(", "));
    }
    match (schema.get("type").and_then(Value::as_str), schema.get("items")) {
        (Some("array"), Some(item)) => match item.get("type").and_then(Value::as_str) {
            Some(of) => format!("an array of {of}s"),
            None => "an array".to_owned(),
        },
        (Some(of), _) => article(of),
        (None, _) => "any value".to_owned(),
    }
}

/// Renames fields from their alias to the name in the schema.
fn rename_aliases(known: &Map<String, Value>, fields: &mut Map<String, Value>, path: &str) -> Result<()> {
    let aliases =
        known.iter().filter_map(|(key, field)| Some((key, field.get(ALIAS).and_then(Value::as_str)?)));
    for (key, alias) in aliases {
        let Some(found) = fields.remove(alias) else { continue };
        if fields.contains_key(key) {
            return Err(Error::invalid(format!(
                "{} and {} are two names of the same argument: give one of them",
                join(path, key),
                join(path, alias)
            )));
        }
        fields.insert(key.clone(), found);
    }
    Ok(())
}

fn unknown(key: &str, known: &Map<String, Value>, path: &str) -> Error {
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    let near = nearest(key, names.iter().copied()).map(|near| format!("Did you mean {near:?}? "));
    Error::InvalidArgument {
        message: format!("{} is not a known argument", join(path, key)),
        hint: Some(format!("{}Known: {}", near.unwrap_or_default(), names.join(", "))),
    }
}

fn array(schema: &Value, items: &mut [Value], path: &str) -> Result<()> {
    let count = items.len() as u64;
    if let Some(min) = schema.get("minItems").and_then(Value::as_u64).filter(|min| count < *min) {
        return Err(Error::invalid(format!("{} must have at least {min} item, but got {count}", name(path))));
    }
    check_count(schema, items, path)?;
    let Some(item) = schema.get("items") else { return Ok(()) };
    items
        .iter_mut()
        .enumerate()
        .try_for_each(|(index, found)| value(item, found, &format!("{path}[{index}]")))
}

fn string(schema: &Value, text: &str, path: &str) -> Result<()> {
    if text.contains('\0') {
        return Err(Error::invalid(format!("{} contains a NUL character: remove it", name(path))));
    }
    let count = text.chars().count() as u64;
    if schema.get("minLength").and_then(Value::as_u64).is_some_and(|min| count < min) {
        return Err(Error::invalid(format!("{} must not be empty", name(path))));
    }
    check_length(schema, text, path)
}

pub(super) fn check_count(schema: &Value, items: &[Value], path: &str) -> Result<()> {
    let count = items.len() as u64;
    match schema.get("maxItems").and_then(Value::as_u64).filter(|max| count > *max) {
        Some(max) => Err(Error::invalid(format!(
            "{} must have at most {max} items per call, but got {count}. Make several calls",
            name(path)
        ))),
        None => Ok(()),
    }
}

pub(super) fn check_length(schema: &Value, text: &str, path: &str) -> Result<()> {
    let Some(max) = schema.get("maxLength").and_then(Value::as_u64) else { return Ok(()) };
    let count = text.chars().count() as u64;
    if count <= max {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{} must have at most {max} characters, but got {count}. Shorten or split it",
        name(path)
    )))
}

fn range(schema: &Value, found: &Number, path: &str) -> Result<()> {
    let number = found.as_f64().unwrap_or(f64::NAN);
    let min = schema.get("minimum").and_then(Value::as_f64);
    let max = schema.get("maximum").and_then(Value::as_f64);
    if min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max) {
        return Ok(());
    }
    let bounds = match (min, max) {
        (Some(min), Some(max)) => format!("between {min} and {max}"),
        (Some(min), None) => format!("{min} or more"),
        (None, max) => format!("{} or less", max.unwrap_or(f64::INFINITY)),
    };
    Err(Error::invalid(format!("{} must be {bounds}, but got {found}", name(path))))
}

fn one_of(allowed: &[Value], found: &Value, path: &str) -> Result<()> {
    if allowed.contains(found) {
        return Ok(());
    }
    let words: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
    Err(Error::InvalidArgument {
        message: format!("{} must be one of {}, but got {}", name(path), words.join(", "), show(found)),
        hint: found
            .as_str()
            .and_then(|wrong| nearest(wrong, words.iter().copied()))
            .map(|near| format!("Did you mean {near:?}?")),
    })
}

/// Validates a choice: the error is that of the choice with the same JSON type.
fn any_of(choices: &[Value], found: &mut Value, path: &str) -> Result<()> {
    let meant =
        choices.iter().find(|choice| choice.get("type").and_then(Value::as_str) == Some(type_of(found)));
    match meant {
        Some(choice) => value(choice, found, path),
        None => {
            let wanted: Vec<String> =
                choices.iter().filter_map(|choice| choice.get("type")?.as_str()).map(article).collect();
            Err(Error::invalid(format!(
                "{} must be {}, but got {}",
                name(path),
                wanted.join(" or "),
                show(found)
            )))
        }
    }
}

pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn article(type_name: &str) -> String {
    let article = if type_name.starts_with(['a', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {type_name}")
}

/// Returns the value, truncated if it is long.
fn show(value: &Value) -> String {
    const MAX_CHARS: usize = 60;
    let text = value.to_string();
    if text.chars().count() <= MAX_CHARS {
        return format!("{} {text}", article(type_of(value)));
    }
    format!("{} {}...", article(type_of(value)), text.chars().take(MAX_CHARS).collect::<String>())
}

pub(super) fn join(path: &str, key: &str) -> String {
    let key = echo(key);
    if path.is_empty() { key.into_owned() } else { format!("{path}.{key}") }
}

fn name(path: &str) -> &str {
    if path.is_empty() { "The argument" } else { path }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_missing_argument_is_described_with_its_type_or_values() {
        let field = |field: Value| {
            let schema = json!({ "type": "object", "properties": { "ids": field }, "required": ["ids"] });
            match fit(&schema, &mut json!({})) {
                Err(Error::InvalidArgument { message, hint }) => {
                    format!("{message}. {}", hint.unwrap_or_default())
                }
                other => format!("{other:?}"),
            }
        };
        let ids = json!({ "type": "array", "items": { "type": "string" }, "description": "Ids." });
        assert_eq!(field(ids), "ids is missing. Ids (an array of strings)");
        let kind = json!({ "enum": ["a", "b"], "description": "Kind of record." });
        assert_eq!(field(kind), "ids is missing. Kind of record (one of a, b)");
        let either = json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] });
        assert_eq!(field(either), "ids is missing. It is a string or an integer");
    }

    #[test]
    fn a_number_beyond_64_bits_with_sign_is_rejected() {
        let schema = json!({ "type": "object", "properties": { "id": { "type": "integer" } } });
        let checked = fit(&schema, &mut json!({ "id": 9_223_372_036_854_775_808_u64 }));
        assert_eq!(
            checked.map_err(|error| error.to_string()),
            Err("id must be at most 9223372036854775807, but got 9223372036854775808".into())
        );
        assert!(fit(&schema, &mut json!({ "id": i64::MAX })).is_ok());
    }
}
