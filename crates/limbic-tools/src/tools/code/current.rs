//! Answers that reflect the current content of files.

use limbic_core::{Error, Result, model::project_status::ProjectStatus, store::code::projects};

use crate::{
    comparisons::Lack,
    context::Context,
    indexing::{self, Shown},
};

/// Maximum number of rounds; afterwards, results of files that keep changing are omitted.
const MAX_ROUNDS: usize = 6;

/// Number of files above which a project is not compared before an answer, only by sweeps.
const MAX_COMPARED_FILES: u64 = 20_000;

/// An answer and the files that it shows.
pub struct Draft<T> {
    /// The answer.
    pub answer: T,
    /// The files it shows.
    pub shown: Shown,
    /// What it may lack.
    pub lack: Lack,
}

/// Reads files that a call names, as [`refresh`], and also those that are not in the index yet.
pub fn refresh_named(context: &mut Context<'_>, files: &Shown) -> Result<()> {
    if let Some(disk) = &mut context.code {
        indexing::refresh_and_add(context.memory, &mut **disk, files)?;
    }
    Ok(())
}

/// Reads files again that changed since they were indexed.
pub fn refresh(context: &mut Context<'_>, files: &Shown) -> Result<()> {
    if let Some(disk) = &mut context.code {
        indexing::refresh(context.memory, &mut **disk, files)?;
    }
    Ok(())
}

/// Creates an answer from the index whose files are current: a few files that are known to have changed are read first,
/// and if a file of the answer has changed on disk, it is read again and the answer is created again. If it may lack
/// something, all files of the project, or of every project, are compared with the index once; see
/// [`Comparisons::is_due`](crate::comparisons::Comparisons::is_due). `make` must omit the files that are passed to it.
pub fn answer<T>(
    context: &mut Context<'_>,
    project: Option<&str>,
    mut make: impl FnMut(&mut Context<'_>, &Shown) -> Result<Draft<T>>,
) -> Result<T> {
    let mut left_out = Shown::new();
    let is_read_only = context.memory.database().is_read_only();
    if !is_read_only {
        // Where the database cannot be written, the answer counts the files that wait.
        let _ = finish_few(context, project);
    }
    let mut rounds = 0;
    let mut is_compared = is_read_only;
    loop {
        let draft = match make(context, &left_out) {
            Err(Error::SymbolNotFound(_)) if !is_compared && compare(context, project, Lack::Answer)? => {
                is_compared = true;
                continue;
            }
            draft => draft?,
        };
        let Some(files) = &mut context.code else { return Ok(draft.answer) };
        let changed = indexing::refresh(context.memory, &mut **files, &draft.shown)?;
        if changed.is_empty() {
            if is_compared || !compare(context, project, draft.lack)? {
                return Ok(draft.answer);
            }
            is_compared = true;
            continue;
        }
        if is_read_only || rounds >= MAX_ROUNDS {
            left_out.extend(changed);
        }
        rounds += 1;
    }
}

/// Finishes the index of a project, or of every project, where few files wait.
fn finish_few(context: &mut Context<'_>, project: Option<&str>) -> Result<()> {
    let Some(disk) = &mut context.code else { return Ok(()) };
    let indexing = context.memory.read(projects::indexing)?;
    for found in indexing.iter().filter(|it| project.is_none_or(|id| it.id == id)) {
        indexing::finish_if_few(context.memory, &mut **disk, found)?;
    }
    Ok(())
}

/// Compares projects with their files where an answer that lacks this needs it. Returns whether the index has changed.
/// Projects whose files were never listed are left out, as are large ones.
fn compare(context: &mut Context<'_>, project: Option<&str>, lack: Lack) -> Result<bool> {
    let Some(disk) = &mut context.code else { return Ok(false) };
    if lack == Lack::Nothing {
        return Ok(false);
    }
    let known = context.memory.read(projects::all)?;
    let mut has_changed = false;
    for found in known.iter().filter(|it| project.is_none_or(|id| it.id == id)) {
        let watch = context.comparisons.watch_state(context.watch, found);
        let began = context.memory.database().host().now_millis();
        if !disk.reaches(&found.path) || !context.comparisons.is_due(found.number, lack, watch, began) {
            continue;
        }
        let files = context.memory.read(|tx| projects::files(tx, found.number))?;
        let is_listed = files > 0 || found.status == ProjectStatus::Completed;
        if !is_listed || files > MAX_COMPARED_FILES {
            continue;
        }
        let compared = indexing::compare(context.memory, &mut **disk, found);
        context.comparisons.note(found.number, began, context.memory.database().host().now_millis());
        match compared {
            Ok(changed) => has_changed |= changed,
            // An answer that found something is given where the database cannot be written.
            Err(_) if lack == Lack::Results => {}
            Err(error) => return Err(error),
        }
    }
    Ok(has_changed)
}
