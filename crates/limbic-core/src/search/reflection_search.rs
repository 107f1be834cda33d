//! Searching reflections: filters first, then candidates from words and vectors, then one relevance from all signals.
//!
//! The mixture is that of entities in prose: 0.9 late interaction and 0.1 cosine of the sentence vectors; words
//! choose candidates, and stand in for what has no vectors yet. There is nothing written around a reflection, so
//! late interaction is that of the reflection alone.

use std::collections::BTreeMap;

use limbic_protocol::{QueryTokens, TextKind};
use rusqlite::{OptionalExtension, ToSql, named_params};

use super::{
    entity_search::{Mode, Ranking, Signals},
    fusion,
    late::LateQuery,
    passages::LateScore,
    vector_cache,
};
use crate::{
    Result, Transaction,
    model::{text, tokenizer},
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
    for (id, score) in with_words(tx, query, pool)? {
        found.insert(id, Signals { id, lexical: Some(score), ..Signals::default() });
    }
    if let Some((vector, tokens)) = query.encoding {
        for id in nearest(tx, query.filter, vector, pool)? {
            found.entry(id).or_insert(Signals { id, ..Signals::default() });
        }
        add_vectors(tx, vector, tokens, &mut found)?;
    }
    let signals: Vec<Signals> = found.into_values().collect();
    let is_hybrid = signals.iter().any(|signals| signals.cosine.is_some() || signals.late.is_some());
    let relevance = fusion::relevance(&signals, 0.0, query.ranking);
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

/// The reflections that a filter lets in, as a condition on `reflections`.
const ADMITTED: &str = "(:author IS NULL OR fold(author) = :author) AND (:mood IS NULL OR fold(mood) = :mood)
     AND (:target_type IS NULL OR target_type = :target_type)";

/// The `pool` admitted reflections that BM25 ranks first for any of the question's telling words.
fn with_words(tx: &Transaction<'_>, query: ReflectionQuery<'_>, pool: usize) -> Result<Vec<(i64, f64)>> {
    let words = tokenizer::of_query(query.text);
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let (author, mood) = folded(query.filter);
    let mut statement = tx.prepare_cached(&format!(
        "SELECT reflection_fts.rowid, -bm25(reflection_fts) AS score
         FROM reflection_fts JOIN reflections ON reflections.id = reflection_fts.rowid
         WHERE reflection_fts MATCH :words AND {ADMITTED} ORDER BY score DESC, reflections.id LIMIT :pool"
    ))?;
    let parameters = named_params! {
        ":words": tokenizer::any_of(&words), ":pool": pool,
        ":author": author, ":mood": mood, ":target_type": query.filter.target_type,
    };
    let hits = statement.query_map(parameters, |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(hits.collect::<rusqlite::Result<_>>()?)
}

/// The `pool` admitted reflections whose sentence vectors are nearest to the question's.
fn nearest(tx: &Transaction<'_>, filter: Filter<'_>, vector: &[f32], pool: usize) -> Result<Vec<i64>> {
    let (author, mood) = folded(filter);
    let mut statement = tx.prepare_cached(&format!(
        "SELECT rowid FROM reflection_embeddings
         WHERE embedding MATCH :vector AND k = :pool AND rowid IN (SELECT id FROM reflections WHERE {ADMITTED})
         ORDER BY distance"
    ))?;
    let vector = embeddings::to_bytes(vector);
    let parameters: &[(&str, &dyn ToSql)] = named_params! {
        ":vector": vector, ":pool": pool,
        ":author": author, ":mood": mood, ":target_type": filter.target_type,
    };
    let ids = statement.query_map(parameters, |row| row.get(0))?;
    Ok(ids.collect::<rusqlite::Result<_>>()?)
}

/// Cosine and late interaction of the candidates that have vectors.
fn add_vectors(
    tx: &Transaction<'_>,
    vector: &[f32],
    tokens: &QueryTokens,
    candidates: &mut BTreeMap<i64, Signals>,
) -> Result<()> {
    let question = LateQuery::new(tx, TextKind::Reflection, tokens)?;
    let mut statement = tx.prepare_cached(
        "SELECT t.tokens, v.vector FROM token_vectors AS t JOIN text_vectors AS v USING (key) WHERE key = ?1",
    )?;
    for (id, signals) in candidates {
        let stored = statement.query_row([embeddings::key(TextKind::Reflection, *id)], |row| {
            let answers = question.answers(row.get_ref(0)?.as_blob()?);
            Ok((answers, embeddings::from_bytes(row.get_ref(1)?.as_blob()?)))
        });
        let Some((answers, stored)) = stored.optional()? else { continue };
        signals.cosine = Some(vector_cache::cosine(vector, &stored));
        signals.late = answers.map(|answers| LateScore::alone(question.score(&answers)));
    }
    Ok(())
}

/// Author and mood of a filter in the form in which they are compared.
fn folded(filter: Filter<'_>) -> (Option<String>, Option<String>) {
    (filter.author.map(text::fold), filter.mood.map(text::fold))
}
