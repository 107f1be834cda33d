//! Events by which a question says when something happened: `before we moved`, `after the release of version 2`.
//! English only.

use super::{
    dates::{self, Span},
    stems, tokenizer,
};

/// Maximum number of events of a question: later ones do not count.
const MAX_EVENTS: usize = 4;

/// More than any span of days between two texts.
const MANY_DAYS: i64 = 1_000_000;

/// First words of a clause, besides words with a capital letter: `before lunch` has none and is no event.
const SUBJECTS: [&str; 17] = [
    "i", "you", "he", "she", "it", "we", "they", "the", "a", "an", "my", "your", "his", "her", "its", "our",
    "their",
];

/// Which days an event bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
    Since,
}

impl Side {
    fn of(word: &str) -> Option<Self> {
        match word {
            "before" => Some(Self::Before),
            "after" => Some(Self::After),
            "since" => Some(Self::Since),
            _ => None,
        }
    }
}

/// An event in a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventClause {
    side: Side,
    /// The stems of its content words.
    stems: Vec<String>,
}

impl EventClause {
    /// Whether a text has all content words of the event.
    #[must_use]
    pub(crate) fn is_stated_in(&self, text: &str) -> bool {
        let words: Vec<String> = words(text).map(|word| stems::of_english(&word.to_lowercase())).collect();
        self.stems.iter().all(|stem| words.contains(stem))
    }

    /// Returns the days that the question asks for, if the event was on `day`.
    #[must_use]
    pub(crate) fn span(&self, day: i64) -> Span {
        match self.side {
            Side::Before => Span { first: day - MANY_DAYS, last: day - 1 },
            Side::After => Span { first: day + 1, last: day + MANY_DAYS },
            Side::Since => Span { first: day, last: day + MANY_DAYS },
        }
    }
}

/// Returns the events of a question. A clause ends at a punctuation mark or at the next one.
#[must_use]
pub(crate) fn event_clauses(question: &str) -> Vec<EventClause> {
    let mut found = Vec::new();
    for part in question.split([',', ';', ':', '?', '!', '.', '\n']) {
        let words: Vec<&str> = words(part).collect();
        let sides: Vec<(usize, Side)> = words
            .iter()
            .enumerate()
            .filter_map(|(index, word)| Some((index, Side::of(&word.to_lowercase())?)))
            .collect();
        for (position, (index, side)) in sides.iter().enumerate() {
            let end = sides.get(position + 1).map_or(words.len(), |(next, _)| *next);
            found.extend(clause(*side, &words[index + 1..end]));
        }
    }
    found.truncate(MAX_EVENTS);
    found
}

/// Returns the event of a clause: at least two words, with a subject first, and no date.
fn clause(side: Side, words: &[&str]) -> Option<EventClause> {
    let [first, _, ..] = words else { return None };
    let has_subject =
        SUBJECTS.contains(&first.to_lowercase().as_str()) || first.starts_with(char::is_uppercase);
    let text = words.join(" ");
    if !has_subject || !dates::dates(&text, Some(0)).is_empty() {
        return None;
    }
    let content = tokenizer::of_query(&text);
    let stems: Vec<String> = content.iter().map(|word| stems::of_english(word)).collect();
    (!stems.is_empty()).then_some(EventClause { side, stems })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(question: &str, text: &str) -> Vec<bool> {
        event_clauses(question).iter().map(|event| event.is_stated_in(text)).collect()
    }

    #[test]
    fn an_event_is_told_by_a_text_with_its_words() {
        let question = "Where did we keep the keys before we moved to Lisbon?";
        assert_eq!(told(question, "We are moving to Lisbon today"), [true]);
        assert_eq!(told(question, "We moved to Porto"), [false]);
        assert_eq!(told("After the audit, who left before Ada joined?", "The audit is done"), [true, false]);
    }

    #[test]
    fn dates_single_words_and_phrases_without_a_subject_are_no_events() {
        for question in
            ["What happened before March 2023?", "Tea before lunch", "Which came before React", "before"]
        {
            assert_eq!(event_clauses(question), [], "{question}");
        }
    }

    #[test]
    fn an_event_bounds_the_days_on_one_side() {
        let span = |question: &str| event_clauses(question)[0].span(100);
        assert_eq!(span("before we moved").last, 99);
        assert_eq!(span("after we moved").first, 101);
        assert_eq!(span("since we moved").first, 100);
    }
}
