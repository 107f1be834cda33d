//! Changing and ending memories, with their history, links, mentions and the audit log.

use std::collections::BTreeSet;

use limbic_guard::find_secret_by_topics;

use super::{code_links, links, review};
use crate::{
    Error, Result, Transaction,
    model::decay,
    store::{
        domains, id_validation,
        logs::audit::{self, Action, Actor},
        memories::{self, Changes, Link, MemoryNode, mentions, near_duplicate_edges},
    },
};

/// Changes a memory. A new text raises the confidence, is embedded again and removes the summary of the old one, unless
/// there is a new summary. The history keeps the old text, category, subject and tags.
///
/// # Errors
/// [`Error::MemoryNotFound`], [`Error::DomainNotFound`], [`Error::EntityNotFound`], [`Error::SymbolNotFound`];
/// [`Error::InvalidArgument`] for times that are invalid, for names of several symbols, and for a user_id with
/// characters that answers escape; [`Error::SecretRefused`] if the subject, the path or a tag makes the text or the
/// summary a secret, and the change affects both or one of them.
pub fn update(tx: &Transaction<'_>, id: &str, changes: &Changes, actor: Actor<'_>) -> Result<MemoryNode> {
    let before = memories::get(tx, id)?;
    // A user may take over a memory without an owner. A memory of another user is treated as missing.
    let user_id = changes.user_id.as_deref().filter(|user_id| !user_id.is_empty());
    if user_id.is_some() && before.user_id.is_some() && before.user_id.as_deref() != user_id {
        return Err(Error::MemoryNotFound(id.to_owned()));
    }
    if let Some(user) = user_id.filter(|user| before.user_id.as_deref() != Some(user)) {
        id_validation::require_plain("user_id", user)?;
    }
    let differs = |change: &Option<String>, now: &str| change.as_deref().is_some_and(|text| text != now);
    refuse_secret(&before, changes)?;
    let state = match actor.origin {
        Some(origin) if origin.kind.is_for_agents() => Some((origin, memories::snapshot(tx, id)?)),
        _ => None,
    };
    if is_kept(&before, changes) {
        memories::keep_history(tx, &before)?;
    }
    if let Some(content) = changes.content.as_deref().filter(|content| *content != before.content) {
        require_statement(content)?;
        let left = before.effective_confidence(tx.now_millis());
        memories::set_content(tx, id, content, decay::raised(left, decay::CONFIRMED))?;
        mentions::find_in_text(tx, id, content)?;
    }
    if differs(&changes.content, &before.content)
        || differs(&changes.domain, &before.domain)
        || differs(&changes.subject, &before.subject)
        || differs(&changes.user_id, before.user_id.as_deref().unwrap_or_default())
    {
        near_duplicate_edges::forget(tx, id)?;
    }
    memories::set_fields(tx, id, changes)?;
    if let Some(tags) = &changes.tags {
        memories::set_tags(tx, id, tags)?;
    }
    let domain = changes.domain.as_deref().map(|domain| domains::resolve(tx, domain)).transpose()?;
    if let Some(domain) = domain.filter(|domain| *domain != before.domain) {
        memories::set_domain(tx, id, &domain)?;
        memories::relink(tx, Some(id))?;
    }
    if let Some(links) = &changes.links {
        memories::replace_links(tx, id, links, user_id, actor)?;
    }
    if let Some(names) = &changes.entities {
        mentions::remove_all(tx, id)?;
        mentions::find_in_text(tx, id, changes.content.as_ref().unwrap_or(&before.content))?;
        mentions::give(tx, id, names)?;
    }
    let domain = domains::resolve(tx, changes.domain.as_deref().unwrap_or(&before.domain))?;
    if let Some(symbols) = &changes.symbols {
        code_links::replace_given(tx, id, &domain, symbols)?;
    }
    if changes.symbols.is_some() || differs(&changes.content, &before.content) {
        let content = changes.content.as_ref().unwrap_or(&before.content);
        code_links::find_in_text(tx, id, &domain, content)?;
    }
    if let Some((origin, state)) = state {
        match review::mark_change(tx, origin, &before)? {
            Some(waits_for) => memories::keep_former_state(tx, id, &state, &waits_for, origin)?,
            None if changes.links.is_some() => memories::note_waiting_links(tx, id, &state, origin)?,
            None => {}
        }
    }
    audit::record(tx, Action::Update, id, actor)?;
    memories::get(tx, id)
}

