//! Text forms of a key: hexadecimal digits, Base64, and a recovery phrase that a person can write down.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use limbic_vfs::Key;
use sha2::{Digest, Sha256};

/// Crockford's digits, without letters that look like others (<https://www.crockford.com/base32.html>).
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const DIGIT_BITS: u32 = 5;

/// Bytes of a recovery phrase: the key, and the start of its SHA-256.
const CHECK_BYTES: usize = 3;
const PHRASE_BYTES: usize = Key::BYTES + CHECK_BYTES;

/// Digits of a recovery phrase, and of each of its groups.
const PHRASE_DIGITS: usize = PHRASE_BYTES * 8 / DIGIT_BITS as usize;
const GROUP_DIGITS: usize = 4;

/// Characters of a key in hexadecimal digits, and in Base64.
const HEX_DIGITS: usize = Key::BYTES * 2;
const BASE64_CHARACTERS: usize = 44;

/// Why a text is not a key. The text is not repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyTextError {
    /// It has none of the forms.
    #[error(
        "it is not a key: expected 64 hexadecimal digits, the Base64 of 32 bytes (44 characters), or a recovery phrase \
         (14 groups of 4 characters)"
    )]
    Form,
    /// A character of a recovery phrase is wrong.
    #[error(
        "the recovery phrase has a wrong character, or its groups are in another order: compare it with the original"
    )]
    Checksum,
}

/// Reads a key in any of its text forms. White space around it is ignored; in a recovery phrase white space, hyphens
/// and case are ignored, `O` is read as `0`, and `I` and `L` as `1`.
///
/// # Errors
/// [`KeyTextError`].
pub fn key_of(text: &str) -> Result<Key, KeyTextError> {
    let text = text.trim();
    if text.len() == HEX_DIGITS && text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        let digit = |at: usize| u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).unwrap_or_default();
        return Ok(Key::new(std::array::from_fn(digit)));
    }
    if text.len() == BASE64_CHARACTERS
        && let Some(bytes) = STANDARD.decode(text).ok().and_then(|bytes| bytes.try_into().ok())
    {
        return Ok(Key::new(bytes));
    }
    let digits: Vec<u8> =
        text.bytes().filter(|byte| !matches!(byte, b'-' | b' ' | b'\n' | b'\r' | b'\t')).collect();
    if digits.len() != PHRASE_DIGITS {
        return Err(KeyTextError::Form);
    }
    let values: Option<Vec<u8>> = digits.iter().map(|digit| value_of(*digit)).collect();
    let bytes = regrouped(&values.ok_or(KeyTextError::Form)?, DIGIT_BITS, 8);
    let (key, check) = bytes.split_at(Key::BYTES);
    if check != check_of(key) {
        return Err(KeyTextError::Checksum);
    }
    Ok(Key::new(key.try_into().expect("it was split there")))
}

/// Returns the recovery phrase of a key: the key and a checksum, in groups.
#[must_use]
pub fn recovery_phrase(key: &Key) -> String {
    let bytes = [key.bytes().as_slice(), &check_of(key.bytes())].concat();
    let digits: Vec<u8> =
        regrouped(&bytes, 8, DIGIT_BITS).iter().map(|value| DIGITS[usize::from(*value)]).collect();
    let groups: Vec<String> =
        digits.chunks(GROUP_DIGITS).map(|group| String::from_utf8_lossy(group).into_owned()).collect();
    groups.join("-")
}

fn check_of(key: &[u8]) -> [u8; CHECK_BYTES] {
    let digest = Sha256::digest(key);
    std::array::from_fn(|at| digest[at])
}

fn value_of(digit: u8) -> Option<u8> {
    let digit = match digit.to_ascii_uppercase() {
        b'O' => b'0',
        b'I' | b'L' => b'1',
        other => other,
    };
    DIGITS.iter().position(|known| *known == digit).and_then(|value| u8::try_from(value).ok())
}

/// Cuts a sequence of numbers of `from` bits into numbers of `to` bits, of at most 8.
fn regrouped(numbers: &[u8], from: u32, to: u32) -> Vec<u8> {
    let (mut held, mut bits, mut cut) = (0_u32, 0, Vec::new());
    for number in numbers {
        held = held << from | u32::from(*number);
        bits += from;
        while bits >= to {
            bits -= to;
            cut.push(u8::try_from(held >> bits & ((1 << to) - 1)).expect("it has at most eight bits"));
        }
        held &= (1 << bits) - 1;
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        Key::new(std::array::from_fn(|at| u8::try_from(at * 7 % 256).expect("it is a remainder")))
    }

    fn read(text: &str) -> Result<[u8; Key::BYTES], KeyTextError> {
        key_of(text).map(|key| *key.bytes())
    }

    #[test]
    fn every_form_of_a_key_is_read() {
        let key = key();
        let hex: String = key.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let phrase = recovery_phrase(&key);
        assert_eq!(phrase.split('-').count(), 14);
        let written = phrase.to_lowercase().replace('-', " ").replace('0', "o").replace('1', "l");
        for text in [
            hex.clone(),
            hex.to_uppercase(),
            format!("{hex}\n"),
            STANDARD.encode(key.bytes()),
            phrase,
            written,
        ] {
            assert_eq!(read(&text), Ok(*key.bytes()));
        }
    }

    #[test]
    fn a_text_that_is_no_key_is_refused() {
        for text in ["", "secret", "00", &"g".repeat(64), &"=".repeat(44), &"U".repeat(56)] {
            assert_eq!(read(text), Err(KeyTextError::Form));
        }
        let phrase = recovery_phrase(&key());
        for at in [0, 20, 68] {
            let mut wrong = phrase.clone().into_bytes();
            wrong[at] = if wrong[at] == b'7' { b'8' } else { b'7' };
            assert_eq!(read(&String::from_utf8_lossy(&wrong)), Err(KeyTextError::Checksum));
        }
    }
}
