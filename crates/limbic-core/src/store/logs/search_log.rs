//! The search log: queries, results, and their ranks with and without limbic factors.

use rusqlite::params;

use crate::{
    Result, Transaction,
    model::{quality::JudgedResult, usage::Factors},
};

const SECONDS_PER_DAY: i64 = 86_400;

/// Maximum number of expired searches that are deleted when one is recorded: more than one, so that the log shrinks,
/// and few, so that it takes little time.
const MAX_DELETED_AT_ONCE: usize = 5;

/// The retention policy of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Retention in days; 0 disables the log.
    pub days: u32,
    /// Whether queries are logged without their text.
    pub private: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self { days: 90, private: false }
    }
}

/// One search, as it is logged.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// Its number in the log.
    pub id: i64,
    /// The phrasings of the query, of which the first is logged.
    pub phrasings: &'a [&'a str],
    /// Hash of all phrasings, in hexadecimal digits.
    pub query_hash: &'a str,
    /// 1 if the order includes limbic factors, 0 for relevance alone.
    pub treatment: u8,
    /// Maximum number of results requested.
    pub limit: usize,
    /// `hybrid` or `lexical`.
    pub engine: &'a str,
    /// Time from the call to its answer, without the encoding of the query.
    pub duration_millis: i64,
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
    /// Relevance alone.
    pub relevance: f64,
    /// Cosine to the query, if there are vectors.
    pub cosine: Option<f64>,
    /// The factors of use and time.
    pub factors: Factors,
    /// 1-based rank by relevance alone.
    pub baseline_rank: usize,
}

/// Logs a search and its results, without the text and the hash of a query that contains a secret, and deletes expired
/// searches.
/// Returns the event's id, if it was logged: an id that is in use, as after a clock was set back, is replaced by a free
/// one.
pub fn record(
    tx: &Transaction<'_>,
    policy: Policy,
    event: Event<'_>,
    results: &[Logged<'_>],
) -> Result<Option<i64>> {
    forget(tx, tx.now_seconds() - i64::from(policy.days) * SECONDS_PER_DAY)?;
    if policy.days == 0 {
        return Ok(None);
    }
    let has_secret = event.phrasings.iter().any(|text| limbic_guard::find_secret(text).is_some());
    let first = event.phrasings.first().copied().unwrap_or_default();
    let is_hidden = policy.private || limbic_guard::find_secret(first).is_some();
    // A code of four digits would be found by hashing all of them. The number of the search takes the hash's place.
    let query_hash = if has_secret { format!("{:016x}", event.id) } else { event.query_hash.to_owned() };
    #[allow(clippy::cast_precision_loss, reason = "milliseconds of a call are far below 2^53")]
    let duration_millis = Some(event.duration_millis as f64);
    let row = EventRow {
        id: event.id,
        query: if is_hidden { "" } else { first },
        query_hash: &query_hash,
        at: None,
        treatment: event.treatment.into(),
        limit: saturated(event.limit),
        found: saturated(results.len()),
        duration_millis,
        engine: event.engine,
    };
    let id = insert_event(tx, &row)?;
    for (result, rank) in results.iter().zip(1..) {
        let row = ResultRow {
            entity_id: result.entity_id,
            entity_name: result.entity_name,
            rank,
            limbic_score: Some(result.limbic_score),
            cosine: result.cosine,
            importance: Some(result.factors.importance),
            temporal: Some(result.factors.temporal),
            co_occurrence: Some(result.factors.co_occurrence),
            baseline_rank: Some(saturated(result.baseline_rank)),
            relevance: Some(result.relevance),
        };
        insert_result(tx, id, &row)?;
    }
    Ok(Some(id))
}

fn saturated(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A row of `search_events`.
pub(crate) struct EventRow<'a> {
    pub id: i64,
    pub query: &'a str,
    pub query_hash: &'a str,
    /// `YYYY-MM-DD HH:MM:SS`; `None` for now.
    pub at: Option<&'a str>,
    pub treatment: i64,
    pub limit: i64,
    pub found: i64,
    pub duration_millis: Option<f64>,
    pub engine: &'a str,
}

/// Adds a row and returns its id; an id that is in use is replaced by a free one.
pub(crate) fn insert_event(tx: &Transaction<'_>, row: &EventRow<'_>) -> Result<i64> {
    tx.prepare_cached(
        "INSERT INTO search_events
             (event_id, query_text, query_hash, timestamp, treatment, k_limit, num_results, duration_ms, engine_used)
         VALUES (CASE WHEN EXISTS (SELECT 1 FROM search_events WHERE event_id = ?1) THEN NULL ELSE ?1 END,
             ?2, ?3, coalesce(?4, datetime(?10, 'unixepoch')), ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        row.id,
        row.query,
        row.query_hash,
        row.at,
        row.treatment,
        row.limit,
        row.found,
        row.duration_millis,
        row.engine,
        tx.now_seconds()
    ])?;
    Ok(tx.last_insert_rowid())
}

/// A row of `search_results`, without the id of its search.
pub(crate) struct ResultRow<'a> {
    pub entity_id: i64,
    pub entity_name: &'a str,
    pub rank: i64,
    pub limbic_score: Option<f64>,
    pub cosine: Option<f64>,
    pub importance: Option<f64>,
    pub temporal: Option<f64>,
    pub co_occurrence: Option<f64>,
    pub baseline_rank: Option<i64>,
    pub relevance: Option<f64>,
}

