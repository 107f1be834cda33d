//! Moments as memories keep them: `YYYY-MM-DDTHH:MM:SS.mmmZ`, so that text order is the order of time.

use crate::{Error, Result, Unit};

const FORMAT: &str = "%Y-%m-%dT%H:%M:%fZ";

/// A moment from milliseconds since the Unix epoch.
///
/// # Errors
/// Those of the database.
pub fn from_millis(unit: &Unit<'_>, millis: i64) -> Result<String> {
    Ok(unit
        .prepare_cached(&format!("SELECT strftime('{FORMAT}', ?1 / 1000.0, 'unixepoch')"))?
        .query_row([millis], |row| row.get(0))?)
}

/// The moment of a unit of work.
///
/// # Errors
/// Those of the database.
pub fn now(unit: &Unit<'_>) -> Result<String> {
    from_millis(unit, unit.now_millis())
}

/// A moment as lists and pictures show it: `YYYY-MM-DD HH:MM:SS`, UTC. What another program has written that is no time
/// stays as it is.
///
/// # Errors
/// Those of the database.
pub fn plain(unit: &Unit<'_>, moment: &str) -> Result<String> {
    Ok(unit.prepare_cached("SELECT coalesce(datetime(?1), ?1)")?.query_row([moment], |row| row.get(0))?)
}

/// As [`plain`], from milliseconds since the Unix epoch.
///
/// # Errors
/// Those of the database.
pub fn plain_from_millis(unit: &Unit<'_>, millis: i64) -> Result<String> {
    Ok(unit
        .prepare_cached("SELECT datetime(?1, 'unixepoch')")?
        .query_row([millis.div_euclid(1000)], |row| row.get(0))?)
}

/// Reads the moment that a caller gave as `argument`: a day, a day with a time, with or without a zone.
///
/// # Errors
/// [`Error::InvalidArgument`] when it is none.
pub fn read(unit: &Unit<'_>, argument: &str, text: &str) -> Result<String> {
    let refused = || {
        Error::invalid(format!(
            "{argument} must be a moment such as 2026-01-31, 2026-01-31 12:00:00 or 2026-01-31T12:00:00Z; it got {text:?}"
        ))
    };
    // SQLite would also take "now" and bare numbers.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits != 4 || text.as_bytes().get(4) != Some(&b'-') {
        return Err(refused());
    }
    let found: Option<String> = unit
        .prepare_cached(&format!("SELECT strftime('{FORMAT}', ?1)"))?
        .query_row([text], |row| row.get(0))?;
    found.ok_or_else(refused)
}

/// As [`read`], where nothing may be given.
///
/// # Errors
/// As [`read`].
pub fn read_optional(unit: &Unit<'_>, argument: &str, text: Option<&str>) -> Result<Option<String>> {
    text.map(|text| read(unit, argument, text)).transpose()
}
