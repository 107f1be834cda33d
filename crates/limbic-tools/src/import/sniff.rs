//! Recognises the format of a file by its content.

use limbic_core::{Error, Result};

use super::{
    json_lists::{self, Found, Graph},
    jsonl,
    lines::Lines,
    memory_graph, memory_mcp_server, notes,
    parsed_records::ParsedRecords,
};
use crate::{records::Head, source::Source};

/// Number of bytes of the start that tell some kinds of files.
const START_BYTES: usize = 256;

/// The first bytes of a SQLite file.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// Number of lines of which one must be readable: the first ones may be damaged.
const LINES: usize = 100;

/// A known format.
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
    /// The reference server's graph as one JSON document, converted to its lines.
    Graph(Graph),
    /// Notes or a list of memories, which were read in order to recognise them: the format's name, and the content.
    Parsed(&'static str, Box<ParsedRecords>),
}

impl Format {
    fn parsed((name, parsed): (&'static str, ParsedRecords)) -> Self {
        Self::Parsed(name, Box::new(parsed))
    }
}

/// Returns the format of a file.
///
/// # Errors
/// [`Error::UnknownSource`] for an unknown format; [`Error::UnreadableSource`].
pub fn format(source: &mut dyn Source, path: &str) -> Result<Format> {
    let mut start = vec![0; START_BYTES];
    let count = source
        .read_at(&mut start, 0)
        .map_err(|reason| Error::UnreadableSource { path: path.to_owned(), reason })?;
    start.truncate(count);
    if start.starts_with(SQLITE_MAGIC) {
        return Ok(Format::Database);
    }
    if let Some(message) = obstacle(&start) {
        return Err(Error::UnknownSource { message: message.into() });
    }
    let mut lines = Lines::new(path);
    let (mut seen, mut is_document) = (0, false);
    while let Some(line) = lines.next(source)?.filter(|_| seen < LINES) {
        seen += 1;
        let Ok(bytes) = line.bytes else { continue };
        let first = bytes.trim_ascii_start().first();
        // A text may quote lines of the other formats.
        if seen == 1
            && first.is_some_and(|first| b"#-*>".contains(first))
            && let Some(found) = notes::read(source, path)?
        {
            return Ok(Format::parsed(found));
        }
        // The lines of those formats are objects; serde would take a list for one as well.
        let is_list = first == Some(&b'[');
        match serde_json::from_slice::<Head<'_>>(bytes) {
            Ok(head) if !is_list => return head.check(seen == 1).map(|()| Format::Limbic),
            Err(_) if !is_list && jsonl::is_known(bytes) => return Ok(Format::ServerMemory),
            Err(_) if !is_list && memory_mcp_server::is_known(bytes) => return Ok(Format::MemoryMcpServer),
            // A later line of a document may look like one of those formats.
            _ if seen == 1 && (is_list || first == Some(&b'{')) => {
                if let Some(found) = document(source, path)? {
                    return Ok(found);
                }
                is_document = true;
            }
            _ => {}
        }
    }
    if is_document && let Some(found) = json_lists::read_lines(source, path)? {
        return Ok(Format::parsed(found));
    }
    if seen > 0
        && let Some(found) = notes::read(source, path)?
    {
        return Ok(Format::parsed(found));
    }
    if is_document && let Some(message) = json_lists::obstacle(source, path)? {
        return Err(Error::UnknownSource { message });
    }
    Err(Error::UnknownSource {
        message: if seen == 0 {
            "The file is empty: there is nothing to import".into()
        } else {
            "Unknown file format: it is neither a Limbic export, nor JSONL of the reference server (one object per \
             line) or of Memory MCP Server, nor a file of Memory Graph's folder (domains.json, \
             persistence.json, memories/*.json), nor a SQLite database of MCP Memory v2, Memory Graph, \
             mcp-memory-service or the SQLite Persistent Memory specification, nor JSON of mem0, Letta, \
             mcp-memory-service or Claude, nor Markdown with headings, lists or front matter"
                .into()
        },
    })
}

/// Recognises a JSON document.
fn document(source: &mut dyn Source, path: &str) -> Result<Option<Format>> {
    if memory_graph::is_known(source, path)? {
        return Ok(Some(Format::MemoryGraph));
    }
    Ok(json_lists::read(source, path)?.map(|found| match found {
        Found::Memories(name, parsed) => Format::Parsed(name, parsed),
        Found::Graph(graph) => Format::Graph(graph),
    }))
}

/// Returns what to do with a file of a kind that contains no memories itself: a sentence for people.
fn obstacle(start: &[u8]) -> Option<&'static str> {
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        return Some(
            "The file is a ZIP archive: unpack it, then import the file of memories in it, such as memories.json, or \
             the folder of notes",
        );
    }
    if start.starts_with(b"\x1f\x8b") {
        return Some("The file is compressed with gzip: unpack it, then import the file in it");
    }
    if start.starts_with(b"%PDF-") {
        return Some("The file is a PDF: save its text as Markdown or plain text, then import that");
    }
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let is_html = [&b"<!doctype html"[..], b"<html"]
        .iter()
        .any(|tag| start.get(..tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag)));
    is_html.then_some(
        "The file is a page of HTML: copy the memories that it shows to a text file, one per line with \"- \" before \
         it, and import that",
    )
}
