//! The tool consolidation_report.

use limbic_core::{
    Result,
    maintenance::{report, split::Analysis},
    store::{
        counts::{Flagged, Stale},
        graph::entities::Entity,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{ANSWER_TOKENS, Budget},
    context::Context,
    tool::tool,
};

const SECONDS_PER_DAY: i64 = 86_400;

tool! {
    /// Report what in the memory may want tidying: entities to split, observations that nearly repeat another,
    /// entities that nobody asks for, large entities. Each list shows the first 50, or as many as fit;
    /// summary counts all. Changes nothing.
    name: "consolidation_report",
    title: "Consolidation report",
    toolset: Graph,
    access: Read,
    idempotent: true,
    example: r#"{"stale_days": 30}"#,
    handler: consolidation_report,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Days after which an entity that was not found by search_semantic counts as stale.
    #[serde(default = "default_stale_days")]
    #[schemars(range(min = 0, max = 36500))]
    pub stale_days: f64,
}

fn default_stale_days() -> f64 {
    90.0
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// How many there are of everything.
    pub summary: Summary,
    /// Entities that need a split, those that need it most first.
    pub split_candidates: Vec<Candidate>,
    /// Observations that say nearly the same as another of their entity.
    pub flagged_observations: Vec<FlaggedView>,
    /// Entities found twice at most and not in the last stale_days, the longest unused first.
    pub stale_entities: Vec<StaleView>,
    /// Entities with more than 1.5 times as many observations as they should have, the largest first.
    pub large_entities: Vec<Large>,
}

/// How many there are of everything.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// Entities in all.
    pub total_entities: u64,
    /// Current observations in all.
    pub total_observations: u64,
    /// Entities that need a split.
    pub split_candidates_count: usize,
    /// Observations that say nearly the same as another.
    pub flagged_observations_count: u64,
    /// Entities that nobody asks for.
    pub stale_entities_count: u64,
    /// Large entities.
    pub large_entities_count: usize,
}

/// An entity that needs a split.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Candidate {
    /// Unique name.
    pub entity_name: String,
    /// Type.
    pub entity_type: String,
    /// How many current observations it has.
    pub observation_count: usize,
    /// From more than so many on it is large.
    pub threshold: usize,
    /// As analyze_entity_split gives it.
    pub split_score: f64,
}

/// An observation that says nearly the same as another.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FlaggedView {
    /// Name of its entity.
    pub entity_name: String,
    /// Text.
    pub observation_text: String,
    /// 1.
    pub similarity_flag: i64,
}

/// An entity that nobody asks for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StaleView {
    /// Unique name.
    pub entity_name: String,
    /// Type.
    pub entity_type: String,
    /// Whole days since it was last found; not given when it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_accessed_days_ago: Option<i64>,
    /// How often it was found.
    pub access_count: u32,
    /// How many current observations it has.
    pub observation_count: usize,
}

/// A large entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Large {
    /// Unique name.
    pub entity_name: String,
    /// Type.
    pub entity_type: String,
    /// How many current observations it has.
    pub observation_count: usize,
}

fn consolidation_report(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let report = context.memory.read(|tx| report::report(tx, input.stale_days))?;
    Ok(Output {
        summary: Summary {
            total_entities: report.entities,
            total_observations: report.observations,
            split_candidates_count: report.split_candidates.0,
            flagged_observations_count: report.flagged.0,
            stale_entities_count: report.stale.0,
            large_entities_count: report.large.0,
        },
        split_candidates: fitting(report.split_candidates.1.into_iter().map(candidate)),
        flagged_observations: fitting(report.flagged.1.into_iter().map(flagged)),
        stale_entities: fitting(report.stale.1.into_iter().map(stale)),
        large_entities: fitting(report.large.1.into_iter().map(large)),
    })
}

/// As many items of one of the lists as there is room for.
fn fitting<T: Serialize>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut budget = Budget::part_of(ANSWER_TOKENS);
    items.take_while(|item| budget.take(item)).collect()
}

fn candidate(analysis: Analysis) -> Candidate {
    Candidate {
        entity_name: analysis.entity.name,
        entity_type: analysis.entity.entity_type,
        observation_count: analysis.count,
        threshold: analysis.threshold,
        split_score: analysis.score,
    }
}

fn flagged(observation: Flagged) -> FlaggedView {
    FlaggedView {
        entity_name: observation.entity_name,
        observation_text: observation.content,
        similarity_flag: 1,
    }
}

fn stale(entity: Stale) -> StaleView {
    StaleView {
        entity_name: entity.name,
        entity_type: entity.entity_type,
        last_accessed_days_ago: entity.unused_seconds.map(|seconds| seconds / SECONDS_PER_DAY),
        access_count: entity.access_count,
        observation_count: entity.observation_count,
    }
}

fn large((entity, observation_count): (Entity, usize)) -> Large {
    Large { entity_name: entity.name, entity_type: entity.entity_type, observation_count }
}
