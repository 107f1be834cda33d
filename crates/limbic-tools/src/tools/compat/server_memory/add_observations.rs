//! The tool add_observations of the reference server.

use std::collections::HashSet;

use limbic_core::{Error, Result, mutations, store::graph::observations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    graph::{self, closed},
    limits,
};
use crate::{context::Context, tool::tool};

tool! {
    /// Add new observations to existing entities in the knowledge graph
    name: "add_observations",
    title: "Add Observations",
    toolset: Graph,
    access: Write,
    idempotent: false,
    example: r#"{"observations": [{"entityName": "Atlas", "contents": ["Released every second Tuesday"]}]}"#,
    handler: add_observations,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(description = "")]
struct Input {
    observations: Vec<Addition>,
}

/// Observations to add to one entity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(description = "")]
struct Addition {
    /// The name of the entity to add the observations to
    entity_name: String,
    /// An array of observation contents to add
    contents: Vec<String>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(description = "", transform = closed)]
struct Output {
    results: Vec<Added>,
}

/// Answer for one entity: the observations it did not have.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(description = "")]
struct Added {
    entity_name: String,
    added_observations: Vec<String>,
}

fn add_observations(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.write(|tx| {
        let mut results = Vec::new();
        for Addition { entity_name, contents } in input.observations {
            let Some(entity) = graph::find(tx, &entity_name)? else {
                return Err(Error::ReferenceEntityNotFound(entity_name));
            };
            limits::check_observations(&contents)?;
            let known: HashSet<String> = observations::current(tx, entity.id)?
                .into_iter()
                .map(|observation| observation.content)
                .collect();
            // Compared with stored texts only: a text that is given twice in one call is stored twice.
            let added_observations: Vec<String> =
                contents.into_iter().filter(|content| !known.contains(content)).collect();
            mutations::observations::append(tx, entity.id, &added_observations)?;
            results.push(Added { entity_name, added_observations });
        }
        Ok(Output { results })
    })
}
