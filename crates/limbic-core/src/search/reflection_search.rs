//! Search of reflections: filters, then candidates from words and vectors, then a relevance from all signals.
//!
//! The mixture is that of entities in prose: 0.9 late interaction and 0.1 cosine of the sentence vectors. Words select
//! candidates, and replace the vectors of texts that are not embedded yet. A reflection has no context, so late
//! interaction is that of the reflection alone.

use std::collections::BTreeMap;

use limbic_protocol::{QueryTokens, TextKind};

use super::{
    fusion,
    late::LateQuery,
    signals::{self, Kind, LateScore, Mode, Ranking, Signals},
};
use crate::{
    Result, Transaction,
    model::{numbers::cosine, tokenizer},
    store::{
        graph::reflections::{self as rows, Filter, Reflection},
        vectors::embeddings,
    },
};

/// Minimum number of candidates from each of words and vectors.
const MIN_POOL: usize = 100;

/// A query for reflections.
#[derive(Debug, Clone, Copy)]
pub struct ReflectionQuery<'a> {
    /// The query text.
    pub text: &'a str,
    /// Maximum number of results.
    pub limit: usize,
    /// Which reflections may be found; others are not candidates.
    pub filter: Filter<'a>,
    /// The query's sentence vector and tokens, if there is an encoder.
    pub encoding: Option<(&'a [f32], &'a QueryTokens)>,
    /// The ranking of the results.
    pub ranking: Ranking,
}

/// The result of a search of reflections.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundReflections {
    /// Reflections with their relevance, 0 to 1, rounded to four digits: best first, then by id.
    pub hits: Vec<(Reflection, f64)>,
    /// The signals that were available.
    pub mode: Mode,
}

/// Searches reflections. Read-only.
pub fn reflections(tx: &Transaction<'_>, query: ReflectionQuery<'_>) -> Result<FoundReflections> {
    let pool = MIN_POOL.max(query.limit.saturating_mul(3));
    let mut found: BTreeMap<i64, Signals> = BTreeMap::new();
    let words = tokenizer::search_terms(query.text);
    for (id, score) in rows::matching(tx, query.filter, &words, pool)? {
        found.insert(id, Signals { id, lexical: Some(score), ..Signals::default() });
    }
    if let Some((vector, tokens)) = query.encoding {
        for id in rows::nearest(tx, query.filter, vector, pool)? {
            found.entry(id).or_insert(Signals { id, ..Signals::default() });
        }
        add_vectors(tx, vector, tokens, &mut found)?;
    }
    let signals: Vec<Signals> = found.into_values().collect();
    let is_hybrid = signals.iter().any(|signals| signals.cosine.is_some() || signals.late.is_some());
    let foreign = signals::foreign_share(query.text, query.encoding.map(|(_, tokens)| tokens));
    let kind = Kind { foreign, ..Kind::default() };
    let relevance = fusion::relevance(&signals, kind, query.ranking);
    let mut ranked: Vec<(i64, f64)> = signals
        .iter()
        .zip(relevance)
        .map(|(signals, relevance)| (signals.id, crate::model::numbers::round(relevance.base, 4)))
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut hits = Vec::with_capacity(query.limit.min(ranked.len()));
    for (id, score) in ranked.into_iter().take(query.limit) {
        if let Some(reflection) = rows::get(tx, id)? {
            hits.push((reflection, score));
        }
    }
    Ok(FoundReflections { hits, mode: if is_hybrid { Mode::Hybrid } else { Mode::Lexical } })
}

/// Adds cosine and late interaction to the candidates that have vectors.
fn add_vectors(
    tx: &Transaction<'_>,
    vector: &[f32],
    tokens: &QueryTokens,
    candidates: &mut BTreeMap<i64, Signals>,
) -> Result<()> {
    let late_query = LateQuery::new(tx, TextKind::Reflection, tokens)?;
    for (id, signals) in candidates {
        let stored = embeddings::with_tokens_and_vector(tx, TextKind::Reflection, *id, |blob, stored| {
            (late_query.answers(blob), cosine(vector, stored))
        })?;
        let Some((answers, cosine)) = stored else { continue };
        signals.cosine = Some(cosine);
        signals.late = answers.map(|answers| LateScore::alone(late_query.score(&answers)));
    }
    Ok(())
}
