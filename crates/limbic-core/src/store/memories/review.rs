//! Memories that wait for review by a person, because of the origin that wrote them.

use rusqlite::params;

use super::{MemoryNode, Position, in_rows, replaced};
use crate::{
    Result, Transaction,
    model::memory_words::{Category, Heat, Tier},
    store::{
        domains,
        logs::audit::Action,
        origins::{self, Kind, Origin},
        project_folders,
    },
};

/// Sets the origin that first wrote a memory.
pub(crate) fn set_origin(tx: &Transaction<'_>, id: &str, origin: &Origin) -> Result<()> {
    tx.prepare_cached("UPDATE MEMORY_NODES SET origin = ?2 WHERE id = ?1")?
        .execute(params![id, origins::id_of(tx, origin)?])?;
    Ok(())
}

/// Marks a memory as waiting for review, because of a change by this origin. No effect if the origin is trusted.
pub(crate) fn mark_unconfirmed(tx: &Transaction<'_>, id: &str, origin: &Origin) -> Result<()> {
    tx.prepare_cached("UPDATE MEMORY_NODES SET unconfirmed_origin = ?2 WHERE id = ?1")?
        .execute(params![id, origins::id_of(tx, origin)?])?;
    unaccept(tx, id)
}

/// Forgets that a person has accepted a memory, which they have not as it is now.
fn unaccept(tx: &Transaction<'_>, id: &str) -> Result<()> {
    tx.prepare_cached("DELETE FROM accepted_memories WHERE memory_id = ?1")?.execute([id])?;
    Ok(())
}

/// Whether a memory was written in `project`, by a person, or by an origin that is trusted, and so was each later
/// change. One of unknown origin counts as a person's; a change of unknown origin does not.
pub(crate) fn is_from_here(tx: &Transaction<'_>, memory_id: &str, project: &str) -> Result<bool> {
    let is_here = |origin: &str| {
        format!(
            "EXISTS (SELECT 1 FROM origins AS o WHERE o.id = {origin} AND (o.kind IN (?3, ?4)
                OR (?2 <> '' AND o.project IN {})
                OR EXISTS (SELECT 1 FROM trusted_origins AS t WHERE t.label = o.label)))",
            project_folders::names("?2")
        )
    };
    let updates = "SELECT 1 FROM audit_log AS a WHERE a.memory_id = m.id AND a.action = ?5";
    let sql = format!(
        "SELECT 1 FROM MEMORY_NODES AS m
         WHERE m.id = ?1 AND (m.origin IS NULL OR {})
            AND (m.updated_at IS NULL OR EXISTS ({updates} AND a.at = m.updated_at))
            AND NOT EXISTS ({updates} AND {} IS NOT TRUE)",
        is_here("m.origin"),
        is_here("a.origin")
    );
    let person = [Kind::Explorer.name(), Kind::Cli.name()];
    let parts = params![memory_id, domains::canonical(project), person[0], person[1], Action::Update.name()];
    Ok(tx.prepare_cached(&sql)?.exists(parts)?)
}

/// Whether a person has accepted a memory, and its text, summary, subject and domain are still the same.
pub(crate) fn is_accepted(tx: &Transaction<'_>, id: &str) -> Result<bool> {
    Ok(tx.prepare_cached("SELECT 1 FROM accepted_memories WHERE memory_id = ?1")?.exists([id])?)
}

/// Confirms a memory as it is. Returns whether it waited.
pub(crate) fn accept(tx: &Transaction<'_>, id: &str) -> Result<bool> {
    let sql = format!(
        "UPDATE MEMORY_NODES AS m SET unconfirmed_origin = NULL WHERE id = ?1 AND {}",
        origins::unconfirmed("m")
    );
    let has_waited = tx.prepare_cached(&sql)?.execute([id])? > 0;
    if has_waited {
        tx.prepare_cached("INSERT OR IGNORE INTO accepted_memories (memory_id) VALUES (?1)")?
            .execute([id])?;
        replaced::forget(tx, id)?;
    }
    Ok(has_waited)
}

