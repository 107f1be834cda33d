//! Times of memories in records: `YYYY-MM-DDTHH:MM:SS.mmmZ`, whatever form another program has given them.

use crate::{Error, Result, Transaction, store::timestamps};

/// SQL for a time as memories keep it, from an expression; NULL where what stands there is none.
pub fn sql(expression: &str) -> String {
    format!(
        "CASE WHEN {expression} GLOB '[0-9][0-9][0-9][0-9]-[0-9]*'
         THEN strftime('%Y-%m-%dT%H:%M:%fZ', {expression}) END"
    )
}

/// A time as memories keep it. What is none counts as missing, as in all records.
///
/// # Errors
/// Those of the database.
pub fn read(tx: &Transaction<'_>, text: Option<&str>) -> Result<Option<String>> {
    match timestamps::read_optional(tx, "a time", text) {
        Err(Error::InvalidArgument { .. }) => Ok(None),
        other => other,
    }
}
