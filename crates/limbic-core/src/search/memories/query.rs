//! A query for memories, and its results.

use crate::{
    model::age::Prior,
    search::{
        fusion::Relevance,
        signals::{Mode, Phrasing, Ranking, Signals},
    },
    store::memories::{Filter, MemoryNode, neighbourhood::LinkFilter},
};

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
    /// Whether some memory alone has a relevance of `MIN_CONFIDENT_RELEVANCE` or more for some phrasing and, without
    /// vectors, contains two of its content words, if it has two.
    pub confident: bool,
}

/// Returns the filter for links: memories of the same domain and user that hold at the same time, on any subject, and
/// that hooks of the project may show.
pub(crate) fn walked<'a>(filter: &Filter<'a>) -> Filter<'a> {
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
