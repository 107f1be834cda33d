//! The tool search_semantic.

use limbic_core::{
    Error, Result, Transaction,
    model::numbers::round,
    search::{self, Found, Hit, Mode, Query, Share},
    store::{
        graph::observations,
        logs::{
            entity_access,
            search_log::{self, Event, Logged, Policy},
        },
        vectors::embedding_queue,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, answer_tokens},
    context::Context,
    phrasings,
    tool::tool,
    tools::graph::open_nodes::Detail,
    views::mode_name,
};

tool! {
    /// Search entities by meaning, for a question in your own words; for an exact text use search_nodes. Ranks by
    /// meaning, words, usage and age. Without a model, only words count (see mode).
    name: "search_semantic",
    title: "Search by meaning",
    toolset: Graph,
    brief: &["query", "queries", "limit", "entity_type", "cursor", "detail"],
    access: Read,
    idempotent: false,
    texts: phrasings::in_arguments,
    example: r#"{"query": "where does the project keep its data?", "limit": 5}"#,
    handler: search_semantic,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Question or description; required without queries.
    #[schemars(length(min = 1, max = 2000))]
    pub query: Option<String>,
    /// Up to 5 other phrasings: each result counts by the one that it matches best.
    #[schemars(length(min = 1, max = 5), inner(length(min = 1, max = 2000)))]
    pub queries: Option<Vec<String>>,
    /// Maximum number of results on all pages.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: usize,
    /// Only entities of this type.
    #[schemars(length(min = 1, max = 500))]
    pub entity_type: Option<String>,
    /// Only entities of this status.
    #[schemars(length(min = 1, max = 50))]
    pub status: Option<String>,
    /// full adds the scores.
    #[serde(default)]
    pub detail: Detail,
    /// Add the scores, each signal's contribution and the best observation.
    #[serde(default)]
    pub explain: bool,
    /// next_cursor of the previous page.
    pub cursor: Option<String>,
    /// Answer budget in 4-character tokens.
    #[serde(default = "answer_tokens")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub max_tokens: usize,
}

fn default_limit() -> usize {
    10
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Best first.
    pub results: Vec<ResultView>,
    /// Count of results that did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results_omitted: Option<usize>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// "hybrid", or "lexical" if only words were compared.
    pub mode: &'static str,
    /// Count of texts not yet embedded: keyword search alone finds them.
    pub pending_embeddings: usize,
    /// Id in the search log; absent if not logged, as for later pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<i64>,
}

/// One result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResultView {
    /// Unique name.
    pub name: String,
    /// Type.
    #[serde(rename = "entityType")]
    pub entity_type: String,
    /// Current observations, oldest first.
    pub observations: Vec<String>,
    /// Count of observations not shown; see open_nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observations_omitted: Option<usize>,
    /// Score that orders the results, with detail full or explain, as the other scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limbic_score: Option<f64>,
    /// Usage and age.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scoring: Option<Scoring>,
    /// 1 - cosine to the query, 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// Reciprocal rank fusion of BM25 and vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rrf_score: Option<f64>,
    /// Contributions, with explain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// Usage and age.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Scoring {
    /// How often it was opened, extended or linked after similar queries, 0 to 1.38.
    pub importance: f64,
    /// Recency, 0.1 to 1.
    pub temporal_factor: f64,
    /// Co-occurrence with the other results.
    pub cooc_boost: f64,
}

/// Contributions of the signals.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Explanation {
    /// The phrasing that matched best, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Relevance without usage and age, 0 to 1.
    pub relevance: f64,
    /// Rank by relevance alone, from 1.
    pub baseline_rank: usize,
    /// Cosine of the sentence vectors.
    pub vector: Signal,
    /// MaxSim over the query's content tokens.
    pub late: Signal,
    /// BM25.
    pub lexical: Signal,
    /// Best matching observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_observation: Option<String>,
}

/// Value and contribution of one signal.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Signal {
    /// Raw value before weighting; absent if the signal does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Contribution to the relevance.
    pub share: f64,
}

