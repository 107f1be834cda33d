//! The full-text tables for searches: which rows match an expression, their number, and their BM25 scores.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension, params};

use crate::{
    Result, Transaction,
    model::{numbers::round, tokenizer},
};

/// Maximum matching rows that [`Index::matching`] reads in turn for each row that is asked for. To look up one row,
/// FTS5 opens the query again, which takes as long as reading about this many.
const MAX_SCANNED_PER_ROW: usize = 200;

/// FTS5's record of the number of rows, and of words in each column.
const TOTALS: i64 = 1;

/// FTS5's record of the segments of the index. It counts the pages that were written, so that no later state equals an
/// earlier one.
const SEGMENTS: i64 = 10;

/// A row that matches an expression, with its BM25 scores: positive, higher is better, rounded to six digits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TextHit {
    /// The row.
    pub row: i64,
    /// BM25 of all columns that are searched.
    pub score: f64,
    /// BM25 of summary, path and tags alone, if the index has [`Index::with_labels`]; else 0. How rare a word is counts
    /// in all columns, as in `score`, so that the two can be compared.
    pub labels: f64,
}

/// A state that differs after every change of a full-text table, also by another process: FTS5's records of the number
/// of rows and words and of the segments of its index, and the number of the schema, which counts when a file is
/// rebuilt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableState {
    totals: Option<Vec<u8>>,
    segments: Option<Vec<u8>>,
    schema: i64,
}

/// A full-text table.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    table: &'static str,
    /// Precedes every expression: the columns that are searched.
    columns: &'static str,
    /// Further conditions of a row, appended to every expression.
    within: String,
    /// The BM25 weights of all columns; empty if each is 1.
    weights: &'static str,
    /// The BM25 weights for [`TextHit::labels`].
    label_weights: Option<&'static str>,
}

impl Index {
    /// The words of entities. Row numbers are those of the entities.
    #[must_use]
    pub(crate) fn of_entities() -> Self {
        Self { table: "entity_words", columns: "", within: String::new(), weights: "", label_weights: None }
    }

    /// The words of memories. The columns for ids and domains are not searched.
    #[must_use]
    pub(crate) fn of_memories() -> Self {
        Self {
            table: "memory_content_fts",
            columns: "{content content_summary path tags} : ",
            within: String::new(),
            weights: ", 0.0, 1.0, 1.0, 1.0, 1.0, 0.0",
            label_weights: None,
        }
    }

    /// Returns this index of memories with scores of summary, path and tags as well.
    #[must_use]
    pub(crate) fn with_labels(self) -> Self {
        Self { label_weights: Some(", 0.0, 0.0, 1.0, 1.0, 1.0, 0.0"), ..self }
    }

    /// The words of memories in a domain, and in domains whose ids contain its id. A domain without letters and digits
    /// has no word to match: all memories then.
    #[must_use]
    pub(crate) fn of_memories_in(domain: &str) -> Self {
        let is_word = domain.chars().any(|letter| letter.is_ascii_alphanumeric());
        let within = format!(" AND domain : {}", tokenizer::phrase(domain));
        Self { within: if is_word { within } else { String::new() }, ..Self::of_memories() }
    }

    /// Whether summary, path and tags are scored alone as well.
    #[must_use]
    pub(crate) fn has_labels(&self) -> bool {
        self.label_weights.is_some()
    }

    /// Whether only a part of the table is searched.
    #[must_use]
    pub(crate) fn is_part(&self) -> bool {
        !self.within.is_empty()
    }

    /// Returns this table without that restriction.
    #[must_use]
    pub(crate) fn whole(&self) -> Self {
        Self { within: String::new(), ..self.clone() }
    }

    /// Returns an expression as FTS5 gets it: for the searched columns, with the further conditions.
    pub(crate) fn expression(&self, words: &str) -> String {
        format!("{}({words}){}", self.columns, self.within)
    }

