//! Entities: the nodes of the knowledge graph.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{OptionalExtension, Row, params};
use serde::Serialize;

use limbic_guard::unescape;

use crate::{
    Error, Result, Transaction,
    model::{entity_status::EntityStatus, text},
    store::origins,
};

/// A node of the knowledge graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entity {
    /// Row number, never used again after a deletion.
    pub id: i64,
    /// Unique name, as given.
    pub name: String,
    /// Type, free text; "Generic" if none was given.
    pub entity_type: String,
    /// Word of an [`EntityStatus`], or another.
    pub status: String,
    /// `YYYY-MM-DD HH:MM:SS`, UTC.
    pub created_at: String,
    /// `YYYY-MM-DD HH:MM:SS`, UTC.
    pub updated_at: String,
}

impl Entity {
    /// Whether the entity exists only because a relation of the reference server names it.
    pub fn is_placeholder(&self) -> bool {
        self.status == EntityStatus::Placeholder.word()
    }
}

const COLUMNS: &str = "id, name, entity_type, status, created_at, updated_at";

fn load(row: &Row<'_>) -> rusqlite::Result<Entity> {
    Ok(Entity {
        id: row.get(0)?,
        name: row.get(1)?,
        entity_type: row.get(2)?,
        status: row.get(3)?,
        created_at: row.get(4)?,
        updated_at: row.get(5)?,
    })
}

/// Returns the entity with this name in composed, decomposed or escaped form.
pub fn find(tx: &Transaction<'_>, name: &str) -> Result<Option<Entity>> {
    let mut statement = tx.prepare_cached(&format!("SELECT {COLUMNS} FROM entities WHERE name = ?1"))?;
    let hidden = unescape(name).map(|name| text::spellings(&name)).unwrap_or_default();
    for spelling in text::spellings(name).into_iter().chain(hidden) {
        if let Some(entity) = statement.query_row([spelling], load).optional()? {
            return Ok(Some(entity));
        }
    }
    Ok(None)
}

/// Returns the entity with exactly this name.
pub fn find_exact(tx: &Transaction<'_>, name: &str) -> Result<Option<Entity>> {
    let mut statement = tx.prepare_cached(&format!("SELECT {COLUMNS} FROM entities WHERE name = ?1"))?;
    Ok(statement.query_row([name], load).optional()?)
}

/// The entity of this name.
///
/// # Errors
/// [`Error::EntityNotFound`].
pub fn require(tx: &Transaction<'_>, name: &str) -> Result<Entity> {
    find(tx, name)?.ok_or_else(|| Error::EntityNotFound(name.to_owned()))
}

/// The entity with this id, if it still exists.
pub fn get(tx: &Transaction<'_>, id: i64) -> Result<Option<Entity>> {
    let mut statement = tx.prepare_cached(&format!("SELECT {COLUMNS} FROM entities WHERE id = ?1"))?;
    Ok(statement.query_row([id], load).optional()?)
}

