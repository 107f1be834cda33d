//! Which memories may answer a question, and what words and vectors say of each.
//!
//! A filter that an index answers with few memories is asked for all of them, and these are compared. Any other is not
//! asked about all memories: the nearest are taken without it and then tested. Where too few remain, more are taken,
//! and at last all that it lets in.

use std::collections::BTreeMap;

use limbic_protocol::TextKind;

use super::{MemoryQuery, Ranking};
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
        memories::{self, Admission},
        vectors::embeddings,
    },
};

/// The least number of candidates from each of words and vectors.
const POOL: usize = 100;

/// The filter must admit at least one in this many of the tested memories.
const ENOUGH: usize = 2;

/// The factor by which the test is widened when the filter admits too few.
const WIDER: usize = 8;

/// The factor of the last widening, before all admitted memories are listed.
const WIDEST: usize = 32;

/// The number of matching rows that are tested at once.
const AT_ONCE: usize = 200;

/// Candidates with what the signals say of them.
pub struct Candidates {
    /// By number.
    pub signals: BTreeMap<i64, Signals>,
    question: Option<LateQuery>,
    /// How much of the question their words cover, by number; known where no vectors were found.
    coverage: BTreeMap<i64, Coverage>,
}

impl Candidates {
    /// The memories that words and vectors find.
    pub fn find(
        tx: &Transaction<'_>,
        vectors: &mut VectorCache,
        query: MemoryQuery<'_>,
        admission: &mut Admission,
    ) -> Result<Self> {
        let pool = POOL.max(query.limit.saturating_mul(3));
        if admission.is_few() && admission.all(tx)?.is_empty() {
            return Ok(Self { signals: BTreeMap::new(), question: None, coverage: BTreeMap::new() });
        }
        let question = match query.encoding {
            Some((_, tokens)) => Some(LateQuery::new(tx, TextKind::Memory, tokens)?),
            None => None,
        };
        let mut found = Self { signals: BTreeMap::new(), question, coverage: BTreeMap::new() };
        let matching = with_words(tx, query, pool, admission)?;
        for Matching { number, score, .. } in &matching {
            let signals = Signals { id: *number, lexical: Some(*score), ..Signals::default() };
            found.signals.insert(*number, signals);
        }
        if let Some((vector, _)) = query.encoding {
            for number in nearest(tx, vectors, vector, pool, admission)? {
                found.signals.entry(number).or_insert(Signals { id: number, ..Signals::default() });
            }
            // What waits for its embedding is not left out where few are let in.
            for number in without_vector(vectors, admission, pool) {
                found.signals.entry(number).or_insert(Signals { id: number, ..Signals::default() });
            }
        }
        let numbers: Vec<i64> = found.signals.keys().copied().collect();
        numbers.into_iter().try_for_each(|number| found.add(tx, vectors, query, number))?;
        if !found.have_vectors() {
            let rows: Vec<i64> = matching.iter().map(|matching| matching.row).collect();
            let covered = lexical::coverage(tx, &Index::of_memories(), query.text, &rows)?;
            let of_number = |Matching { row, number, .. }: &Matching| Some((*number, *covered.get(row)?));
            found.coverage = matching.iter().filter_map(of_number).collect();
        }
        Ok(found)
    }

    /// Whether any of them can be compared by vectors.
    pub fn have_vectors(&self) -> bool {
        self.signals.values().any(|signals| signals.cosine.is_some() || signals.late.is_some())
    }

    /// What the signals say of each, and how relevant that makes it: where there are no vectors, as relevant as its words
    /// cover the question.
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

    /// Whether the words of one cover at least such a share of the question, and two of its words if it has as many.
    pub fn cover(&self, least: f64) -> bool {
        self.coverage.values().any(|coverage| coverage.share >= least && coverage.words >= coverage.of.min(2))
    }

