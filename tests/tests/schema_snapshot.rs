//! The schema snapshot, from which new files are created, equals the schema that the migrations give.

use std::fs;

use anyhow::{Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{memory::Native, project};
use limbic_tools::Options;
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
