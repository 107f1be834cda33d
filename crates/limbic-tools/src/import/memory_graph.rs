//! Memory Graph's JSON folder: `domains.json`, `persistence.json`, and one file per domain in `memories`. It is
//! imported as a whole or file by file, domains first; otherwise their names are their ids.

mod file;

use super::{Report, log::Log};
use crate::{
    context::Context,
    source::{Part, Source},
};
use file::{Edge, File, Info, Node, Parsed, Reference};
use limbic_core::{
    Error, Result, Transaction,
    records::{CurrentDomain, Domain, Memory, MemoryEdge, MemoryReference, Merger, Record},
    store::domains,
};

/// Maximum size of a file, or of all files of a folder, which are held in memory.
const BYTES_MAX: u64 = 256 * 1024 * 1024;

/// The folder of the files named after domains.
const FOLDER: &str = "memories";

/// Whether a file has this format.
///
/// # Errors
/// [`Error::UnreadableSource`].
pub fn is_known(source: &mut dyn Source, path: &str) -> Result<bool> {
    Ok(source.size() <= BYTES_MAX && file::read(source, path)?.is_some())
}

/// Imports a file in one transaction; unreadable records are skipped and reported by id.
///
/// # Errors
/// [`Error::UnreadableSource`]; errors of the database.
pub fn import(
    context: &mut Context<'_>,
    source: &mut dyn Source,
    path: &str,
    dry_run: bool,
) -> Result<Report> {
    let total = source.size();
    let Some(file) = file::read(source, path)? else {
        return Err(Error::UnknownSource { message: "The file changed while it was read".into() });
    };
    let mut folder = Folder::default();
    folder.take(file, path, "");
    let report = folder.import(context, path, dry_run, Report::default())?;
    (context.progress)(total, total);
    Ok(report)
}

/// Imports all files of a folder in one transaction, in any order; files of other formats are skipped.
///
/// # Errors
/// [`Error::UnknownSource`] if no file has this format, or they are too large; [`Error::UnreadableSource`]; errors of
/// the database.
pub fn import_folder(
    context: &mut Context<'_>,
    source: &mut dyn Source,
    path: &str,
    dry_run: bool,
) -> Result<Report> {
    let total = source.size();
    if total > BYTES_MAX {
        let message = format!(
            "The JSON files of this folder have more than {} MB together: import them one by one, domains.json first",
            BYTES_MAX >> 20
        );
        return Err(Error::UnknownSource { message });
    }
    let (mut folder, mut report, mut offset) = (Folder::default(), Report::default(), 0);
    for found in source.files().unwrap_or_default().to_vec() {
        let mut part = Part::new(source, offset, found.size_bytes);
        match file::read(&mut part, &format!("{path}/{}", found.path))? {
            Some(read) => folder.take(read, &format!("{path}/{}", found.path), &found.path),
            None => report.skip(|| format!("{}: not a file of Memory Graph", found.path)),
        }
        offset += found.size_bytes;
        (context.progress)(offset, total);
    }
    if folder.is_empty() {
        return Err(Error::UnknownSource {
            message:
                "Unknown folder format: it contains no file of Memory Graph (domains.json, persistence.json, \
                memories/*.json). For another format, give the path of a file"
                    .into(),
        });
    }
    folder.import(context, path, dry_run, report)
}

/// The records read, in the order of storage: referenced records first.
#[derive(Default)]
struct Folder {
    domains: Vec<Info>,
    memories: Vec<InDomain>,
    states: Vec<CurrentDomain>,
}

/// The memories of a domain.
struct InDomain {
    /// `None` for the current one.
    domain: Option<String>,
    nodes: Vec<(String, Parsed<Node>)>,
    edges: Vec<Parsed<Edge>>,
    /// Prefix of each record's location.
    place: String,
}

impl Folder {
    /// Adds a file. `place` names it.
    fn take(&mut self, file: File, path: &str, place: &str) {
        match file {
            File::Domains(domains) => self.domains.extend(domains.0.into_values()),
            File::Memories { nodes, edges } => self.memories.push(InDomain {
                domain: domain_of(path).map(str::to_owned),
                nodes,
                edges,
                place: if place.is_empty() { String::new() } else { format!("{place}: ") },
            }),
            File::State { current_domain, last_access, last_memory_id } => self.states.push(CurrentDomain {
                domain: current_domain,
                last_access,
                last_memory: last_memory_id,
            }),
        }
    }

    fn is_empty(&self) -> bool {
        self.domains.is_empty() && self.memories.is_empty() && self.states.is_empty()
    }

