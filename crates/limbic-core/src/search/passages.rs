//! Late interaction for the observations of candidates, with their context.
//!
//! The answer to a query is often spread over consecutive texts: a name in one, the fact in the next. So an observation
//! is scored three times: alone; with the two stored before it; with four on either side. The context counts if texts
//! are short, and if a text's neighbours are more similar to it than other candidates' neighbours are: consecutive
//! notes on different subjects are no context for each other.

use std::collections::{BTreeMap, HashMap};

use limbic_protocol::{QueryTokens, TextKind};

use super::{
    VectorCache,
    late::{Answers, LateQuery},
    signals::{Kind, LateScore, Signals},
};
use crate::{
    Result, Transaction,
    model::{code_detection, structured_text},
    store::vectors::observation_tokens::{self, ObservationTokens},
};

/// Number of observations on either side of a candidate's that become candidates.
const NEIGHBOURS: i64 = 2;

/// Maximum number of observations whose context is used: a poor match does not become a good one by its context.
const SURROUNDED: usize = 100;

/// Number of preceding observations in the near context.
const NEAR_BEFORE: i64 = 2;

/// Number of observations on either side in the wide context.
const WIDE: i64 = 4;

/// Maximum time between an observation and its context.
const PASSAGE_SECONDS: i64 = 3600;

/// Up to this many content tokens on average, texts are statements, for which context counts fully.
const STATEMENT_TOKENS: f64 = 32.0;

/// From this many content tokens on average, texts are long, and context does not count.
const LONG_TOKENS: f64 = 96.0;

/// Excess similarity of neighbours over chance, in standard deviations: above the first value context counts, from the
/// second one on fully.
const LIKE_NEIGHBOURS: (f64, f64) = (0.04, 0.12);

/// Minimum number of pairs of neighbours for that comparison; with fewer, context counts.
const MIN_PAIRS: usize = 16;

/// Sets the late interaction of each candidate's best observation, and adds the entities of adjacent observations as
/// candidates. Returns the kind of the texts, without the share of foreign letters of the query.
pub fn add(
    tx: &Transaction<'_>,
    tokens: &QueryTokens,
    vectors: &VectorCache,
    candidates: &mut BTreeMap<i64, Signals>,
    admits: impl Fn(i64) -> bool,
) -> Result<Kind> {
    let question = LateQuery::new(tx, TextKind::Observation, tokens)?;
    let texts = read(tx, &question, candidates, admits)?;
    let kind = kind(&texts);
    let context = if kind.long < 1.0 { (1.0 - kind.long) * coherence(&texts, vectors) } else { 0.0 };
    for (id, text) in &texts {
        let candidate = candidates.entry(text.entity_id).or_default();
        candidate.id = text.entity_id;
        let Some(own) = &text.answers else { continue };
        let score = |offsets: std::ops::RangeInclusive<i64>| {
            let mut answers = own.clone();
            for other in offsets.filter_map(|offset| texts.get(&(id + offset))) {
                if let (true, Some(theirs)) = (other.is_near(text), &other.answers) {
                    answers.join(theirs);
                }
            }
            question.score(&answers)
        };
        let late = if context > 0.0 {
            let (near, wide) = (score(-NEAR_BEFORE..=0), score(-WIDE..=WIDE));
            LateScore { own: question.score(own), near, wide, context }
        } else {
            LateScore::alone(question.score(own))
        };
        if candidate.late.is_none_or(|best| late.mixed() > best.mixed()) {
            candidate.late = Some(late);
            candidate.best_observation = Some(*id);
        }
    }
    Ok(kind)
}

/// Returns the kind of these texts.
#[allow(clippy::cast_precision_loss, reason = "candidates have far fewer than 2^52 tokens")]
fn kind(texts: &BTreeMap<i64, Text>) -> Kind {
    let all = texts.len().max(1) as f64;
    let share = |is: fn(&Text) -> bool| texts.values().filter(|text| is(text)).count() as f64 / all;
    let with_tokens = texts.values().filter(|text| text.tokens > 0);
    let (count, tokens) = with_tokens.fold((0_usize, 0_usize), |sum, text| (sum.0 + 1, sum.1 + text.tokens));
    let mean = tokens as f64 / count.max(1) as f64;
    Kind {
        code: share(|text| text.is_code),
        structured: share(|text| text.is_structured),
        long: super::round(((mean - STATEMENT_TOKENS) / (LONG_TOKENS - STATEMENT_TOKENS)).clamp(0.0, 1.0), 6),
        foreign: 0.0,
    }
}

