//! The tool list_domains.

use limbic_core::{Result, store::domains};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::domain::DomainInfo;
use crate::{context::Context, tool::tool};

tool! {
    /// List all available memory domains with their metadata.
    name: "list_domains",
    title: "List Domains",
    toolset: Domain,
    access: Read,
    idempotent: true,
    example: r#"{}"#,
    handler: list_domains,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
struct Input {}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Output {
    /// Domains, by id.
    domains: Vec<DomainInfo>,
    /// ID of the session's current domain.
    current_domain: String,
}

fn list_domains(context: &mut Context<'_>, _: Input) -> Result<Output> {
    let current_domain = context.memory.named_domain()?;
    let domains = context.memory.read(domains::all)?.into_iter().map(Into::into).collect();
    Ok(Output { domains, current_domain })
}
