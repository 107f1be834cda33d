//! The model's tokenizer.

use std::ops::Range;

use tokenizers::{Encoding, ModelWrapper, Tokenizer};

use crate::EncoderError;
use crate::foreign::{Letters, Span};
use crate::text_encoder::Token;
use limbic_protocol::{Language, stop_words};

/// One piece of a word.
#[derive(Debug, Clone)]
pub struct Piece {
    id: u32,
    weak: bool,
    /// Whether it begins a word.
    pub starts_word: bool,
}

impl Token for Piece {
    fn id(&self) -> u32 {
        self.id
    }

    fn is_weak(&self) -> bool {
        self.weak
    }
}

/// A tokenizer with its markers.
pub struct Splitter {
    tokenizer: Tokenizer,
    /// Ids before every text: `[CLS]`.
    pub before: Vec<u32>,
    /// Ids after every text: `[SEP]`.
    pub after: Vec<u32>,
    /// The unknown token; `None` for a Unigram model, whose unknown tokens keep their text.
    unknown: Option<String>,
}

impl Splitter {
    /// Parses a `tokenizer.json`.
    pub fn load(json: &[u8]) -> Result<Self, EncoderError> {
        let unusable = |error: tokenizers::Error| EncoderError::Tokenizer(error.to_string());
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(unusable)?;
        // Files often have the truncation of the training; long texts are encoded in windows instead.
        tokenizer.with_truncation(None).map_err(unusable)?;
        tokenizer.with_padding(None);
        // `[SEP]` in a text is text, not the marker.
        tokenizer.set_encode_special_tokens(true);
        let plain = tokenizer.encode_fast("a", false).map_err(unusable)?;
        let marked = tokenizer.encode_fast("a", true).map_err(unusable)?;
        let position = marked
            .get_ids()
            .windows(plain.len().max(1))
            .position(|ids| ids == plain.get_ids())
            .ok_or_else(|| EncoderError::Tokenizer("it has no word for the letter a".to_owned()))?;
        let before = marked.get_ids()[..position].to_vec();
        let after = marked.get_ids()[position + plain.len()..].to_vec();
        let unknown = unknown_token(&tokenizer);
        Ok(Self { tokenizer, before, after, unknown })
    }

    /// The highest token id.
    pub fn largest_id(&self) -> u32 {
        self.tokenizer.get_vocab(true).into_values().max().unwrap_or_default()
    }

    /// The kind of the tokenizer, and the size of its vocabulary.
    pub fn kind(&self) -> (&'static str, usize) {
        let kind = match self.tokenizer.get_model() {
            ModelWrapper::BPE(_) => "BPE",
            ModelWrapper::WordPiece(_) => "WordPiece",
            ModelWrapper::WordLevel(_) => "WordLevel",
            ModelWrapper::Unigram(_) => "Unigram",
        };
        (kind, self.tokenizer.get_vocab_size(true))
    }

    /// The tokens of a prefix, as they are before a text.
    pub fn prefix(&self, prefix: &str) -> Result<Vec<u32>, EncoderError> {
        let unusable = |error: tokenizers::Error| EncoderError::Tokenizer(error.to_string());
        let encoding = self.tokenizer.encode(format!("{prefix}a"), false).map_err(unusable)?;
        let count = prefix_tokens(&encoding, prefix);
        Ok(encoding.get_ids()[..count].to_vec())
    }

    /// Tokenizes a text that follows a prefix; returns neither the prefix nor markers. Stop words are those of the
    /// language, English and Spanish.
    pub fn split(&self, prefix: &str, text: &str, language: Language) -> Result<Vec<Piece>, String> {
        let prefixed;
        let whole = if prefix.is_empty() {
            text
        } else {
            prefixed = format!("{prefix}{text}");
            &prefixed
        };
        let encoding = self.encode(whole)?;
        let ids = encoding.get_ids();
        let mut pieces = Vec::with_capacity(ids.len());
        let mut start = prefix_tokens(&encoding, prefix);
        while start < ids.len() {
            let end = word_end(&encoding, whole, start);
            let weak = is_weak(&encoding, whole, start..end, language);
            let of_word = ids[start..end].iter().enumerate();
            pieces.extend(of_word.map(|(index, &id)| Piece { id, weak, starts_word: index == 0 }));
            start = end;
        }
        Ok(pieces)
    }

