//! The tool memory_recall.

mod arguments;
mod recalled_code;
mod results;

use limbic_core::{
    CurrentDomain, Error, Result, Transaction,
    model::numbers::round,
    mutations,
    search::{
        self,
        memories::{MemoryCache, MemoryHit, MemoryQuery, RelatedQuery},
    },
    store::{
        domains,
        memories::{self, Filter, MemoryNode, Sort, neighbourhood::LinkFilter},
        vectors::embedding_queue,
    },
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    code_links,
    walk::{RELATION_TYPES, known_types},
};
use crate::{
    budget::Budget,
    context::Context,
    phrasings,
    schema::Short,
    tool::tool,
    tools::graph::open_nodes::Detail,
    views::{
        memory::{BriefMemory, MemoryView, Texts},
        mode_name,
    },
};
use arguments::{Input, Strategy};
use results::{Explanation, FullView, RecalledView, ResultView, ScoresView};

tool! {
    /// Recall memories for a question in your own words, or by subject and other filters. Ranks by meaning, words and
    /// links, then confidence, importance and age. Near-duplicates that differ are all returned, newer first, each
    /// naming the others in possible_contradiction. Recall raises confidence.
    name: "memory_recall",
    title: "Recall memories",
    toolset: Memory,
    brief: &[
        "query", "queries", "subject", "category", "domain", "tags", "user_id", "as_of", "strategy", "limit", "detail",
    ],
    access: Read,
    idempotent: false,
    texts: |arguments| {
        let is_hybrid = arguments.get("strategy").is_none_or(|strategy| strategy == "hybrid");
        if is_hybrid { phrasings::in_arguments(arguments) } else { Vec::new() }
    },
    example: r#"{"query": "how are the tests run?", "category": "convention", "limit": 5}"#,
    handler: memory_recall,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Best first: id, content, category unless fact, subject, date, and caveats such as possible_contradiction. With
    /// detail full or explain: memories as in memory_get, without links and history, each with score, vector_score,
    /// bm25_score and ppr_score (0 if a signal had no value). With include_code: also results of search_code, and in
    /// each source: memory or code.
    #[schemars(with = "Vec<Short<ResultView>>")]
    pub memories: Vec<ResultView>,
    /// Count of memories that did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memories_omitted: Option<usize>,
    /// The query, with detail full or explain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// "lexical" if only words were compared; "standing" without a query; otherwise the strategy. "hybrid" only with
    /// detail full or explain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<&'static str>,
    /// Whether the results answer the query; false if none is similar. true only with detail full or explain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confident: Option<bool>,
    /// Count of texts not yet embedded: keyword search alone finds them. 0 only with detail full or explain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_embeddings: Option<usize>,
}

/// The rows that the transaction of a recall has read.
struct Read {
    found: Found,
    /// The domain that was searched, or `None` for all.
    domain: Option<String>,
    pending_embeddings: usize,
    has_code_links: bool,
}

/// The result of a strategy.
struct Found {
    memories: Vec<(MemoryView, Scores)>,
    mode: &'static str,
    confident: Option<bool>,
}

#[derive(Default)]
struct Scores {
    score: f64,
    vector: f64,
    lexical: f64,
    graph: f64,
    explanation: Option<Explanation>,
}

