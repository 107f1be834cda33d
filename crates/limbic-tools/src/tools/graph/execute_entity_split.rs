//! The tool execute_entity_split.

use limbic_core::{
    Result,
    maintenance::split::{self, Part},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// Split an entity as approved: create the new entities, move observations to them with kind and history, and
    /// relate them by contiene (contains) and parte_de (part of). All or nothing.
    name: "execute_entity_split",
    title: "Split an entity",
    toolset: Graph,
    advanced: true,
    access: Write,
    idempotent: false,
    aliases: &["execute_entity_split_tool"],
    example: r#"{"entity_name": "Atlas", "approved_splits": [{"name": "Atlas - Releases", "entity_type": "Generic", "observations": ["Released every second Tuesday"]}]}"#,
    handler: execute_entity_split,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Exact name of the entity to split.
    #[schemars(length(min = 1, max = 500))]
    pub entity_name: String,
    /// Entities to create: suggested_splits of propose_entity_split, or your own.
    #[schemars(length(min = 1, max = 1000))]
    pub approved_splits: Vec<ApprovedSplit>,
    /// Exact name of the entity that contains the new ones; default entity_name.
    #[schemars(length(min = 1, max = 500))]
    pub parent_entity_name: Option<String>,
}

/// An entity to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovedSplit {
    /// Name, not yet in use.
    #[schemars(length(min = 1, max = 500))]
    pub name: String,
    /// Type, usually that of the split entity.
    #[schemars(length(min = 1, max = 500))]
    pub entity_type: String,
    /// Exact texts of the observations to move to it.
    #[schemars(length(min = 1, max = 1000), inner(length(min = 1, max = 10000)))]
    pub observations: Vec<String>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Result.
    pub result: Done,
}

/// Result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Done {
    /// Names created.
    pub new_entities: Vec<String>,
    /// Count of observations moved.
    pub moved_observations: usize,
    /// Count of relations created.
    pub relations_created: usize,
    /// Count of observations left in the split entity.
    pub original_observations_remaining: usize,
}

fn execute_entity_split(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let parts: Vec<Part<'_>> = input
        .approved_splits
        .iter()
        .map(|split| Part {
            name: &split.name,
            entity_type: &split.entity_type,
            observations: &split.observations,
        })
        .collect();
    let whole = input.parent_entity_name.as_deref();
    let done = context.memory.write(|tx| split::execute(tx, &input.entity_name, &parts, whole))?;
    Ok(Output {
        result: Done {
            new_entities: done.new_entities,
            moved_observations: done.moved,
            relations_created: done.relations_created,
            original_observations_remaining: done.remaining,
        },
    })
}
