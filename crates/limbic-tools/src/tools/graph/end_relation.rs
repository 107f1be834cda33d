//! The tool end_relation.

use limbic_core::{Result, mutations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool, views::FullRelation};

tool! {
    /// End a relation that no longer holds. It stays as history; create_relations makes it active again. The inverse
    /// of contiene (contains) or parte_de (part of) ends with it.
    name: "end_relation",
    title: "End a relation",
    toolset: Graph,
    advanced: true,
    access: Write,
    idempotent: true,
    example: r#"{"relation_id": 1}"#,
    handler: end_relation,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Relation id, from create_relations or open_nodes with detail "full".
    pub relation_id: i64,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Result.
    pub result: String,
    /// The relation after the call.
    pub relation: FullRelation,
    /// Id of the inverse relation that ended with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inverse_expired_id: Option<i64>,
}

fn end_relation(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let id = input.relation_id;
    let ended = context.memory.write(|tx| mutations::relations::end(tx, id))?;
    let result = if ended.had_ended {
        format!("Relation {id} had expired before: nothing changed")
    } else {
        format!("Relation {id} expired successfully")
    };
    Ok(Output { result, relation: ended.relation.into(), inverse_expired_id: ended.inverse_id })
}
