//! The tool graph_neighbors.

use limbic_core::{
    Error, Result, Transaction,
    store::graph::{
        entities::{self, Entity},
        neighbours::{self, Reached, Surroundings, Walk},
        relations,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, answer_tokens},
    context::Context,
    cursor::Cursor,
    tool::tool,
    views::FullRelation,
};

tool! {
    /// Traverse relations from an entity, up to three steps. Returns entities nearest first, then by strongest path
    /// (product of weights), with their relations. For texts use open_nodes.
    name: "graph_neighbors",
    title: "Neighbours of an entity",
    toolset: Graph,
    advanced: true,
    access: Read,
    idempotent: true,
    example: r#"{"name": "Atlas", "depth": 2, "direction": "outgoing"}"#,
    handler: graph_neighbors,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Exact name of the start entity.
    #[schemars(length(min = 1, max = 500))]
    pub name: String,
    /// Maximum number of steps.
    #[serde(default = "default_depth")]
    #[schemars(range(min = 1, max = 3))]
    pub depth: u32,
    /// Direction of relations to follow.
    #[serde(default)]
    pub direction: Direction,
    /// Only relations of these types.
    #[schemars(length(min = 1, max = 100), inner(length(min = 1, max = 500)))]
    pub relation_types: Option<Vec<String>>,
    /// Minimum weight of relations.
    #[schemars(range(min = 0.0))]
    pub min_weight: Option<f64>,
    /// Include ended relations.
    #[serde(default)]
    pub include_ended: bool,
    /// Maximum number of nodes.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
    /// next_cursor of the previous page.
    pub cursor: Option<String>,
    /// Answer budget in 4-character tokens.
    #[serde(default = "answer_tokens")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub max_tokens: usize,
}

/// Direction of relations to follow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Direction {
    Outgoing,
    Incoming,
    #[default]
    Both,
}

impl From<Direction> for neighbours::Direction {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Outgoing => Self::Outgoing,
            Direction::Incoming => Self::Incoming,
            Direction::Both => Self::Both,
        }
    }
}

fn default_depth() -> u32 {
    1
}

fn default_limit() -> usize {
    50
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Entities reached.
    pub nodes: Vec<NodeView>,
    /// Relations between the start and the nodes; each on one page, not before its endpoints.
    pub edges: Vec<FullRelation>,
    /// Totals of all pages.
    pub totals: Totals,
    /// Requested types that no relation has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub unknown_types: Vec<String>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// An entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NodeView {
    /// Unique name.
    pub name: String,
    /// Type.
    #[serde(rename = "entityType")]
    pub entity_type: String,
    /// Distance in steps.
    pub depth: u32,
    /// From 2 steps on: its predecessor on the strongest shortest path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

/// Totals of all pages.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Totals {
    /// Entities.
    pub nodes: usize,
    /// Relations.
    pub edges: usize,
}

fn graph_neighbors(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let cursor = Cursor::parse(input.cursor.as_deref())?;
    context.memory.read(|tx| {
        let start = entities::require(tx, &input.name)?;
        let walk = Walk {
            depth: input.depth,
            direction: input.direction.into(),
            relation_types: input.relation_types.as_deref(),
            min_weight: input.min_weight,
            include_ended: input.include_ended,
        };
        let found = neighbours::around(tx, start.id, walk)?;
        let mut output = page(tx, &found, cursor, &input)?;
        for name in input.relation_types.unwrap_or_default() {
            if !relations::has_type(tx, &name)? {
                output.unknown_types.push(name);
            }
        }
        Ok(output)
    })
}

/// Start of a page: the start entity itself, or the node that the cursor names.
fn first_index(found: &Surroundings, cursor: Cursor) -> Result<usize> {
    if cursor == Cursor::default() {
        return Ok(0);
    }
    found.nodes.iter().position(|node| node.id == cursor.entity).ok_or_else(|| {
        Error::invalid(
            "cursor names an entity that is not reached: request the first page again, without cursor",
        )
    })
}

/// Returns as many nodes as the budget allows, each with the relations that lead back from it.
fn page(tx: &Transaction<'_>, found: &Surroundings, cursor: Cursor, input: &Input) -> Result<Output> {
    let mut output = Output {
        nodes: Vec::new(),
        edges: Vec::new(),
        totals: Totals { nodes: found.nodes.len() - 1, edges: found.edges.len() },
        unknown_types: Vec::new(),
        next_cursor: None,
    };
    let mut budget = Budget::new(input.max_tokens);
    for (index, node) in found.nodes.iter().enumerate().skip(first_index(found, cursor)?) {
        let here = Cursor { entity: node.id, ..Cursor::default() };
        // The previous page has the node, and its relations before this one.
        let shown = if node.id == cursor.entity { cursor.relation } else { 0 };
        // The start is not its own neighbour, but may be related to itself.
        if index > 0 && shown == 0 {
            let view = view(tx, node)?;
            if output.nodes.len() == input.limit || !budget.take(&view) {
                output.next_cursor = Some(here.to_text());
                break;
            }
            output.nodes.push(view);
        }
        for (_, id) in found.edges_back_from(index).iter().filter(|(_, id)| *id >= shown) {
            let edge = FullRelation::from(relations::get(tx, *id)?);
            if !budget.take(&edge) {
                output.next_cursor = Some(Cursor { relation: *id, ..here }.to_text());
                return Ok(output);
            }
            output.edges.push(edge);
        }
    }
    Ok(output)
}

fn view(tx: &Transaction<'_>, node: &Reached) -> Result<NodeView> {
    let entity = named(tx, node.id)?;
    let via = node.via_id.filter(|_| node.depth > 1).map(|id| named(tx, id)).transpose()?;
    Ok(NodeView {
        name: entity.name,
        entity_type: entity.entity_type,
        depth: node.depth,
        via: via.map(|entity| entity.name),
    })
}

fn named(tx: &Transaction<'_>, id: i64) -> Result<Entity> {
    entities::get(tx, id)?.ok_or(Error::EntityIdNotFound(id))
}
