//! Files of Memory Graph's JSON folder.

use std::collections::BTreeMap;

use limbic_core::{Error, Result};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::source::{Sequence, Source};

/// The content of a file.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum File {
    /// The memories of a domain.
    Memories { nodes: Map<String, Value>, edges: Vec<Value> },
    /// The current domain.
    #[serde(rename_all = "camelCase")]
    State {
        current_domain: String,
        #[serde(default)]
        last_access: Option<String>,
        #[serde(default)]
        last_memory_id: Option<String>,
    },
    /// Domains by their ids.
    Domains(Domains),
}

#[derive(Deserialize)]
#[serde(transparent)]
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
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default, rename = "content_summary")]
    pub summary: Option<String>,
    #[serde(default, rename = "summary_timestamp")]
    pub summary_at: Option<String>,
    #[serde(default)]
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
