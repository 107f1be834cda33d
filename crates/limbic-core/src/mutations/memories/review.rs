//! Which memories wait for review, and the decisions of a person about them and about origins, with the audit log.

use super::forget;
use crate::{
    Result, Transaction,
    model::memory_words::{Category, ERROR_SUBJECT, Heat, Tier},
    store::{
        domains,
        logs::audit::{self, Action, Actor},
        memories::{self, Earlier, MemoryNode, Replaced},
        origins::{self, Kind, Origin},
        project_folders, timestamps,
    },
};

/// Whether hooks show what `origin` wrote outside its project only after a person has confirmed it.
///
/// Hooks show memories to agents that did not ask for them, and an agent that follows injected instructions can store
/// any. So an import waits; so does what a client pins or puts into the tier that is always loaded, and what a client
/// or a hook writes outside the domain of its own project. Of a client, that is only what hooks select without a
/// question: other memories are shown to those whose question they answer. A session without a project has no domain of
/// its own. A program that uses the library counts as a client: agents write through it.
pub(super) fn must_wait(tx: &Transaction<'_>, origin: &Origin, memory: &MemoryNode) -> Result<bool> {
    Ok(match origin.kind {
        Kind::Client | Kind::Library => {
            is_always_loaded(memory)
                || (is_selected_by_hooks(tx, origin, memory)? && !is_own_domain(tx, origin, memory)?)
        }
        Kind::Hook => !is_own_domain(tx, origin, memory)?,
        Kind::Import => true,
        Kind::Explorer | Kind::Cli => false,
    })
}

/// Marks a memory as waiting because of a change by a client that hooks would show, or would show elsewhere. `before`
/// is the memory before the change. Returns the origin that it waits for, if the change waits.
///
/// A memory that waits already still waits for the same origin, which a person sees and may trust: otherwise a client
/// that is trusted would confirm it by a change. If another project changes it, no project is shown it.
pub(super) fn mark_change(
    tx: &Transaction<'_>,
    origin: &Origin,
    before: &MemoryNode,
) -> Result<Option<Origin>> {
    if !origin.kind.is_for_agents() {
        return Ok(None);
    }
    let after = memories::get(tx, &before.id)?;
    let is_shown = must_wait(tx, origin, &after)?;
    if !is_shown || (must_wait(tx, origin, before)? && !differs_for_hooks(before, &after)) {
        return Ok(None);
    }
    let waits_for = match origins::unconfirmed_of(tx, &before.id)?.map(|waiting| waiting.origin) {
        None => origin.clone(),
        Some(waiting) if waiting.project == origins::project_of(tx, &origin.clone().bounded())? => {
            return Ok(Some(waiting));
        }
        Some(waiting) => Origin { project: String::new(), ..waiting },
    };
    memories::mark_unconfirmed(tx, &before.id, &waits_for)?;
    Ok(Some(waits_for))
}

/// Marks a memory as waiting because it has risen to a rank by which hooks show it elsewhere, as if its first writer
/// had stored it with that rank. One that a person has accepted does not wait again, unless it has changed since.
/// `before` is the memory before the change.
pub(crate) fn mark_risen(tx: &Transaction<'_>, before: &MemoryNode) -> Result<()> {
    let Some(writer) = origins::of_memory(tx, &before.id)?.map(|stored| stored.origin) else { return Ok(()) };
    let after = memories::get(tx, &before.id)?;
    // One that would have waited before and does not was confirmed.
    let was_free = !before.is_unconfirmed && !must_wait(tx, &writer, before)?;
    if was_free && must_wait(tx, &writer, &after)? && !memories::is_accepted(tx, &before.id)? {
        memories::mark_unconfirmed(tx, &before.id, &writer)?;
    }
    Ok(())
}

/// Whether hooks show a memory in every session.
fn is_always_loaded(memory: &MemoryNode) -> bool {
    memory.pinned || memory.tier == Tier::L0
}

