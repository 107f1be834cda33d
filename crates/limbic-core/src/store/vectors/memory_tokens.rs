//! Memories with the tokens that late interaction reads.

use rusqlite::{OptionalExtension, params};

use super::embeddings;
use crate::{Result, Transaction};
use limbic_protocol::TextKind;

/// An embedded memory. Its text and tokens are those of the row that is being read, without a copy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryTokens<'a> {
    /// The current text.
    pub content: &'a str,
    /// When it happened, or else was stored, in seconds since the Unix epoch.
    pub event_seconds: i64,
    /// Its blob in `token_vectors`.
    pub tokens: &'a [u8],
}

const MEMORIES: i64 = embeddings::key(TextKind::Memory, 0);

/// Applies `take` to the memory with this number; `None` if it is not embedded yet, or was deleted.
pub(crate) fn read<T>(
    tx: &Transaction<'_>,
    number: i64,
    take: impl FnOnce(MemoryTokens<'_>) -> T,
) -> Result<Option<T>> {
    let mut statement = tx.prepare_cached(
        "SELECT m.content, v.tokens, coalesce(unixepoch(m.event_time), unixepoch(m.timestamp), 0)
         FROM memory_numbers AS n CROSS JOIN MEMORY_NODES AS m ON m.id = n.id
         CROSS JOIN token_vectors AS v ON v.key = ?1 + n.number WHERE n.number = ?2",
    )?;
    let found = statement.query_row(params![MEMORIES, number], |row| {
        Ok(take(MemoryTokens {
            content: row.get_ref(0)?.as_str()?,
            tokens: row.get_ref(1)?.as_blob()?,
            event_seconds: row.get(2)?,
        }))
    });
    Ok(found.optional()?)
}