/// Adds a row. A second result for an entity in the same search is ignored.
pub(crate) fn insert_result(tx: &Transaction<'_>, event_id: i64, row: &ResultRow<'_>) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO search_results (event_id, entity_id, entity_name, rank, limbic_score, cosine_sim, importance,
             temporal, cooc_boost, baseline_rank, relevance)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO NOTHING",
    )?
    .execute(params![
        event_id,
        row.entity_id,
        row.entity_name,
        row.rank,
        row.limbic_score,
        row.cosine,
        row.importance,
        row.temporal,
        row.co_occurrence,
        row.baseline_rank,
        row.relevance
    ])?;
    Ok(())
}

/// Returns the numbers of searches logged since a time: with limbic factors, and by relevance alone.
pub(crate) fn count(tx: &Transaction<'_>, since_seconds: i64) -> Result<(u64, u64)> {
    Ok(tx
        .prepare_cached(
            "SELECT count(*) FILTER (WHERE treatment <> 0), count(*) FILTER (WHERE treatment = 0)
             FROM search_events WHERE timestamp >= datetime(?1, 'unixepoch')",
        )?
        .query_row([since_seconds], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// Returns the results of a search, best first, with whether they were used later.
pub(crate) fn results(tx: &Transaction<'_>, event_id: i64) -> Result<Vec<JudgedResult>> {
    let mut statement = tx.prepare_cached(
        "SELECT entity_id, rank, coalesce(baseline_rank, rank), relevance, coalesce(importance, 0.0),
             coalesce(temporal, 1.0), coalesce(cooc_boost, 0.0),
             EXISTS (SELECT 1 FROM implicit_feedback AS f
                     WHERE f.event_id = r.event_id AND f.entity_id = r.entity_id AND f.re_accessed = 1)
         FROM search_results AS r WHERE event_id = ?1 AND relevance IS NOT NULL ORDER BY rank, result_id",
    )?;
    let rows = statement.query_map([event_id], |row| {
        Ok(JudgedResult {
            entity_id: row.get(0)?,
            rank: row.get(1)?,
            baseline_rank: row.get(2)?,
            relevance: row.get(3)?,
            factors: Factors { importance: row.get(4)?, temporal: row.get(5)?, co_occurrence: row.get(6)? },
            reused: row.get(7)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Deletes some of the searches before a time, oldest first, with their results and feedback.
fn forget(tx: &Transaction<'_>, before_seconds: i64) -> Result<()> {
    let mut statement = tx.prepare_cached(
        "SELECT event_id FROM search_events WHERE timestamp < datetime(?1, 'unixepoch')
         ORDER BY timestamp, event_id LIMIT ?2",
    )?;
    let found = statement.query_map(params![before_seconds, MAX_DELETED_AT_ONCE], |row| row.get(0))?;
    for event_id in found.collect::<rusqlite::Result<Vec<i64>>>()? {
        tx.prepare_cached("DELETE FROM implicit_feedback WHERE event_id = ?1")?.execute([event_id])?;
        tx.prepare_cached("DELETE FROM search_results WHERE event_id = ?1")?.execute([event_id])?;
        tx.prepare_cached("DELETE FROM search_events WHERE event_id = ?1")?.execute([event_id])?;
    }
    Ok(())
}
