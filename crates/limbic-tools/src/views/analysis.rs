//! How the measure of an entity looks in answers.

use std::collections::BTreeMap;

use limbic_core::maintenance::split::Analysis;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::budget::Budget;

/// The names of the other fields.
const FRAME: &str =
    "entity_name entity_type observation_count threshold needs_split topics observations_omitted split_score";

/// How large an entity is for its type, and what it is about.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnalysisView {
    /// Unique name.
    pub entity_name: String,
    /// Type.
    pub entity_type: String,
    /// How many current observations it has.
    pub observation_count: usize,
    /// From more than so many on it is large.
    pub threshold: usize,
    /// Whether dividing it would help.
    pub needs_split: bool,
    /// Observations by topic, the largest first; those that fit to no topic are left out.
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    pub topics: Map<String, Value>,
    /// How many observations of the topics there was no room for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observations_omitted: Option<usize>,
    /// count / threshold + min(topics / count, 0.5).
    pub split_score: f64,
}

impl AnalysisView {
    /// The measure, with as many observations as there is room for. Its other fields take their room, too.
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

/// The first of these texts, as many as there is room for.
pub fn fitting(texts: Vec<String>, budget: &mut Budget) -> Vec<String> {
    texts.into_iter().take_while(|text| !budget.is_spent() && budget.take(text)).collect()
}
