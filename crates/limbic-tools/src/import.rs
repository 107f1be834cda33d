//! Importing other memories. Which one it is shows in the content, never in the file's name.
//!
//! Text is read line by line and stored some megabytes at a time, each such part in a transaction of its own: others
//! can write in between, and the memory needed does not grow with the file. An import that is interrupted leaves
//! whole parts behind; running it again recognises them and stores the rest. A database is merged in one transaction.

mod batches;
mod database;
mod jsonl;
mod limbic;
mod lines;
mod log;
mod memory_graph;
mod memory_mcp_server;
mod sniff;

use limbic_core::{Result, records::Outcome};

use crate::{context::Context, source::Source};
use sniff::Format;

/// How many reasons an answer lists.
const MAX_PROBLEMS: usize = 20;

/// The most characters of a reason that quotes the file.
const REASON_CHARACTERS: usize = 300;

/// What an import did.
#[derive(Debug, Default, Clone)]
pub struct Report {
    /// Entities created or updated.
    pub entities: u64,
    /// Observations that were new.
    pub observations: u64,
    /// Relations that were new.
    pub relations: u64,
    /// Reflections that were new.
    pub reflections: u64,
    /// Memories that were new or changed.
    pub memories: u64,
    /// Domains that were new.
    pub domains: u64,
    /// Links between memories that were new.
    pub links: u64,
    /// What failed.
    pub errors: u64,
    /// What was passed over.
    pub skipped: u64,
    /// The first reasons.
    pub problems: Vec<String>,
}

impl Report {
    fn skip(&mut self, reason: impl FnOnce() -> String) {
        self.skipped += 1;
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(reason().chars().take(REASON_CHARACTERS).collect());
        }
    }

    /// Counts what became of a record. `place` says where it stands.
    fn count(&mut self, kind: &str, outcome: Outcome, place: impl FnOnce() -> String) {
        match (kind, outcome) {
            (_, Outcome::Refused(reason)) => self.skip(|| format!("{}: {reason}", place())),
            ("entity", _) => self.entities += 1,
            (
                "observation" | "relation" | "reflection" | "memory" | "memory_edge" | "memory_reference",
                Outcome::Known,
            ) => self.skipped += 1,
            ("observation", Outcome::Added) => self.observations += 1,
            ("relation", Outcome::Added) => self.relations += 1,
            ("reflection", Outcome::Added) => self.reflections += 1,
            ("memory", _) => self.memories += 1,
            ("domain", Outcome::Added) => self.domains += 1,
            ("memory_edge" | "memory_reference", Outcome::Added) => self.links += 1,
            _ => {}
        }
    }
}

/// Imports a file or a folder, or rehearses it. Answers the format's name and what was done.
///
/// # Errors
/// [`limbic_core::Error::UnknownSource`] when the content is of no known system; those of reading and storing.
pub fn run(
    context: &mut Context<'_>,
    source: &mut dyn Source,
    path: &str,
    dry_run: bool,
) -> Result<(&'static str, Report)> {
    if source.files().is_some() {
        return Ok(("memory-graph", memory_graph::import_folder(context, source, path, dry_run)?));
    }
    Ok(match sniff::format(source, path)? {
        Format::Database => database::import(context, source, path, dry_run)?,
        Format::ServerMemory => ("server-memory", jsonl::import(context, source, path, dry_run)?),
        Format::MemoryMcpServer => {
            ("memory-mcp-server", memory_mcp_server::import(context, source, path, dry_run)?)
        }
        Format::MemoryGraph => ("memory-graph", memory_graph::import(context, source, path, dry_run)?),
        Format::Limbic => ("limbic", limbic::import(context, source, path, dry_run)?),
    })
}
