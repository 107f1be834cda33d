//! Timestamps of memories: `YYYY-MM-DDTHH:MM:SS.mmmZ`, whose text order is chronological.

use rusqlite::{OptionalExtension, types::ValueRef};

use crate::{Error, Result, Transaction, model::dates::days_from_epoch};

const FORMAT: &str = "%Y-%m-%dT%H:%M:%fZ";

/// Returns SQL for a column in the stored form of timestamps: other programs write other forms. A value that is not a
/// time is returned unchanged.
#[must_use]
pub(crate) fn kept_form(column: &str) -> String {
    format!("coalesce(strftime('{FORMAT}', {column}), {column})")
}

/// Formats a time in milliseconds since the Unix epoch.
pub(crate) fn from_millis(tx: &Transaction<'_>, millis: i64) -> Result<String> {
    Ok(tx
        .prepare_cached(&format!("SELECT strftime('{FORMAT}', ?1 / 1000.0, 'unixepoch')"))?
        .query_row([millis], |row| row.get(0))?)
}

/// Parses the value of a column, to milliseconds since the Unix epoch; `None` if it is not a time.
pub(crate) fn to_millis(tx: &Transaction<'_>, column: ValueRef<'_>) -> Result<Option<i64>> {
    match column {
        ValueRef::Null => Ok(None),
        ValueRef::Text(text) if let Some(millis) = in_our_form(text) => Ok(Some(millis)),
        other => Ok(tx
            .prepare_cached("SELECT CAST(round(unixepoch(?1, 'subsec') * 1000) AS INTEGER)")?
            .query_row([rusqlite::types::ToSqlOutput::Borrowed(other)], |row| row.get(0))?),
    }
}

/// As [`to_millis`], without SQLite, for timestamps in exactly the stored form.
fn in_our_form(text: &[u8]) -> Option<i64> {
    const FORM: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
    let text: &[u8; 24] = text.try_into().ok()?;
    let fits = |(letter, form): (&u8, &u8)| {
        if *form == b'0' { letter.is_ascii_digit() } else { letter == form }
    };
    if !text.iter().zip(FORM).all(fits) {
        return None;
    }
    let number = |start: usize, end: usize| {
        text[start..end].iter().fold(0_i64, |number, digit| number * 10 + i64::from(digit - b'0'))
    };
    let [year, month, day] = [number(0, 4), number(5, 7), number(8, 10)];
    let [hour, minute, second] = [number(11, 13), number(14, 16), number(17, 19)];
    let is_moment =
        (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 60;
    is_moment.then(|| {
        let seconds = ((days_from_epoch(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
        seconds * 1000 + number(20, 23)
    })
}

/// Returns the time of the transaction, for timestamps and validity. It is never before the latest change in the audit
/// log, so that the order of changes is kept if the clock was set back. A change more than a day in the future was made
/// under a wrong clock and is ignored. Validity is compared with the clock itself, [`clock`], and so are ages,
/// [`Transaction::now_millis`].
pub fn now(tx: &Transaction<'_>) -> Result<String> {
    let now = clock(tx)?;
    let latest: Option<String> = tx
        .prepare_cached(&format!(
            "SELECT at FROM audit_log WHERE seq = (SELECT max(seq) FROM audit_log)
             AND at > ?1 AND at <= strftime('{FORMAT}', ?1, '+1 day')"
        ))?
        .query_row([&now], |row| row.get(0))
        .optional()?;
    Ok(latest.unwrap_or(now))
}

/// Returns the time of the clock, with which validity and expiry are compared. It may be before stored times: see
/// `store/memories/validity.rs`.
pub fn clock(tx: &Transaction<'_>) -> Result<String> {
    tx.now_as_text(|| from_millis(tx, tx.now_millis()))
}

/// Formats a timestamp for lists and diagrams: `YYYY-MM-DD HH:MM:SS`, UTC. A value of another program that is not a
/// time is returned unchanged.
pub fn plain(tx: &Transaction<'_>, moment: &str) -> Result<String> {
    Ok(tx.prepare_cached("SELECT coalesce(datetime(?1), ?1)")?.query_row([moment], |row| row.get(0))?)
}

/// As [`plain`], from milliseconds since the Unix epoch.
pub(crate) fn plain_from_millis(tx: &Transaction<'_>, millis: i64) -> Result<String> {
    Ok(tx
        .prepare_cached("SELECT datetime(?1, 'unixepoch')")?
        .query_row([millis.div_euclid(1000)], |row| row.get(0))?)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_read_as_sqlite_reads_them() -> std::result::Result<(), Box<dyn std::error::Error>> {
        let db = rusqlite::Connection::open_in_memory()?;
        let mut statement = db.prepare("SELECT CAST(round(unixepoch(?1, 'subsec') * 1000) AS INTEGER)")?;
        let mut random = limbic_protocol::SplitMix64::new(1);
        let mut next = |below: usize| random.below(below);
        let mut converted = 0;
        for _ in 0..5_000 {
            let (year, month, day) = (next(10_000), next(14), next(33));
            let (hour, minute, second) = (next(25), next(61), next(61));
            let moment = format!(
                "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z",
                next(1_000)
            );
            let found: Option<i64> = statement.query_row([&moment], |row| row.get(0))?;
            if let Some(millis) = in_our_form(moment.as_bytes()) {
                assert_eq!(Some(millis), found, "{moment}");
                converted += 1;
            }
        }
        assert!(converted > 3_000, "{converted}");
        Ok(())
    }

    #[test]
    fn other_forms_are_left_to_sqlite() {
        for text in
            ["", "2026-01-31", "2026-01-31T12:00:00Z", "2026-01-31 12:00:00.000Z", "2026-13-31T12:00:00.000Z"]
        {
            assert_eq!(in_our_form(text.as_bytes()), None, "{text}");
        }
    }
}
