//! The tool list_domains.

use limbic_core::{Result, store::domains};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DomainView;
use crate::{context::Context, tool::tool};

tool! {
    /// All domains, and which of them this session works in.
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
pub struct Input {}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// By id.
    pub domains: Vec<DomainView>,
    /// Id of the one that this session works in.
    pub current: String,
}

fn list_domains(context: &mut Context<'_>, _: Input) -> Result<Output> {
    let current = context.memory.domain()?;
    let domains = context.memory.read(domains::all)?.into_iter().map(Into::into).collect();
    Ok(Output { domains, current })
}
