//! What encodes texts: the model, or the test encoder.

use limbic_protocol::{Language, Scale};

/// One token of a text.
pub trait Token: Clone {
    /// The token's id in the vocabulary.
    fn id(&self) -> u32;
    /// Whether the token is punctuation or part of a stop word.
    fn is_weak(&self) -> bool;
}

/// The encoding of one text.
pub struct TextEncoding {
    /// The sentence vector, of length one.
    pub sentence: Vec<f32>,
    /// The token vectors, each of length one, concatenated.
    pub tokens: Vec<f32>,
}

/// The role of a text, which determines its prefix and its stop words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A question.
    Query,
    /// A stored text.
    Passage,
}

impl Role {
    /// Returns the language whose stop words a text has, beside those of English and Spanish: that of a query. The
    /// stored tokens of a passage have no language, so that they do not depend on how it is recognised.
    pub fn language(self, text: &str) -> Language {
        match self {
            Self::Query => Language::of(text),
            Self::Passage => Language::English,
        }
    }
}

/// Tokenizes and encodes texts.
pub trait TextEncoder {
    /// A token of the vocabulary.
    type Token: Token;

    /// The number of dimensions of all vectors.
    fn dimensions(&self) -> usize;
    /// Tokenizes a text, without markers and prefix.
    fn tokenize(&self, role: Role, text: &str) -> Result<Vec<Self::Token>, String>;
    /// The share of a query's letters that the encoder was not trained to read, 0 to 1; `None` if it does not compute
    /// it.
    fn foreign_share(&self, _text: &str) -> Result<Option<f32>, String> {
        Ok(None)
    }
    /// How similar unrelated and identical texts are; `None` for an encoder on which the core's thresholds were
    /// measured.
    fn scale(&self) -> Result<Option<Scale>, String> {
        Ok(None)
    }
    /// The number of markers and tokens of the prefix around an encoded text.
    fn markers(&self, role: Role) -> usize;
    /// Encodes `text` preceded by `context`. The result has no token vectors of the context.
    fn encode_text(
        &self,
        role: Role,
        context: &[Self::Token],
        text: &[Self::Token],
    ) -> Result<TextEncoding, String>;
}
