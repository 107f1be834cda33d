//! A word of a statement, with its class.

/// The class of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A noun, a verb, an adjective, a name.
    Content,
    /// A number or a time of day.
    Number,
    /// `every week`.
    Frequency,
    /// `all`, `some`, `only`.
    Quantity,
    /// `must`, `may`.
    Modal,
    /// `not`, `never`, `no`.
    Negation,
    /// `in`, `by`.
    Preposition,
    /// `and`, `if`.
    Conjunction,
    /// A form of `be`.
    Be,
    /// `the`, `our`.
    The,
    /// `a`, `an`.
    A,
    /// `I`, `we`, `they`, `you`, `there`.
    Pronoun,
    /// The ending of `dog's`.
    Possessive,
    /// Punctuation between words.
    Mark,
}

/// A word of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The word; its case is that of the text, except at the start of a sentence.
    pub text: String,
    /// The class of the word.
    pub class: Class,
    /// Whether the word begins a sentence, so that its case says nothing.
    pub is_start: bool,
}

impl Word {
    pub(super) fn new(text: impl Into<String>, class: Class) -> Self {
        Self { text: text.into(), class, is_start: false }
    }

    /// The word in lower case.
    pub(super) fn folded(&self) -> String {
        self.text.to_lowercase()
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.text == word
    }
}
