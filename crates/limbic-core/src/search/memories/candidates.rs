//! Candidates for a query, with their lexical and vector signals.
//!
//! If an index shows that a filter admits few memories, all of them are listed and compared. Otherwise the nearest
//! memories are found without the filter and then tested. If too few remain, more are tested, and finally all admitted
//! memories are listed.

use std::collections::BTreeMap;

use limbic_protocol::TextKind;

use super::{query::MemoryQuery, surroundings::Surroundings};
use crate::{
    Result, Transaction,
    model::{code_detection, questions::Questions, structured_text},
    search::{
        VectorCache,
        context::{self, MAX_WITH_CONTEXT},
        date_match::{AskedDates, TextDates},
        fusion::{self, Relevance},
        late::{Answers, LateQuery},
        lexical::{self, Coverage, WordRows},
        signals::{self, Kind, LateScore, Phrasing, Ranking, Signals},
    },
    store::{
        full_text::{Index, TextHit},
        memories::{self, FilterEvaluator},
        vectors::memory_tokens::{self, MemoryTokens},
    },
};

/// Minimum number of candidates from each of words and vectors.
const MIN_POOL: usize = 100;

/// The filter must admit at least one in this many of the tested memories.
const MIN_ADMITTED_DIVISOR: usize = 2;

/// The factor by which the test is widened when the filter admits too few.
const WIDER: usize = 8;

/// The factor of the last widening, before all admitted memories are listed.
const MAX_FACTOR: usize = 32;

/// Maximum contribution of BM25: with vectors, of summary, path and tags; without vectors, of all words.
const MAX_WORDS_WEIGHT: f64 = 0.1;

/// Candidates for a phrasing, with their signals.
pub(crate) struct Candidates<'a> {
    phrasing: Phrasing<'a>,
    /// Signals, by number of the memory.
    pub signals: BTreeMap<i64, Signals>,
    late_query: Option<LateQuery>,
    /// The dates of the query.
    dates: AskedDates,
    /// Texts of embedded memories, by number.
    texts: BTreeMap<i64, Text>,
    surroundings: Surroundings,
    /// Weight of the context, 0 to 1.
    context: f64,
    /// The kind of their texts, and the script of the query.
    kind: Kind,
    /// The nearest of them, among which hubs are found.
    nearest: Vec<i64>,
    /// BM25 of summary, path and tags, which have no vectors, of those that contain words of the query, by number.
    labels: BTreeMap<i64, f64>,
    /// Coverage of the query by their words, by number; known only without vectors, and for a query of which the
    /// encoder cannot read all letters.
    coverage: BTreeMap<i64, Coverage>,
}

impl<'a> Candidates<'a> {
    /// Returns the memories found by words and vectors.
    pub(crate) fn find(
        tx: &Transaction<'_>,
        (vectors, words): (&mut VectorCache, &mut WordRows),
        query: MemoryQuery<'_>,
        phrasing: Phrasing<'a>,
        evaluator: &mut FilterEvaluator<'_>,
    ) -> Result<Self> {
        let pool = MIN_POOL.max(query.limit.saturating_mul(3));
        let mut found = Self {
            phrasing,
            signals: BTreeMap::new(),
            late_query: None,
            dates: AskedDates::of(tx, phrasing.text),
            texts: BTreeMap::new(),
            surroundings: Surroundings::default(),
            context: 0.0,
            kind: Kind::default(),
            nearest: Vec::new(),
            labels: BTreeMap::new(),
            coverage: BTreeMap::new(),
        };
        if evaluator.is_few() && evaluator.all(tx)?.is_empty() {
            return Ok(found);
        }
        if let Some((_, tokens)) = phrasing.encoding {
            found.late_query = Some(LateQuery::new(tx, TextKind::Memory, tokens)?);
        }
        let matching = with_words(tx, query, phrasing, pool, evaluator, words)?;
        for Matching { number, hit } in &matching {
            let signals = Signals { id: *number, lexical: Some(hit.score), ..Signals::default() };
            found.signals.insert(*number, signals);
        }
        if let Some((vector, _)) = phrasing.encoding {
            found.nearest = nearest(tx, vectors, vector, pool, evaluator)?;
            for number in &found.nearest {
                found.signals.entry(*number).or_insert(Signals { id: *number, ..Signals::default() });
            }
            // If few memories are admitted, those without an embedding are candidates as well.
            for number in without_vector(vectors, evaluator, pool) {
                found.signals.entry(number).or_insert(Signals { id: number, ..Signals::default() });
            }
        }
        let numbers: Vec<i64> = found.signals.keys().copied().collect();
        numbers.into_iter().try_for_each(|number| found.add(tx, vectors, number))?;
        found.kind = found.kind_of_texts();
        found.surround_best(tx, vectors, evaluator)?;
        found.set_dates();
        found.set_hubs(vectors);
        if found.have_vectors() {
            found.labels = matching.iter().map(|matching| (matching.number, matching.hit.labels)).collect();
        }
        if !found.have_vectors() || found.kind.foreign > 0.0 {
            let rows: Vec<i64> = matching.iter().map(|matching| matching.hit.row).collect();
            let covered = lexical::coverage(tx, &Index::of_memories(), phrasing.text, &rows, words)?;
            let of_number = |matching: &Matching| Some((matching.number, *covered.get(&matching.hit.row)?));
            found.coverage = matching.iter().filter_map(of_number).collect();
        }
        Ok(found)
    }

