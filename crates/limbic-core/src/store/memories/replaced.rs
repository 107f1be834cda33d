//! The states that memories had before changes that wait for review, and giving them back.
//!
//! Each origin for which a memory has waited has one row in `replaced_states`, the earliest first: the state before its
//! first change. A client that changes what waits for another one in the same project, or for an import, has none of
//! its own: the memory still waits for the first, whose rejection takes back both. Files that are imported again and
//! sessions of one client count as one origin while nobody else changes the memory.
//!
//! A rejection gives back the last row, which may wait for the origin before. What has been changed since, by whomever,
//! is undone with it; the history keeps the texts. The owner, links that others have made, and an end that such a link
//! or a person has set stay.

use std::{collections::HashSet, sync::LazyLock};

use rusqlite::{OptionalExtension, params};

use super::{
    CycleSearch, Link, MemoryNode, kept_links, link_ids, links, mentions, near_duplicate_edges, relink,
    search_forms, supersession,
    waiting_links::{self, WaitingLink, Withdrawn},
};
use crate::{
    Result, Transaction,
    store::{
        logs::audit::{self, Action, Actor},
        origins::{self, Kind, Origin},
        timestamps,
    },
};

/// The columns of `MEMORY_NODES` that are given back, apart from the domain, the end and the time of the last change.
const COLUMNS: [&str; 27] = [
    "content",
    "timestamp",
    "path",
    "content_summary",
    "summary_timestamp",
    "category",
    "subject",
    "source",
    "confidence",
    "confidence_at",
    "last_accessed",
    "access_count",
    "expires_at",
    "tier",
    "heat",
    "pinned",
    "promotion_count",
    "last_promoted_at",
    "memory_type",
    "metadata",
    "event_time",
    "ingestion_time",
    "valid_from",
    "importance_score",
    "content_hash",
    "stated_at",
    "unconfirmed_origin",
];

/// The columns of the end of a memory.
const END: [&str; 3] = ["valid_until", "invalidation_reason", "superseded_by"];

/// The statement of [`snapshot`]. Other programs may have written bytes, which JSON cannot hold.
static SNAPSHOT: LazyLock<String> = LazyLock::new(|| {
    let field = |column: &&str| {
        format!("'{column}', iif(typeof(m.{column}) = 'blob', CAST(m.{column} AS TEXT), m.{column})")
    };
    format!(
        "SELECT json_object({}, 'domain', m.domain,
            'audit', (SELECT coalesce(max(seq), 0) FROM audit_log),
            'accepted', EXISTS (SELECT 1 FROM accepted_memories WHERE memory_id = m.id),
            'tags', json((SELECT json_group_array(CAST(tag AS TEXT)) FROM MEMORY_TAGS WHERE nodeId = m.id)),
            'entities', json((SELECT json_group_array(entity_id) FROM memory_entities
                WHERE memory_id = m.id AND given)),
            'symbols', json((SELECT json_group_array(json_array(project_id, file_path, qualified_name, shape_hash,
                is_unique, given, moved_path, moved_name)) FROM memory_symbols WHERE memory_id = m.id)),
            'links', json((SELECT json_group_array(json_array(e.id, e.source, e.target, e.type, e.strength,
                e.timestamp, o.content_hash, iif(t.superseded_by IS e.source, t.valid_until, NULL),
                EXISTS (SELECT 1 FROM waiting_links AS w
                    WHERE w.source = e.source AND w.target = e.target AND w.type = e.type)))
                FROM MEMORY_EDGES AS e JOIN MEMORY_NODES AS t ON t.id = e.target
                JOIN MEMORY_NODES AS o ON o.id = CASE e.source WHEN m.id THEN e.target ELSE e.source END
                WHERE (e.source = m.id OR e.target = m.id)
                    AND (e.type NOT IN ('near_duplicate', 'possible_contradiction')
                        OR e.type = 'possible_contradiction' AND e.strength = 0))),
            'references', json((SELECT json_group_array(json_array(nodeId, targetNodeId, description, bidirectional,
                EXISTS (SELECT 1 FROM waiting_links AS w WHERE w.source = nodeId AND w.target = targetNodeId
                    AND w.type = coalesce(nullif(description, ''), 'related'))))
                FROM DOMAIN_REFS WHERE nodeId = m.id OR targetNodeId = m.id)))
         FROM MEMORY_NODES AS m WHERE m.id = ?1",
        COLUMNS.iter().chain(&END).map(field).collect::<Vec<_>>().join(", ")
    )
});

