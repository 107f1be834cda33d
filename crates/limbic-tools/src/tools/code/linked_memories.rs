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
            code_links::{self, CodeLink, Current},
        },
    },
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    context::Context,
    tool::Toolset,
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
    /// Returns the view of a memory that a link belongs to.
    pub fn new(memory: &MemoryNode, link: &CodeLink, current: &Current) -> Self {
        Self {
            id: memory.id.clone(),
            text: title(memory, MAX_CHARACTERS),
            link: CodeLinkView::new(link, current),
            unconfirmed: memory.is_unconfirmed,
        }
    }
}

/// Finds the memories of symbols: valid ones without an owner, because the code index has no users. Finds none if the
/// caller is not offered the memory tools.
pub struct SymbolMemories {
    visible_in: Option<String>,
    is_allowed: bool,
}

impl SymbolMemories {
    /// Prepares the search for the caller of a tool.
    pub fn new(context: &Context<'_>) -> Self {
        Self {
            visible_in: context.visible_in.map(str::to_owned),
            is_allowed: context.user().is_none() && context.offers(Toolset::Memory),
        }
    }

    /// Returns up to three memories of a symbol, its file, or the symbols that it calls, in this order.
    pub fn of(&self, tx: &Transaction<'_>, symbol: &CodeSymbol) -> Result<Vec<LinkedMemory>> {
        if !self.is_there(tx)? {
            return Ok(Vec::new());
        }
        let links =
            code_links::of_file(tx, &symbol.project_id, &symbol.file_path, Some(&symbol.qualified_name))?;
        self.views(tx, links.into_iter().chain(of_callees(tx, symbol)?), MAX_MEMORIES)
    }

    /// Returns at most `limit` memories of the symbols of a file.
    pub fn of_file(
        &self,
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
        &self,
        tx: &Transaction<'_>,
        links: impl IntoIterator<Item = CodeLink>,
        limit: usize,
    ) -> Result<Vec<LinkedMemory>> {
        let filter = Filter { visible_in: self.visible_in.as_deref(), ..Filter::default() };
        let found = code_links::memories_of(tx, links, &filter, limit, |_| Ok(true))?;
        Ok(found.iter().map(|(memory, link, current)| LinkedMemory::new(memory, link, current)).collect())
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
