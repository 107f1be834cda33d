//! Communities: entities that are related among themselves more than with others.

use std::collections::BTreeMap;

use super::louvain::{self, Graph};
use crate::{
    Result, Transaction,
    model::numbers::round,
    store::graph::{
        entities::{self, Entity},
        relations::{self, Ends},
    },
};

/// Maximum number of types that describe a community.
const MAX_TYPES: usize = 3;

/// Which communities to find.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Minimum number of entities of a community.
    pub min_size: usize,
    /// Maximum number of communities; the largest are returned.
    pub limit: usize,
    /// Maximum number of entities listed per community.
    pub entities_max: usize,
    /// Usually 1; a higher value gives smaller communities.
    pub resolution: f64,
}

/// The communities of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Communities {
    /// The largest first, then the one with the oldest entity.
    pub communities: Vec<Community>,
    /// Number of communities of at least the minimum size.
    pub count: usize,
    /// Modularity of all communities, small ones included: 0 as by chance, at most 1. It is computed with resolution 1,
    /// whatever resolution found the communities.
    pub modularity: f64,
    /// Number of entities without an active relation of a weight above 0.
    pub unrelated: u64,
}

/// One community.
#[derive(Debug, Clone, PartialEq)]
pub struct Community {
    /// How many entities it has.
    pub size: usize,
    /// Entities with the greatest weight of relations within it, greatest first, then by row number.
    pub entities: Vec<Entity>,
    /// The commonest types with how many entities have them, then by name.
    pub types: Vec<(String, usize)>,
    /// Active relations between its entities.
    pub relations: usize,
    /// The share of its pairs that are related: 0 to 1.
    pub density: f64,
}

/// Finds communities by active relations, which count in both directions and by their weight.
pub fn find(tx: &Transaction<'_>, wanted: Wanted) -> Result<Communities> {
    let ends: Vec<Ends> = relations::active_ends(tx)?
        .into_iter()
        .filter(|ends| ends.weight > 0.0 && ends.weight.is_finite())
        .collect();
    let mut ids: Vec<i64> = ends.iter().flat_map(|ends| [ends.from_id, ends.to_id]).collect();
    ids.sort_unstable();
    ids.dedup();
    let number = |id: i64| ids.partition_point(|known| *known < id);
    // Only proportions matter, and scaling keeps sums of large imported weights finite.
    let heaviest = ends.iter().map(|ends| ends.weight).fold(0.0, f64::max);
    let graph = Graph::new(
        ids.len(),
        ends.iter().map(|ends| (number(ends.from_id), number(ends.to_id), ends.weight / heaviest)),
    );
    let of_nodes = louvain::communities(&graph, wanted.resolution);
    let mut groups: Vec<Group> = Vec::new();
    for (node, community) in of_nodes.iter().enumerate() {
        if groups.len() <= *community {
            groups.resize_with(community + 1, Group::default);
        }
        groups[*community].nodes.push(node);
    }
    for ends in &ends {
        let community = of_nodes[number(ends.from_id)];
        if community == of_nodes[number(ends.to_id)] {
            groups[community].relations += 1;
        }
    }
    groups.retain(|group| group.nodes.len() >= wanted.min_size);
    groups.sort_by_key(|group| (std::cmp::Reverse(group.nodes.len()), group.nodes.first().copied()));
    let count = groups.len();
    groups.truncate(wanted.limit);
    let types = entities::types(tx)?;
    let setting = Setting { graph: &graph, of_nodes: &of_nodes, ids: &ids, types: &types };
    let describe = |group: &Group| setting.describe(tx, group, wanted.entities_max);
    Ok(Communities {
        communities: groups.iter().map(describe).collect::<Result<_>>()?,
        count,
        modularity: round(louvain::modularity(&graph, &of_nodes), 4),
        unrelated: entities::count(tx)?.saturating_sub(ids.len() as u64),
    })
}

/// A community by the numbers of its nodes, in ascending order.
#[derive(Default)]
struct Group {
    nodes: Vec<usize>,
    relations: usize,
}

/// The data from which communities are described.
struct Setting<'a> {
    graph: &'a Graph,
    of_nodes: &'a [usize],
    /// The row number of each node.
    ids: &'a [i64],
    /// The type of each entity, by row number.
    types: &'a BTreeMap<i64, String>,
}

impl Setting<'_> {
    #[allow(clippy::cast_precision_loss, reason = "there are far fewer than 2^52 pairs")]
    fn describe(&self, tx: &Transaction<'_>, group: &Group, entities_max: usize) -> Result<Community> {
        let size = group.nodes.len();
        let mut related_twice = 0;
        let mut ranked: Vec<(f64, usize)> = Vec::with_capacity(size);
        for node in &group.nodes {
            let neighbours = self.graph.neighbours(*node).iter();
            let inside = neighbours.filter(|(other, _)| self.of_nodes[*other] == self.of_nodes[*node]);
            let weights: Vec<f64> = inside.map(|(_, weight)| *weight).collect();
            related_twice += weights.len();
            ranked.push((round(weights.iter().sum(), 6), *node));
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut named = Vec::new();
        for (_, node) in ranked.into_iter().take(entities_max) {
            named.extend(entities::get(tx, self.ids[node])?);
        }
        let pairs_twice = size * size.saturating_sub(1);
        Ok(Community {
            size,
            entities: named,
            types: self.commonest_types(group),
            relations: group.relations,
            density: round(related_twice as f64 / pairs_twice.max(1) as f64, 4),
        })
    }

    fn commonest_types(&self, group: &Group) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in group.nodes.iter().filter_map(|node| self.types.get(&self.ids[*node])) {
            *counts.entry(name).or_default() += 1;
        }
        let mut types: Vec<(String, usize)> =
            counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        // Stable: types as common as each other stay in the order of their names.
        types.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        types.truncate(MAX_TYPES);
        types
    }
}
