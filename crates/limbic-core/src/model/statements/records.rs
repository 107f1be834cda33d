//! The relation of two records: JSON objects that describe a thing each, such as an API, a server or a person.
//!
//! Records of one kind share their keys and most of their words, so their texts are similar whatever they describe.
//! Their values are compared key by key instead.

use std::collections::BTreeMap;

use super::relation::Relation;
use crate::model::{structured_text::Field, tokenizer};

/// The last part of keys whose value says which thing a record describes, as in `id`, `apiName` and `file_path`.
const IDENTIFIERS: [&str; 14] = [
    "id", "uuid", "name", "username", "hostname", "filename", "title", "key", "slug", "url", "uri", "path",
    "file", "email",
];

/// Records of one thing differ in at most one of this number of common keys.
const KEYS_PER_DIFFERENCE: usize = 3;

/// Returns how two records are related; the order does not matter.
pub(super) fn relation(one: &[Field], other: &[Field]) -> Relation {
    let (mut one, mut other) = (values(one), values(other));
    let enclosing = enclosing(one.keys().chain(other.keys()).copied());
    for values in [&mut one, &mut other] {
        *values = std::mem::take(values).into_iter().map(|(path, all)| (&path[enclosing..], all)).collect();
    }
    let common: Vec<&str> = one.keys().filter(|path| other.contains_key(*path)).copied().collect();
    let different: Vec<&str> = common.iter().filter(|path| one[*path] != other[*path]).copied().collect();
    let has_same_keys = common.len() == one.len() && common.len() == other.len();
    let is_part = common.len() == one.len() || common.len() == other.len();
    match different.len() {
        0 if has_same_keys => Relation::Same,
        0 if is_part => Relation::Extension,
        0 => Relation::OtherThing,
        _ if different.iter().any(|path| is_identifier(path)) => Relation::OtherThing,
        1 => Relation::Contradiction,
        several if several * KEYS_PER_DIFFERENCE <= common.len() => Relation::Contradiction,
        _ => Relation::OtherThing,
    }
}

/// The values at each path, in order, and whether each is a string.
fn values(fields: &[Field]) -> BTreeMap<&str, Vec<(Option<&str>, bool)>> {
    let mut values: BTreeMap<&str, Vec<(Option<&str>, bool)>> = BTreeMap::new();
    for field in fields {
        values.entry(&field.path).or_default().push((field.value.as_deref(), field.is_string));
    }
    values
}

/// The length of the path of the innermost object that has all values: both records may be wrapped, as in
/// `{"server": {...}}`.
fn enclosing<'a>(paths: impl Iterator<Item = &'a str>) -> usize {
    let parents = paths.map(|path| path.rsplit_once('/').map_or("", |(parent, _)| parent));
    let common = parents.reduce(|one, other| {
        let same = one.split('/').zip(other.split('/')).take_while(|(a, b)| a == b);
        // Each step is preceded by a slash, but the first one, which is empty.
        let length: usize = same.map(|(step, _)| step.len() + 1).sum();
        &one[..length.saturating_sub(1)]
    });
    common.unwrap_or_default().len()
}

/// Whether the value at this path says which thing the record describes: a key of the record itself, not of a part.
fn is_identifier(path: &str) -> bool {
    let key = path.strip_prefix('/').unwrap_or(path);
    let last = tokenizer::last_part(key).to_lowercase();
    !key.contains('/') && IDENTIFIERS.contains(&last.as_str())
}

#[cfg(test)]
mod tests {
    use super::{super::relation::Relation, relation as relation_of_fields};
    use crate::model::structured_text::fields;

    fn relation(one: &str, other: &str) -> Relation {
        let fields = |text| fields(text).expect("it is JSON");
        relation_of_fields(&fields(one), &fields(other))
    }

    const SERVER: &str = r#"{"name": "db1", "region": "eu", "port": 5432, "owner": "ops"}"#;

