//! Importing the memories of other systems. Which one it is shows in the content, never in the file's name.

mod database;
mod jsonl;

use limbic_core::{Error, Result};

use crate::context::Context;

/// How many reasons an answer lists.
const MAX_PROBLEMS: usize = 20;

/// What the bytes of a SQLite file begin with.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// What an import did.
#[derive(Debug, Default, Clone)]
pub struct Report {
    /// Entities created or updated.
    pub entities: u64,
    /// Observations that were new.
    pub observations: u64,
    /// Relations that were new.
    pub relations: u64,
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
            self.problems.push(reason());
        }
    }
}

/// Imports a file, or rehearses it. Answers the format's name and what was done.
///
/// # Errors
/// [`Error::UnknownSource`] when the content is of no known system.
pub fn run(context: &mut Context<'_>, file: &[u8], dry_run: bool) -> Result<(&'static str, Report)> {
    if file.starts_with(SQLITE_MAGIC) {
        return Ok(("mcp-memory-v2", database::import(context, file, dry_run)?));
    }
    let first = file.iter().find(|byte| !byte.is_ascii_whitespace());
    if file.is_empty() || first == Some(&b'{') {
        return Ok(("server-memory", jsonl::import(context, file, dry_run)?));
    }
    Err(Error::UnknownSource {
        message: "The file is of no known system: it is neither the reference server's JSONL (one object a line) nor a \
                  SQLite database of MCP Memory v2"
            .into(),
    })
}
