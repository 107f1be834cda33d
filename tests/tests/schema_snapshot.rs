//! The schema snapshot, from which new files are created, equals the schema that the migrations give, and the database
//! that the Node package carries equals a new one.

use std::fs;

use anyhow::{Result, ensure};
use limbic_core::{db, rusqlite::Connection};
use limbic_tests::{memory::Native, project};
use limbic_tools::{CREATED, Options, empty_database};
use tempfile::tempdir;

/// The number of migrations that need only SQLite; opening the file runs the later ones.
const PLAIN: usize = 9;

/// Every table, index, trigger and view with its text, and the rows that a new file has.
fn schema(memory: &mut Native) -> Result<Vec<[String; 4]>> {
    let folder = tempdir()?;
    let path = folder.path().join("copy.db");
    fs::write(&path, memory.limbic().export()?)?;
    let connection = Connection::open(&path)?;
    let mut statement = connection.prepare(
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema WHERE name <> 'sqlite_sequence'
         ORDER BY type, name",
    )?;
    let rows = statement.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Creates a file by running every migration.
fn migrated() -> Result<Native> {
    limbic_vfs::register_vec0();
    let connection = Connection::open_in_memory()?;
    let mut files: Vec<_> = fs::read_dir(project("crates/limbic-core/src/db/migrations"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.sort();
    for file in files.iter().take(PLAIN) {
        connection.execute_batch(&fs::read_to_string(file)?)?;
    }
    connection
        .execute_batch(&format!("PRAGMA application_id = 0x4C4D4243; PRAGMA user_version = {PLAIN};"))?;
    Native::with(connection, Options::default())
}

/// The statements of the schema, in the order of the migrations.
fn statements(memory: &mut Native) -> Result<String> {
    let folder = tempdir()?;
    let path = folder.path().join("copy.db");
    fs::write(&path, memory.limbic().export()?)?;
    let connection = Connection::open(&path)?;
    let mut statement = connection.prepare(
        "SELECT s.sql FROM sqlite_schema AS s WHERE s.sql IS NOT NULL AND s.name <> 'sqlite_sequence'
             AND NOT EXISTS (SELECT 1 FROM sqlite_schema AS v WHERE v.sql LIKE 'CREATE VIRTUAL TABLE%'
                 AND v.name <> s.tbl_name AND substr(s.tbl_name, 1, length(v.name) + 1) = v.name || '_')
         ORDER BY s.rowid",
    )?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    rows.map(|sql| Ok(format!("{};\n", sql?))).collect()
}

#[test]
fn a_new_file_has_the_schema_of_the_migrations() -> Result<()> {
    let mut migrated = migrated()?;
    if std::env::var_os("UPDATE").is_some() {
        let path = project("crates/limbic-core/src/db/schema.sql");
        fs::write(path, statements(&mut migrated)?)?;
    }
    let (new, migrated) = (schema(&mut Native::in_memory()?)?, schema(&mut migrated)?);
    for (new, migrated) in new.iter().zip(&migrated) {
        ensure!(new == migrated, "{new:?}\n{migrated:?}");
    }
    ensure!(new.len() == migrated.len(), "{} and {} objects", new.len(), migrated.len());
    Ok(())
}

/// Properties of a file that are fixed when it is created.
const PRAGMAS: [&str; 5] = ["application_id", "user_version", "page_size", "auto_vacuum", "encoding"];

/// The schema of a file in its order, its [`PRAGMAS`] and every row of its tables, those of virtual tables among them.
fn content(bytes: &[u8]) -> Result<Vec<String>> {
    let folder = tempdir()?;
    let path = folder.path().join("copy.db");
    fs::write(&path, bytes)?;
    let connection = Connection::open(&path)?;
    let lines = |sql: &str| -> Result<Vec<String>> {
        let mut statement = connection.prepare(sql)?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    let mut content = lines("SELECT concat_ws(' ', type, name, tbl_name, rootpage, sql) FROM sqlite_schema")?;
    for pragma in PRAGMAS {
        content.push(format!(
            "{pragma} {}",
            lines(&format!("SELECT CAST({pragma} AS TEXT) FROM pragma_{pragma}"))?.concat()
        ));
    }
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'";
    for table in lines(tables)? {
        let columns =
            lines(&format!("SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('{table}')"))?
                .join(", ");
        let rows = lines(&format!("SELECT concat_ws(', ', {columns}) FROM \"{table}\""))?;
        content.extend(rows.into_iter().map(|row| format!("{table}: {row}")));
    }
    Ok(content)
}

#[test]
fn the_empty_database_equals_a_new_file() -> Result<()> {
    limbic_vfs::register_vec0();
    let empty = empty_database()?;
    ensure!(empty == empty_database()?, "it differs from call to call");
    let folder = tempdir()?;
    let path = folder.path().join("new.db");
    let mut new = Native::open(&path)?;
    let created: String = {
        let connection = Connection::open(&path)?;
        connection.query_row("SELECT created FROM DOMAINS", [], |row| row.get(0))?
    };
    ensure!(created.len() == CREATED.len() && created != CREATED, "{created}");
    let new: Vec<_> =
        content(&new.limbic().export()?)?.into_iter().map(|line| line.replace(&created, CREATED)).collect();
    let found = content(&empty)?;
    for (found, new) in found.iter().zip(&new) {
        ensure!(found == new, "{found}\n{new}");
    }
    ensure!(found.len() == new.len(), "{} and {} lines", found.len(), new.len());
    ensure!(found.contains(&format!("user_version {}", db::VERSION)), "the version");
    let timestamps = empty.windows(CREATED.len()).filter(|bytes| *bytes == CREATED.as_bytes()).count();
    ensure!(
        timestamps == 3,
        "{timestamps} timestamps: those of the domain, and of the domain that is current"
    );
    Ok(())
}