fn memory_recall(context: &mut Context<'_>, input: Input) -> Result<Output> {
    check(&input)?;
    recalled_code::check(context, &input)?;
    let texts = match input.strategy {
        Strategy::Hybrid => phrasings::of(input.query.as_deref(), input.queries.as_deref()),
        _ => Vec::new(),
    };
    let (ranking, visible_in, shown) = (context.ranking, context.visible_in, context.options.texts());
    let phrasings = context.phrasings(&texts);
    let compares = phrasings.iter().any(|phrasing| phrasing.encoding.is_some());
    // In one transaction: in a store, each one begins with a round trip.
    let Read { mut found, domain, pending_embeddings, has_code_links } =
        context.memory.read_with_memory_cache(compares, |tx, cache, current| {
            let domain = domain(tx, current, &input)?;
            let filter = filter(&input, domain.as_deref(), visible_in);
            known_types(tx, RELATION_TYPES, &input.relation_types, input.user_id.as_deref())?;
            let found = if phrasings.is_empty() {
                plain(tx, &input, &filter, shown)?
            } else {
                let query = MemoryQuery {
                    phrasings: &phrasings,
                    limit: input.limit,
                    filter: &filter,
                    links: links(&input),
                    ranking,
                };
                hybrid(tx, cache, &input, (query, &texts), shown)?
            };
            Ok(Read {
                found,
                pending_embeddings: embedding_queue::outstanding(tx)?,
                has_code_links: memories::code_links::exist(tx)?,
                domain,
            })
        })?;
    if input.as_of.is_none() && has_code_links {
        code_links::attach(context, found.memories.iter_mut().map(|(memory, _)| memory))?;
    }
    let code = if input.include_code { recalled_code::found(context, &input)? } else { Vec::new() };
    let mut budget = Budget::new(input.max_tokens);
    let shows_scores = context.user().is_none();
    let is_full = input.explain || input.detail == Detail::Full;
    let memories: Vec<RecalledView> = found
        .memories
        .into_iter()
        .map(|(memory, scores)| match is_full {
            false => RecalledView::Brief(Box::new(BriefMemory::new(memory, domain.is_none()))),
            true => RecalledView::Full(Box::new(FullView {
                memory,
                scores: shows_scores.then(|| ScoresView {
                    score: round(scores.score, 4),
                    vector_score: round(scores.vector, 4),
                    bm25_score: round(scores.lexical, 4),
                    ppr_score: round(scores.graph, 4),
                }),
                explanation: scores.explanation.filter(|_| shows_scores),
            })),
        })
        .collect();
    let results = if input.include_code {
        recalled_code::merged(memories, code, input.limit)
    } else {
        memories.into_iter().map(ResultView::Memory).collect()
    };
    let count = results.len();
    let memories: Vec<ResultView> = results.into_iter().take_while(|result| budget.take(result)).collect();
    if input.touch
        && input.as_of.is_none()
        && !context.memory.database().is_read_only()
        && !memories.is_empty()
    {
        let ids: Vec<String> = memories.iter().filter_map(|it| Some(it.memory()?.id().to_owned())).collect();
        let session_id = context.memory.session().id().to_owned();
        context.deferred.push(Box::new(move |memory| {
            memory.write(|tx| mutations::memories::record_access(tx, &ids, &session_id))
        }));
    }
    Ok(Output {
        memories_omitted: Some(count - memories.len()).filter(|omitted| *omitted > 0),
        memories,
        query: input.query.filter(|_| is_full),
        // A short answer states them where they are a caveat.
        mode: Some(found.mode).filter(|mode| is_full || *mode != mode_name(search::Mode::Hybrid)),
        confident: found.confident.filter(|confident| is_full || !confident),
        pending_embeddings: Some(pending_embeddings).filter(|count| is_full || *count > 0),
    })
}

/// Checks that the arguments are compatible.
fn check(input: &Input) -> Result<()> {
    let strategy = input.strategy;
    let refused = |message: String| Err(Error::invalid(message));
    if input.queries.is_some() && strategy != Strategy::Hybrid {
        return refused(format!(
            "queries needs strategy hybrid; it was given with {}: leave out strategy, or queries",
            strategy.name()
        ));
    }
    match strategy {
        Strategy::Related if input.start_id.is_none() => {
            refused("strategy related needs start_id: the id of the start memory".into())
        }
        Strategy::Path if input.path.is_none() => refused("strategy path needs path".into()),
        Strategy::Tag if input.tags.is_empty() => refused("strategy tag needs tags".into()),
        Strategy::Content if input.query.is_none() => {
            refused("strategy content needs query: a substring".into())
        }
        Strategy::Hybrid | Strategy::Content => Ok(()),
        _ if input.query.is_some() => {
            refused(format!("query needs strategy hybrid or content; it was given with {}", strategy.name()))
        }
        _ => Ok(()),
    }?;
    if input.start_id.is_some() && strategy != Strategy::Related {
        return refused(format!("start_id needs strategy related; it was given with {}", strategy.name()));
    }
    Ok(())
}

/// Returns the domain to search, or `None` for all. Links start in the domain of their source memory.
fn domain(tx: &Transaction<'_>, current: CurrentDomain<'_>, input: &Input) -> Result<Option<String>> {
    match (&input.domain, &input.start_id) {
        (None, Some(start_id)) => memories::get(tx, start_id).map(|start| Some(start.domain)),
        (None, None) => current.read(tx).map(Some),
        (Some(given), _) if given.trim() == super::ALL => Ok(None),
        (Some(given), _) => domains::resolve(tx, given).map(Some),
    }
}

