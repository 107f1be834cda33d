//! Links between memories. Within a domain they are edges with a type and a strength; across domains, references.

use std::{collections::HashSet, sync::LazyLock};

use rusqlite::{OptionalExtension, Row, params};

use super::{
    cycles::{CycleSearch, is_acyclic},
    link_ids,
    near_duplicate_edges::{self, DISMISSED, POSSIBLE_CONTRADICTION},
    require, supersession,
    validity::{self, ValidAt},
    waiting_links,
};
use crate::{
    Error, Result, Transaction,
    store::{
        logs::audit::{self, Action, Actor},
        timestamps,
    },
};

/// The type of a link that has no other.
pub const RELATED: &str = "related";

/// A link to create, from a given memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Link {
    /// Id of its target.
    pub target_id: String,
    /// `supports`, `contradicts`, `refines`, `supersedes` or a type of the caller's own.
    pub link_type: String,
    /// 0 to 1.
    pub strength: f64,
    /// Description of a reference across domains.
    pub description: Option<String>,
    /// Whether it is followed from both ends.
    pub bidirectional: bool,
}

/// A link within a domain.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// See [`link_ids::free`].
    pub id: String,
    /// Id of its source.
    pub source: String,
    /// Id of its target.
    pub target: String,
    /// Its type.
    pub link_type: String,
    /// 0 to 1.
    pub strength: f64,
    /// When it was created or last changed.
    pub timestamp: String,
    /// The domain of both.
    pub domain: String,
}

/// A link across domains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainRef {
    /// Id of its source.
    pub node_id: String,
    /// Domain of its source.
    pub domain: String,
    /// Domain of its target.
    pub target_domain: String,
    /// Id of its target.
    pub target_node_id: String,
    /// Its description.
    pub description: Option<String>,
    /// Whether it is followed from both ends.
    pub bidirectional: bool,
}

impl DomainRef {
    /// The type that it counts as: its description.
    #[must_use]
    pub fn link_type(&self) -> &str {
        self.description.as_deref().filter(|text| !text.is_empty()).unwrap_or(RELATED)
    }
}

/// How a link was stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Linked {
    /// As an edge: both memories are in one domain.
    Edge(Edge),
    /// As a reference: they are in different domains.
    Reference(DomainRef),
}

const EDGE: &str = "id, source, target, type, strength, timestamp, domain";
const REFERENCE: &str = "nodeId, domain, targetDomain, targetNodeId, description, bidirectional";

fn load_edge(row: &Row<'_>) -> rusqlite::Result<Edge> {
    Ok(Edge {
        id: row.get(0)?,
        source: row.get(1)?,
        target: row.get(2)?,
        link_type: row.get(3)?,
        strength: row.get(4)?,
        timestamp: row.get(5)?,
        domain: row.get(6)?,
    })
}

fn load_reference(row: &Row<'_>) -> rusqlite::Result<DomainRef> {
    Ok(DomainRef {
        node_id: row.get(0)?,
        domain: row.get(1)?,
        target_domain: row.get(2)?,
        target_node_id: row.get(3)?,
        description: row.get(4)?,
        bidirectional: row.get(5)?,
    })
}

/// Links two memories; an existing link of the same type gets the new strength. Within a domain `supersedes` ends the
/// validity of its target, if both memories have the same user.
///
/// # Errors
/// [`Error::MemoryNotFound`]; [`Error::InvalidArgument`] for a link to itself; [`Error::Conflict`] for a cycle of
/// `supersedes` or `refines`, references between domains included.
pub(crate) fn link(tx: &Transaction<'_>, from: &str, link: &Link, actor: Actor<'_>) -> Result<Linked> {
    link_acyclic(tx, from, link, actor, &mut CycleSearch::from(from))
}

