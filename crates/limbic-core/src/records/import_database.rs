//! Import of a database of another program, of any version, or another Limbic database: it is opened in memory and
//! merged. Its tables identify it: those of MCP Memory v2, of Memory Graph, or of the SQLite Persistent Memory
//! specification.

use std::io::Read;

use rusqlite::Connection;

use super::{
    Access, AccessDay, AuditLine, CoOccurrence, CurrentDomain, Domain, Entity, Memory, MemoryEdge,
    MemoryHistory, MemoryMention, MemoryReference, MemorySession, Merger, Observation, Outcome, Record,
    Reflection, Relation, Search, Tables, Take, hostile, persistent,
};
use crate::{
    Error, Result, Transaction,
    db::wal::{Beside, merged},
};

/// The tables of MCP Memory v2.
const GRAPH: [&str; 3] = ["entities", "observations", "relations"];

/// A foreign database.
pub struct Foreign(Connection);

/// Callback for each record, with its kind and the result of the merge.
pub type Note<'a> = &'a mut dyn FnMut(&'static str, Outcome);

impl Foreign {
    /// Opens a database of `size` bytes with the committed content of its WAL.
    ///
    /// # Errors
    /// [`Error::UnknownSource`] if it is damaged or has none of the tables; [`Error::WalMissing`].
    pub fn open(bytes: impl Read, size: usize, wal: Beside) -> Result<Self> {
        let (whole, size) = merged(bytes, size, wal)?;
        let mut connection = Connection::open_in_memory()?;
        hostile::harden(&mut connection, size)?;
        connection.deserialize_read_exact("main", whole, size, true)?;
        let foreign = Self(connection);
        foreign.check().map_err(unreadable)?;
        Ok(foreign)
    }

    /// Returns the program whose tables it has.
    pub fn format(&self) -> Result<&'static str> {
        let tables = Tables::new(&self.0)?;
        Ok(match (has_graph(&tables), has_memories(&tables)) {
            (true, true) => "limbic",
            (true, false) => "mcp-memory-v2",
            (false, true) => "memory-graph",
            (false, false) => "persistent-memory",
        })
    }

    /// Merges all records that cannot be computed. Settings are not merged: they were tuned for another ranking.
    ///
    /// # Errors
    /// Those of both databases.
    pub fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger, note: Note<'_>) -> Result<()> {
        let tables = Tables::new(&self.0)?;
        copy::<Entity>(&tables, tx, merger, note)?;
        copy::<Observation>(&tables, tx, merger, note)?;
        copy::<Relation>(&tables, tx, merger, note)?;
        copy::<Reflection>(&tables, tx, merger, note)?;
        copy::<Access>(&tables, tx, merger, note)?;
        copy::<AccessDay>(&tables, tx, merger, note)?;
        copy::<CoOccurrence>(&tables, tx, merger, note)?;
        copy::<Search>(&tables, tx, merger, note)?;
        copy::<Domain>(&tables, tx, merger, note)?;
        copy::<Memory>(&tables, tx, merger, note)?;
        copy_from(persistent::each_memory, &tables, tx, merger, note)?;
        copy::<MemoryEdge>(&tables, tx, merger, note)?;
        copy_from(persistent::each_edge, &tables, tx, merger, note)?;
        copy::<MemoryReference>(&tables, tx, merger, note)?;
        copy::<MemoryMention>(&tables, tx, merger, note)?;
        copy::<MemoryHistory>(&tables, tx, merger, note)?;
        copy::<MemorySession>(&tables, tx, merger, note)?;
        copy::<AuditLine>(&tables, tx, merger, note)?;
        copy::<CurrentDomain>(&tables, tx, merger, note)?;
        merger.flush(tx)
    }

    fn check(&self) -> Result<()> {
        let tables = Tables::new(&self.0)?;
        let is_known = has_graph(&tables) || has_memories(&tables) || persistent::is_there(&tables);
        if let Some(table) = GRAPH.iter().find(|table| !is_known && !tables.has(table, &["id"])) {
            return Err(Error::UnknownSource {
                message: format!(
                    "The database has no table {table}: it is not one of MCP Memory v2, nor of Memory Graph \
                     (MEMORY_NODES) or of the SQLite Persistent Memory specification (memories)"
                ),
            });
        }
        for table in tables.present() {
            hostile::require_plain(&self.0, table)?;
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

fn copy<R: Record>(
    tables: &Tables<'_>,
    tx: &Transaction<'_>,
    merger: &mut Merger,
    note: Note<'_>,
) -> Result<()> {
    copy_from(R::each, tables, tx, merger, note)
}

fn copy_from<R: Record>(
    each: fn(&Tables<'_>, Take<'_, R>) -> Result<()>,
    tables: &Tables<'_>,
    tx: &Transaction<'_>,
    merger: &mut Merger,
    note: Note<'_>,
) -> Result<()> {
    let mut refused = None;
    let read = each(tables, &mut |record| match record.merge(tx, merger) {
        Ok(outcome) => {
            note(R::KIND, outcome);
            Ok(())
        }
        Err(error) => {
            refused = Some(error);
            Err(Error::Internal("the other database takes no more".into()))
        }
    });
    match refused {
        Some(error) => Err(error),
        None => read.map_err(unreadable),
    }
}

fn unreadable(error: Error) -> Error {
    match error {
        known @ Error::UnknownSource { .. } => known,
        Error::SqlStopped(_) => Error::UnknownSource {
            message: "The database to import takes too long to read for its size: its schema or its content was made \
                      to hold up readers; nothing was imported"
                .into(),
        },
        other => Error::UnknownSource {
            message: format!(
                "The database to import is damaged, or its tables are not as documented; nothing was imported ({other})"
            ),
        },
    }
}