    fn import(
        self,
        context: &mut Context<'_>,
        path: &str,
        dry_run: bool,
        mut report: Report,
    ) -> Result<Report> {
        let merger = context.merger();
        let mut log = Log::new(context, "memory-graph", path);
        let work = |tx: &Transaction<'_>| {
            let mut put = Put { tx, merger, report: &mut report };
            self.store(&mut put)?;
            put.merger.flush(tx)?;
            log.note(tx, &report)
        };
        if dry_run { context.memory.dry_run(work) } else { context.memory.write(work) }?;
        Ok(report)
    }

    fn store(self, put: &mut Put<'_>) -> Result<()> {
        for info in &self.domains {
            let domain = Domain {
                id: info.id.clone(),
                name: info.name.clone(),
                description: info.description.clone(),
                created: Some(info.created.clone()),
                last_access: Some(info.last_access.clone()),
            };
            put.record(&domain, || info.id.clone())?;
        }
        let mut references = Vec::with_capacity(self.memories.len());
        let mut links = Vec::with_capacity(self.memories.len());
        for mut memories in self.memories {
            references.push(memories.store_nodes(put)?);
            links.push(memories);
        }
        for (memories, references) in links.into_iter().zip(references) {
            memories.store_links(put, references)?;
        }
        self.states.iter().try_for_each(|state| put.record(state, || state.domain.clone()))
    }
}

impl InDomain {
    /// Stores the memories. Returns their references to other domains, each with the id of its memory.
    fn store_nodes(&mut self, put: &mut Put<'_>) -> Result<Vec<(String, Reference)>> {
        if let Some(id) = &self.domain
            && domains::find(put.tx, id)?.is_none()
        {
            let domain = Domain {
                id: id.clone(),
                name: id.clone(),
                description: None,
                created: None,
                last_access: None,
            };
            put.record(&domain, || id.clone())?;
        }
        let mut references = Vec::new();
        for (key, node) in std::mem::take(&mut self.nodes) {
            let place = || format!("{}node {key}", self.place);
            let Some(node) = put.readable(node, place) else { continue };
            let memory = Memory {
                id: node.id.clone(),
                domain: self.domain.clone(),
                content: node.content,
                path: node.path.unwrap_or_else(|| "/".to_owned()),
                tags: node.tags,
                summary: node.summary,
                summary_at: node.summary_at,
                created_at: Some(node.timestamp),
                ..Memory::default()
            };
            put.record(&memory, place)?;
            references.extend(node.domain_refs.into_iter().map(|reference| (node.id.clone(), reference)));
        }
        Ok(references)
    }

    fn store_links(self, put: &mut Put<'_>, references: Vec<(String, Reference)>) -> Result<()> {
        for (number, edge) in self.edges.into_iter().enumerate() {
            let place = || format!("{}edge {}", self.place, number + 1);
            let Some(edge) = put.readable(edge, place) else { continue };
            let edge = MemoryEdge {
                from: edge.source,
                link_type: edge.link_type,
                to: edge.target,
                strength: edge.strength,
                at: edge.timestamp,
                id: None,
                domain: None,
            };
            put.record(&edge, place)?;
        }
        for (from, reference) in references {
            let place = format!("{}reference of {from}", self.place);
            let reference = MemoryReference {
                from,
                domain: self.domain.clone().unwrap_or_default(),
                to: reference.node_id,
                target_domain: reference.domain,
                description: reference.description,
                bidirectional: reference.bidirectional,
            };
            put.record(&reference, || place)?;
        }
        Ok(())
    }
}

/// The target of records, and their outcomes.
struct Put<'a> {
    tx: &'a Transaction<'a>,
    merger: Merger,
    report: &'a mut Report,
}

impl Put<'_> {
    fn record<R: Record>(&mut self, record: &R, place: impl FnOnce() -> String) -> Result<()> {
        let outcome = record.merge(self.tx, &mut self.merger)?;
        self.report.count(R::KIND, outcome, place);
        Ok(())
    }

    fn readable<T>(&mut self, parsed: Parsed<T>, place: impl FnOnce() -> String) -> Option<T> {
        match parsed {
            Ok(found) => Some(*found),
            Err(error) => {
                self.report.skip(|| format!("{}: {error}", place()));
                None
            }
        }
    }
}

/// Returns the domain named by a file in the folder of memories; `None`, the current domain, for other files.
fn domain_of(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once(['/', '\\'])?;
    let stem = name.strip_suffix(".json")?;
    let is_there = folder.rsplit(['/', '\\']).next() == Some(FOLDER);
    Some(stem).filter(|stem| is_there && !stem.is_empty())
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
