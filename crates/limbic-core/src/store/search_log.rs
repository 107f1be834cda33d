//! The log of searches: what was asked, what was answered, in which order with and without limbic factors.

use rusqlite::params;

use crate::{Result, Unit};

/// One search, as it is logged.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// Its number in the log.
    pub id: i64,
    /// The question.
    pub query: &'a str,
    /// Hash of the question, in hexadecimal digits.
    pub query_hash: &'a str,
    /// 1 when limbic factors ordered the answer, 0 for relevance alone.
    pub treatment: u8,
    /// The most results asked for.
    pub limit: usize,
    /// `hybrid` or `lexical`.
    pub engine: &'a str,
}

/// One result of a search, as it is logged.
#[derive(Debug, Clone, Copy)]
pub struct Logged<'a> {
    /// Row number of the entity.
    pub entity_id: i64,
    /// Its name at that time.
    pub entity_name: &'a str,
    /// Final score.
    pub limbic_score: f64,
    /// Cosine to the question, where there are vectors.
    pub cosine: Option<f64>,
    /// Access part of the score.
    pub importance: f64,
    /// Age part of the score.
    pub temporal: f64,
    /// Co-occurrence part of the score.
    pub co_occurrence: f64,
    /// 1-based rank by relevance alone.
    pub baseline_rank: usize,
}

/// Writes a search and its results. A number that is taken, as after a clock was set back, is replaced by a free one.
///
/// # Errors
/// Those of the database.
pub fn record(unit: &Unit<'_>, event: Event<'_>, results: &[Logged<'_>]) -> Result<()> {
    unit.prepare_cached(
        "INSERT INTO search_events (event_id, query_text, query_hash, timestamp, treatment, k_limit, num_results, engine_used)
         VALUES (CASE WHEN EXISTS (SELECT 1 FROM search_events WHERE event_id = ?1) THEN NULL ELSE ?1 END, ?2, ?3,
             datetime(?4, 'unixepoch'), ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        event.id,
        event.query,
        event.query_hash,
        unit.now_seconds(),
        event.treatment,
        event.limit,
        results.len(),
        event.engine
    ])?;
    let id = unit.last_insert_rowid();
    let mut insert = unit.prepare_cached(
        "INSERT INTO search_results (event_id, entity_id, entity_name, rank, limbic_score, cosine_sim, importance,
             temporal, cooc_boost, baseline_rank)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for (place, result) in results.iter().enumerate() {
        insert.execute(params![
            id,
            result.entity_id,
            result.entity_name,
            place + 1,
            result.limbic_score,
            result.cosine,
            result.importance,
            result.temporal,
            result.co_occurrence,
            result.baseline_rank
        ])?;
    }
    Ok(())
}
