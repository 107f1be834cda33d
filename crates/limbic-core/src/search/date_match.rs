//! The dates of a query: texts of that time, or that name it, are more relevant.
//!
//! The dates of a text are read when a query has a date, since few queries have one: relative ones against the date with
//! which the text begins (`8 May 2023: ...`), or else the day of its event.

use crate::{
    Transaction,
    model::dates::{self, Date, Span},
};

/// Within this many letters, a text begins with its date.
const HEAD_LETTERS: usize = 40;

/// The dates of a query.
#[derive(Default)]
pub struct AskedDates(Vec<Date>);

impl AskedDates {
    /// Reads a query's dates; relative ones are read against the time of the transaction.
    pub fn of(tx: &Transaction<'_>, query: &str) -> Self {
        Self(dates::dates(query, Some(tx.now_millis().div_euclid(86_400_000))))
    }

    /// Returns how near a text is to the dates, 0 to 1; 0 for a query without dates. `seconds` is the time of the text's
    /// event, since the Unix epoch.
    pub fn nearness(&self, text: &str, seconds: i64) -> f64 {
        if self.0.is_empty() {
            return 0.0;
        }
        let head: String = text.chars().take(HEAD_LETTERS).collect();
        let day = match dates::dates(&head, None).first() {
            Some(Date::Days(span)) if span.days() == 1 => span.first,
            _ => seconds.div_euclid(86_400),
        };
        let event = Span::day(day);
        let mut spans: Vec<Span> =
            dates::dates(text, Some(day)).into_iter().map(|date| date.near(event)).collect();
        spans.push(event);
        let near =
            |asked: &Date| spans.iter().map(|span| nearness(asked.near(*span), *span)).fold(0.0, f64::max);
        super::round(self.0.iter().map(near).fold(0.0, f64::max), 6)
    }
}

/// Returns the nearness of a text's span to that of a query, 0 to 1: what a query names exactly counts most.
#[allow(clippy::cast_precision_loss, reason = "days between two dates are far below 2^52")]
fn nearness(asked: Span, span: Span) -> f64 {
    let (weight, days) = match asked.days() {
        ..=1 => (1.0, 7.0),
        2..=100 => (0.8, 15.0),
        _ => (0.3, 60.0),
    };
    // A span that is much longer than what is asked for says little about it.
    let share = (asked.days() as f64 / span.days() as f64).min(1.0);
    weight * libm::sqrt(share) * libm::exp(-(asked.gap(span) as f64) / days)
}
