//! The tool select_domain.

use limbic_core::{Result, store::domains};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DomainView;
use crate::{context::Context, tool::tool};

tool! {
    /// Work in another domain: what is stored goes there, and what is recalled comes from there. Later sessions start
    /// in it; those that run already stay where they are.
    name: "select_domain",
    title: "Select a domain",
    toolset: Domain,
    access: Write,
    idempotent: true,
    example: r#"{"id": "general"}"#,
    handler: select_domain,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id of the domain.
    #[schemars(length(min = 1, max = 200))]
    pub id: String,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The domain.
    pub domain: DomainView,
}

fn select_domain(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let domain = context.memory.write(|unit| domains::select(unit, &input.id))?;
    context.memory.select_domain(&domain.id);
    Ok(Output { domain: domain.into() })
}
