//! Links that were made by changes which wait for review, by a client from or to a memory that waits, or by an import
//! to one. A link that someone else states again is permanent.

use rusqlite::{OptionalExtension, ToSql, params};

use crate::{
    Result, Transaction,
    store::{
        logs::audit::Actor,
        origins::{self, Origin},
    },
};

/// The type of links that hide one of two memories.
const CONTRADICTS: &str = "contradicts";

/// A link that waits.
pub(super) struct WaitingLink {
    /// Id of its source.
    pub source: String,
    /// Id of its target.
    pub target: String,
    /// Its type; of a reference, its description.
    pub link_type: String,
    /// Whether an import made it.
    pub is_imported: bool,
}

/// Records a link that an import has made, if it is withdrawn when a change of one of its memories is rejected: one of
/// them has such a change, or waits and the link may hide the other.
pub(crate) fn note_imported(
    tx: &Transaction<'_>,
    (from, to): (&str, &str),
    link_type: &str,
    import: &Origin,
) -> Result<()> {
    let sql = format!(
        "SELECT 1 FROM MEMORY_NODES AS m WHERE m.id IN (?1, ?2) AND (
            EXISTS (SELECT 1 FROM replaced_states AS r WHERE r.memory_id = m.id)
            OR (?3 = '{CONTRADICTS}' AND {}))",
        origins::unconfirmed("m")
    );
    if tx.prepare_cached(&sql)?.exists([from, to, link_type])? {
        let import = origins::id_of(tx, import)?;
        put(tx, (from, to), link_type, (import, import), true)?;
    }
    Ok(())
}

