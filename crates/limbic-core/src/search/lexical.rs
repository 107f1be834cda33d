//! The lexical signal: BM25 over the words of entities, or of memories.

mod coverage;
mod document_frequency;
mod newest_rows;
mod word_rows;
mod word_scores;

use std::sync::Arc;

use crate::{
    Result, Transaction,
    model::{row_map::RowSet, tokenizer},
    store::full_text::{Index, TextHit},
};
pub(crate) use coverage::{Coverage, coverage};
use document_frequency::{Word, rarest_first};
use newest_rows::NewestRows;
use word_rows::MAX_SCORED;
pub(crate) use word_rows::WordRows;

/// Rare words are used until at least this many rows match one of them.
const MIN_MATCHES: usize = 500;

/// Returns the `limit` rows that BM25 ranks first for any of the query's content words: best first, then by row number.
/// `read` has the rows of words that this search and earlier ones have read.
pub(crate) fn best(
    tx: &Transaction<'_>,
    index: &Index,
    query: &str,
    limit: usize,
    read: &mut WordRows,
) -> Result<Vec<TextHit>> {
    let mut words = tokenizer::search_terms(query);
    if words.is_empty() {
        return Ok(Vec::new());
    }
    if index.is_part() {
        words = document_frequency::selective(tx, index, words, read)?;
    }
    let many = MAX_SCORED.max(limit).saturating_add(1);
    let mut hits = match any_of_few(tx, index, &words, many, read)? {
        Some(any) => any.scored(tx, index, limit, read)?,
        None => best_of_many(tx, index, words, limit, read)?,
    };
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
    hits.truncate(limit);
    Ok(hits)
}

/// Returns the expression for any of the words; `None` if `many` rows or more match it.
fn any_of_few(
    tx: &Transaction<'_>,
    index: &Index,
    words: &[String],
    many: usize,
    read: &mut WordRows,
) -> Result<Option<Expression>> {
    // A common word is enough to know this without merging the rows of all words.
    for word in words {
        if read.of_word(tx, index, word)?.count(many) == Some(many) {
            return Ok(None);
        }
    }
    let any = Expression::any_of(tx, index, words, read)?;
    Ok(if any.count(tx, index, many)? < many { Some(any) } else { None })
}

/// Returns the best of many matching rows: among those that match a rare word and, if these are too few, among those
/// that match the next rarest word together with as many other words as needed to limit their number.
fn best_of_many(
    tx: &Transaction<'_>,
    index: &Index,
    words: Vec<String>,
    limit: usize,
    read: &mut WordRows,
) -> Result<Vec<TextHit>> {
    let enough = MIN_MATCHES.max(limit);
    let many = MAX_SCORED.max(limit).saturating_add(1);
    let mut left = rarest_first(tx, index, words, enough, read)?.into_iter();
    let all: Vec<String> = left.clone().map(|word| word.text).collect();
    let (mut rare, mut matched, mut common) = (Vec::new(), 0, None);
    while matched < enough
        && common.is_none()
        && let Some(word) = left.next()
    {
        if matched + word.rows < many {
            matched += word.rows;
            rare.push(word.text);
        } else {
            common = Some(word.text);
        }
    }
    let without =
        |words: &[String]| all.iter().filter(|word| !words.contains(word)).cloned().collect::<Vec<_>>();
    let mut hits = Vec::new();
    if !rare.is_empty() {
        let any = Expression::any_of(tx, index, &rare, read)?;
        hits = some_of_many(tx, index, &any, &without(&rare), (enough, limit), read)?;
    }
    if let Some(common) = common {
        let narrow = narrowed(tx, index, common, left, enough, read)?;
        let others = without(&narrow.words);
        let seen: RowSet = hits.iter().map(|hit| hit.row).collect();
        let more = some_of_many(tx, index, &narrow, &others, (enough, limit), read)?;
        hits.extend(more.into_iter().filter(|hit| !seen.contains(&hit.row)));
    }
    Ok(hits)
}

/// An FTS5 expression.
struct Expression {
    text: String,
    /// Its words, in the order of the text.
    words: Vec<String>,
    /// The newest rows that match it.
    rows: Arc<NewestRows>,
}

impl Expression {
    /// Any of the words.
    fn any_of(tx: &Transaction<'_>, index: &Index, words: &[String], read: &mut WordRows) -> Result<Self> {
        Ok(Self {
            text: format!("({})", tokenizer::any_of(words)),
            words: words.to_vec(),
            rows: read.of_any(tx, index, words)?,
        })
    }

