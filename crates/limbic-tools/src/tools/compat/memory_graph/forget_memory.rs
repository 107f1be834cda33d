//! The tool forget_memory.

use limbic_core::{Result, mutations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// Remove a memory from the knowledge graph.
    name: "forget_memory",
    title: "Forget Memory",
    toolset: Memory,
    access: Destroy,
    idempotent: false,
    example: r#"{"id": "0190d2a0-0000-7000-8000-000000000000"}"#,
    handler: forget_memory,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
struct Input {
    /// ID of the memory to forget
    #[schemars(length(min = 1, max = 200))]
    id: String,
    /// Whether to also remove memories that are connected to nothing else
    #[serde(default)]
    cascade: bool,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Confirmation.
    message: String,
    /// IDs deleted.
    deleted: Vec<String>,
}

fn forget_memory(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let writer = context.memory.session().writer();
    let actor = writer.actor(None);
    let deleted =
        context.memory.write(|tx| mutations::memories::forget(tx, &input.id, input.cascade, actor))?;
    Ok(Output { message: "Memory forgotten successfully".into(), deleted })
}
