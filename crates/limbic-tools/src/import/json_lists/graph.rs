//! The reference server's graph as one JSON document: the answer of `read_graph`, or a list of the lines of its file.

use limbic_core::model::text::echo;
use serde_json::value::RawValue;

use super::{
    document::{self, Document, Fields},
    kinds::{LISTS, is_of_claude},
};

/// Number of elements of which all must look like those of a graph.
const SAMPLE: usize = 20;

/// Names of further lists of memories in the documents of other formats.
const OF_LETTA: [&str; 4] = ["core_memory", "blocks", "passages", "archival_memory"];

/// Such a graph.
pub struct Graph {
    /// The lines of the reference server's file that the document stands for.
    pub lines: Vec<u8>,
    /// Why other lists of the document are left out.
    pub left_out: Vec<String>,
}

impl Graph {
    /// Reads a document; `None` if it is another one.
    pub fn read(document: &Document) -> Option<Self> {
        Some(Self { lines: lines(document)?, left_out: left_out(document) })
    }
}

/// Returns the reasons for leaving out the lists of a document that are none of a graph.
fn left_out(document: &Document) -> Vec<String> {
    let Document::Object(fields) = document else { return Vec::new() };
    let others = fields.all().filter(|(name, _)| !matches!(*name, "entities" | "relations"));
    let counts = others.filter_map(|(name, value)| Some((name, document::elements(value)?.len())));
    let reason = |(name, count): (&str, usize)| {
        format!("the list {}: {count} elements are left out, which are no part of a graph", echo(name))
    };
    counts.filter(|(_, count)| *count > 0).map(reason).collect()
}

/// Whether a document has a list of memories.
fn has_memories(fields: &Fields) -> bool {
    let is_filled = |name: &&str| {
        fields.get(name).and_then(document::elements).is_some_and(|elements| !elements.is_empty())
    };
    LISTS.iter().chain(&OF_LETTA).any(is_filled) || is_of_claude(fields)
}

fn lines(document: &Document) -> Option<Vec<u8>> {
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
            if entities.is_empty() && relations.is_empty() && has_memories(fields) {
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