    /// Returns the share of a text's letters that are in unknown tokens or in words cut into letters, 0 to 1.
    pub fn foreign_share(&self, text: &str) -> Result<f32, String> {
        let encoding = self.encode(text)?;
        let (ids, tokens, offsets) = (encoding.get_ids(), encoding.get_tokens(), encoding.get_offsets());
        // The unknown token of a Unigram model has the text that it stands for.
        let is_unknown = |index: usize| match &self.unknown {
            Some(unknown) => tokens[index] == *unknown,
            None => self.tokenizer.id_to_token(ids[index]).is_none_or(|token| token != tokens[index]),
        };
        let mut letters = Letters::default();
        let mut start = 0;
        while start < ids.len() {
            let end = word_end(&encoding, text, start);
            let span = |index: usize| Span { bytes: offsets[index], is_unknown: is_unknown(index) };
            letters.add_word(text, &(start..end).map(span).collect::<Vec<_>>());
            start = end;
        }
        Ok(letters.foreign_share())
    }

    fn encode(&self, text: &str) -> Result<Encoding, String> {
        self.tokenizer.encode(text, false).map_err(|error| format!("the text cannot be tokenized: {error}"))
    }
}

/// The token that stands for what is not in the vocabulary, if the model has one that replaces the text.
fn unknown_token(tokenizer: &Tokenizer) -> Option<String> {
    match tokenizer.get_model() {
        ModelWrapper::WordPiece(model) => Some(model.unk_token.clone()),
        ModelWrapper::WordLevel(model) => Some(model.unk_token.clone()),
        // Without an unknown token, none of its tokens is unknown.
        ModelWrapper::BPE(model) => Some(model.unk_token.clone().unwrap_or_default()),
        ModelWrapper::Unigram(_) => None,
    }
}

/// The number of tokens that belong to the prefix. The space at its end belongs to the token after it.
fn prefix_tokens(encoding: &Encoding, prefix: &str) -> usize {
    let length = prefix.trim_end().len();
    encoding.get_offsets().iter().take_while(|offsets| offsets.0 < length).count()
}

/// The end of the word that begins at token `start`. Where the tokenizer splits at spaces only, punctuation is a word
/// of its own.
fn word_end(encoding: &Encoding, text: &str, start: usize) -> usize {
    let words = encoding.get_word_ids();
    let is_mark = is_mark(encoding, text, start);
    let same = |index: &usize| {
        words[*index].is_some()
            && words[*index] == words[start]
            && self::is_mark(encoding, text, *index) == is_mark
    };
    start + 1 + (start + 1..words.len()).take_while(same).count()
}

/// Whether a token contains neither a letter nor a digit.
fn is_mark(encoding: &Encoding, text: &str, token: usize) -> bool {
    let (start, end) = encoding.get_offsets()[token];
    // A token may contain only some of a letter's bytes.
    text.get(start..end).is_some_and(|text| !text.chars().any(char::is_alphanumeric))
}

/// Whether a word is a stop word or contains neither a letter nor a digit.
fn is_weak(encoding: &Encoding, text: &str, tokens: Range<usize>, language: Language) -> bool {
    let offsets = encoding.get_offsets();
    // Some tokenizers count the space before a word as a part of it.
    let word = text.get(offsets[tokens.start].0..offsets[tokens.end - 1].1).unwrap_or_default().trim();
    !word.chars().any(char::is_alphanumeric) || stop_words::contains_in(language, &word.to_lowercase())
}
