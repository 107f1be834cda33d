//! Domains separate memories, such as those of different projects. One is the database's default, in which sessions
//! start.

use std::borrow::Cow;

use rusqlite::{OptionalExtension, Row, params};

use super::{id_validation, timestamps};
use crate::{Error, Result, Transaction, model::text};

/// The domain that every database starts with.
pub const FIRST: &str = "general";

/// The value of a domain argument that means all domains.
pub const ALL: &str = "*";

/// A domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain {
    /// Unique; see [`canonical`].
    pub id: String,
    /// Display name.
    pub name: String,
    /// Description of its content.
    pub description: Option<String>,
    /// ISO 8601, UTC.
    pub created: String,
    /// When it was last written to or made the default.
    pub last_access: String,
    /// Number of its memories.
    pub memories: u64,
}

const COLUMNS: &str = "id, name, description, created, lastAccess,
    (SELECT count(*) FROM MEMORY_NODES WHERE domain = DOMAINS.id)";

fn load(row: &Row<'_>) -> rusqlite::Result<Domain> {
    Ok(Domain {
        id: row.get(0)?,
        name: row.get(1)?,
        description: row.get(2)?,
        created: row.get(3)?,
        last_access: row.get(4)?,
        memories: row.get(5)?,
    })
}

/// Whether the database has a default domain.
pub(crate) fn has_default(tx: &Transaction<'_>) -> Result<bool> {
    Ok(tx
        .prepare_cached("SELECT 1 FROM PERSISTENCE JOIN DOMAINS ON DOMAINS.id = currentDomain")?
        .exists([])?)
}

/// Creates the first domain and makes it the default, unless there is a default.
pub(crate) fn make_first(tx: &Transaction<'_>) -> Result<()> {
    let now = timestamps::now(tx)?;
    tx.execute(
        "INSERT INTO DOMAINS (id, name, description, created, lastAccess)
         SELECT ?1, 'General', 'What belongs to no other domain', ?2, ?2 WHERE NOT EXISTS (SELECT 1 FROM DOMAINS)",
        params![FIRST, now],
    )?;
    tx.execute(
        "INSERT INTO PERSISTENCE (id, currentDomain, lastAccess)
         SELECT 1, (SELECT id FROM DOMAINS ORDER BY created, id LIMIT 1), ?1
         WHERE NOT EXISTS (SELECT 1 FROM PERSISTENCE)",
        [now],
    )?;
    Ok(())
}

