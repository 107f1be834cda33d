//! The rows that match the words of a query. They are read once for each word: to find the best rows and their coverage
//! of the query, words are counted and compared several times, and FTS5 would scan their rows each time.

use std::{cmp::Ordering, collections::HashMap, rc::Rc};

use crate::{Result, Transaction, model::tokenizer, store::full_text::Index};

/// Maximum number of rows that are scored: FTS5 needs twenty times as long to score a row as to match it. If more rows
/// match any word, only those that match some of the rarest words are scored, and of these the newest.
pub(super) const SCORED: usize = 2_000;

/// The number of newest rows that are read for a word: enough to tell whether more match than are scored.
const MAX_READ: usize = SCORED + 1;

/// The newest rows that match an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewestRows {
    /// Newest first.
    rows: Vec<i64>,
    /// Whether a row before this one matches is not known.
    known_from: i64,
}

impl NewestRows {
    /// Rows, newest first, of which at most `limit` were read.
    fn read(rows: Vec<i64>, limit: usize) -> Self {
        let oldest = rows.last().filter(|_| rows.len() >= limit);
        Self { known_from: oldest.copied().unwrap_or(i64::MIN), rows }
    }

    /// Returns the number of matching rows, or the limit if there are more; `None` if that is not known.
    pub(crate) fn count(&self, limit: usize) -> Option<usize> {
        let is_known = self.known_from == i64::MIN || self.rows.len() >= limit;
        is_known.then_some(self.rows.len().min(limit))
    }

    /// Returns the number of matching rows after a row; `None` if that is not known.
    pub(crate) fn count_after(&self, row: i64) -> Option<usize> {
        (row.saturating_add(1) >= self.known_from).then(|| self.rows.partition_point(|other| *other > row))
    }

    /// Whether a row matches; `None` if that is not known.
    pub(crate) fn contains(&self, row: i64) -> Option<bool> {
        (row >= self.known_from).then(|| self.rows.binary_search_by(|other| row.cmp(other)).is_ok())
    }

    /// Returns the rows that match both expressions.
    pub(crate) fn and(&self, other: &Self) -> Self {
        self.merged(other, |one, two| one && two)
    }

    /// Returns the rows that match either expression.
    pub(crate) fn or(&self, other: &Self) -> Self {
        self.merged(other, |one, two| one || two)
    }

    fn merged(&self, other: &Self, keeps: impl Fn(bool, bool) -> bool) -> Self {
        let known_from = self.known_from.max(other.known_from);
        let mut rows = Vec::with_capacity(self.rows.len().max(other.rows.len()));
        let (mut ones, mut twos) = (self.rows.iter().peekable(), other.rows.iter().peekable());
        loop {
            let order = match (ones.peek(), twos.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Greater,
                (None, Some(_)) => Ordering::Less,
                (Some(one), Some(two)) => one.cmp(two),
            };
            let one = if order.is_ge() { ones.next() } else { None };
            let two = if order.is_le() { twos.next() } else { None };
            let Some(row) = one.or(two).filter(|row| **row >= known_from) else { break };
            if keeps(one.is_some(), two.is_some()) {
                rows.push(*row);
            }
        }
        Self { rows, known_from }
    }
}

/// The newest rows that match the words of a query in one full-text table, read when they are first needed. The table
/// must not change in between.
#[derive(Default)]
pub(crate) struct WordRows {
    by_expression: HashMap<String, Rc<NewestRows>>,
    last_row: Option<usize>,
}

impl WordRows {
    /// Returns the newest rows that match a word, or the beginning of a word.
    pub(crate) fn of_word(
        &mut self,
        tx: &Transaction<'_>,
        index: &Index,
        word: &str,
    ) -> Result<Rc<NewestRows>> {
        let expression = of_one(word);
        let key = index.expression(&expression);
        if let Some(known) = self.by_expression.get(&key) {
            return Ok(Rc::clone(known));
        }
        let rows = Rc::new(NewestRows::read(index.newest(tx, &expression, MAX_READ)?, MAX_READ));
        self.by_expression.insert(key, Rc::clone(&rows));
        Ok(rows)
    }

    /// Returns the newest rows that match any of these words.
    pub(crate) fn of_any(
        &mut self,
        tx: &Transaction<'_>,
        index: &Index,
        words: &[String],
    ) -> Result<Rc<NewestRows>> {
        let mut any: Option<Rc<NewestRows>> = None;
        for word in words {
            let rows = self.of_word(tx, index, word)?;
            any = Some(any.map_or_else(|| Rc::clone(&rows), |any| Rc::new(any.or(&rows))));
        }
        Ok(any.unwrap_or_else(|| Rc::new(NewestRows::read(Vec::new(), MAX_READ))))
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
        let read = |word: &String| self.by_expression.get(&index.expression(&of_one(word)));
        let all: Option<Vec<&Rc<NewestRows>>> = words.iter().map(read).collect();
        let any = all.unwrap_or_default().into_iter().cloned().reduce(|any, rows| Rc::new(any.or(&rows)));
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

/// The expression that matches one word, or the beginning of a word.
fn of_one(word: &str) -> String {
    tokenizer::any_of(&[word.to_owned()])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use limbic_protocol::SplitMix64;

    use super::*;

    /// Rows that match with a probability of one in this many, all of them and the newest.
    fn some(random: &mut SplitMix64, one_in: usize, limit: usize) -> (BTreeSet<i64>, NewestRows) {
        let all: BTreeSet<i64> = (1..=100).filter(|_| random.below(one_in) == 0).collect();
        let newest: Vec<i64> = all.iter().rev().take(limit).copied().collect();
        (all, NewestRows::read(newest, limit))
    }

    #[test]
    fn what_is_known_of_the_newest_rows_holds_for_all() {
        let mut random = SplitMix64::new(1);
        let (mut known, mut unknown) = (0, 0);
        for _ in 0..500 {
            let [few, many] = [1, 2].map(|_| 1 + random.below(60));
            let (one, newest_of_one) = some(&mut random, 1 + few % 7, few);
            let (two, newest_of_two) = some(&mut random, 1 + many % 5, many);
            let cases = [
                (one.clone(), newest_of_one.clone()),
                (&one & &two, newest_of_one.and(&newest_of_two)),
                (&one | &two, newest_of_one.or(&newest_of_two)),
            ];
            for (all, newest) in cases {
                for number in [1, 10, 40, 70, 100] {
                    let row = i64::try_from(number).expect("it is small");
                    let told = [
                        newest.count(number).map(|count| (count, all.len().min(number))),
                        newest.count_after(row).map(|count| (count, all.range(row + 1..).count())),
                        newest.contains(row).map(|it| (usize::from(it), usize::from(all.contains(&row)))),
                    ];
                    for told in told {
                        match told {
                            Some((found, expected)) => {
                                assert_eq!(found, expected, "{number} of {all:?}, {newest:?}");
                                known += 1;
                            }
                            None => unknown += 1,
                        }
                    }
                }
            }
        }
        assert!(known > 5_000 && unknown > 1_000, "{known} {unknown}");
    }
}
