//! Changing memories.

use std::collections::BTreeSet;

use rusqlite::params;

use super::{
    Link, MemoryNode, exact_duplicates, get, history, links, mentions, near_duplicate_edges, new, relink,
};
use crate::{
    Error, Result, Transaction,
    model::decay,
    store::{
        domains, id_validation,
        logs::audit::{self, Action, Actor},
        timestamps,
    },
};

/// What is to change; the rest stays. Where nothing may stand, an empty text takes away what stands there.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The text.
    pub content: Option<String>,
    /// One of [`CATEGORIES`](super::CATEGORIES).
    pub category: Option<String>,
    /// What it is about, in a word.
    pub subject: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Where it belongs among others.
    pub path: Option<String>,
    /// In the place of all tags.
    pub tags: Option<Vec<String>>,
    /// The text in short.
    pub summary: Option<String>,
    /// One of [`MEMORY_TYPES`](super::MEMORY_TYPES).
    pub memory_type: Option<String>,
    /// 0 to 10.
    pub importance: Option<f64>,
    /// 0 to 1.
    pub confidence: Option<f64>,
    /// Whether it neither decays nor is pruned.
    pub pinned: Option<bool>,
    /// One of [`TIERS`](super::TIERS).
    pub tier: Option<String>,
    /// From when on it is forgotten.
    pub expires_at: Option<String>,
    /// When it happened.
    pub event_time: Option<String>,
    /// Since when it holds.
    pub valid_from: Option<String>,
    /// Whose it is.
    pub user_id: Option<String>,
    /// An object of the caller's own, as JSON.
    pub metadata: Option<String>,
    /// The domain that it moves to.
    pub domain: Option<String>,
    /// In the place of all links that start from it.
    pub links: Option<Vec<Link>>,
    /// In the place of all entities that were named for it.
    pub entities: Option<Vec<String>>,
}

/// Changes a memory. A new text raises the confidence, is embedded again, and removes a summary of the old one, unless it
/// brings its own. The old one stays in the history, as do
/// category, subject and tags.
///
/// # Errors
/// [`Error::MemoryNotFound`], [`Error::DomainNotFound`], [`Error::EntityNotFound`]; [`Error::InvalidArgument`] for times
/// that are none, and for a user_id that could not be given back as it is shown.
pub fn update(tx: &Transaction<'_>, id: &str, changes: &Changes, actor: Actor<'_>) -> Result<MemoryNode> {
    let before = get(tx, id)?;
    // A user may take what is nobody's. Another's is as if it were not there.
    let user_id = changes.user_id.as_deref().filter(|user_id| !user_id.is_empty());
    if user_id.is_some() && before.user_id.is_some() && before.user_id.as_deref() != user_id {
        return Err(Error::MemoryNotFound(id.to_owned()));
    }
    if let Some(user) = user_id.filter(|user| before.user_id.as_deref() != Some(user)) {
        id_validation::require_plain("user_id", user)?;
    }
    if is_kept(&before, changes) {
        history::keep(tx, &before)?;
    }
    if let Some(content) = changes.content.as_deref().filter(|content| *content != before.content) {
        let left = before.effective_confidence(tx.now_millis());
        tx.prepare_cached(
            "UPDATE MEMORY_NODES SET content = ?2, content_hash = ?3, confidence = ?4, last_accessed = ?5, stated_at = ?5,
                confidence_at = NULL, content_summary = NULL, summary_timestamp = NULL WHERE id = ?1",
        )?
        .execute(params![
            id,
            content,
            exact_duplicates::hash(content),
            decay::raised(left, decay::CONFIRMED),
            timestamps::now(tx)?
        ])?;
        mentions::find_in_text(tx, id, content)?;
    }
    let differs = |change: &Option<String>, now: &str| change.as_deref().is_some_and(|text| text != now);
    if differs(&changes.content, &before.content)
        || differs(&changes.domain, &before.domain)
        || differs(&changes.subject, &before.subject)
        || differs(&changes.user_id, before.user_id.as_deref().unwrap_or_default())
    {
        near_duplicate_edges::forget(tx, id)?;
    }
    fields(tx, &before, changes)?;
    if let Some(tags) = &changes.tags {
        tx.prepare_cached("DELETE FROM MEMORY_TAGS WHERE nodeId = ?1")?.execute([id])?;
        for tag in tags {
            tx.prepare_cached("INSERT OR IGNORE INTO MEMORY_TAGS (nodeId, tag) VALUES (?1, ?2)")?
                .execute(params![id, tag])?;
        }
    }
    let domain = changes.domain.as_deref().map(|domain| domains::resolve(tx, domain)).transpose()?;
    if let Some(domain) = domain.filter(|domain| *domain != before.domain) {
        tx.prepare_cached("UPDATE MEMORY_NODES SET domain = ?2 WHERE id = ?1")?.execute([id, &domain])?;
        relink::settle(tx, Some(id))?;
    }
    if let Some(links) = &changes.links {
        links::replace_links(tx, id, links, user_id, actor)?;
    }
    if let Some(names) = &changes.entities {
        tx.prepare_cached("DELETE FROM memory_entities WHERE memory_id = ?1")?.execute([id])?;
        mentions::find_in_text(tx, id, changes.content.as_ref().unwrap_or(&before.content))?;
        mentions::give(tx, id, names)?;
    }
    audit::record(tx, Action::Update, id, actor)?;
    get(tx, id)
}