/// Whether hooks select a memory without a question that it answers: at the start of a session, before a command, or
/// among the known errors.
fn is_selected_by_hooks(tx: &Transaction<'_>, origin: &Origin, memory: &MemoryNode) -> Result<bool> {
    let is_told = is_always_loaded(memory)
        || memory.tier == Tier::L1
        || memory.heat == Heat::Hot
        || memory.category == Category::Convention
        || memory.category == Category::Decision
        || memory.subject == ERROR_SUBJECT;
    if is_told || memory.subject.is_empty() || memory.subject == origins::project_of(tx, origin)? {
        return Ok(is_told);
    }
    // The start of a session shows the memories whose subject is the project.
    Ok(domains::find(tx, &memory.subject)?.is_some() || origins::is_project(tx, &memory.subject)?)
}

/// Whether hooks show a memory without a question beside one that it may correct, or because it is linked to code, in a
/// session of `project`: it is of a kind that waits if it comes from elsewhere, a person has accepted it, or it was
/// written and changed only in the project, by a person or by a trusted origin. Otherwise any client could answer a
/// confirmed memory by a similar text, or instruct whoever reads a file, since plain memories do not wait.
pub fn may_correct_in(tx: &Transaction<'_>, project: &str, memory: &MemoryNode) -> Result<bool> {
    if memories::is_from_here(tx, &memory.id, project)? || memories::is_accepted(tx, &memory.id)? {
        return Ok(true);
    }
    match origins::of_memory(tx, &memory.id)? {
        Some(writer) => is_selected_by_hooks(tx, &writer.origin, memory),
        None => is_selected_by_hooks(tx, &Origin::default(), memory),
    }
}

/// Whether a memory is in the domain of the origin's project. The shared domain is no project's own, whatever its name.
fn is_own_domain(tx: &Transaction<'_>, origin: &Origin, memory: &MemoryNode) -> Result<bool> {
    Ok(memory.domain != domains::FIRST
        && domains::find(tx, &origins::project_of(tx, origin)?)?.as_deref() == Some(memory.domain.as_str()))
}

/// Whether a change affects what hooks show, or where.
fn differs_for_hooks(before: &MemoryNode, after: &MemoryNode) -> bool {
    (&before.content, &before.summary, &before.domain, &before.subject)
        != (&after.content, &after.summary, &after.domain, &after.subject)
        || (&before.category, &before.tier, before.pinned) != (&after.category, &after.tier, after.pinned)
}

/// Confirms a memory: hooks of every project show it. Returns whether it waited.
///
/// # Errors
/// [`Error::MemoryNotFound`](crate::Error::MemoryNotFound).
pub fn accept(tx: &Transaction<'_>, id: &str, actor: Actor<'_>) -> Result<bool> {
    memories::get(tx, id)?;
    let has_waited = memories::accept(tx, id)?;
    if has_waited {
        audit::record(tx, Action::Accept, id, actor)?;
    }
    Ok(has_waited)
}

/// The result of rejecting a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejected {
    /// It is deleted.
    Deleted,
    /// It has the state that it had before the change that made it wait.
    Restored,
    /// It existed before the change that made it wait, and that state was not kept: it stays as changed, without what
    /// hooks select it by.
    Demoted,
    /// It did not wait, and is unchanged.
    NotWaiting,
}

