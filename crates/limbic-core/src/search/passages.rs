//! Late interaction for the observations of candidates, with their context.
//!
//! The answer to a query is often spread over consecutive texts: a name in one, the fact in the next. So an observation
//! is scored three times: alone; with the two stored before it; with four on either side. The context counts if texts
//! are short, and if a text's neighbours are more similar to it than other candidates' neighbours are: consecutive
//! notes on different subjects are not context for each other.

use std::collections::{BTreeMap, HashMap};

use limbic_protocol::{QueryTokens, TextKind};

use super::{
    VectorCache,
    context::{self, MAX_PASSAGE_SECONDS, MAX_WITH_CONTEXT, NEAR_BEFORE, NEIGHBOURS, WIDE},
    date_match::{AskedDates, TextDates},
    fusion,
    late::{Answers, LateQuery},
    signals::{Kind, LateScore, Signals},
};
use crate::{
    Result, Transaction,
    model::{code_detection, questions::Questions, structured_text},
    store::vectors::observation_tokens::{self, ObservationTokens},
};

/// Sets the late interaction of each candidate's best observation, and adds the entities of adjacent observations as
/// candidates. Returns the kind of the texts, without the share of foreign letters of the query.
pub(crate) fn add(
    tx: &Transaction<'_>,
    (tokens, dates): (&QueryTokens, &AskedDates),
    vectors: &VectorCache,
    candidates: &mut BTreeMap<i64, Signals>,
    admits: impl Fn(i64) -> bool,
) -> Result<Kind> {
    let late_query = LateQuery::new(tx, TextKind::Observation, tokens)?;
    let mut texts = read(tx, &Query { late_query: &late_query, dates }, candidates, admits)?;
    dates.bound(&mut texts.values_mut().map(|text| (&mut text.dates, text.tokens)).collect::<Vec<_>>());
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
            late_query.score(&answers)
        };
        let late = if context > 0.0 {
            let (near, wide) = (score(-NEAR_BEFORE..=0), score(-WIDE..=WIDE));
            let is_reply =
                texts.get(&(id - 1)).is_some_and(|before| before.is_near(text) && before.questions.are_last);
            let asking = text.questions.share;
            LateScore { own: late_query.score(own), near, wide, context, asking, is_reply }
        } else {
            LateScore::alone(late_query.score(own))
        };
        if candidate.late.is_none_or(|best| {
            late.mixed() + fusion::MAX_DATES_WEIGHT * text.dates.nearness
                > best.mixed() + fusion::MAX_DATES_WEIGHT * candidate.dates
        }) {
            candidate.late = Some(late);
            candidate.dates = text.dates.nearness;
            candidate.tokens = text.tokens;
            candidate.best_observation = Some(*id);
        }
    }
    Ok(kind)
}

/// Returns the kind of these texts.
#[allow(clippy::cast_precision_loss, reason = "candidates are far fewer than 2^52")]
fn kind(texts: &BTreeMap<i64, Text>) -> Kind {
    let all = texts.len().max(1) as f64;
    let share = |is: fn(&Text) -> bool| texts.values().filter(|text| is(text)).count() as f64 / all;
    let length = context::length(texts.values().map(|text| text.tokens));
    Kind {
        code: share(|text| text.is_code),
        structured: share(|text| text.is_structured),
        long: length.long,
        document: length.document,
        foreign: 0.0,
    }
}

/// Returns the coherence of neighbouring observations of different entities, 0 to 1; 1 with too few of them to measure
/// it.
fn coherence(texts: &BTreeMap<i64, Text>, vectors: &VectorCache) -> f64 {
    let pairs: Vec<(i64, i64)> = texts
        .iter()
        .filter_map(|(id, text)| {
            let next =
                texts.get(&(id + 1)).filter(|next| next.entity_id != text.entity_id && next.is_near(text))?;
            Some((text.entity_id, next.entity_id))
        })
        .collect();
    context::coherence(&pairs, vectors).unwrap_or(1.0)
}

/// A current observation of a candidate.
struct Text {
    entity_id: i64,
    written_seconds: i64,
    is_code: bool,
    is_structured: bool,
    /// Number of content tokens.
    tokens: usize,
    /// Its questions; none in code and JSON.
    questions: Questions,
    dates: TextDates,
    /// Best matches; `None` without an embedding.
    answers: Option<Answers>,
}

/// A query, as its texts are compared with it.
struct Query<'a> {
    late_query: &'a LateQuery,
    dates: &'a AskedDates,
}

impl Text {
    fn new(row: ObservationTokens<'_>, Query { late_query, dates }: &Query<'_>) -> Self {
        let is_structured = structured_text::is_structured(row.content);
        let is_code = !is_structured && code_detection::is_code(row.content);
        let is_prose = !is_structured && !is_code;
        Self {
            entity_id: row.entity_id,
            written_seconds: row.written_seconds,
            is_code,
            is_structured,
            questions: if is_prose { Questions::of(row.content) } else { Questions::default() },
            tokens: row.tokens.map_or(0, |blob| late_query.count(blob)),
            dates: dates.of_text(row.content, row.written_seconds),
            answers: row.tokens.and_then(|blob| late_query.answers(blob)),
        }
    }

    fn is_near(&self, other: &Text) -> bool {
        (self.written_seconds - other.written_seconds).abs() <= MAX_PASSAGE_SECONDS
    }
}

/// Returns the observations of the candidates, and those adjacent to the best of them, by id.
fn read(
    tx: &Transaction<'_>,
    query: &Query<'_>,
    candidates: &BTreeMap<i64, Signals>,
    admits: impl Fn(i64) -> bool,
) -> Result<BTreeMap<i64, Text>> {
    let mut texts = BTreeMap::new();
    for id in candidates.keys() {
        observation_tokens::each_of(tx, *id, |row| {
            texts.insert(row.id, Text::new(row, query));
        })?;
    }
    let mut adjacent: HashMap<i64, Text> = HashMap::new();
    for id in best(query.late_query, &texts) {
        let (first, last) = (id - NEIGHBOURS, id + NEIGHBOURS);
        if (first..=last).all(|neighbour| texts.contains_key(&neighbour) || adjacent.contains_key(&neighbour))
        {
            continue;
        }
        observation_tokens::each_between(tx, (first, last), |row| {
            if texts.contains_key(&row.id) {
                return;
            }
            let found = Text::new(row, query);
            if found.is_near(&texts[&id]) && admits(found.entity_id) {
                adjacent.insert(row.id, found);
            }
        })?;
    }
    texts.extend(adjacent);
    Ok(texts)
}

/// Returns the observations with the best scores alone, at most [`MAX_WITH_CONTEXT`].
fn best(late_query: &LateQuery, texts: &BTreeMap<i64, Text>) -> Vec<i64> {
    let mut scored: Vec<(f64, i64)> =
        texts.iter().filter_map(|(id, text)| Some((late_query.score(text.answers.as_ref()?), *id))).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(MAX_WITH_CONTEXT);
    scored.into_iter().map(|(_, id)| id).collect()
}
