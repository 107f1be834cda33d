//! Search of memories: candidates from words, vectors and links, a relevance, and the prior of each memory.
//!
//! score = (relevance + 0.1 words + 0.4 seed graph) x prior^0.1 x backing
//! prior = effective confidence x sqrt(importance) x freshness
//!
//! - relevance is that of `fusion`, with late interaction for the memory and its context (`surroundings`); without
//!   vectors, the coverage of the question by its words (`lexical/coverage`);
//! - words is BM25 of summary, path and tags, which have no vectors, relative to the highest BM25; without vectors,
//!   that of all words;
//! - graph is the square root of personalised PageRank relative to the highest, over the neighbourhood of the memories
//!   that rank first; seed is the highest relevance of those, or 0.5 if the question names an entity;
//! - backing is the strength of links that support it, or by which it refines or supersedes another.
//!
//! Of a query in several phrasings, relevance + 0.1 words of a memory are those of the phrasing where their sum is
//! highest; the entities that any phrasing names are seeds.

mod query;
mod cache;
mod candidates;
mod link_expansion;
mod ranked;
mod related;
mod surroundings;
mod prior;
mod collapse_near_duplicates;

pub use cache::MemoryCache;
pub use collapse_near_duplicates::with_corrections;
pub use prior::by_prior;
pub use query::{FoundMemories, MemoryHit, MemoryQuery};
pub use related::{RelatedQuery, related};

use limbic_protocol::Scale;

use super::signals::{Mode, Phrasing};
use crate::{
    Result, Transaction,
    model::numbers::round,
    store::{full_text::Index, memories::FilterEvaluator},
};
use candidates::{Candidates, matched};
use query::walked;

/// Minimum relevance of the best memory for a confident answer, with the packaged model or by words alone; see
/// `RANKING.md` for the error rates.
pub(crate) const MIN_CONFIDENT_RELEVANCE: f64 = 0.38;

/// Returns [`MIN_CONFIDENT_RELEVANCE`] for an encoder: as far from its unrelated to its identical texts as with the
/// packaged model.
fn min_confident_relevance(phrasings: &[Phrasing<'_>]) -> f64 {
    let scale = phrasings.iter().find_map(|phrasing| phrasing.encoding?.1.scale);
    let Some(scale) = scale else { return MIN_CONFIDENT_RELEVANCE };
    let ends = |scale: Scale| (f64::from(scale.unrelated), f64::from(scale.identical));
    let ((low, high), (unrelated, identical)) = (ends(Scale::SHIPPED), ends(scale));
    let share = (MIN_CONFIDENT_RELEVANCE - low) / (high - low);
    round(unrelated + share * (identical - unrelated), 4)
}

/// Searches memories. Read-only: the caller records the access after the answer.
///
/// # Errors
/// Errors of the [`Filter`](crate::store::memories::Filter).
pub fn memories(
    tx: &Transaction<'_>,
    cache: &mut MemoryCache,
    query: MemoryQuery<'_>,
) -> Result<FoundMemories> {
    let MemoryCache { vectors, words } = cache;
    words.refresh(tx, &Index::of_memories())?;
    let mut evaluator = FilterEvaluator::new(tx, query.filter)?;
    let mut walk = FilterEvaluator::of_single(tx, &walked(query.filter))?;
    let mut found = Vec::with_capacity(query.phrasings.len());
    for phrasing in query.phrasings {
        found.push(Candidates::find(tx, (vectors, words), query, *phrasing, &mut evaluator)?);
    }
    walk.learn_admitted(&evaluator);
    let relevant: Vec<(i64, f64)> =
        matched(&found, query.ranking).iter().map(|one| (one.signals.id, one.highest)).collect();
    let ranks = link_expansion::ranks(tx, query, &relevant, &mut walk)?;
    let linked: Vec<i64> = link_expansion::best(&ranks).into_iter().map(|(number, _)| number).collect();
    evaluator.learn_from_equal(&walk);
    evaluator.test(tx, &linked)?;
    for candidates in &mut found {
        let mut added = Vec::new();
        for number in &linked {
            if !candidates.signals.contains_key(number) && evaluator.admits(tx, *number)? {
                added.push(*number);
            }
        }
        candidates.add_linked(tx, vectors, &mut evaluator, &added)?;
    }
    let matched = matched(&found, query.ranking);
    let best = matched.iter().map(|one| one.alone).fold(0.0, f64::max);
    let mode = if found.iter().any(Candidates::have_vectors) { Mode::Hybrid } else { Mode::Lexical };
    let ranked = ranked::best_first(tx, matched, &ranks, query.limit, &mut walk)?;
    // Near-duplicate edges describe the current texts, not those of an earlier time.
    let mut ranked = match query.filter.as_of {
        None => collapse_near_duplicates::collapsed(tx, ranked, query)?,
        Some(_) => ranked,
    };
    ranked.truncate(query.limit);
    let hits = ranked::hits(tx, ranked, &mut walk)?;
    let confident = match mode {
        Mode::Hybrid => best >= min_confident_relevance(query.phrasings),
        Mode::Lexical => found.iter().any(|candidates| candidates.cover(MIN_CONFIDENT_RELEVANCE)),
    };
    Ok(FoundMemories { hits, mode, confident })
}
