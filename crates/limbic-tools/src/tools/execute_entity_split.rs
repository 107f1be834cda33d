//! The tool execute_entity_split.

use limbic_core::{
    Result,
    maintenance::split::{self, Part},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// Divide an entity as approved: creates the new entities, moves observations to them with their kind and
    /// history, and relates them with contiene and parte_de. All or nothing.
    name: "execute_entity_split",
    title: "Split an entity",
    toolset: Graph,
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
    /// Exact name of the entity to divide.
    #[schemars(length(min = 1, max = 500))]
    pub entity_name: String,
    /// What becomes an entity: suggested_splits of propose_entity_split, or your own.
    #[schemars(length(min = 1, max = 1000))]
    pub approved_splits: Vec<ApprovedSplit>,
    /// Exact name of the entity that contains the new ones; entity_name when not given.
    #[schemars(length(min = 1, max = 500))]
    pub parent_entity_name: Option<String>,
}

/// What becomes an entity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovedSplit {
    /// Its name; no entity may have it yet.
    #[schemars(length(min = 1, max = 500))]
    pub name: String,
    /// Its type, usually that of the entity.
    #[schemars(length(min = 1, max = 500))]
    pub entity_type: String,
    /// Exact texts of the observations that move to it.
    #[schemars(length(min = 1, max = 1000), inner(length(min = 1, max = 10000)))]
    pub observations: Vec<String>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// What was done.
    pub result: Done,
}

/// What was done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Done {
    /// Names of the new entities.
    pub new_entities: Vec<String>,
    /// How many observations have moved.
    pub moved_observations: usize,
    /// How many relations were created.
    pub relations_created: usize,
    /// How many observations the entity still has.
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
