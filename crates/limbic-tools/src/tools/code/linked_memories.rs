//! Memories about source code.

use limbic_code::{Relation, Tier};
use limbic_core::{
    Result, Transaction,
    store::{
        code::{
            edges,
            symbols::{self, CodeSymbol},
        },
        memories::{
            Filter, MemoryNode,
            code_links::{self, CodeLink},
        },
    },
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    context::Context,
    indexing::Shown,
    tool::Toolset,
    tools::memory::code_links::{self as linked, Unknown},
    views::memory::{CodeLinkView, title},
};

/// Maximum number of memories of a symbol.
pub const MAX_MEMORIES: usize = 3;

/// Maximum length of a memory's text, in characters.
const MAX_CHARACTERS: usize = 200;

/// A memory about source code.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkedMemory {
    /// Id for memory_get.
    pub id: String,
    /// Summary or text, cut.
    pub text: String,
    /// The symbol, and whether its code has changed since the memory was linked.
    #[serde(flatten)]
    pub link: CodeLinkView,
    /// Whether the memory waits for confirmation by a person.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub unconfirmed: bool,
}

impl LinkedMemory {
    fn new(memory: &MemoryNode, link: CodeLinkView) -> Self {
        Self {
            id: memory.id.clone(),
            text: title(memory, MAX_CHARACTERS),
            link,
            unconfirmed: memory.is_unconfirmed,
        }
    }
}

/// Finds the memories of symbols: valid ones without an owner, because the code index has no users. Finds none if the
/// caller is not offered the memory tools.
pub struct SymbolMemories {
    visible_in: Option<String>,
    is_allowed: bool,
    unknown: Unknown,
    /// The files that the links of the found memories lead to.
    files: Shown,
}

impl SymbolMemories {
    /// Prepares the search for the caller of a tool.
    pub fn new(context: &Context<'_>) -> Self {
        Self {
            visible_in: context.visible_in.map(str::to_owned),
            is_allowed: context.user().is_none() && context.offers(Toolset::Memory),
            unknown: Unknown::new(context),
            files: Shown::new(),
        }
    }

    /// Returns up to three memories of a symbol, its file, or the symbols that it calls, in this order.
    pub fn of(&mut self, tx: &Transaction<'_>, symbol: &CodeSymbol) -> Result<Vec<LinkedMemory>> {
        if !self.is_there(tx)? {
            return Ok(Vec::new());
        }
        let links =
            code_links::of_file(tx, &symbol.project_id, &symbol.file_path, Some(&symbol.qualified_name))?;
        self.views(tx, links.into_iter().chain(of_callees(tx, symbol)?), MAX_MEMORIES)
    }

    /// Returns at most `limit` memories of the symbols of a file.
    pub fn of_file(
        &mut self,
        tx: &Transaction<'_>,
        project_id: &str,
        path: &str,
        limit: usize,
    ) -> Result<Vec<LinkedMemory>> {
        if !self.is_there(tx)? {
            return Ok(Vec::new());
        }
        self.views(tx, code_links::of_file(tx, project_id, path, None)?, limit)
    }

    /// Whether memories can be found.
    pub fn is_there(&self, tx: &Transaction<'_>) -> Result<bool> {
        Ok(self.is_allowed && code_links::exist(tx)?)
    }

    /// Returns at most `limit` memories that links belong to.
    pub fn views(
        &mut self,
        tx: &Transaction<'_>,
        links: impl IntoIterator<Item = CodeLink>,
        limit: usize,
    ) -> Result<Vec<LinkedMemory>> {
        let filter = Filter { visible_in: self.visible_in.as_deref(), ..Filter::default() };
        let found = code_links::memories_of(tx, links, &filter, limit, |_| Ok(true))?;
        self.files.extend(linked::files(tx, found.iter().map(|(_, link)| link))?);
        let view = |(memory, link): &(MemoryNode, CodeLink)| {
            Ok(LinkedMemory::new(memory, CodeLinkView::new(link, &self.unknown.current(tx, link)?)))
        };
        found.iter().map(view).collect()
    }

    /// Returns the files that the links of the memories found so far lead to: their states hold if these are current.
    pub fn into_files(self) -> Shown {
        self.files
    }
}

/// Returns the links to the symbols that one calls.
pub fn of_callees(tx: &Transaction<'_>, symbol: &CodeSymbol) -> Result<Vec<CodeLink>> {
    let mut links = Vec::new();
    for edge in edges::out_of(tx, symbol.number, Tier::Likely)? {
        if edge.relation == Relation::Calls
            && let Some(callee) = symbols::get(tx, edge.to)?
        {
            links.extend(code_links::of_symbol(tx, &callee)?);
        }
    }
    Ok(links)
}
