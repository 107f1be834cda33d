//! Storing memories, with their links, mentions and the audit log.

use std::collections::BTreeMap;

use super::{
    code_links, confirm,
    links::add_all as add_links,
    review::must_wait,
    update::{require_statement, update},
};
use crate::{
    Error, Result, Transaction,
    store::{
        domains, id_validation,
        logs::audit::{self, Action, Actor},
        memories::{self, Changes, Link, NewMemory, Stored, mentions},
    },
};

/// Stores a memory, or confirms the existing one with the same statement, subject, domain and user, which takes over
/// the fields of the new one: tags are united; the higher importance and the longer retention, pinning included, count;
/// it expires at the later time, and never if one of the two never does; it is valid from the earlier time; metadata is
/// merged by its keys, as in RFC 7396; a category and a type other than the defaults replace those it had; path, source
/// and summary are added if it has none, and so is the time of the event. Links, entities and symbols are added. What
/// hooks show already, and what a hook or an import would let them show, keeps its category, tier, pinning and summary,
/// which would otherwise wait for review, or would not. A memory of another event (both have an `event_time`), with
/// another path (both have one), or whose contradicting memory counts instead of it, is not confirmed.
///
/// # Errors
/// [`Error::DomainNotFound`]; [`Error::MemoryExists`]; [`Error::MemoryNotFound`] and [`Error::EntityNotFound`] and
/// [`Error::SymbolNotFound`] for what it refers to; [`Error::InvalidArgument`] for invalid times, for names of several
/// symbols, for ids with characters that answers escape, and for metadata that is too large when merged;
/// [`Error::SecretRefused`] if a new tag or the path makes the summary a secret.
pub fn store(tx: &Transaction<'_>, memory: &NewMemory, domain: &str, actor: Actor<'_>) -> Result<Stored> {
    store_with(tx, memory, &memory.links, domain, actor)
}

/// Stores several memories in order, each in the domain given with it or else in `current`. A link may refer to any
/// memory of the batch by its id, also to a later one; if that memory was merged into another one, the link leads to
/// the latter.
/// A link between two memories that were merged into one is dropped.
///
/// # Errors
/// As [`store`].
pub fn store_all(
    tx: &Transaction<'_>,
    batch: &[(NewMemory, Option<String>)],
    current: &str,
    actor: Actor<'_>,
) -> Result<Vec<Stored>> {
    let indices: BTreeMap<&str, usize> =
        batch.iter().enumerate().map(|(index, (memory, _))| (memory.id.as_str(), index)).collect();
    let mut stored: Vec<Stored> = Vec::new();
    let mut forward = Vec::new();
    for (index, (memory, domain)) in batch.iter().enumerate() {
        let mut links = Vec::new();
        for link in &memory.links {
            let target = indices.get(link.target_id.as_str()).copied();
            match target {
                Some(target) if memories::find(tx, &link.target_id)?.is_none() => match stored.get(target) {
                    Some(earlier) => {
                        links.push(Link { target_id: earlier.memory().id.clone(), ..link.clone() });
                    }
                    None => forward.push((index, target, link)),
                },
                _ => links.push(link.clone()),
            }
        }
        let domain = domain.as_deref().unwrap_or(current);
        stored.push(store_with(tx, memory, &links, domain, actor)?);
    }
    for (index, target, link) in forward {
        let (from, to) = (&stored[index].memory().id, &stored[target].memory().id);
        if from == to && index != target {
            continue;
        }
        let link = Link { target_id: to.clone(), ..link.clone() };
        add_links(tx, from, &[link], batch[index].0.user_id.as_deref(), actor)?;
    }
    Ok(stored)
}

fn store_with(
    tx: &Transaction<'_>,
    memory: &NewMemory,
    links: &[Link],
    domain: &str,
    actor: Actor<'_>,
) -> Result<Stored> {
    id_validation::require_plain("id", &memory.id)?;
    require_statement(&memory.content)?;
    if let Some(user) = &memory.user_id {
        id_validation::require_plain("user_id", user)?;
    }
    let domain = &domains::resolve(tx, domain)?;
    if let Some(id) = memories::exact_duplicate(tx, memory, domain)? {
        let known = memories::get(tx, &id)?;
        let mut changes = confirm::changes(tx, &known, memory)?;
        if let Some(origin) = actor.origin {
            confirm::keep_what_hooks_show(tx, origin, &known, &mut changes)?;
        }
        memories::restate(tx, &id)?;
        let links: Vec<Link> = links.iter().filter(|link| link.target_id != id).cloned().collect();
        add_links(tx, &id, &links, memory.user_id.as_deref(), actor)?;
        mentions::give(tx, &id, &memory.entities)?;
        code_links::give(tx, &id, domain, &memory.symbols)?;
        code_links::find_in_text(tx, &id, domain, &memory.content)?;
        audit::record(tx, Action::Confirm, &id, actor)?;
        if changes != Changes::default() {
            update(tx, &id, &changes, actor)?;
        }
        return Ok(Stored::Confirmed(memories::get(tx, &id)?));
    }
    if memories::find(tx, &memory.id)?.is_some() {
        return Err(Error::MemoryExists(memory.id.clone()));
    }
    memories::insert(tx, memory, domain)?;
    if let Some(origin) = actor.origin {
        memories::set_origin(tx, &memory.id, origin)?;
        if must_wait(tx, origin, &memories::get(tx, &memory.id)?)? {
            memories::mark_unconfirmed(tx, &memory.id, origin)?;
        }
    }
    add_links(tx, &memory.id, links, memory.user_id.as_deref(), actor)?;
    mentions::find_in_text(tx, &memory.id, &memory.content)?;
    mentions::give(tx, &memory.id, &memory.entities)?;
    code_links::give(tx, &memory.id, domain, &memory.symbols)?;
    code_links::find_in_text(tx, &memory.id, domain, &memory.content)?;
    domains::written(tx, domain, &memory.id)?;
    audit::record(tx, Action::Store, &memory.id, actor)?;
    Ok(Stored::New(memories::get(tx, &memory.id)?))
}
