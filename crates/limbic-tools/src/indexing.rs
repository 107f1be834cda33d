//! Indexing in steps: a step lists the files of a project, stores the facts of some, or resolves the references of
//! some. A shell runs steps when it is idle; whichever server has the lease of a project does its next step.

use std::collections::{BTreeMap, BTreeSet};

use limbic_code::{FACTS_VERSION, FileFacts, Language, Outline, SkipReason};
use limbic_core::{
    Engine, Error, Result,
    model::{globs, project_status::ProjectStatus},
    mutations::code::{self, ReadFile, Scan},
    store::{
        code::{
            chunks::WordChanges,
            files::{self, CodeFile, FileStat},
            projects::{self, Project},
        },
        memories::code_links,
    },
};

use crate::code_files::{CodeFiles, Found, PathState, UNWANTED_FACTOR};

/// Maximum number of files of a project.
pub const MAX_FILES: usize = 100_000;
/// Maximum number of files that a step stores.
const MAX_FILES_PER_STEP: usize = 200;
/// Number of bytes after which a step reads no further file.
const BYTES_A_STEP: u64 = 1_000_000;
/// Files longer than this are not read; `limbic-code` would skip them.
const MAX_FILE_BYTES: u64 = 1_000_000;
/// Maximum number of files whose references are resolved at once, by a step or before an answer. Later steps resolve
/// the others.
const MAX_RESOLVED: usize = 200;
/// How the reason begins for which a project with more files is not indexed.
const TOO_MANY_FILES: &str = "The folder has more than";
/// Number of files above which a project is not compared before an answer, only by sweeps.
pub const MAX_COMPARED_FILES: usize = 20_000;
/// Maximum number of files that a comparison reads because another change may have left size and time as they were.
const MAX_DOUBTFUL: usize = 2_000;
/// Maximum number of pending files that are read before an answer.
const MAX_PENDING_BEFORE_ANSWER: usize = 20;

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexStep {
    /// The step did something, and more may remain.
    Worked,
    /// Another server does the remaining work.
    Busy,
    /// Nothing remains to be done.
    Idle,
}

/// Does the next step of the projects that are being indexed, or of one of them, except projects that this shell may
/// not read. A project whose last sweep ended or failed ten minutes ago is swept again, unless it has too many files
/// and is not watched, and so is a watched one whose folders this shell does not know yet. `owner` identifies this
/// server.
pub fn step(
    memory: &mut Engine,
    disk: &mut dyn CodeFiles,
    owner: i64,
    only: Option<i64>,
) -> Result<IndexStep> {
    let mut due = if only.is_none() { memory.read(projects::due)? } else { Vec::new() };
    if only.is_none() {
        let is_unknown =
            |it: &Project| it.status == ProjectStatus::Completed && disk.walked(&it.path).is_none();
        due.extend(memory.read(projects::watched)?.into_iter().filter(is_unknown));
    }
    let is_too_large = |project: &Project| {
        let reason = project.error_message.as_deref().unwrap_or_default();
        !project.is_watched && reason.starts_with(TOO_MANY_FILES)
    };
    if let Some(project) = due.iter().find(|it| !is_too_large(it) && disk.reaches(&it.path)) {
        memory.write(|tx| projects::restart(tx, project.number))?;
    }
    let waiting = memory.read(projects::indexing)?;
    let mut outcome = IndexStep::Idle;
    for project in waiting.iter().filter(|project| only.is_none_or(|only| project.number == only)) {
        if !disk.reaches(&project.path) {
            continue;
        }
        if memory.write(|tx| projects::lease(tx, project.number, owner))? {
            memory.with_limited_cache(|memory| work(memory, disk, project))?;
            return Ok(IndexStep::Worked);
        }
        outcome = IndexStep::Busy;
    }
    Ok(outcome)
}