    /// Whether any candidate has a vector.
    pub(crate) fn have_vectors(&self) -> bool {
        self.signals.values().any(|signals| signals.cosine.is_some() || signals.late.is_some())
    }

    /// Returns the signals and the relevance of each candidate; without vectors, the relevance is the coverage.
    pub(crate) fn weighed(&self, ranking: Ranking) -> (Vec<Signals>, Vec<Relevance>) {
        let signals: Vec<Signals> = self.signals.values().copied().collect();
        let mut relevance = fusion::relevance(&signals, self.kind, ranking);
        if matches!(ranking, Ranking::Fusion | Ranking::Limbic) && !self.have_vectors() {
            for (signals, relevance) in signals.iter().zip(&mut relevance) {
                let share = self.coverage.get(&signals.id).map_or(0.0, |coverage| coverage.share);
                *relevance = Relevance { base: share, lexical: share, ..*relevance };
            }
        }
        (signals, relevance)
    }

    /// Whether a candidate's words cover at least this share of the query, and two of its words if it has as many.
    pub(crate) fn cover(&self, least: f64) -> bool {
        self.coverage.values().any(|coverage| coverage.share >= least && has_enough_words(coverage))
    }

    /// Adds memories that links lead to, with their context.
    pub(crate) fn add_linked(
        &mut self,
        tx: &Transaction<'_>,
        vectors: &VectorCache,
        evaluator: &mut FilterEvaluator<'_>,
        numbers: &[i64],
    ) -> Result<()> {
        numbers.iter().try_for_each(|number| self.add(tx, vectors, *number))?;
        if self.context > 0.0 && !numbers.is_empty() {
            self.surroundings.read(tx, numbers, evaluator)?;
            self.add_context(tx, vectors)?;
        }
        self.set_dates();
        self.set_hubs(vectors);
        Ok(())
    }

    /// Returns the kind of the texts.
    #[allow(clippy::cast_precision_loss, reason = "candidates are far fewer than 2^52")]
    fn kind_of_texts(&self) -> Kind {
        let all = self.texts.len().max(1) as f64;
        let share = |is: fn(&Text) -> bool| self.texts.values().filter(|text| is(text)).count() as f64 / all;
        let length = context::length(self.texts.values().map(|text| text.tokens));
        Kind {
            code: share(|text| text.is_code),
            structured: share(|text| text.is_structured),
            long: length.long,
            document: length.document,
            foreign: signals::foreign_share(
                self.phrasing.text,
                self.phrasing.encoding.map(|(_, tokens)| tokens),
            ),
        }
    }

    /// Sets the nearness of candidates to the dates and events of the query.
    fn set_dates(&mut self) {
        let texts = self.texts.values_mut().map(|text| (&mut text.dates, text.tokens));
        self.dates.bound(&mut texts.collect::<Vec<_>>());
        for (number, text) in &self.texts {
            if let Some(signals) = self.signals.get_mut(number) {
                signals.dates = text.dates.nearness;
            }
        }
    }

    /// Sets the hubness of candidates, if any text is code.
    fn set_hubs(&mut self, vectors: &VectorCache) {
        if self.kind.code > 0.0 {
            for signals in self.signals.values_mut() {
                signals.hub = vectors.mean_of_best(signals.id, &self.nearest);
            }
        }
    }

    /// Adds a memory, or the vector signals of one that was added before.
    fn add(&mut self, tx: &Transaction<'_>, vectors: &VectorCache, number: i64) -> Result<()> {
        let signals = self.signals.entry(number).or_insert(Signals { id: number, ..Signals::default() });
        if let (Some((vector, _)), Some(late_query)) = (self.phrasing.encoding, &self.late_query) {
            signals.cosine = vectors.cosine(vector, number);
            if let Some(text) =
                memory_tokens::read(tx, number, |row| Text::new(row, late_query, &self.dates))?
            {
                signals.late = text.answers.as_ref().map(|own| LateScore::alone(late_query.score(own)));
                signals.tokens = text.tokens;
                self.texts.insert(number, text);
            }
        }
        Ok(())
    }