/// Rejects a memory that waits. One that several origins have changed gets the state before the last of these changes,
/// and waits for the origin before. The history keeps what is rejected.
///
/// # Errors
/// [`Error::MemoryNotFound`](crate::Error::MemoryNotFound).
pub fn reject(tx: &Transaction<'_>, id: &str, actor: Actor<'_>) -> Result<Rejected> {
    let before = memories::get(tx, id)?;
    if !before.is_unconfirmed {
        return Ok(Rejected::NotWaiting);
    }
    if let Some(replaced) = memories::before_waiting(tx, id)? {
        give_back(tx, &before, replaced, actor)?;
        return Ok(Rejected::Restored);
    }
    let waited_for = memories::origin_waited_for(tx, id)?;
    if memories::was_written_by_waiting(tx, id)? {
        memories::withdraw_links(tx, id, waited_for, actor)?;
        forget(tx, id, false, actor)?;
        return Ok(Rejected::Deleted);
    }
    memories::keep_history(tx, &before)?;
    // Hooks also select by the subject: only one by which they do is removed.
    let plain = MemoryNode {
        pinned: false,
        tier: Tier::L4.into(),
        heat: Heat::Cold.into(),
        category: Category::Fact.into(),
        ..before
    };
    let keeps_subject = !is_selected_by_hooks(tx, &Origin::default(), &plain)?;
    memories::demote(tx, id, keeps_subject)?;
    memories::withdraw_links(tx, id, waited_for, actor)?;
    memories::forget_replaced(tx, id)?;
    audit::record(tx, Action::Update, id, actor)?;
    Ok(Rejected::Demoted)
}

/// Takes back the changes of a memory by an origin that no person has accepted, and the links that the origin has made:
/// its number, a label, a session or an import. If others have changed the memory since, its text and fields stay as
/// they are, and rejecting them takes back both. Returns whether there were any.
pub(crate) fn take_back_changes(
    tx: &Transaction<'_>,
    id: &str,
    origin: &str,
    actor: Actor<'_>,
) -> Result<bool> {
    let mut has_changed = memories::skip_changes(tx, id, origin, actor)?;
    while let Some(replaced) = memories::before_change_by(tx, id, origin)? {
        give_back(tx, &memories::get(tx, id)?, replaced, actor)?;
        has_changed = true;
    }
    Ok(memories::withdraw_links_by(tx, id, origin, actor)? || has_changed)
}

/// Gives a memory back the state before the last change that it waits for.
fn give_back(tx: &Transaction<'_>, before: &MemoryNode, replaced: Replaced, actor: Actor<'_>) -> Result<()> {
    let id = before.id.as_str();
    let has_domain = memories::give_back(tx, before, replaced, actor)?;
    let after = memories::get(tx, id)?;
    let differs = (&before.content, &before.category, &before.subject, &before.tags)
        != (&after.content, &after.category, &after.subject, &after.tags);
    if differs {
        let now = timestamps::now(tx)?;
        let rejected = Earlier {
            content: before.content.clone(),
            confidence: before.confidence,
            replaced_at: now.clone(),
            category: Some(before.category.clone()),
            subject: Some(before.subject.clone()),
            tags: Some(before.tags.clone()),
        };
        memories::insert_history(tx, id, &rejected, ("replaced_at = ?3", Some(now.as_str())))?;
    }
    // In another domain, hooks may show what its first writer had written for its own.
    if !has_domain
        && !after.is_unconfirmed
        && !memories::is_accepted(tx, id)?
        && let Some(writer) = origins::of_memory(tx, id)?.map(|stored| stored.origin)
        && must_wait(tx, &writer, &after)?
    {
        memories::mark_unconfirmed(tx, id, &writer)?;
    }
    audit::record(tx, Action::Update, id, actor)
}

/// Sets or removes the trust in the origins with this label, or whether the folder with this label may use the name of
/// its project. Returns whether this is a change.
///
/// # Errors
/// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a label that clients share.
pub fn set_trusted(tx: &Transaction<'_>, label: &str, is_trusted: bool, actor: Actor<'_>) -> Result<bool> {
    let is_changed = match project_folders::set_confirmed(tx, label, is_trusted)? {
        Some(is_changed) => is_changed,
        None if is_trusted => origins::trust(tx, label)?,
        None => origins::distrust(tx, label)?,
    };
    if is_changed {
        let action = if is_trusted { Action::Trust } else { Action::Distrust };
        let reason = match actor.reason {
            Some(given) => format!("{label}: {given}"),
            None => label.to_owned(),
        };
        audit::record_decision(tx, action, Actor { reason: Some(&reason), ..actor })?;
    }
    Ok(is_changed)
}