/// All domains, by id.
pub fn all(tx: &Transaction<'_>) -> Result<Vec<Domain>> {
    let mut statement = tx.prepare_cached(&format!("SELECT {COLUMNS} FROM DOMAINS ORDER BY id"))?;
    let rows = statement.query_map([], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// One domain.
///
/// # Errors
/// [`Error::DomainNotFound`].
pub fn get(tx: &Transaction<'_>, id: &str) -> Result<Domain> {
    let mut statement = tx.prepare_cached(&format!("SELECT {COLUMNS} FROM DOMAINS WHERE id = ?1"))?;
    statement.query_row([id], load).optional()?.ok_or_else(|| Error::DomainNotFound(id.to_owned()))
}

/// Returns the number of a user's memories in a domain.
pub fn memories_of(tx: &Transaction<'_>, id: &str, user_id: &str) -> Result<u64> {
    let mut statement =
        tx.prepare_cached("SELECT count(*) FROM MEMORY_NODES WHERE domain = ?1 AND user_id = ?2")?;
    Ok(statement.query_row([id, user_id], |row| row.get(0))?)
}

/// Whether there is a domain of this id.
pub fn exists(tx: &Transaction<'_>, id: &str) -> Result<bool> {
    Ok(tx.prepare_cached("SELECT 1 FROM DOMAINS WHERE id = ?1")?.exists([id])?)
}

/// Checks that a domain with exactly this id exists.
///
/// # Errors
/// [`Error::DomainNotFound`].
pub(crate) fn require(tx: &Transaction<'_>, id: &str) -> Result<()> {
    if exists(tx, id)? { Ok(()) } else { Err(Error::DomainNotFound(id.to_owned())) }
}

/// Returns the form in which a domain's id is stored: composed (NFC), without surrounding white space.
#[must_use]
pub fn canonical(id: &str) -> Cow<'_, str> {
    text::compose(id.trim())
}

/// Returns the id of the domain that a caller means: exactly this one, which another program may have stored, or else
/// its canonical form. Unless that is ASCII, also one whose canonical form is the same; ids of ASCII letters are
/// compared as they are stored.
pub fn find(tx: &Transaction<'_>, id: &str) -> Result<Option<String>> {
    if exists(tx, id)? {
        return Ok(Some(id.to_owned()));
    }
    let canonical = canonical(id);
    if exists(tx, &canonical)? {
        return Ok(Some(canonical.into_owned()));
    }
    if canonical.is_ascii() {
        return Ok(None);
    }
    let mut statement = tx.prepare_cached("SELECT CAST(id AS TEXT) FROM DOMAINS ORDER BY id")?;
    let ids: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(ids.into_iter().find(|other| self::canonical(other) == canonical))
}

/// As [`find`], of a domain that must exist.
///
/// # Errors
/// [`Error::DomainNotFound`]; [`Error::BlankDomainId`].
pub fn resolve(tx: &Transaction<'_>, id: &str) -> Result<String> {
    match find(tx, id)? {
        Some(id) => Ok(id),
        None if canonical(id).is_empty() => Err(Error::BlankDomainId),
        None => Err(Error::DomainNotFound(id.to_owned())),
    }
}

/// Creates a domain with the canonical form of the id.
///
/// # Errors
/// [`Error::Conflict`] when there is one with this id; [`Error::InvalidArgument`] for an id that is blank or `*`, or
/// that answers would escape.
pub fn create(tx: &Transaction<'_>, id: &str, name: &str, description: Option<&str>) -> Result<Domain> {
    let id: &str = &canonical(id);
    match id {
        "" => return Err(Error::BlankDomainId),
        ALL => return Err(Error::invalid("id must not be \"*\": it stands for all domains")),
        _ => id_validation::require_plain("id", id)?,
    }
    if !insert(tx, id, name, description, None, None)? {
        return Err(Error::Conflict(format!("A domain with this id already exists: {id}")));
    }
    get(tx, id)
}

/// Adds a row unless its id exists, and returns whether it is new. The times are those of a memory; `None` for now.
pub(crate) fn insert(
    tx: &Transaction<'_>,
    id: &str,
    name: &str,
    description: Option<&str>,
    created: Option<&str>,
    last_access: Option<&str>,
) -> Result<bool> {
    let added = tx
        .prepare_cached(
            "INSERT INTO DOMAINS (id, name, description, created, lastAccess)
             VALUES (?1, ?2, ?3, coalesce(?4, ?6), coalesce(?5, ?6)) ON CONFLICT DO NOTHING",
        )?
        .execute(params![id, name, description, created, last_access, timestamps::now(tx)?])?;
    Ok(added > 0)
}

/// Returns the database's default domain, in which sessions begin. Stored as `currentDomain`, Memory Graph's name for
/// it.
pub fn current(tx: &Transaction<'_>) -> Result<String> {
    let stored: Option<String> = tx
        .prepare_cached("SELECT currentDomain FROM PERSISTENCE WHERE id = 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(stored.unwrap_or_else(|| FIRST.to_owned()))
}

/// Makes a domain the database's default.
///
/// # Errors
/// As [`resolve`].
pub fn select(tx: &Transaction<'_>, id: &str) -> Result<Domain> {
    let now = timestamps::now(tx)?;
    let id: &str = &resolve(tx, id)?;
    tx.prepare_cached("UPDATE DOMAINS SET lastAccess = ?2 WHERE id = ?1")?.execute(params![id, now])?;
    tx.prepare_cached(
        "INSERT INTO PERSISTENCE (id, currentDomain, lastAccess) VALUES (1, ?1, ?2)
         ON CONFLICT DO UPDATE SET currentDomain = ?1, lastAccess = ?2",
    )?
    .execute(params![id, now])?;
    get(tx, id)
}

/// Records that a memory was stored in a domain.
pub(crate) fn written(tx: &Transaction<'_>, id: &str, memory_id: &str) -> Result<()> {
    let now = timestamps::now(tx)?;
    tx.prepare_cached("UPDATE DOMAINS SET lastAccess = ?2 WHERE id = ?1")?.execute(params![id, now])?;
    tx.prepare_cached("UPDATE PERSISTENCE SET lastAccess = ?2, lastMemoryId = ?1 WHERE id = 1")?
        .execute(params![memory_id, now])?;
    Ok(())
}

/// Deletes an empty domain. If it is the default, the first of the others becomes the default.
///
/// # Errors
/// [`Error::DomainNotFound`]; [`Error::DomainNotEmpty`]; [`Error::Conflict`] when it is the only one.
pub fn delete(tx: &Transaction<'_>, id: &str) -> Result<()> {
    let domain = get(tx, id)?;
    if domain.memories > 0 {
        return Err(Error::DomainNotEmpty { id: id.to_owned(), memories: domain.memories });
    }
    let heir: Option<String> = tx
        .prepare_cached("SELECT id FROM DOMAINS WHERE id <> ?1 ORDER BY created, id LIMIT 1")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    let Some(heir) = heir else {
        return Err(Error::Conflict("The only domain cannot be deleted: create another one first".into()));
    };
    tx.prepare_cached("UPDATE PERSISTENCE SET currentDomain = ?2 WHERE currentDomain = ?1")?
        .execute(params![id, heir])?;
    tx.prepare_cached("DELETE FROM DOMAIN_REFS WHERE domain = ?1 OR targetDomain = ?1")?.execute([id])?;
    tx.prepare_cached("DELETE FROM DOMAINS WHERE id = ?1")?.execute([id])?;
    Ok(())
}
