//! Searches, their results and which of these were used later, as records: importance depends on them, and the ranking
//! weights are tuned with them.

use rusqlite::{OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use super::{
    Merger, Outcome, Record, Tables, Take, check_name, check_text, entity::id_of, memory::check_secret,
    record_times, weight,
};
use crate::{
    Result, Transaction,
    store::logs::{
        feedback,
        search_log::{self, EventRow, ResultRow},
    },
};

/// A number that is exported without loss.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Exact(#[serde(with = "weight")] f64);

/// A search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// Its number in the log.
    pub id: i64,
    /// When, `YYYY-MM-DD HH:MM:SS`.
    pub at: String,
    /// The query; empty if the log does not store queries.
    #[serde(default)]
    pub query: String,
    /// Hash of the query, in hexadecimal digits.
    pub hash: String,
    /// 1 if the order includes limbic factors, 0 for relevance alone.
    pub treatment: i64,
    /// Maximum number of results requested.
    pub limit: i64,
    /// Number of results.
    pub found: i64,
    /// Time from the call to its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_millis: Option<Exact>,
    /// The signals that were used.
    pub engine: String,
    /// The results, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<SearchResult>,
    /// Results that were used later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feedback: Vec<Feedback>,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchResult {
    /// Name of the entity.
    pub entity: String,
    /// Its name at that time, if different.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_then: Option<String>,
    /// Rank, from 1.
    pub rank: i64,
    /// The final score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Exact>,
    /// Cosine to the query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cosine: Option<Exact>,
    /// Importance of the entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<Exact>,
    /// Freshness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temporal: Option<Exact>,
    /// Co-occurrence with other results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub co_occurrence: Option<Exact>,
    /// Rank by relevance alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline_rank: Option<i64>,
    /// Relevance alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<Exact>,
}

/// A result that was used later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// Name of the entity.
    pub entity: String,
    /// 1 if it was used.
    pub used: i64,
    /// Time from the search to the use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_seconds: Option<i64>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl Record for Search {
    const KIND: &'static str = "search";

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        let is_there = tables.has("search_events", &["event_id", "query_hash", "timestamp", "engine_used"])
            && tables.has("search_results", &["result_id", "event_id", "entity_id", "rank"])
            && tables.has("implicit_feedback", &["feedback_id", "event_id", "entity_id", "re_accessed"]);
        if !is_there {
            return Ok(());
        }
        let connection = tables.connection();
        let mut results = connection.prepare(&format!(
            "SELECT CAST(e.name AS TEXT), CAST(nullif(r.entity_name, e.name) AS TEXT), CAST(r.rank AS INTEGER),
                 r.limbic_score, r.cosine_sim, r.importance, r.temporal, r.cooc_boost,
                 CAST(r.baseline_rank AS INTEGER), {}
             FROM search_results AS r JOIN entities AS e ON e.id = r.entity_id
             WHERE r.event_id = ?1 ORDER BY r.rank, r.result_id",
            tables.real("search_results", "r", "relevance"),
        ))?;
        let mut feedback = connection.prepare(
            "SELECT CAST(e.name AS TEXT), CAST(f.re_accessed AS INTEGER), CAST(f.access_delta AS INTEGER),
                 CAST(f.session_id AS TEXT)
             FROM implicit_feedback AS f JOIN entities AS e ON e.id = f.entity_id
             WHERE f.event_id = ?1 ORDER BY f.feedback_id",
        )?;
        let mut events = connection.prepare(
            "SELECT event_id, CAST(timestamp AS TEXT), CAST(query_text AS TEXT), CAST(query_hash AS TEXT),
                 CAST(treatment AS INTEGER), CAST(k_limit AS INTEGER), CAST(num_results AS INTEGER),
                 CAST(duration_ms AS REAL), CAST(engine_used AS TEXT)
             FROM search_events ORDER BY event_id",
        )?;
        let mut rows = events.query([])?;
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            take(Self {
                id,
                at: row.get(1)?,
                query: row.get(2)?,
                hash: row.get(3)?,
                treatment: row.get(4)?,
                limit: row.get(5)?,
                found: row.get(6)?,
                duration_millis: exact(row, 7)?,
                engine: row.get(8)?,
                results: results.query_map([id], result)?.collect::<rusqlite::Result<_>>()?,
                feedback: feedback.query_map([id], used)?.collect::<rusqlite::Result<_>>()?,
            })?;
        }
        Ok(())
    }

    /// A search is identified by its number, time and query; a number that another search has is replaced by a free
    /// one, as when it was logged.
    fn merge(&self, tx: &Transaction<'_>, _: &mut Merger) -> Result<Outcome> {
        if record_times::valid(Some(&self.at)).is_none() {
            return Ok(Outcome::Refused(format!(
                "a time must have the form of 2026-01-02 03:04:05, but got {:?}",
                self.at
            )));
        }
        let names = [("a hash", &self.hash), ("an engine", &self.engine)]
            .into_iter()
            .find_map(|(what, name)| check_name(what, name).or_else(|| check_secret(name)));
        let query = || check_text("a question", &self.query).or_else(|| check_secret(&self.query));
        if let Some(reason) = names.or_else(query) {
            return Ok(Outcome::Refused(reason));
        }
        let (id, mut outcome) = match self.stored_event(tx)? {
            Some(id) => (id, Outcome::Known),
            None => (self.insert(tx)?, Outcome::Added),
        };
        for feedback in &self.feedback {
            if feedback.add(tx, id)? && outcome == Outcome::Known {
                outcome = Outcome::Changed;
            }
        }
        Ok(outcome)
    }
}

