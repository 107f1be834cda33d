//! The graph signal: personalised PageRank in the neighbourhood of the memories that rank first.
//!
//! Nodes are memories and the entities that they mention. Seeds are the entities that the query names, and the memories
//! that rank first, weighted by their relevance times the eighth power of their relevance relative to the best, so that
//! less relevant ones hardly count. Only admitted memories become nodes, so nothing is found through a memory that the
//! caller may not see.

use std::collections::{BTreeMap, VecDeque};

use super::query::MemoryQuery;
use crate::{
    Result, Transaction,
    model::row_map::RowMap,
    search::pagerank::{self, Edge, NodeIndex},
    store::memories::{
        FilterEvaluator, mentions,
        neighbourhood::{self, Lists, Neighbour},
    },
};

/// The number of top-ranked memories that are seeds.
const SEEDS: usize = 12;

/// Exponent of a seed's relevance relative to the best.
const SEED_POWER: f64 = 8.0;

/// Total weight of the entities that a query names, as a relevance.
const NAMED_RELEVANCE: f64 = 0.5;

/// The maximum number of entities named in a question that count.
const MAX_NAMED_ENTITIES: usize = 8;

/// Maximum number of nodes of a neighbourhood.
const MAX_NODES: usize = 300;

/// The number of nodes whose neighbours are read together. In a graph that fills up, some of these are not used.
const READ_AHEAD: usize = 32;

/// The maximum distance from a seed at which links of memories are followed; for entities one more.
const MAX_DEPTH: u32 = 1;

/// Weight of a mention, relative to a link of strength 1.
const MENTION_WEIGHT: f64 = 0.5;

/// The maximum number of candidates that only the graph finds.
const MAX_FOUND: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Memory(i64),
    Entity(i64),
}

/// The result of PageRank.
#[derive(Default)]
pub(crate) struct Ranks {
    /// The rank of each memory, by number; empty without links.
    pub by_number: BTreeMap<i64, f64>,
    /// Relevance of the best seed.
    pub relevance: f64,
}

/// Computes the ranks from the best of the candidates, given with their relevance.
pub(crate) fn ranks(
    tx: &Transaction<'_>,
    query: MemoryQuery<'_>,
    relevant: &[(i64, f64)],
    walk: &mut FilterEvaluator<'_>,
) -> Result<Ranks> {
    let mut first = relevant.to_vec();
    first.sort_by(|a, b| {
        crate::model::numbers::round(b.1, 6)
            .total_cmp(&crate::model::numbers::round(a.1, 6))
            .then(a.0.cmp(&b.0))
    });
    first.truncate(SEEDS);
    let best = first.first().map_or(0.0, |(_, relevance)| *relevance);
    let mut graph = Neighbourhood::default();
    let mut seeds = Vec::new();
    for (number, relevance) in first.into_iter().filter(|(_, relevance)| *relevance > 0.0) {
        if let Some(node) = graph.node(Node::Memory(number), 0) {
            seeds.push((node, relevance * libm::pow(relevance / best, SEED_POWER)));
        }
    }
    let mut named: Vec<i64> = Vec::new();
    for phrasing in query.phrasings {
        for entity_id in mentions::named(tx, phrasing.text)? {
            if !named.contains(&entity_id) {
                named.push(entity_id);
            }
        }
    }
    named.truncate(MAX_NAMED_ENTITIES);
    let relevance = if named.is_empty() { best } else { best.max(NAMED_RELEVANCE) };
    let share = NAMED_RELEVANCE / f64::from(u32::try_from(named.len()).unwrap_or(1).max(1));
    for entity_id in named {
        if let Some(node) = graph.node(Node::Entity(entity_id), 0) {
            seeds.push((node, share));
        }
    }
    graph.grow(tx, query, walk)?;
    if graph.edges.is_empty() {
        return Ok(Ranks::default());
    }
    let edges: Vec<Edge> = graph
        .edges
        .iter()
        .map(|((from, to), weight)| Edge { from: *from, to: *to, weight: *weight })
        .collect();
    let ranks = pagerank::personalised(graph.nodes.len(), &edges, &seeds);
    let by_number = graph
        .nodes
        .iter()
        .zip(ranks)
        .filter_map(|(node, rank)| match node {
            Node::Memory(number) => Some((*number, crate::model::numbers::round(rank, 6))),
            Node::Entity(_) => None,
        })
        .collect();
    Ok(Ranks { by_number, relevance })
}

/// Returns the memories with the highest rank, best first, then by number.
pub(crate) fn best(ranks: &Ranks) -> Vec<(i64, f64)> {
    let mut order: Vec<(i64, f64)> = ranks
        .by_number
        .iter()
        .map(|(number, rank)| (*number, *rank))
        .filter(|(_, rank)| *rank > 0.0)
        .collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    order.truncate(SEEDS + MAX_FOUND);
    order
}