    /// Adds the memories stored next to the best ones, and the context of all of these, if context counts.
    fn surround_best(
        &mut self,
        tx: &Transaction<'_>,
        vectors: &VectorCache,
        evaluator: &mut FilterEvaluator<'_>,
    ) -> Result<()> {
        let short = 1.0 - context::length(self.texts.values().map(|text| text.tokens)).long;
        if short > 0.0 {
            self.surroundings.read(tx, &self.best(), evaluator)?;
            self.context = short * self.surroundings.coherence(vectors);
        }
        if self.context > 0.0 { self.add_context(tx, vectors) } else { Ok(()) }
    }

    /// Adds the memories of the surroundings, and scores each text with its context.
    fn add_context(&mut self, tx: &Transaction<'_>, vectors: &VectorCache) -> Result<()> {
        for number in self.surroundings.adjacent() {
            if !self.signals.contains_key(&number) {
                self.add(tx, vectors, number)?;
            }
        }
        let Some(late_query) = &self.late_query else { return Ok(()) };
        for (number, text) in &self.texts {
            let (Some(own), Some(signals)) = (&text.answers, self.signals.get_mut(number)) else { continue };
            let score = |around: Vec<i64>| {
                let mut answers = own.clone();
                for other in around.iter().filter_map(|other| self.texts.get(other)?.answers.as_ref()) {
                    answers.join(other);
                }
                late_query.score(&answers)
            };
            let (near, wide) = self.surroundings.of(*number);
            // The near context ends with the memory itself.
            let before = near.iter().rev().nth(1).and_then(|before| self.texts.get(before));
            signals.late = Some(LateScore {
                asking: text.questions.share,
                is_reply: before.is_some_and(|before| before.questions.are_last),
                own: late_query.score(own),
                near: score(near),
                wide: score(wide),
                context: self.context,
            });
        }
        Ok(())
    }

    /// Returns the memories with the best late interaction alone, at most [`MAX_WITH_CONTEXT`].
    fn best(&self) -> Vec<i64> {
        let own = |signals: &Signals| Some((signals.late?.own, signals.id));
        let mut scored: Vec<(f64, i64)> = self.signals.values().filter_map(own).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.truncate(MAX_WITH_CONTEXT);
        scored.into_iter().map(|(_, number)| number).collect()
    }

    /// Returns how similar each candidate itself is to the query, in the order of [`Candidates::weighed`]: its
    /// relevance without context and dates, with the weights for prose, so that a threshold means the same for all
    /// texts. By the share of the query's letters that the encoder cannot read, the coverage by its words counts
    /// instead: the tokens of such letters are all alike.
    fn alone(&self, ranking: Ranking) -> Vec<f64> {
        let mut alone: Vec<Signals> = self.signals.values().copied().collect();
        for signals in &mut alone {
            signals.late = signals.late.map(|late| LateScore::alone(late.own));
            signals.dates = 0.0;
        }
        let is_mixed = matches!(ranking, Ranking::Fusion | Ranking::Limbic);
        let foreign = if is_mixed { self.kind.foreign } else { 0.0 };
        fusion::relevance(&alone, Kind::default(), ranking)
            .into_iter()
            .zip(&alone)
            .map(|(relevance, signals)| {
                let covered = self.coverage.get(&signals.id).filter(|coverage| has_enough_words(coverage));
                (1.0 - foreign) * relevance.base + foreign * covered.map_or(0.0, |coverage| coverage.share)
            })
            .collect()
    }
}

/// Whether a text contains two of the query's content words, if it has as many.
fn has_enough_words(coverage: &Coverage) -> bool {
    coverage.words >= coverage.of.min(2)
}

/// What the ranking keeps of a memory's text.
struct Text {
    /// Number of content tokens.
    tokens: usize,
    is_code: bool,
    is_structured: bool,
    /// Its questions; none in code and JSON.
    questions: Questions,
    dates: TextDates,
    /// Best matches of the query's tokens; `None` without content tokens.
    answers: Option<Answers>,
}

impl Text {
    fn new(row: MemoryTokens<'_>, late_query: &LateQuery, dates: &AskedDates) -> Self {
        let is_structured = structured_text::is_structured(row.content);
        let is_code = !is_structured && code_detection::is_code(row.content);
        let is_prose = !is_structured && !is_code;
        Self {
            tokens: late_query.count(row.tokens),
            is_code,
            is_structured,
            questions: if is_prose { Questions::of(row.content) } else { Questions::default() },
            dates: dates.of_text(row.content, row.event_seconds),
            answers: late_query.answers(row.tokens),
        }
    }
}

/// A candidate with the signals of the phrasing that it matches best.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matched {
    /// Its signals.
    pub signals: Signals,
    /// Its relevance.
    pub relevance: Relevance,
    /// The contribution of BM25 ([`MAX_WORDS_WEIGHT`]), relative to the highest of all words.
    pub words_share: f64,
    /// Index of the phrasing.
    pub phrasing: usize,
    /// The highest relevance for any phrasing: that of another one if its words count for more.
    pub highest: f64,
    /// The highest relevance of the memory alone for any phrasing; see [`Candidates::alone`].
    pub alone: f64,
}

