//! The view of an entity's split analysis in answers.

use std::collections::BTreeMap;

use limbic_core::maintenance::split::Analysis;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::budget::Budget;

/// The names of the other fields.
const FRAME: &str =
    "entity_name entity_type observation_count threshold needs_split topics observations_omitted split_score";

/// The size of an entity relative to its type, and its topics.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnalysisView {
    /// Unique name.
    pub entity_name: String,
    /// Type.
    pub entity_type: String,
    /// Count of current observations.
    pub observation_count: usize,
    /// Count above which a split is due.
    pub threshold: usize,
    /// Whether it should be split.
    pub needs_split: bool,
    /// Observations by topic, largest first; without those of no topic.
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    pub topics: Map<String, Value>,
    /// Count of observations that did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observations_omitted: Option<usize>,
    /// count / threshold + min(topics / count, 0.5).
    pub split_score: f64,
}

impl AnalysisView {
    /// Returns the analysis with as many observations as the budget allows; its other fields count too.
    pub fn new(analysis: Analysis, budget: &mut Budget) -> Self {
        let names: Vec<&String> = analysis.topics.iter().map(|topic| &topic.name).collect();
        budget.take(&(FRAME, &analysis.entity.name, &analysis.entity.entity_type, names));
        let mut omitted = 0;
        let mut topics = Map::new();
        for topic in analysis.topics {
            let count = topic.observations.len();
            let shown = fitting(topic.observations, budget);
            omitted += count - shown.len();
            topics.insert(topic.name, shown.into());
        }
        Self {
            entity_name: analysis.entity.name,
            entity_type: analysis.entity.entity_type,
            observation_count: analysis.count,
            threshold: analysis.threshold,
            needs_split: analysis.needs_split,
            topics,
            observations_omitted: Some(omitted).filter(|omitted| *omitted > 0),
            split_score: analysis.score,
        }
    }
}

/// Returns the first of these texts, as many as the budget allows.
pub fn fitting(texts: Vec<String>, budget: &mut Budget) -> Vec<String> {
    texts.into_iter().take_while(|text| !budget.is_spent() && budget.take(text)).collect()
}
