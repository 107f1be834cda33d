//! The toolset memory: memories, their links and their life.

pub mod memory_store;
pub mod memory_get;
pub mod memory_list;
pub mod memory_update;
pub mod memory_invalidate;
pub mod memory_forget;
pub mod memory_maintain;

mod fields;
mod guarded;

use limbic_core::Result;

use crate::context::Context;

/// Stands for all domains.
const ALL: &str = "*";

/// The domain that a caller means: the one given, the current one, or none for all.
fn domain(context: &mut Context<'_>, given: Option<String>) -> Result<Option<String>> {
    match given {
        Some(domain) if domain == ALL => Ok(None),
        Some(domain) => Ok(Some(domain)),
        None => context.memory.domain().map(Some),
    }
}
