//! Spellings of words that readers take for the same, and what FTS5 needs to compare them. No tables beside those of
//! canonical composition: NFKC would add some kilobytes for characters that words seldom have.

use std::borrow::Cow;

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use super::{script, text};

/// The letters of half width from U+FF65 to U+FF9F, in their usual width.
const HALF_WIDTH: &str = "・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309a}";

/// First code point of the private area by which FTS5 reads marks.
const WRITTEN_MARKS: u32 = 0xf_0000;

/// The text as words are compared: composed (NFC), in usual widths, and without the marks that are mostly left out, as
/// the vowel signs of Arabic and Hebrew and the stress of Russian.
#[must_use]
pub(crate) fn usual(text: &str) -> Cow<'_, str> {
    if text.chars().all(|letter| letter < '\u{300}') {
        return Cow::Borrowed(text);
    }
    let is_other = |letter: char| is_left_out(letter) || usual_width(letter) != letter;
    let text = if text.contains(is_other) {
        let letters = text.chars().filter(|letter| !is_left_out(*letter)).map(usual_width);
        Cow::Owned(letters.collect::<String>())
    } else {
        Cow::Borrowed(text)
    };
    let composed = match text {
        Cow::Borrowed(text) => text::compose(text),
        Cow::Owned(text) => Cow::Owned(text::compose(&text).into_owned()),
    };
    // What is left of accents has no composed letter.
    if composed.contains(is_accent) { Cow::Owned(composed.replace(is_accent, "")) } else { composed }
}

/// Marks of Latin, Greek and Cyrillic letters.
fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

/// Vowel signs of Arabic and Hebrew, the stroke that stretches Arabic words, and marks that choose how a character is
/// drawn.
fn is_left_out(letter: char) -> bool {
    matches!(letter,
        '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{652}' | '\u{670}' | '\u{6d6}'..='\u{6dc}'
        | '\u{20d0}'..='\u{20f0}' | '\u{fe00}'..='\u{fe0f}')
}

/// The letter of usual width: `A` for `Ａ`, `カ` for `ｶ`.
fn usual_width(letter: char) -> char {
    let number = u32::from(letter);
    match number {
        0xff01..=0xff5e => char::from_u32(number - 0xfee0).unwrap_or(letter),
        0xff65..=0xff9f => (0xff65..)
            .zip(HALF_WIDTH.chars())
            .find(|(half, _)| *half == number)
            .map_or(letter, |(_, usual)| usual),
        _ => letter,
    }
}

/// Whether a character belongs to a word: letters, digits, and their marks.
#[must_use]
pub(crate) fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || (letter >= '\u{300}' && is_combining_mark(letter))
}

/// Whether a word has a letter or digit, not only marks.
#[must_use]
pub(crate) fn has_letter(word: &str) -> bool {
    word.contains(|letter: char| {
        letter.is_ascii() || (letter.is_alphanumeric() && !is_combining_mark(letter))
    })
}

/// Whether a mark is a part of the spelling, as the vowel signs of Devanagari, Bengali and Tamil. FTS5 ends a word at
/// it, so that words with the same consonants would be the same.
fn is_written_mark(letter: char) -> bool {
    letter >= '\u{370}' && is_combining_mark(letter) && !script::is_unspaced(letter)
}

/// The word with such marks as private characters, which FTS5 takes for letters.
#[must_use]
pub(crate) fn with_written_marks(word: &str) -> Cow<'_, str> {
    if !word.contains(is_written_mark) {
        return Cow::Borrowed(word);
    }
    let written = |letter: char| {
        if is_written_mark(letter) {
            char::from_u32(WRITTEN_MARKS + (u32::from(letter) & 0xffff)).unwrap_or(letter)
        } else {
            letter
        }
    };
    Cow::Owned(word.chars().map(written).collect())
}

/// A word with written marks, without those at its end: what its other forms begin with, if they differ by a vowel
/// sign or an ending.
#[must_use]
pub(crate) fn without_last_marks(word: &str) -> Option<&str> {
    word.contains(is_written_mark).then(|| word.trim_end_matches(is_written_mark))
}

