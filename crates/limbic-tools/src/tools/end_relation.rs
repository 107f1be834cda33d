//! The tool end_relation.

use limbic_core::{Result, store::graph::relations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool, views::FullRelation};

tool! {
    /// End a relation that no longer holds. It stays as history and create_relations can make it active again. The
    /// inverse of contiene or parte_de ends with it.
    name: "end_relation",
    title: "End a relation",
    toolset: Graph,
    access: Write,
    idempotent: true,
    example: r#"{"relation_id": 1}"#,
    handler: end_relation,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Relation id, as create_relations and open_nodes with detail "full" give it.
    pub relation_id: i64,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// What was done.
    pub result: String,
    /// The relation as it is now.
    pub relation: FullRelation,
    /// Id of the inverse relation that ended with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inverse_expired_id: Option<i64>,
}

fn end_relation(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let id = input.relation_id;
    let ended = context.memory.write(|tx| relations::end(tx, id))?;
    let result = if ended.had_ended {
        format!("Relation {id} had expired before: nothing changed")
    } else {
        format!("Relation {id} expired successfully")
    };
    Ok(Output { result, relation: ended.relation.into(), inverse_expired_id: ended.inverse_id })
}
