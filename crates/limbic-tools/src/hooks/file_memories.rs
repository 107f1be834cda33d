//! The memories that are linked to the code of a file.

use limbic_core::{
    Error, Result, Transaction,
    mutations::memories::may_correct_in,
    store::{
        code::{
            files,
            projects::{self, Project},
        },
        memories::{
            Filter, MemoryNode,
            code_links::{self, CodeLink},
        },
    },
};
use serde_json::Value;

use super::event::Event;
use crate::{
    Limbic,
    comparisons::Lack,
    context::Context,
    framing::item,
    indexing::Shown,
    tools::{
        code::current,
        memory::code_links::{self as linked, Unknown},
    },
    views::memory::{CodeLinkView, MemoryView, Texts},
};

/// Maximum length of the memories in characters: about five hundred tokens.
const MAX_CHARS: usize = 2_000;

/// Maximum number of memories that are compared with their code.
const MAX_COMPARED: usize = 50;

/// Returns up to `limit` memories of the file that the event's tool reads or changes, first those whose code has
/// changed, of those that hooks show without a question: see [`may_correct_in`]. None for a user, because the code
/// index belongs to no user.
pub fn of(limbic: &mut Limbic, event: &Event, limit: usize) -> Result<Vec<Value>> {
    let Some(file) = event.file().filter(|_| limbic.user().is_none()) else { return Ok(Vec::new()) };
    let visible_in = event.project().unwrap_or_default();
    let filter = Filter { visible_in: Some(visible_in), ..Filter::default() };
    let mut views = limbic.with_context(&[], None, &mut |_, _| {}, |context| {
        let Some(place) = context.memory.read(|tx| place_of(tx, &file))? else { return Ok(Vec::new()) };
        add_if_new(context, &place)?;
        let links = context.memory.read(|tx| links_of(tx, &place))?;
        if links.is_empty() {
            return Ok(Vec::new());
        }
        let has_code = context.code.is_some();
        if has_code {
            linked::refresh_linked(context, links.iter())?;
        }
        let unknown = Unknown::new(context);
        context.memory.read(|tx| {
            let links = links_of(tx, &place)?;
            // Nobody asked for these, and a plain memory from elsewhere does not wait.
            let is_wanted = |memory: &MemoryNode| may_correct_in(tx, visible_in, memory);
            let found = code_links::memories_of(tx, links, &filter, MAX_COMPARED, is_wanted)?;
            let views = found.into_iter().map(|(memory, link)| {
                let symbol = match has_code {
                    true => CodeLinkView::new(&link, &unknown.current(tx, &link)?),
                    false => CodeLinkView::without_state(&link),
                };
                Ok(MemoryView { symbols: vec![symbol], ..MemoryView::marked(tx, memory, Texts::Escaped)? })
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

/// A file in the innermost project that contains it.
struct Place {
    project: Project,
    path: String,
}

/// Returns where a file is; `None` if no project contains it or no memory is linked to code.
fn place_of(tx: &Transaction<'_>, file: &str) -> Result<Option<Place>> {
    if !code_links::exist(tx)? {
        return Ok(None);
    }
    let mut known = projects::all(tx)?;
    known.sort_by_key(|project| std::cmp::Reverse(project.path.len()));
    let within = |project: &Project| {
        let root = project.path.replace('\\', "/");
        file.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/').map(str::to_owned)
    };
    Ok(known.into_iter().find_map(|project| within(&project).map(|path| Place { path, project })))
}

/// Reads a file that is not in the index yet, if files of its project are. Code of other files may have moved to it, so
/// that they are read, too.
fn add_if_new(context: &mut Context<'_>, Place { project, path }: &Place) -> Result<()> {
    let is_known = |tx: &Transaction<'_>| files::at(tx, project.number, path).map(|file| file.is_some());
    let has_files = context.memory.read(|tx| projects::files(tx, project.number))? > 0;
    if !has_files || context.memory.read(is_known)? {
        return Ok(());
    }
    current::refresh_named(context, &Shown::from([(project.number, path.clone())]))?;
    if context.memory.read(is_known)? {
        current::compare(context, Some(&project.id), Lack::Answer)?;
    }
    Ok(())
}

fn links_of(tx: &Transaction<'_>, Place { project, path }: &Place) -> Result<Vec<CodeLink>> {
    code_links::of_file(tx, &project.id, path, None)
}