/// Nodes in order of discovery, and their edges.
#[derive(Default)]
struct Neighbourhood {
    nodes: Vec<Node>,
    indices: RowMap<NodeIndex, Node>,
    /// Queue of nodes to expand, with their distance from a seed.
    ahead: VecDeque<(Node, u32)>,
    edges: BTreeMap<(NodeIndex, NodeIndex), f64>,
}

impl Neighbourhood {
    /// Returns the index of a node at this distance from a seed; `None` if the maximum number of nodes is reached.
    fn node(&mut self, node: Node, depth: u32) -> Option<NodeIndex> {
        if let Some(index) = self.indices.get(&node) {
            return Some(*index);
        }
        if self.is_full() {
            return None;
        }
        let index = self.nodes.len();
        self.nodes.push(node);
        self.indices.insert(node, index);
        self.ahead.push_back((node, depth));
        Some(index)
    }

    /// Adds an edge from a node to one that may be new; of several links between two nodes, the strongest counts.
    fn join(&mut self, from: NodeIndex, other: Node, depth: u32, weight: f64, goes_back: bool) {
        let Some(to) = self.node(other, depth) else { return };
        let mut put = |ends, weight: f64| {
            let known = self.edges.entry(ends).or_insert(weight);
            *known = known.max(weight);
        };
        put((from, to), weight);
        if goes_back {
            put((to, from), weight);
        }
    }

    /// Adds the neighbourhood, nearest first.
    fn grow(
        &mut self,
        tx: &Transaction<'_>,
        query: MemoryQuery<'_>,
        walk: &mut FilterEvaluator<'_>,
    ) -> Result<()> {
        while !self.ahead.is_empty() {
            let next: Vec<(Node, u32)> = self.ahead.drain(..self.ahead.len().min(READ_AHEAD)).collect();
            let neighbours = Neighbours::read(tx, query, walk, &next, self.is_full())?;
            for (node, depth) in next {
                self.expand(node, depth, &neighbours);
            }
        }
        Ok(())
    }

    /// Adds what is next to a node whose neighbours were read.
    fn expand(&mut self, node: Node, depth: u32, neighbours: &Neighbours) {
        let Some(index) = self.indices.get(&node).copied() else { return };
        match node {
            Node::Memory(number) if depth <= MAX_DEPTH => {
                for link in neighbours.links.get(&number).into_iter().flatten() {
                    self.join(index, Node::Memory(link.number), depth + 1, link.strength, link.goes_back);
                }
                for entity_id in neighbours.mentioned.get(&number).into_iter().flatten() {
                    self.join(index, Node::Entity(*entity_id), depth + 1, MENTION_WEIGHT, true);
                }
            }
            // Nothing can be added to a full graph.
            Node::Entity(entity_id) if depth <= MAX_DEPTH + 1 && !self.is_full() => {
                for number in neighbours.mentioning.get(&entity_id).into_iter().flatten() {
                    self.join(index, Node::Memory(*number), depth + 1, MENTION_WEIGHT, true);
                }
                for (other, weight) in neighbours.related.get(&entity_id).into_iter().flatten() {
                    let weight = MENTION_WEIGHT * weight.clamp(0.0, 1.0);
                    self.join(index, Node::Entity(*other), MAX_DEPTH + 1, weight, true);
                }
            }
            Node::Memory(_) | Node::Entity(_) => {}
        }
    }

    fn is_full(&self) -> bool {
        self.nodes.len() >= MAX_NODES
    }
}

/// What is next to some nodes, by the number of the memory or of the entity.
#[derive(Default)]
struct Neighbours {
    links: Lists<Neighbour>,
    mentioned: Lists<i64>,
    mentioning: Lists<i64>,
    related: Lists<(i64, f64)>,
}

impl Neighbours {
    /// Reads the neighbours of nodes at these distances from a seed; in a full graph, only those of memories.
    fn read(
        tx: &Transaction<'_>,
        query: MemoryQuery<'_>,
        walk: &mut FilterEvaluator<'_>,
        nodes: &[(Node, u32)],
        is_full: bool,
    ) -> Result<Self> {
        let (mut memories, mut entities, mut near_entities) = (Vec::new(), Vec::new(), Vec::new());
        for (node, depth) in nodes {
            match node {
                Node::Memory(number) if *depth <= MAX_DEPTH => memories.push(*number),
                Node::Entity(entity_id) if *depth <= MAX_DEPTH + 1 && !is_full => {
                    entities.push(*entity_id);
                    // One step only: an entity that was reached from another entity is not expanded.
                    if *depth <= MAX_DEPTH {
                        near_entities.push(*entity_id);
                    }
                }
                Node::Memory(_) | Node::Entity(_) => {}
            }
        }
        if memories.is_empty() && entities.is_empty() {
            return Ok(Self::default());
        }
        Ok(Self {
            links: neighbourhood::linked_to(tx, &memories, query.links, walk)?,
            mentioned: neighbourhood::mentioned(tx, &memories)?,
            mentioning: neighbourhood::mentioning(tx, &entities, walk)?,
            related: neighbourhood::related_entities(tx, &near_entities)?,
        })
    }
}
