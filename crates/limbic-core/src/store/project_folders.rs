//! The folders that may use the name of a project.
//!
//! What chooses the name of a project is in its folder: `.limbic.toml`, or the name of the folder itself. So a name
//! belongs to the first folder that uses it. Another folder with the same name waits for a person, and is a project of
//! its own until then, whose name ends with the digest of its path.

use rusqlite::params;

use super::{domains, timestamps};
use crate::{
    Result, Transaction,
    model::origin::{DIGEST_LENGTH, Kind, MAX_PROJECT_CHARS},
};

pub use crate::model::origin::canonical_project;

/// What the label of a folder begins with.
const LABEL: &str = "project:";

/// A folder that uses the name of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFolder {
    /// The name of the project.
    pub project: String,
    /// 16 hexadecimal digits of the SHA-256 of its real path.
    pub digest: String,
    /// The last component of that path, for display; empty if a person confirmed the folder before it was used.
    pub title: String,
    /// The time of its first use.
    pub first_seen: String,
    /// Whether it may use the name: it was the first one, or a person has confirmed it.
    pub is_confirmed: bool,
}

impl ProjectFolder {
    /// Returns the label by which a person confirms it.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{LABEL}{}", identity(&self.project, &self.digest))
    }
}

/// Whether a text has the form of a folder's label.
#[must_use]
pub fn is_label(text: &str) -> bool {
    of_label(text).is_some()
}

/// Whether a folder's use of a name is recorded, or cannot be because one of them is missing. `folder` is the text of a
/// shell: the digest of the folder's real path, a slash, and the last component of the path.
pub fn is_known(tx: &Transaction<'_>, name: &str, folder: &str) -> Result<bool> {
    let Some((name, digest, _)) = named(name, folder) else { return Ok(true) };
    Ok(use_of(tx, &name, digest)?.is_known)
}

/// Records a folder's use of a name, which the first one owns. From the first use on, memories with the name as their
/// subject that clients of other projects wrote before wait. `folder` as in [`is_known`].
pub fn claim(tx: &Transaction<'_>, name: &str, folder: &str) -> Result<()> {
    let Some((name, digest, title)) = named(name, folder) else { return Ok(()) };
    let usage = use_of(tx, &name, digest)?;
    if usage.is_known {
        return Ok(());
    }
    let is_first = !is_used(tx, &name)?;
    let title: String = title.chars().filter(|letter| !letter.is_control()).take(MAX_PROJECT_CHARS).collect();
    insert(tx, &name, digest, &title, usage.may_use)?;
    if is_first { mark_of_subject(tx, &name) } else { Ok(()) }
}

/// Returns the name that a folder has until a person confirms it for `name`; `None` if it may use that name, as
/// where the shell states no folder. `folder` as in [`is_known`].
pub fn unconfirmed_name(tx: &Transaction<'_>, name: &str, folder: &str) -> Result<Option<String>> {
    let Some((name, digest, _)) = named(name, folder) else { return Ok(None) };
    Ok((!use_of(tx, &name, digest)?.may_use).then(|| identity(&name, digest)))
}

/// Whether a folder has used this name.
pub(crate) fn is_used(tx: &Transaction<'_>, name: &str) -> Result<bool> {
    Ok(tx.prepare_cached("SELECT 1 FROM project_folders WHERE project = ?1")?.exists([name])?)
}

/// Returns SQL for the names of a project: its own, and those that its folders had before they were confirmed.
/// `project` is the SQL of its name.
#[must_use]
pub(crate) fn names(project: &str) -> String {
    format!(
        "(SELECT {project} UNION ALL SELECT f.project || '#' || f.folder FROM project_folders AS f
            WHERE f.project = {project} AND f.confirmed)"
    )
}

/// Sets whether the folder with this label may use the name in it. Returns whether this is a change; `None` if the text
/// is not the label of a folder. A folder need not have used the name yet in order to be confirmed.
pub(crate) fn set_confirmed(tx: &Transaction<'_>, label: &str, is_confirmed: bool) -> Result<Option<bool>> {
    let Some((name, digest)) = of_label(label) else { return Ok(None) };
    let name = &canonical_project(name);
    if is_confirmed && !use_of(tx, name, digest)?.is_known {
        let is_first = !is_used(tx, name)?;
        insert(tx, name, digest, "", true)?;
        if is_first {
            mark_of_subject(tx, name)?;
        }
        return Ok(Some(true));
    }
    let changed = tx
        .prepare_cached(
            "UPDATE project_folders SET confirmed = ?3 WHERE project = ?1 AND folder = ?2 AND confirmed <> ?3",
        )?
        .execute(params![name, digest, is_confirmed])?;
    Ok(Some(changed > 0))
}

