//! Search of entities: candidates from words and vectors, a relevance from all signals, then limbic factors.
//!
//! Of a query in several phrasings, the relevance of an entity is the highest of its relevances for each of them.

use std::collections::{BTreeMap, HashSet};

use super::{
    VectorCache,
    date_match::AskedDates,
    fusion::{self, Relevance},
    lexical::{self, WordRows},
    passages,
    signals::{self, Kind, Mode, Phrasing, Ranking, Signals},
    usage_boost,
};
use crate::{
    Result, Transaction,
    model::{
        entity_status::EntityStatus,
        usage::{self, Factors},
    },
    store::{
        full_text::{Index, TextHit},
        graph::entities::{self as rows, Entity},
        ranking_weights,
    },
};

/// Minimum number of candidates from each of words and vectors.
const MIN_POOL: usize = 100;

/// One query in this many is answered by relevance alone, so that the effect of limbic factors can be measured.
const BASELINE_SHARE: u64 = 10;

/// A query for entities.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// Its phrasings: at least one. The first one counts as the query in the search log.
    pub phrasings: &'a [Phrasing<'a>],
    /// Maximum number of results.
    pub limit: usize,
    /// Only entities of this type.
    pub entity_type: Option<&'a str>,
    /// Only entities of this status.
    pub status: Option<&'a str>,
    /// The ranking of the results.
    pub ranking: Ranking,
}

/// The contribution of one signal to a result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The value of the signal before weighting; `None` if it does not apply.
    pub value: Option<f64>,
    /// Its contribution to the relevance.
    pub share: f64,
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The entity.
    pub entity: Entity,
    /// The final score.
    pub score: f64,
    /// Relevance alone, 0 to 1, weighted by the entity's status.
    pub base: f64,
    /// The factors of use and time.
    pub factors: Factors,
    /// 1-based rank by relevance alone.
    pub baseline_rank: usize,
    /// Reciprocal rank fusion of words and sentence vector.
    pub rrf: f64,
    /// BM25 and its share.
    pub lexical: Share,
    /// Cosine and its share.
    pub vector: Share,
    /// Late interaction and its share.
    pub late: Share,
    /// The observation that matched best.
    pub best_observation: Option<i64>,
    /// Index of the phrasing that matched best, to which the signals refer.
    pub phrasing: usize,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Best first, then by id.
    pub hits: Vec<Hit>,
    /// The signals that were available.
    pub mode: Mode,
    /// Whether the order includes limbic factors.
    pub treatment: bool,
    /// Hash of all phrasings for the search log.
    pub query_hash: u64,
}

/// Searches entities. Read-only: the caller records the access after the answer.
pub fn entities(tx: &Transaction<'_>, vectors: &mut VectorCache, query: Query<'_>) -> Result<Found> {
    let query_hash = hash(query.phrasings);
    let treatment = query.ranking == Ranking::Limbic && !query_hash.is_multiple_of(BASELINE_SHARE);
    let allowed = match (query.entity_type, query.status) {
        (None, None) => None,
        (entity_type, status) => Some(rows::ids_with(tx, entity_type, status)?),
    };
    let (mut ranked, mode) = matched(tx, vectors, query, allowed.as_ref())?;
    ranked.sort_by(|a, b| {
        crate::model::numbers::round(b.base, 6)
            .total_cmp(&crate::model::numbers::round(a.base, 6))
            .then(a.entity.id.cmp(&b.entity.id))
    });
    ranked.truncate(query.limit.saturating_mul(3));
    let ids: Vec<i64> = ranked.iter().map(|candidate| candidate.entity.id).collect();
    let texts = query.phrasings.iter().map(|phrasing| phrasing.text);
    let comparable = usage_boost::ComparableQuery::new(texts, format!("{query_hash:016x}"));
    let factors = usage_boost::factors(tx, &comparable, &ids)?;
    let weights = ranking_weights::load(tx)?;
    let mut hits: Vec<Hit> = ranked
        .into_iter()
        .zip(factors)
        .enumerate()
        .map(|(index, (Matched { entity, signals, relevance, base, phrasing }, factors))| Hit {
            score: if treatment {
                factors.apply(base, weights)
            } else {
                crate::model::numbers::round(base, 6)
            },
            entity,
            base,
            factors,
            baseline_rank: index + 1,
            rrf: relevance.rrf,
            lexical: Share { value: signals.lexical, share: relevance.lexical },
            vector: Share { value: signals.cosine, share: relevance.vector },
            late: Share { value: signals.late.map(|late| late.mixed()), share: relevance.late },
            best_observation: signals.best_observation,
            phrasing,
        })
        .collect();
    hits.sort_by(|a, b| usage::order((a.score, a.entity.id), (b.score, b.entity.id)));
    hits.truncate(query.limit);
    Ok(Found { hits, mode, treatment, query_hash })
}

/// A candidate with the signals of the phrasing that it matches best.
struct Matched {
    entity: Entity,
    signals: Signals,
    relevance: Relevance,
    /// Relevance weighted by the entity's status.
    base: f64,
    phrasing: usize,
}

