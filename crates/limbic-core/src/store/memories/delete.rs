//! Forgetting memories.

use std::collections::BTreeSet;

use limbic_protocol::TextKind;
use rusqlite::params;

use super::{MemoryNode, edges_touching, find, get, near, refs_touching, supersession};
use crate::{
    Result, Unit,
    store::{
        audit::{self, Action, Actor},
        embeddings, queue,
    },
};

/// Deletes a memory for good, and answers the ids of all that are gone. With `cascade` what only hangs on it goes too:
/// memories of the same user that are not pinned and all of whose links lead to what is deleted. What merely says
/// nearly the same does not hang on it.
///
/// # Errors
/// [`Error::MemoryNotFound`](crate::Error::MemoryNotFound).
pub fn forget(unit: &Unit<'_>, id: &str, cascade: bool, actor: Actor<'_>) -> Result<Vec<String>> {
    let first = get(unit, id)?;
    let owner = first.user_id.clone();
    let mut doomed = vec![first];
    if cascade {
        let mut ids: BTreeSet<String> = doomed.iter().map(|memory| memory.id.clone()).collect();
        let mut place = 0;
        while let Some(memory) = doomed.get(place) {
            for neighbour in neighbours(unit, &memory.id, |link_type| !near::is_automatic(link_type))? {
                if !ids.contains(&neighbour)
                    && neighbours(unit, &neighbour, |_| true)?.iter().all(|other| ids.contains(other))
                    && let Some(found) = find(unit, &neighbour)?
                    && !found.pinned
                    && found.user_id == owner
                {
                    ids.insert(neighbour);
                    doomed.push(found);
                }
            }
            place += 1;
        }
    }
    for memory in &doomed {
        audit::record(unit, Action::Forget, &memory.id, actor)?;
    }
    for memory in &doomed {
        delete(unit, memory)?;
    }
    Ok(doomed.into_iter().map(|memory| memory.id).collect())
}

/// The only way to delete a memory: the tables of vectors do not cascade.
fn delete(unit: &Unit<'_>, memory: &MemoryNode) -> Result<()> {
    unit.prepare_cached("DELETE FROM DOMAIN_REFS WHERE nodeId = ?1 OR targetNodeId = ?1")?
        .execute([&memory.id])?;
    supersession::hand_on(unit, &memory.id)?;
    unit.prepare_cached("UPDATE PERSISTENCE SET lastMemoryId = NULL WHERE lastMemoryId = ?1")?
        .execute([&memory.id])?;
    unit.prepare_cached("DELETE FROM MEMORY_TAGS WHERE nodeId = ?1")?.execute([&memory.id])?;
    unit.prepare_cached("DELETE FROM MEMORY_NODES WHERE id = ?1")?.execute(params![memory.id])?;
    embeddings::forget(unit, TextKind::Memory, memory.number)?;
    queue::remove(unit, TextKind::Memory, memory.number)
}

/// The memories that links of some types lead to or from, by id.
fn neighbours(unit: &Unit<'_>, id: &str, counts: impl Fn(&str) -> bool) -> Result<BTreeSet<String>> {
    let other = |a: String, b: String| if a == id { b } else { a };
    let edges = edges_touching(unit, id)?.into_iter().filter(|edge| counts(&edge.link_type));
    let references = refs_touching(unit, id)?.into_iter().filter(|reference| counts(reference.link_type()));
    let mut found: BTreeSet<String> = edges.map(|edge| other(edge.source, edge.target)).collect();
    found.extend(references.map(|reference| other(reference.node_id, reference.target_node_id)));
    Ok(found)
}