fn put(
    tx: &Transaction<'_>,
    (from, to): (&str, &str),
    link_type: &str,
    (origin, writer): (i64, i64),
    is_imported: bool,
) -> Result<()> {
    tx.prepare_cached(
        "INSERT OR IGNORE INTO waiting_links (source, target, type, origin, writer, is_imported)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![from, to, link_type, origin, writer, is_imported])?;
    Ok(())
}

/// Returns the targets and the types of the links from a memory that its state before, `before`, does not have.
pub(super) fn made(tx: &Transaction<'_>, id: &str, before: &str) -> Result<Vec<(String, String)>> {
    let mut statement = tx.prepare_cached(
        "SELECT target, type FROM (
            SELECT target, type FROM MEMORY_EDGES
            WHERE source = ?1 AND type NOT IN ('near_duplicate', 'possible_contradiction')
            UNION ALL SELECT targetNodeId, coalesce(nullif(description, ''), 'related') FROM DOMAIN_REFS
            WHERE nodeId = ?1)
         EXCEPT SELECT target, type FROM (
            SELECT value ->> 2 AS target, value ->> 3 AS type FROM json_each(?2, '$.links')
            WHERE value ->> 1 = ?1
            UNION ALL SELECT value ->> 1, coalesce(nullif(value ->> 2, ''), 'related')
            FROM json_each(?2, '$.references') WHERE value ->> 0 = ?1)",
    )?;
    let rows = statement.query_map([id, before], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Records the links from a memory that a change has made: those that its state before, `before`, does not have. The
/// origins are the one that the memory waits for, and the one that made the change.
pub(super) fn note_new(tx: &Transaction<'_>, id: &str, before: &str, by: (i64, i64)) -> Result<()> {
    made(tx, id, before)?.iter().try_for_each(|(target, link_type)| note(tx, (id, target), link_type, by))
}

/// Records a link that a client has made. The origins are the one with whose rejection it is withdrawn, and the one
/// that made it.
pub(super) fn note(tx: &Transaction<'_>, ends: (&str, &str), link_type: &str, by: (i64, i64)) -> Result<()> {
    put(tx, ends, link_type, by, false)
}

/// Makes a link permanent, which is stated again, unless by the one that made it, or another session of it.
pub(super) fn confirm(
    tx: &Transaction<'_>,
    (from, to): (&str, &str),
    link_type: &str,
    actor: Actor<'_>,
) -> Result<()> {
    let Some(writer) = tx
        .prepare_cached(
            "SELECT o.label FROM waiting_links AS w JOIN origins AS o ON o.id = w.writer
             WHERE w.source = ?1 AND w.target = ?2 AND w.type = ?3",
        )?
        .query_row([from, to, link_type], |row| row.get::<_, String>(0))
        .optional()?
    else {
        return Ok(());
    };
    if let Some(origin) = actor.origin
        && origins::label_of(tx, origins::id_of(tx, origin)?)? == writer
    {
        return Ok(());
    }
    delete(tx, (from, to), link_type)
}

fn delete(tx: &Transaction<'_>, (from, to): (&str, &str), link_type: &str) -> Result<()> {
    tx.prepare_cached("DELETE FROM waiting_links WHERE source = ?1 AND target = ?2 AND type = ?3")?
        .execute([from, to, link_type])?;
    Ok(())
}

/// Lets the links of a memory that wait with one origin wait with another one.
pub(super) fn hand_over(tx: &Transaction<'_>, id: &str, from: i64, to: i64) -> Result<()> {
    tx.prepare_cached(
        "UPDATE waiting_links SET origin = ?3 WHERE (source = ?1 OR target = ?1) AND origin = ?2",
    )?
    .execute(params![id, from, to])?;
    Ok(())
}

/// Makes the links of a memory permanent whose other end does not wait either.
pub(super) fn confirm_all(tx: &Transaction<'_>, id: &str) -> Result<()> {
    let sql = format!(
        "DELETE FROM waiting_links WHERE (source = ?1 OR target = ?1) AND NOT EXISTS (
            SELECT 1 FROM MEMORY_NODES AS m WHERE m.id IN (waiting_links.source, waiting_links.target) AND {})",
        origins::unconfirmed("m")
    );
    tx.prepare_cached(&sql)?.execute([id])?;
    Ok(())
}

/// Lets the new halves of a bidirectional link between two memories wait with the same origin, if one of them waits.
/// `states` are the ids of its ends with their states before.
pub(crate) fn note_halves<'a>(
    tx: &Transaction<'_>,
    (from, to): (&str, &str),
    link_type: &str,
    states: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<()> {
    for (id, before) in states {
        let other = if id == from { to } else { from };
        let half = (other.to_owned(), link_type.to_owned());
        if made(tx, id, before)?.contains(&half) {
            tx.prepare_cached(
                "INSERT OR IGNORE INTO waiting_links (source, target, type, origin, writer, is_imported)
                 SELECT target, source, type, origin, writer, is_imported FROM waiting_links
                 WHERE source = ?2 AND target = ?1 AND type = ?3",
            )?
            .execute([id, other, link_type])?;
        }
    }
    Ok(())
}

/// Which links of a memory are withdrawn.
#[derive(Clone, Copy)]
pub(super) enum Withdrawn<'a> {
    /// With a change by the origin with this row number: those that wait with it, and contradictions of untrusted
    /// imports between memories of which none waits for an import any more.
    With(Option<i64>),
    /// Those that an origin with this name has made.
    MadeBy(&'a str),
    /// All: the memory is deleted.
    All,
}

/// Removes and returns the links of a memory that are withdrawn, and the other halves of bidirectional ones.
pub(super) fn take(tx: &Transaction<'_>, id: &str, which: Withdrawn<'_>) -> Result<Vec<WaitingLink>> {
    let (condition, value): (String, Option<&dyn ToSql>) = match &which {
        Withdrawn::With(origin) => (
            format!(
                "(o.id = ?2 OR (o.import_id <> '' AND o.import_id = (SELECT import_id FROM origins WHERE id = ?2))
                OR (w.is_imported AND w.type = '{CONTRADICTS}'
                    AND NOT EXISTS (SELECT 1 FROM trusted_origins AS t WHERE t.label = o.label)
                    AND NOT EXISTS (SELECT 1 FROM MEMORY_NODES AS m WHERE m.id IN (w.source, w.target) AND {})))",
                origins::waits_for_import("m")
            ),
            Some(origin),
        ),
        Withdrawn::MadeBy(origin) => (format!("w.writer IN {}", origins::named("?2")), Some(origin)),
        Withdrawn::All => ("?2 IS NULL".to_owned(), None),
    };
    let sql = format!(
        "WITH taken AS (
            SELECT w.* FROM waiting_links AS w JOIN origins AS o ON o.id = w.origin
            WHERE (w.source = ?1 OR w.target = ?1) AND {condition})
         SELECT source, target, type, is_imported FROM taken
         UNION SELECT w.source, w.target, w.type, w.is_imported FROM taken AS t JOIN waiting_links AS w
            ON w.source = t.target AND w.target = t.source AND w.type = t.type AND w.writer = t.writer
         ORDER BY 1, 2, 3"
    );
    let links: Vec<WaitingLink> = tx
        .prepare_cached(&sql)?
        .query_map(params![id, value], |row| {
            Ok(WaitingLink {
                source: row.get(0)?,
                target: row.get(1)?,
                link_type: row.get(2)?,
                is_imported: row.get(3)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    for link in &links {
        delete(tx, (&link.source, &link.target), &link.link_type)?;
    }
    Ok(links)
}

/// Returns the ends of the waiting links that an origin has made, and its label: of one user's memories, or all.
pub(crate) fn made_by(
    tx: &Transaction<'_>,
    origin: &str,
    user_id: Option<&str>,
) -> Result<Vec<(String, String, String)>> {
    let sql = format!(
        "SELECT w.source, w.target, o.label FROM waiting_links AS w JOIN origins AS o ON o.id = w.writer
             JOIN MEMORY_NODES AS m ON m.id = w.source
         WHERE w.writer IN {} AND (?2 IS NULL OR m.user_id = ?2) ORDER BY m.rowid, w.target, w.type",
        origins::named("?1")
    );
    let mut statement = tx.prepare_cached(&sql)?;
    let rows =
        statement.query_map(params![origin, user_id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
