//! The rows that match the words of queries, and their scores. They are read once for each word: to find the best rows
//! and their coverage of the query, words are counted and compared several times, and FTS5 would scan their rows each
//! time. They are kept for later searches while the table does not change.

use std::{collections::HashMap, sync::Arc};

use super::{newest_rows::NewestRows, word_scores::WordScores};
use crate::{
    Result, Transaction,
    model::tokenizer,
    store::full_text::{Index, TableState},
};

/// Maximum number of rows that are scored: FTS5 needs twenty times as long to score a row as to match it. If more rows
/// match any word, only those that match some of the rarest words are scored, and of these the newest.
pub(super) const MAX_SCORED: usize = 2_000;

/// The number of newest rows that are read for a word: enough to know whether more match than are scored.
const MAX_READ: usize = MAX_SCORED + 1;

/// Maximum number of rows of a word whose scores are kept.
const MAX_SCORES_OF_WORD: usize = 8_000;

/// Maximum number of rows that are kept of a word in more rows: the newest.
const MAX_ROWS_OF_WORD: usize = 12_000;

/// The number of earlier searches, while nothing is written, after which the scores of a word are read that is in more
/// rows than [`MAX_SCORED`]: its rows take longer to score than a few searches save.
const MIN_EARLIER_SEARCHES: u64 = 4;

/// The number of kept rows and scores above which the next search begins without any.
const MAX_KEPT: usize = 400_000;

/// The memory that a word takes beside its rows, as a number of rows.
const EXPRESSION_ROWS: usize = 20;

/// The newest rows that match the words of queries in one full-text table, and the scores of some words. Without
/// [`WordRows::refresh`], the table must not change.
#[derive(Default)]
pub(crate) struct WordRows {
    words: HashMap<Key, Word>,
    last_row: Option<usize>,
    /// The state of the table that was read.
    state: Option<TableState>,
    /// Number of the search.
    search: u64,
}

/// An expression for a word, and whether summary, path and tags are also scored alone.
#[derive(PartialEq, Eq, Hash)]
struct Key(String, bool);

/// What is known of a word.
struct Word {
    rows: Arc<NewestRows>,
    /// The search that first needed it.
    first_search: u64,
    scores: Scores,
}

enum Scores {
    Unread,
    /// More rows match than are kept with scores.
    TooMany,
    Read(Arc<WordScores>),
}

impl WordRows {
    /// Begins a search. Forgets what was read if the table has changed since.
    pub(crate) fn refresh(&mut self, tx: &Transaction<'_>, index: &Index) -> Result<()> {
        let state = Some(index.state(tx)?);
        let kept: usize = self.words.values().map(Word::kept).sum();
        if self.state != state || kept > MAX_KEPT {
            *self = Self { state, ..Self::default() };
        }
        self.search += 1;
        Ok(())
    }

    /// Returns the newest rows that match a word, or the beginning of a word: all of them if its scores are kept. Those
    /// are read when a second search needs the word, since many words occur in one query only, and of a common word
    /// later.
    pub(crate) fn of_word(
        &mut self,
        tx: &Transaction<'_>,
        index: &Index,
        word: &str,
    ) -> Result<Arc<NewestRows>> {
        let key = key_of(index, word);
        let Some(known) = self.words.get(&key) else {
            let rows = index.newest(tx, &of_one(word), MAX_READ)?;
            let rows = Arc::new(NewestRows::read(rows, MAX_READ));
            let known = Word { rows: Arc::clone(&rows), first_search: self.search, scores: Scores::Unread };
            self.words.insert(key, known);
            return Ok(rows);
        };
        let patience = if known.rows.known() < MAX_READ { 1 } else { MIN_EARLIER_SEARCHES };
        let is_due = self.search >= known.first_search + patience;
        if is_due && matches!(known.scores, Scores::Unread) && !index.is_part() {
            self.read_scores(tx, index, word)?;
        }
        Ok(self.words.get(&key).map(|known| Arc::clone(&known.rows)).unwrap_or_default())
    }

    /// Returns the newest rows that match any of these words.
    pub(crate) fn of_any(
        &mut self,
        tx: &Transaction<'_>,
        index: &Index,
        words: &[String],
    ) -> Result<Arc<NewestRows>> {
        let mut any: Option<Arc<NewestRows>> = None;
        for word in words {
            let rows = self.of_word(tx, index, word)?;
            any = Some(any.map_or_else(|| Arc::clone(&rows), |any| Arc::new(any.or(&rows))));
        }
        Ok(any.unwrap_or_default())
    }