/// The statement that gives the columns back. This is a later change than the one that is taken back, so that the same
/// import does not make that again.
static GIVE_BACK: LazyLock<String> = LazyLock::new(|| {
    let field = |column: &&str| format!("{column} = r.record ->> '$.{column}'");
    format!(
        "UPDATE MEMORY_NODES SET {}, updated_at = max(?3, coalesce(updated_at, ?3)),
            domain = coalesce((SELECT d.id FROM DOMAINS AS d WHERE d.id = r.record ->> '$.domain'), domain)
         FROM replaced_states AS r WHERE r.seq = ?2 AND MEMORY_NODES.id = ?1",
        COLUMNS.iter().map(field).collect::<Vec<_>>().join(", ")
    )
});

/// Returns the state of a memory with its links as JSON, for [`keep`].
///
/// # Errors
/// If the memory does not exist.
pub(crate) fn snapshot(tx: &Transaction<'_>, id: &str) -> Result<String> {
    Ok(tx.prepare_cached(&SNAPSHOT)?.query_row([id], |row| row.get(0))?)
}

/// Keeps the state `before` a change by `writer` that makes a memory wait because of an origin, unless the memory has
/// waited for this origin already. Records the links that the change has made from the memory. A trusted origin may
/// lose the trust.
pub(crate) fn keep(
    tx: &Transaction<'_>,
    id: &str,
    before: &str,
    origin: &Origin,
    writer: &Origin,
) -> Result<()> {
    let (origin, writer) = (origins::id_of(tx, origin)?, origins::id_of(tx, writer)?);
    if !continues_last(tx, id, origin)? {
        tx.prepare_cached(
            "INSERT INTO replaced_states (memory_id, origin, record)
             SELECT ?1, ?2, ?3 WHERE ?3 ->> '$.unconfirmed_origin' IS NOT ?2",
        )?
        .execute(params![id, origin, before])?;
    }
    waiting_links::note_new(tx, id, before, (origin, writer))
}

