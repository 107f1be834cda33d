//! Time intervals in arguments.

use crate::{Error, Result, Transaction};

/// A half-open interval, from `since` inclusive to `until` exclusive. `None` means unbounded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interval {
    /// `YYYY-MM-DD HH:MM:SS`, UTC.
    pub since: Option<String>,
    /// `YYYY-MM-DD HH:MM:SS`, UTC.
    pub until: Option<String>,
}

impl Interval {
    /// Parses two times: a day, a day with a time, or ISO 8601.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if one is not a time, or the second is not after the first.
    pub fn read(tx: &Transaction<'_>, since: Option<&str>, until: Option<&str>) -> Result<Self> {
        let interval = Self {
            since: since.map(|text| moment(tx, "since", text)).transpose()?,
            until: until.map(|text| moment(tx, "until", text)).transpose()?,
        };
        match (&interval.since, &interval.until) {
            (Some(first), Some(last)) if last <= first => Err(Error::invalid(format!(
                "until must be after since; it got since {first} and until {last}"
            ))),
            _ => Ok(interval),
        }
    }

    /// Whether neither side is bounded.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.since.is_none() && self.until.is_none()
    }
}

fn moment(tx: &Transaction<'_>, name: &str, text: &str) -> Result<String> {
    let refused = || {
        Error::invalid(format!(
            "{name} must be a moment such as 2026-01-31, 2026-01-31 12:00:00 or 2026-01-31T12:00:00Z; it got {text:?}"
        ))
    };
    // SQLite would also take "now" and bare numbers.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits != 4 || text.as_bytes().get(4) != Some(&b'-') {
        return Err(refused());
    }
    let found: Option<String> =
        tx.prepare_cached("SELECT datetime(?1)")?.query_row([text], |row| row.get(0))?;
    // A time zone may result in a time before the year 0.
    found.filter(|moment| !moment.starts_with('-')).ok_or_else(refused)
}
