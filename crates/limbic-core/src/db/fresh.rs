//! A database of ours, made in memory.

use rusqlite::{Connection, config::DbConfig};

use super::{Transaction, functions, schema};
use crate::Result;

/// Makes a database with our schema and has it filled. Triggers and foreign keys are off meanwhile: what they would
/// derive is to be written as well.
///
/// # Errors
/// Those of the database and of `fill`.
pub fn fresh(now_millis: i64, fill: impl FnOnce(&Transaction<'_>) -> Result<()>) -> Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    connection.execute_batch("PRAGMA page_size = 4096; PRAGMA foreign_keys = OFF")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    functions::register(&connection)?;
    schema::prepare(&mut connection, false)?;
    let transaction = connection.transaction()?;
    fill(&Transaction::new(&transaction, now_millis))?;
    transaction.commit()?;
    Ok(connection)
}
