//! Export in several formats, in chunks, so that the whole need not fit into memory.

mod database;
mod jsonl;
mod markdown;
mod memory_mcp_server;
mod pieces;
mod reading_copy;
mod secrets;

use limbic_core::{Engine, Error, Result, Transaction, model::text::echo};
use serde::Serialize;

use crate::{records, suggest::nearest};
use pieces::Pieces;

pub use pieces::Sink;
pub use reading_copy::{ReadingCopy, reading_copy};

/// The names of the formats: the reference server's file, databases of MCP Memory v2, Memory Graph and the SQLite
/// Persistent Memory specification, JSONL of Memory MCP Server, Markdown, and Limbic's own, which contains everything.
pub const EXPORT_FORMATS: [&str; 7] = [
    "jsonl",
    "mcp-memory-v2",
    "memory-graph",
    "persistent-memory",
    "memory-mcp-server",
    "markdown",
    "limbic",
];

/// The formats that are databases.
pub const DATABASE_FORMATS: [&str; 3] = ["mcp-memory-v2", "memory-graph", "persistent-memory"];

/// The formats without data that has an owner.
const WITHOUT_USERS: [&str; 2] = ["jsonl", "mcp-memory-v2"];

/// The result of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// Number of records: entities, observations and so on.
    pub records: u64,
    /// Number of bytes written.
    pub bytes: u64,
    /// A sentence about data that the format cannot represent.
    pub note: Option<String>,
    /// A sentence with the number of records, by kind, that contain what looks like a credential.
    pub warning: Option<String>,
}

/// Writes a consistent snapshot of the whole database, or the memories of one user without the graph, which has no
/// owner. Blocks other writers until it returns.
///
/// # Errors
/// [`Error::InvalidArgument`] for an unknown format, or a format without owners if a user is given; those of the
/// sink.
pub fn run(memory: &mut Engine, format: &str, user: Option<&str>, sink: Sink<'_>) -> Result<Exported> {
    if !EXPORT_FORMATS.contains(&format) {
        return Err(Error::InvalidArgument {
            message: format!(
                "format must be one of {}, but got {:?}",
                EXPORT_FORMATS.join(", "),
                echo(format)
            ),
            hint: nearest(format, EXPORT_FORMATS).map(|name| format!("Did you mean {name:?}?")),
        });
    }
    if user.is_some() && WITHOUT_USERS.contains(&format) {
        return Err(Error::invalid(format!(
            "The format {format} holds the graph, which has no owner: export a user's memories as limbic, \
             memory-graph, persistent-memory, memory-mcp-server or markdown"
        )));
    }
    memory.read(|tx| {
        let mut pieces = Pieces::new(sink);
        let (records, note) = write(tx, format, user, &mut pieces)?;
        let bytes = pieces.end()?;
        let warning = secrets::warning(tx, user, format)?;
        Ok(Exported { records, bytes, note, warning })
    })
}

fn write(
    tx: &Transaction<'_>,
    format: &str,
    user: Option<&str>,
    pieces: &mut Pieces<'_>,
) -> Result<(u64, Option<String>)> {
    match format {
        "jsonl" => jsonl::write(tx, pieces),
        "mcp-memory-v2" => database::write(tx, pieces),
        "memory-graph" => database::write_memory_graph(tx, user, pieces),
        "persistent-memory" => database::write_persistent_memory(tx, user, pieces),
        "memory-mcp-server" => memory_mcp_server::write(tx, user, pieces),
        "markdown" => markdown::write(tx, user, pieces),
        _ => {
            let records = records::write_all(tx, user, &mut |line| pieces.put(line))?;
            let note = "Only this user's memories with their links and history; the graph has no owner and is left out";
            Ok((records, user.map(|_| note.into())))
        }
    }
}
