//! The code that memories are linked to: brought up to date before it is linked or compared.

use std::collections::BTreeMap;

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
    indexing::{self, Shown},
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
/// Without the code index, this server cannot know states, and they are omitted. The code index belongs to no user: a
/// call that is limited to one gets no symbols.
pub fn states(context: &mut Context<'_>, ids: &[&str]) -> Result<Vec<Vec<CodeLinkView>>> {
    if context.user().is_some() || !context.memory.read(code_links::exist)? {
        return Ok(vec![Vec::new(); ids.len()]);
    }
    let links = |tx: &Transaction<'_>| -> Result<Vec<Vec<CodeLink>>> {
        ids.iter().map(|id| code_links::of_memory(tx, id)).collect()
    };
    let before = context.memory.read(links)?;
    if context.code.is_none() {
        let views = before.iter().map(|links| links.iter().map(CodeLinkView::without_state).collect());
        return Ok(views.collect());
    }
    refresh_linked(context, before.iter().flatten())?;
    let unknown = Unknown::new(context);
    context.memory.read(|tx| {
        let view = |link: &CodeLink| Ok(CodeLinkView::new(link, &unknown.current(tx, link)?));
        // Which symbol a link now leads to may have changed.
        links(tx)?.iter().map(|links| links.iter().map(view).collect()).collect()
    })
}

/// Brings the files that links lead to up to date. A symbol that is gone may be in a file that is not in the index yet:
/// after a change of the linked files its project is compared with all of its files, and later again after a pause. So
/// it is before a link moves, because a copy may be in the index already. Files that could not be read or stored are in
/// the context; see [`Unknown`].
pub fn refresh_linked<'a>(
    context: &mut Context<'_>,
    links: impl Iterator<Item = &'a CodeLink> + Clone,
) -> Result<()> {
    let is_read_only = context.memory.database().is_read_only();
    if !is_read_only {
        // As before answers about code: what could not be read now stays unknown.
        let _ = finish_few(context, None);
    }
    let files = context.memory.read(|tx| files(tx, links.clone()))?;
    let refreshed = refresh_named(context, &files)?;
    let unknown = Unknown::new(context);
    let absent: BTreeMap<String, bool> = context.memory.read(|tx| {
        let mut absent = BTreeMap::new();
        for link in links {
            let now = unknown.current(tx, link)?;
            let moves = now.state == CodeState::Moved && now.elsewhere != link.moved;
            if moves || now.state == CodeState::Gone {
                *absent.entry(link.project_id.clone()).or_default() |= moves;
            }
        }
        Ok(absent)
    })?;
    for (id, moves) in absent {
        let lack = if moves || !refreshed.changed.is_empty() { Lack::Answer } else { Lack::Results };
        compare(context, Some(&id), lack)?;
        let project = context.memory.read(|tx| projects::get(tx, &id))?;
        if context.unstored.iter().any(|(number, _)| *number == project.number) {
            // The symbol may be in a file that could not be stored.
            context.unseen.extend(files.iter().filter(|(number, _)| *number == project.number).cloned());
        } else if moves && !is_read_only && context.unchecked_seconds.is_none() {
            context.memory.briefly(|memory| indexing::follow_links(memory, &project))?;
        }
    }
    Ok(())
}

/// The files of which the index does not have the present content.
pub struct Unknown(Shown);

impl Unknown {
    /// Returns the files that this call has found so.
    pub fn new(context: &Context<'_>) -> Self {
        Self(context.unseen.union(&context.unstored).cloned().collect())
    }

    /// Returns the state of a link; it is unknown if the link leads to one of these files.
    pub fn current(&self, tx: &Transaction<'_>, link: &CodeLink) -> Result<Current> {
        if self.0.is_empty() || files(tx, std::iter::once(link))?.is_disjoint(&self.0) {
            return code_links::current(tx, link);
        }
        Ok(Current { state: CodeState::Unknown, elsewhere: None })
    }
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
