//! Candidates for a query, with their lexical and vector signals.
//!
//! If an index shows that a filter admits few memories, all of them are listed and compared. Otherwise the nearest
//! memories are found without the filter and then tested. If too few remain, more are tested, and finally all admitted
//! memories are listed.

use std::collections::BTreeMap;

use limbic_protocol::TextKind;

use super::{MemoryQuery, Phrasing, Ranking};
use crate::{
    Result, Transaction,
    search::{
        VectorCache,
        fusion::{self, Relevance},
        late::{Answers, LateQuery},
        lexical::{self, Coverage},
        signals::{Kind, LateScore, Signals},
    },
    store::{
        full_text::Index,
        memories::{self, FilterEvaluator},
        vectors::embeddings,
    },
};

/// Minimum number of candidates from each of words and vectors.
const POOL: usize = 100;

/// The filter must admit at least one in this many of the tested memories.
const ENOUGH: usize = 2;

/// The factor by which the test is widened when the filter admits too few.
const WIDER: usize = 8;

/// The factor of the last widening, before all admitted memories are listed.
const WIDEST: usize = 32;

/// The number of matching rows that are tested at once.
const AT_ONCE: usize = 200;

/// Maximum contribution of BM25.
const WORDS_WEIGHT: f64 = 0.1;

/// Candidates for a phrasing, with their signals.
pub struct Candidates<'a> {
    phrasing: Phrasing<'a>,
    /// By number.
    pub signals: BTreeMap<i64, Signals>,
    question: Option<LateQuery>,
    /// Coverage of the query by their words, by number; known only without vectors.
    coverage: BTreeMap<i64, Coverage>,
}

impl<'a> Candidates<'a> {
    /// Returns the memories found by words and vectors.
    pub fn find(
        tx: &Transaction<'_>,
        vectors: &mut VectorCache,
        query: MemoryQuery<'_>,
        phrasing: Phrasing<'a>,
        evaluator: &mut FilterEvaluator,
    ) -> Result<Self> {
        let pool = POOL.max(query.limit.saturating_mul(3));
        let mut found =
            Self { phrasing, signals: BTreeMap::new(), question: None, coverage: BTreeMap::new() };
        if evaluator.is_few() && evaluator.all(tx)?.is_empty() {
            return Ok(found);
        }
        if let Some((_, tokens)) = phrasing.encoding {
            found.question = Some(LateQuery::new(tx, TextKind::Memory, tokens)?);
        }
        let matching = with_words(tx, query, phrasing, pool, evaluator)?;
        for Matching { number, score, .. } in &matching {
            let signals = Signals { id: *number, lexical: Some(*score), ..Signals::default() };
            found.signals.insert(*number, signals);
        }
        if let Some((vector, _)) = phrasing.encoding {
            for number in nearest(tx, vectors, vector, pool, evaluator)? {
                found.signals.entry(number).or_insert(Signals { id: number, ..Signals::default() });
            }
            // If few memories are admitted, those without an embedding are candidates as well.
            for number in without_vector(vectors, evaluator, pool) {
                found.signals.entry(number).or_insert(Signals { id: number, ..Signals::default() });
            }
        }
        let numbers: Vec<i64> = found.signals.keys().copied().collect();
        numbers.into_iter().try_for_each(|number| found.add(tx, vectors, number))?;
        if !found.have_vectors() {
            let rows: Vec<i64> = matching.iter().map(|matching| matching.row).collect();
            let covered = lexical::coverage(tx, &Index::of_memories(), phrasing.text, &rows)?;
            let of_number = |Matching { row, number, .. }: &Matching| Some((*number, *covered.get(row)?));
            found.coverage = matching.iter().filter_map(of_number).collect();
        }
        Ok(found)
    }

    /// Whether any candidate has a vector.
    pub fn have_vectors(&self) -> bool {
        self.signals.values().any(|signals| signals.cosine.is_some() || signals.late.is_some())
    }

    /// Returns the signals and the relevance of each candidate; without vectors, the relevance is the coverage.
    pub fn weighed(&self, ranking: Ranking) -> (Vec<Signals>, Vec<Relevance>) {
        let signals: Vec<Signals> = self.signals.values().copied().collect();
        let mut relevance = fusion::relevance(&signals, Kind::default(), ranking);
        if matches!(ranking, Ranking::Fusion | Ranking::Limbic) && !self.have_vectors() {
            for (signals, relevance) in signals.iter().zip(&mut relevance) {
                let share = self.coverage.get(&signals.id).map_or(0.0, |coverage| coverage.share);
                *relevance = Relevance { base: share, lexical: share, ..*relevance };
            }
        }
        (signals, relevance)
    }

    /// Whether a candidate's words cover at least this share of the query, and two of its words if it has as many.
    pub fn cover(&self, least: f64) -> bool {
        self.coverage.values().any(|coverage| coverage.share >= least && coverage.words >= coverage.of.min(2))
    }

    /// Adds a memory, or the vector signals of one that was added before.
    pub fn add(&mut self, tx: &Transaction<'_>, vectors: &VectorCache, number: i64) -> Result<()> {
        let signals = self.signals.entry(number).or_insert(Signals { id: number, ..Signals::default() });
        if let (Some((vector, _)), Some(question)) = (self.phrasing.encoding, &self.question) {
            signals.cosine = vectors.cosine(vector, number);
            signals.late =
                answers(tx, question, number)?.map(|answers| LateScore::alone(question.score(&answers)));
        }
        Ok(())
    }
}

