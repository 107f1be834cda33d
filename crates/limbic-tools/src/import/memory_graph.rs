//! Memory Graph's JSON folder: `domains.json`, `persistence.json`, and one file per domain in `memories`. It is
//! imported as a whole or file by file, domains first; otherwise their names are their ids.

mod file;

use std::{collections::VecDeque, rc::Rc};

use super::{
    parts::{InParts, Parts},
    report::Report,
};
use crate::{
    context::Context,
    source::{Part, Source},
};
use file::{Edge, File, Info, Node, Parsed, Reference};
use limbic_core::{
    Error, Result, Transaction,
    model::text::echo,
    records::{CurrentDomain, Domain, Memory, MemoryEdge, MemoryReference, Merger, Record},
    store::domains,
};

/// Maximum size of a file, or of all files of a folder, which are held in memory.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Maximum number of records of a part.
const MAX_PART_RECORDS: usize = 2000;

/// The folder of the files named after domains.
const FOLDER: &str = "memories";

/// Whether a file has this format.
///
/// # Errors
/// [`Error::UnreadableSource`].
pub fn is_known(source: &mut dyn Source, path: &str) -> Result<bool> {
    Ok(source.size() <= MAX_BYTES && file::read(source, path)?.is_some())
}

/// Reads a file. Returns the import, which does not need the source any more: unreadable records are skipped and
/// reported by id.
///
/// # Errors
/// [`Error::UnreadableSource`].
pub fn begin(context: &Context<'_>, source: &mut dyn Source, path: &str) -> Result<InParts> {
    let Some(file) = file::read(source, path)? else {
        return Err(Error::UnknownSource { message: "The file changed while it was read".into() });
    };
    let mut folder = Folder::default();
    folder.take(file, path, "")?;
    Ok(folder.begin(context, path, source.size(), Report::default()))
}

/// Reads all files of a folder, in any order; files of other formats are skipped. Returns the import, which does not
/// need the source any more.
///
/// # Errors
/// [`Error::UnknownSource`] if no file has this format, or they are too large; [`Error::UnreadableSource`].
pub fn begin_folder(context: &Context<'_>, source: &mut dyn Source, path: &str) -> Result<InParts> {
    let total = source.size();
    if total > MAX_BYTES {
        let message = format!(
            "The JSON files of this folder have more than {} MB together: import them one by one, domains.json first",
            MAX_BYTES >> 20
        );
        return Err(Error::UnknownSource { message });
    }
    let (mut folder, mut report, mut offset) = (Folder::default(), Report::default(), 0);
    let mut unreadable = None;
    for found in source.files().unwrap_or_default().to_vec() {
        let mut part = Part::new(source, offset, found.size_bytes);
        match file::read(&mut part, &format!("{path}/{}", found.path))? {
            Some(read) => folder.take(read, &format!("{path}/{}", found.path), &found.path)?,
            None => {
                if unreadable.is_none() && has_known_name(&found.path) {
                    unreadable = Some(found.path.clone());
                }
                report.skip(|| format!("{}: not a file of Memory Graph", found.path));
            }
        }
        offset += found.size_bytes;
    }
    if let (true, Some(name)) = (folder.is_empty(), unreadable) {
        let message = format!(
            "Unknown content of {}: Memory Graph writes JSON with domains by id to domains.json, currentDomain to \
             persistence.json, and nodes and edges to memories/*.json",
            echo(&name)
        );
        return Err(Error::UnknownSource { message });
    }
    if folder.is_empty() {
        return Err(Error::UnknownSource {
            message:
                "Unknown folder format: it contains no file of Memory Graph (domains.json, persistence.json, \
                memories/*.json). For another format, give the path of a file"
                    .into(),
        });
    }
    Ok(folder.begin(context, path, total, report))
}

/// Whether a file of a folder is named as one of Memory Graph.
fn has_known_name(path: &str) -> bool {
    ["domains.json", "persistence.json"].contains(&path) || path.starts_with("memories/")
}

/// The files read.
#[derive(Default)]
struct Folder {
    domains: Vec<Info>,
    memories: Vec<InDomain>,
    states: Vec<CurrentDomain>,
    /// What the memories take.
    held_bytes: usize,
}