/// Returns the candidates of all phrasings, by number.
pub(crate) fn matched(found: &[Candidates<'_>], ranking: Ranking) -> Vec<Matched> {
    let mut best: BTreeMap<i64, Matched> = BTreeMap::new();
    // The rankings by one signal have nothing else.
    let is_mixed = matches!(ranking, Ranking::Fusion | Ranking::Limbic);
    for (phrasing, candidates) in found.iter().enumerate() {
        let (signals, relevance) = candidates.weighed(ranking);
        let has_vectors = candidates.have_vectors();
        let alone = if has_vectors {
            candidates.alone(ranking)
        } else {
            relevance.iter().map(|relevance| relevance.base).collect()
        };
        let most_words = signals.iter().filter_map(|signals| signals.lexical).fold(0.0, f64::max);
        for ((signals, relevance), alone) in signals.into_iter().zip(relevance).zip(alone) {
            let words =
                if has_vectors { candidates.labels.get(&signals.id).copied() } else { signals.lexical };
            let words = words.filter(|_| most_words > 0.0).map_or(0.0, |words| (words / most_words).min(1.0));
            let words_share = if is_mixed { MAX_WORDS_WEIGHT * words } else { 0.0 };
            let one = Matched { signals, relevance, words_share, phrasing, highest: relevance.base, alone };
            let sum = |one: &Matched| one.relevance.base + one.words_share;
            let known = best.entry(signals.id).or_insert(one);
            let (highest, alone) = (known.highest.max(one.highest), known.alone.max(one.alone));
            if sum(&one) > sum(known) {
                *known = one;
            }
            (known.highest, known.alone) = (highest, alone);
        }
    }
    best.into_values().collect()
}

/// A memory that contains a word of the query.
#[derive(Debug, Clone, Copy)]
struct Matching {
    number: i64,
    hit: TextHit,
}

/// Returns the admitted memories that BM25 ranks first for any of the query's content words.
fn with_words(
    tx: &Transaction<'_>,
    query: MemoryQuery<'_>,
    phrasing: Phrasing<'_>,
    pool: usize,
    evaluator: &mut FilterEvaluator<'_>,
    read: &mut WordRows,
) -> Result<Vec<Matching>> {
    let in_domain = || query.filter.domain.map_or_else(Index::of_memories, Index::of_memories_in);
    let labelled = |index: Index| if phrasing.encoding.is_some() { index.with_labels() } else { index };
    let index = labelled(if evaluator.is_few_of_domain() { in_domain() } else { Index::of_memories() });
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
        let hits = lexical::best(tx, &index, phrasing.text, limit, read)?;
        admitted.clear();
        for some in hits.chunks(pool) {
            let rows: Vec<i64> = some.iter().map(|hit| hit.row).collect();
            let numbers = evaluator.in_text_rows(tx, &rows)?;
            admitted.extend(
                some.iter().filter_map(|hit| Some(Matching { number: *numbers.get(&hit.row)?, hit: *hit })),
            );
            if admitted.len() >= pool {
                admitted.truncate(pool);
                return Ok(admitted);
            }
        }
        if hits.len() < limit || admitted.len() >= pool / MIN_ADMITTED_DIVISOR {
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
    evaluator: &mut FilterEvaluator<'_>,
) -> Result<Vec<i64>> {
    if evaluator.is_few() {
        return Ok(numbers(vectors.nearest_of(vector, pool, evaluator.all(tx)?.iter().copied())));
    }
    let [wider, widest] = [pool.saturating_mul(WIDER), pool.saturating_mul(MAX_FACTOR)];
    for limit in [pool, wider, widest] {
        let near = numbers(vectors.nearest(vector, limit, |_| true));
        evaluator.test(tx, &near)?;
        let mut admitted = Vec::new();
        let mut shut_out = Vec::new();
        for number in &near {
            if evaluator.admits(tx, *number)? { &mut admitted } else { &mut shut_out }.push(*number);
        }
        memories::deleted(tx, &shut_out)?.into_iter().for_each(|number| vectors.remove(number));
        if admitted.len() >= pool / MIN_ADMITTED_DIVISOR || near.len() < limit {
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
fn without_vector(vectors: &VectorCache, evaluator: &FilterEvaluator<'_>, limit: usize) -> Vec<i64> {
    let mut found: Vec<i64> = evaluator.known_few().filter(|number| !vectors.holds(*number)).collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.truncate(limit);
    found
}

fn numbers(near: Vec<(i64, f64)>) -> Vec<i64> {
    near.into_iter().map(|(number, _)| number).collect()
}