    /// This expression together with another one.
    fn and(&self, other: Self) -> Self {
        Self {
            text: format!("{} AND {}", self.text, other.text),
            rows: Arc::new(self.rows.and(&other.rows)),
            words: self.words.iter().cloned().chain(other.words).collect(),
        }
    }

    /// Returns the number of matching rows, or the limit if there are more.
    fn count(&self, tx: &Transaction<'_>, index: &Index, limit: usize) -> Result<usize> {
        count(tx, index, &self.text, &self.rows, limit)
    }

    /// Returns the `limit` best rows, scored by its words.
    fn scored(
        &self,
        tx: &Transaction<'_>,
        index: &Index,
        limit: usize,
        read: &mut WordRows,
    ) -> Result<Vec<TextHit>> {
        let scored = MAX_SCORED.max(limit);
        if let Some(rows) = self.rows.newest(scored)
            && let Some(scores) = read.scores(tx, index, &self.words)?
        {
            return Ok(word_scores::best(rows, scores.iter().map(Arc::as_ref), limit));
        }
        index.best(tx, &self.text, limit, scored)
    }
}

/// Returns the number of rows that match an expression, whose newest rows are known, or the limit if there are more.
fn count(
    tx: &Transaction<'_>,
    index: &Index,
    expression: &str,
    newest: &NewestRows,
    limit: usize,
) -> Result<usize> {
    newest.count(limit).map_or_else(|| index.count(tx, expression, limit), Ok)
}

/// Returns an expression for a common word, combined with other words until few rows match.
fn narrowed(
    tx: &Transaction<'_>,
    index: &Index,
    common: String,
    others: impl Iterator<Item = Word>,
    enough: usize,
    read: &mut WordRows,
) -> Result<Expression> {
    let many = MAX_SCORED.max(enough).saturating_add(1);
    let mut narrow = Expression::any_of(tx, index, &[common], read)?;
    let mut some = Vec::new();
    for other in others {
        some.push(other.text);
        let narrower = narrow.and(Expression::any_of(tx, index, &some, read)?);
        if narrower.count(tx, index, enough)? >= enough {
            let is_many = narrower.count(tx, index, many)? >= many;
            narrow = narrower;
            some.clear();
            if !is_many {
                break;
            }
        }
    }
    Ok(narrow)
}

/// Returns the best rows that match a narrowed expression, scored by other words as well.
fn some_of_many(
    tx: &Transaction<'_>,
    index: &Index,
    narrow: &Expression,
    others: &[String],
    (enough, limit): (usize, usize),
    read: &mut WordRows,
) -> Result<Vec<TextHit>> {
    if others.is_empty() {
        return narrow.scored(tx, index, limit, read);
    }
    let with_others = narrow.and(Expression::any_of(tx, index, others, read)?);
    let mut hits = with_others.scored(tx, index, enough, read)?;
    if hits.len() < enough {
        // These are all rows with other words, so for the remaining rows the other words add nothing to the score.
        let seen: RowSet = hits.iter().map(|hit| hit.row).collect();
        let rest = narrow.scored(tx, index, limit.saturating_add(hits.len()), read)?;
        hits.extend(rest.into_iter().filter(|hit| !seen.contains(&hit.row)));
    }
    Ok(hits)
}

#[cfg(test)]
mod tests {
    use limbic_protocol::SplitMix64;
    use rusqlite::{Connection, params};

    use super::*;

    /// Words, and in one of how many memories they occur. Of the first, no scores are kept.
    const WORDS: [(&str, usize); 6] =
        [("tea", 1), ("harbour", 2), ("permits", 4), ("brakes", 5), ("glacier", 40), ("vineyard", 400)];

    /// Queries, and how many results are wanted.
    const QUERIES: [(&str, usize); 7] = [
        ("glacier vineyard", usize::MAX >> 1),
        ("harbour permits glacier", 100),
        ("tea harbour permits brakes", 800),
        ("harbour permits brakes", 10),
        ("tea", 100),
        ("vineyard water", usize::MAX >> 1),
        ("¿Dónde está el vineyard y las brakes?", 100),
    ];

