//! Chunks by their words: BM25, and what stands in for it where no word of a query is informative.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params};

use super::chunks::{self, ChunkFilter, FITS};
use crate::{
    Result, Transaction,
    model::{numbers::round, tokenizer},
};

/// The BM25 weights of name, scope, path and body.
const WEIGHTS: &str = "4.0, 2.0, 2.0, 1.0";

/// Number of samples of chunks, evenly spread over their numbers, that estimate how common a word is.
const SAMPLES: u16 = 16;
/// Number of chunks of a sample.
const SAMPLE: u16 = 256;

/// The IDF that FTS5 gives to a word of more than half of all rows, in place of a negative one.
const MIN_IDF: f64 = 1e-6;

/// The chunks of a range of numbers that match an expression.
const IN_RANGE: &str = "SELECT rowid FROM chunk_words WHERE chunk_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3";

/// A word in the names of more chunks than this does not distinguish them.
const MAX_NAMED: usize = 4_096;

/// Number of chunks that are looked up to find enough that fit a filter, before all that do are listed.
const MAX_TRIED: usize = 1_000;

/// The words of a query that count.
enum Words {
    /// Those that FTS5 may give a weight: all of them are scored.
    Informative(Vec<String>),
    /// Each is in at least three fifths of the sampled chunks, and has the numbers of those that contain it.
    Common(Vec<(String, Vec<i64>)>),
}

/// The `limit` chunks that BM25 ranks first for any of the words, best first. Scores are positive, rounded to six
/// digits; of chunks with the same score, the first by path and line. Where every word is in at least three fifths of
/// the sampled chunks, see [`of_common_words`].
pub(crate) fn with_words(
    tx: &Transaction<'_>,
    words: &[String],
    filter: &ChunkFilter,
    limit: usize,
) -> Result<Vec<(i64, f64)>> {
    let words = match counting_words(tx, words)? {
        Words::Informative(words) if words.is_empty() => return Ok(Vec::new()),
        Words::Informative(words) => words,
        Words::Common(words) => return of_common_words(tx, &words, filter, limit),
    };
    // Common words match most chunks: only the best ones are looked up, until there are enough that fit.
    let mut ranked: Vec<(i64, f64)> = {
        let mut statement = tx.prepare_cached(&format!(
            "SELECT rowid, -bm25(chunk_words, {WEIGHTS}) FROM chunk_words WHERE chunk_words MATCH ?1"
        ))?;
        let rows = statement
            .query_map([tokenizer::any_in_texts(&words)], |row| Ok((row.get(0)?, round(row.get(1)?, 6))))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut best = Fitting::new(tx, filter)?;
    for (number, score) in ranked {
        if best.found.len() >= limit && best.found.last().is_some_and(|(last, ..)| score < *last) {
            break;
        }
        best.add(number, score)?;
    }
    Ok(best.first(limit))
}

/// Chunks that fit a filter, with score, path, line and number.
struct Fitting<'a> {
    look_up: rusqlite::CachedStatement<'a>,
    filter: &'a ChunkFilter,
    found: Vec<(f64, String, u32, i64)>,
}

impl<'a> Fitting<'a> {
    fn new(tx: &'a Transaction<'_>, filter: &'a ChunkFilter) -> Result<Self> {
        let look_up = tx.prepare_cached(&format!(
            "SELECT c.file_path, c.start_line FROM code_chunks AS c CROSS JOIN code_files AS f ON f.id = c.file
             WHERE c.id = ?5 AND {FITS}"
        ))?;
        Ok(Self { look_up, filter, found: Vec::new() })
    }

    /// Adds a chunk if it fits.
    fn add(&mut self, number: i64, score: f64) -> Result<()> {
        let ChunkFilter { project, path_prefix, language, chunk_type } = self.filter;
        let fitting = self
            .look_up
            .query_row(params![project, path_prefix, language, chunk_type, number], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        self.found.extend(fitting.map(|(path, line)| (score, path, line, number)));
        Ok(())
    }

    /// The `limit` best ones; of those with the same score, the first by path and line.
    fn first(self, limit: usize) -> Vec<(i64, f64)> {
        let mut best = self.found;
        best.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (&a.1, a.2, a.3).cmp(&(&b.1, b.2, b.3))));
        best.truncate(limit);
        best.into_iter().map(|(score, _, _, number)| (number, score)).collect()
    }
}