fn link_acyclic(
    tx: &Transaction<'_>,
    from: &str,
    link: &Link,
    actor: Actor<'_>,
    cycles: &mut CycleSearch<'_>,
) -> Result<Linked> {
    let to = link.target_id.as_str();
    let (domain, target_domain) = (domain_of(tx, from)?, domain_of(tx, to)?);
    if from == to {
        return Err(Error::invalid(format!("A memory cannot be linked to itself: {from}")));
    }
    if is_acyclic(&link.link_type) {
        if link.bidirectional {
            return Err(Error::Conflict(format!(
                "{} must not be bidirectional: it would create a cycle",
                link.link_type
            )));
        }
        if cycles.finds(tx, to, &link.link_type)? {
            return Err(Error::Conflict(format!(
                "{} would create a cycle: {to} already leads to {from}",
                link.link_type
            )));
        }
    }
    audit::record(tx, Action::Link, from, actor)?;
    if domain != target_domain {
        // A reference has its description as type, and replaces another one.
        let described = link.description.as_deref().unwrap_or(&link.link_type);
        let described = if described.is_empty() { RELATED } else { described };
        waiting_links::confirm(tx, (from, to), described, actor)?;
        if let Some(known) = reference(tx, from, to)?.filter(|known| known.link_type() != described) {
            waiting_links::confirm(tx, (from, to), known.link_type(), actor)?;
        }
        tx.prepare_cached(
            "INSERT INTO DOMAIN_REFS (nodeId, domain, targetDomain, targetNodeId, description, bidirectional)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO UPDATE SET description = ?5, bidirectional = ?6",
        )?
        .execute(params![
            from,
            domain,
            target_domain,
            to,
            link.description.as_ref().unwrap_or(&link.link_type),
            link.bidirectional
        ])?;
        return reference(tx, from, to)?.map(Linked::Reference).ok_or_else(|| {
            Error::Internal(format!("the reference from {from} was not found after it was stored"))
        });
    }
    waiting_links::confirm(tx, (from, to), &link.link_type, actor)?;
    let edge = put(tx, (from, to), link, &domain)?;
    if link.bidirectional {
        waiting_links::confirm(tx, (to, from), &link.link_type, actor)?;
        put(tx, (to, from), link, &domain)?;
    }
    if link.link_type == "supersedes" {
        supersession::end(tx, to, from)?;
    }
    Ok(Linked::Edge(edge))
}

/// Deletes a link, whether it is stored as an edge or a reference. A memory that `supersedes` had ended becomes valid
/// again. A possible contradiction, in either direction, is dismissed: it does not reappear until one of the texts
/// changes. Returns whether the link existed.
///
/// # Errors
/// [`Error::MemoryNotFound`].
pub fn unlink(tx: &Transaction<'_>, from: &str, link: &Link, actor: Actor<'_>) -> Result<bool> {
    let to = link.target_id.as_str();
    domain_of(tx, from)?;
    // A reference is deleted whatever its type.
    let reference = reference(tx, from, to)?;
    let was = reference.as_ref().map_or(link.link_type.as_str(), DomainRef::link_type);
    let mut gone = if link.link_type == POSSIBLE_CONTRADICTION {
        usize::from(near_duplicate_edges::dismiss(tx, from, to)?)
    } else {
        tx.prepare_cached("DELETE FROM MEMORY_EDGES WHERE source = ?1 AND target = ?2 AND type = ?3")?
            .execute(params![from, to, link.link_type])?
    };
    if link.bidirectional && link.link_type != POSSIBLE_CONTRADICTION {
        gone += tx
            .prepare_cached("DELETE FROM MEMORY_EDGES WHERE source = ?2 AND target = ?1 AND type = ?3")?
            .execute(params![from, to, link.link_type])?;
    }
    gone += tx
        .prepare_cached("DELETE FROM DOMAIN_REFS WHERE nodeId = ?1 AND targetNodeId = ?2")?
        .execute(params![from, to])?;
    if gone > 0 {
        if was == "supersedes" {
            supersession::undo(tx, to, from)?;
        }
        supersession::clear_superseded_by(tx, from, to)?;
        audit::record(tx, Action::Unlink, from, actor)?;
    } else {
        // Another program may have left a reference to a deleted memory, which can be removed.
        domain_of(tx, to)?;
    }
    Ok(gone > 0)
}

