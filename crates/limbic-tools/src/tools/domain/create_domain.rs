//! The tool create_domain.

use limbic_core::{Result, store::domains};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DomainView;
use crate::{context::Context, tool::tool};

tool! {
    /// Create a domain, such as one per project. To work in it, call select_domain.
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
    /// Unique id other than "*"; trimmed.
    #[schemars(length(min = 1, max = 200))]
    pub id: String,
    /// Display name; default the id.
    #[schemars(length(min = 1, max = 500))]
    pub name: Option<String>,
    /// Description.
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
    let user = context.user().map(str::to_owned);
    context.memory.write(|tx| {
        let name = input.name.unwrap_or_else(|| domains::canonical(&input.id).into_owned());
        let domain = domains::create(tx, &input.id, &name, input.description.as_deref())?;
        Ok(Output { domain: DomainView::new(tx, domain, user.as_deref())? })
    })
}
