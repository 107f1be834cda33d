//! The tool search_code.

mod chunk_memories;
mod chunk_view;

use limbic_core::{
    Engine, Result,
    search::code::{self, CodeMode, CodeQuery, FoundChunk},
    store::{
        code::{chunks::ChunkFilter, projects},
        vectors::embedding_queue,
    },
};
use limbic_guard::redact_secrets;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{current, filter_words, linked_memories::SymbolMemories, symbol_ids};
use crate::{
    budget::{Budget, answer_tokens},
    comparisons::Lack,
    context::Context,
    indexing::Shown,
    tool::tool,
};
use chunk_view::Explanation;

pub use chunk_view::ChunkView;

tool! {
    /// Search source code by meaning, words and names. Returns matching functions and sections as they are on disk now.
    /// For names use search_symbols, for callers and callees symbol_graph.
    name: "search_code",
    title: "Search code",
    toolset: Code,
    access: Read,
    idempotent: true,
    texts: texts,
    example: r#"{"query": "where are passwords checked"}"#,
    handler: checked_search,
}

/// Signals of the search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum SearchMode {
    #[default]
    Hybrid,
    Vector,
    Words,
}

/// Arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Question, words or a name.
    #[schemars(length(min = 1, max = 2000))]
    pub query: String,
    /// Id of a project. Default: all.
    #[schemars(length(min = 1, max = 200))]
    pub project_id: Option<String>,
    /// Maximum number of results.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: usize,
    /// hybrid: vectors and BM25; vector: vectors only; words: BM25 only.
    #[serde(default)]
    pub mode: SearchMode,
    /// Start of paths, such as "src/".
    #[schemars(length(min = 1, max = 1000))]
    pub path_prefix: Option<String>,
    /// Language, such as "python".
    #[schemars(length(min = 1, max = 40))]
    pub language: Option<String>,
    /// function, class, struct, module, impl or other.
    #[schemars(length(min = 1, max = 40))]
    pub chunk_type: Option<String>,
    /// Add how each result was ranked.
    #[serde(default)]
    pub explain: bool,
    /// Answer budget in 4-character tokens.
    #[serde(default = "answer_tokens")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub max_tokens: usize,
}

fn default_limit() -> usize {
    10
}

fn texts(arguments: &Value) -> Vec<String> {
    if arguments.get("mode").and_then(Value::as_str) == Some("words") {
        return Vec::new();
    }
    arguments.get("query").and_then(Value::as_str).map(str::to_owned).into_iter().collect()
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Best first.
    pub results: Vec<ChunkView>,
    /// Count of results.
    pub count: usize,
    /// Count of further results, which did not fit into max_tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<usize>,
    /// How to get these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The query.
    pub query: String,
    /// Count of new or changed files that wait to be read.
    pub pending_files: u64,
    /// Seconds since the files outside of this answer were last compared with the index. Omitted if they were compared
    /// for this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked_seconds: Option<u64>,
}

fn checked_search(context: &mut Context<'_>, input: Input) -> Result<Output> {
    filter_words::check_language(input.language.as_deref())?;
    filter_words::check_chunk_type(input.chunk_type.as_deref())?;
    search_code(context, input)
}

/// Searches without checking the words of the filter, as other servers do.
pub(crate) fn search_code(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let project = input.project_id.clone();
    let mut waiting = Vec::new();
    let mut output = current::answer(context, project.as_deref(), |context, left_out| {
        waiting.clear();
        draft(context, &input, left_out, &mut waiting)
    })?;
    output.unchecked_seconds = context.unchecked_seconds;
    if !waiting.is_empty() && !context.memory.database().is_read_only() {
        let write =
            move |memory: &mut Engine| memory.write(|tx| embedding_queue::put_chunks_first(tx, &waiting));
        context.deferred.push(Box::new(write));
    }
    Ok(output)
}

