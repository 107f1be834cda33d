//! Deleting memories, with their vectors and the audit log.

use std::collections::BTreeSet;

use limbic_protocol::TextKind;

use crate::{
    Result, Transaction,
    store::{
        logs::audit::{self, Action, Actor},
        memories::{self, MemoryNode, near_duplicate_edges},
        vectors::embeddings,
    },
};

/// Deletes a memory permanently, with the reasons of its earlier lines in the audit log. Returns the ids of all deleted
/// memories. With `cascade`, memories of the same user are deleted as well if they are not pinned and all of their
/// links lead to deleted memories. Links of near-duplicates do not count.
///
/// # Errors
/// [`Error::MemoryNotFound`](crate::Error::MemoryNotFound).
pub fn forget(tx: &Transaction<'_>, id: &str, cascade: bool, actor: Actor<'_>) -> Result<Vec<String>> {
    let doomed = to_forget(tx, id, cascade)?;
    for memory in &doomed {
        audit::clear_reasons(tx, &memory.id)?;
        audit::record(tx, Action::Forget, &memory.id, actor)?;
    }
    for memory in &doomed {
        memories::delete_row(tx, &memory.id)?;
        embeddings::forget(tx, TextKind::Memory, memory.number)?;
    }
    Ok(doomed.into_iter().map(|memory| memory.id).collect())
}

/// The memories that [`forget`] would delete, the named one first.
///
/// # Errors
/// [`Error::MemoryNotFound`](crate::Error::MemoryNotFound).
pub fn to_forget(tx: &Transaction<'_>, id: &str, cascade: bool) -> Result<Vec<MemoryNode>> {
    let first = memories::get(tx, id)?;
    let owner = first.user_id.clone();
    let mut doomed = vec![first];
    if cascade {
        let mut ids: BTreeSet<String> = doomed.iter().map(|memory| memory.id.clone()).collect();
        let mut index = 0;
        while let Some(memory) = doomed.get(index) {
            let counts = |link_type: &str| !near_duplicate_edges::is_automatic(link_type);
            for neighbour in neighbours(tx, &memory.id, counts)? {
                if !ids.contains(&neighbour)
                    && neighbours(tx, &neighbour, counts)?.iter().all(|other| ids.contains(other))
                    && let Some(found) = memories::find(tx, &neighbour)?
                    && !found.pinned
                    && found.user_id == owner
                {
                    ids.insert(neighbour);
                    doomed.push(found);
                }
            }
            index += 1;
        }
    }
    Ok(doomed)
}

/// The memories that links of some types lead to or from, by id.
fn neighbours(tx: &Transaction<'_>, id: &str, counts: impl Fn(&str) -> bool) -> Result<BTreeSet<String>> {
    let other = |a: String, b: String| if a == id { b } else { a };
    let edges = memories::edges_touching(tx, id)?.into_iter().filter(|edge| counts(&edge.link_type));
    let references =
        memories::refs_touching(tx, id)?.into_iter().filter(|reference| counts(reference.link_type()));
    let mut found: BTreeSet<String> = edges.map(|edge| other(edge.source, edge.target)).collect();
    found.extend(references.map(|reference| other(reference.node_id, reference.target_node_id)));
    Ok(found)
}