/// Returns the candidates of all phrasings, and the signals that were available.
fn matched(
    tx: &Transaction<'_>,
    vectors: &mut VectorCache,
    query: Query<'_>,
    allowed: Option<&HashSet<i64>>,
) -> Result<(Vec<Matched>, Mode)> {
    let mut found: BTreeMap<i64, Matched> = BTreeMap::new();
    let mut mode = Mode::Lexical;
    for (index, phrasing) in query.phrasings.iter().enumerate() {
        let (signals, entities, kind) = candidates(tx, vectors, query.limit, phrasing, allowed)?;
        if signals.iter().any(|signals| signals.cosine.is_some() || signals.late.is_some()) {
            mode = Mode::Hybrid;
        }
        let relevance = fusion::relevance(&signals, kind, query.ranking);
        for ((entity, signals), relevance) in entities.into_iter().zip(signals).zip(relevance) {
            let base = relevance.base * status_weight(&entity.status);
            if found.get(&entity.id).is_none_or(|known| base > known.base) {
                found.insert(entity.id, Matched { entity, signals, relevance, base, phrasing: index });
            }
        }
    }
    Ok((found.into_values().collect(), mode))
}

/// Returns the candidates for a phrasing with their signals, and the kind of their texts. Deleted entities are removed
/// from the cached vectors.
fn candidates(
    tx: &Transaction<'_>,
    vectors: &mut VectorCache,
    limit: usize,
    phrasing: &Phrasing<'_>,
    allowed: Option<&HashSet<i64>>,
) -> Result<(Vec<Signals>, Vec<Entity>, Kind)> {
    let pool = MIN_POOL.max(limit.saturating_mul(3));
    let admits = |id: i64| allowed.is_none_or(|allowed| allowed.contains(&id));
    let mut found: BTreeMap<i64, Signals> = BTreeMap::new();
    let mut kind = Kind::default();
    // A filter may admit few of the best candidates, so all matches are fetched.
    let lexical_limit = if allowed.is_some() { usize::MAX >> 1 } else { pool };
    let mut read = WordRows::default();
    let words = lexical::best(tx, &Index::of_entities(), phrasing.text, lexical_limit, &mut read)?;
    for TextHit { row: id, score, .. } in words.into_iter().filter(|hit| admits(hit.row)) {
        if found.len() == pool {
            break;
        }
        found.insert(id, Signals { id, lexical: Some(score), ..Signals::default() });
    }
    if let Some((vector, tokens)) = phrasing.encoding {
        let nearest = nearest_existing(tx, vectors, vector, pool, admits)?;
        for (id, cosine) in &nearest {
            found.entry(*id).or_insert(Signals { id: *id, ..Signals::default() }).cosine = Some(*cosine);
        }
        let dates = AskedDates::of(tx, phrasing.text);
        kind = passages::add(tx, (tokens, &dates), vectors, &mut found, admits)?;
        kind.foreign = signals::foreign_share(phrasing.text, Some(tokens));
        let nearest: Vec<i64> = nearest.into_iter().map(|(id, _)| id).collect();
        for signals in found.values_mut() {
            signals.cosine = signals.cosine.or_else(|| vectors.cosine(vector, signals.id));
            if kind.code > 0.0 {
                signals.hub = vectors.mean_of_best(signals.id, &nearest);
            }
        }
    }
    let mut signals = Vec::with_capacity(found.len());
    let mut entities = Vec::with_capacity(found.len());
    for (id, candidate) in found {
        if let Some(entity) = rows::get(tx, id)? {
            signals.push(candidate);
            entities.push(entity);
        }
    }
    Ok((signals, entities, kind))
}

fn nearest_existing(
    tx: &Transaction<'_>,
    vectors: &mut VectorCache,
    vector: &[f32],
    pool: usize,
    admits: impl Fn(i64) -> bool,
) -> Result<Vec<(i64, f64)>> {
    loop {
        let nearest = vectors.nearest(vector, pool, &admits);
        let mut deleted = Vec::new();
        for (id, _) in &nearest {
            if rows::get(tx, *id)?.is_none() {
                deleted.push(*id);
            }
        }
        if deleted.is_empty() {
            return Ok(nearest);
        }
        deleted.into_iter().for_each(|id| vectors.remove(id));
    }
}

/// Returns the weight of a status: finished and archived entities count less.
fn status_weight(status: &str) -> f64 {
    match EntityStatus::of(status) {
        Some(EntityStatus::Paused) => 0.85,
        Some(EntityStatus::Completed) => 0.7,
        Some(EntityStatus::Archived) => 0.5,
        Some(EntityStatus::Active | EntityStatus::Placeholder) | None => 1.0,
    }
}

/// Hashes a query, which decides its treatment reproducibly.
fn hash(phrasings: &[Phrasing<'_>]) -> u64 {
    let texts: Vec<&str> = phrasings.iter().map(|phrasing| phrasing.text).collect();
    limbic_protocol::fnv1a(texts.join("\n").bytes())
}
