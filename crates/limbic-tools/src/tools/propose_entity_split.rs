//! The tool propose_entity_split.

use limbic_core::{
    Result,
    maintenance::split::{self, Analysis, CONTAINS, PART_OF},
    store::graph::entities,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{ANSWER_TOKENS, Budget},
    context::Context,
    tool::tool,
    views::fitting,
};

tool! {
    /// Propose how to divide an entity that has grown too large: an entity for each topic of its observations.
    /// proposal is null when it needs no split. Changes nothing: execute_entity_split does it.
    name: "propose_entity_split",
    title: "Propose a split",
    toolset: Graph,
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
    /// Exact name of the entity.
    #[schemars(length(min = 1, max = 500))]
    pub entity_name: String,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The proposal, or null when the entity needs no split.
    #[schemars(extend("x-nullable" = true))]
    pub proposal: Option<Proposal>,
}

/// How to divide an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Proposal {
    /// The entity to divide.
    pub original_entity: Original,
    /// What could become entities: approved_splits for execute_entity_split.
    pub suggested_splits: Vec<Suggestion>,
    /// How many more observations there was no room for: they would stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observations_omitted: Option<usize>,
    /// Relations that the split would create.
    pub relations_to_create: Vec<NewRelation>,
    /// Why.
    pub analysis: Measure,
}

/// The entity to divide.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Original {
    /// Unique name.
    pub name: String,
    /// Type.
    pub entity_type: String,
}

/// What could become an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Suggestion {
    /// A name that is free.
    pub name: String,
    /// Type.
    pub entity_type: String,
    /// Texts of the observations that would move to it.
    pub observations: Vec<String>,
}

/// A relation that the split would create.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewRelation {
    /// Name of the entity it starts from.
    pub from: String,
    /// Name of the entity it leads to.
    pub to: String,
    /// contiene or parte_de.
    #[serde(rename = "type")]
    pub relation_type: &'static str,
}

/// Why a split is proposed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Measure {
    /// How many current observations the entity has.
    pub observation_count: usize,
    /// From more than so many on it is large.
    pub threshold: usize,
    /// As analyze_entity_split gives it.
    pub split_score: f64,
    /// How many topics were found.
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
    let mut budget = Budget::new(ANSWER_TOKENS);
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
