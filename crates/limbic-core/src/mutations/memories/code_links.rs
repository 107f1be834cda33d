//! Linking memories to symbols of source code.

use crate::{
    Result, Transaction,
    model::quoted_names::quoted_names,
    store::{
        code::symbol_names::{self, Named},
        memories::code_links,
    },
};

/// Links a memory to symbols that a caller named, in addition to its other links. `domain` is the memory's: if several
/// projects have the symbol, the project of that name takes precedence.
///
/// # Errors
/// [`Error::SymbolNotFound`](crate::Error::SymbolNotFound);
/// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a name of several symbols.
pub(crate) fn give(tx: &Transaction<'_>, id: &str, domain: &str, symbols: &[String]) -> Result<()> {
    for name in symbols {
        code_links::put(tx, id, &symbol_names::require(tx, name, domain)?, true)?;
    }
    Ok(())
}

/// Links a memory to symbols that a caller named, and removes its links to symbols named earlier.
///
/// # Errors
/// As [`give`].
pub(crate) fn replace_given(tx: &Transaction<'_>, id: &str, domain: &str, symbols: &[String]) -> Result<()> {
    code_links::remove(tx, id, true)?;
    give(tx, id, domain, symbols)
}

/// Links a memory to the symbols whose names are quoted in back-ticks in its text, in place of those found before. A
/// name of several symbols is not linked.
pub(crate) fn find_in_text(tx: &Transaction<'_>, id: &str, domain: &str, content: &str) -> Result<()> {
    code_links::remove(tx, id, false)?;
    for name in quoted_names(content) {
        if let Named::One(symbol) = symbol_names::find(tx, &name, domain)? {
            code_links::put(tx, id, &symbol, false)?;
        }
    }
    Ok(())
}
