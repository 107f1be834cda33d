//! The lexical signal: BM25 over the words of entities, or of memories.

mod coverage;
mod document_frequency;
mod word_rows;

use std::{collections::HashSet, rc::Rc};

use crate::{
    Result, Transaction,
    model::tokenizer,
    store::full_text::{Index, TextHit},
};
pub(crate) use coverage::{Coverage, coverage};
use document_frequency::{Word, rarest_first};
pub(crate) use word_rows::WordRows;
use word_rows::{NewestRows, SCORED};

/// Rare words are used until at least this many rows match one of them.
const MATCHED: usize = 500;

/// Returns the `limit` rows that BM25 ranks first for any of the query's content words: best first, then by row number.
/// `read` has the rows of words that this search has read.
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
    let any = tokenizer::any_of(&words);
    let many = SCORED.max(limit).saturating_add(1);
    let rows = read.of_any(tx, index, &words)?;
    let matching = count(tx, index, &any, &rows, many)?;
    let mut hits = if matching < many {
        scored(tx, index, &any, limit)?
    } else {
        best_of_many(tx, index, words, limit, read)?
    };
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
    hits.truncate(limit);
    Ok(hits)
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
    let enough = MATCHED.max(limit);
    let many = SCORED.max(limit).saturating_add(1);
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
    let mut hits = some_of_many(tx, index, &any_of(&rare), &without(&rare), (enough, limit))?;
    if let Some(common) = common {
        let narrow = narrowed(tx, index, common, left, enough, read)?;
        let others = without(&narrow.words);
        let seen: HashSet<i64> = hits.iter().map(|hit| hit.row).collect();
        let more = some_of_many(tx, index, &narrow.expression, &others, (enough, limit))?;
        hits.extend(more.into_iter().filter(|hit| !seen.contains(&hit.row)));
    }
    Ok(hits)
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

/// An FTS5 expression, and its words.
struct Narrow {
    expression: String,
    words: Vec<String>,
}

/// Returns an expression for a common word, combined with other words until few rows match.
fn narrowed(
    tx: &Transaction<'_>,
    index: &Index,
    common: String,
    others: impl Iterator<Item = Word>,
    enough: usize,
    read: &mut WordRows,
) -> Result<Narrow> {
    let many = SCORED.max(enough).saturating_add(1);
    let mut rows = read.of_word(tx, index, &common)?;
    let mut narrow = Narrow { expression: any_of(std::slice::from_ref(&common)), words: vec![common] };
    let mut some = Vec::new();
    for other in others {
        some.push(other.text);
        let expression = with_any(&narrow.expression, &some);
        let any = read.of_any(tx, index, &some)?;
        let narrower = Rc::new(rows.and(&any));
        if count(tx, index, &expression, &narrower, enough)? >= enough {
            let is_many = count(tx, index, &expression, &narrower, many)? >= many;
            narrow.expression = expression;
            rows = narrower;
            narrow.words.append(&mut some);
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
    narrow: &str,
    others: &[String],
    (enough, limit): (usize, usize),
) -> Result<Vec<TextHit>> {
    if narrow.is_empty() {
        return Ok(Vec::new());
    }
    if others.is_empty() {
        return scored(tx, index, narrow, limit);
    }
    let mut hits = scored(tx, index, &with_any(narrow, others), enough)?;
    if hits.len() < enough {
        // These are all rows with other words, so for the remaining rows the other words add nothing to the score.
        let seen: HashSet<i64> = hits.iter().map(|hit| hit.row).collect();
        let rest = scored(tx, index, narrow, limit.saturating_add(hits.len()))?;
        hits.extend(rest.into_iter().filter(|hit| !seen.contains(&hit.row)));
    }
    Ok(hits)
}

fn with_any(expression: &str, words: &[String]) -> String {
    format!("{expression} AND {}", any_of(words))
}

/// Returns a subexpression for any of the words; empty without words.
fn any_of(words: &[String]) -> String {
    if words.is_empty() { String::new() } else { format!("({})", tokenizer::any_of(words)) }
}

/// Returns the `limit` best rows that match an expression, scored by its words.
fn scored(tx: &Transaction<'_>, index: &Index, expression: &str, limit: usize) -> Result<Vec<TextHit>> {
    index.best(tx, expression, limit, SCORED.max(limit))
}
