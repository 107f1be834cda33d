//! The tool delete_entities.

use limbic_core::{Error, Result, mutations, store::graph::entities};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// Delete entities permanently, with their observations, relations and reflections. To keep history, use
    /// end_relation or add_observations with supersedes.
    name: "delete_entities",
    title: "Delete entities",
    toolset: Graph,
    access: Destroy,
    idempotent: true,
    example: r#"{"entityNames": ["Atlas"]}"#,
    handler: delete_entities,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Exact names.
    #[schemars(length(min = 1, max = 1000), inner(length(min = 1, max = 500)))]
    pub entity_names: Vec<String>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Names deleted.
    pub deleted: Vec<String>,
    /// Names not found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub errors: Vec<String>,
}

fn delete_entities(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.write(|tx| {
        let mut output = Output { deleted: Vec::new(), errors: Vec::new() };
        for name in input.entity_names {
            if let Some(entity) = entities::find(tx, &name)? {
                mutations::entities::delete(tx, entity.id)?;
                output.deleted.push(entity.name);
            } else if !output.deleted.contains(&name) {
                output.errors.push(Error::EntityNotFound(name).to_string());
            }
        }
        Ok(output)
    })
}
