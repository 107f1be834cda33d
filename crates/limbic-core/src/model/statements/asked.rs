//! Which of two statements a question is about, by the words in which they differ.

use std::collections::BTreeSet;

use limbic_protocol::Language;

use crate::model::{
    stems::{self, Stems},
    tokenizer,
};

/// Whether a question is about `one` and not about `other`: it has more of the words that only `one` has than of those
/// that only `other` has. `What does Alice like?` is about `Alice likes tea`, not about `Bob likes tea`.
///
/// A question with all words of `one` may ask whether it still holds, and so be about both: `Does the service listen on
/// port 8080?` where the other one names port 9090. It is not about both if they begin with different words and it has
/// a word of its own: `Does Alice like tea?` is not about Bob.
#[must_use]
pub(crate) fn asks_for(question: &str, one: &str, other: &str) -> bool {
    let [mine, theirs] = [one, other].map(|text| stems_of(text, question));
    let asked = stems_of(question, question);
    let named = |own: &Stemmed, other: &Stemmed| {
        own.all.difference(&other.all).filter(|stem| asked.all.contains(*stem)).count()
    };
    if named(&mine, &theirs) <= named(&theirs, &mine) {
        return false;
    }
    if !mine.all.is_subset(&asked.all) {
        return true;
    }
    let begins_apart = mine.first.as_ref().is_some_and(|first| !theirs.all.contains(first))
        && theirs.first.as_ref().is_some_and(|first| !mine.all.contains(first));
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase).collect()
    };
    begins_apart && !words(question).is_subset(&words(one))
}

/// Whether a question has all content words of a statement, so that it may ask whether the statement still holds.
#[must_use]
pub(crate) fn repeats(question: &str, statement: &str) -> bool {
    stems_of(statement, question).all.is_subset(&stems_of(question, question).all)
}

/// The stems of a text's content words.
struct Stemmed {
    all: BTreeSet<String>,
    /// That of the first content word.
    first: Option<String>,
}

/// Returns the stems of a text in the language of the question.
fn stems_of(text: &str, question: &str) -> Stemmed {
    let stems = Stems::new(Language::of(question));
    let stem = |word: &str| {
        stems
            .as_ref()
            .map_or_else(|| Some(stems::of_english(word)), |stems| stems.of(word))
            .unwrap_or_else(|| word.to_owned())
    };
    let content = tokenizer::of_query(text);
    let first = text
        .split(|letter: char| !letter.is_alphanumeric())
        .map(str::to_lowercase)
        .find(|word| content.contains(word))
        .map(|word| stem(&word));
    Stemmed { all: content.iter().map(|word| stem(word)).collect(), first }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_about_the_statement_whose_own_words_it_names() {
        for (question, asked, other) in [
            ("What does Alice like?", "Alice likes tea", "Bob likes tea"),
            ("When is Ada's birthday?", "Ada's birthday is in May", "Grace's birthday is in May"),
            ("Does Alice like tea?", "Alice likes tea", "Bob likes tea"),
            (
                "What does the staging server run?",
                "The staging server runs Ubuntu",
                "The production server runs Ubuntu",
            ),
            (
                "How many tickets were open after sprint 41?",
                "Sprint 41 ended with 12 open tickets",
                "Sprint 42 ended with 9 open tickets",
            ),
            (
                "Which version dropped Node 14?",
                "Version 1.2 dropped support for Node 14",
                "Version 1.4 dropped support for Node 16",
            ),
            ("What is in room 204?", "Room 204 has a projector", "Room 305 has a projector"),
            (
                "How fast is the left motor?",
                "The left motor turns at 300 rpm",
                "The right motor turns at 450 rpm",
            ),
            ("Wo wohnt Anna?", "Anna wohnt in Kiel", "Peter wohnt in Kiel"),
            ("安娜住在哪里？", "安娜住在上海", "彼得住在上海"),
        ] {
            assert!(asks_for(question, asked, other), "{question}");
            assert!(!asks_for(question, other, asked), "{question}");
        }
    }

    #[test]
    fn a_question_that_names_neither_or_repeats_one_is_about_both() {
        for (question, one, other) in [
            ("On which port does it listen?", "It listens on port 8080", "It listens on port 9090"),
            ("Does it listen on port 8080?", "It listens on port 8080", "It listens on port 9090"),
            ("It listens on port 8080", "It listens on port 8080", "It listens on port 9090"),
            (
                "Maria owns the billing service",
                "Maria owns the billing service",
                "Marta owns the billing service",
            ),
            ("Alice or Bob?", "Alice likes tea", "Bob likes tea"),
            ("Who reports to Bob?", "Alice reports to Bob", "Bob reports to Alice"),
            ("Must the cache be on?", "The cache must be on", "The cache must be off"),
        ] {
            assert!(!asks_for(question, one, other), "{question}");
            assert!(!asks_for(question, other, one), "{question}");
        }
    }
}