    /// The `limit` rows that BM25 ranks first among the newest `scored` rows that match an expression, best first, then
    /// by row number.
    pub(crate) fn best(
        &self,
        tx: &Transaction<'_>,
        expression: &str,
        limit: usize,
        scored: usize,
    ) -> Result<Vec<TextHit>> {
        let Self { table, weights, .. } = self;
        // Both scores in one pass: FTS5 counts the matches of every word again for each statement that ranks.
        let labels = self.label_score();
        let mut statement = tx.prepare_cached(&format!(
            "SELECT id, score, labels FROM (
                SELECT rowid AS id, -bm25({table}{weights}) AS score, {labels} AS labels FROM {table}
                WHERE {table} MATCH ?1 ORDER BY rowid DESC LIMIT ?3
             ) ORDER BY score DESC, id LIMIT ?2"
        ))?;
        let hits = statement.query_map(params![self.expression(expression), limit, scored], |row| {
            Ok(TextHit { row: row.get(0)?, score: round(row.get(1)?, 6), labels: round(row.get(2)?, 6) })
        })?;
        Ok(hits.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the scores of all rows that match an expression, not rounded, newest row first.
    pub(crate) fn scores(&self, tx: &Transaction<'_>, expression: &str) -> Result<Vec<TextHit>> {
        let Self { table, weights, .. } = self;
        let labels = self.label_score();
        let mut statement = tx.prepare_cached(&format!(
            "SELECT rowid, -bm25({table}{weights}), {labels} FROM {table} WHERE {table} MATCH ?1
             ORDER BY rowid DESC"
        ))?;
        let hits = statement.query_map([self.expression(expression)], |row| {
            Ok(TextHit { row: row.get(0)?, score: row.get(1)?, labels: row.get(2)? })
        })?;
        Ok(hits.collect::<rusqlite::Result<_>>()?)
    }

    /// SQL for [`TextHit::labels`].
    fn label_score(&self) -> String {
        let table = self.table;
        self.label_weights.map_or_else(|| "0.0".to_owned(), |weights| format!("-bm25({table}{weights})"))
    }

    /// Returns the newest rows that match an expression, newest first.
    pub(crate) fn newest(&self, tx: &Transaction<'_>, expression: &str, limit: usize) -> Result<Vec<i64>> {
        let table = self.table;
        let mut statement = tx.prepare_cached(&format!(
            "SELECT rowid FROM {table} WHERE {table} MATCH ?1 ORDER BY rowid DESC LIMIT ?2"
        ))?;
        let rows = statement.query_map(params![self.expression(expression), limit], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Counts the rows that match an expression, up to a limit.
    pub(crate) fn count(&self, tx: &Transaction<'_>, expression: &str, limit: usize) -> Result<usize> {
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
    pub(crate) fn count_after(&self, tx: &Transaction<'_>, expression: &str, row: usize) -> Result<usize> {
        let table = self.table;
        Ok(tx
            .prepare_cached(&format!("SELECT count(*) FROM {table} WHERE {table} MATCH ?1 AND rowid > ?2"))?
            .query_row(params![self.expression(expression), row], |row| row.get(0))?)
    }

    /// Which of these rows match an expression.
    pub(crate) fn matching(
        &self,
        tx: &Transaction<'_>,
        expression: &str,
        rows: &[i64],
    ) -> Result<BTreeSet<i64>> {
        self.matching_after(tx, expression, rows, rows.len().saturating_mul(MAX_SCANNED_PER_ROW))
    }

    /// As [`Self::matching`]: the first `max_scanned` matching rows from the first of `rows` on are read in turn;
    /// beyond them, the rows are looked up one by one.
    fn matching_after(
        &self,
        tx: &Transaction<'_>,
        expression: &str,
        rows: &[i64],
        max_scanned: usize,
    ) -> Result<BTreeSet<i64>> {
        let table = self.table;
        let expression = self.expression(expression);
        let wanted: BTreeSet<i64> = rows.iter().copied().collect();
        let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else { return Ok(wanted) };
        let mut statement = tx.prepare_cached(&format!(
            "SELECT rowid FROM {table} WHERE {table} MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid LIMIT ?4"
        ))?;
        let scanned = statement
            .query_map(params![expression, first, last, max_scanned], |row| row.get(0))?
            .collect::<rusqlite::Result<Vec<i64>>>()?;
        let mut found: BTreeSet<i64> = scanned.iter().copied().filter(|row| wanted.contains(row)).collect();
        if let Some(end) = scanned.last().filter(|_| scanned.len() == max_scanned) {
            let rest: Vec<i64> = wanted.range(end + 1..).copied().collect();
            let mut statement = tx.prepare_cached(&format!(
                "SELECT rowid FROM {table} WHERE {table} MATCH ?1 AND rowid IN (SELECT value FROM json_each(?2))"
            ))?;
            let looked_up = statement.query_map(params![expression, list(&rest)], |row| row.get(0))?;
            for row in looked_up {
                found.insert(row?);
            }
        }
        Ok(found)
    }

    /// Returns the state of the table, without what the transaction itself has changed.
    pub(crate) fn state(&self, tx: &Transaction<'_>) -> Result<TableState> {
        let table = self.table;
        let mut record = tx.prepare_cached(&format!("SELECT block FROM {table}_data WHERE id = ?1"))?;
        let mut record = |id: i64| record.query_row([id], |row| row.get(0)).optional();
        Ok(TableState {
            totals: record(TOTALS)?,
            segments: record(SEGMENTS)?,
            schema: tx.prepare_cached("PRAGMA schema_version")?.query_row([], |row| row.get(0))?,
        })
    }

    /// The number of the newest row; 0 in an empty table.
    pub(crate) fn last_row(&self, tx: &Transaction<'_>) -> Result<usize> {
        let table = self.table;
        Ok(tx
            .prepare_cached(&format!("SELECT coalesce(max(id), 0) FROM {table}_docsize"))?
            .query_row([], |row| row.get(0))?)
    }
}

/// Formats rows as a JSON array, so that the statement can be cached.
pub(super) fn list(rows: &[i64]) -> String {
    let numbers: Vec<String> = rows.iter().map(i64::to_string).collect();
    format!("[{}]", numbers.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching_rows_are_the_same_however_many_are_read_in_turn() -> Result<()> {
        let mut db = rusqlite::Connection::open_in_memory()?;
        db.execute_batch("CREATE VIRTUAL TABLE entity_words USING fts5(words)")?;
        for row in 1..=200_i64 {
            let words = if row % 3 == 0 { "tea coffee" } else { "coffee" };
            db.execute("INSERT INTO entity_words(rowid, words) VALUES (?1, ?2)", params![row, words])?;
        }
        let transaction = db.transaction()?;
        let tx = Transaction::new(&transaction, 0);
        let rows: Vec<i64> = (0..60).map(|number| number * 7 % 211 + 1).collect();
        for (word, divisor) in [("tea", 3), ("coffee", 1), ("water", 1_000)] {
            let expected: BTreeSet<i64> =
                rows.iter().copied().filter(|row| row % divisor == 0 && *row <= 200).collect();
            for max_scanned in [1, 2, 40, 67, 200, 2_000] {
                let found = Index::of_entities().matching_after(&tx, word, &rows, max_scanned)?;
                assert_eq!(found, expected, "{word}, {max_scanned}");
            }
        }
        assert!(Index::of_entities().matching(&tx, "tea", &[])?.is_empty());
        Ok(())
    }
}
