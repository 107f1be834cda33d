//! Files of Memory Graph's JSON folder.

use std::{collections::BTreeMap, fmt};

use limbic_core::{Error, Result};
use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::{
    import::short_list::short_list,
    source::{Sequence, Source},
};

/// Maximum number of records that cannot be read: a file with more is of another format, and keeping them takes memory.
const MAX_UNREADABLE: usize = 10_000;

/// Maximum number of tags or references of a memory.
const MAX_LIST: usize = 10_000;

/// Maximum size in memory of the records of a file or a folder, in bytes: short records take many times their text.
pub const MAX_HELD_BYTES: usize = 352 * 1024 * 1024;

/// The error of a file that exceeds it.
const IS_TOO_LARGE: &str = "the records take too much memory";

/// The content of a file.
pub enum File {
    /// The memories of a domain, and their size in memory.
    Memories { nodes: Vec<(String, Parsed<Node>)>, edges: Vec<Parsed<Edge>>, held_bytes: usize },
    /// The current domain.
    State { current_domain: String, last_access: Option<String>, last_memory_id: Option<String> },
    /// Domains by their ids.
    Domains(Domains),
}

/// A record, or why it cannot be read.
pub type Parsed<T> = std::result::Result<Box<T>, String>;

impl<'de> Deserialize<'de> for File {
    /// Reads record by record: a buffer of the whole file would take forty times its size.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(FileVisitor)
    }
}

struct FileVisitor;

impl<'de> Visitor<'de> for FileVisitor {
    type Value = File;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of Memory Graph")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<File, A::Error> {
        let mut domains = BTreeMap::new();
        let (mut nodes, mut edges, mut current) = (None, None, None);
        let (mut last_access, mut last_memory_id, mut is_state) = (None, None, false);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "nodes" => nodes = Some(map.next_value::<Nodes>()?),
                "edges" => edges = Some(map.next_value::<Edges>()?),
                "currentDomain" => (current, is_state) = (Some(map.next_value::<String>()?), true),
                "lastAccess" => (last_access, is_state) = (map.next_value::<Option<String>>()?, true),
                "lastMemoryId" => (last_memory_id, is_state) = (map.next_value::<Option<String>>()?, true),
                // Files of memories and of states may have further keys.
                _ if is_state || nodes.is_some() || edges.is_some() => {
                    map.next_value::<IgnoredAny>()?;
                }
                _ => {
                    let info = map.next_value::<Box<RawValue>>()?;
                    domains.insert(key, serde_json::from_str::<Info>(info.get()).ok());
                    if domains.len() > MAX_UNREADABLE {
                        return Err(de::Error::custom("too many domains"));
                    }
                }
            }
        }
        if let (Some(Nodes(nodes, of_nodes)), Some(Edges(edges, of_edges))) = (nodes, edges) {
            return Ok(File::Memories { nodes, edges, held_bytes: of_nodes + of_edges });
        }
        if let Some(current_domain) = current {
            return Ok(File::State { current_domain, last_access, last_memory_id });
        }
        let domains: Option<BTreeMap<_, _>> =
            domains.into_iter().map(|(id, info)| Some((id, info?))).collect();
        domains
            .map(|domains| File::Domains(Domains(domains)))
            .ok_or_else(|| de::Error::custom("another format"))
    }
}

/// Counts the records that cannot be read, and the memory that the others take.
#[derive(Default)]
struct Parser {
    unreadable: usize,
    held_bytes: usize,
}

impl Parser {
    fn parse<T: DeserializeOwned + Held, E: de::Error>(
        &mut self,
        text: &RawValue,
    ) -> std::result::Result<Parsed<T>, E> {
        // The line and column are those within the record.
        let reason = |error: serde_json::Error| match error.to_string().rsplit_once(" at line ") {
            Some((reason, _)) => reason.to_owned(),
            None => error.to_string(),
        };
        let parsed = serde_json::from_str::<Box<T>>(text.get()).map_err(reason);
        self.unreadable += usize::from(parsed.is_err());
        if self.unreadable > MAX_UNREADABLE {
            return Err(E::custom(format!("more than {MAX_UNREADABLE} records cannot be read")));
        }
        self.held_bytes += parsed.as_ref().map_or(RECORD_BYTES, |record| RECORD_BYTES + record.held_bytes());
        if self.held_bytes > MAX_HELD_BYTES {
            return Err(E::custom(IS_TOO_LARGE));
        }
        Ok(parsed)
    }
}

/// What a record takes in the list, with its key.
const RECORD_BYTES: usize = 128;

/// What a text takes beside its bytes.
const TEXT_BYTES: usize = 40;

/// A record whose size in memory is known.
trait Held {
    fn held_bytes(&self) -> usize;
}

