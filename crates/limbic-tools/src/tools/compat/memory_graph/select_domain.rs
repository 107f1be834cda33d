//! The tool select_domain.

use limbic_core::{Error, Result, store::domains};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::domain::DomainInfo;
use crate::{context::Context, tool::tool};

tool! {
    /// Switch to a different memory domain: it is the active context for all memory operations from then on.
    name: "select_domain",
    title: "Select Domain",
    toolset: Domain,
    access: Write,
    idempotent: true,
    offered_read_only: true,
    example: r#"{"id": "general"}"#,
    handler: select_domain,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
struct Input {
    /// ID of the domain to select
    #[schemars(length(min = 1, max = 200))]
    id: String,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// The domain.
    domain: DomainInfo,
}

/// Memory Graph stores the current domain in the file; with a read-only database only the session's domain changes.
fn select_domain(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let domain = if context.memory.database().is_read_only() {
        if context.memory.session().is_stateless() {
            return Err(Error::ReadOnly);
        }
        context.memory.read(|tx| domains::get(tx, &domains::resolve(tx, &input.id)?))?
    } else {
        context.memory.write(|tx| domains::select(tx, &input.id))?
    };
    context.memory.session_mut().select(&domain.id);
    Ok(Output { domain: domain.into() })
}