fn work(memory: &mut Engine, disk: &mut dyn CodeFiles, project: &Project) -> Result<()> {
    if !project.is_scanned {
        return scan(memory, disk, project);
    }
    let steps = if disk.prepares() { 2 } else { 1 };
    let mut pending = memory.read(|tx| {
        files::pending(tx, project.number, steps * MAX_FILES_PER_STEP, steps as u64 * BYTES_A_STEP)
    })?;
    if !pending.is_empty() {
        let next = pending.split_off(files_of_step(pending.iter().map(|file| file.stat.size)));
        prepare(disk, project, &next);
        let reads = read_all(memory, disk, project, pending);
        let is_lost = reads.iter().any(|read| matches!(read.outcome, Outcome::Unknown));
        return memory.write(|tx| {
            store(tx, disk, project, reads)?;
            match is_lost {
                true => projects::end(tx, project.number, Some("The folder can no longer be read")),
                false => Ok(()),
            }
        });
    }
    memory.write(|tx| {
        if code::resolve(tx, project.number, MAX_RESOLVED)? == 0 {
            code_links::follow(tx, project)?;
            code::end_sweep(tx, project)?;
        }
        Ok(())
    })
}

/// The number of the first files of these sizes that one step stores.
fn files_of_step(sizes: impl Iterator<Item = u64>) -> usize {
    let mut bytes = 0;
    let before = sizes.take(MAX_FILES_PER_STEP).take_while(|size| {
        let is_within = bytes < BYTES_A_STEP;
        bytes += size;
        is_within
    });
    before.count()
}

/// Hands over the files of the next step, which reads them again: whatever changes until then is extracted again.
fn prepare(disk: &mut dyn CodeFiles, project: &Project, files: &[CodeFile]) {
    let mut contents = Vec::with_capacity(files.len());
    for file in files.iter().filter(|file| file.stat.size <= MAX_FILE_BYTES) {
        if let Found::File((_, bytes)) = disk.read(&project.path, &file.path)
            && !has_facts_of(file, code::content_hash(&bytes))
        {
            contents.push((file.path.clone(), bytes));
        }
    }
    disk.prepare(contents);
}

/// Whether the stored facts of a file are those of a content.
fn has_facts_of(file: &CodeFile, hash: i64) -> bool {
    file.hash == hash && file.facts_version == FACTS_VERSION
}

fn scan(memory: &mut Engine, disk: &mut dyn CodeFiles, project: &Project) -> Result<()> {
    let fail = |memory: &mut Engine, reason: &str| {
        memory.write(|tx| projects::end(tx, project.number, Some(reason)))
    };
    // Read before the walk: a file that another server adds meanwhile is not taken for a deleted one.
    let known = memory.read(|tx| files::all(tx, project.number))?;
    let walk = match disk.walk(&project.path, &|path| is_wanted(project, path), MAX_FILES) {
        Ok(walk) => walk,
        Err(reason) => return fail(memory, &format!("The folder cannot be read: {reason}")),
    };
    if walk.is_cut {
        let reason = format!(
            "{TOO_MANY_FILES} {MAX_FILES} files to index, or {UNWANTED_FACTOR} times as many others: index a \
             folder in it, or name what to leave out, with exclude or best in a file .memoryignore"
        );
        return fail(memory, &reason);
    }
    let found: BTreeMap<String, FileStat> = walk.files.into_iter().collect();
    let scan = Scan { found: &found, skipped: &walk.unreadable, unlisted: &walk.unlisted };
    memory.write(|tx| code::plan(tx, project, &known, &scan))
}

/// Whether the patterns of a project include a file.
pub(crate) fn is_wanted(project: &Project, path: &str) -> bool {
    let fits = |patterns: &[String]| patterns.iter().any(|pattern| globs::matches(pattern, path));
    (project.include.is_empty() || fits(&project.include)) && !fits(&project.exclude)
}

/// The result of reading a file.
struct Read {
    /// Its row before it was read.
    file: CodeFile,
    outcome: Outcome,
}

enum Outcome {
    Gone,
    /// The project's folder cannot be reached.
    Unknown,
    /// The file cannot be read, with the reason.
    Unreadable(String),
    /// The content is unchanged. Its size and time, as far as they can be trusted.
    Same(FileStat),
    New(Box<New>),
}

struct New {
    /// Size and time, as far as they can be trusted.
    stat: FileStat,
    hash: i64,
    text: String,
    facts: FileFacts,
    failure: Option<String>,
}

