//! The selection of memories for recall_memories.

use std::collections::BTreeSet;

use limbic_core::{
    Error, Result, Transaction,
    model::text,
    store::memories::{
        self, Edge, Filter, MemoryNode, Sort,
        traverse::{Walk, traverse},
    },
};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::suggest::nearest;

/// Number of memories read at once.
const PAGE: usize = 500;

/// Maximum distance of "related", in links.
const MAX_RELATED_DEPTH: usize = 2;

/// Arguments of recall_memories.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// Maximum number of memories to return
    #[schemars(range(min = 1, max = 1000))]
    pub max_nodes: usize,
    /// How to traverse and select memories
    pub strategy: Strategy,
    /// Starting memory ID (required for "related" strategy)
    #[schemars(length(min = 1, max = 200))]
    pub start_node_id: Option<String>,
    /// Filter by path (required for "path" strategy)
    #[schemars(length(max = 500))]
    pub path: Option<String>,
    /// Filter by tags (required for "tag" strategy)
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    pub tags: Vec<String>,
    /// Optional filter by relationship types
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    pub relationship_types: Vec<String>,
    /// Minimum relationship strength (0-1)
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_strength: Option<f64>,
    /// Optional timestamp upper bound
    pub before: Option<String>,
    /// Optional timestamp lower bound
    pub after: Option<String>,
    /// Content search options (required for "content" strategy)
    pub search: Option<Search>,
    /// Whether to combine results from multiple search criteria
    #[serde(default)]
    pub combined_strategy: bool,
    /// How to sort the results
    pub sort_by: Option<SortBy>,
}

/// How memories are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Strategy {
    Recent,
    Related,
    Path,
    Tag,
    Content,
}

impl Strategy {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recent => "recent",
            Self::Related => "related",
            Self::Path => "path",
            Self::Tag => "tag",
            Self::Content => "content",
        }
    }
}

/// How the results are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum SortBy {
    Relevance,
    Date,
    Strength,
}

/// What to search for in the texts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Search {
    /// Keywords to search for in memory content
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 200)))]
    pub keywords: Vec<String>,
    /// Enable fuzzy matching for keywords
    #[serde(default)]
    pub fuzzy_match: bool,
    /// Not supported
    pub regex: Option<String>,
    /// Whether to perform case-sensitive matching
    #[serde(default)]
    pub case_sensitive: bool,
}

/// A memory found, with its links and its relevance, 0 to 1.
pub struct Found {
    pub memory: MemoryNode,
    pub edges: Vec<Edge>,
    pub score: f64,
}

/// Returns the memories that a caller asks for, up to the maximum.
///
/// # Errors
/// [`Error::InvalidArgument`] if an argument that the strategy requires is missing, and the errors of the filter.
pub fn recall(tx: &Transaction<'_>, domain: &str, input: &Input) -> Result<Vec<Found>> {
    check(input)?;
    let mut found = if input.combined_strategy {
        let mut all = Vec::new();
        for strategy in
            [Strategy::Related, Strategy::Content, Strategy::Path, Strategy::Tag, Strategy::Recent]
        {
            if is_asked_for(input, strategy) {
                all.extend(by(tx, domain, input, strategy)?);
            }
        }
        let mut seen = BTreeSet::new();
        all.retain(|found: &Found| seen.insert(found.memory.number));
        all
    } else {
        by(tx, domain, input, input.strategy)?
    };
    let strongest = |found: &Found| found.edges.iter().map(|edge| edge.strength).fold(0.0, f64::max);
    match input.sort_by {
        None => {}
        Some(SortBy::Relevance) => found.sort_by(|a, b| b.score.total_cmp(&a.score)),
        Some(SortBy::Date) => found.sort_by(|a, b| {
            (&b.memory.timestamp, b.memory.number).cmp(&(&a.memory.timestamp, a.memory.number))
        }),
        Some(SortBy::Strength) => found.sort_by(|a, b| strongest(b).total_cmp(&strongest(a))),
    }
    found.truncate(input.max_nodes);
    Ok(found)
}

/// Checks that the arguments that the strategy requires are present.
fn check(input: &Input) -> Result<()> {
    let missing = match input.strategy {
        Strategy::Related if input.start_node_id.is_none() => "startNodeId",
        Strategy::Path if input.path.is_none() => "path",
        Strategy::Tag if input.tags.is_empty() => "tags",
        Strategy::Content if !has_keywords(input) => "search.keywords",
        _ => "",
    };
    if !missing.is_empty() {
        return Err(Error::invalid(format!(
            "{missing} is missing: strategy {:?} requires it",
            input.strategy.name()
        )));
    }
    if input.search.as_ref().is_some_and(|search| search.regex.is_some()) {
        return Err(Error::invalid("search.regex is not supported: give search.keywords"));
    }
    Ok(())
}

fn has_keywords(input: &Input) -> bool {
    input.search.as_ref().is_some_and(|search| !search.keywords.is_empty())
}

