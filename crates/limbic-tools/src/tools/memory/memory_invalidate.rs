//! The tool memory_invalidate.

use limbic_core::{Result, mutations, store::memories};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, schema::Short, tool::tool, views::memory::MemoryView};

tool! {
    /// Mark a memory as no longer true, with its replacement if any. It is excluded from recall unless as_of is
    /// earlier. To delete it, use memory_forget.
    name: "memory_invalidate",
    title: "Invalidate a memory",
    toolset: Memory,
    access: Write,
    idempotent: true,
    example: r#"{"id": "0190d2a0-0000-7000-8000-000000000000", "reason": "The office has moved"}"#,
    handler: memory_invalidate,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id of the memory.
    #[schemars(length(min = 1, max = 200))]
    pub id: String,
    /// Why it was invalidated.
    #[schemars(length(max = 1000))]
    pub reason: Option<String>,
    /// Id of the memory that replaces it.
    #[schemars(length(min = 1, max = 200))]
    pub superseded_by: Option<String>,
    /// Only if both are this user's memories.
    #[schemars(length(min = 1, max = 200))]
    pub user_id: Option<String>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The memory after the call; a long text is cut.
    #[schemars(with = "Short<MemoryView>")]
    pub memory: MemoryView,
}

fn memory_invalidate(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let texts = context.options.texts();
    let writer = context.memory.session().writer();
    let reason = context.storable(input.reason);
    let actor = writer.actor(reason.as_deref());
    context.memory.write(|tx| {
        for id in [Some(&input.id), input.superseded_by.as_ref()].into_iter().flatten() {
            memories::require(tx, id, input.user_id.as_deref())?;
        }
        let memory = mutations::memories::invalidate(tx, &input.id, input.superseded_by.as_deref(), actor)?;
        Ok(Output { memory: MemoryView::after_write(memory, tx.now_millis(), texts) })
    })
}
