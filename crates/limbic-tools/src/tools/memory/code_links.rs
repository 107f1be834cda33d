//! The code that memories are linked to: brought up to date before it is linked or compared.

use std::collections::BTreeSet;

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
    comparisons::Lack,
    context::Context,
    indexing::Shown,
    tools::code::current::{compare, finish_few, refresh_named, require_named},
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
    let unstored = refresh_linked(context, links.iter().flatten())?;
    // Which symbol a link now leads to may have changed.
    let links: Vec<Vec<CodeLink>> =
        context.memory.read(|tx| ids.iter().map(|id| code_links::of_memory(tx, id)).collect())?;
    context.memory.read(|tx| {
        let view = |link: &CodeLink| Ok(CodeLinkView::new(link, &current(tx, link, &unstored)?));
        links.iter().map(|links| links.iter().map(view).collect()).collect()
    })
}

/// Brings the files that links lead to up to date. A symbol that is gone may be in a file that is not in the index yet:
/// after a change of the linked files its project is compared with all of its files, and later again after a pause.
/// Returns the files that could not be stored.
pub fn refresh_linked<'a>(
    context: &mut Context<'_>,
    links: impl Iterator<Item = &'a CodeLink> + Clone,
) -> Result<Shown> {
    if !context.memory.database().is_read_only() {
        // As before answers about code: what could not be read now stays unknown.
        let _ = finish_few(context, None);
    }
    let files = context.memory.read(|tx| files(tx, links.clone()))?;
    let mut refreshed = refresh_named(context, &files)?;
    let gone: BTreeSet<String> = context.memory.read(|tx| {
        let mut gone = BTreeSet::new();
        for link in links {
            if current(tx, link, &refreshed.unstored)?.state == CodeState::Gone {
                gone.insert(link.project_id.clone());
            }
        }
        Ok(gone)
    })?;
    let lack = if refreshed.changed.is_empty() { Lack::Results } else { Lack::Answer };
    for id in gone {
        compare(context, Some(&id), lack)?;
        let number = context.memory.read(|tx| projects::get(tx, &id))?.number;
        if context.unstored.iter().any(|(project, _)| *project == number) {
            // The symbol may be in a file that could not be stored.
            refreshed.unstored.extend(files.iter().filter(|(project, _)| *project == number).cloned());
        }
    }
    Ok(refreshed.unstored)
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
