//! The tool memory_update.

use limbic_core::{Result, mutations, store::memories};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{code_links, fields::Fields};
use crate::{context::Context, schema::Short, tool::tool, views::memory::MemoryView};

tool! {
    /// Change a memory. Omitted fields stay unchanged; "" clears an optional field. New content raises confidence and
    /// keeps the old text as history. domain moves it: its links become references, one per memory, without strength.
    /// relationships replaces its links; symbols replaces its symbols and confirms that it holds for their present
    /// code. user_id claims an unowned memory; other users' memories are not found.
    name: "memory_update",
    title: "Update a memory",
    toolset: Memory,
    brief: &["id", "content", "category", "subject", "domain", "tags", "importance", "confidence", "pinned", "expires_at", "reason"],
    access: Write,
    idempotent: false,
    example: r#"{"id": "0190d2a0-0000-7000-8000-000000000000", "content": "Tests run in debug builds too"}"#,
    handler: memory_update,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Input {
    /// Id of the memory.
    #[schemars(length(min = 1, max = 200))]
    pub id: String,
    /// The changes.
    #[serde(flatten)]
    pub fields: Fields,
    /// Reason for the audit log.
    #[schemars(length(max = 1000))]
    pub reason: Option<String>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The memory after the call; a long text is cut.
    #[schemars(with = "Short<MemoryView>")]
    pub memory: MemoryView,
}

fn memory_update(context: &mut Context<'_>, input: Input) -> Result<Output> {
    code_links::refresh(context, [&input.fields])?;
    let changes = input.fields.into_changes(context.redact)?;
    let user = context.user().map(str::to_owned);
    let texts = context.options.texts();
    let writer = context.memory.session().writer();
    let reason = context.storable(input.reason);
    let actor = writer.actor(reason.as_deref());
    let mut memory = context.memory.write(|tx| {
        // A call that is limited to a user cannot claim a memory without an owner.
        if user.is_some() {
            memories::require(tx, &input.id, user.as_deref())?;
        }
        let memory = mutations::memories::update(tx, &input.id, &changes, actor)?;
        Ok(MemoryView::after_write(memory, tx.now_millis(), texts))
    })?;
    code_links::attach(context, [&mut memory])?;
    Ok(Output { memory })
}