/// Reads files. Whether the time of a file can be trusted is decided by the time before the first one is read: until
/// they are stored, after a wait for the database, a file may have changed again with the same time.
fn read_all(
    memory: &Engine,
    disk: &mut dyn CodeFiles,
    project: &Project,
    files: impl IntoIterator<Item = CodeFile>,
) -> Vec<Read> {
    let now_millis = memory.database().host().now_millis();
    let read = |file| Read { outcome: look(disk, project, &file, now_millis), file };
    files.into_iter().map(read).collect()
}

/// Reads a file; `now_millis` is a time before that.
fn look(disk: &mut dyn CodeFiles, project: &Project, file: &CodeFile, now_millis: i64) -> Outcome {
    let path = file.path.as_str();
    let without_facts = |stat: FileStat, skipped: Option<SkipReason>, failure: Option<String>| {
        let language = Language::detect(path, &[]);
        let outline = Outline { language, ..Outline::default() };
        let facts = FileFacts { language, skipped, outline, ..FileFacts::default() };
        let stat = code::trusted(stat, now_millis);
        Outcome::New(Box::new(New { stat, hash: 0, text: String::new(), facts, failure }))
    };
    let stat = match disk.stat(&project.path, path) {
        Found::File(stat) => stat,
        Found::Gone => return Outcome::Gone,
        Found::NoProject => return Outcome::Unknown,
        Found::Unreadable(reason) => return Outcome::Unreadable(reason),
    };
    if stat.size > MAX_FILE_BYTES {
        return without_facts(stat, Some(SkipReason::TooLarge), None);
    }
    let (stat, bytes) = match disk.read(&project.path, path) {
        Found::File(found) => found,
        Found::Gone => return Outcome::Gone,
        Found::NoProject => return Outcome::Unknown,
        Found::Unreadable(reason) => return Outcome::Unreadable(reason),
    };
    let hash = code::content_hash(&bytes);
    let trusted = code::trusted(stat, now_millis);
    if has_facts_of(file, hash) {
        return Outcome::Same(trusted);
    }
    match disk.extract(path, &bytes) {
        Ok(facts) => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
            let text = match facts.skipped {
                None => String::from_utf8_lossy(bytes).into_owned(),
                Some(_) => String::new(),
            };
            Outcome::New(Box::new(New { stat: trusted, hash, text, facts, failure: None }))
        }
        Err(reason) => without_facts(stat, None, Some(format!("cannot be parsed: {reason}"))),
    }
}

/// Stores what was read. A file whose row has changed since is read again: another server may have stored a later
/// content, or marked the file as changed after it was read. No other server stores anything meanwhile.
fn store(
    tx: &limbic_core::Transaction<'_>,
    disk: &mut dyn CodeFiles,
    project: &Project,
    reads: Vec<Read>,
) -> Result<()> {
    let mut words = WordChanges::default();
    for Read { file, outcome } in reads {
        let (file, outcome) = match files::at(tx, project.number, &file.path)? {
            Some(now) if now == file => (now, outcome),
            Some(now) => {
                let outcome = look(disk, project, &now, tx.now_millis());
                (now, outcome)
            }
            None if file.is_new() => (file, outcome),
            // Another server has deleted it.
            None => continue,
        };
        match outcome {
            Outcome::Gone | Outcome::Unknown if file.is_new() => {}
            Outcome::Gone => code::delete_file(tx, project, &file, &mut words)?,
            Outcome::Unknown => {}
            Outcome::Unreadable(reason) => code::set_unreadable(tx, project, &file, &reason)?,
            Outcome::Same(stat) => code::keep(tx, &file, stat)?,
            Outcome::New(new) => code::store(
                tx,
                project,
                &ReadFile {
                    path: &file.path,
                    stat: new.stat,
                    hash: new.hash,
                    text: &new.text,
                    facts: &new.facts,
                    failure: new.failure.as_deref(),
                },
                &mut words,
            )?,
        }
    }
    words.apply(tx)?;
    code_links::restore(tx, project)
}

