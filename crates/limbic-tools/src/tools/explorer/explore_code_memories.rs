//! The tool explore_code_memories.

use std::collections::BTreeMap;

use limbic_core::{
    Result, Transaction,
    explore::lists::memory_list::{self, MemoryRow},
    model::memory_words::MemoryStatus,
    store::memories::code_links::{self, CodeState},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    context::Context,
    cursor,
    tool::tool,
    tools::memory::code_links::{self as linked, Unknown},
    views::memory::CodeLinkView,
};

tool! {
    /// List the valid memories whose code changed, moved or is gone since they were linked to it. memory_update with
    /// the same symbols confirms that one holds for the present code.
    name: "explore_code_memories",
    title: "Explore memories whose code changed",
    toolset: Explorer,
    access: Read,
    idempotent: true,
    needs_code: true,
    example: r#"{"limit": 20}"#,
    handler: explore_code_memories,
}

/// Statuses of memories that are no longer valid.
const PAST: [MemoryStatus; 2] = [MemoryStatus::Ended, MemoryStatus::Expired];

/// States that call for a review, the most urgent one first.
const URGENCY: [CodeState; 3] = [CodeState::Changed, CodeState::Gone, CodeState::Moved];

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Maximum number of memories.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
    /// next_cursor of the previous page.
    pub cursor: Option<String>,
}

fn default_limit() -> usize {
    100
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Those with changed code first, then those whose code is gone, then moved; by id.
    pub memories: Vec<LinkedView>,
    /// Total count of such memories.
    pub total: usize,
    /// Count of all links.
    pub links: usize,
    /// Count of links whose code is unchanged.
    pub holding: usize,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A memory whose code has changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkedView {
    /// The memory.
    #[serde(flatten)]
    pub row: MemoryRow,
    /// All symbols that it is about, by id.
    pub symbols: Vec<CodeLinkView>,
}

fn explore_code_memories(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let after = input.cursor.as_deref().map(position).transpose()?;
    let links = context.memory.read(code_links::all)?;
    linked::refresh_linked(context, links.iter())?;
    let unknown = Unknown::new(context);
    context.memory.read(|tx| list(tx, input.limit, after, &unknown))
}

/// The place of a memory: its urgency and its id.
type Place = (usize, String);

fn list(tx: &Transaction<'_>, limit: usize, after: Option<Place>, unknown: &Unknown) -> Result<Output> {
    let links = code_links::all(tx)?;
    let mut holding = 0;
    let mut linked: BTreeMap<String, Vec<CodeLinkView>> = BTreeMap::new();
    for link in &links {
        let now = unknown.current(tx, link)?;
        holding += usize::from(now.state == CodeState::Holds);
        linked.entry(link.memory_id.clone()).or_default().push(CodeLinkView::new(link, &now));
    }
    let mut due: Vec<(String, Vec<CodeLinkView>)> =
        linked.into_iter().filter(|(_, symbols)| symbols.iter().any(CodeLinkView::is_due)).collect();
    // Stable, so that the order of ids stays.
    due.sort_by_key(|(_, symbols)| urgency(symbols));
    let (mut total, mut memories, mut last, mut has_more) = (0, Vec::new(), None, false);
    for (id, symbols) in due {
        let row = memory_list::get(tx, &id)?;
        // Invalid memories need no review.
        let Some(row) = row.filter(|row| !PAST.contains(&row.status)) else { continue };
        total += 1;
        let place = (urgency(&symbols), id);
        if after.as_ref().is_some_and(|after| place <= *after) {
            continue;
        }
        if memories.len() < limit {
            memories.push(LinkedView { row, symbols });
            last = Some(place);
        } else {
            has_more = true;
        }
    }
    let next_cursor =
        last.filter(|_| has_more).map(|(urgency, id)| cursor::after(&[&urgency.to_string(), &id]));
    Ok(Output { memories, total, links: links.len(), holding, next_cursor })
}

/// Returns how urgent the review of a memory with these symbols is; 0 comes first.
fn urgency(symbols: &[CodeLinkView]) -> usize {
    let each = symbols.iter().filter_map(|link| URGENCY.iter().position(|it| Some(*it) == link.state));
    each.min().unwrap_or(URGENCY.len())
}

/// Parses a cursor.
fn position(text: &str) -> Result<Place> {
    let [urgency, id] = cursor::keys(text)?;
    urgency.parse().map(|urgency| (urgency, id)).map_err(|_| cursor::invalid(text))
}
