//! The tool propose_entity_split.

use limbic_core::{
    Result,
    maintenance::split::{self, Analysis, CONTAINS, PART_OF},
    store::graph::entities,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, MAX_ANSWER_TOKENS},
    context::Context,
    tool::tool,
    views::fitting,
};

tool! {
    /// Propose how to split an entity that is too large: one entity per topic of its observations. Read-only; apply
    /// with execute_entity_split.
    name: "propose_entity_split",
    title: "Propose a split",
    toolset: Graph,
    advanced: true,
    access: Read,
    idempotent: true,
    aliases: &["propose_entity_split_tool"],
    example: r#"{"entity_name": "Atlas"}"#,
    handler: propose_entity_split,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Exact name.
    #[schemars(length(min = 1, max = 500))]
    pub entity_name: String,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The proposal; null if the entity needs no split.
    #[schemars(extend("x-nullable" = true))]
    pub proposal: Option<Proposal>,
}

/// How to split an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Proposal {
    /// The entity to split.
    pub original_entity: Original,
    /// Entities to create: approved_splits of execute_entity_split.
    pub suggested_splits: Vec<Suggestion>,
    /// Count of observations that did not fit; they would stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observations_omitted: Option<usize>,
    /// Relations to create.
    pub relations_to_create: Vec<NewRelation>,
    /// Reason.
    pub analysis: Measure,
}

/// The entity to split.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Original {
    /// Unique name.
    pub name: String,
    /// Type.
    pub entity_type: String,
}

/// An entity to create.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Suggestion {
    /// Unused name.
    pub name: String,
    /// Type.
    pub entity_type: String,
    /// Texts of the observations to move.
    pub observations: Vec<String>,
}

/// A relation that the split would create.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewRelation {
    /// Source entity.
    pub from: String,
    /// Target entity.
    pub to: String,
    /// contiene (contains) or parte_de (part of).
    #[serde(rename = "type")]
    pub relation_type: &'static str,
}

/// Why a split is proposed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Measure {
    /// Count of current observations.
    pub observation_count: usize,
    /// Count above which a split is due.
    pub threshold: usize,
    /// As in analyze_entity_split.
    pub split_score: f64,
    /// Count of topics.
    pub num_topics: usize,
}

fn propose_entity_split(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.read(|tx| {
        let analysis = split::analyze(tx, entities::require(tx, &input.entity_name)?)?;
        if !analysis.needs_split {
            return Ok(Output { proposal: None });
        }
        let names = split::names(tx, &analysis)?;
        Ok(Output { proposal: Some(proposal(analysis, names)) })
    })
}

fn proposal(analysis: Analysis, names: Vec<String>) -> Proposal {
    let entity = analysis.entity;
    let measure = Measure {
        observation_count: analysis.count,
        threshold: analysis.threshold,
        split_score: analysis.score,
        num_topics: analysis.topics.len(),
    };
    let mut budget = Budget::new(MAX_ANSWER_TOKENS);
    let mut omitted = 0;
    let mut suggested_splits = Vec::new();
    for (topic, name) in analysis.topics.into_iter().zip(names) {
        let count = topic.observations.len();
        let observations = fitting(topic.observations, &mut budget);
        omitted += count - observations.len();
        if !observations.is_empty() {
            suggested_splits.push(Suggestion { name, entity_type: entity.entity_type.clone(), observations });
        }
    }
    let relations_to_create =
        suggested_splits.iter().flat_map(|suggestion| both_ways(&entity.name, &suggestion.name)).collect();
    Proposal {
        original_entity: Original { name: entity.name, entity_type: entity.entity_type },
        suggested_splits,
        observations_omitted: Some(omitted).filter(|omitted| *omitted > 0),
        relations_to_create,
        analysis: measure,
    }
}

fn both_ways(whole: &str, part: &str) -> [NewRelation; 2] {
    [
        NewRelation { from: whole.into(), to: part.into(), relation_type: CONTAINS },
        NewRelation { from: part.into(), to: whole.into(), relation_type: PART_OF },
    ]
}
