//! The tool memory_forget.

use limbic_core::{
    Result, mutations,
    store::memories::{self, MemoryNode},
};
use limbic_guard::one_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{context::Context, tool::tool};

tool! {
    /// Delete a memory permanently, with its links and history. If it was once true, use memory_invalidate.
    name: "memory_forget",
    title: "Forget a memory",
    toolset: Memory,
    brief: &["id", "reason", "cascade"],
    access: Destroy,
    idempotent: false,
    confirm: question,
    example: r#"{"id": "0190d2a0-0000-7000-8000-000000000000", "reason": "Asked by the user"}"#,
    handler: memory_forget,
}

/// Maximum length of the memory's text in the question, in characters.
const MAX_TEXT_CHARS: usize = 200;

/// The part of a digest that a question has.
const DIGEST_BYTES: usize = 16;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id of the memory.
    #[schemars(length(min = 1, max = 200))]
    pub id: String,
    /// Also delete unpinned memories of the same user whose links all lead to deleted ones.
    #[serde(default)]
    pub cascade: bool,
    /// Only if it is this user's memory.
    #[schemars(length(min = 1, max = 200))]
    pub user_id: Option<String>,
    /// Reason for the audit log, which keeps id, time and reason, never the text.
    #[schemars(length(max = 1000))]
    pub reason: Option<String>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Ids deleted.
    pub deleted: Vec<String>,
}

fn memory_forget(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let writer = context.memory.session().writer();
    let reason = context.storable(input.reason);
    let actor = writer.actor(reason.as_deref());
    context.memory.write(|tx| {
        memories::require(tx, &input.id, input.user_id.as_deref())?;
        Ok(Output { deleted: mutations::memories::forget(tx, &input.id, input.cascade, actor)? })
    })
}

fn question(context: &mut Context<'_>, input: Input) -> Result<Option<String>> {
    let doomed = context.memory.read(|tx| {
        memories::require(tx, &input.id, input.user_id.as_deref())?;
        mutations::memories::to_forget(tx, &input.id, input.cascade)
    })?;
    let Some(memory) = doomed.first() else { return Ok(None) };
    let text = one_line(&memory.content, MAX_TEXT_CHARS);
    let others = match doomed.len() - 1 {
        0 => String::new(),
        1 => " Another memory that depends on it is deleted, too.".to_owned(),
        count => format!(" {count} other memories that depend on it are deleted, too."),
    };
    // A yes counts for the question: it must name all that is deleted, which may change before the call is repeated.
    let digest = match others.is_empty() && text == memory.content {
        true => String::new(),
        false => format!(" SHA-256 of what is deleted: {}.", digest_of(&doomed)),
    };
    Ok(Some(format!("Delete this memory permanently, with its links and history? {text:?}.{others}{digest}")))
}

/// Identifies these memories with their whole texts.
fn digest_of(memories: &[MemoryNode]) -> String {
    let all: Vec<[&str; 2]> = memories.iter().map(|memory| [&*memory.id, &*memory.content]).collect();
    let digest = Sha256::digest(json!(all).to_string().as_bytes());
    digest.iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect()
}
