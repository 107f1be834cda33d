//! Rows of `code_projects`: the indexed folders, their progress, and the lease of the server that indexes them.

use rusqlite::{OptionalExtension, Row, params};

use crate::{Error, Result, Transaction, model::project_status::ProjectStatus};

/// Duration of a lease: after this time, another server may continue the work.
pub(crate) const LEASE_MILLIS: i64 = 10_000;

/// Interval between the end of a sweep and the next one.
const SWEEP_MILLIS: i64 = 600_000;

/// The columns of a project, in the order in which they are read.
const COLUMNS: &str = "number, project_id, path, include, exclude, status, is_scanned, started_at, completed_at, \
     error_message, EXISTS (SELECT 1 FROM code_watched WHERE project = number)";

/// A project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Row number.
    pub number: i64,
    /// Id, unique.
    pub id: String,
    /// Absolute path of its folder, as the shell names it.
    pub path: String,
    /// Patterns of files to index; all if empty.
    pub include: Vec<String>,
    /// Patterns of files and folders not to index.
    pub exclude: Vec<String>,
    /// Status.
    pub status: ProjectStatus,
    /// Whether the files of the running sweep are known.
    pub is_scanned: bool,
    /// When the last sweep started, in Unix milliseconds.
    pub started_at: i64,
    /// When it was completed.
    pub completed_at: Option<i64>,
    /// Why it failed.
    pub error_message: Option<String>,
    /// Whether servers watch its files.
    pub is_watched: bool,
}

/// Counts of a project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files, those without facts included.
    pub files: u64,
    /// Files that wait to be read.
    pub pending: u64,
    /// Files that are read and whose references wait to be resolved.
    pub unresolved: u64,
    /// Chunks.
    pub chunks: u64,
    /// Chunks that wait for a vector.
    pub embeddings: u64,
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn project(row: &Row<'_>) -> rusqlite::Result<Project> {
    Ok(Project {
        number: row.get(0)?,
        id: row.get(1)?,
        path: row.get(2)?,
        include: lines(row.get_ref(3)?.as_str()?),
        exclude: lines(row.get_ref(4)?.as_str()?),
        status: row.get(5)?,
        is_scanned: row.get(6)?,
        started_at: row.get(7)?,
        completed_at: row.get(8)?,
        error_message: row.get(9)?,
        is_watched: row.get(10)?,
    })
}

/// All projects, by id.
pub fn all(tx: &Transaction<'_>) -> Result<Vec<Project>> {
    let mut statement =
        tx.prepare_cached(&format!("SELECT {COLUMNS} FROM code_projects ORDER BY project_id"))?;
    let rows = statement.query_map([], project)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The project of an id.
///
/// # Errors
/// [`Error::ProjectNotFound`].
pub fn get(tx: &Transaction<'_>, id: &str) -> Result<Project> {
    let found = tx
        .prepare_cached(&format!("SELECT {COLUMNS} FROM code_projects WHERE project_id = ?1"))?
        .query_row([id], project)
        .optional()?;
    match found {
        Some(found) => Ok(found),
        None => {
            let known = all(tx)?.into_iter().map(|project| project.id).collect();
            Err(Error::ProjectNotFound { id: id.to_owned(), known })
        }
    }
}

/// The project of a folder, if it is one.
pub fn at(tx: &Transaction<'_>, path: &str) -> Result<Option<Project>> {
    Ok(tx
        .prepare_cached(&format!("SELECT {COLUMNS} FROM code_projects WHERE path = ?1"))?
        .query_row([path], project)
        .optional()?)
}

/// Patterns of the files of a project; those that are `None` stay as they are.
#[derive(Debug, Clone, Copy, Default)]
pub struct Patterns<'a> {
    /// Patterns of files to index; all if empty.
    pub include: Option<&'a [String]>,
    /// Patterns of files and folders not to index.
    pub exclude: Option<&'a [String]>,
}

/// Changes the folder of a project, which was moved or has another path now.
pub fn relocate(tx: &Transaction<'_>, number: i64, path: &str) -> Result<()> {
    tx.prepare_cached("UPDATE code_projects SET path = ?2 WHERE number = ?1")?
        .execute(params![number, path])?;
    Ok(())
}

