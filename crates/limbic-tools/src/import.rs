//! Import. The format is recognised by the content, never by the file's name.
//!
//! Text is read line by line and stored in batches of some megabytes, each in its own transaction: other calls can
//! run between two steps, and memory use does not grow with the file. An interrupted import leaves complete batches;
//! running it again recognises them and stores the rest. A database and Memory Graph's files are read as a whole and
//! stored in parts in the same way. Notes, lists of memories and a dry run are one transaction, and so one step.

mod batches;
mod database;
mod parsed_records;
mod json_lists;
mod jsonl;
mod limbic;
mod lines;
mod log;
mod memory_graph;
mod memory_mcp_server;
mod notes;
mod parts;
mod report;
mod short_list;
mod sniff;

use limbic_core::{Error, Result, store::origins::Origin};

use crate::{context::Context, source::Source};
use batches::Batches;
use parsed_records::ParsedRecords;
use parts::InParts;
use report::interrupted;
use sniff::Format;

pub use report::Report;

/// The name of the reference server's format.
const SERVER_MEMORY: &str = "server-memory";

/// The name of Memory Graph's format.
const MEMORY_GRAPH: &str = "memory-graph";

/// An import or its dry run, of a file or a folder, in steps.
pub struct Import {
    path: String,
    dry_run: bool,
    /// The origin of imported records, once the import has begun.
    origin: Option<Origin>,
    /// The format's name, and the rest to store, once it has begun.
    rest: Option<(&'static str, Rest)>,
}

impl Import {
    /// Creates an import; reads nothing yet.
    pub fn new(path: String, dry_run: bool) -> Self {
        Self { path, dry_run, origin: None, rest: None }
    }

    /// Returns the label of the origin of imported records.
    pub fn label(&self) -> Option<String> {
        self.origin.as_ref().map(Origin::label)
    }

    /// Runs the next step, with the same source each time. Returns the format's name and the result after the last
    /// one.
    ///
    /// # Errors
    /// [`Error::UnknownSource`] for an unknown format; errors of reading and storing, in an
    /// [`Error::ImportInterrupted`] if some batches were stored before.
    pub fn step(
        &mut self,
        context: &mut Context<'_>,
        source: &mut dyn Source,
    ) -> Result<Option<(&'static str, Report)>> {
        let (_, rest) = match &mut self.rest {
            Some(begun) => begun,
            none => {
                self.origin = context.import_origin(&self.path);
                context.import.clone_from(&self.origin);
                none.insert(begin(context, source, &self.path)?)
            }
        };
        // It stays here meanwhile: after a panic it is asked what is stored.
        if self.dry_run {
            rest.dry_run(context, source)?;
        } else if rest.step(context, source)? {
            return Ok(None);
        }
        Ok(self.rest.take().map(|(format, rest)| (format, rest.into_report())))
    }

    /// Returns the error for an import that is stopped here, by a failure or by cancellation if there is no `cause`.
    pub fn interrupted(&self, cause: Option<Error>) -> Error {
        match &self.rest {
            Some((_, Rest::Lines(batches, _))) => batches.interrupted(cause),
            Some((_, Rest::Records(parts))) => parts.interrupted(cause),
            None => interrupted(cause, None),
        }
    }
}

/// The rest of an import.
enum Rest {
    /// Lines of the source, or of what it was converted to.
    Lines(Box<Batches>, Option<Vec<u8>>),
    /// Records in memory.
    Records(Box<InParts>),
}

impl Rest {
    /// Stores the next part. Returns whether there is more.
    fn step(&mut self, context: &mut Context<'_>, source: &mut dyn Source) -> Result<bool> {
        match self {
            Self::Lines(batches, Some(converted)) => batches.step(context, converted),
            Self::Lines(batches, None) => batches.step(context, source),
            Self::Records(parts) => parts.step(context),
        }
    }

    fn dry_run(&mut self, context: &mut Context<'_>, source: &mut dyn Source) -> Result<()> {
        match self {
            Self::Lines(batches, Some(converted)) => batches.dry_run(context, converted),
            Self::Lines(batches, None) => batches.dry_run(context, source),
            Self::Records(parts) => parts.dry_run(context),
        }
    }

    fn into_report(self) -> Report {
        match self {
            Self::Lines(batches, _) => batches.into_report(),
            Self::Records(parts) => parts.into_report(),
        }
    }
}

/// Recognises the format. Returns its name and the records to store.
fn begin(context: &mut Context<'_>, source: &mut dyn Source, path: &str) -> Result<(&'static str, Rest)> {
    if source.files().is_some() {
        return folder(context, source, path);
    }
    let format = sniff::format(source, path)?;
    let lines =
        |name, work| (name, Rest::Lines(Box::new(Batches::new(context, source, (name, path), work)), None));
    Ok(match format {
        Format::Database => {
            let (name, parts) = database::begin(context, source, path)?;
            (name, Rest::Records(Box::new(parts)))
        }
        Format::MemoryGraph => {
            (MEMORY_GRAPH, Rest::Records(Box::new(memory_graph::begin(context, source, path)?)))
        }
        Format::ServerMemory => lines(SERVER_MEMORY, Box::new(jsonl::Items::new(context.merger(), "line"))),
        Format::Graph(graph) => {
            let work = Box::new(jsonl::Items::new(context.merger(), "record").without(graph.left_out));
            let batches = Batches::new(context, &graph.lines, (SERVER_MEMORY, path), work);
            (SERVER_MEMORY, Rest::Lines(Box::new(batches), Some(graph.lines)))
        }
        Format::MemoryMcpServer => {
            lines("memory-mcp-server", Box::new(memory_mcp_server::Items::new(context.merger())))
        }
        Format::Limbic => lines("limbic", Box::new(limbic::Records::new(context.merger()))),
        Format::Parsed(name, found) => parsed(context, *found, (name, path), source.size())?,
    })
}

/// Imports a folder: Memory Graph's JSON files, or else Markdown.
fn folder(context: &mut Context<'_>, source: &mut dyn Source, path: &str) -> Result<(&'static str, Rest)> {
    match memory_graph::begin_folder(context, source, path) {
        Err(unknown @ Error::UnknownSource { .. }) => match notes::read_folder(source, path)? {
            Some((name, found)) => parsed(context, found, (name, path), source.size()),
            None => Err(unknown),
        },
        parts => Ok((MEMORY_GRAPH, Rest::Records(Box::new(parts?)))),
    }
}

fn parsed(
    context: &Context<'_>,
    found: ParsedRecords,
    (name, path): (&'static str, &str),
    size_bytes: u64,
) -> Result<(&'static str, Rest)> {
    if let Some(message) = found.excess() {
        return Err(Error::UnknownSource { message: message.to_owned() });
    }
    Ok((name, Rest::Records(Box::new(found.begin(context, (name, path), size_bytes)))))
}
