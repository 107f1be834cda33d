//! The tool create_domain.

use limbic_core::{Result, store::domains};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DomainView;
use crate::{context::Context, tool::tool};

tool! {
    /// Make a domain, such as one for each project. select_domain makes it the current one.
    name: "create_domain",
    title: "Create a domain",
    toolset: Domain,
    access: Write,
    idempotent: false,
    example: r#"{"id": "billing", "name": "Billing", "description": "What concerns the billing service"}"#,
    handler: create_domain,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Unique, other than "*"; trimmed.
    #[schemars(length(min = 1, max = 200))]
    pub id: String,
    /// For people; the id when not given.
    #[schemars(length(min = 1, max = 500))]
    pub name: Option<String>,
    /// What belongs there.
    #[schemars(length(max = 2000))]
    pub description: Option<String>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The domain.
    pub domain: DomainView,
}

fn create_domain(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.write(|tx| {
        let name = input.name.unwrap_or_else(|| domains::canonical(&input.id).into_owned());
        let domain = domains::create(tx, &input.id, &name, input.description.as_deref())?;
        Ok(Output { domain: domain.into() })
    })
}