/// Sets the origin of the last kept state of a memory to this one, if that is an earlier session of it or an earlier
/// import of its file, and nobody else has changed the memory since. Returns whether it is.
fn continues_last(tx: &Transaction<'_>, id: &str, origin: i64) -> Result<bool> {
    let last: Option<(i64, i64)> = tx
        .prepare_cached(
            "SELECT r.seq, r.origin FROM replaced_states AS r JOIN origins AS o ON o.id = r.origin
                 JOIN origins AS n ON n.id = ?2
             WHERE r.seq = (SELECT max(seq) FROM replaced_states WHERE memory_id = ?1)
                AND ((o.label = n.label AND o.project = n.project)
                    OR (o.kind = ?3 AND n.kind = ?3 AND o.file = n.file AND o.file <> ''))
                AND NOT EXISTS (SELECT 1 FROM audit_log AS a LEFT JOIN origins AS c ON c.id = a.origin
                    WHERE a.memory_id = ?1 AND a.seq > r.record ->> '$.audit' AND a.action = ?4
                        AND (c.label IS NOT o.label OR c.project IS NOT o.project)
                        AND (o.kind <> ?3 OR c.kind IS NOT ?3 OR c.file IS NOT o.file))",
        )?
        .query_row(params![id, origin, Kind::Import.name(), Action::Update.name()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((seq, earlier)) = last else { return Ok(false) };
    if earlier != origin {
        tx.prepare_cached("UPDATE replaced_states SET origin = ?2 WHERE seq = ?1")?.execute([seq, origin])?;
        waiting_links::hand_over(tx, id, earlier, origin)?;
    }
    Ok(true)
}

/// Records the links that `writer` has made from a memory since the state `before`, as far as they wait: with this
/// memory, or with their target, if that waits because of the same client.
pub(crate) fn note_links(tx: &Transaction<'_>, id: &str, before: &str, writer: &Origin) -> Result<()> {
    let writer = origins::id_of(tx, writer)?;
    if let Some(origin) = origin_waited_for(tx, id)? {
        return waiting_links::note_new(tx, id, before, (origin, writer));
    }
    for (target, link_type) in waiting_links::made(tx, id, before)? {
        let Some(origin) = origin_waited_for(tx, &target)? else { continue };
        if origins::label_of(tx, origin)? == origins::label_of(tx, writer)? {
            waiting_links::note(tx, (id, &target), &link_type, (origin, writer))?;
        }
    }
    Ok(())
}

/// Returns the row number of the origin with which the links of a memory wait: that of its last change that waits, or
/// the one that has brought it. A trusted one counts, since it may lose the trust.
pub(crate) fn origin_waited_for(tx: &Transaction<'_>, id: &str) -> Result<Option<i64>> {
    if let Some(waiting) = before_waiting(tx, id)? {
        return Ok(Some(waiting.origin));
    }
    Ok(tx
        .prepare_cached("SELECT unconfirmed_origin FROM MEMORY_NODES WHERE id = ?1")?
        .query_row([id], |row| row.get(0))?)
}

/// Forgets the former states of a memory, of whose present one a person has decided that it stays.
pub(crate) fn forget(tx: &Transaction<'_>, id: &str) -> Result<()> {
    tx.prepare_cached("DELETE FROM replaced_states WHERE memory_id = ?1")?.execute([id])?;
    waiting_links::confirm_all(tx, id)
}

/// A state that a change replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Replaced {
    seq: i64,
    /// The row number of the origin of the change.
    origin: i64,
}

/// Returns the state before the change because of which a memory waits, if it was kept.
pub(crate) fn before_waiting(tx: &Transaction<'_>, id: &str) -> Result<Option<Replaced>> {
    let last = tx
        .prepare_cached(
            "SELECT r.seq, r.origin, EXISTS (SELECT 1 FROM MEMORY_NODES AS m
                 JOIN origins AS u ON u.id = m.unconfirmed_origin JOIN origins AS o ON o.id = r.origin
                 WHERE m.id = r.memory_id AND o.label = u.label)
             FROM replaced_states AS r WHERE r.memory_id = ?1 ORDER BY r.seq DESC LIMIT 1",
        )?
        .query_row([id], |row| Ok((Replaced { seq: row.get(0)?, origin: row.get(1)? }, row.get(2)?)))
        .optional()?;
    Ok(last.and_then(|(replaced, is_waiting): (_, bool)| is_waiting.then_some(replaced)))
}

/// Gives a memory a former state back, which is the last one that was kept, and deletes the links that the change has
/// made. `before` is the memory as it is now. Returns whether its domain still exists.
pub(crate) fn give_back(
    tx: &Transaction<'_>,
    before: &MemoryNode,
    replaced: Replaced,
    actor: Actor<'_>,
) -> Result<bool> {
    let id = before.id.as_str();
    tx.prepare_cached(&GIVE_BACK)?.execute(params![id, replaced.seq, timestamps::now(tx)?])?;
    tx.prepare_cached("DELETE FROM MEMORY_TAGS WHERE nodeId = ?1")?.execute([id])?;
    tx.prepare_cached(
        "INSERT OR IGNORE INTO MEMORY_TAGS (nodeId, tag)
         SELECT ?1, t.value FROM replaced_states AS r, json_each(r.record, '$.tags') AS t WHERE r.seq = ?2",
    )?
    .execute(params![id, replaced.seq])?;
    // The trigger on paths writes the words again, without the former tags.
    tx.prepare_cached("UPDATE MEMORY_NODES SET path = path WHERE id = ?1")?.execute([id])?;
    search_forms::index_forms(tx, id)?;
    tx.prepare_cached(
        "INSERT OR IGNORE INTO accepted_memories (memory_id)
         SELECT ?1 FROM replaced_states WHERE seq = ?2 AND record ->> '$.accepted'",
    )?
    .execute(params![id, replaced.seq])?;
    let after = super::get(tx, id)?;
    let parts = |memory: &MemoryNode| {
        (memory.content.clone(), memory.domain.clone(), memory.subject.clone(), memory.user_id.clone())
    };
    if parts(before) != parts(&after) {
        near_duplicate_edges::forget(tx, id)?;
    }
    give_back_mentions(tx, &after, replaced)?;
    if before.domain != after.domain {
        relink(tx, Some(id))?;
    }
    withdraw_links(tx, id, Some(replaced.origin), actor)?;
    give_back_links(tx, id, replaced)?;
    give_back_end(tx, id, replaced)?;
    let has_domain = tx
        .prepare_cached("SELECT 1 FROM replaced_states WHERE seq = ?1 AND record ->> '$.domain' = ?2")?
        .exists(params![replaced.seq, after.domain])?;
    tx.prepare_cached("DELETE FROM replaced_states WHERE seq = ?1")?.execute([replaced.seq])?;
    Ok(has_domain)
}