/// Whether a change replaces what the history keeps.
fn is_kept(before: &MemoryNode, changes: &Changes) -> bool {
    let differs = |change: &Option<String>, now: &str| change.as_deref().is_some_and(|text| text != now);
    let tags = changes.tags.as_ref().map(|tags| tags.iter().collect::<BTreeSet<_>>());
    differs(&changes.content, &before.content)
        || differs(&changes.category, &before.category)
        || differs(&changes.subject, &before.subject)
        || tags.is_some_and(|tags| tags != before.tags.iter().collect::<BTreeSet<_>>())
}

fn fields(tx: &Transaction<'_>, before: &MemoryNode, changes: &Changes) -> Result<()> {
    let now = timestamps::now(tx)?;
    let set = |column: &str, value: &dyn rusqlite::ToSql| -> Result<()> {
        tx.prepare_cached(&format!("UPDATE MEMORY_NODES SET {column} = ?2 WHERE id = ?1"))?
            .execute(params![before.id, value])?;
        Ok(())
    };
    let texts = [
        ("category", &changes.category),
        ("subject", &changes.subject),
        ("memory_type", &changes.memory_type),
        ("tier", &changes.tier),
    ];
    for (column, text) in texts {
        if let Some(text) = text {
            set(column, text)?;
        }
    }
    let optional =
        [("source", &changes.source), ("user_id", &changes.user_id), ("metadata", &changes.metadata)];
    for (column, text) in optional {
        if let Some(text) = text {
            set(column, &Some(text).filter(|text| !text.is_empty()))?;
        }
    }
    if let Some(summary) = &changes.summary {
        let summary = Some(summary).filter(|text| !text.is_empty());
        set("content_summary", &summary)?;
        set("summary_timestamp", &summary.map(|_| &now))?;
    }
    if let Some(path) = &changes.path {
        set("path", &new::path(path))?;
    }
    if let Some(importance) = changes.importance {
        set("importance_score", &importance)?;
    }
    if let Some(confidence) = changes.confidence {
        set("confidence", &confidence)?;
        set("confidence_at", &now)?;
    }
    if let Some(pinned) = changes.pinned {
        set("pinned", &pinned)?;
    }
    if let Some(text) = &changes.expires_at {
        set("expires_at", &new::expiry(tx, Some(text.as_str()).filter(|text| !text.is_empty()))?)?;
    }
    if let Some(text) = &changes.event_time {
        set("event_time", &timestamps::read(tx, "event_time", text)?)?;
    }
    if let Some(text) = &changes.valid_from {
        set("valid_from", &timestamps::read(tx, "valid_from", text)?)?;
    }
    set("updated_at", &now)
}

/// A memory no longer holds. It is still there for who asks for an earlier moment. One that no longer holds keeps the
/// moment since when.
///
/// # Errors
/// [`Error::MemoryNotFound`]; [`Error::InvalidArgument`] when it would supersede itself; [`Error::Conflict`] for a circle.
pub fn invalidate(
    tx: &Transaction<'_>,
    id: &str,
    superseded_by: Option<&str>,
    actor: Actor<'_>,
) -> Result<MemoryNode> {
    get(tx, id)?;
    if let Some(successor) = superseded_by {
        let link = Link {
            target_id: id.to_owned(),
            link_type: "supersedes".into(),
            strength: 1.0,
            ..Link::default()
        };
        links::link(tx, successor, &link, actor)?;
    }
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET valid_until = coalesce(valid_until, ?2), invalidation_reason = coalesce(?3,
            invalidation_reason), superseded_by = coalesce(?4, superseded_by), updated_at = ?2 WHERE id = ?1",
    )?
    .execute(params![id, timestamps::now(tx)?, actor.reason, superseded_by])?;
    audit::record(tx, Action::Invalidate, id, actor)?;
    get(tx, id)
}

/// Moves all memories of a domain to another, and says so of each in the audit log.
///
/// # Errors
/// As [`domains::resolve`]; [`Error::Conflict`] when both are one.
pub fn move_all(tx: &Transaction<'_>, from: &str, to: &str, session_id: &str) -> Result<usize> {
    let (from, to) = (domains::resolve(tx, from)?, domains::resolve(tx, to)?);
    if from == to {
        return Err(Error::Conflict(format!("move_to must be another domain: {to}")));
    }
    let reason = format!("the domain {from} was deleted, and its memories moved to {to}");
    audit::record_domain(tx, Action::Move, &from, Actor { session_id, reason: Some(&reason) })?;
    let moved =
        tx.prepare_cached("UPDATE MEMORY_NODES SET domain = ?2 WHERE domain = ?1")?.execute([&from, &to])?;
    relink::settle(tx, None)?;
    Ok(moved)
}
