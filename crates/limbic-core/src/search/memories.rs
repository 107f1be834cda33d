//! Searching memories: candidates from words, vectors and links, one relevance, then what each memory counts for.
//!
//! score = (relevance + 0.1 words + 0.4 seed graph) x effective confidence x sqrt(importance) x freshness x backing
//!
//! - relevance is that of `fusion`, with late interaction for the memory alone; without vectors, how much of the question
//!   its words cover (`lexical/coverage`);
//! - words is BM25 as a share of the highest, since summary, path and tags have no vectors;
//! - graph is the square root of personalised PageRank as a share of the highest, over what is around the memories that
//!   rank first; seed is the highest relevance of those, or 0.5 where the question names an entity;
//! - backing is what supports the memory, and what it refines or supersedes.

mod candidates;
mod link_expansion;
mod ranked;
mod related;
mod prior;
mod collapse_near_duplicates;

pub use prior::by_prior;
pub use related::{RelatedQuery, related};

use limbic_protocol::QueryTokens;

use super::{
    VectorCache,
    fusion::Relevance,
    signals::{Mode, Ranking, Signals},
};
use crate::{
    Result, Transaction,
    store::memories::{Admission, Filter, MemoryNode, Prior, neighbourhood::LinkFilter},
};
use candidates::Candidates;

/// Where the most relevant memory is less relevant than this, nothing that is stored answers the question; see
/// `RANKING.md` for how often that is wrong.
pub(crate) const CONFIDENT_RELEVANCE: f64 = 0.38;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct MemoryQuery<'a> {
    /// The question as the user wrote it.
    pub text: &'a str,
    /// The most results.
    pub limit: usize,
    /// Which memories may be found.
    pub filter: &'a Filter<'a>,
    /// Which links count.
    pub links: LinkFilter<'a>,
    /// The question's sentence vector and tokens, when an encoder is there.
    pub encoding: Option<(&'a [f32], &'a QueryTokens)>,
    /// What orders the results.
    pub ranking: Ranking,
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryHit {
    /// The memory.
    pub memory: MemoryNode,
    /// What orders the results.
    pub score: f64,
    /// What the signals say of it.
    pub signals: Signals,
    /// Relevance without links, about 0 to 1.
    pub relevance: Relevance,
    /// Personalised PageRank, 0 where no links are around.
    pub page_rank: f64,
    /// What that added to the relevance.
    pub graph_share: f64,
    /// What words added to it.
    pub words_share: f64,
    /// What it counts for, whatever is asked.
    pub prior: Prior,
    /// What supports it, and what it refines or supersedes: 1 or more.
    pub backing: f64,
}

/// What a search of memories found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundMemories {
    /// Best first, then by number.
    pub hits: Vec<MemoryHit>,
    /// Which signals could speak.
    pub mode: Mode,
    /// Whether something that is stored answers the question: the most relevant memory is at `CONFIDENT_RELEVANCE` or
    /// above, and without vectors has two of the question's content words, if there are two.
    pub confident: bool,
}

/// Searches memories. Reads only: noting what was found is the caller's, after the answer.
///
/// # Errors
/// Those of the filter and of the database.
pub fn memories(
    tx: &Transaction<'_>,
    vectors: &mut VectorCache,
    query: MemoryQuery<'_>,
) -> Result<FoundMemories> {
    let mut admission = Admission::new(tx, query.filter)?;
    let mut walk = Admission::new(tx, &walked(query.filter))?;
    let mut found = Candidates::find(tx, vectors, query, &mut admission)?;
    let (signals, relevance) = found.weighed(query.ranking);
    let relevant: Vec<(i64, f64)> =
        signals.iter().zip(&relevance).map(|(signals, relevance)| (signals.id, relevance.base)).collect();
    let ranks = link_expansion::ranks(tx, query, &relevant, &mut walk)?;
    for (number, _) in link_expansion::best(&ranks) {
        if !found.signals.contains_key(&number) && admission.admits(tx, number)? {
            found.add(tx, vectors, query, number)?;
        }
    }
    let (signals, relevance) = found.weighed(query.ranking);
    let best = relevance.iter().map(|relevance| relevance.base).fold(0.0, f64::max);
    let mode = if found.have_vectors() { Mode::Hybrid } else { Mode::Lexical };
    let ranked = ranked::best_first(tx, &signals, &relevance, &ranks, query.limit, &mut walk)?;
    // Near is what the texts of now are, not those of a moment before.
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
        Mode::Lexical => found.cover(CONFIDENT_RELEVANCE),
    };
    Ok(FoundMemories { hits, mode, confident })
}

/// What links may lead through: whatever is of the same domain and user and holds at the same moment, on any subject.
fn walked<'a>(filter: &Filter<'a>) -> Filter<'a> {
    Filter {
        domain: filter.domain,
        user_id: filter.user_id,
        as_of: filter.as_of,
        include_expired: filter.include_expired,
        include_contradicted: filter.include_contradicted,
        ..Filter::default()
    }
}
