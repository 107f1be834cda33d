//! What tells the documents of programs apart.

use super::document::{self, Fields};

/// Names of the list of memories in a document.
pub const LISTS: [&str; 5] = ["memories", "results", "records", "items", "data"];

/// Whether an object is Claude's export of the memory of an account.
pub fn is_of_claude(fields: &Fields) -> bool {
    let files = fields.get("memory_files").and_then(document::elements);
    ["conversations_memory", "project_memories"].iter().any(|name| fields.contains(name))
        || files.is_some_and(|files| files.iter().any(|file| file.get().starts_with('{')))
}

/// Whether an object is a memory of OpenMemory, mem0's local server.
pub fn is_of_openmemory(fields: &Fields) -> bool {
    fields.contains("content")
        && fields.contains("state")
        && ["app", "app_id", "app_name"].iter().any(|name| fields.contains(name))
}
