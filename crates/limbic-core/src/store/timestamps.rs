//! Timestamps in rows and of callers, in any form that SQLite reads. The stored form: `model/timestamps.rs`.

use rusqlite::{OptionalExtension, types::ValueRef};

use crate::{Error, Result, Transaction, model::timestamps::parse_stored_form};

const FORMAT: &str = "%Y-%m-%dT%H:%M:%fZ";

/// Returns SQL for a column in the stored form of timestamps: other programs write other forms. A value that is not a
/// time is returned unchanged.
#[must_use]
pub(crate) fn kept_form(column: &str) -> String {
    format!("coalesce(strftime('{FORMAT}', {column}), {column})")
}

/// Parses the value of a column, to milliseconds since the Unix epoch; `None` if it is not a time.
pub(crate) fn to_millis(tx: &Transaction<'_>, column: ValueRef<'_>) -> Result<Option<i64>> {
    match column {
        ValueRef::Null => Ok(None),
        ValueRef::Text(text) if let Some(millis) = parse_stored_form(text) => Ok(Some(millis)),
        other => Ok(tx
            .prepare_cached("SELECT CAST(round(unixepoch(?1, 'subsec') * 1000) AS INTEGER)")?
            .query_row([rusqlite::types::ToSqlOutput::Borrowed(other)], |row| row.get(0))?),
    }
}

/// Returns the time of the transaction, for timestamps and validity. It is never before the latest change in the audit
/// log, so that the order of changes is kept if the clock was set back. A change more than a day in the future was made
/// under a wrong clock and is ignored. Validity is compared with the clock itself, [`Transaction::now_text`], and so
/// are ages, [`Transaction::now_millis`].
pub fn now(tx: &Transaction<'_>) -> Result<String> {
    let now = tx.now_text();
    let latest: Option<String> = tx
        .prepare_cached(&format!(
            "SELECT at FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log)
             AND at > ?1 AND at <= {}",
            latest_plausible("?1")
        ))?
        .query_row([now], |row| row.get(0))
        .optional()?;
    Ok(latest.unwrap_or_else(|| now.to_owned()))
}

/// Returns SQL for the latest time that may be true at the time `moment`, which is SQL as well: what is later was
/// written under a wrong clock.
#[must_use]
pub(crate) fn latest_plausible(moment: &str) -> String {
    format!("strftime('{FORMAT}', {moment}, '+1 day')")
}

/// Formats a timestamp for lists and diagrams: `YYYY-MM-DD HH:MM:SS`, UTC. A value of another program that is not a
/// time is returned unchanged.
pub fn plain(tx: &Transaction<'_>, moment: &str) -> Result<String> {
    Ok(tx.prepare_cached("SELECT coalesce(datetime(?1), ?1)")?.query_row([moment], |row| row.get(0))?)
}

/// Parses the time that a caller gave as `argument`: a day, or a day with a time, with or without a zone.
///
/// # Errors
/// [`Error::InvalidArgument`] if it is not a time from the years 0 to 9999.
pub(crate) fn read(tx: &Transaction<'_>, argument: &str, text: &str) -> Result<String> {
    parse(tx, argument, text, &format!("strftime('{FORMAT}', ?1)"))
}

/// As [`read`], formatted as `YYYY-MM-DD HH:MM:SS`, UTC.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_plain(tx: &Transaction<'_>, argument: &str, text: &str) -> Result<String> {
    parse(tx, argument, text, "datetime(?1)")
}

/// Parses a time of a caller. `format` is the SQL that formats it as `?1`.
fn parse(tx: &Transaction<'_>, argument: &str, text: &str, format: &str) -> Result<String> {
    let invalid = || {
        Error::invalid(format!(
            "{argument} must be a timestamp such as 2026-01-31, 2026-01-31 12:00:00 or 2026-01-31T12:00:00Z, but got \
             {text:?}"
        ))
    };
    // SQLite would also accept "now" and bare numbers.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits != 4 || text.as_bytes().get(4) != Some(&b'-') {
        return Err(invalid());
    }
    // SQLite would also accept the 30th of February, as a day of March.
    let found: Option<String> = tx
        .prepare_cached(&format!("SELECT iif(date(substr(?1, 1, 10)) = substr(?1, 1, 10), {format}, NULL)"))?
        .query_row([text], |row| row.get(0))?;
    // A time zone may result in a time before the year 0.
    found.filter(|time| !time.starts_with('-')).ok_or_else(invalid)
}

/// As [`read`], for an optional argument.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_optional(
    tx: &Transaction<'_>,
    argument: &str,
    text: Option<&str>,
) -> Result<Option<String>> {
    text.map(|text| read(tx, argument, text)).transpose()
}
