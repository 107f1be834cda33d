//! The tool select_domain.

use limbic_core::{Error, Result, Transaction, store::domains};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DomainView;
use crate::{context::Context, tool::tool};

tool! {
    /// Select the session's current domain, where memories are stored and recalled. Other sessions keep theirs; with
    /// as_default, later sessions start in it.
    name: "select_domain",
    title: "Select a domain",
    toolset: Domain,
    access: Write,
    idempotent: true,
    offered_read_only: true,
    for_sessions: true,
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
    /// Make later sessions start in it.
    #[serde(default)]
    pub as_default: bool,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The domain.
    pub domain: DomainView,
}

fn select_domain(context: &mut Context<'_>, input: Input) -> Result<Output> {
    if context.memory.session().is_stateless() && !input.as_default {
        return Err(Error::InvalidArgument {
            message: "a domain cannot be selected: this server keeps no session for this client".into(),
            hint: Some("Give domain with each call, or as_default true for all clients".into()),
        });
    }
    let user = context.user().map(str::to_owned);
    let view = |tx: &Transaction<'_>, domain| DomainView::new(tx, domain, user.as_deref());
    let domain = if input.as_default {
        context.memory.write(|tx| view(tx, domains::select(tx, &input.id)?))?
    } else {
        context.memory.read(|tx| view(tx, domains::get(tx, &domains::resolve(tx, &input.id)?)?))?
    };
    context.memory.session_mut().select(&domain.id);
    Ok(Output { domain })
}
