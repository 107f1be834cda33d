//! Records accesses to memories, which raise heat, confidence and tier.

use rusqlite::params;

use super::MemoryNode;
use crate::{
    Result, Transaction,
    model::{decay, words::Word},
    store::timestamps,
};

/// Records that memories were found in a session: updates count, time, heat, confidence and tier. Returns those whose
/// heat or tier has risen, as they were before.
pub(crate) fn record_access(
    tx: &Transaction<'_>,
    ids: &[String],
    session_id: &str,
) -> Result<Vec<MemoryNode>> {
    let now = timestamps::now(tx)?;
    let mut with_new_rank = Vec::new();
    for id in ids {
        let Some(memory) = super::find(tx, id)? else { continue };
        tx.prepare_cached(
            "INSERT INTO memory_sessions (memory_id, session_id, last_used) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET last_used = ?3",
        )?
        .execute(params![id, session_id, now])?;
        let sessions: u32 = tx
            .prepare_cached("SELECT count(*) FROM memory_sessions WHERE memory_id = ?1")?
            .query_row([id], |row| row.get(0))?;
        let count = memory.access_count.saturating_add(1);
        let risen = memory.tier.known().and_then(|tier| decay::promoted(tier, count, sessions));
        let heat = decay::heat(count);
        tx.prepare_cached(
            "UPDATE MEMORY_NODES SET access_count = ?2, last_accessed = ?3, heat = ?4, confidence = ?5, tier = ?6,
                confidence_at = NULL,
                promotion_count = coalesce(promotion_count, 0) + ?7,
                last_promoted_at = CASE ?7 WHEN 0 THEN last_promoted_at ELSE ?3 END
             WHERE id = ?1",
        )?
        .execute(params![
            id,
            count,
            now,
            heat,
            decay::raised(memory.effective_confidence(tx.now_millis()), decay::RECALLED),
            risen.map_or_else(|| memory.tier.clone(), Word::Known),
            u8::from(risen.is_some())
        ])?;
        if risen.is_some() || memory.heat != heat {
            with_new_rank.push(memory);
        }
    }
    Ok(with_new_rank)
}