    #[test]
    fn records_with_another_identifier_describe_other_items() {
        for (one, other) in [
            (SERVER, r#"{"name": "db2", "region": "eu", "port": 5432, "owner": "ops"}"#),
            (r#"{"userId": 7, "plan": "free"}"#, r#"{"userId": 8, "plan": "free"}"#),
            (r#"[{"file_path": "a.rs", "lines": 9}]"#, r#"[{"file_path": "b.rs", "lines": 9}]"#),
            (r#"{"server": {"name": "db1", "port": 1}}"#, r#"{"server": {"name": "db2", "port": 1}}"#),
        ] {
            assert_eq!(relation(one, other), Relation::OtherThing, "{one} {other}");
        }
    }

    #[test]
    fn a_few_other_values_of_one_thing_are_a_contradiction() {
        for (one, other) in [
            (SERVER, r#"{"name": "db1", "region": "eu", "port": 5433, "owner": "ops"}"#),
            (SERVER, r#"{"owner": "ops", "port": 5433, "name": "db1", "region": "eu", "tier": 2}"#),
            (r#"{"retries": 3}"#, r#"{"retries": 5}"#),
            (r#"{"server": {"name": "db1", "port": 1}}"#, r#"{"server": {"name": "db1", "port": 2}}"#),
            (r#"{"name": "x", "tags": ["a", "b"]}"#, r#"{"name": "x", "tags": ["a"]}"#),
            (r#"{"name": "x", "owner": "ada"}"#, r#"{"name": "x", "owner": null}"#),
            (r#"{"name": "x", "owner": "ada"}"#, r#"{"name": "x", "owner": ""}"#),
            (r#"{"name": "x", "parts": {"name": "a"}}"#, r#"{"name": "x", "parts": {"name": "b"}}"#),
        ] {
            assert_eq!(relation(one, other), Relation::Contradiction, "{one} {other}");
        }
    }

    #[test]
    fn escapes_and_types_of_values_count() {
        for (one, other) in [
            (
                r#"{"task": "deploy", "rating": "\ud83d\udc4d"}"#,
                r#"{"task": "deploy", "rating": "\ud83d\udc4e"}"#,
            ),
            (r#"{"task": "deploy", "rating": "\ud83d"}"#, r#"{"task": "deploy", "rating": "\ud83e"}"#),
            (r#"{"host": "db1", "port": "8080"}"#, r#"{"host": "db1", "port": 8080}"#),
            (r#"{"host": "db1", "on": "true"}"#, r#"{"host": "db1", "on": true}"#),
            (r#"{"mark": "a\nb", "owner": "ops"}"#, r#"{"mark": "a b", "owner": "ops"}"#),
        ] {
            assert_eq!(relation(one, other), Relation::Contradiction, "{one} {other}");
        }
        let escaped = r#"{"task": "deploy", "rating": "\ud83d\udc4d"}"#;
        assert_eq!(relation(escaped, r#"{"rating": "👍", "task": "deploy"}"#), Relation::Same);
    }

    #[test]
    fn records_that_differ_in_most_values_describe_other_items() {
        let other = r#"{"name": "db1", "region": "us", "port": 3306, "owner": "web"}"#;
        assert_eq!(relation(SERVER, other), Relation::OtherThing);
        assert_eq!(relation(r#"{"a": "one two three"}"#, r#"{"b": "one two three"}"#), Relation::OtherThing);
        assert_eq!(relation(r#"{"a.b": 1, "c": 2}"#, r#"{"a": {"b": 1}, "c": 2}"#), Relation::OtherThing);
        let hosts = |first: &str, second: &str| {
            format!(r#"[{{"host": "a", "{first}": true}}, {{"host": "b", "{second}": true}}]"#)
        };
        assert_eq!(relation(&hosts("on", "off"), &hosts("off", "on")), Relation::OtherThing);
    }

    #[test]
    fn the_same_values_are_one_record_in_any_order_and_more_values_extend_it() {
        let reordered = "{\n \"port\": 5432, \"owner\": \"ops\", \"name\": \"db1\", \"region\": \"eu\" }";
        assert_eq!(relation(SERVER, reordered), Relation::Same);
        let longer = r#"{"name": "db1", "region": "eu", "port": 5432, "owner": "ops", "tier": 2}"#;
        assert_eq!(relation(SERVER, longer), Relation::Extension);
        assert_eq!(relation(longer, SERVER), Relation::Extension);
    }
}
