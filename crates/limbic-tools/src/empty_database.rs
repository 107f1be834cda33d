//! A new database as a file: a shell that writes it need not run the statements of the schema.

use limbic_core::{Result, rusqlite::Connection};

use crate::{Limbic, Options, test_clock::TestClock};

/// The time at which the database was created, by the clock of the core: milliseconds since 1970.
const CREATED_MILLIS: i64 = 0;

/// How that time is written in the database.
pub const CREATED: &str = "1970-01-01T00:00:00.000Z";

/// Returns a SQLite file with the current schema and the rows of a new database. Each timestamp in it is [`CREATED`]: a
/// shell replaces it by the present time, which has the same length. It is the same file at every call. SQLite must
/// have the module vec0.
///
/// # Errors
/// Errors of SQLite.
pub fn empty_database() -> Result<Vec<u8>> {
    let connection = Connection::open_in_memory()?;
    Limbic::open(connection, Box::new(TestClock::new(CREATED_MILLIS)), Options::default())?.export()
}
