//! Origins of memories and of the graph's records, and which of them a person trusts.

use std::{borrow::Cow, collections::BTreeMap};

use rusqlite::{OptionalExtension, Row, params};

use super::{project_folders, timestamps};
use crate::{Error, Result, Transaction, model::origin::is_of_withheld_names};

pub use crate::model::origin::{Kind, NAME_WITHHELD, Origin};

/// A stored origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredOrigin {
    /// Its row number.
    pub id: i64,
    /// Its label, which a person trusts; see [`Origin::label`].
    pub label: String,
    /// Its parts.
    pub origin: Origin,
    /// The time of its first write.
    pub created_at: String,
}

const COLUMNS: &str =
    "o.id, o.label, o.kind, o.client, o.session, o.project, o.file, o.import_id, o.created_at";

fn load(row: &Row<'_>) -> rusqlite::Result<StoredOrigin> {
    let kind: String = row.get(2)?;
    Ok(StoredOrigin {
        id: row.get(0)?,
        label: row.get(1)?,
        origin: Origin {
            kind: Kind::of_name(&kind).unwrap_or_default(),
            client: row.get(3)?,
            session: row.get(4)?,
            project: row.get(5)?,
            folder: String::new(),
            file: row.get(6)?,
            import_id: row.get(7)?,
        },
        created_at: row.get(8)?,
    })
}

/// Whether a project of this name has written a memory or run a hook. The name may be decomposed, as some file systems
/// store those of folders, and as other programs name domains; projects are stored in their canonical form.
pub fn is_project(tx: &Transaction<'_>, name: &str) -> Result<bool> {
    let name = &project_folders::canonical_project(name);
    Ok(project_folders::is_used(tx, name)?
        || tx.prepare_cached("SELECT 1 FROM origins WHERE project = ?1")?.exists([name])?)
}

/// Returns the project of an origin: its name, or another one until a person confirms its folder.
pub(crate) fn project_of<'a>(tx: &Transaction<'_>, origin: &'a Origin) -> Result<Cow<'a, str>> {
    let other = project_folders::unconfirmed_name(tx, &origin.project, &origin.folder)?;
    Ok(other.map_or(Cow::Borrowed(origin.project.as_str()), Cow::Owned))
}

/// Returns the row number of an origin, which is stored if it is new, as is the use of the project's name by its
/// folder.
pub(crate) fn id_of(tx: &Transaction<'_>, origin: &Origin) -> Result<i64> {
    project_folders::claim(tx, &origin.project, &origin.folder)?;
    let mut origin = origin.clone().bounded();
    origin.project = project_of(tx, &origin)?.into_owned();
    let parts = params![
        origin.kind.name(),
        origin.client,
        origin.session,
        origin.project,
        origin.file,
        origin.import_id,
        origin.label(),
        timestamps::now(tx)?,
    ];
    // Not INSERT OR IGNORE alone, which would use up a number each time.
    let mut find = tx.prepare_cached(
        "SELECT id FROM origins WHERE kind = ?1 AND client = ?2 AND session = ?3 AND project = ?4 AND file = ?5
             AND import_id = ?6 AND label = ?7 AND ?8 = ?8",
    )?;
    if let Some(id) = find.query_row(parts, |row| row.get(0)).optional()? {
        return Ok(id);
    }
    tx.prepare_cached(
        "INSERT INTO origins (kind, client, session, project, file, import_id, label, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(parts)?;
    Ok(tx.last_insert_rowid())
}

/// Returns the row number of the origin of the records that a transaction stores, if it is known.
pub(crate) fn of_writer(tx: &Transaction<'_>) -> Result<Option<i64>> {
    tx.origin_id(|origin| id_of(tx, origin))
}

/// Returns the label of the origin with this row number.
pub(crate) fn label_of(tx: &Transaction<'_>, id: i64) -> Result<String> {
    Ok(tx.prepare_cached("SELECT label FROM origins WHERE id = ?1")?.query_row([id], |row| row.get(0))?)
}

/// Returns the origin of an entity, if it is known.
pub fn of_entity(tx: &Transaction<'_>, id: i64) -> Result<Option<StoredOrigin>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM entities AS e JOIN origins AS o ON o.id = e.origin WHERE e.id = ?1"
    ))?;
    Ok(statement.query_row([id], load).optional()?)
}

