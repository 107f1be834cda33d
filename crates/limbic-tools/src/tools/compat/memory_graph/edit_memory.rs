//! The tool edit_memory.

use limbic_core::{Result, mutations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::node::{Node, Relationships};
use crate::{context::Context, tool::tool, tools::memory::fields::Fields};

tool! {
    /// Edit an existing memory in the knowledge graph; relationships replaces those it has.
    name: "edit_memory",
    title: "Edit Memory",
    toolset: Memory,
    access: Write,
    idempotent: false,
    example: r#"{"id": "0190d2a0-0000-7000-8000-000000000000", "content": "The office is in Porto"}"#,
    handler: edit_memory,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Input {
    /// ID of the memory to edit
    #[schemars(length(min = 1, max = 200))]
    id: String,
    /// New content for the memory
    #[schemars(length(min = 1))]
    content: Option<String>,
    /// New organization path
    #[schemars(length(max = 500))]
    path: Option<String>,
    /// New tags in place of the existing ones
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    tags: Option<Vec<String>>,
    /// New relationships to replace existing ones
    relationships: Option<Relationships>,
    /// Domain to move the memory to
    #[schemars(length(min = 1, max = 200))]
    target_domain: Option<String>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// The memory after the call.
    node: Node,
}

fn edit_memory(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let fields = Fields {
        content: input.content,
        path: input.path,
        tags: input.tags,
        relationships: input.relationships,
        domain: input.target_domain,
        ..Fields::default()
    };
    let changes = fields.into_changes(context.redact)?;
    let writer = context.memory.session().writer();
    let actor = writer.actor(None);
    context.memory.write(|tx| {
        let memory = mutations::memories::update(tx, &input.id, &changes, actor)?;
        Ok(Output { node: Node::new(tx, memory)? })
    })
}
