//! What a memory takes over when its statement is stored again, so that a confirmation loses nothing of the call.

use super::review::must_wait;
use crate::{
    Error, Result, Transaction,
    model::memory_words::{Category, MemoryType, Tier, Word},
    store::{
        memories::{self, Changes, DEFAULT_IMPORTANCE, MAX_CONTENT_BYTES, MemoryNode, NewMemory},
        origins::Origin,
        timestamps,
    },
};

/// Returns what a memory takes over from the same statement stored again; the rules are at the function that stores
/// (`create.rs`). A category, type or importance that was not given has its default, which changes nothing.
///
/// # Errors
/// [`Error::InvalidArgument`] for invalid times, and for metadata that is too large together with the existing one.
pub(super) fn changes(tx: &Transaction<'_>, known: &MemoryNode, again: &NewMemory) -> Result<Changes> {
    let missing = |known: Option<&str>, again: &Option<String>| {
        again.clone().filter(|text| known.is_none_or(str::is_empty) && !text.is_empty())
    };
    let is_elsewhere = |path: &str| !path.trim_matches('/').is_empty();
    let event_time = timestamps::read_optional(tx, "event_time", again.event_time.as_deref())?;
    Ok(Changes {
        category: Some(again.category)
            .filter(|category| *category != Category::default() && known.category != *category),
        memory_type: Some(again.memory_type)
            .filter(|kind| *kind != MemoryType::default() && known.memory_type != *kind),
        source: missing(known.source.as_deref(), &again.source),
        summary: missing(known.summary.as_deref(), &again.summary),
        path: Some(again.path.clone()).filter(|path| is_elsewhere(path) && !is_elsewhere(&known.path)),
        tags: tags(known, again),
        importance: Some(again.importance)
            .filter(|importance| importance.total_cmp(&DEFAULT_IMPORTANCE).is_ne())
            .filter(|importance| *importance > known.importance),
        event_time: event_time.filter(|time| known.event_time != *time),
        pinned: (again.pinned && !known.pinned).then_some(true),
        tier: tier(known, again),
        expires_at: expires_at(tx, known, again)?,
        valid_from: timestamps::read_optional(tx, "valid_from", again.valid_from.as_deref())?
            .filter(|start| *start < known.valid_from),
        metadata: metadata(tx, known, again)?,
        ..Changes::default()
    })
}

/// Leaves out of changes by this origin what hooks select and show memories by: if hooks show the memory already, since
/// it would wait for review otherwise, and if the origin is a hook or an import, whose changes do not wait.
pub(super) fn keep_what_hooks_show(
    tx: &Transaction<'_>,
    origin: &Origin,
    known: &MemoryNode,
    changes: &mut Changes,
) -> Result<()> {
    let mut after = known.clone();
    if let Some(category) = changes.category {
        after.category = Word::Known(category);
    }
    if let Some(tier) = changes.tier {
        after.tier = Word::Known(tier);
    }
    after.pinned |= changes.pinned == Some(true);
    let waits = must_wait(tx, origin, &after)?;
    if waits && (!origin.kind.is_for_agents() || must_wait(tx, origin, known)?) {
        (changes.category, changes.tier, changes.pinned, changes.summary) = (None, None, None, None);
    }
    Ok(())
}

/// The tags of both, if there are new ones.
fn tags(known: &MemoryNode, again: &NewMemory) -> Option<Vec<String>> {
    let new: Vec<&String> = again.tags.iter().filter(|tag| !known.tags.contains(tag)).collect();
    (!new.is_empty()).then(|| known.tags.iter().chain(new).cloned().collect())
}

/// The tier with the longer retention; a memory that becomes pinned is always loaded, as a new one.
fn tier(known: &MemoryNode, again: &NewMemory) -> Option<Tier> {
    let is_pinned_now = again.pinned && !known.pinned;
    let wanted = again.tier.or(is_pinned_now.then_some(Tier::L0))?;
    known.tier.known().is_none_or(|tier| wanted < tier).then_some(wanted)
}

/// The later expiry; "" for none if the statement was stored again without one.
fn expires_at(tx: &Transaction<'_>, known: &MemoryNode, again: &NewMemory) -> Result<Option<String>> {
    let wanted = memories::expiry(tx, again.expires_at.as_deref())?;
    let Some(expiry) = &known.expires_at else { return Ok(None) };
    // Other programs write other forms, and texts that are no times.
    let expiry = match timestamps::read_optional(tx, "expires_at", Some(expiry)) {
        Err(Error::InvalidArgument { .. }) => None,
        read => read?,
    };
    Ok(match wanted {
        None => Some(String::new()),
        later => later.filter(|later| expiry.is_none_or(|expiry| *later > expiry)),
    })
}

/// The metadata of both; of a key in both, the value that was given last.
fn metadata(tx: &Transaction<'_>, known: &MemoryNode, again: &NewMemory) -> Result<Option<String>> {
    let Some(given) = again.metadata.as_deref().filter(|given| *given != "{}") else { return Ok(None) };
    let merged = memories::merged_metadata(tx, known.metadata.as_deref(), given)?;
    if merged.len() > MAX_CONTENT_BYTES {
        return Err(Error::invalid(format!(
            "metadata must have at most {MAX_CONTENT_BYTES} bytes together with that of the memory {}, but got {}",
            known.id,
            merged.len()
        )));
    }
    Ok(Some(merged).filter(|merged| known.metadata.as_ref() != Some(merged)))
}
