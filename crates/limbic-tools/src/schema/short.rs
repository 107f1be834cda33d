//! Short schemas of records in answers: lists show an object, and generated types have its fields.

use std::{borrow::Cow, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::COMPLETE;

/// The short schema of a `T`: an object whose fields lists do not show.
pub struct Short<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Short<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "object", "additionalProperties": true });
        schema.insert(COMPLETE.into(), super::of_answer::<T>().to_value());
        schema
    }
}

/// Returns a schema that objects of both schemas fit: it has the fields of both, and requires those that both require.
/// A field that differs may be either.
pub fn with_fields_of(mut schema: Schema, other: &Schema) -> Schema {
    let requires = |schema: &Schema, name: &Value| {
        schema.get("required").and_then(Value::as_array).is_some_and(|names| names.contains(name))
    };
    if let Some(Value::Array(mut names)) = schema.remove("required") {
        names.retain(|name| requires(other, name));
        schema.insert("required".into(), names.into());
    }
    let Some(Value::Object(others)) = other.get("properties") else { return schema };
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        for (name, field) in others {
            match fields.get_mut(name) {
                None => {
                    fields.insert(name.clone(), field.clone());
                }
                Some(known) if without_description(known) != without_description(field) => {
                    *known = json!({ "anyOf": [known, field] });
                }
                Some(_) => {}
            }
        }
    }
    schema
}

fn without_description(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(fields) = &mut schema {
        fields.remove("description");
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_schema_keeps_the_complete_one_until_it_is_published() {
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is read")]
        struct Answer {
            /// Records.
            #[schemars(with = "Vec<Short<Record>>")]
            records: Vec<Record>,
            /// One.
            #[schemars(with = "Option<Short<Record>>")]
            record: Option<Record>,
        }
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is read")]
        struct Record {
            /// Unique.
            id: String,
        }
        let schema = super::super::of_answer::<Answer>();
        let complete = json!({ "type": "object", "properties": { "id": { "type": "string", "description": "Unique." } },
            "required": ["id"] });
        let schema_value = schema.as_value();
        assert_eq!(schema_value["properties"]["records"]["items"][COMPLETE], complete);
        assert_eq!(schema_value["properties"]["record"][COMPLETE], complete);
        let published = super::super::published(&schema).to_value();
        let short = json!({ "type": "object", "additionalProperties": true });
        assert_eq!(published["properties"]["records"]["items"], short);
        assert_eq!(published["properties"]["record"]["type"], "object");
        assert!(!published.to_string().contains(COMPLETE));
        assert!(!super::super::short_answer(&schema).to_value().to_string().contains(COMPLETE));
        assert!(!super::super::published_answer(&schema).to_value().to_string().contains(COMPLETE));
    }

    #[test]
    fn the_fields_of_two_schemas_are_required_if_both_require_them() {
        let one = json_schema!({ "properties": { "id": { "type": "string", "description": "Of a memory." },
            "date": { "type": "string" }, "why": { "type": "number" } }, "required": ["id", "date"] });
        let other = json_schema!({ "properties": { "id": { "type": "string", "description": "Of code." },
            "line": { "type": "number" }, "why": { "type": "string" } }, "required": ["id", "line"] });
        let expected = json!({ "properties": { "id": { "type": "string", "description": "Of a memory." },
            "date": { "type": "string" }, "why": { "anyOf": [{ "type": "number" }, { "type": "string" }] },
            "line": { "type": "number" } }, "required": ["id"] });
        assert_eq!(with_fields_of(one, &other).to_value(), expected);
    }
}