/// Checks that the text of a memory says something.
///
/// # Errors
/// [`Error::InvalidArgument`] if it is blank.
pub(super) fn require_statement(content: &str) -> Result<()> {
    if content.trim().is_empty() { Err(Error::invalid("content must not be blank")) } else { Ok(()) }
}

/// Refuses a change that makes the text or the summary a secret of the subject, the path or a tag. What was one before
/// and is not changed may stay.
fn refuse_secret(before: &MemoryNode, changes: &Changes) -> Result<()> {
    let Changes { content, summary, subject, path, tags, .. } = changes;
    let differs = |change: &Option<String>, now: &str| change.as_deref().is_some_and(|text| text != now);
    let summary_before = before.summary.as_deref().unwrap_or_default();
    let topics = [
        (subject.as_ref().unwrap_or(&before.subject), differs(subject, &before.subject)),
        (path.as_ref().unwrap_or(&before.path), differs(path, &before.path)),
    ];
    let tags = tags.as_ref().unwrap_or(&before.tags).iter().map(|tag| (tag, !before.tags.contains(tag)));
    let topics: Vec<_> = topics.into_iter().chain(tags).collect();
    let statements = [
        (content.as_deref().unwrap_or(&before.content), differs(content, &before.content)),
        (summary.as_deref().unwrap_or(summary_before), differs(summary, summary_before)),
    ];
    let found = statements.into_iter().find_map(|(statement, is_new)| {
        let topics = topics.iter().filter(|(_, is_new_topic)| is_new || *is_new_topic);
        find_secret_by_topics(topics.map(|(topic, _)| topic.as_str()), [statement])
    });
    found.map_or(Ok(()), |kind| Err(Error::SecretRefused(kind.name())))
}

/// Whether a change affects fields with a history.
fn is_kept(before: &MemoryNode, changes: &Changes) -> bool {
    let differs = |change: &Option<String>, now: &str| change.as_deref().is_some_and(|text| text != now);
    let tags = changes.tags.as_ref().map(|tags| tags.iter().collect::<BTreeSet<_>>());
    differs(&changes.content, &before.content)
        || changes.category.is_some_and(|category| before.category != category)
        || differs(&changes.subject, &before.subject)
        || tags.is_some_and(|tags| tags != before.tags.iter().collect::<BTreeSet<_>>())
}

/// Ends the validity of a memory. It is still found with an earlier `as_of`. A memory that has already ended keeps its
/// end.
///
/// # Errors
/// [`Error::MemoryNotFound`]; [`Error::InvalidArgument`] if it would supersede itself; [`Error::Conflict`] for a cycle.
pub fn invalidate(
    tx: &Transaction<'_>,
    id: &str,
    superseded_by: Option<&str>,
    actor: Actor<'_>,
) -> Result<MemoryNode> {
    memories::get(tx, id)?;
    if let Some(successor) = superseded_by {
        let link = Link {
            target_id: id.to_owned(),
            link_type: "supersedes".into(),
            strength: 1.0,
            ..Link::default()
        };
        links::link(tx, successor, &link, actor)?;
    }
    memories::set_ended(tx, id, actor.reason, superseded_by)?;
    audit::record(tx, Action::Invalidate, id, actor)?;
    memories::get(tx, id)
}

/// Moves all memories of a domain to another one, with an entry in the audit log for each.
///
/// # Errors
/// As [`domains::resolve`]; [`Error::Conflict`] if both are the same domain.
pub fn move_all(tx: &Transaction<'_>, from: &str, to: &str, actor: Actor<'_>) -> Result<usize> {
    let (from, to) = (domains::resolve(tx, from)?, domains::resolve(tx, to)?);
    if from == to {
        return Err(Error::Conflict(format!("move_to must be another domain: {to}")));
    }
    let reason = format!("the domain {from} was deleted, and its memories moved to {to}");
    audit::record_domain(tx, Action::Move, &from, Actor { reason: Some(&reason), ..actor })?;
    let mut before = Vec::new();
    if let Some(origin) = actor.origin.filter(|origin| origin.kind.is_for_agents()) {
        for memory in memories::in_domain(tx, &from)? {
            let state = memories::snapshot(tx, &memory.id)?;
            before.push((origin, memory, state));
        }
    }
    let moved = memories::move_domain(tx, &from, &to)?;
    memories::relink(tx, None)?;
    for (origin, memory, state) in &before {
        if let Some(waits_for) = review::mark_change(tx, origin, memory)? {
            memories::keep_former_state(tx, &memory.id, state, &waits_for, origin)?;
        }
    }
    Ok(moved)
}
