//! What encodes texts: the model, or the test encoder.

/// One token of a text.
pub trait Token: Clone {
    /// Its number in the vocabulary.
    fn id(&self) -> u32;
    /// Whether it is part of a stop word, or is punctuation.
    fn is_weak(&self) -> bool;
}

/// What came of reading one text.
pub struct TextEncoding {
    /// Vector of the whole, of length one.
    pub sentence: Vec<f32>,
    /// One vector of length one for each token of the text, one after the other.
    pub tokens: Vec<f32>,
}

/// What can read texts.
pub trait TextEncoder {
    /// What it splits texts into.
    type Token: Token;

    /// Splits a text, without markers.
    fn tokenize(&self, text: &str) -> Result<Vec<Self::Token>, String>;
    /// How many markers it puts around what it reads.
    fn markers(&self) -> usize;
    /// Reads the text after the context. The context leaves no tokens of its own behind.
    fn encode_text(&self, context: &[Self::Token], text: &[Self::Token]) -> Result<TextEncoding, String>;
}
