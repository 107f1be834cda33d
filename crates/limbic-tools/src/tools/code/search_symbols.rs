//! The tool search_symbols.

use limbic_core::{
    Result,
    store::code::{
        projects,
        symbols::{self, Position, SymbolFilter},
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{current, filter_words, symbol::SymbolView, symbol_ids};
use crate::{comparisons::Lack, context::Context, cursor, indexing::Shown, tool::tool};

tool! {
    /// List functions, classes and other definitions whose name contains a text, with signature and documentation. For
    /// a question use search_code.
    name: "search_symbols",
    title: "Search symbols",
    toolset: Code,
    access: Read,
    idempotent: true,
    example: r#"{"query": "parse"}"#,
    handler: search_symbols,
}

/// Arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Part of the name; empty for all.
    #[schemars(length(max = 500))]
    pub query: String,
    /// Id of a project. Default: all.
    #[schemars(length(min = 1, max = 200))]
    pub project_id: Option<String>,
    /// function, method, class, struct, enum, interface, module, trait, constant or type.
    #[schemars(length(min = 1, max = 40))]
    pub symbol_type: Option<String>,
    /// Start of paths, such as "src/".
    #[schemars(length(min = 1, max = 1000))]
    pub path_prefix: Option<String>,
    /// Maximum number of symbols.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: usize,
    /// next_cursor of the previous page.
    pub cursor: Option<String>,
}

fn default_limit() -> usize {
    20
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Exact names first.
    pub results: Vec<SymbolView>,
    /// Count of symbols on all pages.
    pub total: u64,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Count of new or changed files that wait to be read.
    pub pending_files: u64,
    /// Seconds since the files outside of this answer were last compared with the index. Omitted if they were compared
    /// for this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked_seconds: Option<u64>,
}

fn search_symbols(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let after = input.cursor.as_deref().map(position).transpose()?;
    filter_words::check_symbol_type(input.symbol_type.as_deref())?;
    let project = input.project_id.clone();
    let mut output = current::answer(context, project.as_deref(), |context, left_out| {
        draft(context, &input, after.as_ref(), left_out)
    })?;
    output.unchecked_seconds = context.unchecked_seconds;
    Ok(output)
}

fn draft(
    context: &mut Context<'_>,
    input: &Input,
    after: Option<&Position>,
    left_out: &Shown,
) -> Result<current::Draft<Output>> {
    let unstored = context.unstored.clone();
    context.memory.read(|tx| {
        let project = symbol_ids::number_of(tx, input.project_id.as_deref())?;
        let filter = SymbolFilter {
            query: input.query.trim().to_owned(),
            project,
            kind: input.symbol_type.clone(),
            path_prefix: input.path_prefix.clone(),
        };
        let symbols::Page { symbols: mut found, total, last } =
            symbols::search(tx, &filter, after, input.limit)?;
        found.retain(|symbol| !left_out.contains(&(symbol.project, symbol.file_path.clone())));
        let shown = found.iter().map(|symbol| (symbol.project, symbol.file_path.clone())).collect();
        let lack = if total == 0 { Lack::Answer } else { Lack::Results };
        let answer = Output {
            results: found.into_iter().map(SymbolView::from).collect(),
            total,
            next_cursor: last.map(cursor_after),
            pending_files: projects::pending_files(tx, project)?
                + current::uncounted(tx, &unstored, project)?,
            unchecked_seconds: None,
        };
        Ok(current::Draft { answer, shown, lack })
    })
}

/// Returns the cursor of the page after a symbol.
fn cursor_after(last: Position) -> String {
    let Position { rank, name, project_id, file_path, qualified_name } = last;
    cursor::after(&[&rank.to_string(), &name, &project_id, &file_path, &qualified_name])
}

/// Parses a cursor.
fn position(text: &str) -> Result<Position> {
    let [rank, name, project_id, file_path, qualified_name] = cursor::keys(text)?;
    let rank = rank.parse().map_err(|_| cursor::invalid(text))?;
    Ok(Position { rank, name, project_id, file_path, qualified_name })
}
