//! A part of the graph to draw: what is most used and connected, or what lies around some entities and memories.

mod entity_graph;
mod memory_links;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashSet},
};

use super::{
    interval::Interval,
    lists::{
        entity_list::{self as entity_rows, EntityRow},
        memory_list::{self as memory_rows, MemoryRow},
    },
};
use crate::{Result, Transaction, store::conditions::Conditions};

pub use entity_graph::Edge;
pub use memory_links::{Link, Mention};

/// The most edges of one picture; as many links and as many mentions may stand beside them.
pub(crate) const EDGES_MAX: usize = 100_000;

/// What the picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// Entities and relations.
    Entities,
    /// Memories and links.
    Memories,
    /// Both, and which memory mentions which entity.
    All,
}

impl Show {
    /// Whether entities are shown.
    #[must_use]
    pub fn entities(self) -> bool {
        self != Self::Memories
    }

    /// Whether memories are shown.
    #[must_use]
    pub fn memories(self) -> bool {
        self != Self::Entities
    }
}

/// What belongs into the picture.
#[derive(Debug, Clone, Copy)]
pub struct Filter<'a> {
    /// Entities, memories or both.
    pub show: Show,
    /// Only entities of this type.
    pub entity_type: Option<&'a str>,
    /// Only entities of this status.
    pub status: Option<&'a str>,
    /// Only relations and links of these types.
    pub relation_types: Option<&'a [String]>,
    /// Relations that have ended, and memories that are not current, too.
    pub include_ended: bool,
    /// Only entities of which something was stored in this time, memories stored in it, and relations and links that
    /// were stored before its end.
    pub interval: &'a Interval,
    /// Only memories of this domain.
    pub domain: Option<&'a str>,
}

/// How far to go from what was named.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// The most steps between what was named and another.
    pub depth: u32,
    /// The most nodes that one node brings in.
    pub neighbours_max: usize,
}

/// A node of the picture: the row number of an entity, or the number of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// An entity.
    Entity(i64),
    /// A memory.
    Memory(i64),
}

/// Something in the picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node<R> {
    /// What it is.
    pub row: R,
    /// How many steps lie between it and what was named.
    pub distance: Option<u32>,
}

/// How much of each sort would also have fitted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Entities.
    pub nodes: u64,
    /// Memories.
    pub memories: u64,
    /// Relations between the entities shown.
    pub edges: usize,
    /// Links and mentions between what is shown.
    pub links: usize,
}

/// A part of the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The entities, in the order in which they matter.
    pub nodes: Vec<Node<EntityRow>>,
    /// The memories, in the order in which they matter.
    pub memories: Vec<Node<MemoryRow>>,
    /// The relations between the entities, in the order of their ids.
    pub edges: Vec<Edge>,
    /// The links between the memories, in the order of their ids.
    pub links: Vec<Link>,
    /// Which of the memories mention which of the entities.
    pub mentions: Vec<Mention>,
    /// What is left out.
    pub omitted: Omitted,
}

/// A node and how much it is used and connected.
type Weighted = (Key, u64);

/// The most first, then entities before memories, then by number.
fn by_weight(nodes: &mut [Weighted]) {
    nodes.sort_by_key(|(key, weight)| (Reverse(*weight), *key));
}

/// What is most used and connected of what fits, and what joins it.
///
/// # Errors
/// Those of the database.
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

/// What lies around some nodes, nearest first. These are in it whether they fit or not; what does not fit is not walked
/// through.
///
/// # Errors
/// Those of the database.
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

/// What is next to a node, the most used and connected first.
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

/// The picture of some nodes.
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

/// As many as a picture has, and how many more there are.
fn capped<T>(mut all: Vec<T>) -> (Vec<T>, usize) {
    let more = all.len().saturating_sub(EDGES_MAX);
    all.truncate(EDGES_MAX);
    (all, more)
}

/// ` AND ...`: only these types of relations and links.
fn of_types(column: &str, filter: Filter<'_>, conditions: &mut Conditions) -> String {
    let Some(types) = filter.relation_types else { return String::new() };
    let places: Vec<String> = types.iter().map(|name| conditions.value(name.clone())).collect();
    format!(" AND {column} IN ({})", places.join(", "))
}
