//! The code that memories are linked to: brought up to date before it is linked or compared.

use limbic_core::{
    Result, Transaction,
    model::quoted_names,
    store::{
        code::{projects, symbol_names},
        memories::code_links::{self, CodeLink, CodeState, Current},
    },
};

use super::fields::Fields;
use crate::{
    context::Context,
    indexing::Shown,
    tools::code::current::{refresh_named, require_named},
    views::memory::{CodeLinkView, MemoryView},
};

/// Reads changed files again that may define the symbols of these fields.
pub fn refresh<'a>(context: &mut Context<'_>, fields: impl IntoIterator<Item = &'a Fields>) -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    for fields in fields {
        names.extend(fields.symbols.iter().flatten().cloned());
        names.extend(fields.content.iter().flat_map(|text| quoted_names::quoted_names(text)));
    }
    if names.is_empty() || context.code.is_none() {
        return Ok(());
    }
    let files = context.memory.read(|tx| {
        let mut files = Shown::new();
        for name in &names {
            files.extend(symbol_names::files(tx, name)?);
        }
        Ok(files)
    })?;
    require_named(context, &files)
}

/// Adds to memories the symbols that they are linked to; see [`states`].
pub fn attach<'a>(
    context: &mut Context<'_>,
    memories: impl IntoIterator<Item = &'a mut MemoryView>,
) -> Result<()> {
    let mut memories: Vec<&mut MemoryView> = memories.into_iter().collect();
    let ids: Vec<&str> = memories.iter().map(|memory| memory.id.as_str()).collect();
    let states = states(context, &ids)?;
    for (memory, symbols) in memories.iter_mut().zip(states) {
        memory.symbols = symbols;
    }
    Ok(())
}

/// Returns the symbols that each memory is linked to, with their states in the files as they are now, as [`current`].
/// The code index belongs to no user: a call that is limited to one gets none.
pub fn states(context: &mut Context<'_>, ids: &[&str]) -> Result<Vec<Vec<CodeLinkView>>> {
    if context.user().is_some() || !context.memory.read(code_links::exist)? {
        return Ok(vec![Vec::new(); ids.len()]);
    }
    let links: Vec<Vec<CodeLink>> =
        context.memory.read(|tx| ids.iter().map(|id| code_links::of_memory(tx, id)).collect())?;
    let files = context.memory.read(|tx| files(tx, links.iter().flatten()))?;
    let unstored = refresh_named(context, &files)?;
    context.memory.read(|tx| {
        let view = |link: &CodeLink| Ok(CodeLinkView::new(link, &current(tx, link, &unstored)?));
        links.iter().map(|links| links.iter().map(view).collect()).collect()
    })
}

/// Returns the state of a link; it is unknown if the link leads to a file that changed and could not be stored.
pub fn current(tx: &Transaction<'_>, link: &CodeLink, unstored: &Shown) -> Result<Current> {
    if unstored.is_empty() || files(tx, std::iter::once(link))?.is_disjoint(unstored) {
        return code_links::current(tx, link);
    }
    Ok(Current { state: CodeState::Unknown, elsewhere: None })
}

/// Returns the files that links lead to.
pub fn files<'a>(tx: &Transaction<'_>, links: impl Iterator<Item = &'a CodeLink>) -> Result<Shown> {
    let known = projects::all(tx)?;
    let mut files = Shown::new();
    for link in links {
        let Some(project) = known.iter().find(|project| project.id == link.project_id) else { continue };
        for location in [Some(&link.location), link.moved.as_ref()].into_iter().flatten() {
            files.insert((project.number, location.file_path.clone()));
        }
    }
    Ok(files)
}