/// Starts another sweep of a project.
pub fn restart(tx: &Transaction<'_>, number: i64) -> Result<()> {
    tx.prepare_cached(
        "UPDATE code_projects SET status = ?2, is_scanned = 0, started_at = ?3, completed_at = NULL,
             error_message = NULL
         WHERE number = ?1",
    )?
    .execute(params![number, ProjectStatus::Indexing, tx.now_millis()])?;
    Ok(())
}

/// Starts a sweep of a folder, and adds it as a project if it is not one. `id` must be unused or the folder's own.
/// Patterns that are not given stay. With `force`, all files are read again.
///
/// # Errors
/// [`Error::Conflict`] if another folder has the id.
pub fn start(
    tx: &Transaction<'_>,
    id: &str,
    path: &str,
    patterns: Patterns<'_>,
    force: bool,
) -> Result<Project> {
    let holder: Option<String> = tx
        .prepare_cached("SELECT path FROM code_projects WHERE project_id = ?1 AND path <> ?2")?
        .query_row([id, path], |row| row.get(0))
        .optional()?;
    if let Some(holder) = holder {
        return Err(Error::Conflict(format!(
            "project_id {id:?} belongs to the folder {holder}: choose another one, or delete that project first"
        )));
    }
    if let Some(before) = at(tx, path)?.filter(|before| before.id != id) {
        // Links of memories name the project; one that the id already has stays.
        tx.prepare_cached("UPDATE OR IGNORE memory_symbols SET project_id = ?2 WHERE project_id = ?1")?
            .execute([before.id.as_str(), id])?;
    }
    tx.prepare_cached(
        "INSERT INTO code_projects (project_id, path, include, exclude, status, started_at)
         VALUES (?1, ?2, ifnull(?3, ''), ifnull(?4, ''), ?6, ?5)
         ON CONFLICT (path) DO UPDATE SET project_id = ?1, include = ifnull(?3, include),
             exclude = ifnull(?4, exclude), status = ?6, is_scanned = 0, started_at = ?5, completed_at = NULL,
             error_message = NULL",
    )?
    .execute(params![
        id,
        path,
        patterns.include.map(|list| list.join("\n")),
        patterns.exclude.map(|list| list.join("\n")),
        tx.now_millis(),
        ProjectStatus::Indexing
    ])?;
    let project = get(tx, id)?;
    tx.prepare_cached(
        "UPDATE code_chunks SET project_id = ?2 WHERE project_id <> ?2
             AND file IN (SELECT id FROM code_files WHERE project = ?1)",
    )?
    .execute(params![project.number, id])?;
    if force {
        tx.prepare_cached("UPDATE code_files SET facts_version = 0, mtime = -1 WHERE project = ?1")?
            .execute([project.number])?;
    }
    Ok(project)
}

/// The completed projects whose last sweep ended so long ago that another one is due, and those whose last sweep failed
/// and began so long ago: a missing folder may be back. By id. A time in the future, under a wrong clock,
/// counts as long ago.
pub fn due(tx: &Transaction<'_>) -> Result<Vec<Project>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM code_projects
         WHERE CASE status WHEN ?3 THEN completed_at <= ?1 - ?2 OR completed_at > ?1 + ?2
             WHEN ?4 THEN started_at <= ?1 - ?2 OR started_at > ?1 + ?2
             ELSE 0 END
         ORDER BY project_id"
    ))?;
    let (completed, failed) = (ProjectStatus::Completed, ProjectStatus::Failed);
    let rows = statement.query_map(params![tx.now_millis(), SWEEP_MILLIS, completed, failed], project)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The projects that are being indexed, the one started first before the others.
pub fn indexing(tx: &Transaction<'_>) -> Result<Vec<Project>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM code_projects WHERE status = ?1 ORDER BY started_at, number"
    ))?;
    let rows = statement.query_map([ProjectStatus::Indexing], project)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Takes or extends the lease of a project that is being indexed; `false` if another server has it. A lease that ends