/// Creates several links from one memory; with a user, only to that user's memories.
///
/// # Errors
/// As [`link`].
pub(crate) fn add_all(
    tx: &Transaction<'_>,
    from: &str,
    links: &[Link],
    user_id: Option<&str>,
    actor: Actor<'_>,
) -> Result<()> {
    let mut cycles = CycleSearch::from(from);
    links.iter().try_for_each(|it| {
        require(tx, &it.target_id, user_id)?;
        link_acyclic(tx, from, it, actor, &mut cycles).map(drop)
    })
}

/// Replaces all links that start from a memory within its domain by these, except automatic ones; with a user, only
/// links to that user's memories.
///
/// # Errors
/// As [`link`].
pub(crate) fn replace_links(
    tx: &Transaction<'_>,
    from: &str,
    links: &[Link],
    user_id: Option<&str>,
    actor: Actor<'_>,
) -> Result<()> {
    let staying: HashSet<(&str, &str)> =
        links.iter().map(|link| (link.target_id.as_str(), link.link_type.as_str())).collect();
    let stays = |edge: &Edge| staying.contains(&(edge.target.as_str(), edge.link_type.as_str()));
    let mut known = edges_from(tx, from)?;
    known.retain(|edge| !near_duplicate_edges::is_automatic(&edge.link_type));
    for edge in known.into_iter().filter(|edge| !stays(edge)) {
        let old = Link { target_id: edge.target, link_type: edge.link_type, ..Link::default() };
        unlink(tx, from, &old, actor)?;
    }
    add_all(tx, from, links, user_id, actor)
}

/// Returns the edges that start from a memory, by id, without dismissed ones.
pub(crate) fn edges_from(tx: &Transaction<'_>, id: &str) -> Result<Vec<Edge>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {EDGE} FROM MEMORY_EDGES WHERE source = ?1 AND NOT {DISMISSED} ORDER BY id"
    ))?;
    let rows = statement.query_map([id], load_edge)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the edges that start from a memory or lead to it, by id, without dismissed ones.
pub fn edges_touching(tx: &Transaction<'_>, id: &str) -> Result<Vec<Edge>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {EDGE} FROM MEMORY_EDGES WHERE (source = ?1 OR target = ?1) AND NOT {DISMISSED} ORDER BY id"
    ))?;
    let rows = statement.query_map([id], load_edge)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The statement of [`contradicting`].
static CONTRADICTING: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT DISTINCT m.id FROM MEMORY_EDGES AS e
         JOIN MEMORY_NODES AS m ON m.id = CASE e.source WHEN ?1 THEN e.target ELSE e.source END
         JOIN MEMORY_NODES AS o ON o.id = ?1
         WHERE e.type = 'contradicts' AND (e.source = ?1 OR e.target = ?1) AND m.id <> ?1
            AND m.user_id IS o.user_id AND {} ORDER BY m.id",
        validity::holds("m", ValidAt::Now)
    )
    .replace(":now", "?2")
});

