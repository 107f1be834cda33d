//! Computes the encoding of a task with any [`TextEncoder`].

use limbic_protocol::{
    Encoding, EncodingResult, MAX_SNAPSHOT_TOKENS, QueryTokens, SignBits, Task, TokenVectors,
};

use crate::snapshot;
use crate::text_encoder::{Role, TextEncoder, Token};

/// Computes the encoding of one task.
///
/// # Errors
/// The text encoder's message.
pub fn encode_task<R: TextEncoder>(encoder: &R, task: &Task) -> EncodingResult {
    match task {
        Task::Query { text } => {
            let tokens = encoder.tokenize(Role::Query, text)?;
            let encoding = encoder.encode_text(Role::Query, &[], &tokens)?;
            Ok(Encoding::Query {
                vector: encoding.sentence,
                tokens: QueryTokens {
                    ids: tokens.iter().map(Token::id).collect(),
                    weak: tokens.iter().map(Token::is_weak).collect(),
                    vectors: encoding.tokens,
                    foreign: encoder.foreign_share(text)?,
                    scale: encoder.scale()?,
                },
            })
        }
        Task::Text { key, context, text } => {
            let tokens = encoder.tokenize(Role::Passage, text)?;
            let context = encoder.tokenize(Role::Passage, context)?;
            let encoding = encoder.encode_text(Role::Passage, &context, &tokens)?;
            Ok(Encoding::Text {
                key: *key,
                vector: encoding.sentence,
                tokens: content_tokens(&tokens, &encoding.tokens, encoder.dimensions()),
                foreign: encoder.foreign_share(text)?,
            })
        }
        Task::Snapshot { key, header, observations, relations } => {
            let room = MAX_SNAPSHOT_TOKENS.saturating_sub(encoder.markers(Role::Passage));
            let tokenize = |text: &str| encoder.tokenize(Role::Passage, text);
            let observations =
                observations.iter().map(|text| tokenize(text)).collect::<Result<Vec<_>, _>>()?;
            let tokens = snapshot::compose(&tokenize(header)?, &observations, &tokenize(relations)?, room);
            let encoding = encoder.encode_text(Role::Passage, &[], &tokens)?;
            Ok(Encoding::Snapshot { key: *key, vector: encoding.sentence })
        }
    }
}

fn content_tokens<T: Token>(tokens: &[T], vectors: &[f32], dimensions: usize) -> TokenVectors {
    let mut kept = TokenVectors { ids: Vec::new(), bits: SignBits::default() };
    for (token, vector) in tokens.iter().zip(vectors.chunks_exact(dimensions)) {
        if !token.is_weak() {
            kept.ids.push(token.id());
            kept.bits.push(vector);
        }
    }
    kept
}
