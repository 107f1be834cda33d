//! The embedding queue. Writes only add rows; `mutations::embedding_tasks` creates the tasks.

use rusqlite::params;

use crate::{Result, Transaction};
use limbic_protocol::{TaskKey, TextKind};

/// Number of failed attempts after which a text is paused until it changes or a day has passed: it may crash the
/// encoder.
pub(crate) const MAX_TRIES: i64 = 4;

/// Duration of that pause.
const REST_MILLIS: i64 = 24 * 3600 * 1000;

/// Duration of a task's lease, during which no other server takes it.
const LEASE_MILLIS: i64 = 10_000;

/// Queues the text of a row that has changed, behind all others. Its row number is positive even where all others were
/// put first: SQLite would take the one after the largest.
pub(crate) fn mark(tx: &Transaction<'_>, kind: TextKind, id: i64) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO embedding_queue (rowid, kind, id)
         VALUES ((SELECT max(0, coalesce(max(rowid), 0)) + 1 FROM embedding_queue), ?1, ?2)
         ON CONFLICT (kind, id) DO UPDATE SET text_hash = 0, tries = 0, last_error = NULL, leased_until = 0",
    )?
    .execute(params![kind as u8, id])?;
    Ok(())
}

/// Removes a row that was deleted or whose embedding is stored.
pub fn remove(tx: &Transaction<'_>, kind: TextKind, id: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM embedding_queue WHERE kind = ?1 AND id = ?2")?
        .execute(params![kind as u8, id])?;
    Ok(())
}

/// Counts the waiting texts, without those that failed too often.
pub fn outstanding(tx: &Transaction<'_>) -> Result<usize> {
    Ok(tx
        .prepare_cached("SELECT count(*) FROM embedding_queue WHERE tries < ?1")?
        .query_row([MAX_TRIES], |row| row.get(0))?)
}

/// Whether the text is still the one that was encoded. An encoding of an older text is discarded, because the text is
/// queued again.
pub(crate) fn is_current(tx: &Transaction<'_>, key: TaskKey) -> Result<bool> {
    Ok(tx
        .prepare_cached("SELECT 1 FROM embedding_queue WHERE kind = ?1 AND id = ?2 AND text_hash = ?3")?
        .exists(params![key.kind as u8, key.id, key.text_hash])?)
}

/// Records a failed encoding: the text is tried again after its lease, a few times.
pub(crate) fn fail(tx: &Transaction<'_>, key: TaskKey, reason: &str) -> Result<()> {
    tx.prepare_cached(
        "UPDATE embedding_queue SET last_error = ?4
         WHERE kind = ?1 AND id = ?2 AND text_hash = ?3",
    )?
    .execute(params![key.kind as u8, key.id, key.text_hash, reason])?;
    Ok(())
}

/// Returns the chunks of a file that wait and were not put first yet.
pub fn chunks_of_file(tx: &Transaction<'_>, project: i64, path: &str) -> Result<Vec<i64>> {
    let mut statement = tx.prepare_cached(
        "SELECT q.id FROM code_files AS f CROSS JOIN code_chunks AS c ON c.file = f.id
             CROSS JOIN embedding_queue AS q ON q.kind = 4 AND q.id = c.id
         WHERE f.project = ?1 AND f.path = ?2 AND q.rowid > 0 ORDER BY q.rowid",
    )?;
    let rows = statement.query_map(params![project, path], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Puts waiting chunks in this order before all others: their row numbers become negative.
pub fn put_chunks_first(tx: &Transaction<'_>, chunks: &[i64]) -> Result<()> {
    let first: i64 = tx
        .prepare_cached("SELECT min(0, coalesce(min(rowid), 0)) FROM embedding_queue")?
        .query_row([], |row| row.get(0))?;
    let mut statement =
        tx.prepare_cached("UPDATE embedding_queue SET rowid = ?2 WHERE kind = 4 AND id = ?1")?;
    for (distance, chunk) in (1..).zip(chunks.iter().rev()) {
        statement.execute(params![chunk, first - distance])?;
    }
    Ok(())
}

/// Returns up to `limit` available rows, oldest first, each with its kind; chunks of source code, which are many, come
/// after all others, those of files that were shown first. A lease that ends later than any lease can was taken while
/// the clock was ahead, and is ignored.
pub(crate) fn waiting(tx: &Transaction<'_>, limit: usize) -> Result<Vec<(i64, i64)>> {
    let mut statement = tx.prepare_cached(
        "SELECT kind, id FROM embedding_queue
         WHERE (leased_until <= ?2 OR leased_until > ?2 + ?5)
            AND (tries < ?1 OR leased_until <= ?2 - ?4 OR leased_until > ?2 + ?5) ORDER BY kind = 4, rowid LIMIT ?3",
    )?;
    let rows = statement
        .query_map(params![MAX_TRIES, tx.now_millis(), limit, REST_MILLIS, LEASE_MILLIS], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Leases a row for ten seconds, and counts the attempt. The text is stored as its hash.
pub(crate) fn lease(tx: &Transaction<'_>, key: TaskKey) -> Result<()> {
    tx.prepare_cached(
        "UPDATE embedding_queue SET text_hash = ?3, leased_until = ?4, tries = tries + 1 WHERE kind = ?1 AND id = ?2",
    )?
    .execute(params![key.kind as u8, key.id, key.text_hash, tx.now_millis() + LEASE_MILLIS])?;
    Ok(())
}

/// Removes a row of any kind from the queue, also of a kind that this version does not have.
pub(crate) fn remove_unknown(tx: &Transaction<'_>, kind: i64, id: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM embedding_queue WHERE kind = ?1 AND id = ?2")?
        .execute(params![kind, id])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mutations::embedding_tasks, test_database};

    fn queued(tx: &Transaction<'_>) -> Result<Vec<(i64, i64)>> {
        let mut statement = tx.prepare_cached("SELECT rowid, id FROM embedding_queue ORDER BY rowid")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    #[test]
    fn rows_of_unknown_kinds_and_ids_leave_the_queue() -> Result<()> {
        let mut database = test_database::in_memory()?;
        database.write(|tx| {
            for (kind, id) in [(-1, 1), (256, 2), (4, -3), (0, -4), (5, i64::MAX)] {
                tx.execute("INSERT INTO embedding_queue (kind, id) VALUES (?1, ?2)", [kind, id])?;
            }
            assert!(embedding_tasks::take(tx, 10)?.is_empty());
            assert_eq!(queued(tx)?, []);
            Ok(())
        })
    }

    #[test]
    fn a_new_row_comes_behind_those_that_were_put_first() -> Result<()> {
        let mut database = test_database::in_memory()?;
        database.write(|tx| {
            for id in 1..=3 {
                mark(tx, TextKind::Chunk, id)?;
            }
            put_chunks_first(tx, &[2, 3, 1])?;
            mark(tx, TextKind::Chunk, 4)?;
            mark(tx, TextKind::Chunk, 5)?;
            assert_eq!(queued(tx)?, [(-3, 2), (-2, 3), (-1, 1), (1, 4), (2, 5)]);
            mark(tx, TextKind::Chunk, 3)?;
            assert_eq!(queued(tx)?.len(), 5, "a row that waits keeps its place");
            Ok(())
        })
    }
}
