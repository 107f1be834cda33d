//! Normalises text: removes invisible characters, and maps look-alikes of ASCII to ASCII.

use unicode_normalization::char::decompose_canonical;

/// Offset of the full-width forms from ASCII.
const FULL_WIDTH: u32 = 0xFEE0;

/// The digit zero of other scripts, after which the other nine follow.
const ZEROS: [char; 18] = [
    '\u{660}', '\u{6F0}', '\u{7C0}', '\u{966}', '\u{9E6}', '\u{A66}', '\u{AE6}', '\u{B66}', '\u{BE6}',
    '\u{C66}', '\u{CE6}', '\u{D66}', '\u{E50}', '\u{ED0}', '\u{F20}', '\u{1040}', '\u{17E0}', '\u{1810}',
];

/// Returns a copy without invisible characters, with full-width characters, digits of other scripts, other blanks and
/// curly quotes as ASCII. `None` if that is the text itself.
pub(super) fn plain(text: &str) -> Option<String> {
    text.contains(|letter| seen(letter) != Some(letter)).then(|| text.chars().filter_map(seen).collect())
}

/// Returns the same copy, with the position in the text of each of its bytes and of its end.
pub(super) fn plain_with_positions(text: &str) -> Option<(String, Vec<usize>)> {
    let mut copy = plain(text)?;
    let mut indices = Vec::with_capacity(copy.len() + 1);
    copy.clear();
    for (index, letter) in text.char_indices() {
        if let Some(letter) = seen(letter) {
            indices.resize(indices.len() + letter.len_utf8(), index);
            copy.push(letter);
        }
    }
    indices.push(text.len());
    Some((copy, indices))
}

/// Returns the normalised character, or `None` for an invisible one.
fn seen(letter: char) -> Option<char> {
    match letter {
        '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        '\u{2018}' | '\u{2019}' => Some('\''),
        '\u{201C}'..='\u{201E}' | '\u{AB}' | '\u{BB}' => Some('"'),
        '\u{660}'..='\u{1819}' if letter.is_numeric() => Some(ascii_digit(letter).unwrap_or(letter)),
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(letter) - FULL_WIDTH),
        _ if super::sanitize::is_hidden(letter) => None,
        _ if letter.is_whitespace() && !matches!(letter, '\n' | '\t') => Some(' '),
        _ => Some(letter),
    }
}

/// Returns a digit of another script in ASCII.
fn ascii_digit(letter: char) -> Option<char> {
    let value = |zero: &char| u32::from(letter).checked_sub(u32::from(*zero)).filter(|value| *value < 10);
    char::from_digit(ZEROS.iter().find_map(value)?, 10)
}

/// Returns a copy in lower case without accents, by which words compare: `ŞİFRE` and `şifre` are `sifre`. Forms of
/// Arabic letters that Persian and Urdu write differently are the same one.
pub(super) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut copy = String::with_capacity(text.len());
    for letter in text.chars() {
        push_folded(letter, &mut copy);
    }
    copy
}

/// Returns the same copy, with the position in the text of each of its bytes and of its end.
pub(super) fn folded_with_positions(text: &str) -> (String, Vec<usize>) {
    let mut copy = String::with_capacity(text.len());
    let mut indices = Vec::with_capacity(text.len() + 1);
    for (index, letter) in text.char_indices() {
        push_folded(letter, &mut copy);
        indices.resize(copy.len(), index);
    }
    indices.push(text.len());
    (copy, indices)
}

fn push_folded(letter: char, copy: &mut String) {
    if letter.is_ascii() {
        copy.push(letter.to_ascii_lowercase());
        return;
    }
    for lower in letter.to_lowercase() {
        // Syllables of other scripts are letters, too, with what looks like an accent.
        if has_accents(lower) {
            decompose_canonical(lower, |part| copy.extend(base(part)));
        } else {
            copy.extend(base(lower));
        }
    }
}

/// Whether letters of this script are written with accents: Latin, Greek, Cyrillic, Hebrew and Arabic.
const fn has_accents(letter: char) -> bool {
    matches!(letter, ..'\u{900}' | '\u{1E00}'..='\u{1FFF}')
}

/// Returns the letter without which a word is another one, or `None` for an accent or a point.
const fn base(letter: char) -> Option<char> {
    match letter {
        '\u{300}'..='\u{36F}'
        | '\u{591}'..='\u{5C7}'
        | '\u{640}'
        | '\u{64B}'..='\u{65F}'
        | '\u{200B}'..='\u{200F}' => None,
        'ł' => Some('l'),
        'ø' => Some('o'),
        'đ' | 'ð' => Some('d'),
        'ı' => Some('i'),
        'ə' => Some('e'),
        'ς' => Some('σ'),
        'ي' | 'ى' => Some('ی'),
        'ك' => Some('ک'),
        'ة' | 'ہ' | 'ھ' => Some('ه'),
        _ => Some(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_not_copied() {
        for text in ["", "plain text\n\twith lines", "año, 東京, עברית", "👍 – …"] {
            assert_eq!(plain(text), None, "{text}");
        }
    }

    #[test]
    fn words_are_compared_without_case_and_accents() {
        for (text, wanted) in [
            ("Password", "password"),
            ("ŞİFRE, şifre, S\u{327}ifre", "sifre, sifre, sifre"),
            ("ΚΩΔΙΚΟΣ κωδικός", "κωδικοσ κωδικοσ"),
            ("Hasło, Mật khẩu, Fjalëkalimi", "haslo, mat khau, fjalekalimi"),
            ("Ёж, ПАРОЛЬ", "еж, пароль"),
            ("كَلِمَة", "کلمه"),
            ("ガ 비 हिन्दी", "ガ 비 हिन्दी"),
        ] {
            assert_eq!(folded(text), wanted, "{text}");
            let (copy, positions) = folded_with_positions(text);
            assert_eq!((copy.as_str(), positions.len()), (wanted, wanted.len() + 1), "{text}");
        }
        assert_eq!(folded_with_positions("aş:").1, [0, 1, 3, 4]);
    }

    #[test]
    fn invisible_characters_are_removed_and_look_alikes_mapped() {
        for (text, wanted) in [
            ("gh\u{200B}p_\u{FEFF}x\u{AD}", "ghp_x"),
            ("ｐａｓｓｗｏｒｄ＝ａ１", "password=a1"),
            ("mot de passe\u{A0}: «\u{202F}a\u{202F}»", "mot de passe : \" a \""),
            ("“a” ‘b’", "\"a\" 'b'"),
            ("a\r\nb\u{2028}c", "a\n\nb\nc"),
        ] {
            assert_eq!(plain(text).as_deref(), Some(wanted), "{text}");
        }
    }
}
