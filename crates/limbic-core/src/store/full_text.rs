//! The full-text tables for searches: which rows match an expression, their number, and their BM25 scores.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;

use crate::{
    Result, Transaction,
    model::{numbers::round, tokenizer},
};

/// A full-text table.
#[derive(Debug, Clone)]
pub struct Index {
    table: &'static str,
    /// Precedes every expression: the columns that are searched.
    columns: &'static str,
    /// Further conditions of a row, appended to every expression.
    within: String,
    /// The BM25 weights of all columns; empty if each is 1.
    weights: &'static str,
}

impl Index {
    /// The words of entities. Row numbers are those of the entities.
    #[must_use]
    pub fn of_entities() -> Self {
        Self { table: "entity_words", columns: "", within: String::new(), weights: "" }
    }

    /// The words of memories. The columns for ids and domains are not searched.
    #[must_use]
    pub fn of_memories() -> Self {
        Self {
            table: "memory_content_fts",
            columns: "{content content_summary path tags} : ",
            within: String::new(),
            weights: ", 0.0, 1.0, 1.0, 1.0, 1.0, 0.0",
        }
    }

    /// The words of memories, of which only those in summary, path and tags score. How rare a word is counts in all
    /// columns, as in [`Index::of_memories`], so that the scores of the two can be compared.
    #[must_use]
    pub fn of_memory_labels() -> Self {
        Self { weights: ", 0.0, 0.0, 1.0, 1.0, 1.0, 0.0", ..Self::of_memories() }
    }

    /// The words of memories in a domain, and in domains whose ids contain its id. A domain without letters and digits
    /// has no word to match: all memories then.
    #[must_use]
    pub fn of_memories_in(domain: &str) -> Self {
        let is_word = domain.chars().any(|letter| letter.is_ascii_alphanumeric());
        let within = format!(" AND domain : {}", tokenizer::phrase(domain));
        Self { within: if is_word { within } else { String::new() }, ..Self::of_memories() }
    }

    /// Whether only a part of the table is searched.
    #[must_use]
    pub fn is_part(&self) -> bool {
        !self.within.is_empty()
    }

    /// The same table without that restriction.
    #[must_use]
    pub fn whole(&self) -> Self {
        Self { within: String::new(), ..self.clone() }
    }

    fn expression(&self, words: &str) -> String {
        format!("{}({words}){}", self.columns, self.within)
    }

    /// The `limit` rows that BM25 ranks first among the newest `scored` rows that match an expression, best first, then
    /// by row number. Scores are positive and rounded to six digits.
    pub fn best(
        &self,
        tx: &Transaction<'_>,
        expression: &str,
        limit: usize,
        scored: usize,
    ) -> Result<Vec<(i64, f64)>> {
        let Self { table, weights, .. } = self;
        let mut statement = tx.prepare_cached(&format!(
            "SELECT id, score FROM (
                SELECT rowid AS id, -bm25({table}{weights}) AS score FROM {table} WHERE {table} MATCH ?1
                ORDER BY rowid DESC LIMIT ?3
             ) ORDER BY score DESC, id LIMIT ?2"
        ))?;
        let hits = statement
            .query_map(params![self.expression(expression), limit, scored], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .map(|row| row.map(|(id, score)| (id, round(score, 6))))
            .collect::<rusqlite::Result<_>>()?;
        Ok(hits)
    }

    /// The BM25 scores of those of these rows that match an expression, by row, as in [`Index::best`]. `rows` is a JSON
    /// array of row numbers.
    pub fn scores(&self, tx: &Transaction<'_>, expression: &str, rows: &str) -> Result<BTreeMap<i64, f64>> {
        let Self { table, weights, .. } = self;
        let mut statement = tx.prepare_cached(&format!(
            "SELECT rowid, -bm25({table}{weights}) FROM {table}
             WHERE {table} MATCH ?1 AND rowid IN (SELECT value FROM json_each(?2))"
        ))?;
        let scores = statement
            .query_map(params![self.expression(expression), rows], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(scores.map(|row| row.map(|(id, score)| (id, round(score, 6)))).collect::<rusqlite::Result<_>>()?)
    }

    /// Counts the rows that match an expression, up to a limit.
    pub fn count(&self, tx: &Transaction<'_>, expression: &str, limit: usize) -> Result<usize> {
        let table = self.table;
        Ok(tx
            .prepare_cached(&format!(
                "SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ?1 LIMIT ?2)"
            ))?
            .query_row(
                params![self.expression(expression), i64::try_from(limit).unwrap_or(i64::MAX)],
                |row| row.get(0),
            )?)
    }

    /// Counts the rows after this one that match an expression.
    pub fn count_after(&self, tx: &Transaction<'_>, expression: &str, row: usize) -> Result<usize> {
        let table = self.table;
        Ok(tx
            .prepare_cached(&format!("SELECT count(*) FROM {table} WHERE {table} MATCH ?1 AND rowid > ?2"))?
            .query_row(params![self.expression(expression), row], |row| row.get(0))?)
    }

    /// Which of these rows match an expression. `rows` is a JSON array of row numbers.
    pub fn matching(&self, tx: &Transaction<'_>, expression: &str, rows: &str) -> Result<BTreeSet<i64>> {
        let table = self.table;
        let mut statement = tx.prepare_cached(&format!(
            "SELECT rowid FROM {table} WHERE {table} MATCH ?1 AND rowid IN (SELECT value FROM json_each(?2))"
        ))?;
        let found = statement.query_map(params![self.expression(expression), rows], |row| row.get(0))?;
        Ok(found.collect::<rusqlite::Result<_>>()?)
    }

    /// The number of the newest row; 0 in an empty table.
    pub fn last_row(&self, tx: &Transaction<'_>) -> Result<usize> {
        let table = self.table;
        Ok(tx
            .prepare_cached(&format!("SELECT coalesce(max(id), 0) FROM {table}_docsize"))?
            .query_row([], |row| row.get(0))?)
    }
}
