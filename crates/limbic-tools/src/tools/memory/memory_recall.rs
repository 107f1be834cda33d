//! The tool memory_recall.

use limbic_core::{
    Error, Result, Transaction,
    search::{
        self,
        memories::{MemoryHit, MemoryQuery, RelatedQuery},
    },
    store::{
        memories::{self, Filter, MemoryNode, Sort, neighbourhood::LinkFilter},
        vectors::embedding_queue,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::walk::{RELATION_TYPES, known_types};
use crate::{
    budget::{ANSWER_TOKENS, Budget},
    context::Context,
    tool::tool,
    views::{
        memory::{Category, MemoryType, MemoryView, ShortSchema},
        mode_name,
    },
};

tool! {
    /// Recall memories: ask in your own words, or give a subject or other filters to get those that count most. Ranks by
    /// meaning, words and links, then by trust, importance and time. Memories that are alike but say different things are all shown, the newer first, and
    /// name each other as possible_contradiction. What is recalled is trusted more from then on.
    name: "memory_recall",
    title: "Recall memories",
    toolset: Memory,
    access: Read,
    idempotent: false,
    texts: |arguments| {
        let is_hybrid = arguments.get("strategy").is_none_or(|strategy| strategy == "hybrid");
        arguments.get("query").filter(|_| is_hybrid).and_then(|query| query.as_str()).map(str::to_owned).into_iter().collect()
    },
    example: r#"{"query": "how are the tests run?", "category": "convention", "limit": 5}"#,
    handler: memory_recall,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A question or a description, in your own words; with strategy content, a part of the text.
    #[schemars(length(min = 1, max = 2000))]
    pub query: Option<String>,
    /// Only on this subject.
    #[schemars(length(max = 200))]
    pub subject: Option<String>,
    /// Only of this category.
    pub category: Option<Category>,
    /// Only of this type.
    pub memory_type: Option<MemoryType>,
    /// Only of this domain; "*" for all, the current one when not given.
    #[schemars(length(min = 1, max = 200))]
    pub domain: Option<String>,
    /// Only at this path or below it.
    #[schemars(length(min = 1, max = 500))]
    pub path: Option<String>,
    /// Only with all of these tags.
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    pub tags: Vec<String>,
    /// Only of this user.
    #[schemars(length(min = 1, max = 200))]
    pub user_id: Option<String>,
    /// What held at this moment, with text, subject, category and tags of then; filters compare with those.
    pub as_of: Option<String>,
    /// Only what happened before this moment.
    pub before: Option<String>,
    /// Only what happened at this moment or after it.
    pub after: Option<String>,
    /// hybrid by meaning, words and links; content by a part of the text; recent, path or tag by time; related along
    /// links from start_id.
    #[serde(default)]
    pub strategy: Strategy,
    /// With strategy related: id of the memory to start from.
    #[schemars(length(min = 1, max = 200))]
    pub start_id: Option<String>,
    /// Follow only links of these types.
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    pub relation_types: Vec<String>,
    /// Follow only links at least so strong.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_strength: Option<f64>,
    /// Only stored with at least this confidence.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_confidence: Option<f64>,
    /// Also what has expired or no longer holds.
    #[serde(default)]
    pub include_expired: bool,
    /// Also what lost against a memory that contradicts it.
    #[serde(default)]
    pub include_contradicted: bool,
    /// The most memories.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: usize,
    /// The most tokens of the answer.
    #[serde(default = "default_tokens")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub max_tokens: usize,
    /// Whether to say what makes up each score.
    #[serde(default)]
    pub explain: bool,
    /// Whether being recalled counts as use.
    #[serde(default = "default_touch")]
    pub touch: bool,
}

/// How memories are chosen and ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Strategy {
    #[default]
    Hybrid,
    Recent,
    Related,
    Path,
    Tag,
    Content,
}

impl Strategy {
    fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Recent => "recent",
            Self::Related => "related",
            Self::Path => "path",
            Self::Tag => "tag",
            Self::Content => "content",
        }
    }
}

fn default_limit() -> usize {
    10
}

fn default_tokens() -> usize {
    ANSWER_TOKENS
}

