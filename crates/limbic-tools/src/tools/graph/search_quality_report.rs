//! The tool search_quality_report.

use limbic_core::{
    Result,
    maintenance::search_quality::{self, Arm},
    model::numbers::round,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// Report the ranking quality of search_semantic, judged by which results were opened, extended or linked within
    /// 30 minutes. Read-only.
    name: "search_quality_report",
    title: "Search quality report",
    toolset: Graph,
    advanced: true,
    access: Read,
    idempotent: true,
    example: r#"{"days": 7}"#,
    handler: search_quality_report,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Days back from today.
    #[serde(default = "default_days")]
    #[schemars(range(min = 0, max = 36500))]
    pub days: f64,
}

fn default_days() -> f64 {
    30.0
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Count of logged searches.
    pub events: u64,
    /// Searches ranked with usage and age (limbic), and the one in ten ranked by relevance alone (baseline).
    pub by_treatment: [ArmView; 2],
    /// Current weights.
    pub parameters: Parameters,
    /// When they were last tuned, if ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuned_at: Option<String>,
}

/// Searches with one ranking.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ArmView {
    /// limbic or baseline.
    pub treatment: &'static str,
    /// Count of searches.
    pub n: u64,
    /// Count of those with a used result, among the newest 1,000.
    pub judged: usize,
    /// Mean NDCG@5 of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ndcg_at_5: Option<f64>,
    /// NDCG@5 gained by usage and age (baseline: what they would gain).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lift_at_5: Option<f64>,
}

/// Current weights.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Parameters {
    /// Weight of importance.
    pub beta: f64,
    /// Weight of co-occurrence.
    pub gamma: f64,
}

fn search_quality_report(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let report = context.memory.read(|tx| search_quality::report(tx, input.days))?;
    Ok(Output {
        events: report.limbic.count + report.baseline.count,
        by_treatment: [view("limbic", report.limbic), view("baseline", report.baseline)],
        parameters: Parameters { beta: report.weights.beta, gamma: report.weights.gamma },
        tuned_at: report.tuned_at,
    })
}

fn view(treatment: &'static str, arm: Arm) -> ArmView {
    ArmView {
        treatment,
        n: arm.count,
        judged: arm.judged,
        ndcg_at_5: arm.ndcg.map(|ndcg| round(ndcg, 4)),
        lift_at_5: arm.lift.map(|lift| round(lift, 4)),
    }
}
