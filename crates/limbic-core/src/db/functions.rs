//! SQL functions that SQLite lacks.

use rusqlite::{Connection, functions::FunctionFlags};

use crate::{Result, text};

/// Makes our functions known to a connection.
///
/// `fold(text)`: the text in the form in which it is compared without regard to case, also beyond ASCII.
pub fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("fold", 1, flags, |arguments| {
        Ok(arguments.get_raw(0).as_str_or_null()?.map(text::fold))
    })?;
    Ok(())
}