/// later than any lease can was taken while the clock was ahead, and is ignored.
pub fn lease(tx: &Transaction<'_>, number: i64, owner: i64) -> Result<bool> {
    let now = tx.now_millis();
    let changed = tx
        .prepare_cached(
            "UPDATE code_projects SET lease_owner = ?2, leased_until = ?3 + ?4
             WHERE number = ?1 AND status = ?5
                 AND (lease_owner = ?2 OR leased_until <= ?3 OR leased_until > ?3 + ?4)",
        )?
        .execute(params![number, owner, now, LEASE_MILLIS, ProjectStatus::Indexing])?;
    Ok(changed > 0)
}

/// Records that the files of the sweep are known.
pub(crate) fn scanned(tx: &Transaction<'_>, number: i64) -> Result<()> {
    tx.prepare_cached("UPDATE code_projects SET is_scanned = 1 WHERE number = ?1")?.execute([number])?;
    Ok(())
}

/// Ends a sweep: completed, or failed with a reason.
pub fn end(tx: &Transaction<'_>, number: i64, failure: Option<&str>) -> Result<()> {
    let status = if failure.is_none() { ProjectStatus::Completed } else { ProjectStatus::Failed };
    tx.prepare_cached(
        "UPDATE code_projects SET status = ?4, error_message = ?2, completed_at = iif(?2 IS NULL, ?3, NULL),
             lease_owner = 0, leased_until = 0
         WHERE number = ?1",
    )?
    .execute(params![number, failure, tx.now_millis(), status])?;
    Ok(())
}

/// Sets a completed project back to `indexing` if references of it are unresolved.
pub fn resume_if_unresolved(tx: &Transaction<'_>, number: i64) -> Result<()> {
    // Two conditions, each with an index; SQLite reads all files of the project for one.
    tx.prepare_cached(
        "UPDATE code_projects SET status = ?2, is_scanned = 1 WHERE number = ?1
             AND (EXISTS (SELECT 1 FROM code_files WHERE project = ?1 AND is_unresolved AND NOT is_pending)
                 OR EXISTS (SELECT 1 FROM code_files WHERE project = ?1 AND is_pending AND is_unresolved))",
    )?
    .execute(params![number, ProjectStatus::Indexing])?;
    Ok(())
}

/// Sets whether servers watch the files of a project.
pub fn set_watched(tx: &Transaction<'_>, number: i64, is_watched: bool) -> Result<()> {
    let sql = if is_watched {
        "INSERT OR IGNORE INTO code_watched (project) VALUES (?1)"
    } else {
        "DELETE FROM code_watched WHERE project = ?1"
    };
    tx.prepare_cached(sql)?.execute([number])?;
    Ok(())
}

/// The watched projects, by id.
pub fn watched(tx: &Transaction<'_>) -> Result<Vec<Project>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM code_watched JOIN code_projects ON number = project ORDER BY project_id"
    ))?;
    let rows = statement.query_map([], project)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Sets a completed project back to `indexing`, so that files that are marked as pending are read without a sweep. Its
/// progress and its duration are those of this update.
pub fn resume(tx: &Transaction<'_>, number: i64) -> Result<()> {
    tx.prepare_cached(
        "UPDATE code_projects SET status = ?3, is_scanned = 1, started_at = ?2, completed_at = NULL
         WHERE number = ?1 AND status = ?4",
    )?
    .execute(params![number, tx.now_millis(), ProjectStatus::Indexing, ProjectStatus::Completed])?;
    Ok(())
}

/// Returns the counts of a project. Each is taken from an index alone: a project that is being indexed is asked about
/// often.
pub fn counts(tx: &Transaction<'_>, number: i64) -> Result<Counts> {
    let of_project =
        |sql: &str| -> Result<u64> { Ok(tx.prepare_cached(sql)?.query_row([number], |row| row.get(0))?) };
    let of_all = |sql: &str| -> Result<u64> { Ok(tx.prepare_cached(sql)?.query_row([], |row| row.get(0))?) };
    let queued = of_all("SELECT count(*) FROM embedding_queue WHERE kind = 4")?;
    let (chunks, embeddings) = if of_all("SELECT count(*) FROM code_projects")? < 2 {
        (of_all("SELECT count(*) FROM code_chunks")?, queued)
    } else {
        let chunks = of_project(
            "SELECT count(*) FROM code_files AS f CROSS JOIN code_chunks AS c ON c.file = f.id
             WHERE f.project = ?1",
        )?;
        let waiting = "SELECT count(*) FROM code_files AS f CROSS JOIN code_chunks AS c ON c.file = f.id
             CROSS JOIN embedding_queue AS q ON q.kind = 4 AND q.id = c.id WHERE f.project = ?1";
        (chunks, if queued == 0 { 0 } else { of_project(waiting)? })
    };
    let (files, pending, unresolved) = waiting(tx, number)?;
    Ok(Counts { files, pending, unresolved, chunks, embeddings })
}

