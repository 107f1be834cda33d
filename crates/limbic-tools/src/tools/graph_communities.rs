//! The tool graph_communities.

use limbic_core::{
    Result,
    maintenance::communities::{self, Community, Wanted},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{budget::Budget, context::Context, tool::tool};

tool! {
    /// Find groups of entities that are related among themselves more than with others, by active relations and their
    /// weights (Louvain's method). Shows what the memory is about at large.
    name: "graph_communities",
    title: "Communities of entities",
    toolset: Graph,
    access: Read,
    idempotent: true,
    example: r#"{"min_size": 2, "resolution": 1.2}"#,
    handler: graph_communities,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The fewest entities of a community.
    #[serde(default = "default_min_size")]
    #[schemars(range(min = 2))]
    pub min_size: usize,
    /// The most communities.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
    /// The most names of each; at the end of max_tokens there may be fewer.
    #[serde(default = "default_names_max")]
    #[schemars(range(min = 1, max = 1000))]
    pub names_max: usize,
    /// More than 1 gives smaller communities, less gives larger ones.
    #[serde(default = "default_resolution")]
    #[schemars(range(min = 0.01, max = 100.0))]
    pub resolution: f64,
    /// The most tokens of the answer, four characters each.
    #[serde(default = "default_max_tokens")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub max_tokens: usize,
}

fn default_min_size() -> usize {
    2
}

fn default_limit() -> usize {
    20
}

fn default_names_max() -> usize {
    20
}

fn default_resolution() -> f64 {
    1.0
}

fn default_max_tokens() -> usize {
    8000
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The largest first.
    pub communities: Vec<CommunityView>,
    /// How many more there are of at least min_size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub communities_omitted: Option<usize>,
    /// How clearly all entities fall into these and smaller communities: 0 as by chance, at most 1.
    pub modularity: f64,
    /// Entities without an active relation of a weight above 0: they are in no community.
    pub entities_without_relations: u64,
}

/// One community.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CommunityView {
    /// Its place by size, from 1; another memory numbers anew.
    pub id: usize,
    /// How many entities it has.
    pub size: usize,
    /// Names, the most strongly related within it first.
    pub entities: Vec<String>,
    /// How many more names there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entities_omitted: Option<usize>,
    /// Its three commonest types.
    pub types: Vec<TypeView>,
    /// Active relations within it.
    pub relations: usize,
    /// The share of its pairs that are related, 0 to 1.
    pub density: f64,
}

/// How common a type is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TypeView {
    /// Type.
    #[serde(rename = "entityType")]
    pub entity_type: String,
    /// How many entities have it.
    pub count: usize,
}

fn graph_communities(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let wanted = Wanted {
        min_size: input.min_size,
        limit: input.limit,
        entities_max: input.names_max,
        resolution: input.resolution,
    };
    let found = context.memory.read(|tx| communities::find(tx, wanted))?;
    let mut budget = Budget::new(input.max_tokens);
    let mut communities = Vec::new();
    for (id, community) in (1..).zip(found.communities) {
        let (mut view, names) = view(id, community);
        if !budget.take(&view) {
            break;
        }
        view.entities = names.into_iter().take_while(|name| budget.take(name)).collect();
        view.entities_omitted = Some(view.size - view.entities.len()).filter(|omitted| *omitted > 0);
        communities.push(view);
        if budget.is_spent() {
            break;
        }
    }
    Ok(Output {
        communities_omitted: Some(found.count - communities.len()).filter(|omitted| *omitted > 0),
        communities,
        modularity: found.modularity,
        entities_without_relations: found.unrelated,
    })
}

/// A community without its names, and these.
fn view(id: usize, community: Community) -> (CommunityView, Vec<String>) {
    let types = community.types.into_iter().map(|(entity_type, count)| TypeView { entity_type, count });
    let view = CommunityView {
        id,
        size: community.size,
        entities: Vec::new(),
        entities_omitted: None,
        types: types.collect(),
        relations: community.relations,
        density: community.density,
    };
    (view, community.entities.into_iter().map(|entity| entity.name).collect())
}
