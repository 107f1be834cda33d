//! Effects of the links `supersedes` and `contradicts` on their targets, and their reversal.
//!
//! `superseded_by` names the successor that ended a memory. A memory that had already ended has none, so that deleting
//! the link does not make it valid again.

use std::collections::HashSet;

use rusqlite::{OptionalExtension, params};

use super::validity::{self, ValidAt};
use crate::{Result, Transaction, store::timestamps};

/// The memories of the same user that superseded the memory `?1`, the earliest first.
const SUCCESSORS: &str = "SELECT l.source FROM (
        SELECT source, target FROM MEMORY_EDGES WHERE target = ?1 AND type = 'supersedes'
        UNION ALL SELECT nodeId, targetNodeId FROM DOMAIN_REFS WHERE targetNodeId = ?1 AND description = 'supersedes'
    ) AS l JOIN MEMORY_NODES AS s ON s.id = l.source JOIN MEMORY_NODES AS t ON t.id = l.target
    WHERE s.user_id IS t.user_id ORDER BY s.timestamp, s.id";

/// Ends a memory that another one of the same user supersedes. A memory that has already ended keeps its end.
pub(super) fn end(tx: &Transaction<'_>, id: &str, successor: &str) -> Result<()> {
    let holds = validity::has_not_ended("MEMORY_NODES", ValidAt::Now).replace(":now", "?3");
    tx.prepare_cached(&format!(
        "UPDATE MEMORY_NODES SET
            superseded_by = CASE WHEN {holds} THEN ?2
                WHEN invalidation_reason IS NOT NULL THEN coalesce(superseded_by, ?2) ELSE superseded_by END,
            valid_until = CASE WHEN {holds} THEN ?3 ELSE valid_until END
         WHERE id = ?1 AND user_id IS (SELECT user_id FROM MEMORY_NODES WHERE id = ?2)"
    ))?
    .execute(params![id, successor, timestamps::now(tx)?])?;
    Ok(())
}

/// Reverses the effect of a removed link: if another memory supersedes this one, that one is stored as successor; else
/// the memory is valid again, unless it was ended with a reason.
pub(super) fn undo(tx: &Transaction<'_>, id: &str, successor: &str) -> Result<()> {
    let other: Option<String> =
        tx.prepare_cached(SUCCESSORS)?.query_row([id], |row| row.get(0)).optional()?;
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET superseded_by = ?3, valid_until = CASE
            WHEN ?3 IS NULL AND invalidation_reason IS NULL THEN NULL ELSE valid_until END
         WHERE id = ?1 AND superseded_by = ?2 AND valid_until IS NOT NULL",
    )?
    .execute(params![id, successor, other])?;
    Ok(())
}

/// Updates the memories that a memory supersedes before it is deleted: they stay ended, with another successor if there
/// is one.
pub(super) fn hand_on(tx: &Transaction<'_>, successor: &str) -> Result<()> {
    let ended: Vec<String> = tx
        .prepare_cached("SELECT id FROM MEMORY_NODES WHERE superseded_by = ?1")?
        .query_map([successor], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for id in ended {
        let successors: Vec<String> = tx
            .prepare_cached(SUCCESSORS)?
            .query_map([&id], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let other = successors.into_iter().find(|other| other != successor);
        tx.prepare_cached("UPDATE MEMORY_NODES SET superseded_by = ?2 WHERE id = ?1")?
            .execute(params![id, other])?;
    }
    Ok(())
}

/// Ends a memory that has got back a former state: by the first memory that supersedes it and is none of the `former`
/// ones, which had their effect. Links of imports have none. Of the `present` end, successor and time, the time is kept
/// if it is that successor's.
pub(super) fn end_again(
    tx: &Transaction<'_>,
    id: &str,
    former: &HashSet<String>,
    present: (Option<String>, Option<String>),
) -> Result<()> {
    let successors: Vec<String> =
        tx.prepare_cached(SUCCESSORS)?.query_map([id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut is_imported = tx.prepare_cached(
        "SELECT 1 FROM waiting_links WHERE source = ?1 AND target = ?2 AND type = 'supersedes' AND is_imported",
    )?;
    for successor in successors.into_iter().filter(|it| !former.contains(it)) {
        if is_imported.exists([successor.as_str(), id])? {
            continue;
        }
        let ended_at = present.1.filter(|_| present.0.as_ref() == Some(&successor));
        end(tx, id, &successor)?;
        tx.prepare_cached(
            "UPDATE MEMORY_NODES SET valid_until = coalesce(?3, valid_until)
             WHERE id = ?1 AND superseded_by = ?2",
        )?
        .execute(params![id, successor, ended_at])?;
        break;
    }
    Ok(())
}

/// Clears the winner that maintenance has recorded, after two memories no longer contradict each other.
pub(super) fn clear_superseded_by(tx: &Transaction<'_>, one: &str, other: &str) -> Result<()> {
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET superseded_by = NULL
         WHERE valid_until IS NULL AND ((id = ?1 AND superseded_by = ?2) OR (id = ?2 AND superseded_by = ?1))
            AND NOT EXISTS (SELECT 1 FROM MEMORY_EDGES WHERE type = 'contradicts'
                AND ((source = ?1 AND target = ?2) OR (source = ?2 AND target = ?1)))",
    )?
    .execute(params![one, other])?;
    Ok(())
}
