//! Randomness of strings: distinguishes generated values from words and names.

/// Number of changes between letters and digits from which a text is not composed of words.
const MIN_CHANGES: usize = 6;

/// Returns the Shannon entropy in bits per byte.
pub(crate) fn shannon(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    let mut total = 0_u32;
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1;
        total += 1;
    }
    let total = f64::from(total.max(1));
    counts.iter().filter(|count| **count > 0).fold(0.0, |sum, count| {
        let share = f64::from(*count) / total;
        sum - share * libm::log2(share)
    })
}

/// Whether it is at least 32 hexadecimal digits, of which enough are distinct.
pub(crate) fn is_hex(text: &str) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    digits.len() >= 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) && shannon(digits) >= 2.8
}

/// Whether it has the form of a UUID.
pub(crate) fn is_uuid(text: &str) -> bool {
    let mut lengths = [8, 4, 4, 4, 12].iter();
    text.len() == 36
        && text.split('-').all(|part| {
            lengths.next() == Some(&part.len()) && part.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}

/// Whether it is generated: enough entropy for its length, and not composed of words.
///
/// Common scanners require 3.5 bits for twenty and more characters; shorter strings do not reach it reliably.
pub(crate) fn is_random(text: &str) -> bool {
    let wanted = if text.len() < 20 { 3.0 } else { 3.5 };
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let wanted = if has_digit { wanted } else { wanted + 0.5 };
    shannon(text) >= wanted && !is_wordy(text)
}

/// Whether most of it consists of possible words: `refresh-token-2024`, `TokenProviderFactory`.
pub(crate) fn is_wordy(text: &str) -> bool {
    // The digits of names stand together.
    let is_change = |pair: &&[u8]| {
        pair[0].is_ascii_alphanumeric()
            && pair[1].is_ascii_alphanumeric()
            && pair[0].is_ascii_digit() != pair[1].is_ascii_digit()
    };
    if text.as_bytes().windows(2).filter(is_change).count() >= MIN_CHANGES {
        return false;
    }
    let mut letters_in_words = 0;
    for run in runs(text) {
        if is_word(run) {
            letters_in_words += run.len();
        }
    }
    letters_in_words * 5 >= text.len() * 3
}

/// Whether it contains a possible word of at least eight letters.
pub(crate) fn has_long_word(text: &str) -> bool {
    runs(text).any(|run| run.len() >= 8 && is_word(run))
}

/// Splits into runs of letters at changes of case and other characters: `HTTPServer` is `HTTP` and `Server`.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphabetic()).flat_map(|run| {
        let mut starts = vec![0];
        let mut before = ' ';
        for (index, letter) in run.char_indices() {
            if letter.is_uppercase() && before.is_lowercase() {
                starts.push(index);
            }
            // `HTTPServer`: the last capital begins the next word.
            if letter.is_lowercase() && before.is_uppercase() && index > before.len_utf8() {
                let start = index - before.len_utf8();
                if starts.last() != Some(&start) {
                    starts.push(start);
                }
            }
            before = letter;
        }
        let ends: Vec<usize> = starts.iter().skip(1).copied().chain([run.len()]).collect();
        starts.into_iter().zip(ends).map(move |(start, end)| &run[start..end])
    })
}

/// Whether a run of letters could be a word: at least four letters, with a plausible distribution of vowels.
fn is_word(run: &str) -> bool {
    let mut letters = 0;
    let mut consonants = 0;
    let mut vowels = 0;
    for letter in run.chars() {
        letters += 1;
        if matches!(letter.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y') || !letter.is_ascii() {
            vowels += 1;
            consonants = 0;
        } else {
            consonants += 1;
            if consonants > 4 {
                return false;
            }
        }
    }
    letters >= 4 && vowels > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_in_bits_a_byte() {
        assert!((shannon("abcdabcd") - 2.0).abs() < 1e-12);
        assert!(shannon("aaaaaaaa").abs() < 1e-12);
        assert!(shannon("").abs() < 1e-12);
    }

    #[test]
    fn names_are_wordy_and_random_strings_are_not() {
        for name in
            ["refresh-token-2024", "TokenProviderFactoryBean", "prod/database/primary", "HTTPServerError"]
        {
            assert!(is_wordy(name), "{name}");
        }
        for random in ["q8ZrT2kLmP0vXw4NbY7c", "9fceb02d0ae598e95dc970b74767f193", "k3jx9vq2mz7w1tb5"] {
            assert!(!is_wordy(random), "{random}");
        }
    }

    #[test]
    fn the_forms_of_hashes_and_uuids_are_known() {
        assert!(is_uuid("3f2504e0-4f89-11d3-9a0c-0305e82c3301"));
        assert!(!is_uuid("3f2504e0-4f89-11d3-9a0c0-305e82c3301"));
        assert!(is_hex("9fceb02d0ae598e95dc970b74767f193"));
        assert!(!is_hex("00000000000000000000000000000000"));
        assert!(!is_hex("9fceb02d"));
    }
}
