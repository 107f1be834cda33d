//! The reference server's graph as one JSON document: the answer of `read_graph`, or a list of the lines of its file.

use serde_json::value::RawValue;

use super::document::{self, Document, Fields};

/// Number of elements of which all must look like those of a graph.
const SAMPLE: usize = 20;

/// Returns the lines of the reference server's file that a document stands for; `None` for another document.
pub fn lines(document: &Document) -> Option<Vec<u8>> {
    let mut lines = Vec::new();
    match document {
        Document::Object(fields) => {
            let list = |name: &str| fields.get(name).and_then(document::elements);
            let (entities, relations) = (list("entities"), list("relations"));
            let is_known = match (&entities, &relations) {
                (None, None) => false,
                (None, Some(relations)) => !relations.is_empty(),
                _ => true,
            };
            let (entities, relations) = (entities.unwrap_or_default(), relations.unwrap_or_default());
            if !is_known || !all(&entities, is_entity) || !all(&relations, is_relation) {
                return None;
            }
            entities.iter().for_each(|element| put(&mut lines, element, Some("entity")));
            relations.iter().for_each(|element| put(&mut lines, element, Some("relation")));
        }
        Document::List(elements) => {
            let is_item = |fields: &Fields| match fields.get("type").map(RawValue::get) {
                Some(r#""entity""#) => fields.contains("name"),
                Some(r#""relation""#) => is_relation(fields),
                _ => false,
            };
            if elements.is_empty() || !all(elements, is_item) {
                return None;
            }
            elements.iter().for_each(|element| put(&mut lines, element, None));
        }
    }
    Some(lines)
}

fn all(elements: &[Box<RawValue>], is_item: impl Fn(&Fields) -> bool) -> bool {
    elements
        .iter()
        .take(SAMPLE)
        .all(|element| document::fields(element).is_some_and(|fields| is_item(&fields)))
}

fn is_entity(fields: &Fields) -> bool {
    fields.contains("name") && (fields.contains("entityType") || fields.contains("observations"))
}

fn is_relation(fields: &Fields) -> bool {
    ["from", "to", "relationType"].iter().all(|name| fields.contains(name))
}

/// Adds an element as a line, with its type if the document states that elsewhere.
fn put(lines: &mut Vec<u8>, element: &RawValue, kind: Option<&str>) {
    match kind.and_then(|kind| Some((kind, document::fields(element)?))) {
        Some((kind, fields)) => {
            lines.extend_from_slice(format!("{{\"type\":\"{kind}\"").as_bytes());
            for (name, value) in fields.all().filter(|(name, _)| *name != "type") {
                lines.push(b',');
                put_joined(lines, &serde_json::Value::from(name).to_string());
                lines.push(b':');
                put_joined(lines, value.get());
            }
            lines.push(b'}');
        }
        None => put_joined(lines, element.get()),
    }
    lines.push(b'\n');
}

/// Adds JSON without line breaks, which it only has between its tokens.
fn put_joined(lines: &mut Vec<u8>, json: &str) {
    lines.extend(json.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
}
