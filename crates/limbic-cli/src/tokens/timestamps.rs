//! Times in the files of tokens: ISO 8601, in the form that JavaScript writes and parses. SQLite validates the date.

use limbic_core::rusqlite::{Connection, OptionalExtension, types::FromSql};

const MILLIS: &str = "SELECT unixepoch(?1) * 1000 + CAST(substr(strftime('%f', ?1), 4) AS INTEGER)";
const TEXT: &str = "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', ?1 / 1000.0, 'unixepoch')";

/// The Unix time in milliseconds of `2027-01-31` or `2027-01-31T10:00:00Z`, also with an offset such as `+02:00`.
pub fn parse(text: &str) -> Option<i64> {
    is_date(text).then(|| ask::<Option<i64>>(MILLIS, &text))??
}

/// A time such as `2027-01-31T10:00:00.000Z`.
pub fn format(millis: i64) -> String {
    ask(TEXT, &millis).unwrap_or_default()
}

fn ask<T: FromSql>(sql: &str, value: &dyn limbic_core::rusqlite::ToSql) -> Option<T> {
    let connection = Connection::open_in_memory().ok()?;
    connection.query_row(sql, [value], |row| row.get(0)).optional().ok()?
}

/// SQLite also reads `now`, times without a date, and numbers.
fn is_date(text: &str) -> bool {
    let shape: String =
        text.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    let Some(time) = shape.strip_prefix("0000-00-00") else { return false };
    let Some(time) = time.strip_prefix('T') else { return time.is_empty() };
    let zone = time.trim_start_matches(['0', ':', '.']);
    let clock = time.strip_suffix(zone).unwrap_or_default();
    let is_clock = ["00:00", "00:00:00"].contains(&clock) || clock.starts_with("00:00:00.0");
    match zone {
        "Z" => is_clock,
        // The digits of an offset do not belong to the clock.
        _ => ["+00:00", "-00:00"].contains(&zone) && is_clock,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_javascript_reads_them() {
        for (text, millis) in [
            ("1970-01-02", 86_400_000),
            ("2027-01-31T10:00:00.250Z", 1_801_389_600_250),
            ("2027-01-31T10:00Z", 1_801_389_600_000),
            ("2027-01-31T12:00:00+02:00", 1_801_389_600_000),
        ] {
            assert_eq!(parse(text), Some(millis), "{text}");
        }
        for text in [
            "",
            "now",
            "soon",
            "10:00",
            "2027-01-31T10:00:00",
            "2027-13-01",
            "2460000.5",
            "2027-01-31 10:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(format(1_801_389_600_250), "2027-01-31T10:00:00.250Z");
    }
}
