//! Recognises the format of a file by its content.

use limbic_core::{Error, Result};

use super::{jsonl, lines::Lines, memory_graph, memory_mcp_server};
use crate::{records::Head, source::Source};

/// The first bytes of a SQLite file.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// Number of lines of which one must be readable: the first ones may be damaged.
const LINES: usize = 100;

/// A known format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The reference server's lines.
    ServerMemory,
    /// A database, identified by its tables.
    Database,
    /// Lines of Memory MCP Server.
    MemoryMcpServer,
    /// A file of Memory Graph's folder.
    MemoryGraph,
    /// A Limbic export.
    Limbic,
}

/// Returns the format of a file.
///
/// # Errors
/// [`Error::UnknownSource`] for an unknown format; [`Error::UnreadableSource`].
pub fn format(source: &mut dyn Source, path: &str) -> Result<Format> {
    let mut magic = vec![0; SQLITE_MAGIC.len()];
    let count = source
        .read_at(&mut magic, 0)
        .map_err(|reason| Error::UnreadableSource { path: path.to_owned(), reason })?;
    if magic[..count] == *SQLITE_MAGIC {
        return Ok(Format::Database);
    }
    let mut lines = Lines::new(path);
    let mut seen = 0;
    while let Some(line) = lines.next(source)?.filter(|_| seen < LINES) {
        seen += 1;
        let Ok(bytes) = line.bytes else { continue };
        match serde_json::from_slice::<Head<'_>>(bytes) {
            Ok(head) => return head.check(seen == 1).map(|()| Format::Limbic),
            Err(_) if jsonl::is_known(bytes) => return Ok(Format::ServerMemory),
            Err(_) if memory_mcp_server::is_known(bytes) => return Ok(Format::MemoryMcpServer),
            Err(_) => {}
        }
    }
    if seen > 0 && memory_graph::is_known(source, path)? {
        return Ok(Format::MemoryGraph);
    }
    Err(Error::UnknownSource {
        message: if seen == 0 {
            "The file is empty: there is nothing to import".into()
        } else {
            "Unknown file format: it is neither a Limbic export, nor JSONL of the reference server (one object per \
             line) or of Memory MCP Server, nor a file of Memory Graph's folder (domains.json, \
             persistence.json, memories/*.json), nor a SQLite database of MCP Memory v2, Memory Graph or the SQLite \
             Persistent Memory specification"
                .into()
        },
    })
}