    /// Returns the scores of all rows of these words. `None` if some are not known: more rows match than FTS5 scores
    /// for a query.
    pub(crate) fn scores(
        &mut self,
        tx: &Transaction<'_>,
        index: &Index,
        words: &[String],
    ) -> Result<Option<Vec<Arc<WordScores>>>> {
        if index.is_part() {
            return Ok(None);
        }
        let (mut unread, mut rows) = (Vec::new(), 0);
        for word in words {
            let known = self.words.get(&key_of(index, word));
            match known.map(|known| (&known.scores, known.rows.count(MAX_SCORED))) {
                Some((Scores::Read(_), _)) => {}
                Some((Scores::Unread, Some(count))) => {
                    rows += count;
                    unread.push(word);
                }
                _ => return Ok(None),
            }
        }
        if rows >= MAX_SCORED {
            return Ok(None);
        }
        for word in unread {
            self.read_scores(tx, index, word)?;
        }
        let read = |word: &String| match &self.words.get(&key_of(index, word))?.scores {
            Scores::Read(scores) => Some(Arc::clone(scores)),
            Scores::Unread | Scores::TooMany => None,
        };
        Ok(words.iter().map(read).collect())
    }

    fn read_scores(&mut self, tx: &Transaction<'_>, index: &Index, word: &str) -> Result<()> {
        let Some(known) = self.words.get_mut(&key_of(index, word)) else { return Ok(()) };
        let expression = of_one(word);
        let count = match known.rows.count(MAX_SCORES_OF_WORD + 1) {
            Some(count) => count,
            None => index.count(tx, &expression, MAX_SCORES_OF_WORD + 1)?,
        };
        known.scores = if count > MAX_SCORES_OF_WORD {
            let rows = index.newest(tx, &expression, MAX_ROWS_OF_WORD)?;
            known.rows = Arc::new(NewestRows::read(rows, MAX_ROWS_OF_WORD));
            Scores::TooMany
        } else {
            let scores = WordScores::new(index.scores(tx, &expression)?);
            known.rows = Arc::new(NewestRows::all(scores.rows().collect()));
            Scores::Read(Arc::new(scores))
        };
        Ok(())
    }

    /// Returns the number of rows that match a word, or the limit if there are more.
    pub(crate) fn count(
        &mut self,
        tx: &Transaction<'_>,
        index: &Index,
        word: &str,
        limit: usize,
    ) -> Result<usize> {
        match self.of_word(tx, index, word)?.count(limit) {
            Some(count) => Ok(count),
            None => index.count(tx, &of_one(word), limit),
        }
    }

    /// Returns the number of rows after this one that match any of these words. Words that were not read before are not
    /// read: there may be few rows after this one.
    pub(crate) fn count_after(
        &self,
        tx: &Transaction<'_>,
        index: &Index,
        words: &[String],
        row: usize,
    ) -> Result<usize> {
        let read = |word: &String| self.words.get(&key_of(index, word)).map(|known| &known.rows);
        let all: Option<Vec<&Arc<NewestRows>>> = words.iter().map(read).collect();
        let any = all.unwrap_or_default().into_iter().cloned().reduce(|any, rows| Arc::new(any.or(&rows)));
        let after = i64::try_from(row).unwrap_or(i64::MAX);
        match any.and_then(|any| any.count_after(after)) {
            Some(count) => Ok(count),
            None => index.count_after(tx, &tokenizer::any_of(words), row),
        }
    }

    /// The number of the newest row of the table; 0 if it is empty.
    pub(crate) fn last_row(&mut self, tx: &Transaction<'_>, index: &Index) -> Result<usize> {
        if self.last_row.is_none() {
            self.last_row = Some(index.last_row(tx)?);
        }
        Ok(self.last_row.unwrap_or_default())
    }
}

impl Word {
    /// The number of rows and scores in memory.
    fn kept(&self) -> usize {
        let scores = if let Scores::Read(scores) = &self.scores { scores.rows().len() } else { 0 };
        EXPRESSION_ROWS + self.rows.known() + scores
    }
}

fn key_of(index: &Index, word: &str) -> Key {
    Key(index.expression(&of_one(word)), index.has_labels())
}

/// The expression that matches one word, or the beginning of a word.
fn of_one(word: &str) -> String {
    tokenizer::any_of(&[word.to_owned()])
}
