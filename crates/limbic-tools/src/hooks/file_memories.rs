//! The memories that are linked to the code of a file.

use limbic_core::{
    Error, Result, Transaction,
    store::{
        code::projects::{self, Project},
        memories::{
            Filter,
            code_links::{self, CodeLink},
        },
    },
};
use serde_json::Value;

use super::event::Event;
use crate::{
    Limbic,
    framing::item,
    tools::{code::current, memory::code_links as linked},
    views::memory::{CodeLinkView, MemoryView},
};

/// Maximum length of the memories in characters: about five hundred tokens.
const MAX_CHARS: usize = 2_000;

/// Maximum number of memories that are compared with their code.
const MAX_COMPARED: usize = 50;

/// Returns up to `limit` memories of the file that the event's tool reads or changes, first those whose code has
/// changed. None for a user, because the code index belongs to no user.
pub fn of(limbic: &mut Limbic, event: &Event, limit: usize) -> Result<Vec<Value>> {
    let Some(file) = event.file().filter(|_| limbic.user().is_none()) else { return Ok(Vec::new()) };
    let visible_in = event.project().unwrap_or_default();
    let filter = Filter { visible_in: Some(visible_in), ..Filter::default() };
    let mut views = limbic.with_context(&[], None, &mut |_, _| {}, |context| {
        let (links, files) = context.memory.read(|tx| {
            let links = links_of(tx, &file)?;
            let files = linked::files(tx, links.iter())?;
            Ok((links, files))
        })?;
        if links.is_empty() {
            return Ok(Vec::new());
        }
        let unstored = current::refresh(context, &files)?;
        context.memory.read(|tx| {
            let found = code_links::memories_of(tx, links, &filter, MAX_COMPARED)?;
            let views = found.into_iter().map(|(memory, link, _)| {
                let now = linked::current(tx, &link, &unstored)?;
                let symbols = vec![CodeLinkView::new(&link, &now)];
                Ok(MemoryView { symbols, ..MemoryView::marked(tx, memory)? })
            });
            views.collect::<Result<Vec<_>>>()
        })
    })?;
    views.sort_by_key(|view| !view.symbols.iter().any(CodeLinkView::is_due));
    let mut found = Vec::new();
    let mut length = 0;
    for view in views {
        let view = serde_json::to_value(view).map_err(|error| Error::Internal(error.to_string()))?;
        let item_length = item(&view).to_string().chars().count();
        if found.len() < limit && length + item_length <= MAX_CHARS {
            length += item_length;
            found.push(view);
        }
    }
    Ok(found)
}

/// Returns the links to the symbols of a file, in the innermost project that contains it.
fn links_of(tx: &Transaction<'_>, file: &str) -> Result<Vec<CodeLink>> {
    if !code_links::exist(tx)? {
        return Ok(Vec::new());
    }
    let mut known = projects::all(tx)?;
    known.sort_by_key(|project| std::cmp::Reverse(project.path.len()));
    let within = |project: &Project| {
        let root = project.path.replace('\\', "/");
        file.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/').map(str::to_owned)
    };
    for project in known {
        if let Some(path) = within(&project) {
            return code_links::of_file(tx, &project.id, &path, None);
        }
    }
    Ok(Vec::new())
}