/// A candidate with the signals of the phrasing that it matches best.
#[derive(Debug, Clone, Copy)]
pub struct Matched {
    /// Its signals.
    pub signals: Signals,
    /// Its relevance.
    pub relevance: Relevance,
    /// The contribution of BM25, relative to the highest.
    pub words_share: f64,
    /// Index of the phrasing.
    pub phrasing: usize,
    /// The highest relevance for any phrasing: that of another one if its words count for more.
    pub highest: f64,
}

/// Returns the candidates of all phrasings, by number.
pub fn matched(found: &[Candidates<'_>], ranking: Ranking) -> Vec<Matched> {
    let mut best: BTreeMap<i64, Matched> = BTreeMap::new();
    for (phrasing, candidates) in found.iter().enumerate() {
        let (signals, relevance) = candidates.weighed(ranking);
        let most_words = signals.iter().filter_map(|signals| signals.lexical).fold(0.0, f64::max);
        for (signals, relevance) in signals.into_iter().zip(relevance) {
            let words = signals.lexical.filter(|_| most_words > 0.0).map_or(0.0, |words| words / most_words);
            let words_share = WORDS_WEIGHT * words;
            let one = Matched { signals, relevance, words_share, phrasing, highest: relevance.base };
            let sum = |one: &Matched| one.relevance.base + one.words_share;
            let known = best.entry(signals.id).or_insert(one);
            let highest = known.highest.max(one.highest);
            if sum(&one) > sum(known) {
                *known = one;
            }
            known.highest = highest;
        }
    }
    best.into_values().collect()
}

/// Returns the best matches of the query's tokens in a memory; `None` without an embedding.
fn answers(tx: &Transaction<'_>, question: &LateQuery, number: i64) -> Result<Option<Answers>> {
    let found = embeddings::with_tokens(tx, TextKind::Memory, number, |blob| question.answers(blob))?;
    Ok(found.flatten())
}

/// A memory that contains a word of the query.
#[derive(Debug, Clone, Copy)]
struct Matching {
    /// Its row in the full-text table.
    row: i64,
    number: i64,
    /// BM25.
    score: f64,
}

/// Returns the admitted memories that BM25 ranks first for any of the query's content words.
fn with_words(
    tx: &Transaction<'_>,
    query: MemoryQuery<'_>,
    phrasing: Phrasing<'_>,
    pool: usize,
    evaluator: &mut FilterEvaluator,
) -> Result<Vec<Matching>> {
    let in_domain = || query.filter.domain.map_or_else(Index::of_memories, Index::of_memories_in);
    let index = if evaluator.is_few_of_domain() { in_domain() } else { Index::of_memories() };
    let mut steps = vec![(index.clone(), pool), (index, pool.saturating_mul(WIDER))];
    // Hardly any of the best rows would be among the few admitted ones.
    if evaluator.is_few() && !evaluator.is_few_of_domain() {
        steps.remove(0);
    }
    // If vectors can be compared, words need not find every match.
    if phrasing.encoding.is_none() {
        steps.push((in_domain(), usize::MAX >> 1));
    }
    let mut admitted = Vec::new();
    for (index, limit) in steps {
        let hits = lexical::best(tx, &index, phrasing.text, limit)?;
        admitted.clear();
        for some in hits.chunks(AT_ONCE) {
            let rows: Vec<i64> = some.iter().map(|(row, _)| *row).collect();
            let numbers = evaluator.in_text_rows(tx, &rows)?;
            admitted.extend(some.iter().filter_map(|(row, score)| {
                Some(Matching { row: *row, number: *numbers.get(row)?, score: *score })
            }));
            if admitted.len() >= pool {
                admitted.truncate(pool);
                return Ok(admitted);
            }
        }
        if hits.len() < limit || admitted.len() >= pool / ENOUGH {
            break;
        }
    }
    Ok(admitted)
}

/// Returns the admitted memories whose sentence vectors are nearest to the query's. Deleted memories are removed from
/// the cached vectors.
fn nearest(
    tx: &Transaction<'_>,
    vectors: &mut VectorCache,
    vector: &[f32],
    pool: usize,
    evaluator: &mut FilterEvaluator,
) -> Result<Vec<i64>> {
    if evaluator.is_few() {
        return Ok(numbers(vectors.nearest_of(vector, pool, evaluator.all(tx)?.iter().copied())));
    }
    let [wider, widest] = [pool.saturating_mul(WIDER), pool.saturating_mul(WIDEST)];
    for limit in [pool, wider, widest] {
        let near = numbers(vectors.nearest(vector, limit, |_| true));
        evaluator.test(tx, &near)?;
        let mut admitted = Vec::new();
        let mut shut_out = Vec::new();
        for number in &near {
            if evaluator.admits(tx, *number)? { &mut admitted } else { &mut shut_out }.push(*number);
        }
        memories::gone(tx, &shut_out)?.into_iter().for_each(|number| vectors.remove(number));
        if admitted.len() >= pool / ENOUGH || near.len() < limit {
            admitted.truncate(pool);
            return Ok(admitted);
        }
        // If none of so many is admitted, hardly any of the next ones are.
        if admitted.is_empty() && limit == wider {
            break;
        }
    }
    let all = evaluator.all(tx)?;
    Ok(numbers(vectors.nearest(vector, pool, |number| all.contains(&number))))
}

/// Returns the newest admitted memories without a vector, if few memories are admitted.
fn without_vector(vectors: &VectorCache, evaluator: &FilterEvaluator, limit: usize) -> Vec<i64> {
    let mut found: Vec<i64> = evaluator.known_few().filter(|number| !vectors.holds(*number)).collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.truncate(limit);
    found
}

fn numbers(near: Vec<(i64, f64)>) -> Vec<i64> {
    near.into_iter().map(|(number, _)| number).collect()
}