/// Gives back the entities that were given to a memory, as far as they exist, and its links to code.
fn give_back_mentions(tx: &Transaction<'_>, memory: &MemoryNode, replaced: Replaced) -> Result<()> {
    let id = memory.id.as_str();
    mentions::remove_all(tx, id)?;
    mentions::find_in_text(tx, id, &memory.content)?;
    tx.prepare_cached(
        "INSERT INTO memory_entities (memory_id, entity_id, given)
         SELECT ?1, e.id, 1 FROM replaced_states AS r, json_each(r.record, '$.entities') AS g
         JOIN entities AS e ON e.id = g.value WHERE r.seq = ?2
         ON CONFLICT DO UPDATE SET given = 1",
    )?
    .execute(params![id, replaced.seq])?;
    tx.prepare_cached(
        "DELETE FROM memory_symbols WHERE memory_id = ?1 AND NOT EXISTS (
            SELECT 1 FROM replaced_states AS r, json_each(r.record, '$.symbols') AS s
            WHERE r.seq = ?2 AND s.value ->> 0 = project_id AND s.value ->> 1 = file_path
                AND s.value ->> 2 = qualified_name)",
    )?
    .execute(params![id, replaced.seq])?;
    // A link that has stayed may have followed its symbol since, into another form of shapes (the lowest byte): that
    // one stays. Otherwise the change may have linked the code as it is now.
    tx.prepare_cached(
        "INSERT INTO memory_symbols (memory_id, project_id, file_path, qualified_name, shape_hash, is_unique, given,
            moved_path, moved_name)
         SELECT ?1, s.value ->> 0, s.value ->> 1, s.value ->> 2, s.value ->> 3, s.value ->> 4, s.value ->> 5,
            s.value ->> 6, s.value ->> 7
         FROM replaced_states AS r, json_each(r.record, '$.symbols') AS s WHERE r.seq = ?2
         ON CONFLICT DO UPDATE SET given = excluded.given,
            shape_hash = iif((shape_hash & 255) = (excluded.shape_hash & 255), excluded.shape_hash, shape_hash),
            is_unique = iif((shape_hash & 255) = (excluded.shape_hash & 255), excluded.is_unique, is_unique),
            moved_path = iif((shape_hash & 255) = (excluded.shape_hash & 255), excluded.moved_path, moved_path),
            moved_name = iif((shape_hash & 255) = (excluded.shape_hash & 255), excluded.moved_name, moved_name)",
    )?
    .execute(params![id, replaced.seq])?;
    Ok(())
}

