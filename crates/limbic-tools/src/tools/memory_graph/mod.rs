//! The tools of Memory Graph (`aaronsb/memory-graph`), for `--compat memory-graph`: its names and its parameters,
//! answered by what answers our own tools, on the same memories.
//!
//! Answers are objects where that server writes text, and they say the same: `{node}` for a memory, `{results}` for
//! what was found, `{text}` for a traversal, `{mermaid}` for a diagram. What differs, because our rules hold:
//!
//! - What says the same as a memory that is there confirms that one instead.
//! - forget_memory with `cascade` takes what only hangs on the memory, not whatever is linked to it.
//! - A regular expression in `search` is refused.

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
