//! Memories that say the same: the one that is there is confirmed.

use rusqlite::params;

use super::{MemoryNode, mentions, new::NewMemory};
use crate::{Result, Unit, maintain::life, store::time, text};

/// The text in the form in which memories are compared: case, composition and white space do not matter.
#[must_use]
pub fn normalised(content: &str) -> String {
    text::fold(content).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// FNV-1a of the text as it is compared.
pub fn hash(content: &str) -> i64 {
    normalised(content)
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
        .cast_signed()
}

/// The memory that holds already and says the same of the same subject, in the same domain, for the same user.
pub fn of(unit: &Unit<'_>, memory: &NewMemory, domain: &str) -> Result<Option<String>> {
    let mut statement = unit.prepare_cached(
        "SELECT id, content FROM MEMORY_NODES
         WHERE content_hash = ?1 AND domain = ?2 AND subject = ?3 AND user_id IS ?4
         AND (valid_until IS NULL OR valid_until > ?5) AND (expires_at IS NULL OR expires_at > ?5) ORDER BY rowid",
    )?;
    let now = time::now(unit)?;
    let rows = statement
        .query_map(params![hash(&memory.content), domain, memory.subject, memory.user_id, now], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })?;
    let wanted = normalised(&memory.content);
    for row in rows {
        let (id, content) = row?;
        if normalised(&content) == wanted {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Somebody has said it again: it is trusted more, to at most 1.
///
/// # Errors
/// [`Error::MemoryNotFound`](crate::Error::MemoryNotFound).
pub fn confirm(unit: &Unit<'_>, id: &str) -> Result<()> {
    let left = super::get(unit, id)?.effective_confidence(unit.now_millis());
    unit.prepare_cached("UPDATE MEMORY_NODES SET confidence = ?2, last_accessed = ?3 WHERE id = ?1")?
        .execute(params![id, life::raised(left, life::CONFIRMED), time::now(unit)?])?;
    Ok(())
}

/// Gives a memory that another program has written what ours have: the hash it is found by, and its entities.
///
/// # Errors
/// Those of the database.
pub fn adopt(unit: &Unit<'_>, memory: &MemoryNode) -> Result<()> {
    let adopted = unit
        .prepare_cached("UPDATE MEMORY_NODES SET content_hash = ?2 WHERE id = ?1 AND content_hash IS NULL")?
        .execute(params![memory.id, hash(&memory.content)])?;
    if adopted > 0 {
        mentions::find_in_text(unit, &memory.id, &memory.content)?;
    }
    Ok(())
}