fn default_touch() -> bool {
    true
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Best first: memories as memory_get shows them, without what hangs on them, each with score, vector_score,
    /// bm25_score and ppr_score; a signal that was silent has 0.
    #[schemars(with = "Vec<ShortSchema>")]
    pub memories: Vec<RecalledView>,
    /// How many more there are than fit into max_tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memories_omitted: Option<usize>,
    /// The question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// "hybrid", or "lexical" when only words could be compared; "standing" without a question; else the strategy.
    pub mode: &'static str,
    /// Whether what was found answers the question: false when nothing is like it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confident: Option<bool>,
    /// How many texts still wait for an embedding: they are found by their words until then.
    pub pending_embeddings: usize,
}

/// A recalled memory.
#[derive(Debug, Serialize)]
pub struct RecalledView {
    /// The memory.
    #[serde(flatten)]
    pub memory: MemoryView,
    /// What orders the memories.
    pub score: f64,
    /// Cosine of the sentence vectors.
    pub vector_score: f64,
    /// BM25 of the words.
    pub bm25_score: f64,
    /// Personalised PageRank.
    pub ppr_score: f64,
    /// What makes up the score, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// What makes up a score: (relevance + words_share + graph_share) x confidence x importance x freshness x backing.
#[derive(Debug, Serialize)]
pub struct Explanation {
    /// Without links, about 0 to 1.
    pub relevance: f64,
    /// Best tokens for each token of the question; nothing when there are none to compare.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<f64>,
    /// What words add.
    pub words_share: f64,
    /// What links add.
    pub graph_share: f64,
    /// Effective confidence.
    pub confidence: f64,
    /// Square root of the importance.
    pub importance: f64,
    /// How fresh it is.
    pub freshness: f64,
    /// What supports it, and what it refines or supersedes: 1 or more.
    pub backing: f64,
}

/// What a strategy has found.
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
    let domain = domain(context, &input)?;
    let filter = Filter {
        domain: domain.as_deref(),
        subject: input.subject.as_deref(),
        category: input.category.map(Category::name),
        memory_type: input.memory_type.map(MemoryType::name),
        path: input.path.as_deref(),
        tags: &input.tags,
        user_id: input.user_id.as_deref(),
        as_of: input.as_of.as_deref(),
        before: input.before.as_deref(),
        after: input.after.as_deref(),
        min_confidence: input.min_confidence,
        include_expired: input.include_expired,
        include_contradicted: input.include_contradicted,
        ..Filter::default()
    };
    let (found, pending_embeddings) = match (input.strategy, &input.query) {
        (Strategy::Hybrid, Some(query)) => hybrid(context, &input, query, &filter)?,
        _ => {
            context.memory.read(|tx| Ok((plain(tx, &input, &filter)?, embedding_queue::outstanding(tx)?)))?
        }
    };
    let count = found.memories.len();
    let mut budget = Budget::new(input.max_tokens);
    let memories: Vec<RecalledView> = found
        .memories
        .into_iter()
        .map(|(memory, scores)| RecalledView {
            memory,
            score: search::round(scores.score, 4),
            vector_score: search::round(scores.vector, 4),
            bm25_score: search::round(scores.lexical, 4),
            ppr_score: search::round(scores.graph, 4),
            explanation: scores.explanation,
        })
        .take_while(|memory| budget.take(memory))
        .collect();
    if input.touch && input.as_of.is_none() && !context.memory.is_read_only() && !memories.is_empty() {
        let ids: Vec<String> = memories.iter().map(|recalled| recalled.memory.id.clone()).collect();
        let session_id = context.memory.session_id().to_owned();
        context
            .deferred
            .push(Box::new(move |memory| memory.write(|tx| memories::touch(tx, &ids, &session_id))));
    }
    Ok(Output {
        memories_omitted: Some(count - memories.len()).filter(|omitted| *omitted > 0),
        memories,
        query: input.query,
        mode: found.mode,
        confident: found.confident,
        pending_embeddings,
    })
}

/// That the arguments go together.
fn check(input: &Input) -> Result<()> {
    let strategy = input.strategy;
    let refused = |message: String| Err(Error::invalid(message));
    match strategy {
        Strategy::Related if input.start_id.is_none() => {
            refused("strategy related needs start_id: the memory to start from".into())
        }
        Strategy::Path if input.path.is_none() => refused("strategy path needs path".into()),
        Strategy::Tag if input.tags.is_empty() => refused("strategy tag needs tags".into()),
        Strategy::Content if input.query.is_none() => {
            refused("strategy content needs query: a part of the text".into())
        }
        Strategy::Hybrid | Strategy::Content => Ok(()),
        _ if input.query.is_some() => refused(format!(
            "query goes with strategy hybrid or content; it was given with {}",
            strategy.name()
        )),
        _ => Ok(()),
    }?;
    if input.start_id.is_some() && strategy != Strategy::Related {
        return refused(format!(
            "start_id goes with strategy related; it was given with {}",
            strategy.name()
        ));
    }
    Ok(())
}

