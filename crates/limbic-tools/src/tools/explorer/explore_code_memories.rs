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
    context::Context, indexing::Shown, tool::tool, tools::memory::code_links as linked,
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
    /// Number of memories to skip.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub offset: usize,
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
    let links = context.memory.read(code_links::all)?;
    let unstored = linked::refresh_linked(context, links.iter())?;
    context.memory.read(|tx| list(tx, &input, &unstored))
}

fn list(tx: &Transaction<'_>, input: &Input, unstored: &Shown) -> Result<Output> {
    let links = code_links::all(tx)?;
    let mut holding = 0;
    let mut linked: BTreeMap<String, Vec<CodeLinkView>> = BTreeMap::new();
    for link in &links {
        let now = linked::current(tx, link, unstored)?;
        holding += usize::from(now.state == CodeState::Holds);
        linked.entry(link.memory_id.clone()).or_default().push(CodeLinkView::new(link, &now));
    }
    let mut due: Vec<(String, Vec<CodeLinkView>)> =
        linked.into_iter().filter(|(_, symbols)| symbols.iter().any(CodeLinkView::is_due)).collect();
    let urgency = |symbols: &[CodeLinkView]| {
        symbols.iter().filter_map(|link| URGENCY.iter().position(|it| *it == link.state)).min()
    };
    // Stable, so that the order of ids stays.
    due.sort_by_key(|(_, symbols)| urgency(symbols));
    let mut memories = Vec::new();
    for (id, symbols) in due {
        let row = memory_list::get(tx, &id)?;
        // Invalid memories need no review.
        if let Some(row) = row.filter(|row| !PAST.contains(&row.status)) {
            memories.push(LinkedView { row, symbols });
        }
    }
    let total = memories.len();
    let memories = memories.into_iter().skip(input.offset).take(input.limit).collect();
    Ok(Output { memories, total, links: links.len(), holding })
}