fn filter<'a>(input: &'a Input, domain: Option<&'a str>, visible_in: Option<&'a str>) -> Filter<'a> {
    Filter {
        domain,
        subject: input.subject.as_deref(),
        category: input.category.map(Into::into),
        memory_type: input.memory_type.map(Into::into),
        path: input.path.as_deref(),
        tags: &input.tags,
        user_id: input.user_id.as_deref(),
        as_of: input.as_of.as_deref(),
        before: input.before.as_deref(),
        after: input.after.as_deref(),
        min_confidence: input.min_confidence,
        include_expired: input.include_expired,
        include_contradicted: input.include_contradicted,
        visible_in,
        ..Filter::default()
    }
}

fn hybrid(
    tx: &Transaction<'_>,
    cache: &mut MemoryCache,
    input: &Input,
    (query, texts): (MemoryQuery<'_>, &[String]),
    shown: Texts,
) -> Result<Found> {
    let found = search::memories::memories(tx, cache, query)?;
    let memories = found
        .hits
        .into_iter()
        .map(|hit| {
            let scores = scores(&hit, input.explain, texts);
            Ok((view(tx, hit.memory, query.filter.as_of, shown)?, scores))
        })
        .collect::<Result<_>>()?;
    Ok(Found { memories, mode: mode_name(found.mode), confident: Some(found.confident) })
}

/// Returns the current state of a memory, or its state at a time.
fn view(tx: &Transaction<'_>, memory: MemoryNode, as_of: Option<&str>, shown: Texts) -> Result<MemoryView> {
    match as_of {
        None => MemoryView::marked(tx, memory, shown),
        Some(_) => MemoryView::earlier(tx, memories::in_words_of(tx, memory, as_of)?, shown),
    }
}

fn links(input: &Input) -> LinkFilter<'_> {
    LinkFilter { types: &input.relation_types, min_strength: input.min_strength.unwrap_or(0.0) }
}

fn scores(hit: &MemoryHit, explain: bool, phrasings: &[String]) -> Scores {
    let rounded = |number: f64| round(number, 4);
    Scores {
        score: hit.score,
        vector: hit.signals.cosine.unwrap_or(0.0),
        lexical: hit.signals.lexical.unwrap_or(0.0),
        graph: hit.page_rank,
        explanation: explain.then(|| Explanation {
            query: phrasings.get(hit.phrasing).filter(|_| phrasings.len() > 1).cloned(),
            relevance: rounded(hit.relevance.base),
            alone: Some(rounded(hit.alone)).filter(|alone| *alone != rounded(hit.relevance.base)),
            late: hit.signals.late.map(|late| rounded(late.mixed())),
            words_share: rounded(hit.words_share),
            graph_share: rounded(hit.graph_share),
            confidence: rounded(hit.prior.confidence),
            importance: rounded(hit.prior.importance),
            freshness: rounded(hit.prior.freshness),
            backing: rounded(hit.backing),
        }),
    }
}

/// Runs every strategy but hybrid: selection by time, links or a substring.
fn plain(tx: &Transaction<'_>, input: &Input, filter: &Filter<'_>, shown: Texts) -> Result<Found> {
    let (limit, strategy) = (input.limit, input.strategy);
    let unscored = |memories: Vec<MemoryNode>| {
        memories.into_iter().map(|memory| (memory, Scores::default())).collect::<Vec<_>>()
    };
    let scored = |memory, score| (memory, Scores { score, ..Scores::default() });
    let memories = match (strategy, &input.start_id, &input.query) {
        (Strategy::Related, Some(start_id), _) => {
            let query = RelatedQuery { start_id, limit, filter, links: links(input) };
            search::memories::related(tx, query)?
                .into_iter()
                .map(|(memory, strength)| scored(memory, strength))
                .collect()
        }
        (Strategy::Content, _, Some(part)) => unscored(memories::containing(tx, filter, part, limit)?),
        (Strategy::Hybrid, _, _) => search::memories::by_prior(tx, filter, limit)?
            .into_iter()
            .map(|(memory, prior)| scored(memory, prior.factor()))
            .collect(),
        _ => unscored(memories::list(tx, filter, Sort::Recency, limit)?),
    };
    let memories = memories
        .into_iter()
        .map(|(memory, scores)| Ok((view(tx, memory, filter.as_of, shown)?, scores)))
        .collect::<Result<_>>()?;
    let mode = if strategy == Strategy::Hybrid { "standing" } else { strategy.name() };
    Ok(Found { memories, mode, confident: None })
}
