//! An encoder without a model, for tests. It computes with integers, so that every machine gives the same bits.

use limbic_protocol::{DIMENSIONS, Language, SplitMix64};

use crate::text_encoder::{Role, TextEncoder, TextEncoding, Token};
use crate::vectors::{add, normalise};
use limbic_protocol::stop_words;

/// Size of the vocabulary.
const VOCABULARY: u64 = 30_000;
/// Words with the same first letters, this many, share part of their vector.
const SHARED_LETTERS: usize = 4;
/// Every third dimension depends on the whole word, the others on its first letters.
const OWN_EVERY: usize = 3;

/// Encodes words by their hashes.
pub struct TestEncoder;

/// One word.
#[derive(Clone)]
pub struct Word {
    own: u64,
    shared: u64,
    weak: bool,
}

impl Word {
    fn new(word: &str, language: Language) -> Self {
        let start: String = word.chars().take(SHARED_LETTERS).collect();
        Self { own: hash(word), shared: hash(&start), weak: stop_words::contains_in(language, word) }
    }

    /// Small odd integers, -15 to 15, as floats, which hold them exactly.
    fn vector(&self) -> Vec<f32> {
        let (mut own, mut shared) = (SplitMix64::new(self.own), SplitMix64::new(self.shared));
        (0..DIMENSIONS)
            .map(|index| small_integer(if index % OWN_EVERY == 0 { &mut own } else { &mut shared }))
            .collect()
    }
}

impl Token for Word {
    fn id(&self) -> u32 {
        u32::try_from(self.own % VOCABULARY).expect("the vocabulary is small")
    }

    fn is_weak(&self) -> bool {
        self.weak
    }
}

impl TextEncoder for TestEncoder {
    type Token = Word;

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn tokenize(&self, role: Role, text: &str) -> Result<Vec<Word>, String> {
        let language = role.language(text);
        let text = text.to_lowercase();
        Ok(text
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| Word::new(word, language))
            .collect())
    }

    fn markers(&self, _role: Role) -> usize {
        2
    }

    fn encode_text(&self, _role: Role, _context: &[Word], text: &[Word]) -> Result<TextEncoding, String> {
        let mut sentence = vec![0.0; DIMENSIONS];
        let mut tokens = Vec::with_capacity(text.len() * DIMENSIONS);
        for word in text {
            let mut vector = word.vector();
            // Sums of small integers are exact in f32, in any order.
            add(&mut sentence, &vector);
            normalise(&mut vector);
            tokens.extend(vector);
        }
        if text.is_empty() {
            sentence = Word::new("", Language::English).vector();
        }
        normalise(&mut sentence);
        Ok(TextEncoding { sentence, tokens })
    }
}

fn hash(text: &str) -> u64 {
    limbic_protocol::fnv1a(text.bytes())
}

/// An odd integer, -15 to 15.
fn small_integer(random: &mut SplitMix64) -> f32 {
    let four_bits = u8::try_from(random.next_u64() >> 60).expect("four bits fit in eight");
    2.0 * f32::from(four_bits) - 15.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(left: &str, right: &str) -> f32 {
        let read = |text| {
            let tokens = TestEncoder.tokenize(Role::Passage, text).expect("words can be split");
            TestEncoder.encode_text(Role::Passage, &[], &tokens).expect("words can be read").sentence
        };
        read(left).iter().zip(read(right)).map(|(left, right)| left * right).sum()
    }

    #[test]
    fn words_with_the_same_first_letters_are_similar_and_others_are_not() {
        assert!((cosine("Database", "database!") - 1.0).abs() < 1e-5);
        assert!(cosine("database", "data") > 0.5);
        assert!(cosine("runs", "running") < 0.3, "only words with four shared letters are related");
        assert!(cosine("running", "runner") > 0.5);
        assert!(cosine("connection", "connected") > 0.5);
        assert!(cosine("database", "kitchen") < 0.3);
    }

    #[test]
    fn an_empty_text_has_a_vector_of_length_one() {
        assert!((cosine("", "...") - 1.0).abs() < 1e-5);
    }
}
