//! The owner of a file, and the numbered migrations of the schema.

use rusqlite::{Connection, TransactionBehavior};

use crate::{Error, Foreign, Result};

/// `PRAGMA application_id` of Limbic's files: the letters LMBC.
pub(crate) const APPLICATION_ID: i64 = 0x4C4D_4243;

/// The migrations, in order; the number of the last one is the schema's version.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_mcp_memory_v2.sql"),
    include_str!("migrations/0002_limbic.sql"),
    include_str!("migrations/0003_search_log.sql"),
    include_str!("migrations/0004_text_vectors.sql"),
    include_str!("migrations/0005_memory_graph.sql"),
    include_str!("migrations/0006_memories.sql"),
    include_str!("migrations/0007_memory_indexes.sql"),
    include_str!("migrations/0008_contradicted.sql"),
    include_str!("migrations/0009_superseded.sql"),
    include_str!("migrations/0010_statements.sql"),
    include_str!("migrations/0011_history_fields.sql"),
    include_str!("migrations/0012_code.sql"),
    include_str!("migrations/0013_search_words.sql"),
    include_str!("migrations/0014_origins.sql"),
    include_str!("migrations/0015_memory_search_forms.sql"),
    include_str!("migrations/0016_memory_symbols.sql"),
    include_str!("migrations/0017_code_watched.sql"),
    include_str!("migrations/0018_code_waiting.sql"),
    include_str!("migrations/0019_superseding.sql"),
    include_str!("migrations/0020_code_writes.sql"),
    include_str!("migrations/0021_graph_origins.sql"),
    include_str!("migrations/0022_project_folders.sql"),
    include_str!("migrations/0023_search_forms_of_yo.sql"),
    include_str!("migrations/0024_accepted_memories.sql"),
    include_str!("migrations/0025_search_forms_of_scripts.sql"),
    include_str!("migrations/0026_replaced_states.sql"),
    include_str!("migrations/0027_code_references.sql"),
];

/// The schema that the first [`SNAPSHOT_VERSION`] migrations create. It is faster than running them, because each
/// changed table is parsed again. `tests/tests/schema_snapshot.rs` writes it and checks that it equals their result.
const SNAPSHOT: &str = include_str!("schema.sql");

/// How many migrations the snapshot contains. Later ones run after it.
const SNAPSHOT_VERSION: usize = 27;

/// The newest schema version, as kept in `PRAGMA user_version`.
pub const VERSION: i64 = 27;

const _: () = assert!(MIGRATIONS.len() == 27, "VERSION is the number of migrations");

/// The owner of a database.
enum Owner {
    /// No program: it has no table.
    None,
    /// Limbic, with this schema version.
    Limbic(i64),
    /// Another program, or a newer Limbic: the error to report.
    Foreign(Error),
}

/// Creates or upgrades the schema in one transaction. `begin` adds the first rows to a new one.
///
/// # Errors
/// [`Error::ForeignDatabase`] and [`Error::NewerVersion`]; the file is not changed.
pub(crate) fn prepare(
    connection: &mut Connection,
    read_only: bool,
    begin: impl FnOnce(&rusqlite::Transaction<'_>) -> Result<()>,
) -> Result<()> {
    match owner(connection)? {
        Owner::Foreign(error) => Err(error),
        Owner::Limbic(found) if found > VERSION => Err(Error::NewerVersion { found, known: VERSION }),
        Owner::Limbic(VERSION) => Ok(()),
        _ if read_only => Err(Error::ReadOnly),
        _ => migrate(connection, begin),
    }
}

/// Checks that a database belongs to Limbic and has this schema version or an older one.
///
/// # Errors
/// [`Error::NotADatabase`], [`Error::ForeignDatabase`], [`Error::NewerVersion`].
pub(crate) fn require_ours(connection: &Connection) -> Result<()> {
    match owner(connection)? {
        Owner::Limbic(found) if found > VERSION => Err(Error::NewerVersion { found, known: VERSION }),
        Owner::Limbic(_) => Ok(()),
        Owner::Foreign(error) => Err(error),
        Owner::None => Err(Error::ForeignDatabase(Foreign::Empty)),
    }
}

/// Checks, before a write, that no newer version of Limbic has upgraded the schema, whose rules this version lacks.
///
/// # Errors
/// [`Error::NewerVersion`].
pub(crate) fn require_known(connection: &Connection) -> Result<()> {
    let found = connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?;
    if found > VERSION { Err(Error::NewerVersion { found, known: VERSION }) } else { Ok(()) }
}

fn migrate(
    connection: &mut Connection,
    begin: impl FnOnce(&rusqlite::Transaction<'_>) -> Result<()>,
) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Checked again within the transaction: another process may have created the schema meanwhile.
    let owner = owner(&transaction)?;
    let is_new = matches!(owner, Owner::None);
    let first = match owner {
        Owner::None => {
            transaction.execute_batch(SNAPSHOT)?;
            SNAPSHOT_VERSION
        }
        Owner::Limbic(version) => usize::try_from(version).unwrap_or(MIGRATIONS.len()),
        Owner::Foreign(error) => return Err(error),
    };
    for sql in MIGRATIONS.iter().skip(first) {
        transaction.execute_batch(sql)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    if is_new {
        begin(&transaction)?;
    }
    transaction.commit()?;
    Ok(())
}

fn owner(connection: &Connection) -> Result<Owner> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let application: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(match (tables, application) {
        (0, 0) => Owner::None,
        (_, APPLICATION_ID) => Owner::Limbic(version),
        _ => Owner::Foreign(Error::ForeignDatabase(origin(connection)?)),
    })
}

fn origin(connection: &Connection) -> Result<Foreign> {
    let known: i64 = connection.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('entities', 'observations', 'relations')",
        [],
        |row| row.get(0),
    )?;
    Ok(if known == 3 { Foreign::McpMemory } else { Foreign::Unknown })
}
