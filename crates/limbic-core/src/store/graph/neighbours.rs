//! The neighbourhood of an entity: a breadth-first traversal of relations, forwards, backwards, or in both directions.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Row, params};

use crate::{Result, Transaction};

/// The direction in which relations are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From source to target.
    Outgoing,
    /// From target to source.
    Incoming,
    /// In both directions.
    Both,
}

/// Options of a traversal.
#[derive(Debug, Clone, Copy)]
pub struct Walk<'a> {
    /// Maximum distance from the start.
    pub depth: u32,
    /// Direction.
    pub direction: Direction,
    /// Follow only relations of these types.
    pub relation_types: Option<&'a [String]>,
    /// Follow only relations with at least this weight.
    pub min_weight: Option<f64>,
    /// Also follow ended relations.
    pub include_ended: bool,
}

/// An entity that was reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// Row number.
    pub id: i64,
    /// Distance from the start.
    pub depth: u32,
    /// Previous entity on the strongest of the shortest paths; `None` for the start.
    pub via_id: Option<i64>,
    /// Product of the weights on that path.
    pub strength: f64,
}

/// The result of a traversal.
#[derive(Debug, Clone, PartialEq)]
pub struct Surroundings {
    /// The start, then by distance, then by strength, highest first, then by row number.
    pub nodes: Vec<Reached>,
    /// The relations followed, each as the index in `nodes` of its later end and its row number, in ascending order. So
    /// a page of nodes can include each relation as soon as both ends are known.
    pub edges: Vec<(usize, i64)>,
}

impl Surroundings {
    /// Returns the relations between the node at this index and earlier nodes, in ascending order.
    #[must_use]
    pub fn edges_back_from(&self, index: usize) -> &[(usize, i64)] {
        let start = self.edges.partition_point(|(later, _)| *later < index);
        let end = self.edges.partition_point(|(later, _)| *later <= index);
        &self.edges[start..end]
    }
}

/// Walks from an entity.
pub fn around(tx: &Transaction<'_>, start_id: i64, walk: Walk<'_>) -> Result<Surroundings> {
    let mut nodes = vec![Reached { id: start_id, depth: 0, via_id: None, strength: 1.0 }];
    let mut indices = HashMap::from([(start_id, 0)]);
    // The relation and its ends; relations walked from both of them twice.
    let mut walked: Vec<(i64, i64, i64)> = Vec::new();
    let mut first = 0;
    for depth in 1..=walk.depth {
        let mut found: BTreeMap<i64, Reached> = BTreeMap::new();
        for node in &nodes[first..] {
            for step in steps(tx, node.id, walk)? {
                walked.push((step.relation_id, node.id, step.entity_id));
                let strength = node.strength * step.weight;
                let is_better = found.get(&step.entity_id).is_none_or(|known| strength > known.strength);
                if is_better && !indices.contains_key(&step.entity_id) {
                    let reached = Reached { id: step.entity_id, depth, via_id: Some(node.id), strength };
                    found.insert(step.entity_id, reached);
                }
            }
        }
        first = nodes.len();
        let mut layer: Vec<Reached> = found.into_values().collect();
        layer.sort_by(|a, b| b.strength.total_cmp(&a.strength).then(a.id.cmp(&b.id)));
        for reached in layer {
            indices.insert(reached.id, nodes.len());
            nodes.push(reached);
        }
    }
    let mut edges: Vec<(usize, i64)> =
        walked.into_iter().map(|(id, a, b)| (indices[&a].max(indices[&b]), id)).collect();
    edges.sort_unstable();
    edges.dedup();
    Ok(Surroundings { nodes, edges })
}

/// One relation, seen from one of its ends.
struct Step {
    relation_id: i64,
    /// The other end.
    entity_id: i64,
    weight: f64,
}

const OUTGOING: &str = "SELECT id, to_entity, weight, relation_type FROM relations
    WHERE from_entity = ?1 AND (active OR ?2) ORDER BY id";

const INCOMING: &str = "SELECT id, from_entity, weight, relation_type FROM relations
    WHERE to_entity = ?1 AND (active OR ?2) ORDER BY id";

/// The relations to walk from an entity, outgoing ones first, in the order of their ids.
fn steps(tx: &Transaction<'_>, entity_id: i64, walk: Walk<'_>) -> Result<Vec<Step>> {
    let queries: &[&str] = match walk.direction {
        Direction::Outgoing => &[OUTGOING],
        Direction::Incoming => &[INCOMING],
        Direction::Both => &[OUTGOING, INCOMING],
    };
    let mut steps = Vec::new();
    for query in queries {
        let mut statement = tx.prepare_cached(query)?;
        let mut rows = statement.query(params![entity_id, walk.include_ended])?;
        while let Some(row) = rows.next()? {
            let step = Step { relation_id: row.get(0)?, entity_id: row.get(1)?, weight: row.get(2)? };
            if is_walked(&step, row, walk)? {
                steps.push(step);
            }
        }
    }
    Ok(steps)
}

fn is_walked(step: &Step, row: &Row<'_>, walk: Walk<'_>) -> Result<bool> {
    if walk.min_weight.is_some_and(|least| step.weight < least) {
        return Ok(false);
    }
    let Some(types) = walk.relation_types else { return Ok(true) };
    let relation_type: String = row.get(3)?;
    Ok(types.contains(&relation_type))
}