/// The words without those that half of all chunks contain, if there are others: their BM25 weight is zero, and FTS5
/// would score every chunk for them. As `selective` of the search of entities and memories, but sampled everywhere: the
/// newest chunks are those of one project. In an index of few chunks, all words, and also where deleted chunks have
/// left so few in the samples that these show nothing.
///
/// A word counts as common without others if three fifths of the sampled chunks contain it: the samples may miss the
/// share of a word by a sixteenth, and one of just less than half of the chunks has a weight.
fn counting_words(tx: &Transaction<'_>, words: &[String]) -> Result<Words> {
    let (first, last): (i64, i64) = tx
        .prepare_cached(
            "SELECT coalesce((SELECT min(id) FROM code_chunks), 1), coalesce((SELECT max(id) FROM code_chunks), 0)",
        )?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if last - first < i64::from(SAMPLES) * i64::from(SAMPLE) {
        return Ok(Words::Informative(words.to_vec()));
    }
    let mut chunks = tx.prepare_cached("SELECT count(*) FROM code_chunks WHERE id BETWEEN ?1 AND ?2")?;
    let mut in_range = tx.prepare_cached(IN_RANGE)?;
    let samples = samples(first, last);
    let mut sampled: usize = 0;
    for (first, last) in &samples {
        sampled += chunks.query_row([first, last], |row| row.get::<_, usize>(0))?;
    }
    if sampled < usize::from(SAMPLES) * usize::from(SAMPLE) / 2 {
        return Ok(Words::Informative(words.to_vec()));
    }
    let mut found = Vec::with_capacity(words.len());
    for word in words {
        let expression = tokenizer::any_in_texts(std::slice::from_ref(word));
        let mut matching = Vec::new();
        for (first, last) in &samples {
            let rows = in_range.query_map(params![expression, first, last], |row| row.get::<_, i64>(0))?;
            for number in rows {
                matching.push(number?);
            }
        }
        found.push((word.clone(), matching));
    }
    let is_rarer = |(_, matching): &(String, Vec<i64>)| matching.len() < sampled / 2;
    let is_common = |(_, matching): &(String, Vec<i64>)| matching.len() >= sampled / 5 * 3;
    if !found.is_empty() && found.iter().all(is_common) {
        return Ok(Words::Common(found));
    }
    let rarer: Vec<String> = found.into_iter().filter(is_rarer).map(|(word, _)| word).collect();
    Ok(Words::Informative(if rarer.is_empty() { words.to_vec() } else { rarer }))
}

/// The first and last number of each sample of chunks, whose numbers are from `first` to `last`.
fn samples(first: i64, last: i64) -> Vec<(i64, i64)> {
    let distance = (last - first + 1) / i64::from(SAMPLES);
    let starts = (0..SAMPLES).map(|sample| first + distance * i64::from(sample));
    starts.map(|start| (start, start + i64::from(SAMPLE) - 1)).collect()
}

/// The `limit` best chunks for words of which each is in at least three fifths of the sampled chunks, and so in more
/// than half of all of them.
///
/// FTS5 computes the IDF of a word of `n` among `N` rows as `ln((N - n + 0.5) / (n + 0.5))`, and takes 1e-6 if that is
/// not positive. With rounded scores, all rows then have about the same one, and it takes a time that grows with the
/// index to compute it for each. Two kinds of chunks are considered instead: those with a word in their name, which
/// still distinguishes chunks where few names have it, and evenly spread samples of those that the filter admits,
/// because any chunk is as good as another. Each word of a chunk counts 1e-6, one of its name twice, as FTS5's weights
/// of columns do after rounding.
fn of_common_words(
    tx: &Transaction<'_>,
    words: &[(String, Vec<i64>)],
    filter: &ChunkFilter,
    limit: usize,
) -> Result<Vec<(i64, f64)>> {
    // Of most filters, enough samples of all chunks fit: those of the filter are listed only if they do not.
    let tried = if filter.admits_all() { usize::MAX } else { MAX_TRIED };
    let best = fitting(tx, with_common_words(tx, words, None)?.into_iter().take(tried), filter, limit)?;
    if filter.admits_all() || best.len() >= limit {
        return Ok(best);
    }
    let admitted = chunks::admitted(tx, filter)?;
    fitting(tx, with_common_words(tx, words, Some(&admitted))?, filter, limit)
}

