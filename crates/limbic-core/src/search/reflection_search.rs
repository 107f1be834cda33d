//! Searching reflections: filters first, then candidates from words and vectors, then one relevance from all signals.
//!
//! The mixture is that of entities in prose: 0.9 late interaction and 0.1 cosine of the sentence vectors; words
//! choose candidates, and stand in for what has no vectors yet. There is nothing written around a reflection, so
//! late interaction is that of the reflection alone.

use std::collections::BTreeMap;

use limbic_protocol::{QueryTokens, TextKind};

use super::{
    fusion,
    late::LateQuery,
    signals::{Kind, LateScore, Mode, Ranking, Signals},
};
use crate::{
    Result, Transaction,
    model::{numbers::cosine, script, tokenizer},
    store::{
        graph::reflections::{self as rows, Filter, Reflection},
        vectors::embeddings,
    },
};

/// The least number of candidates from each of words and vectors.
const POOL: usize = 100;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct ReflectionQuery<'a> {
    /// The question as the user wrote it.
    pub text: &'a str,
    /// The most results.
    pub limit: usize,
    /// Which reflections may be found at all: what it shuts out takes no place among the candidates.
    pub filter: Filter<'a>,
    /// The question's sentence vector and tokens, when an encoder is there.
    pub encoding: Option<(&'a [f32], &'a QueryTokens)>,
    /// What orders the results.
    pub ranking: Ranking,
}

/// What a search of reflections found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundReflections {
    /// With their relevance, 0 to 1 in four digits: best first, then by id.
    pub hits: Vec<(Reflection, f64)>,
    /// Which signals could speak.
    pub mode: Mode,
}

/// Searches reflections. Reads only.
///
/// # Errors
/// Those of the database.
pub fn reflections(tx: &Transaction<'_>, query: ReflectionQuery<'_>) -> Result<FoundReflections> {
    let pool = POOL.max(query.limit.saturating_mul(3));
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
    let kind = Kind { foreign: script::foreign_share(query.text), ..Kind::default() };
    let relevance = fusion::relevance(&signals, kind, query.ranking);
    let mut ranked: Vec<(i64, f64)> = signals
        .iter()
        .zip(relevance)
        .map(|(signals, relevance)| (signals.id, super::round(relevance.base, 4)))
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

/// Cosine and late interaction of the candidates that have vectors.
fn add_vectors(
    tx: &Transaction<'_>,
    vector: &[f32],
    tokens: &QueryTokens,
    candidates: &mut BTreeMap<i64, Signals>,
) -> Result<()> {
    let question = LateQuery::new(tx, TextKind::Reflection, tokens)?;
    for (id, signals) in candidates {
        let stored = embeddings::with_tokens_and_vector(tx, TextKind::Reflection, *id, |blob, stored| {
            (question.answers(blob), cosine(vector, stored))
        })?;
        let Some((answers, cosine)) = stored else { continue };
        signals.cosine = Some(cosine);
        signals.late = answers.map(|answers| LateScore::alone(question.score(&answers)));
    }
    Ok(())
}