/// The memories of a domain.
struct InDomain {
    /// `None` for the current one.
    domain: Option<String>,
    nodes: Vec<(String, Parsed<Node>)>,
    edges: Vec<Parsed<Edge>>,
    /// Prefix of each record's location.
    location: String,
}

impl Folder {
    /// Adds a file. `location` is its name in reports.
    fn take(&mut self, file: File, path: &str, location: &str) -> Result<()> {
        match file {
            File::Domains(domains) => self.domains.extend(domains.0.into_values()),
            File::Memories { nodes, edges, held_bytes } => {
                self.held_bytes += held_bytes;
                if self.held_bytes > file::MAX_HELD_BYTES {
                    return Err(file::too_large());
                }
                self.memories.push(InDomain {
                    domain: domain_of(path).map(str::to_owned),
                    nodes,
                    edges,
                    location: if location.is_empty() { String::new() } else { format!("{location}: ") },
                });
            }
            File::State { current_domain, last_access, last_memory_id } => self.states.push(CurrentDomain {
                domain: current_domain,
                last_access,
                last_memory: last_memory_id,
            }),
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.domains.is_empty() && self.memories.is_empty() && self.states.is_empty()
    }

    fn begin(self, context: &Context<'_>, path: &str, size_bytes: u64, report: Report) -> InParts {
        let count = self.domains.len()
            + self.states.len()
            + self.memories.iter().map(|memories| memories.nodes.len() + memories.edges.len()).sum::<usize>();
        let records = Records {
            rest: Box::new(self.into_records()),
            merger: context.merger(),
            references: VecDeque::new(),
            are_nodes_stored: false,
            stored: 0,
            count,
        };
        InParts::new(context, ("memory-graph", path), size_bytes, Box::new(records), report)
    }

    /// The records in the order of storage: referenced ones first.
    fn into_records(self) -> impl Iterator<Item = Found> {
        let domains = self.domains.into_iter().map(Found::Domain);
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        for memories in self.memories {
            let InDomain { domain, nodes: own_nodes, edges: own_edges, location } = memories;
            let (domain, location) = (Rc::new(domain), Rc::<str>::from(location));
            let of_edges = Rc::clone(&location);
            edges.push(own_edges.into_iter().enumerate().map(move |(index, edge)| Found::Edge {
                location: Rc::clone(&of_edges),
                number: index + 1,
                edge,
            }));
            let named = domain.as_ref().clone().map(Found::DomainOfFile);
            nodes.push(named.into_iter().chain(own_nodes.into_iter().map(move |(key, node)| Found::Node {
                domain: Rc::clone(&domain),
                location: Rc::clone(&location),
                key,
                node,
            })));
        }
        let states = self.states.into_iter().map(Found::State);
        domains
            .chain(nodes.into_iter().flatten())
            .chain(edges.into_iter().flatten())
            .chain(std::iter::once(Found::References))
            .chain(states)
    }
}

/// A record that was read, or the position of others.
enum Found {
    Domain(Info),
    /// The domain that a file is named after, which may be missing in the list of domains.
    DomainOfFile(String),
    Node {
        domain: Rc<Option<String>>,
        location: Rc<str>,
        key: String,
        node: Parsed<Node>,
    },
    Edge {
        location: Rc<str>,
        number: usize,
        edge: Parsed<Edge>,
    },
    /// The references of the nodes, which are all stored.
    References,
    State(CurrentDomain),
}

/// A reference of a stored node.
struct Referred {
    from: String,
    domain: Rc<Option<String>>,
    location: Rc<str>,
    reference: Reference,
}

/// The records of the files.
struct Records {
    rest: Box<dyn Iterator<Item = Found>>,
    merger: Merger,
    /// References of the nodes stored so far.
    references: VecDeque<Referred>,
    /// Whether the references come next.
    are_nodes_stored: bool,
    /// Number of records stored, and of all without references.
    stored: usize,
    count: usize,
}

impl Parts for Records {
    fn store(&mut self, tx: &Transaction<'_>, report: &mut Report) -> Result<bool> {
        let mut put = Put { tx, merger: &mut self.merger, report, references: &mut self.references };
        let mut is_more = true;
        for _ in 0..MAX_PART_RECORDS {
            if self.are_nodes_stored
                && let Some(referred) = put.references.pop_front()
            {
                put.reference(referred)?;
                continue;
            }
            match self.rest.next() {
                Some(Found::References) => self.are_nodes_stored = true,
                Some(found) => put.found(found)?,
                None => {
                    is_more = false;
                    break;
                }
            }
            self.stored += 1;
        }
        self.merger.flush(tx)?;
        Ok(is_more)
    }

