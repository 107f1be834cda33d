//! The toolset memory: memories, their links and their maintenance.

pub mod memory_store;
pub mod memory_recall;
pub mod memory_get;
pub mod memory_list;
pub mod memory_update;
pub mod memory_invalidate;
pub mod memory_forget;
pub mod memory_link;
pub mod memory_traverse;
pub mod memory_diagram;
pub mod memory_maintain;

pub mod code_links;
pub mod fields;
pub mod mermaid;
pub mod new_ids;
pub mod outline;
pub mod walk;
pub mod walk_view;

use limbic_core::{Result, store::domains};

use crate::context::Context;

pub use limbic_core::store::domains::ALL;

/// Returns the domain of a call: the one given, the current one, or `None` for all.
pub fn domain(context: &mut Context<'_>, given: Option<String>) -> Result<Option<String>> {
    match given {
        Some(domain) if domain.trim() == ALL => Ok(None),
        Some(domain) => context.memory.read(|tx| domains::resolve(tx, &domain)).map(Some),
        None => context.memory.domain().map(Some),
    }
}