/// Files in an answer: row numbers of projects, and paths.
pub type Shown = BTreeSet<(i64, String)>;

/// The result of reading files again.
#[derive(Default)]
pub struct Refreshed {
    /// The files that changed since they were indexed, and those that no longer exist.
    pub changed: Shown,
    /// Those of them that could not be stored, because the database is read-only or busy.
    pub unstored: Shown,
    /// The files that cannot be read now.
    pub unreadable: Shown,
    /// The other files whose content is unknown: the project's folder cannot be reached, or they are excluded.
    pub unreached: Shown,
    /// Whether further changes can be stored.
    pub stores: bool,
}

/// Reads files that changed since they were indexed, and deletes those that no longer exist. If `stores` is false, and
/// with a read-only database, nothing is stored.
pub fn refresh(
    memory: &mut Engine,
    disk: &mut dyn CodeFiles,
    shown: &Shown,
    stores: bool,
) -> Result<Refreshed> {
    refresh_known(memory, disk, shown, false, stores)
}

/// As [`refresh`], and also reads files that are not in the index yet.
pub fn refresh_and_add(memory: &mut Engine, disk: &mut dyn CodeFiles, named: &Shown) -> Result<Refreshed> {
    refresh_known(memory, disk, named, true, true)
}

fn refresh_known(
    memory: &mut Engine,
    disk: &mut dyn CodeFiles,
    shown: &Shown,
    adds_new: bool,
    stores: bool,
) -> Result<Refreshed> {
    let known = memory.read(projects::all)?;
    let mut refreshed =
        Refreshed { stores: stores && !memory.database().is_read_only(), ..Refreshed::default() };
    for project in &known {
        let mut outdated = Vec::new();
        for (_, path) in shown.iter().filter(|(number, _)| *number == project.number) {
            let file = memory.read(|tx| files::at(tx, project.number, path))?;
            let key = (project.number, path.clone());
            match (disk.stat(&project.path, path), file) {
                (Found::NoProject, _) => {
                    refreshed.unreached.insert(key);
                }
                (Found::File(stat), Some(file)) if stat == file.stat && !file.is_pending => {}
                (_, Some(file)) => outdated.push(file),
                (Found::Unreadable(_), None) => {
                    refreshed.unreadable.insert(key);
                }
                (Found::File(_), None) if adds_new => match new_file(disk, project, path) {
                    Some(file) => outdated.push(file),
                    None => {
                        refreshed.unreached.insert(key);
                    }
                },
                (Found::File(_) | Found::Gone, None) => {}
            }
        }
        let reads = read_all(memory, disk, project, outdated);
        let of = |is_meant: fn(&Outcome) -> bool| {
            let meant = reads.iter().filter(move |read| is_meant(&read.outcome));
            meant.map(|read| (project.number, read.file.path.clone()))
        };
        refreshed.unreadable.extend(of(|outcome| matches!(outcome, Outcome::Unreadable(_))));
        refreshed.unreached.extend(of(|outcome| matches!(outcome, Outcome::Unknown)));
        let changed = changed_by(project, &reads);
        let reads = storable(reads);
        if refreshed.stores && !reads.is_empty() {
            refreshed.stores = match memory.write(|tx| store_before_answer(tx, disk, project, reads)) {
                Err(Error::Busy) => false,
                other => other.map(|()| true)?,
            };
        }
        if !refreshed.stores {
            refreshed.unstored.extend(changed.iter().cloned());
        }
        refreshed.changed.extend(changed);
    }
    Ok(refreshed)
}

/// The results that change the index: without files that still cannot be read.
fn storable(mut reads: Vec<Read>) -> Vec<Read> {
    reads.retain(|read| match read.outcome {
        Outcome::Unknown => false,
        Outcome::Unreadable(_) => !read.file.is_unreadable(),
        Outcome::Gone | Outcome::Same(_) | Outcome::New(_) => true,
    });
    reads
}

/// The file at a path of the project that is not in the index, if it belongs to it.
fn new_file(disk: &mut dyn CodeFiles, project: &Project, path: &str) -> Option<CodeFile> {
    match disk.path_state(&project.path, path) {
        Ok(PathState::File(stat)) if is_wanted(project, path) => {
            Some(CodeFile::new(project.number, path, stat))
        }
        _ => None,
    }
}