/// Gives a memory its former end back, without a successor that is deleted. A present end stays if a person or a
/// trusted origin has set it since. A successor that was linked since, and whose link is not taken back, ends the
/// memory.
fn give_back_end(tx: &Transaction<'_>, id: &str, replaced: Replaced) -> Result<()> {
    let is_decided = tx
        .prepare_cached(
            "SELECT 1 FROM MEMORY_NODES AS m JOIN replaced_states AS r ON r.memory_id = m.id AND r.seq = ?2
             WHERE m.id = ?1 AND m.valid_until IS NOT NULL AND r.record ->> '$.valid_until' IS NULL AND EXISTS (
                SELECT 1 FROM audit_log AS a JOIN origins AS o ON o.id = a.origin
                WHERE a.memory_id = m.id AND a.action = ?3 AND a.seq > r.record ->> '$.audit'
                    AND (o.kind IN (?4, ?5) OR EXISTS (SELECT 1 FROM trusted_origins AS t WHERE t.label = o.label)))",
        )?
        .exists(params![
            id,
            replaced.seq,
            Action::Invalidate.name(),
            Kind::Explorer.name(),
            Kind::Cli.name()
        ])?;
    if is_decided {
        return Ok(());
    }
    let present: (Option<String>, Option<String>) = tx
        .prepare_cached("SELECT superseded_by, valid_until FROM MEMORY_NODES WHERE id = ?1")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET valid_until = r.record ->> '$.valid_until',
            invalidation_reason = r.record ->> '$.invalidation_reason',
            superseded_by = (SELECT s.id FROM MEMORY_NODES AS s WHERE s.id = r.record ->> '$.superseded_by')
         FROM replaced_states AS r WHERE r.seq = ?2 AND MEMORY_NODES.id = ?1",
    )?
    .execute(params![id, replaced.seq])?;
    let former: HashSet<String> = tx
        .prepare_cached(
            "SELECT l.value ->> 1 FROM replaced_states AS r, json_each(r.record, '$.links') AS l
             WHERE r.seq = ?2 AND l.value ->> 2 = ?1 AND l.value ->> 3 = 'supersedes'
             UNION SELECT l.value ->> 0 FROM replaced_states AS r, json_each(r.record, '$.references') AS l
             WHERE r.seq = ?2 AND l.value ->> 1 = ?1 AND l.value ->> 2 = 'supersedes'",
        )?
        .query_map(params![id, replaced.seq], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    supersession::end_again(tx, id, &former, present)
}

/// Deletes the links of a memory that wait with this origin, given by its row number, and contradictions that imports
/// could only state because it waited. What they have superseded is valid again.
pub(crate) fn withdraw_links(
    tx: &Transaction<'_>,
    id: &str,
    origin: Option<i64>,
    actor: Actor<'_>,
) -> Result<()> {
    delete_waiting(tx, waiting_links::take(tx, id, Withdrawn::With(origin))?, actor)
}

/// Deletes all links of a memory that wait, before it is deleted with its origin. What they have superseded is valid
/// again.
pub(crate) fn withdraw_all_links(tx: &Transaction<'_>, id: &str, actor: Actor<'_>) -> Result<()> {
    delete_waiting(tx, waiting_links::take(tx, id, Withdrawn::All)?, actor)
}

/// Deletes the links of a memory that wait and that an origin with this name has made. What they have superseded is
/// valid again. Returns whether there were any.
pub(crate) fn withdraw_links_by(
    tx: &Transaction<'_>,
    id: &str,
    origin: &str,
    actor: Actor<'_>,
) -> Result<bool> {
    let links = waiting_links::take(tx, id, Withdrawn::MadeBy(origin))?;
    let has_links = !links.is_empty();
    delete_waiting(tx, links, actor)?;
    Ok(has_links)
}

fn delete_waiting(tx: &Transaction<'_>, links: Vec<WaitingLink>, actor: Actor<'_>) -> Result<()> {
    for link in links {
        let (from, to) = (link.source.as_str(), link.target.as_str());
        kept_links::forget(tx, (from, to), &link.link_type)?;
        if !link.is_imported {
            let old = Link { target_id: to.to_owned(), link_type: link.link_type, ..Link::default() };
            links::unlink(tx, from, &old, actor)?;
            continue;
        }
        // An imported link has ended no memory.
        let edges = tx
            .prepare_cached("DELETE FROM MEMORY_EDGES WHERE source = ?1 AND target = ?2 AND type = ?3")?
            .execute([from, to, &link.link_type])?;
        let references = tx
            .prepare_cached(
                "DELETE FROM DOMAIN_REFS WHERE nodeId = ?1 AND targetNodeId = ?2
                    AND coalesce(nullif(description, ''), 'related') = ?3",
            )?
            .execute([from, to, &link.link_type])?;
        if edges + references > 0 {
            audit::record(tx, Action::Unlink, from, actor)?;
        }
        supersession::clear_superseded_by(tx, from, to)?;
    }
    Ok(())
}

