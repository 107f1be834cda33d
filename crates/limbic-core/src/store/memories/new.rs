//! Storing memories.

use std::collections::BTreeMap;

use rusqlite::params;

use super::{MemoryNode, exact_duplicates, get, links, mentions};
use crate::{
    Error, Result, Transaction,
    model::decay,
    store::{
        domains, id_validation,
        logs::audit::{self, Action, Actor},
        timestamps,
    },
};

/// A memory as somebody gives it. Times are as a caller writes them.
#[derive(Debug, Clone, Default)]
pub struct NewMemory {
    /// Unique; the caller makes one up where none is given.
    pub id: String,
    /// The text.
    pub content: String,
    /// One of [`CATEGORIES`](super::CATEGORIES).
    pub category: String,
    /// What it is about, in a word.
    pub subject: String,
    /// Where it comes from.
    pub source: Option<String>,
    /// Where it belongs among others.
    pub path: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The text in short.
    pub summary: Option<String>,
    /// One of [`MEMORY_TYPES`](super::MEMORY_TYPES).
    pub memory_type: String,
    /// 0 to 10.
    pub importance: f64,
    /// 0 to 1.
    pub confidence: f64,
    /// Neither decays nor is pruned; starts in tier `l0`.
    pub pinned: bool,
    /// One of [`TIERS`](super::TIERS), where it is not the usual one.
    pub tier: Option<String>,
    /// From when on it is forgotten; later than now.
    pub expires_at: Option<String>,
    /// When it happened.
    pub event_time: Option<String>,
    /// Since when it holds.
    pub valid_from: Option<String>,
    /// Whose it is.
    pub user_id: Option<String>,
    /// An object of the caller's own, as JSON.
    pub metadata: Option<String>,
    /// Links to other memories.
    pub links: Vec<links::Link>,
    /// Names of entities that it mentions; all must exist.
    pub entities: Vec<String>,
}

/// What became of a memory that somebody gave.
#[derive(Debug, Clone, PartialEq)]
pub enum Stored {
    /// It is new.
    New(MemoryNode),
    /// It was there already, and is trusted more.
    Confirmed(MemoryNode),
}

impl Stored {
    /// The memory that is there.
    #[must_use]
    pub fn memory(&self) -> &MemoryNode {
        match self {
            Self::New(memory) | Self::Confirmed(memory) => memory,
        }
    }
}

/// Stores a memory, or confirms the one that says the same already.
///
/// # Errors
/// [`Error::DomainNotFound`]; [`Error::Conflict`] when there is a memory with this id; [`Error::MemoryNotFound`] and
/// [`Error::EntityNotFound`] for what it names; [`Error::InvalidArgument`] for times that are none, and for ids that could
/// not be given back as they are shown.
pub fn store(tx: &Transaction<'_>, memory: &NewMemory, domain: &str, actor: Actor<'_>) -> Result<Stored> {
    store_with(tx, memory, &memory.links, domain, actor)
}

/// Stores several memories in their order, each in the domain that stands beside it or else in `current`. A link may
/// lead to any memory of the batch by its id, also to one that stands later; where that id was merged into another
/// memory, to that memory.
///
/// # Errors
/// As [`store`].
pub fn store_all(
    tx: &Transaction<'_>,
    batch: &[(NewMemory, Option<String>)],
    current: &str,
    actor: Actor<'_>,
) -> Result<Vec<Stored>> {
    let places: BTreeMap<&str, usize> =
        batch.iter().enumerate().map(|(place, (memory, _))| (memory.id.as_str(), place)).collect();
    let mut stored: Vec<Stored> = Vec::new();
    let mut forward = Vec::new();
    for (place, (memory, domain)) in batch.iter().enumerate() {
        let mut links = Vec::new();
        for link in &memory.links {
            let target = places.get(link.target_id.as_str()).copied();
            match target {
                Some(target) if super::find(tx, &link.target_id)?.is_none() => match stored.get(target) {
                    Some(earlier) => {
                        links.push(links::Link { target_id: earlier.memory().id.clone(), ..link.clone() });
                    }
                    None => forward.push((place, target, link)),
                },
                _ => links.push(link.clone()),
            }
        }
        let domain = domain.as_deref().unwrap_or(current);
        stored.push(store_with(tx, memory, &links, domain, actor)?);
    }
    for (place, target, link) in forward {
        let (from, to) = (&stored[place].memory().id, &stored[target].memory().id);
        let link = links::Link { target_id: to.clone(), ..link.clone() };
        links::add_all(tx, from, &[link], batch[place].0.user_id.as_deref(), actor)?;
    }
    Ok(stored)
}