/// The files whose content differs from the index.
fn changed_by(project: &Project, reads: &[Read]) -> Shown {
    let differs = |read: &&Read| match read.outcome {
        Outcome::Same(_) | Outcome::Unknown | Outcome::Unreadable(_) => false,
        Outcome::Gone => !read.file.is_new(),
        Outcome::New(_) => true,
    };
    reads.iter().filter(differs).map(|read| (project.number, read.file.path.clone())).collect()
}

/// Reads the pending files of a project before an answer and resolves what depends on them, if both are few.
pub fn finish_if_few(memory: &mut Engine, disk: &mut dyn CodeFiles, project: &Project) -> Result<()> {
    let unfinished = memory.read(|tx| projects::unfinished_files(tx, project.number))?;
    let is_few = (1..=MAX_RESOLVED).contains(&usize::try_from(unfinished).unwrap_or(usize::MAX));
    if !is_few || !disk.reaches(&project.path) {
        return Ok(());
    }
    let pending =
        memory.read(|tx| files::pending(tx, project.number, MAX_PENDING_BEFORE_ANSWER + 1, BYTES_A_STEP))?;
    if pending.len() > MAX_PENDING_BEFORE_ANSWER {
        return Ok(());
    }
    let is_read = pending.is_empty();
    let reads = storable(read_all(memory, disk, project, pending));
    if reads.is_empty() && !is_read {
        return Ok(());
    }
    memory.write(|tx| store_before_answer(tx, disk, project, reads))
}

/// Stores files and resolves what depends on them, unless others are to be read first; later steps do what is left.
fn store_before_answer(
    tx: &limbic_core::Transaction<'_>,
    disk: &mut dyn CodeFiles,
    project: &Project,
    reads: Vec<Read>,
) -> Result<()> {
    // Another server may have deleted the project.
    let Some(project) = projects::at(tx, &project.path)?.filter(|it| it.number == project.number) else {
        return Ok(());
    };
    store(tx, disk, &project, reads)?;
    let is_completed = project.status == ProjectStatus::Completed;
    if is_completed || files::pending(tx, project.number, 1, 0)?.is_empty() {
        code::resolve(tx, project.number, MAX_RESOLVED)?;
    }
    if is_completed {
        projects::resume_if_unresolved(tx, project.number)?;
    }
    Ok(())
}