impl Held for Node {
    fn held_bytes(&self) -> usize {
        let texts = [&self.id, &self.content, &self.timestamp];
        let optional = [&self.path, &self.summary, &self.summary_at];
        let of_references = self.domain_refs.iter().flat_map(|reference| {
            [Some(&reference.domain), Some(&reference.node_id), reference.description.as_ref()]
        });
        let texts = texts.into_iter().chain(optional.into_iter().flatten()).chain(&self.tags);
        let bytes: usize = texts.chain(of_references.flatten()).map(|text| TEXT_BYTES + text.len()).sum();
        size_of::<Self>() + bytes
    }
}

impl Held for Edge {
    fn held_bytes(&self) -> usize {
        let texts = [&self.source, &self.target, &self.link_type].into_iter().chain(&self.timestamp);
        size_of::<Self>() + texts.map(|text| TEXT_BYTES + text.len()).sum::<usize>()
    }
}

/// Memories by their keys, and their size in memory.
struct Nodes(Vec<(String, Parsed<Node>)>, usize);

impl<'de> Deserialize<'de> for Nodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct NodesVisitor;
        impl<'de> Visitor<'de> for NodesVisitor {
            type Value = Nodes;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object of memories")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Nodes, A::Error> {
                let (mut nodes, mut parser) = (Vec::new(), Parser::default());
                while let Some((key, text)) = map.next_entry::<String, Box<RawValue>>()? {
                    nodes.push((key, parser.parse::<Node, A::Error>(&text)?));
                }
                Ok(Nodes(nodes, parser.held_bytes))
            }
        }
        deserializer.deserialize_map(NodesVisitor)
    }
}

/// Links, and their size in memory.
struct Edges(Vec<Parsed<Edge>>, usize);

impl<'de> Deserialize<'de> for Edges {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct EdgesVisitor;
        impl<'de> Visitor<'de> for EdgesVisitor {
            type Value = Edges;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of links")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Edges, A::Error> {
                let (mut edges, mut parser) = (Vec::new(), Parser::default());
                while let Some(text) = list.next_element::<Box<RawValue>>()? {
                    edges.push(parser.parse::<Edge, A::Error>(&text)?);
                }
                Ok(Edges(edges, parser.held_bytes))
            }
        }
        deserializer.deserialize_seq(EdgesVisitor)
    }
}

pub struct Domains(pub BTreeMap<String, Info>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Info {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub description: Option<String>,
    pub created: String,
    pub last_access: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    pub id: String,
    pub content: String,
    pub timestamp: String,
    #[serde(default)]
    pub path: Option<String>,
    #[serde(default, deserialize_with = "short_list::<MAX_LIST, _, _>")]
    pub tags: Vec<String>,
    #[serde(default, rename = "content_summary")]
    pub summary: Option<String>,
    #[serde(default, rename = "summary_timestamp")]
    pub summary_at: Option<String>,
    #[serde(default, deserialize_with = "short_list::<MAX_LIST, _, _>")]
    pub domain_refs: Vec<Reference>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    pub domain: String,
    pub node_id: String,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub bidirectional: bool,
}

#[derive(Deserialize)]
pub struct Edge {
    pub source: String,
    pub target: String,
    #[serde(rename = "type")]
    pub link_type: String,
    pub strength: f64,
    #[serde(default)]
    pub timestamp: Option<String>,
}

/// The error of a file or a folder whose records take too much memory.
pub fn too_large() -> Error {
    let most = MAX_HELD_BYTES >> 20;
    let message = format!(
        "The records of Memory Graph take more than {most} MB in memory: import its files one by one"
    );
    Error::UnknownSource { message }
}

/// Parses a file; `None` for other formats.
///
/// # Errors
/// [`Error::UnreadableSource`]; [`Error::UnknownSource`] if its records take too much memory.
pub fn read(source: &mut dyn Source, path: &str) -> Result<Option<File>> {
    let unreadable = |reason| Error::UnreadableSource { path: path.to_owned(), reason };
    let mut sequence = Sequence::of_text(source).map_err(unreadable)?;
    let mut reader = std::io::BufReader::new(&mut sequence);
    let file = serde_json::from_reader::<_, File>(&mut reader);
    match file {
        Ok(File::Domains(domains)) if domains.0.is_empty() => Ok(None),
        Ok(file) => Ok(Some(file)),
        Err(error) if error.is_io() => {
            let reason = sequence.failure().unwrap_or_else(|| error.to_string());
            Err(Error::UnreadableSource { path: path.to_owned(), reason })
        }
        Err(error) if error.to_string().starts_with(IS_TOO_LARGE) => Err(too_large()),
        Err(_) => Ok(None),
    }
}
