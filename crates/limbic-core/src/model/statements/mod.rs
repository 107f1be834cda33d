//! The relation of two statements, by their words.
//!
//! Vectors hardly reflect order, negation, antonyms and numbers, so texts decide. [`same_statement`] knows wordings
//! that are equal up to spelling. Here statements are compared by the place in which they differ (`difference`), and
//! English paraphrases are recognised by equivalent clauses (`clause`).

mod clause;
mod difference;
mod lexicon;
mod quantities;
mod word;
mod words;

use difference::{Difference, Term};
use limbic_protocol::Language;
use word::Word;

use super::same_statement::same_statement;

/// The relation of two statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Both say the same, up to spelling: one may represent the other.
    Same,
    /// Both seem to say the same in other words, and neither corrects the other. Rules about clauses cannot be certain,
    /// so none represents the other.
    Paraphrase,
    /// Both cannot be true, or one has another value in one place.
    Contradiction,
    /// One adds to the other.
    Extension,
    /// They differ in one word and share only one: two values of one thing, or two things that are true of it.
    OtherWord,
    /// The words do not tell.
    Unclear,
}

/// A statement, prepared for comparisons with others.
pub struct Statement<'a> {
    text: &'a str,
    words: Vec<Word>,
    terms: Vec<Term>,
}

impl<'a> Statement<'a> {
    /// Prepares a statement.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let words = words::of(text);
        let terms = difference::terms(&words);
        Self { text, words, terms }
    }

    /// Returns how this statement and another one are related; the order does not matter.
    #[must_use]
    pub fn relation(&self, other: &Statement<'_>) -> Relation {
        if same_statement(self.text, other.text) {
            return Relation::Same;
        }
        if !difference::share_half(&self.terms, &other.terms) {
            return Relation::Unclear;
        }
        let is_english = || [self, other].iter().all(|it| Language::of(it.text) == Language::English);
        let (one, other_parts) = ((&self.words[..], &self.terms[..]), (&other.words[..], &other.terms[..]));
        if clause::are_equivalent(&self.words, &other.words)
            && is_english()
            && !difference::are_reversed(one, other_parts)
        {
            return Relation::Paraphrase;
        }
        match difference::between(one, other_parts) {
            Difference::Contradiction => Relation::Contradiction,
            Difference::Extension => Relation::Extension,
            Difference::OtherWord => Relation::OtherWord,
            Difference::Unclear => Relation::Unclear,
        }
    }
}

/// Returns the relation of two statements; the order does not matter.
#[must_use]
pub fn relation(one: &str, other: &str) -> Relation {
    Statement::new(one).relation(&Statement::new(other))
}
