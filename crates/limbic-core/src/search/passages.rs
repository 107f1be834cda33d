//! Late interaction for the observations of candidates, each with what was written around it.
//!
//! What a question asks for is often spread over texts written one after the other: a name in one, the fact in the
//! next. So an observation is scored three times: alone; with the two written before it; with four on either side.

use std::collections::{BTreeMap, HashMap};

use limbic_protocol::{QueryTokens, TextKind};

use super::{
    late::{Answers, LateQuery},
    signals::{LateScore, Signals},
};
use crate::{
    Result, Transaction,
    model::code_detection,
    store::vectors::observation_tokens::{self, ObservationTokens},
};

/// How many observations around a candidate's become candidates themselves.
const NEIGHBOURS: i64 = 2;

/// Around how many observations others are looked for: what says little by itself is not saved by what stands beside it.
const SURROUNDED: usize = 100;

/// How many observations before one are near it.
const NEAR_BEFORE: i64 = 2;

/// How many observations on either side stand in its wider surroundings.
const WIDE: i64 = 4;

/// What was written longer before or after belongs to something else.
const PASSAGE_SECONDS: i64 = 3600;

/// Gives each candidate the late interaction of its best observation, and adds the entities of the observations
/// right beside them as candidates. Answers which share of the texts is source code.
///
/// # Errors
/// Those of the database.
pub fn add(
    tx: &Transaction<'_>,
    tokens: &QueryTokens,
    candidates: &mut BTreeMap<i64, Signals>,
    admits: impl Fn(i64) -> bool,
) -> Result<f64> {
    let question = LateQuery::new(tx, TextKind::Observation, tokens)?;
    let texts = read(tx, &question, candidates, admits)?;
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
        let late =
            LateScore { own: question.score(own), near: score(-NEAR_BEFORE..=0), wide: score(-WIDE..=WIDE) };
        if candidate.late.is_none_or(|best| late.mixed() > best.mixed()) {
            candidate.late = Some(late);
            candidate.best_observation = Some(*id);
        }
    }
    let code = u32::try_from(texts.values().filter(|text| text.is_code).count()).unwrap_or(u32::MAX);
    let all = u32::try_from(texts.len()).unwrap_or(u32::MAX).max(1);
    Ok(f64::from(code) / f64::from(all))
}

/// A current observation of a candidate.
struct Text {
    entity_id: i64,
    written_seconds: i64,
    is_code: bool,
    /// `None` while it waits for its embedding.
    answers: Option<Answers>,
}

impl Text {
    fn new(row: ObservationTokens<'_>, question: &LateQuery) -> Self {
        Self {
            entity_id: row.entity_id,
            written_seconds: row.written_seconds,
            is_code: code_detection::is_code(row.content),
            answers: row.tokens.and_then(|blob| question.answers(blob)),
        }
    }

    fn is_near(&self, other: &Text) -> bool {
        (self.written_seconds - other.written_seconds).abs() <= PASSAGE_SECONDS
    }
}

/// The observations of the candidates and those right beside the best of them, by id.
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

/// The observations that answer the question best by themselves, at most [`SURROUNDED`].
fn best(question: &LateQuery, texts: &BTreeMap<i64, Text>) -> Vec<i64> {
    let mut scored: Vec<(f64, i64)> =
        texts.iter().filter_map(|(id, text)| Some((question.score(text.answers.as_ref()?), *id))).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(SURROUNDED);
    scored.into_iter().map(|(_, id)| id).collect()
}
