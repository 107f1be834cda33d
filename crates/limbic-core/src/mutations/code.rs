//! Changes of the code index: stores files, deletes files, and resolves references.

use std::{collections::BTreeMap, sync::Arc};

use limbic_code::{FACTS_VERSION, FileFacts, Language, Resolver, changed_keys};

use super::{code_renames::LinkedSymbols, code_secrets::without_secrets};
use crate::{
    Result, Transaction,
    db::erasing::{self, Rewrites},
    store::code::{
        StoredProject,
        chunks::{self, WordChanges},
        edges,
        files::{self, CodeFile, Contents, FileStat},
        projects::{self, Project},
        references, symbols,
    },
};

/// Age below which a file's size and time are not trusted, in milliseconds, because a second change may not alter them:
/// such a file is compared by content the next time.
pub const SETTLED_MILLIS: i64 = 2_000;

/// A file that was read.
pub struct ReadFile<'a> {
    /// Path below the project's folder.
    pub path: &'a str,
    /// Size and time before it was read, as far as they can be [`trusted`].
    pub stat: FileStat,
    /// Hash of its bytes; see [`content_hash`].
    pub hash: i64,
    /// Text from which chunks are cut by the facts' lines; empty for a file without facts.
    pub text: &'a str,
    /// Facts.
    pub facts: &'a FileFacts,
    /// Why it has no facts, if it could not be parsed.
    pub failure: Option<&'a str>,
}

/// The hash of a file's bytes.
#[must_use]
pub fn content_hash(bytes: &[u8]) -> i64 {
    limbic_protocol::fnv1a(bytes.iter().copied()).cast_signed()
}

/// What a scan of a project's folder has seen.
pub struct Scan<'a> {
    /// The files.
    pub found: &'a BTreeMap<String, FileStat>,
    /// What is not read, with the reason.
    pub skipped: &'a [(String, String)],
    /// The folders that could not be listed.
    pub unlisted: &'a [String],
}

/// Whether a path lies below one of these folders.
#[must_use]
pub fn is_below(path: &str, folders: &[String]) -> bool {
    let is_in =
        |folder: &String| path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
    folders.iter().any(is_in)
}

/// Compares the files of a project with those that a scan has found: marks new and changed ones as pending and deletes
/// those that no longer exist. `before` has the project's files before the scan: what another server has stored since
/// is not deleted, because the file may have appeared after it was looked for.
pub fn plan(
    tx: &Transaction<'_>,
    project: &Project,
    before: &BTreeMap<String, CodeFile>,
    scan: &Scan<'_>,
) -> Result<()> {
    let Scan { found, skipped, unlisted } = scan;
    let known = files::all(tx, project.number)?;
    let mut words = WordChanges::default();
    for (path, file) in &known {
        if !found.contains_key(path) && before.get(path) == Some(file) && !is_below(path, unlisted) {
            delete_file(tx, project, file, &mut words)?;
        }
    }
    words.apply(tx)?;
    for (path, stat) in *found {
        let is_current = known.get(path).is_some_and(|file| {
            !file.is_pending && file.stat == *stat && file.facts_version == FACTS_VERSION
        });
        if !is_current {
            files::expect(tx, project.number, path, *stat)?;
        }
    }
    files::set_skipped(tx, project.number, skipped)?;
    projects::scanned(tx, project.number)
}

/// Stores a file that was read, without credentials, and marks the files whose edges may change as unresolved. What
/// changes of the words of its chunks is added to `words`, to be applied after the last file.
pub fn store(
    tx: &Transaction<'_>,
    project: &Project,
    read: &ReadFile<'_>,
    words: &mut WordChanges,
) -> Result<()> {
    let redacted = without_secrets(read.text, read.facts);
    let (text, facts) =
        redacted.as_ref().map_or((read.text, read.facts), |(text, facts)| (text.as_str(), facts));
    let file = match files::at(tx, project.number, read.path)? {
        Some(file) => file,
        None => {
            files::expect(tx, project.number, read.path, read.stat)?;
            let Some(file) = files::at(tx, project.number, read.path)? else { return Ok(()) };
            file
        }
    };
    let linked = LinkedSymbols::read(tx, project, &file)?;
    let before = files::outline(tx, file.id)?;
    let keys = changed_keys(read.path, before.as_ref(), Some(&facts.outline));
    files::mark_unresolved(tx, project.number, &keys)?;
    chunks::replace(tx, &project.id, &file, facts, text, words)?;
    symbols::replace(tx, &file, facts)?;
    if let Some(linked) = linked {
        linked.follow(tx, project, &file, read.hash)?;
    }
    let error = read.failure.or_else(|| read.facts.skipped.map(limbic_code::SkipReason::message));
    files::store(
        tx,
        file.id,
        &Contents {
            stat: read.stat,
            hash: read.hash,
            facts_version: FACTS_VERSION,
            error,
            outline: &facts.outline,
            has_syntax_errors: facts.syntax_errors > 0,
        },
    )
}

