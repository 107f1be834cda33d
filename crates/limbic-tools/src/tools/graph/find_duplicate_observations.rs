//! The tool find_duplicate_observations.

use limbic_core::{
    Result,
    maintenance::duplicate_observations::{self, Duplicates, Pair},
    model::{
        numbers::round,
        similarity::{Match, Thresholds},
    },
    search::Mode,
    store::graph::entities,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, MAX_ANSWER_TOKENS},
    context::Context,
    tool::tool,
};

tool! {
    /// Find near-duplicate observations of an entity. Read-only: delete the ones you choose with delete_observations.
    /// While vectors are missing, only words are compared (see mode).
    name: "find_duplicate_observations",
    title: "Find duplicate observations",
    toolset: Graph,
    advanced: true,
    access: Read,
    idempotent: true,
    example: r#"{"entity_name": "Atlas", "threshold": 0.9}"#,
    handler: find_duplicate_observations,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Exact name.
    #[schemars(length(min = 1, max = 500))]
    pub entity_name: String,
    /// Minimum cosine of a pair.
    #[serde(default = "default_threshold")]
    #[schemars(range(min = 0, max = 1))]
    pub threshold: f64,
    /// Minimum share of a text's words that a text at least twice as long contains.
    #[serde(default = "default_containment_threshold")]
    #[schemars(range(min = 0, max = 1))]
    pub containment_threshold: f64,
}

fn default_threshold() -> f64 {
    Thresholds::default().cosine
}

fn default_containment_threshold() -> f64 {
    Thresholds::default().containment
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Name of the entity.
    pub entity_name: String,
    /// Count of current observations.
    pub total_observations: usize,
    /// Count of observations compared, the newest, if not all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared_observations: Option<usize>,
    /// Most similar first.
    pub duplicate_pairs: Vec<PairView>,
    /// Count of pairs that did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs_omitted: Option<usize>,
    /// Connected groups of observation ids.
    pub clusters: Vec<Vec<i64>>,
    /// Count of clusters that did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters_omitted: Option<usize>,
    /// "hybrid", or "lexical" if only words were compared.
    pub mode: &'static str,
}

/// Two near-duplicate observations.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PairView {
    /// Text of the older one.
    pub obs_text_a: String,
    /// Text of the newer one.
    pub obs_text_b: String,
    /// Observation id of the older one.
    pub id_a: i64,
    /// Observation id of the newer one.
    pub id_b: i64,
    /// 0 to 1.
    pub similarity_score: f64,
    /// "cosine", "containment", or "exact": same words, no vectors.
    pub match_type: &'static str,
}

fn find_duplicate_observations(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let thresholds = Thresholds { cosine: input.threshold, containment: input.containment_threshold };
    let (entity, found) = context.memory.read(|tx| {
        let entity = entities::require(tx, &input.entity_name)?;
        let found = duplicate_observations::find(tx, entity.id, thresholds)?;
        Ok((entity, found))
    })?;
    let mut budget = Budget::new(MAX_ANSWER_TOKENS);
    let duplicate_pairs: Vec<PairView> =
        found.pairs.iter().map(|pair| view(&found, pair)).take_while(|pair| budget.take(pair)).collect();
    let omitted = found.pairs.len() - duplicate_pairs.len();
    let mut budget = Budget::part_of(MAX_ANSWER_TOKENS);
    let count = found.clusters.len();
    let clusters: Vec<Vec<i64>> =
        found.clusters.into_iter().take_while(|cluster| budget.take(cluster)).collect();
    Ok(Output {
        entity_name: entity.name,
        total_observations: found.total,
        compared_observations: Some(found.compared.len()).filter(|count| *count < found.total),
        duplicate_pairs,
        pairs_omitted: Some(omitted).filter(|omitted| *omitted > 0),
        clusters_omitted: Some(count - clusters.len()).filter(|omitted| *omitted > 0),
        clusters,
        mode: match found.mode {
            Mode::Hybrid => "hybrid",
            Mode::Lexical => "lexical",
        },
    })
}

fn view(found: &Duplicates, pair: &Pair) -> PairView {
    let (a, b) = (&found.compared[pair.a], &found.compared[pair.b]);
    PairView {
        obs_text_a: a.content.clone(),
        obs_text_b: b.content.clone(),
        id_a: a.id,
        id_b: b.id,
        similarity_score: round(pair.score, 4),
        match_type: match pair.kind {
            Match::Cosine => "cosine",
            Match::Containment => "containment",
            Match::Exact => "exact",
        },
    }
}
