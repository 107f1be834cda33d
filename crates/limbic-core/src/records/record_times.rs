//! Times in records. Those of memories have the form `YYYY-MM-DDTHH:MM:SS.mmmZ`, in whatever form other programs wrote
//! them.

use std::borrow::Cow;

use rusqlite::types::ValueRef;

use crate::{
    Error, Result, Transaction,
    model::dates::{Date, civil, dates},
    store::timestamps,
};

/// Returns SQL for a time as `YYYY-MM-DD HH:MM:SS`, alone or followed by fractions of a second or a zone, with `T`
/// instead of the space if another program wrote it so. Other values count as missing, because ages are computed from
/// it.
pub(crate) fn valid(text: Option<&str>) -> Option<&str> {
    let text = text?;
    let bytes = text.as_bytes();
    let fits = bytes.len() >= 19
        && bytes.len() <= 40
        && text.is_ascii()
        && bytes.iter().take(19).enumerate().all(|(index, byte)| match index {
            4 | 7 => *byte == b'-',
            10 => matches!(byte, b' ' | b'T'),
            13 | 16 => *byte == b':',
            _ => byte.is_ascii_digit(),
        })
        && bytes.iter().skip(19).all(|byte| byte.is_ascii_digit() || b".:+-Z".contains(byte));
    fits.then_some(text)
}

/// A day as `YYYY-MM-DD`.
pub(crate) fn is_day(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Returns SQL for a time in the format of memories; NULL if the expression is not a time.
pub(crate) fn memory_sql(expression: &str) -> String {
    format!(
        "CASE WHEN {expression} GLOB '[0-9][0-9][0-9][0-9]-[0-9]*'
         THEN strftime('%Y-%m-%dT%H:%M:%fZ', {expression}) END"
    )
}

/// Returns a time in the format of memories. An invalid time counts as missing, as in all records.
pub(crate) fn of_memory(tx: &Transaction<'_>, text: Option<&str>) -> Result<Option<String>> {
    match timestamps::read_optional(tx, "a time", text.map(as_sqlite_reads_it).as_deref()) {
        Err(Error::InvalidArgument { .. }) => Ok(None),
        other => other,
    }
}

/// Returns a time that another program wrote, in the format of memories; `None` if it cannot be read.
pub fn read_time(tx: &Transaction<'_>, text: &str) -> Result<Option<String>> {
    of_memory(tx, Some(text))
}

/// How far ahead of the clock a recorded time may be, in milliseconds: clocks differ, and so do local times.
const MAX_AHEAD_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// Whether something cannot have been recorded at a time, because that is more than a day ahead of the clock, or no
/// time. Such a record would be later than every change here, for ever.
fn is_ahead(tx: &Transaction<'_>, time: &str) -> Result<bool> {
    if time.get(..10) <= tx.now_text().get(..10) {
        return Ok(false);
    }
    let millis = timestamps::to_millis(tx, ValueRef::Text(time.as_bytes()))?;
    Ok(millis.is_none_or(|millis| millis > tx.now_millis() + MAX_AHEAD_MILLIS))
}

/// As [`of_memory`], for a time at which something was recorded. One too far ahead of the clock counts as now. Returns
/// also whether that is so.
pub(crate) fn recorded(tx: &Transaction<'_>, text: Option<&str>) -> Result<(Option<String>, bool)> {
    match of_memory(tx, text)? {
        Some(time) if is_ahead(tx, &time)? => Ok((Some(timestamps::now(tx)?), true)),
        time => Ok((time, false)),
    }
}

/// As [`valid`], for a time at which something was recorded. One too far ahead of the clock counts as missing.
pub(crate) fn past<'a>(tx: &Transaction<'_>, text: Option<&'a str>) -> Result<Option<&'a str>> {
    match valid(text) {
        Some(time) if is_ahead(tx, time)? => Ok(None),
        time => Ok(time),
    }
}

/// Returns a time in a form that SQLite reads: a month as its first day, `UTC` and `GMT` as `Z`, a zone with its
/// minutes and its colon, other forms of a day as `YYYY-MM-DD`.
fn as_sqlite_reads_it(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    match with_hyphens(text) {
        Some(text) => with_zone(&text).into_owned().into(),
        None => with_zone(text),
    }
}

/// Returns a time whose day has another form than `YYYY-MM-DD`: `2024/05/01`, `01.05.2024`, `20240501T100000Z`,
/// `20240501100000`, or one in English words. A form in which the day and the month could be exchanged is not read.
fn with_hyphens(text: &str) -> Option<String> {
    let has_form = |form: &str| {
        text.len() >= form.len()
            && text.bytes().zip(form.bytes()).all(|(byte, form)| match form {
                b'0' => byte.is_ascii_digit(),
                mark => byte == mark,
            })
    };
    let after =
        |count: usize| text.get(count..).filter(|rest| !rest.starts_with(|it: char| it.is_ascii_digit()));
    if has_form("0000-") {
        return None;
    }
    if has_form("0000/00/00") {
        return Some(format!("{}-{}-{}{}", &text[..4], &text[5..7], &text[8..10], after(10)?));
    }
    if has_form("00.00.0000") {
        return Some(format!("{}-{}-{}{}", &text[6..10], &text[3..5], &text[..2], after(10)?));
    }
    if text.len() == 14 && has_form("00000000000000") {
        let day = format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..8]);
        return Some(format!("{day}T{}:{}:{}", &text[8..10], &text[10..12], &text[12..14]));
    }
    if has_form("00000000") {
        let day = format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..8]);
        return match after(8)? {
            "" => Some(day),
            _ if has_form("00000000T000000") => {
                Some(format!("{day}T{}:{}:{}{}", &text[9..11], &text[11..13], &text[13..15], after(15)?))
            }
            _ => None,
        };
    }
    in_words(text)
}