/// Entities in the order of their ids, from `first_id` on.
pub fn page(tx: &Transaction<'_>, first_id: i64, limit: usize) -> Result<Vec<Entity>> {
    let mut statement =
        tx.prepare_cached(&format!("SELECT {COLUMNS} FROM entities WHERE id >= ?1 ORDER BY id LIMIT ?2"))?;
    let rows = statement.query_map(params![first_id, limit], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The row numbers of the entities of this type and this status; `None` admits all.
pub(crate) fn ids_with(
    tx: &Transaction<'_>,
    entity_type: Option<&str>,
    status: Option<&str>,
) -> Result<HashSet<i64>> {
    let mut statement = tx.prepare_cached(
        "SELECT id FROM entities WHERE entity_type = coalesce(?1, entity_type) AND status = coalesce(?2, status)
         ORDER BY id",
    )?;
    let ids = statement.query_map(params![entity_type, status], |row| row.get(0))?;
    Ok(ids.collect::<rusqlite::Result<_>>()?)
}

/// The first `limit` names that begin with this text, without regard to case, by name; and how many there are.
pub fn beginning_with(tx: &Transaction<'_>, begun: &str, limit: usize) -> Result<(usize, Vec<String>)> {
    const BEGINS: &str = "FROM entities WHERE status <> ?2 AND (?1 = '' OR instr(fold(name), ?1) = 1)";
    let begun = text::fold(begun);
    let total = tx
        .prepare_cached(&format!("SELECT count(*) {BEGINS}"))?
        .query_row(params![begun, EntityStatus::Placeholder.word()], |row| row.get(0))?;
    let mut statement =
        tx.prepare_cached(&format!("SELECT name {BEGINS} ORDER BY fold(name), id LIMIT ?3"))?;
    let rows =
        statement.query_map(params![begun, EntityStatus::Placeholder.word(), limit], |row| row.get(0))?;
    Ok((total, rows.collect::<rusqlite::Result<_>>()?))
}

/// The fields of an entity to create or update. `None` leaves a field unchanged, or sets its default in a new entity.
#[derive(Debug, Clone, Copy)]
pub struct Description<'a> {
    /// Unique name.
    pub name: &'a str,
    /// Type.
    pub entity_type: Option<&'a str>,
    /// Status.
    pub status: Option<&'a str>,
}

/// Inserts a row and returns its number. Default type: "Generic"; default status: [`EntityStatus::Active`].
pub(crate) fn insert(tx: &Transaction<'_>, description: Description<'_>) -> Result<i64> {
    let Description { name, entity_type, status } = description;
    tx.prepare_cached(
        "INSERT INTO entities (name, entity_type, status, created_at, updated_at, origin)
         VALUES (?1, coalesce(?2, 'Generic'), ?3, datetime(?4, 'unixepoch'), datetime(?4, 'unixepoch'), ?5)",
    )?
    .execute(params![
        name,
        entity_type,
        status.unwrap_or(EntityStatus::Active.word()),
        tx.now_seconds(),
        origins::of_writer(tx)?
    ])?;
    Ok(tx.last_insert_rowid())
}

/// Changes type and status of a row; `None` leaves them unchanged, except that a placeholder becomes
/// [`EntityStatus::Active`].
pub(crate) fn set(
    tx: &Transaction<'_>,
    id: i64,
    entity_type: Option<&str>,
    status: Option<&str>,
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE entities SET entity_type = coalesce(?2, entity_type),
             status = coalesce(?3, nullif(status, ?5), ?6), updated_at = datetime(?4, 'unixepoch')
         WHERE id = ?1",
    )?
    .execute(params![
        id,
        entity_type,
        status,
        tx.now_seconds(),
        EntityStatus::Placeholder.word(),
        EntityStatus::Active.word()
    ])?;
    Ok(())
}

/// Makes the transaction's origin that of a row.
pub(crate) fn set_origin(tx: &Transaction<'_>, id: i64) -> Result<()> {
    tx.prepare_cached("UPDATE entities SET origin = ?2 WHERE id = ?1")?
        .execute(params![id, origins::of_writer(tx)?])?;
    Ok(())
}

/// Sets the time of the last change to that of the transaction.
pub(crate) fn set_updated(tx: &Transaction<'_>, id: i64) -> Result<()> {
    tx.prepare_cached("UPDATE entities SET updated_at = datetime(?2, 'unixepoch') WHERE id = ?1")?
        .execute(params![id, tx.now_seconds()])?;
    Ok(())
}

/// Makes a placeholder a normal entity; no effect on other entities. Returns whether it was one. Its mentions are not
/// found here: see `memories::mentions::make_real`.
pub(crate) fn make_real(tx: &Transaction<'_>, id: i64) -> Result<bool> {
    let changed = tx
        .prepare_cached("UPDATE entities SET status = ?3 WHERE id = ?1 AND status = ?2")?
        .execute(params![id, EntityStatus::Placeholder.word(), EntityStatus::Active.word()])?;
    Ok(changed > 0)
}

/// Renames a row to a name that no caller can send, so that another row can use its name.
pub(crate) fn release_name(tx: &Transaction<'_>, id: i64) -> Result<()> {
    tx.prepare_cached("UPDATE entities SET name = char(0) || id WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// Whether an entity is a placeholder that no relation names.
pub(crate) fn is_unused_placeholder(tx: &Transaction<'_>, id: i64) -> Result<bool> {
    Ok(tx
        .prepare_cached(
            "SELECT 1 FROM entities AS e WHERE id = ?1 AND status = ?2
             AND NOT EXISTS (SELECT 1 FROM relations WHERE from_entity = e.id)
             AND NOT EXISTS (SELECT 1 FROM relations WHERE to_entity = e.id)",
        )?
        .exists(params![id, EntityStatus::Placeholder.word()])?)
}

/// Deletes the row alone, with the rows that cascade. `mutations::entities::delete` deletes an entity.
pub(crate) fn delete_row(tx: &Transaction<'_>, id: i64) -> Result<()> {
    // The search log keeps only the entity's number.
    tx.prepare_cached("UPDATE search_results SET entity_name = '' WHERE entity_id = ?1")?.execute([id])?;
    tx.prepare_cached("DELETE FROM entities WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// Counts all entities.
pub fn count(tx: &Transaction<'_>) -> Result<u64> {
    Ok(tx.prepare_cached("SELECT count(*) FROM entities")?.query_row([], |row| row.get(0))?)
}

/// The type of every entity, by row number.
pub fn types(tx: &Transaction<'_>) -> Result<BTreeMap<i64, String>> {
    let mut statement = tx.prepare_cached("SELECT id, entity_type FROM entities ORDER BY id")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