impl Search {
    /// Returns the number of the same search, if it exists.
    fn stored_event(&self, tx: &Transaction<'_>) -> Result<Option<i64>> {
        let is_same: Option<bool> = tx
            .prepare_cached(
                "SELECT timestamp = ?2 AND query_hash = ?3 FROM search_events WHERE event_id = ?1",
            )?
            .query_row(params![self.id, self.at, self.hash], |row| row.get(0))
            .optional()?;
        match is_same {
            None => Ok(None),
            Some(true) => Ok(Some(self.id)),
            // It may have been imported before, under a free number.
            Some(false) => Ok(tx
                .prepare_cached(
                    "SELECT event_id FROM search_events WHERE query_hash = ?1 AND timestamp = ?2 AND query_text = ?3
                         AND engine_used = ?4 AND k_limit = ?5 AND num_results = ?6 ORDER BY event_id LIMIT 1",
                )?
                .query_row(
                    params![self.hash, self.at, self.query, self.engine, self.limit, self.found],
                    |row| row.get(0),
                )
                .optional()?),
        }
    }

    fn insert(&self, tx: &Transaction<'_>) -> Result<i64> {
        let event = EventRow {
            id: self.id,
            query: &self.query,
            query_hash: &self.hash,
            at: Some(&self.at),
            treatment: self.treatment,
            limit: self.limit,
            found: self.found,
            duration_millis: number(self.duration_millis),
            engine: &self.engine,
        };
        let id = search_log::insert_event(tx, &event)?;
        for result in &self.results {
            // A missing entity was deleted since.
            let Some(entity_id) = id_of(tx, &result.entity)? else { continue };
            let row = ResultRow {
                entity_id,
                entity_name: result.name_then.as_ref().unwrap_or(&result.entity),
                rank: result.rank,
                limbic_score: number(result.score),
                cosine: number(result.cosine),
                importance: number(result.importance),
                temporal: number(result.temporal),
                co_occurrence: number(result.co_occurrence),
                baseline_rank: result.baseline_rank,
                relevance: number(result.relevance),
            };
            search_log::insert_result(tx, id, &row)?;
        }
        Ok(id)
    }
}

impl Feedback {
    /// Returns whether it is new.
    fn add(&self, tx: &Transaction<'_>, event_id: i64) -> Result<bool> {
        let Some(entity_id) = id_of(tx, &self.entity)? else { return Ok(false) };
        feedback::insert(tx, event_id, entity_id, self.used, self.delay_seconds, self.session.as_deref())
    }
}

fn result(row: &Row<'_>) -> rusqlite::Result<SearchResult> {
    Ok(SearchResult {
        entity: row.get(0)?,
        name_then: row.get(1)?,
        rank: row.get(2)?,
        score: exact(row, 3)?,
        cosine: exact(row, 4)?,
        importance: exact(row, 5)?,
        temporal: exact(row, 6)?,
        co_occurrence: exact(row, 7)?,
        baseline_rank: row.get(8)?,
        relevance: exact(row, 9)?,
    })
}

fn used(row: &Row<'_>) -> rusqlite::Result<Feedback> {
    Ok(Feedback { entity: row.get(0)?, used: row.get(1)?, delay_seconds: row.get(2)?, session: row.get(3)? })
}

fn exact(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Exact>> {
    Ok(row.get::<_, Option<f64>>(column)?.map(Exact))
}

fn number(exact: Option<Exact>) -> Option<f64> {
    exact.map(|Exact(value)| value)
}