/// Confirms a memory without the rank by which hooks select it: it becomes an unpinned fact in the tier that is only
/// searched, as if it had never been used, without its subject unless `keeps_subject`.
pub(crate) fn demote(tx: &Transaction<'_>, id: &str, keeps_subject: bool) -> Result<()> {
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET unconfirmed_origin = NULL, pinned = 0, heat = ?8, access_count = 0,
            subject = iif(?9, subject, ''),
            tier = CASE WHEN tier IN (?2, ?3) THEN ?4 ELSE tier END,
            category = CASE WHEN category IN (?5, ?6) THEN ?7 ELSE category END
         WHERE id = ?1",
    )?
    .execute(params![
        id,
        Tier::L0,
        Tier::L1,
        Tier::L4,
        Category::Convention,
        Category::Decision,
        Category::Fact,
        Heat::Cold,
        keeps_subject
    ])?;
    unaccept(tx, id)
}

/// Whether the origin because of which a memory waits has also first written it, itself or through the same import.
pub(crate) fn was_written_by_waiting(tx: &Transaction<'_>, id: &str) -> Result<bool> {
    Ok(tx
        .prepare_cached(
            "SELECT 1 FROM MEMORY_NODES AS m JOIN origins AS u ON u.id = m.unconfirmed_origin
                 JOIN origins AS o ON o.id = m.origin
             WHERE m.id = ?1 AND (o.id = u.id OR (u.import_id <> '' AND o.import_id = u.import_id))",
        )?
        .exists([id])?)
}

/// A page of the memories that wait, and their total count.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// The memories, newest first.
    pub memories: Vec<MemoryNode>,
    /// Total count.
    pub total: usize,
    /// The place of the last one, if others come after it.
    pub last: Option<Position>,
}

/// Returns a page of the waiting memories, after a place: all, or those whose unconfirmed change is by the origin with
/// this label.
pub fn waiting(
    tx: &Transaction<'_>,
    label: Option<&str>,
    limit: usize,
    after: Option<&Position>,
) -> Result<Waiting> {
    let from = format!(
        "FROM MEMORY_NODES AS m WHERE {} AND (?1 IS NULL OR EXISTS (SELECT 1 FROM origins AS l
            WHERE l.id = m.unconfirmed_origin AND l.label = ?1))",
        origins::unconfirmed("m")
    );
    let total =
        tx.prepare_cached(&format!("SELECT count(*) {from}"))?.query_row([label], |row| row.get(0))?;
    let mut statement = tx.prepare_cached(&format!(
        "SELECT m.timestamp, m.rowid {from} AND (?4 IS NULL OR (m.timestamp, m.rowid) < (?3, ?4))
         ORDER BY m.timestamp DESC, m.rowid DESC LIMIT ?2"
    ))?;
    // One more shows whether there is another page.
    let most = i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX);
    let mut places: Vec<Position> = statement
        .query_map(params![label, most, after.map(|it| &it.key), after.map(|it| it.row)], |row| {
            Ok(Position { key: row.get(0)?, row: row.get(1)? })
        })?
        .collect::<rusqlite::Result<_>>()?;
    let has_more = places.len() > limit;
    places.truncate(limit);
    let rows: Vec<i64> = places.iter().map(|place| place.row).collect();
    Ok(Waiting { memories: in_rows(tx, &rows)?, total, last: places.pop().filter(|_| has_more) })
}

/// Returns the labels of the origins of waiting memories, with counts, largest first.
pub fn waiting_by_origin(tx: &Transaction<'_>) -> Result<Vec<(String, usize)>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT l.label, count(*) AS waiting FROM MEMORY_NODES AS m JOIN origins AS l ON l.id = m.unconfirmed_origin
         WHERE {} GROUP BY l.label ORDER BY waiting DESC, l.label",
        origins::unconfirmed("m")
    ))?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
