//! Answers that reflect the current content of files.

use limbic_core::{
    Engine, Error, Result, Transaction,
    model::project_status::ProjectStatus,
    mutations::code::{SETTLED_MILLIS, trusted},
    store::code::{
        files,
        projects::{self, Project},
    },
};

use crate::{
    code_files::CodeFiles,
    comparisons::{Comparison, Lack, StoredWalk, WatchState},
    context::Context,
    indexing::{self, Compared, MAX_COMPARED_FILES, Refreshed, Shown},
};

/// Maximum number of rounds; afterwards, results of files that keep changing are omitted.
const MAX_ROUNDS: usize = 6;

/// Number of files, changed since a walk, above which the next comparison walks again.
const MAX_CHANGED: usize = 20;

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
pub fn refresh_named(context: &mut Context<'_>, files: &Shown) -> Result<Refreshed> {
    let Some(disk) = &mut context.code else { return Ok(Refreshed::default()) };
    let refreshed = context.memory.briefly(|memory| indexing::refresh_and_add(memory, &mut **disk, files))?;
    note(context, &refreshed);
    Ok(refreshed)
}

/// As [`refresh_named`], for a call that stores what it finds in these files: it waits for other servers as any write.
///
/// # Errors
/// [`Error::Busy`].
pub fn require_named(context: &mut Context<'_>, files: &Shown) -> Result<()> {
    let is_read_only = context.memory.database().is_read_only();
    match &mut context.code {
        Some(disk) if !is_read_only => {
            let refreshed = indexing::refresh_and_add(context.memory, &mut **disk, files)?;
            if refreshed.stores { Ok(()) } else { Err(Error::Busy) }
        }
        _ => Ok(()),
    }
}

/// Reads files again that changed since they were indexed. What the index has of those in [`Context::unstored`] and
/// [`Context::unseen`] may be outdated afterwards.
pub fn refresh(context: &mut Context<'_>, files: &Shown) -> Result<()> {
    let Some(disk) = &mut context.code else { return Ok(()) };
    let refreshed = refresh_briefly(context.memory, &mut **disk, files, true)?;
    note(context, &refreshed);
    Ok(())
}

fn refresh_briefly(
    memory: &mut Engine,
    disk: &mut dyn CodeFiles,
    files: &Shown,
    stores: bool,
) -> Result<Refreshed> {
    memory.briefly(|memory| indexing::refresh(memory, disk, files, stores))
}

/// Notes files that are not in the index as they are now. Nothing waits to be stored in a read-only database.
fn note(context: &mut Context<'_>, refreshed: &Refreshed) {
    if context.memory.database().is_read_only() {
        context.unseen.extend(refreshed.unstored.iter().cloned());
    } else {
        context.unstored.extend(refreshed.unstored.iter().chain(&refreshed.unreadable).cloned());
    }
    context.unseen.extend(refreshed.unreadable.iter().chain(&refreshed.unreached).cloned());
}

/// How many of these files, of a project or of all, are not pending in the index, so that its counts lack them.
pub fn uncounted(tx: &Transaction<'_>, unstored: &Shown, project: Option<i64>) -> Result<u64> {
    let mut count = 0;
    for (number, path) in unstored.iter().filter(|(number, _)| project.is_none_or(|only| only == *number)) {
        let is_pending = files::at(tx, *number, path)?.is_some_and(|file| file.is_pending);
        count += u64::from(!is_pending);
    }
    Ok(count)
}

/// Creates an answer from the index whose files are current: a few files that are known to have changed are read first,
/// and if a file of the answer has changed on disk, it is read again and the answer is created again. If it may lack
/// something, all files of the project, or of every project, are compared with the index once; see
/// [`Comparisons::is_due`](crate::comparisons::Comparisons::is_due). `make` must omit the files that are passed to it.
/// Each write before an answer waits only briefly for a server that writes: afterwards, files that have changed are
/// omitted from the answer and noted in [`Context::unstored`], as are files that cannot be read.
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
    let mut is_compared = false;
    let mut stores = !is_read_only;
    loop {
        let draft = match make(context, &left_out) {
            Err(Error::SymbolNotFound(_)) if !is_compared && compare(context, project, Lack::Answer)? => {
                is_compared = true;
                continue;
            }
            draft => draft?,
        };
        let Some(files) = &mut context.code else { return Ok(draft.answer) };
        let refreshed = refresh_briefly(context.memory, &mut **files, &draft.shown, stores)?;
        let seen = context.unseen.len();
        note(context, &refreshed);
        let omitted = left_out.len();
        left_out.extend(refreshed.unreadable);
        let is_outdated = context.unseen.len() > seen || left_out.len() > omitted;
        stores = refreshed.stores;
        // A file of a named memory is looked at in every round, and those that are left out were counted.
        let changed: Shown = refreshed.changed.difference(&left_out).cloned().collect();
        if changed.is_empty() && is_outdated {
            continue;
        }
        if changed.is_empty() {
            if is_compared || !compare(context, project, draft.lack)? {
                return Ok(draft.answer);
            }
            is_compared = true;
            continue;
        }
        if !stores || rounds >= MAX_ROUNDS {
            left_out.extend(changed);
        }
        rounds += 1;
    }
}

