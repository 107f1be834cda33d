//! The tool analyze_entity_split.

use limbic_core::{Result, maintenance::split, store::graph::entities};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, MAX_ANSWER_TOKENS},
    context::Context,
    tool::tool,
    views::AnalysisView,
};

tool! {
    /// Check whether an entity is too large for its type (over 15 observations for Sesion (session), 25 for Proyecto
    /// (project), 20 for others), and group its observations by topic. Read-only.
    name: "analyze_entity_split",
    title: "Analyze an entity's size",
    toolset: Graph,
    advanced: true,
    access: Read,
    idempotent: true,
    example: r#"{"entity_name": "Atlas"}"#,
    handler: analyze_entity_split,
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
    /// Results.
    pub analysis: AnalysisView,
}

fn analyze_entity_split(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.read(|tx| {
        let analysis = split::analyze(tx, entities::require(tx, &input.entity_name)?)?;
        Ok(Output { analysis: AnalysisView::new(analysis, &mut Budget::new(MAX_ANSWER_TOKENS)) })
    })
}
