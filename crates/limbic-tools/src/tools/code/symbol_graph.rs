//! The tool symbol_graph.

mod relations;
mod walk;

use limbic_core::{
    Error, Result, Transaction,
    model::text::echo,
    store::code::{
        projects,
        symbols::{self, CodeSymbol},
    },
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{current, linked_memories::SymbolMemories, symbol_ids};
use crate::{code_files::Found, comparisons::Lack, context::Context, indexing::Shown, tool::tool};
use relations::{Action, Direction, MinTier, Output};
use walk::Walk;

tool! {
    /// Follow relations of a definition: its callers and callees, references, what it extends or contains, or what a
    /// line refers to. Each edge has a tier, resolved or likely. search_symbols has the ids.
    name: "symbol_graph",
    title: "Symbol graph",
    toolset: Code,
    access: Read,
    idempotent: true,
    example: r#"{"symbol_id": "shop:server/orders.py#check_amount", "action": "callers"}"#,
    handler: symbol_graph,
}

/// Arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id from search_symbols or search_code.
    #[schemars(length(min = 1, max = 4096))]
    pub symbol_id: Option<String>,
    /// Instead of symbol_id: path in the project, with line.
    #[schemars(length(min = 1, max = 4096))]
    pub file_path: Option<String>,
    /// Line in file_path, from 1.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub line: Option<u32>,
    /// Project of file_path. Default: the only one.
    #[schemars(length(min = 1, max = 200))]
    pub project_id: Option<String>,
    /// references: all uses; related: all relations; definition: what a line refers to.
    pub action: Action,
    /// Steps to follow.
    #[serde(default = "default_depth")]
    #[schemars(range(min = 1, max = 5))]
    pub depth: u32,
    /// For related: in (to the symbol), out (from it) or both.
    #[serde(default)]
    pub direction: Direction,
    /// resolved: by scopes, imports and types; likely: also by unique names; name: also ambiguous ones, as candidates.
    #[serde(default)]
    pub min_tier: MinTier,
    /// Maximum number of edges.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
}

fn default_depth() -> u32 {
    1
}

fn default_limit() -> usize {
    100
}

fn symbol_graph(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let named = context.memory.read(|tx| named_files(tx, &input))?;
    let refreshed = current::refresh_named(context, &named)?;
    check_readable(context, &refreshed.unreadable)?;
    let named_project = input.symbol_id.as_deref().and_then(|id| Some(id.split_once(':')?.0));
    let project = named_project.or(input.project_id.as_deref()).map(str::to_owned);
    let mut output = current::answer(context, project.as_deref(), |context, left_out| {
        let mut linked = SymbolMemories::new(context);
        let unstored = context.unstored.clone();
        context.memory.read(|tx| {
            let mut draft = draft(tx, &input, left_out, &unstored)?;
            if let Some(first) = draft.answer.nodes.first() {
                draft.answer.memories = linked.of(tx, &symbol_ids::find(tx, &first.symbol_id)?)?;
                draft.shown.extend(linked.into_files());
            }
            Ok(draft)
        })
    })?;
    output.unchecked_seconds = context.unchecked_seconds;
    Ok(output)
}

fn draft(
    tx: &Transaction<'_>,
    input: &Input,
    left_out: &Shown,
    unstored: &Shown,
) -> Result<current::Draft<Output>> {
    let mut walk = Walk::new(tx, input.min_tier, input.limit, left_out);
    let project;
    if let (Action::Definition, Some(path), Some(line)) = (input.action, &input.file_path, input.line) {
        project = symbol_ids::project_or_only(tx, input.project_id.as_deref())?.number;
        walk.line(project, path, line)?;
    } else {
        let start = start(tx, input)?;
        project = start.project;
        walk.add(start.clone())?;
        if input.action != Action::Definition {
            walk.follow(start.number, input.action, input.direction, input.depth)?;
        }
    }
    let mut draft = walk.end()?;
    if input.action == Action::Definition && input.symbol_id.is_some() {
        draft.lack = Lack::Nothing;
    }
    draft.answer.pending_files =
        projects::unfinished_files(tx, project)? + current::uncounted(tx, unstored, Some(project))?;
    Ok(draft)
}

/// Returns the files that the arguments name, which may contain new symbols.
fn named_files(tx: &Transaction<'_>, input: &Input) -> Result<Shown> {
    if let Some(id) = &input.symbol_id {
        return symbol_ids::files(tx, id);
    }
    let Some(path) = &input.file_path else { return Ok(Shown::new()) };
    let project = symbol_ids::project_or_only(tx, input.project_id.as_deref())?;
    Ok(Shown::from([(project.number, path.clone())]))
}

/// Checks that the files that the arguments name can be read: nothing of others is shown.
fn check_readable(context: &mut Context<'_>, unreadable: &Shown) -> Result<()> {
    let known = context.memory.read(projects::all)?;
    for (number, path) in unreadable {
        let Some(project) = known.iter().find(|project| project.number == *number) else { continue };
        if let Found::Unreadable(reason) = context.code_files()?.read(&project.path, path) {
            return Err(Error::invalid(format!(
                "{} cannot be read ({reason}), so that its symbols are not shown: make it readable, or ask about \
                 another file",
                echo(path)
            )));
        }
    }
    Ok(())
}

fn start(tx: &Transaction<'_>, input: &Input) -> Result<CodeSymbol> {
    match (&input.symbol_id, &input.file_path, input.line) {
        (Some(id), None, None) => symbol_ids::find(tx, id),
        (None, Some(path), Some(line)) => {
            let project = symbol_ids::project_or_only(tx, input.project_id.as_deref())?;
            symbols::enclosing(tx, project.number, path, line)?
                .ok_or_else(|| Error::SymbolNotFound(format!("none encloses line {line} of {path}")))
        }
        _ => Err(Error::invalid("Give either symbol_id, or file_path and line")),
    }
}