/// Finishes the index of a project, or of every project, where few files wait.
pub fn finish_few(context: &mut Context<'_>, project: Option<&str>) -> Result<()> {
    let Some(disk) = &mut context.code else { return Ok(()) };
    let indexing = context.memory.read(projects::indexing)?;
    for found in indexing.iter().filter(|it| project.is_none_or(|id| it.id == id)) {
        context.memory.briefly(|memory| indexing::finish_if_few(memory, &mut **disk, found))?;
    }
    Ok(())
}

/// Compares projects with their files where an answer that lacks this needs it. Returns whether there are changes.
/// Projects whose files were never listed are left out, as are large ones; see [`Context::unchecked_seconds`].
pub fn compare(context: &mut Context<'_>, project: Option<&str>, lack: Lack) -> Result<bool> {
    if lack == Lack::Nothing || context.code.is_none() {
        return Ok(false);
    }
    let is_read_only = context.memory.database().is_read_only();
    let known = context.memory.read(projects::all)?;
    let mut has_changed = false;
    let mut spent = 0;
    context.unchecked_seconds = None;
    for found in known.iter().filter(|it| project.is_none_or(|id| it.id == id)) {
        let Some(disk) = &context.code else { return Ok(false) };
        let watch = context.comparisons.watch_state(context.watch, found);
        let now = context.memory.database().host().now_millis();
        let files = context.memory.read(|tx| projects::files(tx, found.number))?;
        let is_listed = files > 0 || found.status == ProjectStatus::Completed;
        if !is_listed || (lack == Lack::Results && watch == WatchState::Watched) {
            continue;
        }
        if is_read_only
            || !disk.reaches(&found.path)
            || files > MAX_COMPARED_FILES as u64
            || !context.comparisons.is_due(found.number, lack, watch, (now, spent))
        {
            let seconds = context.comparisons.unchecked_seconds(found, now);
            context.unchecked_seconds = context.unchecked_seconds.max(Some(seconds));
            continue;
        }
        let compared = compare_project(context, found);
        spent += context.memory.database().host().now_millis().saturating_sub(now);
        match compared {
            Ok(Compared::Same) => {}
            Ok(Compared::Unknown) => {
                let seconds = context.comparisons.unchecked_seconds(found, now);
                context.unchecked_seconds = context.unchecked_seconds.max(Some(seconds));
            }
            Ok(Compared::Changed) => has_changed = true,
            // Nor could the changes of the other projects be stored, and each of them would wait.
            Ok(Compared::Unstored(files)) => {
                has_changed |= !files.is_empty();
                context.unstored.extend(files);
                break;
            }
            // An answer that found something is given where the database cannot be written.
            Err(_) if lack == Lack::Results => {}
            Err(error) => return Err(error),
        }
    }
    Ok(has_changed)
}

/// Compares a project with its files: with those that have changed since the walk of the last comparison, or with all.
fn compare_project(context: &mut Context<'_>, project: &Project) -> Result<Compared> {
    let Some(disk) = &mut context.code else { return Ok(Compared::Same) };
    let now_millis = |memory: &Engine| memory.database().host().now_millis();
    let began = now_millis(context.memory);
    let walk = context.comparisons.walk(&**disk, project);
    let is_settled = |walk: &StoredWalk, stat| trusted(stat, walk.began()) == stat;
    let changed = walk.as_ref().and_then(|walk| disk.changed(&project.path, &|stat| is_settled(walk, stat)));
    // A new walk after a while settles what has changed since the last one.
    let is_old = walk.as_ref().is_some_and(|walk| began.saturating_sub(walk.began()) > SETTLED_MILLIS);
    let mut changed = changed.filter(|paths| paths.len() <= MAX_CHANGED || !is_old);
    if let Some(paths) = &mut changed {
        // Permissions and locks change neither size nor time.
        paths.extend(context.memory.read(|tx| files::unreadable(tx, project.number))?);
    }
    let is_quick = changed.is_some();
    let (compared, walk) = match changed {
        Some(paths) if paths.is_empty() => (Ok(Compared::Same), walk),
        Some(paths) => {
            let compare =
                |memory: &mut Engine| indexing::compare_changed(memory, &mut **disk, project, paths);
            (context.memory.briefly(compare), walk)
        }
        None => match context.memory.briefly(|memory| indexing::compare(memory, &mut **disk, project)) {
            Ok((compared, true)) => (Ok(compared), StoredWalk::last(&**disk, project, began)),
            Ok((compared, false)) => (Ok(compared), None),
            Err(error) => (Err(error), None),
        },
    };
    let comparison = Comparison { times: (began, now_millis(context.memory)), walk, is_quick };
    match compared {
        Ok(Compared::Unknown) | Err(_) => context.comparisons.note_failed(project.number, comparison),
        Ok(_) => context.comparisons.note(project.number, comparison),
    }
    compared
}