    fn table() -> Result<Connection> {
        let db = Connection::open_in_memory()?;
        db.execute_batch(
            "CREATE VIRTUAL TABLE memory_content_fts USING fts5(
                id, content, content_summary, path, tags, domain, tokenize = 'porter unicode61');
             INSERT INTO memory_content_fts(memory_content_fts, rank) VALUES ('secure-delete', 1);",
        )?;
        Ok(db)
    }

    fn text(random: &mut SplitMix64) -> String {
        let words = WORDS.iter().filter(|(_, one_in)| random.index(*one_in) == 0).collect::<Vec<_>>();
        let repeated = words.into_iter().flat_map(|(word, _)| vec![*word; 1 + random.index(3)]);
        repeated.collect::<Vec<_>>().join(" ") + &" other".repeat(random.index(20))
    }

    fn insert(db: &Connection, random: &mut SplitMix64, count: usize) -> Result<()> {
        let mut statement = db.prepare(
            "INSERT INTO memory_content_fts(id, content, content_summary, path, domain) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for _ in 0..count {
            let summary = if random.index(3) == 0 { "harbour brakes" } else { "" };
            let domain = if random.index(3) == 0 { "north" } else { "south" };
            statement.execute(params!["id", text(random), summary, "/glacier", domain])?;
        }
        Ok(())
    }

    /// Searches with kept rows and scores, and without.
    fn compare(db: &mut Connection, kept: &mut WordRows) -> Result<()> {
        let transaction = db.transaction()?;
        let tx = Transaction::new(&transaction, 0);
        for index in [Index::of_memories().with_labels(), Index::of_memories_in("north")] {
            for (query, limit) in QUERIES {
                kept.refresh(&tx, &index)?;
                let expected = best(&tx, &index, query, limit, &mut WordRows::default())?;
                assert_eq!(best(&tx, &index, query, limit, kept)?, expected, "{query}");
                let rows: Vec<i64> = expected.iter().map(|hit| hit.row).collect();
                let covered = coverage(&tx, &index, query, &rows, &mut WordRows::default())?;
                assert_eq!(coverage(&tx, &index, query, &rows, kept)?, covered, "{query}");
            }
        }
        Ok(())
    }

    #[test]
    fn kept_scores_give_the_same_results_after_every_change() -> Result<()> {
        let mut db = table()?;
        let mut random = SplitMix64::new(1);
        let mut kept = WordRows::default();
        db.execute_batch("BEGIN")?;
        insert(&db, &mut random, 8_500)?;
        db.execute_batch("COMMIT")?;
        for _ in 0..2 {
            compare(&mut db, &mut kept)?;
        }
        for change in [
            "UPDATE memory_content_fts SET tags = 'vineyard' WHERE rowid % 900 = 1",
            "DELETE FROM memory_content_fts WHERE rowid % 7 = 1",
            "UPDATE memory_content_fts SET content = 'brakes', id = 'other' WHERE rowid = 8500",
            "UPDATE memory_content_fts SET content = 'glacier', id = 'brake' WHERE rowid = 8500",
            "DELETE FROM memory_content_fts WHERE rowid = 8500",
        ] {
            db.execute_batch(change)?;
            compare(&mut db, &mut kept)?;
        }
        insert(&db, &mut random, 1)?;
        compare(&mut db, &mut kept)
    }

    #[test]
    fn sums_of_scores_of_words_are_the_scores_of_fts5() -> Result<()> {
        let mut db = table()?;
        insert(&db, &mut SplitMix64::new(2), 1_000)?;
        let transaction = db.transaction()?;
        let tx = Transaction::new(&transaction, 0);
        let index = Index::of_memories().with_labels();
        let mut read = WordRows::default();
        // In the second search, the scores of all words are read.
        for _ in 0..2 {
            read.refresh(&tx, &index)?;
            for (one, two) in [(0, 1), (1, 3), (2, 5), (3, 4)] {
                let [one, two] = [one, two].map(|number: usize| WORDS[number].0.to_owned());
                let any =
                    Expression::any_of(&tx, &index, &[one.clone(), two.clone(), "absent".into()], &mut read)?;
                let [one, two] = [one, two].map(|word| Expression::any_of(&tx, &index, &[word], &mut read));
                for expression in [any, one?.and(two?)] {
                    let expected = index.best(&tx, &expression.text, 50, MAX_SCORED)?;
                    assert_eq!(
                        expression.scored(&tx, &index, 50, &mut read)?,
                        expected,
                        "{}",
                        expression.text
                    );
                }
            }
        }
        assert!(read.scores(&tx, &index, &["tea".into(), "brakes".into()])?.is_some());
        Ok(())
    }
}