fn search_semantic(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let started_millis = context.memory.database().host().now_millis();
    let ranking = context.ranking;
    let texts = phrasings::of(input.query.as_deref(), input.queries.as_deref());
    if texts.is_empty() {
        return Err(Error::invalid("query is missing: give query, or queries with 1 to 5 phrasings"));
    }
    let phrasings = context.phrasings(&texts);
    let query = Query {
        phrasings: &phrasings,
        limit: input.limit,
        entity_type: input.entity_type.as_deref(),
        status: input.status.as_deref(),
        ranking,
    };
    let compares = phrasings.iter().any(|phrasing| phrasing.encoding.is_some());
    let mut shown = shown_before(input.cursor.as_deref())?;
    let (mut found, results, pending_embeddings) =
        context.memory.read_with_vectors(compares, |tx, vectors| {
            let mut found = search::entities(tx, vectors, query)?;
            found.hits.retain(|hit| !shown.contains(&hit.entity.id));
            let mut budget = Budget::new(input.max_tokens);
            let mut results = Vec::new();
            for hit in &found.hits {
                let result = view(tx, hit, found.mode, &input, &texts)?;
                if !budget.take(&result) {
                    break;
                }
                results.push(result);
            }
            Ok((found, results, embedding_queue::outstanding(tx)?))
        })?;
    let omitted = found.hits.len() - results.len();
    // Results that were cut off do not count as found, and cannot be used.
    found.hits.truncate(results.len());
    shown.extend(found.hits.iter().map(|hit| hit.entity.id));
    let duration_millis = (context.memory.database().host().now_millis() - started_millis).max(0);
    let policy = context.search_log;
    let mode = mode_name(found.mode);
    let is_logged = policy.days > 0 && !context.memory.database().is_read_only() && input.cursor.is_none();
    let event_id = is_logged.then(|| context.event_ids.next(started_millis));
    if !context.memory.database().is_read_only() {
        let session_id = context.memory.session().id().to_owned();
        context.deferred.push(Box::new(move |memory| {
            if input.cursor.is_some() {
                let ids: Vec<i64> = found.hits.iter().map(|hit| hit.entity.id).collect();
                return memory.write(|tx| entity_access::record(tx, &ids));
            }
            let id = event_id.unwrap_or_default();
            let logged =
                memory.write(|tx| record(tx, policy, id, (&texts, input.limit), &found, duration_millis))?;
            // Another session may have been entered where the database was busy.
            if let Some(event_id) = logged.filter(|_| memory.session().id() == session_id) {
                let ids: Vec<i64> = found.hits.iter().map(|hit| hit.entity.id).collect();
                memory.session_mut().searched(event_id, started_millis, &ids);
            }
            Ok(())
        }));
    }
    Ok(Output {
        results,
        results_omitted: Some(omitted).filter(|omitted| *omitted > 0),
        next_cursor: (omitted > 0).then(|| cursor(&shown)),
        mode,
        pending_embeddings,
        event_id,
    })
}

/// The entities that previous pages have shown. A cursor names them instead of a rank, because a search changes the
/// order.
fn shown_before(cursor: Option<&str>) -> Result<Vec<i64>> {
    let Some(text) = cursor else { return Ok(Vec::new()) };
    text.split('.').map(|id| id.parse().ok()).collect::<Option<_>>().ok_or_else(|| {
        Error::invalid(format!(
            "cursor must be the next_cursor of the previous page, or absent for the first, but got {text:?}"
        ))
    })
}

fn cursor(shown: &[i64]) -> String {
    shown.iter().map(i64::to_string).collect::<Vec<_>>().join(".")
}

fn view(
    tx: &Transaction<'_>,
    hit: &Hit,
    mode: Mode,
    input: &Input,
    phrasings: &[String],
) -> Result<ResultView> {
    let all = observations::current(tx, hit.entity.id)?;
    let best = hit.best_observation.and_then(|id| all.iter().find(|observation| observation.id == id));
    let is_full = input.explain || input.detail == Detail::Full;
    let explanation = input.explain.then(|| Explanation {
        query: phrasings.get(hit.phrasing).filter(|_| phrasings.len() > 1).cloned(),
        relevance: round(hit.base, 4),
        baseline_rank: hit.baseline_rank,
        vector: signal(hit.vector),
        late: signal(hit.late),
        lexical: signal(hit.lexical),
        best_observation: best.map(|observation| observation.content.clone()),
    });
    let count = all.len();
    let mut budget = Budget::part_of(input.max_tokens);
    let observations: Vec<String> =
        all.into_iter().map(|observation| observation.content).take_while(|text| budget.take(text)).collect();
    Ok(ResultView {
        name: hit.entity.name.clone(),
        entity_type: hit.entity.entity_type.clone(),
        observations_omitted: Some(count - observations.len()).filter(|omitted| *omitted > 0),
        observations,
        limbic_score: is_full.then(|| round(hit.score, 4)),
        scoring: is_full.then(|| Scoring {
            importance: round(hit.factors.importance, 4),
            temporal_factor: round(hit.factors.temporal, 4),
            cooc_boost: round(hit.factors.co_occurrence, 4),
        }),
        distance: hit.vector.value.filter(|_| is_full).map(|cosine| round(1.0 - cosine, 4)),
        rrf_score: (is_full && mode == Mode::Hybrid).then(|| round(hit.rrf, 6)),
        explanation,
    })
}

fn signal(share: Share) -> Signal {
    Signal { value: share.value.map(|value| round(value, 4)), share: round(share.share, 4) }
}

fn record(
    tx: &Transaction<'_>,
    policy: Policy,
    id: i64,
    (texts, limit): (&[String], usize),
    found: &Found,
    duration_millis: i64,
) -> Result<Option<i64>> {
    let ids: Vec<i64> = found.hits.iter().map(|hit| hit.entity.id).collect();
    entity_access::record(tx, &ids)?;
    let results: Vec<Logged<'_>> = found
        .hits
        .iter()
        .map(|hit| Logged {
            entity_id: hit.entity.id,
            entity_name: &hit.entity.name,
            limbic_score: hit.score,
            relevance: hit.base,
            cosine: hit.vector.value,
            factors: hit.factors,
            baseline_rank: hit.baseline_rank,
        })
        .collect();
    let phrasings: Vec<&str> = texts.iter().map(String::as_str).collect();
    let event = Event {
        id,
        phrasings: &phrasings,
        query_hash: &format!("{:016x}", found.query_hash),
        treatment: u8::from(found.treatment),
        limit,
        engine: mode_name(found.mode),
        duration_millis,
    };
    search_log::record(tx, policy, event, &results)
}
