//! The relation of two statements, by their words.
//!
//! Vectors hardly reflect order, negation, antonyms and numbers, so texts decide.
//! [`same_statement`](super::same_statement) knows wordings that are equal up to spelling. Here statements are compared
//! by the place in which they differ (`difference`), and English paraphrases are recognised by equivalent clauses
//! (`clause`), or left to the vectors if they differ in several words (`rewording`). Statements in scripts without
//! spaces are compared by their letters (`unspaced`). JSON is compared by its values (`records`).

mod asked;
mod clause;
mod compatible;
mod difference;
mod gap;
mod lexicon;
mod quantities;
mod records;
mod relation;
mod rewording;
mod term;
mod units;
mod unspaced;
mod word;
mod words;

pub(crate) use asked::{asks_for, repeats};
use difference::Difference;
use limbic_protocol::Language;
pub use relation::Relation;
use term::{Parts, Term};
use word::{Class, Word};

use super::{
    layout,
    same_statement::have_same_words,
    structured_text::{self, Field},
};

/// A statement, prepared for comparisons with others.
pub struct Statement<'a> {
    text: &'a str,
    words: Vec<Word>,
    terms: Vec<Term>,
    /// The values, if it is JSON.
    fields: Option<Vec<Field>>,
}

impl<'a> Statement<'a> {
    /// Prepares a statement.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let words = words::of(text);
        let terms = term::terms(&words);
        let fields = structured_text::fields(text).filter(|fields| !fields.is_empty());
        Self { text, words, terms, fields }
    }

    /// Whether an English verb says that it is of the past, as in `Ada ran a marathon`.
    #[must_use]
    pub(crate) fn is_of_the_past(&self) -> bool {
        self.terms.iter().any(|term| term.is_past || term.is_past_verb)
    }

    /// Returns how this statement and another one are related; the order does not matter.
    #[must_use]
    pub fn relation(&self, other: &Statement<'_>) -> Relation {
        // The two parts of `same_statement`, of which the first is needed once more below.
        let has_same_words = have_same_words(self.text, other.text);
        if has_same_words && layout::agrees(self.text, other.text, have_same_words) {
            return Relation::Same;
        }
        if let (Some(one), Some(other)) = (&self.fields, &other.fields) {
            return records::relation(one, other);
        }
        // Other lines: prose was wrapped, or the indentation of code, YAML or a list was corrected.
        if has_same_words {
            let is_indented = layout::is_indented(self.text) || layout::is_indented(other.text);
            return if is_indented { Relation::Contradiction } else { Relation::Paraphrase };
        }
        if unspaced::contradict(self.text, other.text) {
            return Relation::Contradiction;
        }
        let is_english = || [self, other].iter().all(|it| Language::of(it.text) == Language::English);
        let (one, other_parts) = (self.without_user_of(other), other.without_user_of(self));
        if !difference::share_half(one.1, other_parts.1) {
            return Relation::Unclear;
        }
        if clause::are_equivalent(one.0, other_parts.0)
            && is_english()
            && !difference::are_reversed(one, other_parts)
        {
            return Relation::Paraphrase;
        }
        match difference::between(one, other_parts) {
            Difference::Contradiction => Relation::Contradiction,
            Difference::Extension => Relation::Extension,
            Difference::OtherWord => Relation::OtherWord,
            Difference::OtherThing => Relation::OtherThing,
            Difference::Unclear if rewording::is_possible(one, other_parts) && is_english() => {
                Relation::Reworded
            }
            Difference::Unclear => Relation::Unclear,
        }
    }
}

impl Statement<'_> {
    /// The words, without the user if the other statement begins with the verb: `The user prefers short answers`,
    /// `Prefers short answers`.
    fn without_user_of(&self, other: &Self) -> Parts<'_> {
        let article = usize::from(self.words.first().is_some_and(|first| first.class == Class::The));
        match (&self.words[article..], &other.words[..]) {
            ([user, verb, ..], [first, ..])
                if user.folded() == "user"
                    && verb.class == Class::Content
                    && verb.folded() == first.folded() =>
            {
                (&self.words[article + 1..], &self.terms[1..])
            }
            _ => (&self.words, &self.terms),
        }
    }
}

/// Returns the relation of two statements; the order does not matter.
#[must_use]
pub fn relation(one: &str, other: &str) -> Relation {
    Statement::new(one).relation(&Statement::new(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_without_a_subject_is_about_the_user() {
        assert_eq!(relation("Prefers short answers", "The user prefers short answers"), Relation::Paraphrase);
        assert_eq!(relation("User works at night", "Works at night"), Relation::Paraphrase);
        assert_eq!(relation("The user works at night", "Works at noon"), Relation::OtherWord);
        assert_eq!(relation("Ada prefers short answers", "Prefers short answers"), Relation::Extension);
    }

    #[test]
    fn other_lines_are_no_other_words() {
        let (one, other) = ("Run the tests\nbefore you push", "Run the tests before you push");
        assert_eq!(relation(one, other), Relation::Paraphrase);
        let (one, other) = ("a:\n  b: 1\n  c: 2", "a:\n  b: 1\nc: 2");
        assert_eq!(relation(one, other), Relation::Contradiction);
        assert_eq!(relation("{\"a\": 1,\n  \"b\": 2}", "{\"a\": 1, \"b\": 2}"), Relation::Same);
    }

    #[test]
    fn usual_abbreviations_are_their_words() {
        assert_eq!(
            relation("Max file size is 25 MB", "The maximum file size is 25 MB"),
            Relation::Paraphrase
        );
        assert_eq!(
            relation("Max file size is 25 MB", "The maximum file size is 50 MB"),
            Relation::Contradiction
        );
    }
}
