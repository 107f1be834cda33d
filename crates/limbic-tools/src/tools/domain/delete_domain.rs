//! The tool delete_domain.

use limbic_core::{Error, Result, Transaction, mutations, store::domains};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// Delete a domain. Its memories move to move_to; without it, the domain must be empty. The current domain and
    /// the last one cannot be deleted.
    name: "delete_domain",
    title: "Delete a domain",
    toolset: Domain,
    advanced: true,
    access: Destroy,
    idempotent: false,
    confirm: question,
    example: r#"{"id": "atlas", "move_to": "general"}"#,
    handler: delete_domain,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id of the domain.
    #[schemars(length(min = 1, max = 200))]
    pub id: String,
    /// Id of the domain to move its memories to.
    #[schemars(length(min = 1, max = 200))]
    pub move_to: Option<String>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Id of the domain deleted.
    pub deleted: String,
    /// Count of memories moved.
    pub moved: usize,
}

fn delete_domain(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let current = context.memory.named_domain()?;
    let writer = context.memory.session().writer();
    context.memory.write(|tx| {
        let id = deletable(tx, &input.id, &current)?;
        let moved = match &input.move_to {
            Some(to) => mutations::memories::move_all(tx, &id, to, writer.actor(None))?,
            None => 0,
        };
        domains::delete(tx, &id)?;
        Ok(Output { deleted: id, moved })
    })
}

/// The id of a domain that is not the current one.
fn deletable(tx: &Transaction<'_>, id: &str, current: &str) -> Result<String> {
    let id = domains::resolve(tx, id)?;
    if id == current {
        return Err(Error::Conflict(format!(
            "{id:?} is the current domain of this session: select another one first"
        )));
    }
    Ok(id)
}

fn question(context: &mut Context<'_>, input: Input) -> Result<Option<String>> {
    let current = context.memory.named_domain()?;
    let (domain, is_refused) = context.memory.read(|tx| {
        let domain = domains::get(tx, &deletable(tx, &input.id, &current)?)?;
        let is_refused = match &input.move_to {
            Some(to) => domains::resolve(tx, to)? == domain.id,
            None => domain.memories > 0,
        };
        Ok((domain, is_refused))
    })?;
    if is_refused {
        // The call says why.
        return Ok(None);
    }
    let memories = match &input.move_to {
        Some(to) => format!(" Its memories ({}) move to {to:?}.", domain.memories),
        None => String::new(),
    };
    Ok(Some(format!("Delete the domain {:?} permanently?{memories}", domain.id)))
}
