//! Breadth-first traversal of links between memories.
//!
//! Links within a domain are followed from either end, references between domains from their start, and from either end
//! if they are bidirectional. A reference counts as a link of the type that its description names, with strength 1.
//! Links to deleted memories are ignored.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{OptionalExtension, params_from_iter};

use super::{DomainRef, Edge, FROM, Filter, MemoryNode, admits, edges_from, get, refs_touching};
use crate::{Error, Result, Transaction, store::conditions::Conditions};

/// Options of a traversal.
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    /// Maximum distance from the start.
    pub max_depth: usize,
    /// Only memories of this domain, besides the start.
    pub domain: Option<&'a str>,
    /// Whether references between domains are followed.
    pub follow_domains: bool,
    /// Maximum number of memories per domain; omitted memories are not traversed either.
    pub max_nodes_per_domain: usize,
    /// Only links of these types; empty for all.
    pub relation_types: &'a [String],
    /// Only links of at least this strength.
    pub min_strength: Option<f64>,
    /// User isolation: memories of other users are neither returned nor traversed.
    pub user_id: Option<&'a str>,
    /// Whether expired memories, and those that are no longer valid, are included.
    pub include_expired: bool,
}

/// A memory that was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    /// The memory.
    pub memory: MemoryNode,
    /// Distance from the start.
    pub depth: usize,
    /// The link through which it was reached; `None` for the start.
    pub step: Option<Step>,
}

/// The strongest link to a memory from the previous level.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Index, among the reached memories, of the memory at its other end.
    pub parent: usize,
    /// Its type.
    pub link_type: String,
    /// 0 to 1.
    pub strength: f64,
    /// Whether it starts from the memory at the other end.
    pub is_outgoing: bool,
}

/// The result of a traversal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traversal {
    /// By depth, then the strongest link first, then by number.
    pub nodes: Vec<Reached>,
    /// The links between them, in the order of their sources.
    pub edges: Vec<Edge>,
    /// The references from and to them, followed or not, if the memory at the other end is visible.
    pub references: Vec<DomainRef>,
    /// Number of further memories within the distance, by domain.
    pub omitted: BTreeMap<String, usize>,
}

/// Traverses links from a memory. The start is included even if it is no longer valid.
///
/// # Errors
/// [`Error::MemoryNotFound`] for a start that does not exist or is another user's; [`Error::DomainNotFound`].
pub fn traverse(tx: &Transaction<'_>, start: &str, walk: &Walk<'_>) -> Result<Traversal> {
    let first = get(tx, start)?;
    if walk.user_id.is_some_and(|user| first.user_id.as_deref() != Some(user)) {
        return Err(Error::MemoryNotFound(start.to_owned()));
    }
    let mut seen = BTreeSet::from([first.number]);
    let mut room = BTreeMap::from([(first.domain.clone(), walk.max_nodes_per_domain.saturating_sub(1))]);
    let mut found =
        Traversal { nodes: vec![Reached { memory: first, depth: 0, step: None }], ..Traversal::default() };
    let mut level = 0..1;
    for depth in 1..=walk.max_depth {
        for (number, candidate) in next_level(tx, walk, &found.nodes, level.clone(), &seen)? {
            seen.insert(number);
            let left = room.entry(candidate.domain.clone()).or_insert(walk.max_nodes_per_domain);
            if *left == 0 {
                *found.omitted.entry(candidate.domain).or_default() += 1;
                continue;
            }
            *left -= 1;
            let memory = get(tx, &candidate.id)?;
            found.nodes.push(Reached { memory, depth, step: Some(candidate.step) });
        }
        level = level.end..found.nodes.len();
    }
    between(tx, walk, &mut found)?;
    Ok(found)
}

/// Returns the newest visible memory of a domain: the default start of a traversal.
///
/// # Errors
/// [`Error::DomainNotFound`].
pub fn newest(
    tx: &Transaction<'_>,
    domain: &str,
    user_id: Option<&str>,
    include_expired: bool,
) -> Result<Option<String>> {
    let filter = Filter {
        domain: Some(domain),
        user_id,
        include_expired,
        include_contradicted: true,
        ..Filter::default()
    };
    let conditions = filter.conditions(tx)?;
    Ok(tx
        .prepare_cached(&format!(
            "SELECT m.id FROM {FROM}{} ORDER BY m.timestamp DESC, n.number DESC LIMIT 1",
            conditions.sql()
        ))?
        .query_row(params_from_iter(conditions.values()), |row| row.get(0))
        .optional()?)
}

/// A candidate for the next level.
struct Candidate {
    id: String,
    domain: String,
    step: Step,
}

