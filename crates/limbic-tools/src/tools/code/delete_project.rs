//! The tool delete_project.

use limbic_core::{Result, mutations, store::code::projects};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// Delete the index of a project. Its files and all memories stay.
    name: "delete_project",
    title: "Delete a project's index",
    toolset: Code,
    access: Destroy,
    idempotent: false,
    example: r#"{"project_id": "shop"}"#,
    handler: delete_project,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id of the project.
    #[schemars(length(min = 1, max = 200))]
    pub project_id: String,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Count of chunks deleted.
    pub chunks_deleted: usize,
    /// Count of symbols deleted.
    pub symbols_deleted: usize,
}

fn delete_project(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.write(|tx| {
        let project = projects::get(tx, &input.project_id)?;
        let (chunks_deleted, symbols_deleted) = mutations::code::delete_project(tx, &project)?;
        Ok(Output { chunks_deleted, symbols_deleted })
    })
}
