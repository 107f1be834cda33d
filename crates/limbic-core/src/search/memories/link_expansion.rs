//! The graph signal: personalised PageRank over what is around the memories that rank first.
//!
//! Nodes are memories and the entities that they mention. Seeds are the memories that rank first, each by its relevance
//! times the eighth power of that beside the best, so that what merely stands there hardly counts, and the entities that
//! the question names. Only admitted memories become nodes, so nothing is found through one that the caller may not see.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::MemoryQuery;
use crate::{
    Result, Transaction,
    search::pagerank::{self, Edge, NodeIndex},
    store::memories::{Admission, mentions, neighbourhood},
};

/// The number of top-ranked memories that are seeds.
const SEEDS: usize = 12;

/// To which power a seed's relevance beside the best is taken.
const SEED_POWER: f64 = 8.0;

/// What the entities that a question names weigh together, as if they were a memory of this relevance.
const NAMED_RELEVANCE: f64 = 0.5;

/// The maximum number of entities named in a question that count.
const NAMED: usize = 8;

/// How many nodes a neighbourhood has at most.
const NODES: usize = 300;

/// The maximum distance from a seed at which links of memories are followed; for entities one more.
const DEPTH: u32 = 1;

/// What an edge between a memory and an entity weighs, beside a link of strength 1.
const MENTION_WEIGHT: f64 = 0.5;

/// The maximum number of candidates that only the graph finds.
const FOUND: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Memory(i64),
    Entity(i64),
}

/// What a walk over the neighbourhood says.
#[derive(Default)]
pub struct Ranks {
    /// The rank of each memory, by number; nothing when there are no links.
    pub by_number: BTreeMap<i64, f64>,
    /// How relevant the best seed is.
    pub relevance: f64,
}

/// Walks from the best of the candidates, which come with their relevance.
pub fn ranks(
    tx: &Transaction<'_>,
    query: MemoryQuery<'_>,
    relevant: &[(i64, f64)],
    walk: &mut Admission,
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
    let named: Vec<i64> = mentions::named(tx, query.text)?.into_iter().take(NAMED).collect();
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

/// The memories that rank first, best first, then by number.
pub fn best(ranks: &Ranks) -> Vec<(i64, f64)> {
    let mut order: Vec<(i64, f64)> = ranks
        .by_number
        .iter()
        .map(|(number, rank)| (*number, *rank))
        .filter(|(_, rank)| *rank > 0.0)
        .collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    order.truncate(SEEDS + FOUND);
    order
}

/// Nodes in the order in which they were come upon, and what joins them.
#[derive(Default)]
struct Neighbourhood {
    nodes: Vec<Node>,
    places: HashMap<Node, NodeIndex>,
    /// Nodes that are still to be left, and how far they are from a seed.
    ahead: VecDeque<(Node, u32)>,
    edges: BTreeMap<(NodeIndex, NodeIndex), f64>,
}

impl Neighbourhood {
    /// The place of a node, so many steps from a seed; nothing when there is no room for it.
    fn node(&mut self, node: Node, depth: u32) -> Option<NodeIndex> {
        if let Some(place) = self.places.get(&node) {
            return Some(*place);
        }
        if self.nodes.len() == NODES {
            return None;
        }
        let place = self.nodes.len();
        self.nodes.push(node);
        self.places.insert(node, place);
        self.ahead.push_back((node, depth));
        Some(place)
    }

    /// Joins a node with one that may be new; where several links join them, the strongest counts.
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

    /// Takes in what is around, nearest first.
    fn grow(&mut self, tx: &Transaction<'_>, query: MemoryQuery<'_>, walk: &mut Admission) -> Result<()> {
        while let Some((node, depth)) = self.ahead.pop_front() {
            let Some(place) = self.places.get(&node).copied() else { continue };
            match node {
                Node::Memory(number) if depth <= DEPTH => {
                    for link in neighbourhood::linked(tx, number, query.links, walk)? {
                        self.join(place, Node::Memory(link.number), depth + 1, link.strength, link.goes_back);
                    }
                    for entity_id in neighbourhood::mentioned(tx, number)? {
                        self.join(place, Node::Entity(entity_id), depth + 1, MENTION_WEIGHT, true);
                    }
                }
                // A full graph takes in nobody.
                Node::Entity(entity_id) if depth <= DEPTH + 1 && self.nodes.len() < NODES => {
                    for number in neighbourhood::mentioning(tx, entity_id, walk)? {
                        self.join(place, Node::Memory(number), depth + 1, MENTION_WEIGHT, true);
                    }
                    // One step only: an entity that was come upon from another is not left for a third.
                    if depth <= DEPTH {
                        for (other, weight) in neighbourhood::related_entities(tx, entity_id)? {
                            let weight = MENTION_WEIGHT * weight.clamp(0.0, 1.0);
                            self.join(place, Node::Entity(other), DEPTH + 1, weight, true);
                        }
                    }
                }
                Node::Memory(_) | Node::Entity(_) => {}
            }
        }
        Ok(())
    }
}