    /// Adds a memory, or to one that is there what its vectors say.
    pub fn add(
        &mut self,
        tx: &Transaction<'_>,
        vectors: &VectorCache,
        query: MemoryQuery<'_>,
        number: i64,
    ) -> Result<()> {
        let signals = self.signals.entry(number).or_insert(Signals { id: number, ..Signals::default() });
        if let (Some((vector, _)), Some(question)) = (query.encoding, &self.question) {
            signals.cosine = vectors.cosine(vector, number);
            signals.late =
                answers(tx, question, number)?.map(|answers| LateScore::alone(question.score(&answers)));
        }
        Ok(())
    }
}

/// How well a memory's tokens answer the question; nothing while it waits for its embedding.
fn answers(tx: &Transaction<'_>, question: &LateQuery, number: i64) -> Result<Option<Answers>> {
    let found = embeddings::with_tokens(tx, TextKind::Memory, number, |blob| question.answers(blob))?;
    Ok(found.flatten())
}

/// A memory with a word of the question.
#[derive(Debug, Clone, Copy)]
struct Matching {
    /// Its row in the full-text table.
    row: i64,
    number: i64,
    /// BM25.
    score: f64,
}

/// The admitted memories that BM25 ranks first for any of the question's content words.
fn with_words(
    tx: &Transaction<'_>,
    query: MemoryQuery<'_>,
    pool: usize,
    admission: &mut Admission,
) -> Result<Vec<Matching>> {
    let in_domain = || query.filter.domain.map_or_else(Index::of_memories, Index::of_memories_in);
    let index = if admission.is_few_of_domain() { in_domain() } else { Index::of_memories() };
    let mut steps = vec![(index.clone(), pool), (index, pool.saturating_mul(WIDER))];
    // Of the first, hardly any would be among few.
    if admission.is_few() && !admission.is_few_of_domain() {
        steps.remove(0);
    }
    // Where vectors can be compared, words need not find everything.
    if query.encoding.is_none() {
        steps.push((in_domain(), usize::MAX >> 1));
    }
    let mut admitted = Vec::new();
    for (index, limit) in steps {
        let hits = lexical::best(tx, &index, query.text, limit)?;
        admitted.clear();
        for some in hits.chunks(AT_ONCE) {
            let rows: Vec<i64> = some.iter().map(|(row, _)| *row).collect();
            let numbers = admission.in_text_rows(tx, &rows)?;
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

/// The admitted memories whose sentence vectors are nearest to the question's. Those that are gone are taken out of the
/// vectors.
fn nearest(
    tx: &Transaction<'_>,
    vectors: &mut VectorCache,
    vector: &[f32],
    pool: usize,
    admission: &mut Admission,
) -> Result<Vec<i64>> {
    if admission.is_few() {
        return Ok(numbers(vectors.nearest_of(vector, pool, admission.all(tx)?.iter().copied())));
    }
    let [wider, widest] = [pool.saturating_mul(WIDER), pool.saturating_mul(WIDEST)];
    for limit in [pool, wider, widest] {
        let near = numbers(vectors.nearest(vector, limit, |_| true));
        admission.test(tx, &near)?;
        let mut admitted = Vec::new();
        let mut shut_out = Vec::new();
        for number in &near {
            if admission.admits(tx, *number)? { &mut admitted } else { &mut shut_out }.push(*number);
        }
        memories::gone(tx, &shut_out)?.into_iter().for_each(|number| vectors.remove(number));
        if admitted.len() >= pool / ENOUGH || near.len() < limit {
            admitted.truncate(pool);
            return Ok(admitted);
        }
        // Where none of so many is let in, hardly any of the next are.
        if admitted.is_empty() && limit == wider {
            break;
        }
    }
    let all = admission.all(tx)?;
    Ok(numbers(vectors.nearest(vector, pool, |number| all.contains(&number))))
}

/// Of the few that are let in, if they are few, the newest that have no vector.
fn without_vector(vectors: &VectorCache, admission: &Admission, limit: usize) -> Vec<i64> {
    let mut found: Vec<i64> = admission.known_few().filter(|number| !vectors.holds(*number)).collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.truncate(limit);
    found
}

fn numbers(near: Vec<(i64, f64)>) -> Vec<i64> {
    near.into_iter().map(|(number, _)| number).collect()
}
