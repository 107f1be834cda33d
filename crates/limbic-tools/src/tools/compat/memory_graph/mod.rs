//! The tools of Memory Graph (`aaronsb/memory-graph`), for `--compat memory-graph`: its names and parameters,
//! implemented by the functions of Limbic's own tools, on the same memories.
//!
//! Answers are objects where that server writes text, with the same content: `{node}` for a memory, `{results}` for a
//! search, `{text}` for a traversal, `{mermaid}` for a diagram. Differences, because Limbic's rules apply:
//!
//! - A duplicate confirms the existing memory instead of creating a new one.
//! - forget_memory with `cascade` deletes memories that are linked only to deleted ones, not every linked memory.
//! - A regular expression in `search` is rejected.

mod create_domain;
mod domain;
mod edit_memory;
mod forget_memory;
mod generate_mermaid_graph;
mod list_domains;
mod node;
mod recall;
mod recall_memories;
mod search_memory_content;
mod select_domain;
mod store_memory;
mod traverse_memories;

use crate::Tool;

/// The ten tools, in the order in which that server lists them.
pub const TOOLS: &[Tool] = &[
    traverse_memories::TOOL,
    search_memory_content::TOOL,
    select_domain::TOOL,
    list_domains::TOOL,
    create_domain::TOOL,
    store_memory::TOOL,
    recall_memories::TOOL,
    edit_memory::TOOL,
    forget_memory::TOOL,
    generate_mermaid_graph::TOOL,
];
