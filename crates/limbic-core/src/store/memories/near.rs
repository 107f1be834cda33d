//! Memories that say nearly the same, as their vectors show: an edge from the newer to the older.

use rusqlite::params;

use super::{MemoryNode, by_number};
use crate::{Result, Unit, store::time};

/// The type of the edge; its strength is the cosine.
pub const NEAR_DUPLICATE: &str = "near_duplicate";

/// Whether two memories hold both, in one domain, on one subject and for one user, and have vectors of their texts.
///
/// # Errors
/// Those of the database.
pub fn are_comparable(unit: &Unit<'_>, number: i64, other: i64) -> Result<bool> {
    Ok(unit
        .prepare_cached(
            "SELECT 1 FROM memory_numbers AS n JOIN MEMORY_NODES AS m ON m.id = n.id
             JOIN memory_numbers AS o ON o.number = ?2 JOIN MEMORY_NODES AS p ON p.id = o.id
             WHERE n.number = ?1 AND n.number <> o.number
             AND m.domain = p.domain AND m.subject = p.subject AND m.user_id IS p.user_id
             AND (m.valid_until IS NULL OR m.valid_until > ?3) AND (p.valid_until IS NULL OR p.valid_until > ?3)
             AND (m.expires_at IS NULL OR m.expires_at > ?3) AND (p.expires_at IS NULL OR p.expires_at > ?3)
             AND NOT EXISTS (SELECT 1 FROM embedding_queue WHERE kind = 3 AND id = o.number)",
        )?
        .exists(params![number, other, time::now(unit)?])?)
}

/// Notes that the newer memory says nearly what the older one says. Answers whether that was not known.
///
/// # Errors
/// Those of the database.
pub fn note(unit: &Unit<'_>, newer: &MemoryNode, older: &MemoryNode, cosine: f64) -> Result<bool> {
    let added = unit
        .prepare_cached(
            "INSERT INTO MEMORY_EDGES (id, source, target, type, strength, timestamp, domain)
             VALUES (?1 || '-' || ?2 || '-' || ?3, ?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            newer.id,
            older.id,
            NEAR_DUPLICATE,
            cosine.clamp(0.0, 1.0),
            time::now(unit)?,
            newer.domain
        ])?;
    Ok(added > 0)
}

/// The text of a memory has changed, or where it belongs: what it was near is open again.
///
/// # Errors
/// Those of the database.
pub fn forget(unit: &Unit<'_>, id: &str) -> Result<()> {
    unit.prepare_cached("DELETE FROM MEMORY_EDGES WHERE type = ?2 AND (source = ?1 OR target = ?1)")?
        .execute([id, NEAR_DUPLICATE])?;
    Ok(())
}

/// Forgets what a memory was near, but for these others.
///
/// # Errors
/// Those of the database.
pub fn keep_only(unit: &Unit<'_>, id: &str, others: &[String]) -> Result<()> {
    let known: Vec<(String, String)> = unit
        .prepare_cached(
            "SELECT id, CASE source WHEN ?1 THEN target ELSE source END FROM MEMORY_EDGES
             WHERE type = ?2 AND (source = ?1 OR target = ?1) ORDER BY id",
        )?
        .query_map([id, NEAR_DUPLICATE], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (edge, _) in known.into_iter().filter(|(_, other)| !others.contains(other)) {
        unit.prepare_cached("DELETE FROM MEMORY_EDGES WHERE id = ?1")?.execute([edge])?;
    }
    Ok(())
}

/// The numbers of the older memories that one is near, in their order.
///
/// # Errors
/// Those of the database.
pub fn older(unit: &Unit<'_>, id: &str) -> Result<Vec<i64>> {
    let mut statement = unit.prepare_cached(
        "SELECT number FROM MEMORY_EDGES JOIN memory_numbers AS n ON n.id = target
         WHERE source = ?1 AND type = ?2 ORDER BY number",
    )?;
    let rows = statement.query_map([id, NEAR_DUPLICATE], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A memory and another, the newer one first.
///
/// # Errors
/// Those of the database.
pub fn pair(unit: &Unit<'_>, number: i64, other: i64) -> Result<Option<(MemoryNode, MemoryNode)>> {
    let (newer, older) = (number.max(other), number.min(other));
    Ok(by_number(unit, newer)?.zip(by_number(unit, older)?))
}