/// Returns the strategies to combine: the named one, and each whose argument is given.
fn is_asked_for(input: &Input, strategy: Strategy) -> bool {
    strategy == input.strategy
        || match strategy {
            Strategy::Recent => false,
            Strategy::Related => input.start_node_id.is_some(),
            Strategy::Path => input.path.is_some(),
            Strategy::Tag => !input.tags.is_empty(),
            Strategy::Content => has_keywords(input),
        }
}

fn by(tx: &Transaction<'_>, domain: &str, input: &Input, strategy: Strategy) -> Result<Vec<Found>> {
    let base = Filter {
        domain: Some(domain),
        before: input.before.as_deref(),
        after: input.after.as_deref(),
        ..Filter::default()
    };
    match strategy {
        Strategy::Recent => listed(tx, input, &base),
        Strategy::Path => listed(tx, input, &Filter { path: input.path.as_deref(), ..base }),
        Strategy::Tag => with_any_tag(tx, input, &base),
        Strategy::Related => related(tx, input, &base),
        Strategy::Content => with_keywords(tx, input, &base),
    }
}

fn listed(tx: &Transaction<'_>, input: &Input, filter: &Filter<'_>) -> Result<Vec<Found>> {
    memories::list(tx, filter, Sort::Recency, input.max_nodes)?
        .into_iter()
        .map(|memory| with_edges(tx, input, memory, 1.0))
        .collect()
}

/// Returns memories with any of the tags; those with more of them first.
#[allow(clippy::cast_precision_loss, reason = "a memory has at most a hundred tags")]
fn with_any_tag(tx: &Transaction<'_>, input: &Input, filter: &Filter<'_>) -> Result<Vec<Found>> {
    let mut found: Vec<Found> = Vec::new();
    let mut seen = BTreeSet::new();
    for tag in &input.tags {
        let filter = Filter { tags: std::slice::from_ref(tag), ..filter.clone() };
        for memory in memories::list(tx, &filter, Sort::Recency, input.max_nodes)? {
            if seen.insert(memory.number) {
                let shared = input.tags.iter().filter(|wanted| memory.tags.contains(wanted)).count();
                let score = shared as f64 / input.tags.len() as f64;
                found.push(with_edges(tx, input, memory, score)?);
            }
        }
    }
    sort(&mut found);
    Ok(found)
}

fn related(tx: &Transaction<'_>, input: &Input, filter: &Filter<'_>) -> Result<Vec<Found>> {
    let walk = Walk {
        max_depth: MAX_RELATED_DEPTH,
        domain: None,
        follow_domains: true,
        max_nodes_per_domain: input.max_nodes.saturating_add(1),
        relation_types: &input.relationship_types,
        min_strength: input.min_strength,
        user_id: None,
        include_expired: false,
    };
    let start = input.start_node_id.as_deref().unwrap_or_default();
    let times = Filter { domain: None, include_contradicted: true, ..filter.clone() };
    let mut found = Vec::new();
    for node in traverse(tx, start, &walk)?.nodes {
        if let Some(step) = &node.step
            && memories::admits(tx, &times, node.memory.number)?
        {
            let score = if node.depth == 1 { step.strength } else { step.strength / 2.0 };
            found.push(with_edges(tx, input, node.memory, score)?);
        }
    }
    Ok(found)
}

/// Returns memories that contain any of the keywords; those that contain more of them first.
#[allow(clippy::cast_precision_loss, reason = "a call has few keywords")]
fn with_keywords(tx: &Transaction<'_>, input: &Input, filter: &Filter<'_>) -> Result<Vec<Found>> {
    let Some(search) = &input.search else { return Ok(Vec::new()) };
    let compared = |text: &str| if search.case_sensitive { text.to_owned() } else { text::fold(text) };
    let keywords: Vec<String> = search.keywords.iter().map(|keyword| compared(keyword)).collect();
    let mut found = Vec::new();
    for page in memories::numbers(tx, filter, Sort::Recency, usize::MAX)?.chunks(PAGE) {
        for memory in memories::in_rows(tx, page)? {
            let content = compared(&memory.content);
            let held = keywords.iter().filter(|keyword| holds(&content, keyword, search)).count();
            if held > 0 {
                let score = held as f64 / keywords.len() as f64;
                found.push(with_edges(tx, input, memory, score)?);
            }
        }
    }
    sort(&mut found);
    Ok(found)
}

/// Whether a text contains a keyword, both as they are compared.
fn holds(content: &str, keyword: &str, search: &Search) -> bool {
    content.contains(keyword)
        || search.fuzzy_match
            && nearest(keyword, content.split(|letter: char| !letter.is_alphanumeric())).is_some()
}

/// Sorts best first, then newest first.
fn sort(found: &mut [Found]) {
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.memory.number.cmp(&a.memory.number)));
}

fn with_edges(tx: &Transaction<'_>, input: &Input, memory: MemoryNode, score: f64) -> Result<Found> {
    let edges = memories::edges_touching(tx, &memory.id)?
        .into_iter()
        .filter(|edge| {
            (input.relationship_types.is_empty() || input.relationship_types.contains(&edge.link_type))
                && input.min_strength.is_none_or(|min_strength| edge.strength >= min_strength)
        })
        .collect();
    Ok(Found { memory, edges, score: limbic_core::model::numbers::round(score, 4) })
}
