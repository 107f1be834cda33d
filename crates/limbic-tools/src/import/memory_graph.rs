//! Files of Memory Graph's JSON folder: `domains.json`, `persistence.json`, and for each domain a file in `memories`. A
//! shell passes one file, so each is imported for itself: the domains first, or else their names are their ids.

use limbic_core::{
    Error, Memory as Database, Result, Unit,
    store::exchange::{CurrentDomain, Domain, Memory, MemoryEdge, MemoryReference, Merger, Record},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::Report;
use crate::{
    context::Context,
    source::{Sequence, Source},
};

/// The largest file: it is held in memory.
const BYTES_MAX: u64 = 256 * 1024 * 1024;

/// The folder of the files that are named after domains.
const FOLDER: &str = "memories";

/// What a file holds.
#[derive(Deserialize)]
#[serde(untagged)]
enum File {
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
struct Domains(std::collections::BTreeMap<String, Info>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Info {
    id: String,
    name: String,
    #[serde(default)]
    description: Option<String>,
    created: String,
    last_access: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    id: String,
    content: String,
    timestamp: String,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default, rename = "content_summary")]
    summary: Option<String>,
    #[serde(default, rename = "summary_timestamp")]
    summary_at: Option<String>,
    #[serde(default)]
    domain_refs: Vec<Reference>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    domain: String,
    node_id: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    bidirectional: bool,
}

#[derive(Deserialize)]
struct Edge {
    source: String,
    target: String,
    #[serde(rename = "type")]
    link_type: String,
    strength: f64,
    #[serde(default)]
    timestamp: Option<String>,
}

/// Whether a file is one of these.
///
/// # Errors
/// [`Error::UnreadableSource`].
pub fn is_known(source: &mut dyn Source, path: &str) -> Result<bool> {
    Ok(source.size() <= BYTES_MAX && read(source, path)?.is_some())
}

/// Imports a file in one transaction; a record that cannot be read is passed over, with its id.
pub fn import(
    context: &mut Context<'_>,
    source: &mut dyn Source,
    path: &str,
    dry_run: bool,
) -> Result<Report> {
    let total = source.size();
    let Some(file) = read(source, path)? else {
        return Err(Error::UnknownSource { message: "The file changed while it was read".into() });
    };
    let mut report = Report::default();
    let work = |unit: &Unit<'_>| {
        let mut merger = Merger::default();
        match &file {
            File::Memories { nodes, edges } => {
                let domain = domain_of(path);
                memories(unit, &mut merger, domain, (nodes, edges), &mut report)?;
            }
            File::State { current_domain, last_access, last_memory_id } => {
                let state = CurrentDomain {
                    domain: current_domain.clone(),
                    last_access: last_access.clone(),
                    last_memory: last_memory_id.clone(),
                };
                put(&state, unit, &mut merger, &mut report, || current_domain.clone())?;
            }
            File::Domains(domains) => {
                for info in domains.0.values() {
                    let domain = Domain {
                        id: info.id.clone(),
                        name: info.name.clone(),
                        description: info.description.clone(),
                        created: Some(info.created.clone()),
                        last_access: Some(info.last_access.clone()),
                    };
                    put(&domain, unit, &mut merger, &mut report, || info.id.clone())?;
                }
            }
        }
        merger.settle(unit)
    };
    run(context.memory, dry_run, work)?;
    (context.progress)(total, total);
    Ok(report)
}

fn run(memory: &mut Database, dry_run: bool, work: impl FnOnce(&Unit<'_>) -> Result<()>) -> Result<()> {
    if dry_run { memory.rehearse(work) } else { memory.write(work) }
}

fn memories(
    unit: &Unit<'_>,
    merger: &mut Merger,
    domain: Option<&str>,
    (nodes, edges): (&Map<String, Value>, &[Value]),
    report: &mut Report,
) -> Result<()> {
    if let Some(id) = domain {
        let made = Domain {
            id: id.to_owned(),
            name: id.to_owned(),
            description: None,
            created: None,
            last_access: None,
        };
        if !limbic_core::store::domains::exists(unit, id)? {
            put(&made, unit, merger, report, || id.to_owned())?;
        }
    }
    let mut references = Vec::new();
    for (key, value) in nodes {
        let Some(node) = one::<Node>(value, report, || format!("node {key}")) else { continue };
        let memory = Memory {
            id: node.id.clone(),
            domain: domain.map(str::to_owned),
            content: node.content,
            path: node.path.unwrap_or_else(|| "/".to_owned()),
            tags: node.tags,
            summary: node.summary,
            summary_at: node.summary_at,
            created_at: Some(node.timestamp),
            ..Memory::default()
        };
        put(&memory, unit, merger, report, || format!("node {key}"))?;
        references.extend(node.domain_refs.into_iter().map(|reference| (node.id.clone(), reference)));
    }
    for (number, value) in edges.iter().enumerate() {
        let place = || format!("edge {}", number + 1);
        let Some(edge) = one::<Edge>(value, report, place) else { continue };
        let edge = MemoryEdge {
            from: edge.source,
            link_type: edge.link_type,
            to: edge.target,
            strength: edge.strength,
            at: edge.timestamp,
            id: None,
            domain: None,
        };
        put(&edge, unit, merger, report, place)?;
    }
    for (from, reference) in references {
        let place = format!("reference of {from}");
        let reference = MemoryReference {
            from,
            domain: domain.unwrap_or_default().to_owned(),
            to: reference.node_id,
            target_domain: reference.domain,
            description: reference.description,
            bidirectional: reference.bidirectional,
        };
        put(&reference, unit, merger, report, || place)?;
    }
    Ok(())
}

fn put<R: Record>(
    record: &R,
    unit: &Unit<'_>,
    merger: &mut Merger,
    report: &mut Report,
    place: impl FnOnce() -> String,
) -> Result<()> {
    let outcome = record.merge(unit, merger)?;
    report.count(R::KIND, outcome, place);
    Ok(())
}

fn one<T: DeserializeOwned>(value: &Value, report: &mut Report, place: impl FnOnce() -> String) -> Option<T> {
    match T::deserialize(value) {
        Ok(found) => Some(found),
        Err(error) => {
            report.skip(|| format!("{}: {error}", place()));
            None
        }
    }
}

/// The domain that a file in the folder of memories is named after. One that lies elsewhere goes to the current one.
fn domain_of(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once(['/', '\\'])?;
    let stem = name.strip_suffix(".json")?;
    let is_there = folder.rsplit(['/', '\\']).next() == Some(FOLDER);
    Some(stem).filter(|stem| is_there && !stem.is_empty())
}

fn read(source: &mut dyn Source, path: &str) -> Result<Option<File>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_in_the_folder_of_memories_are_named_after_domains() {
        assert_eq!(domain_of("/data/memories/work.json"), Some("work"));
        assert_eq!(domain_of("C:\\data\\memories\\work.json"), Some("work"));
        assert_eq!(domain_of("memories/.json"), None);
        assert_eq!(domain_of("/data/work.json"), None);
        assert_eq!(domain_of("work.json"), None);
    }
}
