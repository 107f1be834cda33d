//! The tool find_split_candidates.

use limbic_core::{Result, maintenance::split};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, MAX_ANSWER_TOKENS},
    context::Context,
    tool::tool,
    views::AnalysisView,
};

tool! {
    /// List entities that are too large for their type, highest split_score first, as analyze_entity_split does for
    /// one. Read-only.
    name: "find_split_candidates",
    title: "Find entities to split",
    toolset: Graph,
    advanced: true,
    access: Read,
    idempotent: true,
    example: r#"{}"#,
    handler: find_split_candidates,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Maximum number of entities.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
}

fn default_limit() -> usize {
    50
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Entities as in analyze_entity_split.
    pub candidates: Vec<AnalysisView>,
    /// Count of those not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates_omitted: Option<usize>,
}

fn find_split_candidates(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let all = context.memory.read(split::candidates)?;
    let count = all.len();
    let mut budget = Budget::new(MAX_ANSWER_TOKENS);
    let mut candidates = Vec::new();
    for analysis in all.into_iter().take(input.limit) {
        if budget.is_spent() {
            break;
        }
        candidates.push(AnalysisView::new(analysis, &mut budget));
    }
    let omitted = count - candidates.len();
    Ok(Output { candidates, candidates_omitted: Some(omitted).filter(|omitted| *omitted > 0) })
}
