//! The share of a text's letters that an encoder was not trained to read.
//!
//! A vocabulary shows which scripts were in the training texts: words in others become the unknown token, or fall apart
//! into single letters. Latin letters and others are counted apart: if a quarter of the others are unknown, those that
//! are known were rare in the training texts, too. A Chinese character is a word, so one that is known counts as read.

use limbic_protocol::is_latin;

/// From this share of unknown letters on, none of the script is read.
const ALL_UNKNOWN: f32 = 0.25;

/// Up to the first share of letters that stand alone, a script is read; from the second one on, it is not. Names and
/// compounds fall apart in any language, but hardly into single letters.
const ALONE: (f32, f32) = (0.3, 0.6);

/// Minimum letters of a word for its letters to count as standing alone; short Latin words are often abbreviations.
const MIN_LETTERS: usize = 2;
const MIN_LATIN_LETTERS: usize = 4;

/// A token of a word.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// The first byte in the text, and the byte after the last one.
    pub bytes: (usize, usize),
    /// Whether it is the unknown token.
    pub is_unknown: bool,
}

/// The letters of a text, by how an encoder reads them.
#[derive(Debug, Default)]
pub struct Letters {
    latin: Count,
    other: Count,
}

#[derive(Debug, Default)]
struct Count {
    all: f32,
    unknown: f32,
    alone: f32,
}

/// A letter of a word.
struct Letter {
    at: usize,
    letter: char,
    is_unknown: bool,
    /// Whether its token has no other letter.
    is_single: bool,
    /// Whether it takes several tokens, which have some of its bytes each.
    is_split: bool,
}

impl Letters {
    /// Counts the letters of a word of `text`, which has these tokens, in order.
    pub fn add_word(&mut self, text: &str, tokens: &[Span]) {
        let letters = letters(text, tokens);
        for one in &letters {
            let is_latin = is_latin(one.letter);
            let least = if is_latin { MIN_LATIN_LETTERS } else { MIN_LETTERS };
            let count = if is_latin { &mut self.latin } else { &mut self.other };
            let is_alone = one.is_single && letters.len() >= least && !is_ideograph(one.letter);
            count.all += 1.0;
            if one.is_unknown {
                count.unknown += 1.0;
            } else if one.is_split || is_alone {
                count.alone += 1.0;
            }
        }
    }

    /// Returns the share of letters that the encoder cannot read, 0 to 1; 0 without letters.
    #[must_use]
    pub fn foreign_share(&self) -> f32 {
        let all = self.latin.all + self.other.all;
        if all == 0.0 {
            return 0.0;
        }
        (self.latin.all * self.latin.foreign() + self.other.all * self.other.foreign()) / all
    }
}

impl Count {
    fn foreign(&self) -> f32 {
        if self.all == 0.0 {
            return 0.0;
        }
        let unknown = self.unknown / self.all;
        let (least, full) = ALONE;
        let alone = (unknown + self.alone / self.all - least) / (full - least);
        (unknown / ALL_UNKNOWN).max(alone).clamp(0.0, 1.0)
    }
}

/// Returns the letters of a word that its tokens contain.
fn letters(text: &str, tokens: &[Span]) -> Vec<Letter> {
    // A token may contain only some of a letter's bytes, or stand with others for the same letters.
    let whole = |Span { bytes: (start, end), is_unknown }: &Span| {
        let start = (0..=*start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let end = (*end..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        (start..end, *is_unknown)
    };
    let whole: Vec<_> = tokens.iter().map(whole).collect();
    let mut letters: Vec<Letter> = Vec::new();
    for same in whole.chunk_by(|one, next| one.0 == next.0) {
        let (bytes, is_unknown) = &same[0];
        let of_token = || {
            text.get(bytes.clone()).unwrap_or_default().char_indices().filter(|(_, it)| it.is_alphabetic())
        };
        let is_single = of_token().count() == 1;
        for (offset, letter) in of_token() {
            let at = bytes.start + offset;
            let one = Letter { at, letter, is_unknown: *is_unknown, is_single, is_split: same.len() > 1 };
            match letters.last_mut() {
                Some(last) if last.at >= at => last.is_split = true,
                _ => letters.push(one),
            }
        }
    }
    letters
}

/// Whether a letter is a Chinese character, which stands for a word.
fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The share for words whose tokens are separated by `|`; those with `?` in front are unknown.
    fn share(words: &[&str]) -> f32 {
        let mut counted = Letters::default();
        for word in words {
            let (mut text, mut spans) = (String::new(), Vec::new());
            for token in word.split('|') {
                let start = text.len();
                text.push_str(token.trim_start_matches('?'));
                spans.push(Span { bytes: (start, text.len()), is_unknown: token.starts_with('?') });
            }
            counted.add_word(&text, &spans);
        }
        counted.foreign_share()
    }

    fn is(found: f32, wanted: f32) -> bool {
        (found - wanted).abs() < 1e-6
    }

    #[test]
    fn words_of_the_vocabulary_are_read_in_any_script() {
        assert!(is(share(&["когда", "перенес|ли", "встреч|у"]), 0.0));
        assert!(is(share(&["备份", "在", "哪里"]), 0.0));
        assert!(is(share(&["数", "据", "库"]), 0.0));
        assert!(is(share(&["я", "а", "и"]), 0.0));
        assert!(is(share(&["k|8|s", "n|p|m", "12"]), 0.0));
        assert!(is(share(&[]), 0.0));
    }

    #[test]
    fn single_letters_and_unknown_tokens_are_not() {
        assert!(is(share(&["к|о|г|да", "в|с|т|р|е|ч|у"]), 1.0));
        assert!(is(share(&["?数", "据", "?库", "在"]), 1.0));
        assert!(is(share(&["?ห้องทดสอบ"]), 1.0));
        assert!(is(share(&["q|w|x|z|k"]), 1.0));
        // Half of the letters are in a word that is read.
        assert!(is(share(&["pods", "п|о|д|ы"]), 0.5));
    }

    #[test]
    fn a_letter_of_several_tokens_is_not_read() {
        for (text, spans) in [("队", [(0, 1), (1, 2), (2, 3)]), ("豹队", [(0, 6), (0, 6), (0, 6)])] {
            let spans = spans.map(|bytes| Span { bytes, is_unknown: false });
            let mut counted = Letters::default();
            counted.add_word(text, &spans);
            assert!(is(counted.foreign_share(), 1.0), "{text}");
        }
    }
}