/// Compares all files of a project with its index and reads those that differ, the newest first, and then those that
/// were read so soon after a change that another one may have left size and time as they were. Files that differ and
/// do not fit into one step are marked as pending, for later steps. Returns [`Compared::Unknown`] if the folder cannot
/// be read, which the next sweep reports, or has more than [`MAX_COMPARED_FILES`]. Also returns whether the index has
/// everything that the walk saw.
pub fn compare(memory: &mut Engine, disk: &mut dyn CodeFiles, project: &Project) -> Result<(Compared, bool)> {
    // Read before the walk: a file that another server adds meanwhile is not taken for a deleted one.
    let known = memory.read(|tx| files::all(tx, project.number))?;
    let walk = match disk.walk(&project.path, &|path| is_wanted(project, path), MAX_COMPARED_FILES) {
        Ok(walk) if !walk.is_cut => walk,
        _ => return Ok((Compared::Unknown, false)),
    };
    let found: BTreeMap<String, FileStat> = walk.files.into_iter().collect();
    // A watch marks what has changed, and steps read it soon, but not before an answer. The files that wait in the
    // first index are many.
    let reads_pending = known.values().filter(|file| file.is_pending).count() <= MAX_FILES_PER_STEP;
    let is_gone =
        |file: &&CodeFile| !found.contains_key(&file.path) && !code::is_below(&file.path, &walk.unlisted);
    let gone: Vec<&CodeFile> = known.values().filter(is_gone).collect();
    let (mut differing, mut doubtful) = (Vec::new(), Vec::new());
    for (path, stat) in found {
        match known.get(&path) {
            None => differing.push((stat, CodeFile::new(project.number, &path, stat))),
            Some(file) if file.is_pending && reads_pending => differing.push((stat, file.clone())),
            Some(file) if file.is_pending || file.stat == stat => {}
            Some(file) => {
                let is_doubtful = file.stat == FileStat { mtime: -1, ..stat };
                let list = if is_doubtful { &mut doubtful } else { &mut differing };
                list.push((stat, file.clone()));
            }
        }
    }
    // A sweep that failed left files unread, and its folder can be read now.
    let has_failed = project.status == ProjectStatus::Failed;
    if differing.is_empty() && doubtful.is_empty() && gone.is_empty() && !has_failed {
        return Ok((Compared::Same, true));
    }
    for list in [&mut differing, &mut doubtful] {
        list.sort_by(|(a, one), (b, other)| b.mtime.cmp(&a.mtime).then_with(|| one.path.cmp(&other.path)));
    }
    let later = differing.split_off(files_of_step(differing.iter().map(|(stat, _)| stat.size)));
    let is_complete = doubtful.len() <= MAX_DOUBTFUL;
    doubtful.truncate(MAX_DOUBTFUL);
    let mut now = differing;
    now.append(&mut doubtful);
    let reads = storable(read_all(memory, disk, project, now.into_iter().map(|(_, file)| file)));
    if reads.is_empty() && gone.is_empty() && later.is_empty() && !has_failed {
        return Ok((Compared::Same, is_complete));
    }
    let mut changes = changed_by(project, &reads);
    let others = gone.iter().map(|file| &file.path).chain(later.iter().map(|(_, file)| &file.path));
    changes.extend(others.map(|path| (project.number, path.clone())));
    let is_same = changes.is_empty();
    let stored = memory.write(|tx| {
        let Some(now) = projects::at(tx, &project.path)?.filter(|it| it.number == project.number) else {
            return Ok(());
        };
        let mut words = WordChanges::default();
        for file in gone {
            // Another server may have found it again.
            if files::at(tx, project.number, &file.path)?.as_ref() == Some(file) {
                code::delete_file(tx, project, file, &mut words)?;
            }
        }
        words.apply(tx)?;
        for (stat, file) in &later {
            files::expect(tx, project.number, &file.path, *stat)?;
        }
        store_before_answer(tx, disk, project, reads)?;
        code_links::follow(tx, project)?;
        if now.status == ProjectStatus::Failed {
            projects::restart(tx, now.number)?;
        } else if !later.is_empty() {
            projects::resume(tx, project.number)?;
        }
        Ok(())
    });
    match stored {
        Ok(()) if is_same => Ok((Compared::Same, is_complete)),
        Ok(()) => Ok((Compared::Changed, is_complete)),
        Err(Error::Busy) => Ok((Compared::Unstored(changes), false)),
        Err(error) => Err(error),
    }
}

/// Compares files of a project that are known to have changed since a walk whose result the index has.
pub fn compare_changed(
    memory: &mut Engine,
    disk: &mut dyn CodeFiles,
    project: &Project,
    paths: Vec<String>,
) -> Result<Compared> {
    let files = paths.into_iter().map(|path| (project.number, path)).collect();
    let Refreshed { changed, unstored, .. } = refresh_and_add(memory, disk, &files)?;
    if changed.is_empty() {
        return Ok(Compared::Same);
    }
    if !unstored.is_empty() {
        return Ok(Compared::Unstored(unstored));
    }
    follow_links(memory, project)?;
    Ok(Compared::Changed)
}

/// Stores where the symbols of links have moved, after a comparison. Another time will do where the database is busy.
pub fn follow_links(memory: &mut Engine, project: &Project) -> Result<()> {
    match memory.write(|tx| code_links::follow(tx, project)) {
        Err(Error::Busy) => Ok(()),
        other => other,
    }
}

/// The result of a comparison of a project with its index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    /// The index is as it was.
    Same,
    /// Not all files could be looked at.
    Unknown,
    /// The index has changed.
    Changed,
    /// These files differ from the index, which could not be changed, because the database was busy.
    Unstored(Shown),
}