/// Returns the folders of each name that several folders use, or whose only folder waits for a person, by name and
/// time.
pub fn contested(tx: &Transaction<'_>) -> Result<Vec<ProjectFolder>> {
    let mut statement = tx.prepare_cached(
        "SELECT project, folder, title, first_seen, confirmed FROM project_folders AS f
         WHERE NOT confirmed OR (SELECT count(*) FROM project_folders AS o WHERE o.project = f.project) > 1
         ORDER BY project, first_seen, folder",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(ProjectFolder {
            project: row.get(0)?,
            digest: row.get(1)?,
            title: row.get(2)?,
            first_seen: row.get(3)?,
            is_confirmed: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// What is recorded about a name and a folder.
struct NameUse {
    /// Whether the folder has used the name.
    is_known: bool,
    /// Whether it may use the name.
    may_use: bool,
}

fn use_of(tx: &Transaction<'_>, name: &str, digest: &str) -> Result<NameUse> {
    let mut statement = tx.prepare_cached(
        "SELECT count(*), coalesce(sum(folder = ?2), 0), coalesce(sum(folder = ?2 AND confirmed), 0)
         FROM project_folders WHERE project = ?1",
    )?;
    let (folders, known, confirmed): (u64, u64, u64) =
        statement.query_row([name, digest], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    // Nobody owns a name that looks like that of a folder which waits by being the first to use it.
    let is_first = folders == 0 && !is_identity(name);
    Ok(NameUse { is_known: known > 0, may_use: confirmed > 0 || is_first })
}

/// Marks the memories with this subject that clients of other projects wrote outside of their own domains. Their
/// subject was no project until now, so that they did not wait. What a person has accepted stays accepted.
fn mark_of_subject(tx: &Transaction<'_>, project: &str) -> Result<()> {
    let of_subject = params![project, Kind::Client.name(), domains::FIRST, Kind::Library.name()];
    let sql = format!(
        "UPDATE MEMORY_NODES AS m SET unconfirmed_origin = origin
         WHERE subject = ?1 AND unconfirmed_origin IS NULL
             AND id NOT IN (SELECT memory_id FROM accepted_memories) AND EXISTS
             (SELECT 1 FROM origins AS o WHERE o.id = m.origin AND o.kind IN (?2, ?4) AND o.project NOT IN {}
                 AND (m.domain = ?3 OR m.domain <> o.project))",
        names("?1")
    );
    tx.prepare_cached(&sql)?.execute(of_subject)?;
    // Those that wait for another origin as well: a rejection gives this state back.
    let sql = format!(
        "UPDATE replaced_states AS r SET record = json_set(record, '$.unconfirmed_origin', (
            SELECT m.origin FROM MEMORY_NODES AS m WHERE m.id = r.memory_id))
         WHERE record ->> '$.subject' = ?1 AND record ->> '$.unconfirmed_origin' IS NULL
             AND NOT record ->> '$.accepted' AND EXISTS
             (SELECT 1 FROM MEMORY_NODES AS m JOIN origins AS o ON o.id = m.origin WHERE m.id = r.memory_id
                 AND o.kind IN (?2, ?4) AND o.project NOT IN {}
                 AND (record ->> '$.domain' = ?3 OR record ->> '$.domain' <> o.project))",
        names("?1")
    );
    tx.prepare_cached(&sql)?.execute(of_subject)?;
    Ok(())
}

fn insert(tx: &Transaction<'_>, name: &str, digest: &str, title: &str, is_confirmed: bool) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO project_folders (project, folder, title, first_seen, confirmed) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![name, digest, title, timestamps::now(tx)?, is_confirmed])?;
    Ok(())
}

/// Returns the canonical name, and the digest and title of a folder; `None` if one of them is missing.
fn named<'a>(name: &str, folder: &'a str) -> Option<(String, &'a str, &'a str)> {
    let (digest, title) = folder.split_once('/').unwrap_or((folder, ""));
    let name = canonical_project(name);
    (is_digest(digest) && !name.is_empty()).then_some((name, digest, title))
}

/// The name of a folder that waits.
fn identity(name: &str, digest: &str) -> String {
    format!("{name}#{digest}")
}

fn is_identity(name: &str) -> bool {
    name.rsplit_once('#').is_some_and(|(_, digest)| is_digest(digest))
}

/// Returns the name and the digest in a label.
fn of_label(label: &str) -> Option<(&str, &str)> {
    let (name, digest) = label.strip_prefix(LABEL)?.rsplit_once('#')?;
    (is_digest(digest) && !canonical_project(name).is_empty()).then_some((name, digest))
}

fn is_digest(text: &str) -> bool {
    text.len() == DIGEST_LENGTH && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "0123456789abcdef";

    #[test]
    fn names_that_differ_invisibly_or_in_length_are_one() {
        for name in ["atlas", " atlas ", "\u{1} atlas", "at\u{7}las\n", "  \u{1}\tatlas"] {
            assert_eq!(canonical_project(name), "atlas", "{name:?}");
        }
        let long = "a".repeat(MAX_PROJECT_CHARS);
        assert_eq!(canonical_project(&format!("{long}b")), long);
        assert_eq!(canonical_project(&format!("{} b", &long[1..])), long[1..]);
    }

    #[test]
    fn a_label_holds_a_name_and_a_digest() {
        let label = format!("project:c##{DIGEST}");
        assert_eq!(of_label(&label), Some(("c#", DIGEST)));
        for wrong in
            ["project:atlas", "project:#0123456789abcdef", "hook:atlas#0123456789abcdef", "project:a#0123"]
        {
            assert!(!is_label(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_folder_is_a_digest_with_a_title() {
        let named =
            |folder| named("atlas", folder).map(|(_, digest, title)| (digest.to_owned(), title.to_owned()));
        assert_eq!(named("0123456789abcdef/a/b"), Some((DIGEST.to_owned(), "a/b".to_owned())));
        assert_eq!(named(DIGEST), Some((DIGEST.to_owned(), String::new())));
        for wrong in ["", "/srv/atlas", "0123456789ABCDEF/atlas"] {
            assert_eq!(named(wrong), None, "{wrong}");
        }
    }
}