/// Reads a day in words, such as `May 1, 2024`, and the time after it. Of a time of unknown form or in an unknown zone,
/// the day alone is returned.
fn in_words(text: &str) -> Option<String> {
    let [Date::Days(span)] = dates(text, None)[..] else { return None };
    if span.days() != 1 {
        return None;
    }
    let (year, month, day) = civil(span.first);
    let date = format!("{year:04}-{month:02}-{day:02}");
    Some(match time_in_words(text) {
        Some(time) => format!("{date} {time}"),
        None => date,
    })
}

/// Returns the time of a day in words, in 24 hours and with its zone; `None` without one that can be read.
fn time_in_words(text: &str) -> Option<String> {
    let words = text.split(|letter: char| letter.is_whitespace() || letter == ',');
    let is_time = |word: &&str| word.contains(':') && word.starts_with(|it: char| it.is_ascii_digit());
    let mut words = words.filter(|word| !word.is_empty()).skip_while(|word| !is_time(word));
    let (hours, rest) = words.next()?.split_once(':')?;
    let mut hours: u8 = hours.parse().ok()?;
    let mut zone = "";
    for word in words.take_while(|word| !word.starts_with('(')) {
        match (word, hours) {
            ("AM" | "am", 12) => hours = 0,
            ("PM" | "pm", ..12) => hours += 12,
            ("AM" | "am" | "PM" | "pm", _) => {}
            _ => zone = word.strip_prefix("GMT").or_else(|| word.strip_prefix("UTC")).unwrap_or(word),
        }
    }
    let is_below_60 = |part: &str| {
        part.len() == 2
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && part.parse().is_ok_and(|number: u8| number < 60)
    };
    let (minutes, seconds) = rest.split_once(':').unwrap_or((rest, "00"));
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let is_number = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let is_known = hours < 24 && is_below_60(minutes) && is_below_60(seconds) && is_number && is_zone(zone);
    is_known.then(|| format!("{hours:02}:{rest}{zone}"))
}

