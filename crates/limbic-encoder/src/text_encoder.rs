//! What encodes texts: the model, or the test encoder.

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

/// Tokenizes and encodes texts.
pub trait TextEncoder {
    /// A token of the vocabulary.
    type Token: Token;

    /// Tokenizes a text, without markers.
    fn tokenize(&self, text: &str) -> Result<Vec<Self::Token>, String>;
    /// The number of markers around an encoded text.
    fn markers(&self) -> usize;
    /// Encodes `text` preceded by `context`. The result has no token vectors of the context.
    fn encode_text(&self, context: &[Self::Token], text: &[Self::Token]) -> Result<TextEncoding, String>;
}
