//! Protection against hostile databases.
//!
//! A database contains expressions of its author: views, generated columns, CHECK constraints and indexes on
//! expressions are evaluated when rows are read or checked, and one evaluation may take hours within a single step.
//! None of them is evaluated here: constraints are ignored, tables that need the others are refused, and the number of
//! steps is limited.

use rusqlite::{Connection, config::DbConfig, limits::Limit};

use crate::{Error, Result};

/// Maximum length of a text or blob that is read.
const MAX_VALUE_BYTES: i32 = 100_000_000;

/// Maximum length of a pattern of LIKE and GLOB.
const MAX_PATTERN_BYTES: i32 = 1000;

/// Limit of the steps of SQLite's virtual machine for an empty database; it grows with the size.
const MIN_STEPS: u64 = 100_000_000;
const STEPS_PER_BYTE: u64 = 20;

/// Number of steps between two checks of the limit.
const STEPS_BETWEEN: i32 = 10_000;

/// Prepares a connection for a database of `size` bytes from an untrusted source.
pub(super) fn harden(connection: &mut Connection, size: usize) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA ignore_check_constraints = ON;")?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MAX_PATTERN_BYTES)?;
    limit_steps(connection, size)
}

/// Limits the steps from here on, for a database of `size` bytes.
pub(super) fn limit_steps(connection: &mut Connection, size: usize) -> Result<()> {
    let budget =
        MIN_STEPS.saturating_add(STEPS_PER_BYTE.saturating_mul(u64::try_from(size).unwrap_or(u64::MAX)));
    let mut steps = 0_u64;
    let between = u64::from(STEPS_BETWEEN.unsigned_abs());
    connection.progress_handler(
        STEPS_BETWEEN,
        Some(move || {
            steps = steps.saturating_add(between);
            steps > budget
        }),
    )?;
    Ok(())
}

/// The views of Limbic with the names of other programs' tables. They lie beside the table of its memories.
const OWN_VIEWS: [&str; 2] = ["memories", "memory_relations"];

/// Rejects a database in which one of these tables is none: not even its columns can be read without code or
/// expressions of its author.
///
/// # Errors
/// [`Error::UnknownSource`].
pub(super) fn require_tables(connection: &Connection, tables: &[&'static str]) -> Result<()> {
    let named = "SELECT count(*) FROM sqlite_schema WHERE lower(name) = lower(?1)";
    let is_limbic = count(connection, &format!("{named} AND type = 'table'"), "MEMORY_NODES")? > 0;
    for table in tables {
        let is_virtual = format!("{named} AND type = 'table' AND coalesce(rootpage, 0) = 0");
        if count(connection, &is_virtual, table)? > 0 {
            return Err(refused(table, "is a virtual table"));
        }
        let is_own = is_limbic && OWN_VIEWS.contains(table);
        if !is_own && count(connection, &format!("{named} AND type = 'view'"), table)? > 0 {
            return Err(refused(table, "is a view"));
        }
    }
    Ok(())
}

/// Rejects a table whose rows cannot be read without evaluating expressions of its author.
///
/// # Errors
/// [`Error::UnknownSource`].
pub(super) fn require_plain(connection: &Connection, table: &str) -> Result<()> {
    let refused = |what: &str| Err(refused(table, what));
    if count(connection, "SELECT count(*) FROM pragma_table_xinfo(?1) WHERE hidden <> 0", table)? > 0 {
        return refused("has generated columns");
    }
    let on_expressions =
        "SELECT count(*) FROM pragma_index_list(?1) AS i, pragma_index_xinfo(i.name) AS c WHERE c.cid = -2";
    if count(connection, on_expressions, table)? > 0 {
        return refused("has an index on an expression");
    }
    // The condition of a partial index follows the list of columns; without parentheses it calls no function.
    let with_functions = "SELECT count(*) FROM sqlite_schema
         WHERE type = 'index' AND lower(tbl_name) = lower(?1) AND instr(substr(sql, instr(sql, ')')), '(') > 0";
    if count(connection, with_functions, table)? > 0 {
        return refused("has a partial index with a function");
    }
    Ok(())
}

fn refused(table: &str, what: &str) -> Error {
    Error::UnknownSource {
        message: format!(
            "The table {table} {what}, which no program of a known format makes; nothing was imported"
        ),
    }
}

fn count(connection: &Connection, sql: &str, table: &str) -> Result<i64> {
    Ok(connection.query_row(sql, [table], |row| row.get(0))?)
}
