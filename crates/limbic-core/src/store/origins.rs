//! Origins of memories, and which of them a person trusts.

use rusqlite::{OptionalExtension, Row, params};

use super::{domains, timestamps};
use crate::{Result, Transaction};

/// Maximum length of a client's, project's or file's name, in characters.
const MAX_NAME_CHARS: usize = 200;

/// A kind of writer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// A tool call of an MCP client.
    #[default]
    Client,
    /// A hook of the host.
    Hook,
    /// A file.
    Import,
    /// A person in the explorer.
    Explorer,
    /// A program that uses Limbic as a library.
    Library,
    /// A person on the command line.
    Cli,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Client, Self::Hook, Self::Import, Self::Explorer, Self::Library, Self::Cli];

    /// Its name in the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Hook => "hook",
            Self::Import => "import",
            Self::Explorer => "explorer",
            Self::Library => "library",
            Self::Cli => "cli",
        }
    }

    /// Returns the kind with this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Where a memory comes from. Fields that do not apply are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// Who wrote.
    pub kind: Kind,
    /// The client's name, as reported by the client.
    pub client: String,
    /// The session, 32 hexadecimal digits.
    pub session: String,
    /// The project of the session.
    pub project: String,
    /// Of an import: the name of the file.
    pub file: String,
    /// Of an import: its id.
    pub import_id: String,
}

impl Origin {
    /// Returns its label, which a person trusts: the client, the project of the hook, or one import. Not the session.
    #[must_use]
    pub fn label(&self) -> String {
        match self.kind {
            Kind::Client | Kind::Library => format!("{}:{}", self.kind.name(), self.client),
            Kind::Hook => format!("hook:{}", self.project),
            Kind::Import => format!("import:{}#{}", self.file, self.import_id),
            Kind::Explorer | Kind::Cli => self.kind.name().to_owned(),
        }
    }

    /// Returns it with names of limited length and without control characters.
    #[must_use]
    pub fn bounded(self) -> Self {
        let name = |text: String| -> String {
            text.chars().filter(|letter| !letter.is_control()).take(MAX_NAME_CHARS).collect()
        };
        Self {
            kind: self.kind,
            client: name(self.client),
            session: name(self.session),
            project: name(domains::canonical(&self.project).into_owned()),
            file: name(self.file),
            import_id: name(self.import_id),
        }
    }
}

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
            file: row.get(6)?,
            import_id: row.get(7)?,
        },
        created_at: row.get(8)?,
    })
}

/// Whether a project of this name has written a memory.
pub(crate) fn is_project(tx: &Transaction<'_>, name: &str) -> Result<bool> {
    Ok(tx.prepare_cached("SELECT 1 FROM origins WHERE project = ?1")?.exists([name])?)
}

/// Returns the row number of an origin, which is stored if it is new.
pub(crate) fn id_of(tx: &Transaction<'_>, origin: &Origin) -> Result<i64> {
    let origin = origin.clone().bounded();
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

/// Returns SQL for the ids of the origins that a text names: by number, session, import or label. The label of an import
/// names all that it brought, whose own labels may be those of their first writers. `place` is the SQL of the text.
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

/// Returns SQL for whether hooks of a project show a memory: it is confirmed, or was written in that project. `project`
/// is the SQL of the project.
#[must_use]
pub(crate) fn is_visible(memory: &str, project: &str) -> String {
    format!(
        "(NOT {} OR ({project} <> '' AND EXISTS (SELECT 1 FROM origins AS p
            WHERE p.id = {memory}.unconfirmed_origin AND p.project = {project})))",
        unconfirmed(memory)
    )
}

/// Trusts the origins with this label: their past and future memories are confirmed. Returns whether it was not trusted
/// before.
pub(crate) fn trust(tx: &Transaction<'_>, label: &str) -> Result<bool> {
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