/// Returns the coherence of neighbours, 0 to 1: how much more similar the entities of neighbouring observations are
/// than those of an observation and another one's neighbour.
#[allow(clippy::cast_precision_loss, reason = "there are a few hundred pairs")]
fn coherence(texts: &BTreeMap<i64, Text>, vectors: &VectorCache) -> f64 {
    let pairs: Vec<(i64, i64)> = texts
        .iter()
        .filter_map(|(id, text)| {
            let next =
                texts.get(&(id + 1)).filter(|next| next.entity_id != text.entity_id && next.is_near(text))?;
            Some((text.entity_id, next.entity_id))
        })
        .collect();
    if pairs.len() < MIN_PAIRS {
        return 1.0;
    }
    let mean = |cosines: &[f64]| cosines.iter().sum::<f64>() / cosines.len().max(1) as f64;
    let beside: Vec<f64> = pairs.iter().filter_map(|(id, next)| vectors.between(*id, *next)).collect();
    let half = pairs.len() / 2;
    let chance: Vec<f64> = (0..pairs.len())
        .filter_map(|place| vectors.between(pairs[place].0, pairs[(place + half) % pairs.len()].1))
        .collect();
    let expected = mean(&chance);
    let squares: Vec<f64> = chance.iter().map(|cosine| (cosine - expected) * (cosine - expected)).collect();
    let deviation = libm::sqrt(mean(&squares));
    if deviation <= 0.0 {
        return 1.0;
    }
    let (least, full) = LIKE_NEIGHBOURS;
    super::round((((mean(&beside) - expected) / deviation - least) / (full - least)).clamp(0.0, 1.0), 6)
}

/// A current observation of a candidate.
struct Text {
    entity_id: i64,
    written_seconds: i64,
    is_code: bool,
    is_structured: bool,
    /// Number of content tokens.
    tokens: usize,
    /// Best matches; `None` without an embedding.
    answers: Option<Answers>,
}

impl Text {
    fn new(row: ObservationTokens<'_>, question: &LateQuery) -> Self {
        let is_structured = structured_text::is_structured(row.content);
        Self {
            entity_id: row.entity_id,
            written_seconds: row.written_seconds,
            is_code: !is_structured && code_detection::is_code(row.content),
            is_structured,
            tokens: row.tokens.map_or(0, |blob| question.count(blob)),
            answers: row.tokens.and_then(|blob| question.answers(blob)),
        }
    }

    fn is_near(&self, other: &Text) -> bool {
        (self.written_seconds - other.written_seconds).abs() <= PASSAGE_SECONDS
    }
}

/// Returns the observations of the candidates, and those adjacent to the best of them, by id.
fn read(
    tx: &Transaction<'_>,
    question: &LateQuery,
    candidates: &BTreeMap<i64, Signals>,
    admits: impl Fn(i64) -> bool,
) -> Result<BTreeMap<i64, Text>> {
    let mut texts = BTreeMap::new();
    for id in candidates.keys() {
        observation_tokens::each_of(tx, *id, |row| {
            texts.insert(row.id, Text::new(row, question));
        })?;
    }
    let mut beside: HashMap<i64, Text> = HashMap::new();
    for id in best(question, &texts) {
        let (first, last) = (id - NEIGHBOURS, id + NEIGHBOURS);
        if (first..=last).all(|neighbour| texts.contains_key(&neighbour) || beside.contains_key(&neighbour)) {
            continue;
        }
        observation_tokens::each_between(tx, (first, last), |row| {
            if texts.contains_key(&row.id) {
                return;
            }
            let found = Text::new(row, question);
            if found.is_near(&texts[&id]) && admits(found.entity_id) {
                beside.insert(row.id, found);
            }
        })?;
    }
    texts.extend(beside);
    Ok(texts)
}

/// Returns the observations with the best scores alone, at most [`SURROUNDED`].
fn best(question: &LateQuery, texts: &BTreeMap<i64, Text>) -> Vec<i64> {
    let mut scored: Vec<(f64, i64)> =
        texts.iter().filter_map(|(id, text)| Some((question.score(text.answers.as_ref()?), *id))).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(SURROUNDED);
    scored.into_iter().map(|(_, id)| id).collect()
}