/// The first `limit` of these chunks that fit a filter, with their scores.
fn fitting(
    tx: &Transaction<'_>,
    ranked: impl IntoIterator<Item = (i64, u32)>,
    filter: &ChunkFilter,
    limit: usize,
) -> Result<Vec<(i64, f64)>> {
    let mut best = Fitting::new(tx, filter)?;
    for (number, count) in ranked {
        if best.found.len() >= limit {
            break;
        }
        best.add(number, round(f64::from(count) * MIN_IDF, 6))?;
    }
    Ok(best.first(limit))
}

/// The chunks that are considered for [common words](of_common_words), best first, with how much their words count: of
/// all chunks, or of these, whose numbers are sorted.
fn with_common_words(
    tx: &Transaction<'_>,
    words: &[(String, Vec<i64>)],
    admitted: Option<&[i64]>,
) -> Result<Vec<(i64, u32)>> {
    let is_admitted = |number: &i64| admitted.is_none_or(|admitted| admitted.binary_search(number).is_ok());
    let (from, to) = match admitted {
        Some([]) => return Ok(Vec::new()),
        Some([only]) => (*only, *only),
        Some([first, .., last]) => (*first, *last),
        None => (i64::MIN, i64::MAX),
    };
    let all = u32::try_from(words.len()).unwrap_or(u32::MAX);
    let mut in_range = tx.prepare_cached(IN_RANGE)?;
    let (mut sampled, mut named): (BTreeMap<i64, u32>, BTreeMap<i64, u32>) = Default::default();
    for (word, in_samples) in words {
        let expression = tokenizer::any_in_texts(std::slice::from_ref(word));
        if let Some(admitted) = admitted {
            for (first, last) in runs(admitted) {
                let rows =
                    in_range.query_map(params![expression, first, last], |row| row.get::<_, i64>(0))?;
                for number in rows {
                    let number = number?;
                    if is_admitted(&number) {
                        *sampled.entry(number).or_default() += 1;
                    }
                }
            }
        } else {
            in_samples.iter().for_each(|number| *sampled.entry(*number).or_default() += 1);
        }
        let mut with_name = Vec::new();
        let rows = in_range
            .query_map(params![format!("{{name}} : ({expression})"), from, to], |row| row.get::<_, i64>(0))?;
        for number in rows {
            with_name.extend(Some(number?).filter(is_admitted));
            if with_name.len() > MAX_NAMED {
                with_name.clear();
                break;
            }
        }
        with_name.into_iter().for_each(|number| *named.entry(number).or_default() += 1);
    }
    // Outside of the samples a chunk is taken to have all words, as most have.
    for (number, names) in named {
        let count = sampled.get(&number).copied().unwrap_or(all).saturating_add(names);
        sampled.insert(number, count);
    }
    let mut ranked: Vec<(i64, u32)> = sampled.into_iter().collect();
    // Chunks of neighbouring numbers are of one file: those of one count are taken from everywhere.
    let spread = |number: i64| number.cast_unsigned().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ranked.sort_by_key(|(number, count)| (std::cmp::Reverse(*count), spread(*number)));
    Ok(ranked)
}

/// The first and last numbers of samples of these chunks, as many as those of all chunks: all of them if they are few.
fn runs(numbers: &[i64]) -> Vec<(i64, i64)> {
    let (samples, sample) = (usize::from(SAMPLES), usize::from(SAMPLE));
    let ends = |run: &[i64]| Some((*run.first()?, *run.last()?));
    if numbers.len() <= samples * sample {
        return ends(numbers).into_iter().collect();
    }
    let each = numbers.len() / samples;
    numbers.chunks_exact(each).take(samples).filter_map(|part| ends(&part[..sample])).collect()
}
