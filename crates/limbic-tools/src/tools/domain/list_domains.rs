//! The tool list_domains.

use limbic_core::{Result, store::domains};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DomainView;
use crate::{
    budget::{Budget, answer_tokens},
    context::Context,
    tool::tool,
};

tool! {
    /// List domains with their counts of memories, and the id of the session's current one.
    name: "list_domains",
    title: "List domains",
    toolset: Domain,
    access: Read,
    idempotent: true,
    example: r#"{}"#,
    handler: list_domains,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// next_cursor of the previous page.
    pub cursor: Option<String>,
    /// Answer budget in 4-character tokens.
    #[serde(default = "answer_tokens")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub max_tokens: usize,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Domains, by id.
    pub domains: Vec<DomainView>,
    /// Id of the session's current domain.
    pub current: String,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

fn list_domains(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let current = context.memory.named_domain()?;
    let mut budget = Budget::new(input.max_tokens);
    let mut domains: Vec<DomainView> = Vec::new();
    let mut next_cursor = None;
    let user = context.user().map(str::to_owned);
    let all = context.memory.read(|tx| {
        let views = domains::all(tx)?.into_iter().map(|domain| DomainView::new(tx, domain, user.as_deref()));
        views.collect::<Result<Vec<_>>>()
    })?;
    for domain in all {
        if input.cursor.as_ref().is_some_and(|first| domain.id < *first) {
            continue;
        }
        if !budget.take(&domain) {
            next_cursor = Some(domain.id);
            break;
        }
        domains.push(domain);
    }
    Ok(Output { domains, current, next_cursor })
}
