//! The tool delete_entities of the reference server.

use limbic_core::{
    Result, mutations,
    store::graph::{entities, relations},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::graph::Done;
use crate::{context::Context, tool::tool};

tool! {
    /// Delete multiple entities and their associated relations from the knowledge graph
    name: "delete_entities",
    title: "Delete Entities",
    toolset: Graph,
    access: Destroy,
    idempotent: true,
    example: r#"{"entityNames": ["Atlas"]}"#,
    handler: delete_entities,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(description = "")]
struct Input {
    /// An array of entity names to delete
    entity_names: Vec<String>,
}

fn delete_entities(context: &mut Context<'_>, input: Input) -> Result<Done> {
    context.memory.write(|tx| {
        for name in &input.entity_names {
            // A placeholder too: relations go with the names at their ends, whether these were created or not.
            let Some(entity) = entities::find_exact(tx, name)? else { continue };
            let touching = relations::touching(tx, entity.id, true)?;
            mutations::entities::delete(tx, entity.id)?;
            for end in touching.iter().flat_map(|relation| [relation.from_id, relation.to_id]) {
                mutations::placeholders::delete_unused(tx, end)?;
            }
        }
        Ok(Done::saying("Entities deleted successfully"))
    })
}