/// Searches. `waiting` receives the chunks of the files in use that wait for their vectors, if there is an encoder.
fn draft(
    context: &mut Context<'_>,
    input: &Input,
    left_out: &Shown,
    waiting: &mut Vec<i64>,
) -> Result<current::Draft<Output>> {
    let vector = context.query_encoding().map(|(vector, _)| vector.to_vec());
    let mode = match input.mode {
        SearchMode::Hybrid => CodeMode::Hybrid,
        SearchMode::Vector => CodeMode::Vector,
        SearchMode::Words => CodeMode::Words,
    };
    let mut linked = SymbolMemories::new(context);
    let compares = vector.is_some() && mode != CodeMode::Words;
    let unstored = context.unstored.clone();
    let static_vectors = context.code.as_ref().and_then(|files| files.static_vectors());
    context.memory.read_with_chunk_vectors(compares, |tx, vectors| {
        let project = symbol_ids::number_of(tx, input.project_id.as_deref())?;
        let query = CodeQuery {
            text: &input.query,
            vector: vector.as_deref(),
            static_vectors,
            mode,
            filter: ChunkFilter {
                project,
                path_prefix: input.path_prefix.clone(),
                language: input.language.clone(),
                chunk_type: input.chunk_type.clone(),
            },
            limit: input.limit,
        };
        let mut found = code::search(tx, vectors, &query)?;
        let key = |hit: &FoundChunk| (hit.chunk.project, hit.chunk.file_path.clone());
        found.retain(|hit| !left_out.contains(&key(hit)));
        let mut shown = Shown::new();
        for file in found.iter().map(key) {
            if vector.is_some() && !shown.contains(&file) {
                waiting.extend(embedding_queue::chunks_of_file(tx, file.0, &file.1)?);
            }
            shown.insert(file);
        }
        let lack = lack(&found, &input.query);
        let mut results: Vec<ChunkView> = found.into_iter().map(|hit| view(hit, input.explain)).collect();
        chunk_memories::add(tx, &mut linked, &mut results)?;
        shown.extend(linked.into_files());
        let omitted = Budget::new(input.max_tokens).cut(&mut results);
        let answer = Output {
            count: results.len(),
            results,
            omitted: Some(omitted).filter(|count| *count > 0),
            hint: (omitted > 0).then(|| {
                format!(
                    "The results exceed max_tokens ({}): raise it, or narrow the search with path_prefix, language or \
                     chunk_type",
                    input.max_tokens
                )
            }),
            query: input.query.clone(),
            pending_files: projects::pending_files(tx, project)?
                + current::uncounted(tx, &unstored, project)?,
            unchecked_seconds: None,
        };
        Ok(current::Draft { answer, shown, lack })
    })
}

/// Returns how the results may be incomplete: one word that no result contains may be a new name.
fn lack(found: &[FoundChunk], query: &str) -> Lack {
    let name = query.trim().to_lowercase();
    let is_name = !name.contains(char::is_whitespace);
    let has_name = |hit: &FoundChunk| hit.chunk.content.to_lowercase().contains(&name);
    if found.is_empty() || (is_name && !found.iter().any(has_name)) { Lack::Answer } else { Lack::Results }
}

fn view(hit: FoundChunk, explain: bool) -> ChunkView {
    let FoundChunk { chunk, score, words, vector, static_vector, factor } = hit;
    let at = format!("{}:{}", chunk.project_id, chunk.file_path);
    ChunkView {
        id: format!("{at}:{}-{}", chunk.start_line, chunk.end_line),
        symbol_id: chunk.symbol.map(|symbol| format!("{at}#{symbol}")),
        file_path: chunk.file_path,
        content: redact_secrets(chunk.content),
        language: chunk.language,
        start_line: chunk.start_line,
        end_line: chunk.end_line,
        chunk_type: chunk.chunk_type,
        name: chunk.name,
        score,
        memories: Vec::new(),
        explanation: explain.then_some(Explanation { words, vector, static_vector, factor }),
    }
}
