//! Time intervals in arguments.

use crate::{Error, Result, Transaction, store::timestamps};

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
            since: since.map(|text| timestamps::read_plain(tx, "since", text)).transpose()?,
            until: until.map(|text| timestamps::read_plain(tx, "until", text)).transpose()?,
        };
        match (&interval.since, &interval.until) {
            (Some(first), Some(last)) if last <= first => Err(Error::invalid(format!(
                "until must be after since, but got since {first} and until {last}"
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
