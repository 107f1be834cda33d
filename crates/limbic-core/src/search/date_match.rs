//! The dates of a query: texts of that time, or that name it, are more relevant.
//!
//! The dates of a text are read when a query has a date, since few queries have one: relative ones against the date with
//! which the text begins (`8 May 2023: ...`), or else the day of its event. Each of the first [`MAX_QUERY_DATES`] dates of a query is
//! compared with each of the first [`MAX_TEXT_DATES`] of a text: the number of comparisons has a limit, whatever is asked.

use crate::{
    Transaction,
    model::dates::{self, Date, Span},
};

/// Within this many letters, a text begins with its date.
const HEAD_LETTERS: usize = 40;

/// Maximum number of dates of a query that count: the first.
const MAX_QUERY_DATES: usize = 8;

/// Maximum number of dates of a text that count, besides its event: the first.
const MAX_TEXT_DATES: usize = 64;

/// The dates of a query.
#[derive(Default)]
pub(crate) struct AskedDates(Vec<Date>);

impl AskedDates {
    /// Reads a query's dates; relative ones are read against the time of the transaction.
    pub(crate) fn of(tx: &Transaction<'_>, query: &str) -> Self {
        Self::read(query, tx.now_millis().div_euclid(86_400_000))
    }

    /// Reads a query's dates; `today` is in days since the Unix epoch.
    fn read(query: &str, today: i64) -> Self {
        let mut asked = dates::dates(query, Some(today));
        asked.truncate(MAX_QUERY_DATES);
        Self(asked)
    }

    /// Returns how near a text is to the dates, 0 to 1; 0 for a query without dates. `seconds` is the time of the text's
    /// event, since the Unix epoch.
    pub(crate) fn nearness(&self, text: &str, seconds: i64) -> f64 {
        if self.0.is_empty() {
            return 0.0;
        }
        let head: String = text.chars().take(HEAD_LETTERS).collect();
        let day = match dates::dates(&head, None).first() {
            Some(Date::Days(span)) if span.days() == 1 => span.first,
            _ => seconds.div_euclid(86_400),
        };
        let event = Span::day(day);
        let mut spans: Vec<Span> = dates::dates(text, Some(day))
            .into_iter()
            .take(MAX_TEXT_DATES)
            .map(|date| date.near(event))
            .collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Days of this many years from 1950 on, one in each.
    fn years(count: usize) -> String {
        (1950..).take(count).map(|year| format!("8 May {year}, ")).collect()
    }

    #[test]
    fn a_query_with_many_dates_is_compared_by_its_first_ones() {
        let asked = AskedDates::read(&years(100), 0);
        assert_eq!(asked.nearness("Written on 8 May 1957", 0), 1.0);
        assert_eq!(asked.nearness("Written on 8 May 1958", 0), 0.0);
    }

    #[test]
    fn a_text_with_many_dates_is_compared_by_its_first_ones() {
        let text = format!("Of these years: {}", years(100));
        let nearness = |query: &str| AskedDates::read(query, 0).nearness(&text, 0);
        assert_eq!(nearness("on 8 May 2013"), 1.0);
        assert_eq!(nearness("on 8 May 2014"), 0.0);
    }
}
