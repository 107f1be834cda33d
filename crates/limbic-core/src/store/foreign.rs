//! A database of MCP Memory v2, of any age: opened in memory and merged into ours.

use std::io::Read;

use rusqlite::Connection;

use super::exchange::{
    Access, AccessDay, CoOccurrence, Entity, Merger, Observation, Outcome, Record, Reflection, Relation,
    Tables,
};
use crate::{Error, Result, Unit};

/// Where a SQLite file says by which versions it may be read and written: 1 for a rollback journal, 2 for WAL.
const VERSIONS: std::ops::Range<u64> = 18..20;

/// A foreign database.
pub struct Foreign(Connection);

/// Told of each record: its kind, and what became of it.
pub type Note<'a> = &'a mut dyn FnMut(&'static str, Outcome);

impl Foreign {
    /// Opens a database of `size` bytes.
    ///
    /// # Errors
    /// [`Error::UnknownSource`] when it is damaged or the tables are not there.
    pub fn open(bytes: impl Read, size: usize) -> Result<Self> {
        let mut connection = Connection::open_in_memory()?;
        connection.deserialize_read_exact("main", WithoutWal { bytes, done: 0 }, size, true)?;
        let foreign = Self(connection);
        foreign.check().map_err(unreadable)?;
        Ok(foreign)
    }

    /// Merges everything that cannot be computed again. Settings stay behind: they were tuned for another ranking.
    ///
    /// # Errors
    /// Those of both databases.
    pub fn merge(&self, unit: &Unit<'_>, note: Note<'_>) -> Result<()> {
        let tables = Tables::new(&self.0)?;
        let mut merger = Merger::default();
        copy::<Entity>(&tables, unit, &mut merger, note)?;
        copy::<Observation>(&tables, unit, &mut merger, note)?;
        copy::<Relation>(&tables, unit, &mut merger, note)?;
        copy::<Reflection>(&tables, unit, &mut merger, note)?;
        copy::<Access>(&tables, unit, &mut merger, note)?;
        copy::<AccessDay>(&tables, unit, &mut merger, note)?;
        copy::<CoOccurrence>(&tables, unit, &mut merger, note)?;
        merger.settle(unit)
    }

    fn check(&self) -> Result<()> {
        let tables = Tables::new(&self.0)?;
        for table in ["entities", "observations", "relations"] {
            if !tables.has(table, &["id"]) {
                return Err(Error::UnknownSource {
                    message: format!("The database has no table {table}: it is not one of MCP Memory v2"),
                });
            }
        }
        match tables.damage()? {
            Some(reason) => Err(Error::Damaged(reason)),
            None => Ok(()),
        }
    }
}

fn copy<R: Record>(tables: &Tables<'_>, unit: &Unit<'_>, merger: &mut Merger, note: Note<'_>) -> Result<()> {
    let mut refused = None;
    let read = R::each(tables, &mut |record| match record.merge(unit, merger) {
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
        other => Error::UnknownSource {
            message: format!(
                "The database to import is damaged, or not one of MCP Memory v2; nothing was imported ({other})"
            ),
        },
    }
}

/// The bytes with the header's marks for WAL taken out: they would ask for files that memory does not have.
struct WithoutWal<R> {
    bytes: R,
    done: u64,
}

impl<R: Read> Read for WithoutWal<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        for (place, byte) in (self.done..).zip(buffer.iter_mut().take(count)) {
            if VERSIONS.contains(&place) {
                *byte = 1;
            }
        }
        self.done += u64::try_from(count).unwrap_or_default();
        Ok(count)
    }
}
