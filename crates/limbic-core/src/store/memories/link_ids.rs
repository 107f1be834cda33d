//! Ids of links within a domain.

use crate::{Result, Transaction};

/// Returns an id for a new edge: `source-target-type`, as Memory Graph forms it, or that with a number if another edge
/// has it. Memories' ids and types may contain hyphens, so that it does not identify an edge: its ends and its type do.
pub(crate) fn free(tx: &Transaction<'_>, from: &str, to: &str, link_type: &str) -> Result<String> {
    let mut is_taken = tx.prepare_cached("SELECT 1 FROM MEMORY_EDGES WHERE id = ?1")?;
    let joined = format!("{from}-{to}-{link_type}");
    let mut id = joined.clone();
    for number in 2_u64.. {
        if !is_taken.exists([&id])? {
            break;
        }
        id = format!("{joined}-{number}");
    }
    Ok(id)
}
