//! Linking memories. Links that a client makes from a memory that waits, or to one that waits because of it, wait with
//! that memory.

use crate::{
    Result, Transaction,
    store::{
        logs::audit::Actor,
        memories::{self, Link, Linked},
        origins::Origin,
    },
};

/// Links two memories; an existing link of the same type gets the new strength. Within a domain `supersedes` ends the
/// validity of its target, if both memories have the same user. A rejection of the memory with which a link waits
/// deletes the link, and what that has superseded is valid again.
///
/// # Errors
/// [`Error::MemoryNotFound`](crate::Error::MemoryNotFound);
/// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a link to itself;
/// [`Error::Conflict`](crate::Error::Conflict) for a cycle of `supersedes` or `refines`, references between domains
/// included.
pub fn link(tx: &Transaction<'_>, from: &str, link: &Link, actor: Actor<'_>) -> Result<Linked> {
    let both = [from, link.target_id.as_str()];
    let states = states(tx, if link.bidirectional { &both } else { &both[..1] }, actor)?;
    let linked = memories::link(tx, from, link, actor)?;
    note(tx, &states)?;
    if link.bidirectional {
        memories::note_link_halves(
            tx,
            (from, &link.target_id),
            &link.link_type,
            states.iter().map(|(id, before, _)| (*id, before.as_str())),
        )?;
    }
    Ok(linked)
}

/// Creates several links from one memory; with a user, only to that user's memories.
///
/// # Errors
/// As [`link`].
pub(super) fn add_all(
    tx: &Transaction<'_>,
    from: &str,
    links: &[Link],
    user_id: Option<&str>,
    actor: Actor<'_>,
) -> Result<()> {
    let states = if links.is_empty() { Vec::new() } else { states(tx, &[from], actor)? };
    memories::add_links(tx, from, links, user_id, actor)?;
    note(tx, &states)
}

/// A memory, its state before it is linked, and the origin that links it.
type Before<'a> = (&'a str, String, &'a Origin);

/// Returns the states of memories, if an agent is to change them.
fn states<'a>(tx: &Transaction<'_>, ids: &[&'a str], actor: Actor<'a>) -> Result<Vec<Before<'a>>> {
    let Some(origin) = actor.origin.filter(|origin| origin.kind.is_for_agents()) else {
        return Ok(Vec::new());
    };
    let mut states = Vec::new();
    for &id in ids {
        memories::get(tx, id)?;
        states.push((id, memories::snapshot(tx, id)?, origin));
    }
    Ok(states)
}

fn note(tx: &Transaction<'_>, states: &[Before<'_>]) -> Result<()> {
    states.iter().try_for_each(|(id, before, origin)| memories::note_waiting_links(tx, id, before, origin))
}
