//! The tool delete_observations of the reference server.

use limbic_core::{Result, mutations};
use schemars::JsonSchema;
use serde::Deserialize;

use super::graph::{self, Done};
use crate::{context::Context, tool::tool};

tool! {
    /// Delete specific observations from entities in the knowledge graph
    name: "delete_observations",
    title: "Delete Observations",
    toolset: Graph,
    access: Destroy,
    idempotent: true,
    example: r#"{"deletions": [{"entityName": "Atlas", "observations": ["Released every second Tuesday"]}]}"#,
    handler: delete_observations,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(description = "")]
struct Input {
    deletions: Vec<Deletion>,
}

/// Observations to delete from one entity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(description = "")]
struct Deletion {
    /// The name of the entity containing the observations
    entity_name: String,
    /// An array of observations to delete
    observations: Vec<String>,
}

fn delete_observations(context: &mut Context<'_>, input: Input) -> Result<Done> {
    context.memory.write(|tx| {
        for deletion in &input.deletions {
            if let Some(entity) = graph::find(tx, &deletion.entity_name)? {
                mutations::observations::delete_exact(tx, entity.id, &deletion.observations)?;
            }
        }
        Ok(Done::saying("Observations deleted successfully"))
    })
}
