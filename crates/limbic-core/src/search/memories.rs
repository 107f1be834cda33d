//! Search of memories: candidates from words, vectors and links, a relevance, and the prior of each memory.
//!
//! score = (relevance + 0.1 words + 0.4 seed graph) x effective confidence x sqrt(importance) x freshness x backing
//!
//! - relevance is that of `fusion`, with late interaction for the memory and its context (`surroundings`); without
//!   vectors, the coverage of the question by its words (`lexical/coverage`);
//! - words is BM25 of summary, path and tags, which have no vectors, relative to the highest BM25; without vectors, that
//!   of all words;
//! - graph is the square root of personalised PageRank relative to the highest, over the neighbourhood of the memories
//!   that rank first; seed is the highest relevance of those, or 0.5 if the question names an entity;
//! - backing is the strength of links that support it, or by which it refines or supersedes another.
//!
//! Of a query in several phrasings, relevance + 0.1 words of a memory are those of the phrasing where their sum is
//! highest; the entities that any phrasing names are seeds.

mod candidates;
mod link_expansion;
mod ranked;
mod related;
mod surroundings;
mod prior;
mod collapse_near_duplicates;

pub use collapse_near_duplicates::with_corrections;
pub use prior::by_prior;
pub use related::{RelatedQuery, related};

use super::{
    VectorCache,
    fusion::Relevance,
    signals::{Mode, Phrasing, Ranking, Signals},
};
use crate::{
    Result, Transaction,
    store::memories::{Filter, FilterEvaluator, MemoryNode, Prior, neighbourhood::LinkFilter},
};
use candidates::{Candidates, matched};

/// Minimum relevance of the best memory for a confident answer; see `RANKING.md` for the error rates.
pub(crate) const CONFIDENT_RELEVANCE: f64 = 0.38;

/// A query for memories.
#[derive(Debug, Clone, Copy)]
pub struct MemoryQuery<'a> {
    /// Its phrasings: at least one.
    pub phrasings: &'a [Phrasing<'a>],
    /// Maximum number of results.
    pub limit: usize,
    /// Which memories may be found.
    pub filter: &'a Filter<'a>,
    /// Which links count.
    pub links: LinkFilter<'a>,
    /// The ranking of the results.
    pub ranking: Ranking,
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryHit {
    /// The memory.
    pub memory: MemoryNode,
    /// The final score.
    pub score: f64,
    /// Its signals.
    pub signals: Signals,
    /// Relevance without links, about 0 to 1.
    pub relevance: Relevance,
    /// The relevance of the memory alone, without context and dates, to the phrasing where that is highest.
    pub alone: f64,
    /// Personalised PageRank; 0 without links.
    pub page_rank: f64,
    /// Its contribution to the relevance.
    pub graph_share: f64,
    /// The contribution of words to the relevance.
    pub words_share: f64,
    /// Its prior, independent of the query.
    pub prior: Prior,
    /// Factor for links that support it, and for memories that it refines or supersedes: 1 or more.
    pub backing: f64,
    /// Index of the phrasing that matched best, to which the signals refer.
    pub phrasing: usize,
}

/// The result of a search of memories.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundMemories {
    /// Best first, then by number.
    pub hits: Vec<MemoryHit>,
    /// The signals that were available.
    pub mode: Mode,
    /// Whether some memory alone has a relevance of `CONFIDENT_RELEVANCE` or more for some phrasing and, without vectors,
    /// contains two of its content words, if it has two.
    pub confident: bool,
}

/// Searches memories. Read-only: the caller records the access after the answer.
///
/// # Errors
/// As [`Filter::conditions`].
pub fn memories(
    tx: &Transaction<'_>,
    vectors: &mut VectorCache,
    query: MemoryQuery<'_>,
) -> Result<FoundMemories> {
    let mut evaluator = FilterEvaluator::new(tx, query.filter)?;
    let mut walk = FilterEvaluator::new(tx, &walked(query.filter))?;
    let mut found = Vec::with_capacity(query.phrasings.len());
    for phrasing in query.phrasings {
        found.push(Candidates::find(tx, vectors, query, *phrasing, &mut evaluator)?);
    }
    let relevant: Vec<(i64, f64)> =
        matched(&found, query.ranking).iter().map(|one| (one.signals.id, one.highest)).collect();
    let ranks = link_expansion::ranks(tx, query, &relevant, &mut walk)?;
    let linked: Vec<i64> = link_expansion::best(&ranks).into_iter().map(|(number, _)| number).collect();
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
        None => collapse_near_duplicates::collapsed(tx, ranked, query.limit)?,
        Some(_) => ranked,
    };
    ranked.truncate(query.limit);
    let mut hits = Vec::with_capacity(ranked.len());
    for ranked in ranked {
        hits.extend(ranked.hit(tx, &mut walk)?);
    }
    let confident = match mode {
        Mode::Hybrid => best >= CONFIDENT_RELEVANCE,
        Mode::Lexical => found.iter().any(|candidates| candidates.cover(CONFIDENT_RELEVANCE)),
    };
    Ok(FoundMemories { hits, mode, confident })
}

/// Returns the filter for links: memories of the same domain and user that hold at the same time, on any subject, and
/// that hooks of the project may show.
fn walked<'a>(filter: &Filter<'a>) -> Filter<'a> {
    Filter {
        domain: filter.domain,
        user_id: filter.user_id,
        as_of: filter.as_of,
        visible_in: filter.visible_in,
        include_expired: filter.include_expired,
        include_contradicted: filter.include_contradicted,
        ..Filter::default()
    }
}
