//! Timestamps of memories: `YYYY-MM-DDTHH:MM:SS.mmmZ`, UTC, whose text order is chronological. SQLite reads the other
//! forms that programs write: `store/timestamps.rs`.

use super::dates::{civil, days_from_epoch};

const MILLIS_PER_DAY: i64 = 24 * 60 * 60 * 1000;

/// The first and last millisecond of the years 0 to 9999, which timestamps can name.
const FIRST_MILLIS: i64 = -62_167_219_200_000;
const LAST_MILLIS: i64 = 253_402_300_799_999;

/// Formats milliseconds since the Unix epoch; outside the years 0 to 9999, the nearest time in them.
#[must_use]
pub fn stored_form(millis: i64) -> String {
    let millis = millis.clamp(FIRST_MILLIS, LAST_MILLIS);
    let (year, month, day) = civil(millis.div_euclid(MILLIS_PER_DAY));
    let of_day = millis.rem_euclid(MILLIS_PER_DAY);
    let (seconds, millis) = (of_day / 1000, of_day % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// As [`stored_form`], as lists and diagrams show it: `YYYY-MM-DD HH:MM:SS`, UTC.
#[must_use]
pub(crate) fn plain_form(millis: i64) -> String {
    stored_form(millis)[..19].replace('T', " ")
}

/// Parses a timestamp in exactly the stored form, to milliseconds since the Unix epoch.
#[must_use]
pub(crate) fn parse_stored_form(text: &[u8]) -> Option<i64> {
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
        let seconds = (hour * 60 + minute) * 60 + second;
        days_from_epoch(year, month, day) * MILLIS_PER_DAY + seconds * 1000 + number(20, 23)
    })
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use rusqlite::Connection;

    use super::*;

    #[test]
    fn timestamps_are_formatted_and_read_as_sqlite_does() -> Result<(), Box<dyn Error>> {
        let db = Connection::open_in_memory()?;
        let mut statement = db.prepare(
            "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', ?1 / 1000.0, 'unixepoch'), datetime(?1 / 1000, 'unixepoch')",
        )?;
        let mut random = limbic_protocol::SplitMix64::new(1);
        let seconds = usize::try_from((LAST_MILLIS - FIRST_MILLIS) / 1000)?;
        for _ in 0..5_000 {
            let millis = FIRST_MILLIS + i64::try_from(random.index(seconds))? * 1000;
            let (stored, plain): (String, String) =
                statement.query_row([millis], |row| Ok((row.get(0)?, row.get(1)?)))?;
            assert_eq!((stored_form(millis), plain_form(millis)), (stored.clone(), plain));
            assert_eq!(parse_stored_form(stored.as_bytes()), Some(millis), "{stored}");
        }
        Ok(())
    }

    #[test]
    fn milliseconds_are_kept() {
        for millis in [0, 1, 999, 1_000, 1_767_225_599_999, -1, -62_135_596_800_001] {
            assert_eq!(parse_stored_form(stored_form(millis).as_bytes()), Some(millis));
        }
    }

    #[test]
    fn times_that_cannot_be_named_become_the_nearest_ones() {
        assert_eq!(stored_form(i64::MIN), "0000-01-01T00:00:00.000Z");
        assert_eq!(stored_form(i64::MAX), "9999-12-31T23:59:59.999Z");
        assert_eq!(plain_form(i64::MAX), "9999-12-31 23:59:59");
    }

    #[test]
    fn other_forms_are_not_read() {
        for text in
            ["", "2026-01-31", "2026-01-31T12:00:00Z", "2026-01-31 12:00:00.000Z", "2026-13-31T12:00:00.000Z"]
        {
            assert_eq!(parse_stored_form(text.as_bytes()), None, "{text}");
        }
    }
}