    fn progress(&self) -> (usize, usize) {
        (self.stored.min(self.count), self.count)
    }
}

/// The target of records, and their outcomes.
struct Put<'a> {
    tx: &'a Transaction<'a>,
    merger: &'a mut Merger,
    report: &'a mut Report,
    references: &'a mut VecDeque<Referred>,
}

impl Put<'_> {
    fn found(&mut self, found: Found) -> Result<()> {
        match found {
            Found::Domain(info) => {
                let domain = Domain {
                    id: info.id.clone(),
                    name: info.name,
                    description: info.description,
                    created: Some(info.created),
                    last_access: Some(info.last_access),
                };
                self.record(&domain, || info.id)
            }
            Found::DomainOfFile(id) => {
                if domains::find(self.tx, &id)?.is_some() {
                    return Ok(());
                }
                let domain = Domain {
                    id: id.clone(),
                    name: id.clone(),
                    description: None,
                    created: None,
                    last_access: None,
                };
                self.record(&domain, || id)
            }
            Found::Node { domain, location, key, node } => self.node(domain, location, &key, node),
            Found::Edge { location, number, edge } => self.edge(&format!("{location}edge {number}"), edge),
            Found::References => Ok(()),
            Found::State(state) => self.record(&state, || state.domain.clone()),
        }
    }

    fn node(
        &mut self,
        domain: Rc<Option<String>>,
        location: Rc<str>,
        key: &str,
        node: Parsed<Node>,
    ) -> Result<()> {
        let Some(node) = self.readable(node, || format!("{location}node {key}")) else { return Ok(()) };
        let memory = Memory {
            id: node.id.clone(),
            domain: domain.as_ref().clone(),
            content: node.content,
            path: node.path.unwrap_or_else(|| "/".to_owned()),
            tags: node.tags,
            summary: node.summary,
            summary_at: node.summary_at,
            created_at: Some(node.timestamp),
            ..Memory::default()
        };
        self.record(&memory, || format!("{location}node {key}"))?;
        self.references.extend(node.domain_refs.into_iter().map(|reference| Referred {
            from: node.id.clone(),
            domain: Rc::clone(&domain),
            location: Rc::clone(&location),
            reference,
        }));
        Ok(())
    }

    fn edge(&mut self, location: &str, edge: Parsed<Edge>) -> Result<()> {
        let Some(edge) = self.readable(edge, || location.to_owned()) else { return Ok(()) };
        let edge = MemoryEdge {
            from: edge.source,
            link_type: edge.link_type,
            to: edge.target,
            strength: edge.strength,
            at: edge.timestamp,
            id: None,
            domain: None,
        };
        self.record(&edge, || location.to_owned())
    }

    fn reference(&mut self, referred: Referred) -> Result<()> {
        let Referred { from, domain, location, reference } = referred;
        let location = format!("{location}reference of {from}");
        let reference = MemoryReference {
            from,
            domain: domain.as_ref().clone().unwrap_or_default(),
            to: reference.node_id,
            target_domain: reference.domain,
            description: reference.description,
            bidirectional: reference.bidirectional,
        };
        self.record(&reference, || location)
    }

    fn record<R: Record>(&mut self, record: &R, location: impl FnOnce() -> String) -> Result<()> {
        let outcome = record.merge(self.tx, self.merger)?;
        self.report.count(R::KIND, outcome, location);
        Ok(())
    }

    fn readable<T>(&mut self, parsed: Parsed<T>, location: impl FnOnce() -> String) -> Option<T> {
        match parsed {
            Ok(found) => Some(*found),
            Err(error) => {
                self.report.skip(|| format!("{}: {error}", location()));
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
