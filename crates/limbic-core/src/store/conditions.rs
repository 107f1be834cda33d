//! Builds WHERE clauses.

use rusqlite::types::Value;

use super::interval::Interval;

/// The placeholder for the current time in SQL; see [`Conditions::at`].
const NOW: &str = ":now";

/// The conditions of a query, and their values.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    parts: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    /// Adds a condition in which each `?` is replaced by the parameter of the value.
    pub(crate) fn and(&mut self, condition: &str, value: impl Into<Value>) {
        let place = self.value(value);
        self.parts.push(format!("({})", condition.replace('?', &place)));
    }

    /// Adds a condition without a value.
    pub(crate) fn and_plain(&mut self, condition: &str) {
        self.parts.push(format!("({condition})"));
    }

    /// Adds the condition that a time lies in the interval.
    pub(crate) fn and_within(&mut self, expression: &str, interval: &Interval) {
        if let Some(since) = &interval.since {
            self.and(&format!("{expression} >= ?"), since.clone());
        }
        if let Some(until) = &interval.until {
            self.and(&format!("{expression} < ?"), until.clone());
        }
    }

    /// Replaces each `:now` in SQL by a parameter with this time; SQL without it is returned unchanged.
    pub(crate) fn at(&mut self, sql: &str, now: &str) -> String {
        if sql.contains(NOW) { sql.replace(NOW, &self.value(now.to_owned())) } else { sql.to_owned() }
    }

    /// Adds a value and returns its parameter in SQL.
    pub(crate) fn value(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }

    /// Returns ` WHERE ...`, or an empty text.
    #[must_use]
    pub(crate) fn sql(&self) -> String {
        if self.parts.is_empty() { String::new() } else { format!(" WHERE {}", self.parts.join(" AND ")) }
    }

    /// Returns the values, in the order of their parameters.
    #[must_use]
    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }
}
