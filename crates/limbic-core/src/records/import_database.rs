//! Import of a database of another program, of any version, or of another Limbic database, which is opened in memory
//! and merged in parts. The program is recognised by its tables: MCP Memory v2, Memory Graph, mcp-memory-service, or
//! the SQLite Persistent Memory specification.

use std::io::Read;

use rusqlite::Connection;

use super::{
    Access, AccessDay, AuditLine, CoOccurrence, CurrentDomain, Domain, Entity, Memory, MemoryEdge,
    MemoryHistory, MemoryMention, MemoryReference, MemorySession, MemorySymbol, Merger, Observation, Outcome,
    Record, Reflection, Relation, Search, Tables, Take, hostile, memory_service, persistent, tables::TABLES,
};
use crate::{
    Error, Result, Transaction,
    db::wal::{WalFile, merged},
};

/// The tables of MCP Memory v2.
const GRAPH: [&str; 3] = ["entities", "observations", "relations"];

/// Minimum number of records of a part.
const MIN_PART: usize = 2000;

/// Maximum number of already merged records of the same kind for each record of a part above [`MIN_PART`]: they are
/// read again to find the start of the part.
const MAX_EARLIER_PER_RECORD: usize = 8;

/// Merges records of one kind.
type Stage = fn(&Tables<'_>, &mut Part<'_>) -> Result<()>;

/// The kinds of records, those that others refer to first. Settings are left out: they were tuned for another ranking.
const STAGES: [Stage; 22] = [
    copy::<Entity>,
    copy::<Observation>,
    copy::<Relation>,
    copy::<Reflection>,
    copy::<Access>,
    copy::<AccessDay>,
    copy::<CoOccurrence>,
    copy::<Search>,
    copy::<Domain>,
    copy::<Memory>,
    |tables, part| part.copy(persistent::each_memory, tables),
    |tables, part| part.copy(memory_service::each_memory, tables),
    copy::<MemoryEdge>,
    |tables, part| part.copy(persistent::each_edge, tables),
    |tables, part| part.copy(memory_service::each_edge, tables),
    copy::<MemoryReference>,
    copy::<MemoryMention>,
    copy::<MemoryHistory>,
    copy::<MemorySession>,
    copy::<MemorySymbol>,
    copy::<AuditLine>,
    copy::<CurrentDomain>,
];

/// The database of an import, and how much of it is merged.
pub struct SourceDatabase {
    connection: Connection,
    size_bytes: usize,
    /// Index of the kind of the next record.
    stage: usize,
    /// Number of records of this kind that are merged.
    merged: usize,
}

