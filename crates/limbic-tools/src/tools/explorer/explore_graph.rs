//! The tool explore_graph.

use limbic_core::{
    Error, Result, Transaction,
    explore::{
        graph::{self, Edge, Filter, Key, Link, Mention, Node, Picture, Reach},
        lists::{
            entity_list::EntityRow,
            link_list,
            memory_list::{self, MemoryRow},
        },
        stats,
    },
    store::{graph::entities, interval::Interval, memories},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// Return a part of the graph to draw, by id: entities with relations, memories with links, or both with the
    /// mentions between them. With names or memory_ids: their neighbourhood, nearest first. Without: the most used
    /// and connected nodes. All edges, links and mentions between the nodes shown are included.
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
    /// Kinds of nodes: entities, memories, or all for both.
    #[serde(default)]
    pub show: Show,
    /// Exact names of the start entities.
    #[schemars(length(min = 1, max = 1000), inner(length(min = 1, max = 500)))]
    pub names: Option<Vec<String>>,
    /// Ids of the start memories, if memories are drawn.
    #[schemars(length(min = 1, max = 1000), inner(length(min = 1, max = 200)))]
    pub memory_ids: Option<Vec<String>>,
    /// Maximum distance from the start nodes; 0 for those alone.
    #[serde(default = "default_depth")]
    #[schemars(range(min = 0, max = 5))]
    pub depth: u32,
    /// Maximum number of nodes, entities and memories together.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 20000))]
    pub limit: usize,
    /// Maximum number of nodes added by one node, the most used and connected first.
    #[schemars(range(min = 1, max = 20000))]
    pub neighbours_max: Option<usize>,
    /// Only entities of this type; start nodes are always shown.
    #[schemars(length(min = 1, max = 500))]
    pub entity_type: Option<String>,
    /// Only entities of this status.
    #[schemars(length(min = 1, max = 500))]
    pub status: Option<String>,
    /// Only relations and links of these types.
    #[schemars(length(min = 1, max = 100), inner(length(min = 1, max = 500)))]
    pub relation_types: Option<Vec<String>>,
    /// Include ended relations, and memories that have ended, expired or are contradicted.
    #[serde(default)]
    pub include_ended: bool,
    /// Only memories of this domain.
    #[schemars(length(min = 1, max = 200))]
    pub domain: Option<String>,
    /// Only entities with a record stored at or after this time (ISO 8601), and memories stored then.
    #[schemars(length(min = 1, max = 40))]
    pub since: Option<String>,
    /// Only entities with a record stored before this time (ISO 8601), and memories, relations and links stored before
    /// it.
    #[schemars(length(min = 1, max = 40))]
    pub until: Option<String>,
}

/// Kinds of nodes to draw.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Show {
    #[default]
    Entities,
    Memories,
    All,
}

impl From<Show> for graph::Show {
    fn from(show: Show) -> Self {
        match show {
            Show::Entities => Self::Entities,
            Show::Memories => Self::Memories,
            Show::All => Self::All,
        }
    }
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
    /// Entities, nearest or most used and connected first.
    pub nodes: Vec<Node<EntityRow>>,
    /// Relations between them, in order of storage.
    pub edges: Vec<Edge>,
    /// Memories, nearest or most used and connected first.
    pub memories: Vec<Node<MemoryRow>>,
    /// Links and references between them, by id.
    pub links: Vec<Link>,
    /// Mentions of these entities by these memories.
    pub mentions: Vec<Mention>,
    /// Totals.
    pub totals: Totals,
    /// Counts of nodes and edges not shown.
    pub omitted: Omitted,
    /// Names and ids not found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub unknown: Vec<String>,
}

/// Totals.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Totals {
    /// Entities.
    pub entities: u64,
    /// Active relations; all with include_ended.
    pub relations: u64,
    /// Current memories of the domain; all with include_ended.
    pub memories: u64,
    /// Links and references from or to the domain.
    pub links: u64,
}

/// Counts of nodes and edges not shown.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Omitted {
    /// Entities.
    pub nodes: u64,
    /// Relations between the nodes shown, of which at most 100,000 are returned.
    pub edges: usize,
    /// Memories.
    pub memories: u64,
    /// Links and mentions between the nodes shown, of which at most 100,000 each are returned.
    pub links: usize,
}

fn explore_graph(context: &mut Context<'_>, input: Input) -> Result<Output> {
    match (input.show, &input.names, &input.memory_ids) {
        (Show::Memories, Some(_), _) => {
            return Err(Error::invalid(
                "names are names of entities, which show \"memories\" excludes: give memory_ids",
            ));
        }
        (Show::Entities, _, Some(_)) => {
            return Err(Error::invalid(
                "memory_ids are ids of memories, which show \"entities\" excludes: show \"memories\" or \"all\"",
            ));
        }
        _ => {}
    }
    context.memory.read(|tx| {
        let interval = Interval::read(tx, input.since.as_deref(), input.until.as_deref())?;
        let domain = super::resolve_domain(tx, input.domain.as_deref())?;
        let filter = Filter {
            show: input.show.into(),
            entity_type: input.entity_type.as_deref(),
            status: input.status.as_deref(),
            relation_types: input.relation_types.as_deref(),
            include_ended: input.include_ended,
            interval: &interval,
            domain: domain.as_deref(),
        };
        let mut unknown = Vec::new();
        let picture = if input.names.is_none() && input.memory_ids.is_none() {
            graph::overview(tx, filter, input.limit)?
        } else {
            let starts = starts(tx, &input, &mut unknown)?;
            let reach =
                Reach { depth: input.depth, neighbours_max: input.neighbours_max.unwrap_or(usize::MAX) };
            graph::around(tx, &starts, reach, filter, input.limit)?
        };
        output(tx, picture, filter, unknown)
    })
}

/// Returns the named nodes in order. Names not found are added to `unknown`.
fn starts(tx: &Transaction<'_>, input: &Input, unknown: &mut Vec<String>) -> Result<Vec<Key>> {
    let mut starts = Vec::new();
    for name in input.names.iter().flatten() {
        match entities::find(tx, name)? {
            Some(entity) => starts.push(Key::Entity(entity.id)),
            None => unknown.push(name.clone()),
        }
    }
    for id in input.memory_ids.iter().flatten() {
        match memories::find(tx, id)? {
            Some(memory) => starts.push(Key::Memory(memory.number)),
            None => unknown.push(id.clone()),
        }
    }
    Ok(starts)
}

fn output(
    tx: &Transaction<'_>,
    picture: Picture,
    filter: Filter<'_>,
    unknown: Vec<String>,
) -> Result<Output> {
    let counts = stats::counts(tx)?;
    let (all, current) = memory_list::count(tx, filter.domain)?;
    Ok(Output {
        nodes: picture.nodes,
        edges: picture.edges,
        memories: picture.memories,
        links: picture.links,
        mentions: picture.mentions,
        totals: Totals {
            entities: counts.entities,
            relations: counts.relations + if filter.include_ended { counts.ended } else { 0 },
            memories: if filter.include_ended { all } else { current },
            links: link_list::count(tx, filter.domain)?,
        },
        omitted: Omitted {
            nodes: picture.omitted.nodes,
            edges: picture.omitted.edges,
            memories: picture.omitted.memories,
            links: picture.omitted.links,
        },
        unknown,
    })
}
