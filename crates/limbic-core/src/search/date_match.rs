//! The dates of a query: texts of that time, or that name it, are more relevant.
//!
//! The dates of a text are read when a query has a date or an event, since few queries have one: relative ones against
//! the date with which the text begins (`8 May 2023: ...`), or else the day of its event. Each of the first
//! [`MAX_QUERY_DATES`] dates of a query is compared with each of the first [`MAX_TEXT_DATES`] of a text: the number of
//! comparisons has a limit, whatever is asked.
//!
//! An event of a query (`before we moved`) has the date of a candidate that states it.

use crate::{
    Transaction,
    model::{
        dates::{self, Date, Span},
        event_clauses::{EventClause, event_clauses},
    },
};

/// Within this many letters, a text begins with its date.
const HEAD_LETTERS: usize = 40;

/// Maximum number of dates of a query that count: the first.
const MAX_QUERY_DATES: usize = 8;

/// Maximum number of dates of a text that count, besides its event: the first.
const MAX_TEXT_DATES: usize = 64;

/// The nearness of a text on the side of an event that the query asks for, 0 to 1.
const BESIDE_EVENT: f64 = 0.8;

/// The dates and events of a query.
#[derive(Default)]
pub(crate) struct AskedDates {
    dates: Vec<Date>,
    events: Vec<EventClause>,
}

/// The time of a text, as a query sees it.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextDates {
    /// Nearness to the dates and events of the query, 0 to 1; 0 for a query without them.
    pub nearness: f64,
    /// The day of its event; 0 for a query without dates and events.
    day: i64,
    /// For each event of the query, the day that the text gives it; `None` if it does not state the event.
    told: Vec<Option<i64>>,
}

impl AskedDates {
    /// Reads a query's dates; relative ones are read against the time of the transaction.
    pub(crate) fn of(tx: &Transaction<'_>, query: &str) -> Self {
        Self::read(query, tx.now_millis().div_euclid(86_400_000))
    }

    /// Reads a query's dates; `today` is in days since the Unix epoch.
    fn read(query: &str, today: i64) -> Self {
        let mut dates = dates::dates(query, Some(today));
        dates.truncate(MAX_QUERY_DATES);
        Self { dates, events: event_clauses(query) }
    }

    /// Reads the dates of a text. `seconds` is the time of its event, since the Unix epoch.
    pub(crate) fn of_text(&self, text: &str, seconds: i64) -> TextDates {
        if self.dates.is_empty() && self.events.is_empty() {
            return TextDates::default();
        }
        let head: String = text.chars().take(HEAD_LETTERS).collect();
        let day = match dates::dates(&head, None).first() {
            Some(Date::Days(span)) if span.days() == 1 => span.first,
            _ => seconds.div_euclid(86_400),
        };
        let event = Span::day(day);
        let named: Vec<Span> = dates::dates(text, Some(day))
            .into_iter()
            .take(MAX_TEXT_DATES)
            .map(|date| date.near(event))
            .collect();
        let told = |asked: &EventClause| {
            asked.is_stated_in(text).then(|| named.first().map_or(day, |span| span.last))
        };
        let near = |asked: &Date| {
            let spans = named.iter().copied().chain([event]);
            spans.map(|span| nearness(asked.near(span), span)).fold(0.0, f64::max)
        };
        TextDates {
            nearness: crate::model::numbers::round(self.dates.iter().map(near).fold(0.0, f64::max), 6),
            day,
            told: self.events.iter().map(told).collect(),
        }
    }

    /// Raises the nearness of texts on the side that the query asks for of each of its events to [`BESIDE_EVENT`]. An
    /// event has the date of the text that states it in the fewest content tokens, the second value of each of `texts`.
    pub(crate) fn bound(&self, texts: &mut [(&mut TextDates, usize)]) {
        let day_of = |event: usize| {
            let told =
                texts.iter().filter_map(|(text, tokens)| Some((*tokens, *text.told.get(event)?.as_ref()?)));
            told.min().map(|(_, day)| day)
        };
        let spans: Vec<Span> = self
            .events
            .iter()
            .enumerate()
            .filter_map(|(index, event)| Some(event.span(day_of(index)?)))
            .collect();
        for (text, _) in texts.iter_mut().filter(|_| !spans.is_empty()) {
            if spans.iter().all(|span| span.gap(Span::day(text.day)) == 0) {
                text.nearness = text.nearness.max(BESIDE_EVENT);
            }
        }
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
        assert_eq!(asked.of_text("Written on 8 May 1957", 0).nearness, 1.0);
        assert_eq!(asked.of_text("Written on 8 May 1958", 0).nearness, 0.0);
    }

    #[test]
    fn a_text_with_many_dates_is_compared_by_its_first_ones() {
        let text = format!("Of these years: {}", years(100));
        let nearness = |query: &str| AskedDates::read(query, 0).of_text(&text, 0).nearness;
        assert_eq!(nearness("on 8 May 2013"), 1.0);
        assert_eq!(nearness("on 8 May 2014"), 0.0);
    }

    #[test]
    fn texts_on_the_side_of_an_event_are_nearer() {
        let asked = AskedDates::read("Where were the keys before we moved?", 0);
        let day = |number: i64| number * 86_400;
        let told = [
            "We moved",
            "When we moved, it rained all day",
            "The keys are in the safe",
            "The keys are in a box",
        ];
        let mut texts: Vec<TextDates> =
            told.iter().zip([10, 20, 5, 15]).map(|(text, at)| asked.of_text(text, day(at))).collect();
        asked.bound(&mut texts.iter_mut().zip([1, 4, 2, 2]).collect::<Vec<_>>());
        let nearness: Vec<f64> = texts.iter().map(|text| text.nearness).collect();
        assert_eq!(nearness, [0.0, 0.0, BESIDE_EVENT, 0.0]);
    }

    #[test]
    fn an_event_that_no_text_tells_bounds_nothing() {
        let asked = AskedDates::read("Where were the keys before we moved?", 0);
        let mut text = asked.of_text("The keys are in the safe", 0);
        asked.bound(&mut [(&mut text, 2)]);
        assert_eq!(text.nearness, 0.0);
    }
}