/// Returns the valid memories of the same user that are linked to a memory by `contradicts`, in either direction, by
/// id.
pub fn contradicting(tx: &Transaction<'_>, id: &str) -> Result<Vec<String>> {
    let mut statement = tx.prepare_cached(&CONTRADICTING)?;
    let rows = statement.query_map(params![id, tx.now_text()], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Whether a memory contradicts another one, or would if both were in one domain.
pub(crate) fn is_in_contradiction(tx: &Transaction<'_>, id: &str) -> Result<bool> {
    Ok(tx
        .prepare_cached(
            "SELECT 1 FROM MEMORY_EDGES WHERE type = 'contradicts' AND (source = ?1 OR target = ?1)
             UNION ALL SELECT 1 FROM DOMAIN_REFS
                WHERE description = 'contradicts' AND (nodeId = ?1 OR targetNodeId = ?1)",
        )?
        .exists([id])?)
}

/// Returns the references that start from a memory or lead to it, by their ends.
pub fn refs_touching(tx: &Transaction<'_>, id: &str) -> Result<Vec<DomainRef>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {REFERENCE} FROM DOMAIN_REFS WHERE nodeId = ?1 OR targetNodeId = ?1
         ORDER BY nodeId, targetDomain, targetNodeId"
    ))?;
    let rows = statement.query_map([id], load_reference)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the types of all links, edges and references, in alphabetical order; with a user, only of links between that
/// user's memories. A reference whose description is too long for a type has none.
pub fn link_types(tx: &Transaction<'_>, user_id: Option<&str>) -> Result<Vec<String>> {
    let mut statement = tx.prepare_cached(
        "SELECT DISTINCT l.type FROM (
            SELECT source, target, type FROM MEMORY_EDGES
            UNION ALL SELECT nodeId, targetNodeId, coalesce(nullif(description, ''), 'related') FROM DOMAIN_REFS
         ) AS l JOIN MEMORY_NODES AS s ON s.id = l.source JOIN MEMORY_NODES AS t ON t.id = l.target
         WHERE (?1 IS NULL OR (s.user_id = ?1 AND t.user_id = ?1)) AND length(l.type) <= 100 ORDER BY l.type",
    )?;
    let rows = statement.query_map([user_id], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Whether there is an edge with these ends and this type.
pub(super) fn is_linked(tx: &Transaction<'_>, from: &str, to: &str, link_type: &str) -> Result<bool> {
    Ok(tx
        .prepare_cached("SELECT 1 FROM MEMORY_EDGES WHERE source = ?1 AND target = ?2 AND type = ?3")?
        .exists([from, to, link_type])?)
}

/// Stores an edge. One with the same ends and type gets the new strength and time; imports may have left several.
fn put(tx: &Transaction<'_>, (from, to): (&str, &str), link: &Link, domain: &str) -> Result<Edge> {
    let now = timestamps::now(tx)?;
    let known: Vec<Edge> = tx
        .prepare_cached(&format!(
            "UPDATE MEMORY_EDGES SET strength = ?4, timestamp = ?5, domain = ?6
             WHERE source = ?1 AND target = ?2 AND type = ?3 RETURNING {EDGE}"
        ))?
        .query_map(params![from, to, link.link_type, link.strength, now, domain], load_edge)?
        .collect::<rusqlite::Result<_>>()?;
    if let Some(first) = known.into_iter().min_by(|one, other| one.id.cmp(&other.id)) {
        return Ok(first);
    }
    let mut statement = tx.prepare_cached(&format!(
        "INSERT INTO MEMORY_EDGES (id, source, target, type, strength, timestamp, domain)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING {EDGE}"
    ))?;
    let id = link_ids::free(tx, from, to, &link.link_type)?;
    let values = params![id, from, to, link.link_type, link.strength, now, domain];
    Ok(statement.query_row(values, load_edge)?)
}

fn reference(tx: &Transaction<'_>, from: &str, to: &str) -> Result<Option<DomainRef>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {REFERENCE} FROM DOMAIN_REFS WHERE nodeId = ?1 AND targetNodeId = ?2"
    ))?;
    Ok(statement.query_row([from, to], load_reference).optional()?)
}

fn domain_of(tx: &Transaction<'_>, id: &str) -> Result<String> {
    tx.prepare_cached("SELECT domain FROM MEMORY_NODES WHERE id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?
        .ok_or_else(|| Error::MemoryNotFound(id.to_owned()))
}