/// Returns the candidates that links from one level lead to, in the order in which they are added, each with its
/// number.
fn next_level(
    tx: &Transaction<'_>,
    walk: &Walk<'_>,
    nodes: &[Reached],
    level: std::ops::Range<usize>,
    seen: &BTreeSet<i64>,
) -> Result<Vec<(i64, Candidate)>> {
    let mut best: BTreeMap<i64, Candidate> = BTreeMap::new();
    for parent in level {
        let Some(node) = nodes.get(parent) else { continue };
        for (number, candidate) in neighbours(tx, walk, &node.memory.id, parent)? {
            let is_better =
                best.get(&number).is_none_or(|other| candidate.step.strength > other.step.strength);
            if is_better && !seen.contains(&number) {
                best.insert(number, candidate);
            }
        }
    }
    let mut all: Vec<(i64, Candidate)> = best.into_iter().collect();
    all.sort_by(|(left, a), (right, b)| {
        b.step.strength.total_cmp(&a.step.strength).then_with(|| left.cmp(right))
    });
    Ok(all)
}

const LINKS: &str =
    "SELECT target AS other, type, strength, 1 AS outgoing FROM MEMORY_EDGES WHERE source = ?1
        AND NOT (type = 'possible_contradiction' AND strength = 0)
    UNION ALL SELECT source, type, strength, 0 FROM MEMORY_EDGES WHERE target = ?1
        AND NOT (type = 'possible_contradiction' AND strength = 0)";

const REFERENCES: &str = "
    UNION ALL SELECT targetNodeId, coalesce(nullif(description, ''), 'related'), 1.0, 1 FROM DOMAIN_REFS
    WHERE nodeId = ?1
    UNION ALL SELECT nodeId, coalesce(nullif(description, ''), 'related'), 1.0, 0 FROM DOMAIN_REFS
    WHERE targetNodeId = ?1 AND bidirectional";

/// Returns the memories at the other ends of a memory's links, strongest link first.
fn neighbours(
    tx: &Transaction<'_>,
    walk: &Walk<'_>,
    id: &str,
    parent: usize,
) -> Result<Vec<(i64, Candidate)>> {
    let mut conditions = Conditions::default();
    conditions.value(id.to_owned());
    let filter = visible(walk);
    filter.add_to(tx, &mut conditions)?;
    if let Some(least) = walk.min_strength {
        conditions.and("l.strength >= ?", least);
    }
    if !walk.relation_types.is_empty() {
        let places: Vec<String> =
            walk.relation_types.iter().map(|link_type| conditions.value(link_type.clone())).collect();
        conditions.and_plain(&format!("l.type IN ({})", places.join(", ")));
    }
    let references = if walk.follow_domains { REFERENCES } else { "" };
    let mut statement = tx.prepare_cached(&format!(
        "SELECT n.number, m.id, m.domain, l.type, l.strength, l.outgoing FROM ({LINKS}{references}) AS l
         JOIN MEMORY_NODES AS m ON m.id = l.other JOIN memory_numbers AS n ON n.id = m.id{}
         ORDER BY l.strength DESC, n.number, l.outgoing DESC, l.type",
        conditions.sql()
    ))?;
    let rows = statement.query_map(params_from_iter(conditions.values()), |row| {
        let step = Step { parent, link_type: row.get(3)?, strength: row.get(4)?, is_outgoing: row.get(5)? };
        Ok((row.get(0)?, Candidate { id: row.get(1)?, domain: row.get(2)?, step }))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn visible<'a>(walk: &Walk<'a>) -> Filter<'a> {
    Filter {
        domain: walk.domain,
        user_id: walk.user_id,
        include_expired: walk.include_expired,
        include_contradicted: true,
        ..Filter::default()
    }
}

/// Finds the links between the reached memories, and the references from and to them.
fn between(tx: &Transaction<'_>, walk: &Walk<'_>, found: &mut Traversal) -> Result<()> {
    let fits = |link_type: &str| {
        walk.relation_types.is_empty() || walk.relation_types.iter().any(|wanted| wanted == link_type)
    };
    let ids: BTreeSet<&str> = found.nodes.iter().map(|node| node.memory.id.as_str()).collect();
    let elsewhere = Filter { domain: None, ..visible(walk) };
    let mut references: Vec<DomainRef> = Vec::new();
    for node in &found.nodes {
        found.edges.extend(edges_from(tx, &node.memory.id)?.into_iter().filter(|edge| {
            ids.contains(edge.target.as_str())
                && fits(&edge.link_type)
                && walk.min_strength.is_none_or(|least| edge.strength >= least)
        }));
        for reference in refs_touching(tx, &node.memory.id)? {
            let other = if reference.node_id == node.memory.id {
                &reference.target_node_id
            } else {
                &reference.node_id
            };
            if !references.contains(&reference)
                && fits(reference.link_type())
                && (ids.contains(other.as_str()) || may_be_seen(tx, &elsewhere, other)?)
            {
                references.push(reference);
            }
        }
    }
    found.references = references;
    Ok(())
}

fn may_be_seen(tx: &Transaction<'_>, filter: &Filter<'_>, id: &str) -> Result<bool> {
    let number: Option<i64> = tx
        .prepare_cached("SELECT number FROM memory_numbers WHERE id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    number.map_or(Ok(false), |number| admits(tx, filter, number))
}