/// Whether a zone is none, `Z`, or hours with or without minutes, such as `+02`, `+0200` and `+02:00`.
fn is_zone(zone: &str) -> bool {
    let Some(digits) = zone.strip_prefix(['+', '-']) else { return matches!(zone, "" | "Z") };
    let digits = match digits.split_once(':') {
        Some((hours, minutes)) if hours.len() == 2 && minutes.len() == 2 => format!("{hours}{minutes}"),
        Some(_) => return false,
        None => digits.to_owned(),
    };
    matches!(digits.len(), 2 | 4) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn with_zone(text: &str) -> Cow<'_, str> {
    if text.len() == 7 {
        return format!("{text}-01").into();
    }
    if let Some(start) = text.strip_suffix("UTC").or_else(|| text.strip_suffix("GMT")) {
        return format!("{}Z", start.trim_end()).into();
    }
    let zone_of = |digits: usize| {
        let (start, zone) = text.split_at_checked(text.len().checked_sub(digits + 1)?)?;
        let is_zone = start.contains(':')
            && zone.starts_with(['+', '-'])
            && zone.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        is_zone.then_some((start, zone))
    };
    match (zone_of(4), zone_of(2)) {
        (Some((start, zone)), _) => format!("{start}{}:{}", &zone[..3], &zone[3..]).into(),
        (_, Some((start, zone))) => format!("{start}{zone}:00").into(),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_of_sqlite_and_python_are_read() {
        for time in [
            "2026-01-02 03:04:05",
            "2026-01-02T03:04:05.678Z",
            "2026-01-02T03:04:05+02:00",
            "2026-01-02 03:04:05.123456",
        ] {
            assert_eq!(valid(Some(time)), Some(time));
        }
        for time in
            ["", "2026-01-02", "yesterday, at noon or so", "2026-01-02 03:04:05 p.m.", "2026/01/02 03:04:05"]
        {
            assert_eq!(valid(Some(time)), None, "{time}");
        }
        for (time, read) in [
            ("2026-01", "2026-01-01"),
            ("2026-01-02 10:00:00 UTC", "2026-01-02 10:00:00Z"),
            ("2026-01-02 10:00:00 +0200", "2026-01-02 10:00:00 +02:00"),
            ("2026-01-02T10:00:00-0730", "2026-01-02T10:00:00-07:30"),
            ("2026-01-02T10:00:00.5+02:00", "2026-01-02T10:00:00.5+02:00"),
            ("2026-01-02", "2026-01-02"),
            ("ééé", "ééé"),
            ("2026-01-02 10:00:00.123+00", "2026-01-02 10:00:00.123+00:00"),
            ("2026/01/02 10:00:00", "2026-01-02 10:00:00"),
            ("02.01.2026", "2026-01-02"),
            ("20260102", "2026-01-02"),
            ("20260102T100000Z", "2026-01-02T10:00:00Z"),
            ("January 2, 2026", "2026-01-02"),
            ("Jan 2, 2026, 10:00 PM", "2026-01-02 22:00"),
            ("Fri, 02 Jan 2026 10:00:00 +0200", "2026-01-02 10:00:00+02:00"),
            ("Fri Jan 02 2026 10:00:00 GMT+0100 (CET)", "2026-01-02 10:00:00+01:00"),
            ("Fri, 02 Jan 2026 10:00:00 GMT", "2026-01-02 10:00:00"),
            ("20260102100000", "2026-01-02T10:00:00"),
            ("Date: January 2, 2026", "2026-01-02"),
            ("Date: Jan 2, 2026, 10:00:05 PM", "2026-01-02 22:00:05"),
            ("Jan 2, 2026 10:00 PM +01:00", "2026-01-02 22:00+01:00"),
            // A time that cannot be read leaves the day.
            ("January 2, 2026 10:30 PM PST", "2026-01-02"),
            ("January 2, 2026 25:00", "2026-01-02"),
            ("January 2, 2026 10:75", "2026-01-02"),
            ("January 2, 2026 10:30 by Ada", "2026-01-02"),
            ("Fri, 02 Jan 2026 10:00:00 GMT+1", "2026-01-02"),
            // Neither guesses which is the month, nor what was meant by a number.
            ("01/02/2026", "01/02/2026"),
            ("1735689599", "1735689599"),
            ("some day", "some day"),
        ] {
            assert_eq!(as_sqlite_reads_it(time), read);
        }
        assert!(is_day("2026-01-02") && !is_day("2026-1-2") && !is_day("2026-01-02 00:00:00"));
    }
}
