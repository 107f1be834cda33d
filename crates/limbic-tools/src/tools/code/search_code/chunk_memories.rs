//! The memories of the results of a search.

use std::collections::BTreeSet;

use limbic_core::{
    Result, Transaction,
    store::{
        code::{projects, symbols},
        memories::code_links,
    },
};

use super::chunk_view::ChunkView;
use crate::tools::code::linked_memories::{MAX_MEMORIES, SymbolMemories, of_callees};

/// Adds to each result up to three memories of its symbol, its file, or the symbols that it calls. A memory is named
/// with the first result only.
pub fn add(tx: &Transaction<'_>, linked: &mut SymbolMemories, results: &mut [ChunkView]) -> Result<()> {
    if !linked.is_there(tx)? {
        return Ok(());
    }
    let mut named = BTreeSet::new();
    for result in results {
        let Some((project, _)) = result.id.split_once(':') else { continue };
        let at = format!("{project}:{}#", result.file_path);
        let symbol = result.symbol_id.as_deref().and_then(|id| id.strip_prefix(&at));
        let mut links = code_links::of_file(tx, project, &result.file_path, symbol)?;
        if let Some(name) = symbol {
            let number = projects::get(tx, project)?.number;
            if let Some(symbol) = symbols::named(tx, number, &result.file_path, name)? {
                links.extend(of_callees(tx, &symbol)?);
            }
        }
        links.retain(|link| !named.contains(&link.memory_id));
        result.memories = linked.views(tx, links, MAX_MEMORIES)?;
        named.extend(result.memories.iter().map(|memory| memory.id.clone()));
    }
    Ok(())
}