/// The spellings of a word without the letters that are often written as others, and which FTS5 leaves as they are:
/// `strasse` for `straße`, `отчет` for `отчёт`, `Lódz` for `Łódz`. FTS5 removes an accent of Latin letters, but not
/// two, and not those of Greek letters. A word with umlauts also has the spelling with `ae`, `oe` and `ue`.
#[must_use]
pub(crate) fn plain_spellings(word: &str) -> Vec<String> {
    if word.is_ascii() {
        return Vec::new();
    }
    let plain: String = word.chars().fold(String::new(), |mut plain, letter| {
        match replacement(letter) {
            Some(letters) => plain.push_str(letters),
            None => plain.push(without_accents(letter)),
        }
        plain
    });
    let umlauts: String = plain.chars().fold(String::new(), |mut spelled, letter| {
        match umlaut(letter) {
            Some(letters) => spelled.push_str(letters),
            None => spelled.push(letter),
        }
        spelled
    });
    let mut spellings = Vec::new();
    if plain != word {
        spellings.push(plain.clone());
    }
    if umlauts != plain {
        spellings.push(umlauts);
    }
    spellings
}

/// Whether a word has an umlaut, so that its last plain spelling writes it as two letters.
#[must_use]
pub(crate) fn has_umlaut(word: &str) -> bool {
    word.contains(|letter| umlaut(letter).is_some())
}

fn replacement(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ß' => "ss",
        'ẞ' => "SS",
        'œ' => "oe",
        'Œ' => "Oe",
        'æ' => "ae",
        'Æ' => "Ae",
        'ø' => "o",
        'Ø' => "O",
        'ł' => "l",
        'Ł' => "L",
        'đ' | 'ð' => "d",
        'Đ' | 'Ð' => "D",
        'þ' => "th",
        'Þ' => "Th",
        'ħ' => "h",
        'Ħ' => "H",
        'ı' => "i",
        'ё' => "е",
        'Ё' => "Е",
        _ => return None,
    })
}

fn umlaut(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ä' => "ae",
        'ö' => "oe",
        'ü' => "ue",
        'Ä' => "Ae",
        'Ö' => "Oe",
        'Ü' => "Ue",
        _ => return None,
    })
}

/// The letter without its accents, where FTS5 keeps them: Greek letters, and Latin ones with two, as in Vietnamese.
fn without_accents(letter: char) -> char {
    if !matches!(letter, '\u{386}'..='\u{3ce}' | '\u{1d5}'..='\u{1ff}' | '\u{1ea0}'..='\u{1fff}') {
        return letter;
    }
    let mut base = letter;
    decompose_canonical(letter, |part| {
        if !is_combining_mark(part) {
            base = part;
        }
    });
    base
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_composed_in_usual_widths() {
        assert_eq!(usual("Mu\u{308}ller"), "Müller");
        assert_eq!(usual("\u{1112}\u{116c}\u{110b}\u{1174}"), "회의");
        assert_eq!(usual("か\u{3099}"), "が");
        assert_eq!(usual("ＡＰＩ ポート８０８０ ｶﾞｲﾄﾞ"), "API ポート8080 ガイド");
        assert_eq!(HALF_WIDTH.chars().count(), 0xff9f - 0xff65 + 1);
        assert!(matches!(usual("日本 naïve"), Cow::Borrowed(_)));
    }

    #[test]
    fn optional_marks_are_left_out() {
        assert_eq!(usual("كِتَاب"), "كتاب");
        assert_eq!(usual("שָׁלוֹם"), "שלום");
        assert_eq!(usual("за\u{301}мок"), "замок");
        assert_eq!(usual("1\u{fe0f}\u{20e3}"), "1");
        assert!(has_letter("दाल") && has_letter("1") && !has_letter("\u{fe0f}"));
    }

    #[test]
    fn marks_of_the_spelling_are_written() {
        assert_eq!(with_written_marks("दाल"), "द\u{f093e}ल");
        assert_ne!(with_written_marks("दाल"), with_written_marks("दिल"));
        assert!(matches!(with_written_marks("กินข้าว é"), Cow::Borrowed(_)));
        assert_eq!((without_last_marks("लड़का"), without_last_marks("कल")), (Some("लड़क"), None));
    }

    #[test]
    fn letters_have_plain_spellings() {
        for (word, spellings) in [
            ("Straße", &["Strasse"][..]),
            ("STRAẞE", &["STRASSE"]),
            ("Łódź", &["Lódź"]),
            ("Jørgensen", &["Jorgensen"]),
            ("Nguyễn", &["Nguyen"]),
            ("καφές", &["καφες"]),
            ("Müller", &["Mueller"]),
            ("Weißblüte", &["Weissblüte", "Weissbluete"]),
            ("café", &[]),
            ("plain", &[]),
        ] {
            assert_eq!(plain_spellings(word), spellings, "{word}");
        }
    }
}
