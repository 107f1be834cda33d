//! The tool create_domain.

use limbic_core::{Result, store::domains};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::domain::DomainInfo;
use crate::{context::Context, tool::tool};

tool! {
    /// Create a new memory domain.
    name: "create_domain",
    title: "Create Domain",
    toolset: Domain,
    access: Write,
    idempotent: false,
    example: r#"{"id": "billing", "name": "Billing", "description": "What concerns the billing service"}"#,
    handler: create_domain,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
struct Input {
    /// Unique identifier for the domain
    #[schemars(length(min = 1, max = 200))]
    id: String,
    /// Human-readable name for the domain
    #[schemars(length(min = 1, max = 500))]
    name: String,
    /// Purpose/scope of the domain
    #[schemars(length(max = 2000))]
    description: String,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// The domain.
    domain: DomainInfo,
}

fn create_domain(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.write(|tx| {
        let domain = domains::create(tx, &input.id, &input.name, Some(&input.description))?;
        Ok(Output { domain: domain.into() })
    })
}