/// The work of a sweep in units, two for each file (reading it, and resolving its references): done, and total.
pub fn work(tx: &Transaction<'_>, number: i64) -> Result<(u64, u64)> {
    let (files, pending, unresolved) = waiting(tx, number)?;
    Ok((2 * files - 2 * pending - unresolved, 2 * files))
}

/// How many files a project has, how many wait to be read, and of how many others the references wait to be resolved.
fn waiting(tx: &Transaction<'_>, number: i64) -> Result<(u64, u64, u64)> {
    Ok(tx
        .prepare_cached(
            "SELECT (SELECT count(*) FROM code_files WHERE project = ?1),
                 (SELECT count(*) FROM code_files WHERE project = ?1 AND is_pending),
                 (SELECT count(*) FROM code_files WHERE project = ?1 AND is_unresolved AND NOT is_pending)",
        )?
        .query_row([number], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?)
}

/// How many files of a project wait to be read, or for the resolution of their references.
pub fn unfinished_files(tx: &Transaction<'_>, number: i64) -> Result<u64> {
    let (_, pending, unresolved) = waiting(tx, number)?;
    Ok(pending + unresolved)
}

/// How many files a project has.
pub fn files(tx: &Transaction<'_>, number: i64) -> Result<u64> {
    Ok(tx
        .prepare_cached("SELECT count(*) FROM code_files WHERE project = ?1")?
        .query_row([number], |row| row.get(0))?)
}

/// How many symbols a project has.
pub fn symbols(tx: &Transaction<'_>, number: i64) -> Result<u64> {
    Ok(tx
        .prepare_cached("SELECT count(*) FROM code_symbols WHERE project = ?1")?
        .query_row([number], |row| row.get(0))?)
}

/// How many files wait to be read, in all projects or one.
pub fn pending_files(tx: &Transaction<'_>, number: Option<i64>) -> Result<u64> {
    Ok(tx
        .prepare_cached("SELECT count(*) FROM code_files WHERE is_pending AND (?1 IS NULL OR project = ?1)")?
        .query_row([number], |row| row.get(0))?)
}

/// Deletes a project whose files were deleted.
pub(crate) fn delete(tx: &Transaction<'_>, number: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM code_skipped WHERE project = ?1")?.execute([number])?;
    tx.prepare_cached("DELETE FROM code_projects WHERE number = ?1")?.execute([number])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn rows_hold_each_status_and_no_other_word() -> Result<()> {
        let schema = include_str!("../../db/schema.sql");
        let is_projects = |statement: &&str| statement.trim_start().starts_with("CREATE TABLE code_projects");
        let db = Connection::open_in_memory()?;
        db.execute_batch(schema.split_inclusive(";\n").find(is_projects).expect("the schema has the table"))?;
        let stored = |status: &dyn rusqlite::ToSql| {
            db.query_row(
                "INSERT OR REPLACE INTO code_projects (number, project_id, path, status, started_at)
                 VALUES (1, 'p', '/p', ?1, 0) RETURNING status",
                [status],
                |row| row.get::<_, ProjectStatus>(0),
            )
        };
        for status in ProjectStatus::ALL {
            assert_eq!(stored(status)?, *status);
        }
        assert!(stored(&"paused").is_err_and(|error| error.to_string().contains("CHECK")));
        let other = db.query_row("SELECT 'paused'", [], |row| row.get::<_, ProjectStatus>(0));
        assert!(other.is_err_and(|error| error.to_string().contains("indexing, completed, failed")));
        Ok(())
    }
}