/// Returns the labels of the origins of an entity's observations, by row number; those of unknown origin are left out.
pub fn of_observations(tx: &Transaction<'_>, entity_id: i64) -> Result<BTreeMap<i64, String>> {
    let mut statement = tx.prepare_cached(
        "SELECT b.id, o.label FROM observations AS b JOIN origins AS o ON o.id = b.origin WHERE b.entity_id = ?1",
    )?;
    let rows = statement.query_map([entity_id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the origin of a memory, if it is known.
pub fn of_memory(tx: &Transaction<'_>, memory_id: &str) -> Result<Option<StoredOrigin>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM MEMORY_NODES AS m JOIN origins AS o ON o.id = m.origin WHERE m.id = ?1"
    ))?;
    Ok(statement.query_row([memory_id], load).optional()?)
}

/// Returns the origin because of which a memory waits for review, if it does.
pub fn unconfirmed_of(tx: &Transaction<'_>, memory_id: &str) -> Result<Option<StoredOrigin>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM MEMORY_NODES AS m JOIN origins AS o ON o.id = m.unconfirmed_origin
         WHERE m.id = ?1 AND {}",
        unconfirmed("m")
    ))?;
    Ok(statement.query_row([memory_id], load).optional()?)
}

/// Returns SQL for the ids of the origins that a text names: by number, session, import or label. The label of an
/// import names all that it brought, whose own labels may be those of their first writers. `place` is the SQL of the
/// text.
#[must_use]
pub(crate) fn named(place: &str) -> String {
    format!(
        "(SELECT o.id FROM origins AS o WHERE {place} IN (CAST(o.id AS TEXT), o.label)
            OR ({place} <> '' AND {place} IN (o.session, o.import_id))
            OR (o.import_id <> '' AND {place} = 'import:' || o.file || '#' || o.import_id))"
    )
}

/// Returns SQL for whether a memory waits for review: a part of it was written by an origin that is not trusted.
#[must_use]
pub(crate) fn unconfirmed(memory: &str) -> String {
    format!(
        "({memory}.unconfirmed_origin IS NOT NULL AND NOT EXISTS (SELECT 1 FROM origins AS u
            JOIN trusted_origins AS t ON t.label = u.label WHERE u.id = {memory}.unconfirmed_origin))"
    )
}

/// Returns SQL for whether a memory waits for review because of an import, which brought or changed it.
#[must_use]
pub(crate) fn waits_for_import(memory: &str) -> String {
    format!(
        "({memory}.unconfirmed_origin IS NOT NULL AND EXISTS (SELECT 1 FROM origins AS u
            WHERE u.id = {memory}.unconfirmed_origin AND u.kind = '{}'
            AND NOT EXISTS (SELECT 1 FROM trusted_origins AS t WHERE t.label = u.label)))",
        Kind::Import.name()
    )
}

/// Returns SQL for whether hooks of a project show a memory: it is confirmed, or was written in that project. `project`
/// is the SQL of the project.
#[must_use]
pub(crate) fn is_visible(memory: &str, project: &str) -> String {
    format!(
        "(NOT {} OR ({project} <> '' AND EXISTS (SELECT 1 FROM origins AS p
            WHERE p.id = {memory}.unconfirmed_origin AND p.project IN {})))",
        unconfirmed(memory),
        project_folders::names(project)
    )
}

/// Trusts the origins with this label: their past and future memories are confirmed. Returns whether it was not trusted
/// before.
///
/// # Errors
/// [`Error::InvalidArgument`] for the label that all clients with a secret in their name share.
pub(crate) fn trust(tx: &Transaction<'_>, label: &str) -> Result<bool> {
    if is_of_withheld_names(label) {
        return Err(Error::InvalidArgument {
            message: format!("{label} cannot be trusted: all clients whose names contain a secret share it"),
            hint: Some("accept its memories, or give the client a name without a secret".into()),
        });
    }
    let added = tx
        .prepare_cached("INSERT OR IGNORE INTO trusted_origins (label, trusted_at) VALUES (?1, ?2)")?
        .execute(params![label, timestamps::now(tx)?])?;
    Ok(added > 0)
}

/// Ends the trust in origins with this label. Memories that were not accepted wait again. Returns whether it was
/// trusted.
pub(crate) fn distrust(tx: &Transaction<'_>, label: &str) -> Result<bool> {
    Ok(tx.prepare_cached("DELETE FROM trusted_origins WHERE label = ?1")?.execute([label])? > 0)
}

/// Returns the trusted labels, in alphabetical order.
pub fn trusted(tx: &Transaction<'_>) -> Result<Vec<String>> {
    let mut statement = tx.prepare_cached("SELECT label FROM trusted_origins ORDER BY label")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
