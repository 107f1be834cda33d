//! The tool explore_graph.

use limbic_core::{
    Error, Result, Transaction,
    explore::{
        graph::{self, Filter, Key, Picture, Reach},
        interval::Interval,
        lists::{link_list, memory_list as memory_rows},
        stats,
    },
    store::{graph::entities, memories},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    graph_rows::{EdgeView, LinkView, MemoryNodeView, MentionView, NodeView},
    rows::views,
};
use crate::{context::Context, tool::tool};

tool! {
    /// A part of the graph to draw, by id: entities with their relations, memories with their links, or both with what
    /// joins them. With names or memory_ids: what lies around these, nearest first. Without: what is most used and
    /// connected. Edges, links and mentions are all that there are between what is shown.
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
    /// What to draw: entities, memories, or all: both.
    #[serde(default)]
    pub show: Show,
    /// Exact names of the entities to start from.
    #[schemars(length(min = 1, max = 1000), inner(length(min = 1, max = 500)))]
    pub names: Option<Vec<String>>,
    /// Ids of the memories to start from, when memories are drawn.
    #[schemars(length(min = 1, max = 1000), inner(length(min = 1, max = 200)))]
    pub memory_ids: Option<Vec<String>>,
    /// The most steps from what is named; 0 shows the named ones alone.
    #[serde(default = "default_depth")]
    #[schemars(range(min = 0, max = 5))]
    pub depth: u32,
    /// The most nodes, entities and memories together.
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
    /// Only relations and links of these types.
    #[schemars(length(min = 1, max = 100), inner(length(min = 1, max = 500)))]
    pub relation_types: Option<Vec<String>>,
    /// Relations that have ended, and memories that have ended, expired or are contradicted, too.
    #[serde(default)]
    pub include_ended: bool,
    /// Only memories of this domain.
    #[schemars(length(min = 1, max = 200))]
    pub domain: Option<String>,
    /// Only entities of which something was stored from this moment on, and memories stored from then on.
    #[schemars(length(min = 1, max = 40))]
    pub since: Option<String>,
    /// Only entities of which something was stored before this moment, and memories, relations and links stored before
    /// it.
    #[schemars(length(min = 1, max = 40))]
    pub until: Option<String>,
}

/// What to draw.
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
    /// Entities: the nearest first, or the most used and connected.
    pub nodes: Vec<NodeView>,
    /// Relations between them, in the order in which they were stored.
    pub edges: Vec<EdgeView>,
    /// Memories: the nearest first, or the most used and connected.
    pub memories: Vec<MemoryNodeView>,
    /// Links and references between them, by id.
    pub links: Vec<LinkView>,
    /// Which of the memories mention which of the entities.
    pub mentions: Vec<MentionView>,
    /// How much there is in all.
    pub totals: Totals,
    /// What would also have fitted.
    pub omitted: Omitted,
    /// Names that no entity has, and ids that no memory has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub unknown: Vec<String>,
}

/// How much there is in all.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Totals {
    /// Entities.
    pub entities: u64,
    /// Active relations, with include_ended all.
    pub relations: u64,
    /// Current memories of the domain, with include_ended all.
    pub memories: u64,
    /// Links and references that touch the domain.
    pub links: u64,
}

/// What would also have fitted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Omitted {
    /// Entities.
    pub nodes: u64,
    /// Relations between the nodes shown: at most 100,000 are given.
    pub edges: usize,
    /// Memories.
    pub memories: u64,
    /// Links and mentions between what is shown: at most 100,000 of either are given.
    pub links: usize,
}

fn explore_graph(context: &mut Context<'_>, input: Input) -> Result<Output> {
    match (input.show, &input.names, &input.memory_ids) {
        (Show::Memories, Some(_), _) => {
            return Err(Error::invalid(
                "names are of entities, which show: \"memories\" leaves out: give memory_ids",
            ));
        }
        (Show::Entities, _, Some(_)) => {
            return Err(Error::invalid(
                "memory_ids are of memories, which show: \"entities\" leaves out: show \"memories\" or \"all\"",
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

/// What was named, in that order. What there is not becomes unknown.
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
    let (all, current) = memory_rows::count(tx, filter.domain)?;
    let now_millis = tx.now_millis();
    Ok(Output {
        nodes: views(picture.nodes),
        edges: views(picture.edges),
        memories: picture.memories.into_iter().map(|node| MemoryNodeView::new(node, now_millis)).collect(),
        links: views(picture.links),
        mentions: views(picture.mentions),
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