/// An edge that a memory had.
struct Edge {
    id: String,
    source: String,
    target: String,
    link_type: String,
    strength: f64,
    timestamp: String,
    /// Whether the text of the other memory is the same as then.
    has_same_text: bool,
    /// The end of its target, if the source superseded that.
    ended_at: Option<String>,
}

/// Gives back the links that a memory had, as far as the other memories exist, and their strengths.
fn give_back_links(tx: &Transaction<'_>, id: &str, replaced: Replaced) -> Result<()> {
    let edges: Vec<Edge> = tx
        .prepare_cached(
            "SELECT l.value ->> 0, l.value ->> 1, l.value ->> 2, l.value ->> 3, l.value ->> 4, l.value ->> 5,
                 o.content_hash IS l.value ->> 6, l.value ->> 7
             FROM replaced_states AS r, json_each(r.record, '$.links') AS l JOIN MEMORY_NODES AS o
                 ON o.id = CASE l.value ->> 1 WHEN ?1 THEN l.value ->> 2 ELSE l.value ->> 1 END
             WHERE r.seq = ?2 ORDER BY l.key",
        )?
        .query_map(params![id, replaced.seq], |row| {
            Ok(Edge {
                id: row.get(0)?,
                source: row.get(1)?,
                target: row.get(2)?,
                link_type: row.get(3)?,
                strength: row.get(4)?,
                timestamp: row.get(5)?,
                has_same_text: row.get(6)?,
                ended_at: row.get(7)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    for edge in edges {
        give_back_edge(tx, &edge)?;
    }
    tx.prepare_cached(
        "INSERT OR IGNORE INTO DOMAIN_REFS (nodeId, domain, targetDomain, targetNodeId, description, bidirectional)
         SELECT s.id, s.domain, t.domain, t.id, l.value ->> 2, l.value ->> 3
         FROM replaced_states AS r, json_each(r.record, '$.references') AS l
         JOIN MEMORY_NODES AS s ON s.id = l.value ->> 0 JOIN MEMORY_NODES AS t ON t.id = l.value ->> 1
         WHERE r.seq = ?1 AND s.domain <> t.domain",
    )?
    .execute([replaced.seq])?;
    Ok(())
}

fn give_back_edge(tx: &Transaction<'_>, edge: &Edge) -> Result<()> {
    let (from, to) = (edge.source.as_str(), edge.target.as_str());
    let is_dismissed = near_duplicate_edges::is_automatic(&edge.link_type);
    if is_dismissed && !edge.has_same_text {
        return Ok(());
    }
    let kept = tx
        .prepare_cached(
            "UPDATE MEMORY_EDGES SET strength = ?4, timestamp = ?5 WHERE source = ?1 AND target = ?2 AND type = ?3",
        )?
        .execute(params![from, to, edge.link_type, edge.strength, edge.timestamp])?;
    if kept > 0 {
        return Ok(());
    }
    let is_within: bool = tx
        .prepare_cached(
            "SELECT s.domain = t.domain FROM MEMORY_NODES AS s JOIN MEMORY_NODES AS t ON t.id = ?2 WHERE s.id = ?1",
        )?
        .query_row([from, to], |row| row.get(0))?;
    if !is_within {
        if !is_dismissed {
            tx.prepare_cached(
                "INSERT OR IGNORE INTO DOMAIN_REFS (nodeId, domain, targetDomain, targetNodeId, description,
                    bidirectional)
                 SELECT s.id, s.domain, t.domain, t.id, ?3, 0
                 FROM MEMORY_NODES AS s JOIN MEMORY_NODES AS t ON t.id = ?2 WHERE s.id = ?1",
            )?
            .execute([from, to, &edge.link_type])?;
        }
        return Ok(());
    }
    if CycleSearch::from(from).finds(tx, to, &edge.link_type)? {
        return Ok(());
    }
    let is_taken = tx.prepare_cached("SELECT 1 FROM MEMORY_EDGES WHERE id = ?1")?.exists([&edge.id])?;
    let edge_id = if is_taken { link_ids::free(tx, from, to, &edge.link_type)? } else { edge.id.clone() };
    tx.prepare_cached(
        "INSERT INTO MEMORY_EDGES (id, source, target, type, strength, timestamp, domain)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, domain FROM MEMORY_NODES WHERE id = ?2",
    )?
    .execute(params![edge_id, from, to, edge.link_type, edge.strength, edge.timestamp])?;
    if let Some(ended_at) = edge.ended_at.as_deref() {
        tx.prepare_cached(
            "UPDATE MEMORY_NODES SET valid_until = ?3, superseded_by = ?1
             WHERE id = ?2 AND valid_until IS NULL AND user_id IS (SELECT user_id FROM MEMORY_NODES WHERE id = ?1)",
        )?
        .execute([from, to, ended_at])?;
    }
    Ok(())
}

/// Returns the memories that an origin has changed and whose former states are kept, with the label of the origin of
/// the last such change: of one user, or all.
pub(crate) fn changed_by(
    tx: &Transaction<'_>,
    origin: &str,
    user_id: Option<&str>,
) -> Result<Vec<(String, String)>> {
    let sql = format!(
        "SELECT m.id, (SELECT o.label FROM origins AS o WHERE o.id = r.origin), max(r.seq)
         FROM replaced_states AS r JOIN MEMORY_NODES AS m ON m.id = r.memory_id
         WHERE r.origin IN {} AND (?2 IS NULL OR m.user_id = ?2) GROUP BY m.id ORDER BY m.rowid",
        origins::named("?1")
    );
    let mut statement = tx.prepare_cached(&sql)?;
    let rows = statement.query_map(params![origin, user_id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Removes the changes by an origin from those that a memory waits for, where another change has followed, with their
/// links: a rejection of that one gives back the state before both. Returns whether there were any.
pub(crate) fn skip_changes(tx: &Transaction<'_>, id: &str, origin: &str, actor: Actor<'_>) -> Result<bool> {
    let sql = format!(
        "SELECT seq, origin FROM replaced_states AS r WHERE memory_id = ?1 AND origin IN {}
            AND EXISTS (SELECT 1 FROM replaced_states AS n WHERE n.memory_id = ?1 AND n.seq > r.seq)
         ORDER BY seq DESC",
        origins::named("?2")
    );
    let changes: Vec<Replaced> = tx
        .prepare_cached(&sql)?
        .query_map([id, origin], |row| Ok(Replaced { seq: row.get(0)?, origin: row.get(1)? }))?
        .collect::<rusqlite::Result<_>>()?;
    for change in &changes {
        tx.prepare_cached(
            "UPDATE replaced_states SET record = (SELECT record FROM replaced_states WHERE seq = ?2)
             WHERE seq = (SELECT min(seq) FROM replaced_states WHERE memory_id = ?1 AND seq > ?2)",
        )?
        .execute(params![id, change.seq])?;
        tx.prepare_cached("DELETE FROM replaced_states WHERE seq = ?1")?.execute([change.seq])?;
        withdraw_links(tx, id, Some(change.origin), actor)?;
    }
    Ok(!changes.is_empty())
}

/// Returns the state before the last change of a memory, if an origin with this name has made that change and the
/// memory waits for it.
pub(crate) fn before_change_by(tx: &Transaction<'_>, id: &str, origin: &str) -> Result<Option<Replaced>> {
    let Some(last) = before_waiting(tx, id)? else { return Ok(None) };
    let sql = format!("SELECT 1 FROM replaced_states WHERE seq = ?1 AND origin IN {}", origins::named("?2"));
    let is_by = tx.prepare_cached(&sql)?.exists(params![last.seq, origin])?;
    Ok(is_by.then_some(last))
}
