//! The tool delete_relations of the reference server.

use limbic_core::{
    Result, mutations,
    store::graph::{
        entities,
        relations::{self, Triple},
    },
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::graph::{Done, Link};
use crate::{context::Context, tool::tool};

tool! {
    /// Delete multiple relations from the knowledge graph
    name: "delete_relations",
    title: "Delete Relations",
    toolset: Graph,
    access: Destroy,
    idempotent: true,
    example: r#"{"relations": [{"from": "Atlas", "to": "SQLite", "relationType": "uses"}]}"#,
    handler: delete_relations,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(description = "")]
struct Input {
    /// An array of relations to delete
    relations: Vec<Link>,
}

fn delete_relations(context: &mut Context<'_>, input: Input) -> Result<Done> {
    context.memory.write(|tx| {
        for link in &input.relations {
            let (Some(from), Some(to)) =
                (entities::find_exact(tx, &link.from)?, entities::find_exact(tx, &link.to)?)
            else {
                continue;
            };
            let triple = Triple { from_id: from.id, to_id: to.id, relation_type: &link.relation_type };
            // One that has ended is history, which the reference server does not know.
            if relations::find(tx, triple)?.is_some_and(|relation| relation.active) {
                mutations::relations::delete(tx, triple)?;
                mutations::placeholders::delete_unused(tx, from.id)?;
                mutations::placeholders::delete_unused(tx, to.id)?;
            }
        }
        Ok(Done::saying("Relations deleted successfully"))
    })
}
