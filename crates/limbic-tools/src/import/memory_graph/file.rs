//! Files of Memory Graph's JSON folder.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use limbic_core::{Error, Result};
use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::source::{Sequence, Source};

/// Maximum number of records that cannot be read: a file with more is of another format, and keeping them takes memory.
const MAX_UNREADABLE: usize = 10_000;

/// Maximum number of tags or references of a memory.
const MAX_LIST: usize = 10_000;

/// The content of a file.
pub enum File {
    /// The memories of a domain.
    Memories { nodes: Vec<(String, Parsed<Node>)>, edges: Vec<Parsed<Edge>> },
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
                "nodes" => nodes = Some(map.next_value::<Nodes>()?.0),
                "edges" => edges = Some(map.next_value::<Edges>()?.0),
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
        if let (Some(nodes), Some(edges)) = (nodes, edges) {
            return Ok(File::Memories { nodes, edges });
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

/// Counts the records that cannot be read.
#[derive(Default)]
struct Parser {
    unreadable: usize,
}

impl Parser {
    fn parse<T: DeserializeOwned, E: de::Error>(
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
        Ok(parsed)
    }
}

struct Nodes(Vec<(String, Parsed<Node>)>);

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
                Ok(Nodes(nodes))
            }
        }
        deserializer.deserialize_map(NodesVisitor)
    }
}

struct Edges(Vec<Parsed<Edge>>);

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
                Ok(Edges(edges))
            }
        }
        deserializer.deserialize_seq(EdgesVisitor)
    }
}

/// Reads a list of at most [`MAX_LIST`] elements.
fn short_list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<T>, D::Error> {
    struct ListVisitor<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
        type Value = Vec<T>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(formatter, "a list of at most {MAX_LIST} elements")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Vec<T>, A::Error> {
            let mut found = Vec::new();
            while let Some(element) = list.next_element()? {
                if found.len() == MAX_LIST {
                    return Err(de::Error::invalid_length(MAX_LIST + 1, &self));
                }
                found.push(element);
            }
            Ok(found)
        }
    }
    deserializer.deserialize_seq(ListVisitor(PhantomData))
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
    #[serde(default, deserialize_with = "short_list")]
    pub tags: Vec<String>,
    #[serde(default, rename = "content_summary")]
    pub summary: Option<String>,
    #[serde(default, rename = "summary_timestamp")]
    pub summary_at: Option<String>,
    #[serde(default, deserialize_with = "short_list")]
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

/// Parses a file; `None` for other formats.
///
/// # Errors
/// [`Error::UnreadableSource`].
pub fn read(source: &mut dyn Source, path: &str) -> Result<Option<File>> {
    let mut sequence = Sequence::new(source);
    let mut reader = std::io::BufReader::new(&mut sequence);
    let file = serde_json::from_reader::<_, File>(&mut reader);
    match file {
        Ok(File::Domains(domains)) if domains.0.is_empty() => Ok(None),
        Ok(file) => Ok(Some(file)),
        Err(error) if error.is_io() => {
            let reason = sequence.failure().unwrap_or_else(|| error.to_string());
            Err(Error::UnreadableSource { path: path.to_owned(), reason })
        }
        Err(_) => Ok(None),
    }
}