/// Callback for each record, with its kind and the result of the merge.
pub type Note<'a> = &'a mut dyn FnMut(&'static str, Outcome);

impl SourceDatabase {
    /// Opens a database of `size` bytes with the committed content of its WAL.
    ///
    /// # Errors
    /// [`Error::UnknownSource`] if it is damaged or has none of the tables; [`Error::WalMissing`].
    pub fn open(bytes: impl Read, size: usize, wal: WalFile) -> Result<Self> {
        let (whole, size) = merged(bytes, size, wal)?;
        let mut connection = Connection::open_in_memory()?;
        hostile::harden(&mut connection, size)?;
        connection.deserialize_read_exact("main", whole, size, true)?;
        let database = Self { connection, size_bytes: size, stage: 0, merged: 0 };
        database.check().map_err(unreadable)?;
        Ok(database)
    }

    /// Returns the program whose tables it has.
    pub fn format(&self) -> Result<&'static str> {
        let tables = Tables::new(&self.connection)?;
        Ok(match (has_graph(&tables), has_memories(&tables)) {
            (true, true) => "limbic",
            (true, false) => "mcp-memory-v2",
            (false, true) => "memory-graph",
            (false, false) if memory_service::is_there(&tables) => "mcp-memory-service",
            (false, false) => "persistent-memory",
        })
    }

    /// Merges the next part of the records that cannot be computed again. Returns whether there are more.
    ///
    /// # Errors
    /// [`Error::UnknownSource`]; the errors of a write to the database that is merged into.
    pub fn merge_part(&mut self, tx: &Transaction<'_>, merger: &mut Merger, note: Note<'_>) -> Result<bool> {
        hostile::limit_steps(&mut self.connection, self.size_bytes)?;
        let tables = Tables::new(&self.connection)?;
        let mut part = Part {
            tx,
            merger,
            note,
            earlier: self.merged,
            left: MIN_PART.max(self.merged / MAX_EARLIER_PER_RECORD),
        };
        while let Some(stage) = STAGES.get(self.stage) {
            let before = part.left;
            stage(&tables, &mut part)?;
            if part.left == 0 {
                self.merged = part.earlier + before;
                break;
            }
            self.stage += 1;
            part.earlier = 0;
            self.merged = 0;
        }
        part.merger.flush(tx)?;
        Ok(self.stage < STAGES.len())
    }

    /// Number of kinds of records that are merged, and of all kinds.
    #[must_use]
    pub const fn progress(&self) -> (usize, usize) {
        (self.stage, STAGES.len())
    }

    fn check(&self) -> Result<()> {
        hostile::require_tables(&self.connection, &TABLES)?;
        let tables = Tables::new(&self.connection)?;
        let is_known = has_graph(&tables)
            || has_memories(&tables)
            || persistent::is_there(&tables)
            || memory_service::is_there(&tables);
        if let Some(table) = GRAPH.iter().find(|table| !is_known && !tables.has(table, &["id"])) {
            return Err(Error::UnknownSource {
                message: format!(
                    "The database has no table {table}: it is not one of MCP Memory v2, nor of Memory Graph \
                     (MEMORY_NODES), of mcp-memory-service or of the SQLite Persistent Memory specification \
                     (memories)"
                ),
            });
        }
        for table in tables.present() {
            hostile::require_plain(&self.connection, table)?;
        }
        match tables.damage()? {
            Some(reason) => Err(Error::Damaged(reason)),
            None => Ok(()),
        }
    }
}

fn has_graph(tables: &Tables<'_>) -> bool {
    GRAPH.iter().all(|table| tables.has(table, &["id"]))
}

fn has_memories(tables: &Tables<'_>) -> bool {
    tables.has("MEMORY_NODES", &["id", "domain", "content"])
}

/// A part of the records, and the database that it is merged into.
struct Part<'a> {
    tx: &'a Transaction<'a>,
    merger: &'a mut Merger,
    note: Note<'a>,
    /// Number of records of the first kind that earlier parts have merged.
    earlier: usize,
    /// Maximum number of further records.
    left: usize,
}

fn copy<R: Record>(tables: &Tables<'_>, part: &mut Part<'_>) -> Result<()> {
    part.copy(R::each, tables)
}

impl Part<'_> {
    fn copy<R: Record>(
        &mut self,
        each: fn(&Tables<'_>, Take<'_, R>) -> Result<()>,
        tables: &Tables<'_>,
    ) -> Result<()> {
        let mut earlier = self.earlier;
        let mut ended = None;
        let read = each(tables, &mut |record: R| {
            if earlier > 0 {
                earlier -= 1;
                return Ok(());
            }
            let merged = if self.left == 0 { Ok(None) } else { record.merge(self.tx, self.merger).map(Some) };
            match merged {
                Ok(Some(outcome)) => {
                    (self.note)(R::KIND, outcome);
                    self.left -= 1;
                    Ok(())
                }
                end => {
                    ended = Some(end.map(drop));
                    Err(Error::Internal("the part is complete".into()))
                }
            }
        });
        ended.unwrap_or_else(|| read.map_err(unreadable))
    }
}

fn unreadable(error: Error) -> Error {
    match error {
        known @ Error::UnknownSource { .. } => known,
        Error::SqlStopped(_) => Error::UnknownSource {
            message:
                "Reading the database exceeded the step limit: its schema or its content may be malicious"
                    .into(),
        },
        other => Error::UnknownSource {
            message: format!(
                "The database to import is damaged, or its tables are not as documented ({other})"
            ),
        },
    }
}