fn store_with(
    tx: &Transaction<'_>,
    memory: &NewMemory,
    links: &[links::Link],
    domain: &str,
    actor: Actor<'_>,
) -> Result<Stored> {
    id_validation::require_plain("id", &memory.id)?;
    if let Some(user) = &memory.user_id {
        id_validation::require_plain("user_id", user)?;
    }
    let domain = &domains::resolve(tx, domain)?;
    if let Some(id) = exact_duplicates::of(tx, memory, domain)? {
        exact_duplicates::restate(tx, &id)?;
        links::add_all(tx, &id, links, memory.user_id.as_deref(), actor)?;
        mentions::give(tx, &id, &memory.entities)?;
        audit::record(tx, Action::Confirm, &id, actor)?;
        return Ok(Stored::Confirmed(get(tx, &id)?));
    }
    if super::find(tx, &memory.id)?.is_some() {
        return Err(Error::Conflict(format!(
            "There is a memory with this id already; memory_update changes it: {}",
            memory.id
        )));
    }
    insert(tx, memory, domain)?;
    for tag in &memory.tags {
        tx.prepare_cached("INSERT OR IGNORE INTO MEMORY_TAGS (nodeId, tag) VALUES (?1, ?2)")?
            .execute(params![memory.id, tag])?;
    }
    links::add_all(tx, &memory.id, links, memory.user_id.as_deref(), actor)?;
    mentions::find_in_text(tx, &memory.id, &memory.content)?;
    mentions::give(tx, &memory.id, &memory.entities)?;
    domains::written(tx, domain, &memory.id)?;
    audit::record(tx, Action::Store, &memory.id, actor)?;
    Ok(Stored::New(get(tx, &memory.id)?))
}

fn insert(tx: &Transaction<'_>, memory: &NewMemory, domain: &str) -> Result<()> {
    let now = timestamps::now(tx)?;
    let expires_at = expiry(tx, memory.expires_at.as_deref())?;
    let event_time = timestamps::read_optional(tx, "event_time", memory.event_time.as_deref())?;
    let valid_from = timestamps::read_optional(tx, "valid_from", memory.valid_from.as_deref())?;
    let tier = memory.tier.as_deref().unwrap_or(if memory.pinned { "l0" } else { "l4" });
    tx.prepare_cached(
        "INSERT INTO MEMORY_NODES (id, domain, content, timestamp, path, content_summary, summary_timestamp, category,
            subject, source, confidence, expires_at, tier, heat, pinned, memory_type, user_id, metadata, event_time,
            ingestion_time, valid_from, importance_score, content_hash, stated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, CASE WHEN ?6 IS NULL THEN NULL ELSE ?4 END, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
            ?14, ?15, ?16, ?17, coalesce(?18, ?4), ?4, coalesce(?19, ?4), ?20, ?21, ?4)",
    )?
    .execute(params![
        memory.id,
        domain,
        memory.content,
        now,
        path(&memory.path),
        memory.summary,
        memory.category,
        memory.subject,
        memory.source,
        memory.confidence,
        expires_at,
        tier,
        decay::heat(0),
        memory.pinned,
        memory.memory_type,
        memory.user_id,
        memory.metadata,
        event_time,
        valid_from,
        memory.importance,
        exact_duplicates::hash(&memory.content),
    ])?;
    Ok(())
}

/// A moment of expiry, which must be still to come.
pub(super) fn expiry(tx: &Transaction<'_>, text: Option<&str>) -> Result<Option<String>> {
    let moment = timestamps::read_optional(tx, "expires_at", text)?;
    match &moment {
        Some(moment) if *moment <= timestamps::clock(tx)? => {
            Err(Error::invalid(format!("expires_at must be still to come; it got {moment}")))
        }
        _ => Ok(moment),
    }
}

/// A path with a slash at its start and none at its end.
pub(super) fn path(text: &str) -> String {
    format!("/{}", text.trim_matches('/'))
}
