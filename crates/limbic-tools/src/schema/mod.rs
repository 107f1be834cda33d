//! JSON Schemas: generation from Rust types, and validation of arguments.

mod check;
mod lengths;
mod short;

pub use check::{fit, fit_at};
pub use lengths::check_lengths;
pub use short::{Short, with_fields_of};

use schemars::{
    JsonSchema, Schema,
    generate::SchemaSettings,
    transform::{RecursiveTransform, Transform},
};
use serde_json::{Map, Value, json};

/// On a short schema: the complete one, for generated types. Published schemas omit it.
pub const COMPLETE: &str = "x-complete";

/// Returns the schema of a type, with definitions inlined and without redundant keywords.
pub fn of<T: JsonSchema>() -> Schema {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(shorten).transform(&mut schema);
    schema.remove("description");
    schema
}

/// Returns the schema of an answer, without keywords that matter only for validation.
pub fn of_answer<T: JsonSchema>() -> Schema {
    let mut schema = of::<T>();
    RecursiveTransform(|schema: &mut Schema| {
        if schema.get("minimum") == Some(&Value::from(0)) {
            schema.remove("minimum");
        }
    })
    .transform(&mut schema);
    schema
}

/// On a field: an alias that arguments may use. [`fit`] renames it; published schemas omit it.
pub const ALIAS: &str = "x-alias";

/// On a field whose null has a meaning: its schema keeps null, as one of two choices.
pub const NULLABLE: &str = "x-nullable";

/// Returns the published schema of arguments or an answer, without the keywords for [`fit`] and for generated types.
pub fn published(schema: &Schema) -> Schema {
    let mut schema = schema.clone();
    RecursiveTransform(|schema: &mut Schema| {
        schema.remove(ALIAS);
        schema.remove(COMPLETE);
    })
    .transform(&mut schema);
    schema
}

/// Keywords that agents do without: errors name the limit and every known argument.
const LIMITS: [&str; 6] = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];

/// Returns the published schema of arguments for agents: without limits, and open for arguments that are not listed.
/// A default that says as much as an absent one is left out: a flag that is not set, an empty list.
pub fn for_agents(schema: &Schema) -> Schema {
    let mut schema = published(schema);
    RecursiveTransform(|schema: &mut Schema| {
        for keyword in LIMITS {
            schema.remove(keyword);
        }
        for (keyword, value) in
            [("additionalProperties", json!(false)), ("default", json!(false)), ("default", json!([]))]
        {
            if schema.get(keyword) == Some(&value) {
                schema.remove(keyword);
            }
        }
    })
    .transform(&mut schema);
    schema
}

/// Keeps only these fields of a schema.
pub fn keep_fields(schema: &mut Schema, names: &[&str]) {
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        fields.retain(|name, _| names.contains(&name.as_str()));
    }
}

/// Returns the published schema of an answer without descriptions.
pub fn short_answer(schema: &Schema) -> Schema {
    let mut schema = published(schema);
    RecursiveTransform(|schema: &mut Schema| {
        schema.remove("description");
    })
    .transform(&mut schema);
    schema
}

/// Descriptions of an answer's fields of at most this many characters repeat the name of the field, such as "Type.".
const REPEATS_NAME_CHARS: usize = 24;

/// Returns the published schema of an answer, without descriptions that only repeat a field's name.
pub fn published_answer(schema: &Schema) -> Schema {
    let mut schema = published(schema);
    RecursiveTransform(|schema: &mut Schema| {
        let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        if text.chars().count() <= REPEATS_NAME_CHARS {
            schema.remove("description");
        }
    })
    .transform(&mut schema);
    schema
}

/// Removes what a reader does not need: titles, number formats, null as a type or default, and descriptions of list
/// items, since the list has one. Puts each description on one line.
fn shorten(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    object.remove("title");
    object.remove("format");
    if object.get("default") == Some(&Value::Null) {
        object.remove("default");
    }
    if let Some(Value::Object(item)) = object.get_mut("items") {
        item.remove("description");
    }
    if let Some(Value::String(text)) = object.get_mut("description") {
        *text = one_line(text);
    }
    if object.remove(NULLABLE).is_some() {
        split_null(object);
        return;
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").and_then(Value::as_str) != Some("null"));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

/// Turns a list of types with null into a choice between the type and null.
fn split_null(object: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = object.get("type") else { return };
    let Some(only) = types.iter().find(|name| *name != "null").cloned() else { return };
    let description = object.remove("description");
    let mut choice = std::mem::take(object);
    choice.insert("type".into(), only);
    object.extend(description.map(|text| ("description".into(), text)));
    object.insert("anyOf".into(), json!([choice, { "type": "null" }]));
}

/// A text with each run of white space as one blank.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
