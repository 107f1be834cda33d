//! A part of the graph to draw: the most used and connected nodes, or the neighbourhood of some nodes.

mod nodes;
mod entity_graph;
mod memory_links;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::lists::{
    entity_list::{self as entity_rows, EntityRow},
    memory_list::{self as memory_rows, MemoryRow},
};
use crate::{Result, Transaction};
use nodes::{Weighted, by_weight};

pub use entity_graph::Edge;
pub use memory_links::{Link, Mention};
pub use nodes::{Filter, Key, Node, Show};

/// Maximum number of edges of a view, and of links and of mentions.
pub(crate) const MAX_EDGES: usize = 100_000;

/// Limits of a traversal from the start nodes.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// Maximum distance from the start nodes.
    pub depth: u32,
    /// Maximum number of nodes added by one node.
    pub neighbours_max: usize,
}

/// Counts of matching nodes and edges that are not shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Entities.
    pub nodes: u64,
    /// Memories.
    pub memories: u64,
    /// Relations between the entities shown.
    pub edges: usize,
    /// Links and mentions between the nodes shown.
    pub links: usize,
}

/// A part of the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The entities, most important first.
    pub nodes: Vec<Node<EntityRow>>,
    /// The memories, most important first.
    pub memories: Vec<Node<MemoryRow>>,
    /// The relations between the entities, by id.
    pub edges: Vec<Edge>,
    /// The links between the memories, by id.
    pub links: Vec<Link>,
    /// Mentions of these entities by these memories.
    pub mentions: Vec<Mention>,
    /// Counts of what is not shown.
    pub omitted: Omitted,
}

/// Returns the most used and connected nodes that match, and the edges between them.
pub fn overview(tx: &Transaction<'_>, filter: Filter<'_>, limit: usize) -> Result<Picture> {
    let mut omitted = Omitted::default();
    let mut found = Vec::new();
    if filter.show.entities() {
        let (total, first) = entity_graph::first(tx, filter, limit)?;
        omitted.nodes = total;
        found.extend(first);
    }
    if filter.show.memories() {
        let (total, first) = memory_links::first(tx, filter, limit)?;
        omitted.memories = total;
        found.extend(first);
    }
    by_weight(&mut found);
    found.truncate(limit);
    for (key, _) in &found {
        match key {
            Key::Entity(_) => omitted.nodes -= 1,
            Key::Memory(_) => omitted.memories -= 1,
        }
    }
    let shown: Vec<_> = found.into_iter().map(|(key, _)| (key, None)).collect();
    draw(tx, &shown, omitted, filter)
}

/// Returns the neighbourhood of some nodes, nearest first. The start nodes are included whether they match or not;
/// other nodes that do not match are not traversed.
pub fn around(
    tx: &Transaction<'_>,
    starts: &[Key],
    reach: Reach,
    filter: Filter<'_>,
    limit: usize,
) -> Result<Picture> {
    let mut shown: Vec<(Key, u32)> = Vec::new();
    let mut known = HashSet::new();
    let mut left_out = BTreeSet::new();
    for key in starts.iter().filter(|key| known.insert(**key)).copied().collect::<Vec<_>>() {
        if shown.len() < limit {
            shown.push((key, 0));
        } else {
            left_out.insert(key);
        }
    }
    let mut frontier: Vec<Key> = shown.iter().map(|(key, _)| *key).collect();
    for distance in 1..=reach.depth {
        let mut found: BTreeMap<Key, u64> = BTreeMap::new();
        for key in &frontier {
            let mut brought = 0;
            for (neighbour, weight) in neighbours(tx, *key, filter)? {
                if known.contains(&neighbour) || found.contains_key(&neighbour) {
                    continue;
                }
                if brought < reach.neighbours_max {
                    brought += 1;
                    found.insert(neighbour, weight);
                } else {
                    left_out.insert(neighbour);
                }
            }
        }
        let mut found: Vec<Weighted> = found.into_iter().collect();
        by_weight(&mut found);
        let room = limit - shown.len();
        left_out.extend(found.iter().skip(room).map(|(key, _)| *key));
        frontier = found.into_iter().take(room).map(|(key, _)| key).collect();
        known.extend(frontier.iter().copied());
        shown.extend(frontier.iter().map(|key| (*key, distance)));
    }
    let mut omitted = Omitted::default();
    for (key, _) in &shown {
        left_out.remove(key);
    }
    for key in left_out {
        match key {
            Key::Entity(_) => omitted.nodes += 1,
            Key::Memory(_) => omitted.memories += 1,
        }
    }
    let shown: Vec<_> = shown.into_iter().map(|(key, distance)| (key, Some(distance))).collect();
    draw(tx, &shown, omitted, filter)
}

/// Returns the neighbours of a node, most used and connected first.
fn neighbours(tx: &Transaction<'_>, key: Key, filter: Filter<'_>) -> Result<Vec<Weighted>> {
    let mut found = Vec::new();
    match key {
        Key::Entity(id) => {
            found.extend(entity_graph::related(tx, id, filter)?);
            if filter.show == Show::All {
                found.extend(memory_links::mentioning(tx, id, filter)?);
            }
        }
        Key::Memory(number) => {
            found.extend(memory_links::linked(tx, number, filter)?);
            if filter.show == Show::All {
                found.extend(entity_graph::mentioned(tx, number, filter)?);
            }
        }
    }
    by_weight(&mut found);
    Ok(found)
}

/// Returns the view of some nodes.
fn draw(
    tx: &Transaction<'_>,
    shown: &[(Key, Option<u32>)],
    omitted: Omitted,
    filter: Filter<'_>,
) -> Result<Picture> {
    let (mut nodes, mut memories) = (Vec::new(), Vec::new());
    for (key, distance) in shown {
        let distance = *distance;
        match key {
            Key::Entity(id) => {
                nodes.extend(entity_rows::get(tx, *id)?.map(|row| Node { row, distance }));
            }
            Key::Memory(number) => {
                memories.extend(memory_rows::by_number(tx, *number)?.map(|row| Node { row, distance }));
            }
        }
    }
    let (edges, more_edges) = capped(entity_graph::edges(tx, &nodes, filter)?);
    let (links, more_links) = capped(memory_links::links(tx, &memories, filter)?);
    let (mentions, more_mentions) = capped(memory_links::mentions(tx, &memories, &nodes)?);
    let omitted = Omitted { edges: more_edges, links: more_links + more_mentions, ..omitted };
    Ok(Picture { nodes, memories, edges, links, mentions, omitted })
}

/// Truncates a list to [`MAX_EDGES`]; returns it with the count of the rest.
fn capped<T>(mut all: Vec<T>) -> (Vec<T>, usize) {
    let more = all.len().saturating_sub(MAX_EDGES);
    all.truncate(MAX_EDGES);
    (all, more)
}
