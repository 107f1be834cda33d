//! Access statistics of entities: access counts, days, and co-occurrence.

use rusqlite::{OptionalExtension, params};

use crate::{Result, Transaction};

/// Usage of an entity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Use {
    /// Number of days with accesses.
    pub days: u32,
    /// When it was last accessed, or created: seconds since the Unix epoch.
    pub last_seconds: i64,
}

/// Returns the usage of an entity.
pub(crate) fn of(tx: &Transaction<'_>, entity_id: i64) -> Result<Use> {
    Ok(tx
        .prepare_cached(
            "SELECT (SELECT count(*) FROM entity_access_log AS l WHERE l.entity_id = e.id),
                 coalesce(unixepoch(a.last_access), unixepoch(e.created_at), 0)
             FROM entities AS e LEFT JOIN entity_access AS a ON a.entity_id = e.id WHERE e.id = ?1",
        )?
        .query_row([entity_id], |row| Ok(Use { days: row.get(0)?, last_seconds: row.get(1)? }))
        .optional()?
        .unwrap_or_default())
}

/// Returns how often two entities were found together, and when last (seconds since the Unix epoch).
pub(crate) fn together(tx: &Transaction<'_>, a: i64, b: i64) -> Result<Option<(u32, i64)>> {
    Ok(tx
        .prepare_cached(
            "SELECT co_count, coalesce(unixepoch(last_co), 0) FROM co_occurrences
             WHERE entity_a_id = ?1 AND entity_b_id = ?2",
        )?
        .query_row([a.min(b), a.max(b)], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?)
}

/// Records that a search returned these entities: access, day and each pair of them.
pub fn record(tx: &Transaction<'_>, entity_ids: &[i64]) -> Result<()> {
    let now = tx.now_seconds();
    for id in entity_ids {
        tx.prepare_cached(
            "INSERT INTO entity_access (entity_id, access_count, last_access) VALUES (?1, 1, datetime(?2, 'unixepoch'))
             ON CONFLICT DO UPDATE SET access_count = access_count + 1, last_access = excluded.last_access",
        )?
        .execute([*id, now])?;
        tx.prepare_cached(
            "INSERT INTO entity_access_log (entity_id, access_date, access_count) VALUES (?1, date(?2, 'unixepoch'), 1)
             ON CONFLICT DO UPDATE SET access_count = access_count + 1",
        )?
        .execute([*id, now])?;
    }
    let mut pair = tx.prepare_cached(
        "INSERT INTO co_occurrences (entity_a_id, entity_b_id, co_count, last_co)
         VALUES (?1, ?2, 1, datetime(?3, 'unixepoch'))
         ON CONFLICT DO UPDATE SET co_count = co_count + 1, last_co = excluded.last_co",
    )?;
    for (index, a) in entity_ids.iter().enumerate() {
        for b in &entity_ids[index + 1..] {
            pair.execute(params![a.min(b), a.max(b), now])?;
        }
    }
    Ok(())
}