/// The domain that is meant. Links start in that of the memory they start from.
fn domain(context: &mut Context<'_>, input: &Input) -> Result<Option<String>> {
    match (&input.domain, &input.start_id) {
        (None, Some(start_id)) => {
            context.memory.read(|tx| memories::get(tx, start_id)).map(|start| Some(start.domain))
        }
        (given, _) => super::domain(context, given.clone()),
    }
}

fn hybrid(
    context: &mut Context<'_>,
    input: &Input,
    text: &str,
    filter: &Filter<'_>,
) -> Result<(Found, usize)> {
    let ranking = context.ranking;
    let encoding = context.query_encoding().map(|(vector, tokens)| (vector.to_vec(), tokens.clone()));
    let query = MemoryQuery {
        text,
        limit: input.limit,
        filter,
        links: links(input),
        encoding: encoding.as_ref().map(|(vector, tokens)| (vector.as_slice(), tokens)),
        ranking,
    };
    context.memory.read_with_memory_vectors(encoding.is_some(), |tx, vectors| {
        known_types(tx, RELATION_TYPES, &input.relation_types, input.user_id.as_deref())?;
        let found = search::memories::memories(tx, vectors, query)?;
        let memories = found
            .hits
            .into_iter()
            .map(|hit| {
                let scores = scores(&hit, input.explain);
                Ok((view(tx, hit.memory, filter.as_of)?, scores))
            })
            .collect::<Result<_>>()?;
        let found = Found { memories, mode: mode_name(found.mode), confident: Some(found.confident) };
        Ok((found, embedding_queue::outstanding(tx)?))
    })
}

/// A memory as it is now, or in the words of a moment.
fn view(tx: &Transaction<'_>, memory: MemoryNode, as_of: Option<&str>) -> Result<MemoryView> {
    match as_of {
        None => MemoryView::marked(tx, memory),
        Some(_) => Ok(MemoryView::new(memories::in_words_of(tx, memory, as_of)?, tx.now_millis())),
    }
}

fn links(input: &Input) -> LinkFilter<'_> {
    LinkFilter { types: &input.relation_types, min_strength: input.min_strength.unwrap_or(0.0) }
}

fn scores(hit: &MemoryHit, explain: bool) -> Scores {
    let rounded = |number: f64| search::round(number, 4);
    Scores {
        score: hit.score,
        vector: hit.signals.cosine.unwrap_or(0.0),
        lexical: hit.signals.lexical.unwrap_or(0.0),
        graph: hit.page_rank,
        explanation: explain.then(|| Explanation {
            relevance: rounded(hit.relevance.base),
            late: hit.signals.late.map(|late| rounded(late.mixed())),
            words_share: rounded(hit.words_share),
            graph_share: rounded(hit.graph_share),
            confidence: rounded(hit.standing.confidence),
            importance: rounded(hit.standing.importance),
            freshness: rounded(hit.standing.freshness),
            backing: rounded(hit.backing),
        }),
    }
}

/// Everything but hybrid: what time, links or a part of the text choose.
fn plain(tx: &Transaction<'_>, input: &Input, filter: &Filter<'_>) -> Result<Found> {
    known_types(tx, RELATION_TYPES, &input.relation_types, input.user_id.as_deref())?;
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
        (Strategy::Hybrid, _, _) => search::memories::by_standing(tx, filter, limit)?
            .into_iter()
            .map(|(memory, standing)| scored(memory, standing.factor()))
            .collect(),
        _ => unscored(memories::list(tx, filter, Sort::Recency, limit, 0)?),
    };
    let memories = memories
        .into_iter()
        .map(|(memory, scores)| Ok((view(tx, memory, filter.as_of)?, scores)))
        .collect::<Result<_>>()?;
    let mode = if strategy == Strategy::Hybrid { "standing" } else { strategy.name() };
    Ok(Found { memories, mode, confident: None })
}
