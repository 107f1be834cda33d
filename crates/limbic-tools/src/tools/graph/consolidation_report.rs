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
    budget::{Budget, MAX_ANSWER_TOKENS},
    context::Context,
    tool::tool,
};

const SECONDS_PER_DAY: i64 = 86_400;

tool! {
    /// Report maintenance candidates of the graph: entities to split, near-duplicate observations, stale and large
    /// entities. Each list shows at most 50 that fit; summary counts all. Read-only.
    name: "consolidation_report",
    title: "Consolidation report",
    toolset: Graph,
    advanced: true,
    access: Read,
    idempotent: true,
    example: r#"{"stale_days": 30}"#,
    handler: consolidation_report,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Days without a search_semantic hit after which an entity is stale.
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
    /// Counts.
    pub summary: Summary,
    /// Entities to split, highest split_score first.
    pub split_candidates: Vec<Candidate>,
    /// Near-duplicates of another observation of their entity.
    pub flagged_observations: Vec<FlaggedView>,
    /// Entities with at most two hits, none in the last stale_days; longest unused first.
    pub stale_entities: Vec<StaleView>,
    /// Entities over 1.5 times their threshold, largest first.
    pub large_entities: Vec<Large>,
}

/// Counts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// Entities.
    pub total_entities: u64,
    /// Current observations.
    pub total_observations: u64,
    /// Entities to split.
    pub split_candidates_count: usize,
    /// Near-duplicate observations.
    pub flagged_observations_count: u64,
    /// Stale entities.
    pub stale_entities_count: u64,
    /// Large entities.
    pub large_entities_count: usize,
}

/// An entity to split.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Candidate {
    /// Unique name.
    pub entity_name: String,
    /// Type.
    pub entity_type: String,
    /// Count of current observations.
    pub observation_count: usize,
    /// Count above which a split is due.
    pub threshold: usize,
    /// As in analyze_entity_split.
    pub split_score: f64,
}

/// A near-duplicate observation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FlaggedView {
    /// Name of its entity.
    pub entity_name: String,
    /// Text.
    pub observation_text: String,
    /// 1.
    pub similarity_flag: i64,
}

/// A stale entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StaleView {
    /// Unique name.
    pub entity_name: String,
    /// Type.
    pub entity_type: String,
    /// Whole days since its last hit; absent if it had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_accessed_days_ago: Option<i64>,
    /// Access count.
    pub access_count: u32,
    /// Count of current observations.
    pub observation_count: usize,
}

/// A large entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Large {
    /// Unique name.
    pub entity_name: String,
    /// Type.
    pub entity_type: String,
    /// Count of current observations.
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

/// Returns as many items of one of the lists as the budget allows.
fn fitting<T: Serialize>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut budget = Budget::part_of(MAX_ANSWER_TOKENS);
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
