//! Memories in the format of Memory MCP Server, one object per line.

use limbic_core::{
    Result, Transaction,
    records::{Memory, Record, Tables},
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::pieces::Pieces;
use crate::{records::put_line, surreal_ids};

/// Its table of memories.
const TABLE: &str = "memories";

/// Number of digits of an importance: that server stores it as an `f32`.
const DIGITS: usize = 6;

#[derive(Serialize)]
struct Line<'a> {
    id: String,
    content: &'a str,
    memory_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Value>>,
    event_time: Option<&'a str>,
    ingestion_time: Option<&'a str>,
    valid_from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<&'a str>,
    importance_score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    invalidation_reason: Option<&'a str>,
}

/// Writes all memories that have not expired, or those of one user.
pub fn write(
    tx: &Transaction<'_>,
    user: Option<&str>,
    pieces: &mut Pieces<'_>,
) -> Result<(u64, Option<String>)> {
    let now = tx.now_text();
    let mut lines = 0;
    Memory::each(&Tables::of_user(tx, user)?, &mut |memory| {
        if memory.expires_at.as_deref().is_some_and(|moment| moment <= now) {
            return Ok(());
        }
        let created = memory.ingestion_time.as_deref().or(memory.created_at.as_deref());
        let line = Line {
            id: surreal_ids::format(TABLE, &memory.id),
            content: &memory.content,
            memory_type: memory.memory_type.as_str(),
            user_id: memory.user_id.as_deref(),
            // Other programs may have stored invalid values.
            metadata: memory.metadata.as_deref().and_then(|text| serde_json::from_str(text).ok()),
            event_time: memory.event_time.as_deref().or(created),
            ingestion_time: created,
            valid_from: memory.valid_from.as_deref().or(created),
            valid_until: memory.valid_until.as_deref(),
            importance_score: limbic_core::model::numbers::round(memory.importance, DIGITS),
            invalidation_reason: memory.invalidation_reason.as_deref(),
        };
        lines += 1;
        put_line(&line, &mut |line| pieces.put(line))
    })?;
    let note = "This format contains memories with types, users, metadata, times and importance, without domains, \
                tags and links; the format limbic contains everything";
    Ok((lines, Some(note.into())))
}
