//! The tool explore_graph.

use limbic_core::{
    Result,
    store::{
        entities,
        explore::{
            graph::{self, Edge, Filter, Node, Reach},
            interval::Interval,
            stats,
        },
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rows::EntityRow;
use crate::{context::Context, tool::tool};

tool! {
    /// A part of the graph to draw, nodes and edges by id. With names: what lies around these entities, nearest first.
    /// Without: the most used and connected entities. Edges are all relations between the nodes shown.
    name: "explore_graph",
    title: "Explore the graph",
    toolset: Explorer,
    access: Read,
    idempotent: true,
    example: r#"{"names": ["Atlas"], "depth": 2, "limit": 100}"#,
    handler: explore_graph,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Exact names of the entities to start from.
    #[schemars(length(min = 1, max = 1000), inner(length(min = 1, max = 500)))]
    pub names: Option<Vec<String>>,
    /// The most relations between a named entity and another; 0 shows the named ones alone.
    #[serde(default = "default_depth")]
    #[schemars(range(min = 0, max = 5))]
    pub depth: u32,
    /// The most nodes.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 20000))]
    pub limit: usize,
    /// The most nodes that one node brings in; the most used and connected come first.
    #[schemars(range(min = 1, max = 20000))]
    pub neighbours_max: Option<usize>,
    /// Only entities of this type. The named ones are shown in any case.
    #[schemars(length(min = 1, max = 500))]
    pub entity_type: Option<String>,
    /// Only entities of this status.
    #[schemars(length(min = 1, max = 500))]
    pub status: Option<String>,
    /// Only relations of these types.
    #[schemars(length(min = 1, max = 100), inner(length(min = 1, max = 500)))]
    pub relation_types: Option<Vec<String>>,
    /// Relations that have ended, too.
    #[serde(default)]
    pub include_ended: bool,
    /// Only entities of which something was stored from this moment on.
    #[schemars(length(min = 1, max = 40))]
    pub since: Option<String>,
    /// Only entities of which something was stored before this moment, and relations stored before it.
    #[schemars(length(min = 1, max = 40))]
    pub until: Option<String>,
}

fn default_depth() -> u32 {
    1
}

fn default_limit() -> usize {
    200
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Entities: the nearest first, or the most used and connected.
    pub nodes: Vec<NodeView>,
    /// Relations between them, in the order in which they were stored.
    pub edges: Vec<EdgeView>,
    /// How much there is in all.
    pub totals: Totals,
    /// What would also have fitted.
    pub omitted: Omitted,
    /// Names that no entity has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub unknown: Vec<String>,
}

/// An entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NodeView {
    /// The entity.
    #[serde(flatten)]
    pub entity: EntityRow,
    /// How many relations lie between it and a named entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
}

/// A relation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EdgeView {
    /// Relation id.
    pub id: i64,
    /// Id of the node it starts from.
    pub from: i64,
    /// Id of the node it leads to.
    pub to: i64,
    /// Type.
    #[serde(rename = "relationType")]
    pub relation_type: String,
    /// Strength.
    pub weight: f64,
    /// Whether it holds now.
    pub active: bool,
    /// Why it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// When it was stored.
    pub created_at: String,
}

/// How much there is in all.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Totals {
    /// Entities.
    pub entities: u64,
    /// Active relations, with include_ended all.
    pub relations: u64,
}

/// What would also have fitted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Omitted {
    /// Entities.
    pub nodes: u64,
    /// Relations between the nodes shown: at most 100,000 are given.
    pub edges: usize,
}

fn explore_graph(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.read(|unit| {
        let interval = Interval::read(unit, input.since.as_deref(), input.until.as_deref())?;
        let filter = Filter {
            entity_type: input.entity_type.as_deref(),
            status: input.status.as_deref(),
            relation_types: input.relation_types.as_deref(),
            include_ended: input.include_ended,
            interval: &interval,
        };
        let mut unknown = Vec::new();
        let picture = match input.names {
            None => graph::overview(unit, filter, input.limit)?,
            Some(names) => {
                let mut starts = Vec::with_capacity(names.len());
                for name in names {
                    match entities::find(unit, &name)? {
                        Some(entity) => starts.push(entity.id),
                        None => unknown.push(name),
                    }
                }
                let reach =
                    Reach { depth: input.depth, neighbours_max: input.neighbours_max.unwrap_or(usize::MAX) };
                graph::around(unit, &starts, reach, filter, input.limit)?
            }
        };
        let counts = stats::counts(unit)?;
        Ok(Output {
            nodes: picture.nodes.into_iter().map(NodeView::from).collect(),
            edges: picture.edges.into_iter().map(EdgeView::from).collect(),
            totals: Totals {
                entities: counts.entities,
                relations: counts.relations + if input.include_ended { counts.ended } else { 0 },
            },
            omitted: Omitted { nodes: picture.nodes_omitted, edges: picture.edges_omitted },
            unknown,
        })
    })
}

impl From<Node> for NodeView {
    fn from(node: Node) -> Self {
        Self { entity: node.row.into(), distance: node.distance }
    }
}

impl From<Edge> for EdgeView {
    fn from(edge: Edge) -> Self {
        Self {
            id: edge.id,
            from: edge.from_id,
            to: edge.to_id,
            relation_type: edge.relation_type,
            weight: edge.weight,
            active: edge.active,
            context: edge.context,
            created_at: edge.created_at,
        }
    }
}
