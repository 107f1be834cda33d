//! Memories as Markdown; see [`crate::memory_markdown`].

use std::collections::BTreeMap;

use limbic_core::{
    Result, Transaction,
    records::{Domain, Memory, Record, Tables},
};

use super::pieces::Pieces;
use crate::memory_markdown as format;

/// Writes the memories that hold at present, by domain, subject and id.
pub fn write(
    tx: &Transaction<'_>,
    user: Option<&str>,
    pieces: &mut Pieces<'_>,
) -> Result<(u64, Option<String>)> {
    let now = tx.now_text();
    let is_past = |moment: &Option<String>| moment.as_deref().is_some_and(|moment| moment <= now);
    let tables = Tables::of_user(tx, user)?;
    let mut domains = BTreeMap::new();
    Domain::each(&tables, &mut |domain| {
        domains.insert(domain.id.clone(), domain);
        Ok(())
    })?;
    let mut memories = Vec::new();
    Memory::each(&tables, &mut |memory| {
        if !is_past(&memory.expires_at) && !is_past(&memory.valid_until) {
            memories.push(memory);
        }
        Ok(())
    })?;
    let key = |memory: &Memory| (memory.domain.clone(), memory.subject.clone(), memory.id.clone());
    memories.sort_by_cached_key(key);
    pieces.put(format::HEADER.as_bytes())?;
    let (mut domain, mut subject) = (None, None);
    let mut records = 0;
    for memory in &memories {
        if domain != Some(&memory.domain) {
            (domain, subject) = (Some(&memory.domain), None);
            if let Some(found) = memory.domain.as_ref().and_then(|id| domains.get(id)) {
                pieces.put(format::domain(found).as_bytes())?;
            }
        }
        if subject != Some(&memory.subject) {
            subject = Some(&memory.subject);
            if !memory.subject.is_empty() {
                pieces.put(format::subject(&memory.subject).as_bytes())?;
            }
        }
        pieces.put(format::item(memory)?.as_bytes())?;
        records += 1;
    }
    let note = "This format contains the memories that hold at present, without links, history and use, and without \
                the graph; the format limbic contains everything";
    Ok((records, Some(note.into())))
}
