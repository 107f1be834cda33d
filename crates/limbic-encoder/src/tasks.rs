//! From tasks to encodings, whatever does the reading.

use limbic_protocol::{
    DIMENSIONS, Encoding, EncodingResult, QueryTokens, SNAPSHOT_TOKENS, SignBits, Task, TokenVectors,
};

use crate::snapshot;

/// One token of a text.
pub trait Token: Clone {
    /// Its number in the vocabulary.
    fn id(&self) -> u32;
    /// Whether it is part of a stop word, or is punctuation.
    fn is_weak(&self) -> bool;
}

/// What came of reading one text.
pub struct Reading {
    /// Vector of the whole, of length one.
    pub sentence: Vec<f32>,
    /// One vector of length one for each token of the text, one after the other.
    pub tokens: Vec<f32>,
}

/// What can read texts.
pub trait Reader {
    /// What it splits texts into.
    type Token: Token;

    /// Splits a text, without markers.
    fn tokens(&self, text: &str) -> Result<Vec<Self::Token>, String>;
    /// How many markers it puts around what it reads.
    fn markers(&self) -> usize;
    /// Reads the text after the context. The context leaves no tokens of its own behind.
    fn read(&self, context: &[Self::Token], text: &[Self::Token]) -> Result<Reading, String>;
}

/// Answers one task.
pub fn answer<R: Reader>(reader: &R, task: &Task) -> EncodingResult {
    match task {
        Task::Query { text } => {
            let tokens = reader.tokens(text)?;
            let reading = reader.read(&[], &tokens)?;
            Ok(Encoding::Query {
                vector: reading.sentence,
                tokens: QueryTokens {
                    ids: tokens.iter().map(Token::id).collect(),
                    weak: tokens.iter().map(Token::is_weak).collect(),
                    vectors: reading.tokens,
                },
            })
        }
        Task::Text { key, context, text } => {
            let tokens = reader.tokens(text)?;
            let reading = reader.read(&reader.tokens(context)?, &tokens)?;
            Ok(Encoding::Text {
                key: *key,
                vector: reading.sentence,
                tokens: telling(&tokens, &reading.tokens),
            })
        }
        Task::Snapshot { key, header, observations, relations } => {
            let room = SNAPSHOT_TOKENS.saturating_sub(reader.markers());
            let observations =
                observations.iter().map(|text| reader.tokens(text)).collect::<Result<Vec<_>, _>>()?;
            let tokens =
                snapshot::compose(&reader.tokens(header)?, &observations, &reader.tokens(relations)?, room);
            Ok(Encoding::Snapshot { key: *key, vector: reader.read(&[], &tokens)?.sentence })
        }
    }
}

fn telling<T: Token>(tokens: &[T], vectors: &[f32]) -> TokenVectors {
    let mut kept = TokenVectors { ids: Vec::new(), bits: SignBits::default() };
    for (token, vector) in tokens.iter().zip(vectors.chunks_exact(DIMENSIONS)) {
        if !token.is_weak() {
            kept.ids.push(token.id());
            kept.bits.push(vector);
        }
    }
    kept
}
