//! The tool graph_communities.

use limbic_core::{
    Result,
    maintenance::communities::{self, Community, Wanted},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, answer_tokens},
    context::Context,
    tool::tool,
};

tool! {
    /// Find communities of entities by active relations and their weights (Louvain method): an overview of the
    /// graph's topics. For one entity's surroundings use graph_neighbors.
    name: "graph_communities",
    title: "Communities of entities",
    toolset: Graph,
    advanced: true,
    access: Read,
    idempotent: true,
    example: r#"{"min_size": 2, "resolution": 1.2}"#,
    handler: graph_communities,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Minimum number of entities per community.
    #[serde(default = "default_min_size")]
    #[schemars(range(min = 2))]
    pub min_size: usize,
    /// Maximum number of communities.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
    /// Maximum number of names per community, within max_tokens.
    #[serde(default = "default_names_max")]
    #[schemars(range(min = 1, max = 1000))]
    pub names_max: usize,
    /// Above 1 for smaller communities, below for larger ones.
    #[serde(default = "default_resolution")]
    #[schemars(range(min = 0.01, max = 100.0))]
    pub resolution: f64,
    /// Answer budget in 4-character tokens.
    #[serde(default = "answer_tokens")]
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

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Largest first.
    pub communities: Vec<CommunityView>,
    /// Count of communities not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub communities_omitted: Option<usize>,
    /// Modularity of the whole partition: 0 as by chance, at most 1.
    pub modularity: f64,
    /// Count of entities without an active relation of weight above 0.
    pub entities_without_relations: u64,
}

/// One community.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CommunityView {
    /// Rank by size, from 1; not stable.
    pub id: usize,
    /// Count of entities.
    pub size: usize,
    /// Names, most strongly related first.
    pub entities: Vec<String>,
    /// Count of names not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entities_omitted: Option<usize>,
    /// Its three most common types.
    pub types: Vec<TypeView>,
    /// Count of active relations within it.
    pub relations: usize,
    /// Share of its pairs that are related, 0 to 1.
    pub density: f64,
}

/// A type and its frequency.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TypeView {
    /// Type.
    #[serde(rename = "entityType")]
    pub entity_type: String,
    /// Count of entities.
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

/// Returns a community without its names, and the names.
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