/// Records why a file could not be read: it is read again later. The facts that it had before are kept.
pub fn set_unreadable(tx: &Transaction<'_>, project: &Project, file: &CodeFile, reason: &str) -> Result<()> {
    if file.is_new() {
        files::expect(tx, project.number, &file.path, file.stat)?;
    }
    let Some(file) = files::at(tx, project.number, &file.path)? else { return Ok(()) };
    let language = Language::detect(&file.path, &[]);
    files::set_unreadable(tx, file.id, language.as_str(), reason)
}

/// Marks a pending file as read, because its content has not changed.
pub fn keep(tx: &Transaction<'_>, file: &CodeFile, stat: FileStat) -> Result<()> {
    files::unchanged(tx, file.id, stat)
}

/// Returns the size and time of a file without the time if it is too recent: a second change may leave it as it is.
/// `now_millis` is a time before the file was looked at, not the one at which it is stored.
#[must_use]
pub fn trusted(stat: FileStat, now_millis: i64) -> FileStat {
    let settled = now_millis.saturating_sub(SETTLED_MILLIS).saturating_mul(1_000_000);
    if stat.mtime > settled { FileStat { mtime: -1, ..stat } } else { stat }
}

/// Deletes a file with its facts. The words of its chunks are added to `words`, to be deleted after the last file.
pub fn delete_file(
    tx: &Transaction<'_>,
    project: &Project,
    file: &CodeFile,
    words: &mut WordChanges,
) -> Result<()> {
    if let Some(outline) = files::outline(tx, file.id)? {
        files::mark_unresolved(tx, project.number, &changed_keys(&file.path, Some(&outline), None))?;
    }
    forget(tx, file, words)?;
    Ok(())
}

/// Deletes a file with its facts. Returns how many chunks and symbols it had.
fn forget(tx: &Transaction<'_>, file: &CodeFile, words: &mut WordChanges) -> Result<(usize, usize)> {
    let chunks = chunks::delete_of(tx, file.id, words)?;
    let symbols = symbols::delete_of(tx, file.id)?;
    files::delete(tx, file.id)?;
    Ok((chunks, symbols))
}

/// Deletes a project. Returns how many chunks and symbols it had.
pub fn delete_project(tx: &Transaction<'_>, project: &Project) -> Result<(usize, usize)> {
    erasing::erasing_code_words(tx, || {
        let mut deleted = (0, 0);
        let mut words = WordChanges::default();
        for file in files::all(tx, project.number)?.values() {
            let (chunks, symbols) = forget(tx, file, &mut words)?;
            deleted = (deleted.0 + chunks, deleted.1 + symbols);
        }
        words.apply(tx)?;
        projects::delete(tx, project.number)?;
        Ok(deleted)
    })
}

/// Ends a sweep that has read and resolved all files.
pub fn end_sweep(tx: &Transaction<'_>, project: &Project) -> Result<()> {
    erasing::erase_code_words(tx, Rewrites::Small)?;
    projects::end(tx, project.number, None)
}

/// Number of references after which [`resolve`] resolves no further file.
const MAX_REFERENCES: usize = 50_000;

/// Resolves the references of up to `limit` files that wait for it, fewer if they have very many references. Returns
/// the number of files.
pub fn resolve(tx: &Transaction<'_>, project: i64, limit: usize) -> Result<usize> {
    let waiting = files::unresolved(tx, project, limit)?;
    let view = StoredProject::new(tx, project);
    let mut resolved = 0;
    {
        let resolver = Resolver::new(&view);
        let mut left = MAX_REFERENCES;
        for (file, path) in &waiting {
            let references = references::of(tx, *file)?;
            let outline = Arc::new(files::outline(tx, *file)?.unwrap_or_default());
            let resolution = resolver.resolve(path, &outline, &references);
            edges::replace(tx, project, *file, &references, &resolution)?;
            files::resolved(tx, project, *file, &resolution.lookups)?;
            resolved += 1;
            left = left.saturating_sub(references.len());
            if left == 0 {
                break;
            }
        }
    }
    view.end()?;
    Ok(resolved)
}
