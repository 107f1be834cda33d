//! The tool create_entities of the reference server.

use limbic_core::{Result, mutations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    graph::{Entity, closed},
    limits,
};
use crate::{context::Context, tool::tool};

tool! {
    /// Create multiple new entities in the knowledge graph
    name: "create_entities",
    title: "Create Entities",
    toolset: Graph,
    access: Write,
    idempotent: false,
    example: r#"{"entities": [{"name": "Atlas", "entityType": "Project", "observations": ["Stack: Rust and SQLite"]}]}"#,
    handler: create_entities,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(description = "")]
struct Input {
    entities: Vec<Entity>,
}

/// Answer: the entities that did not exist.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(description = "", transform = closed)]
struct Output {
    entities: Vec<Entity>,
}

fn create_entities(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.write(|tx| {
        let mut entities = Vec::new();
        for entity in input.entities {
            limits::check_name(&entity.name)?;
            limits::check_name(&entity.entity_type)?;
            limits::check_observations(&entity.observations)?;
            if let Some(row) = mutations::placeholders::create(tx, &entity.name, &entity.entity_type)? {
                match entity.observations.as_slice() {
                    [] => mutations::entities::text_changed(tx, row.id)?,
                    observations => mutations::observations::append(tx, row.id, observations)?,
                }
                entities.push(entity);
            }
        }
        Ok(Output { entities })
    })
}
