//! Passphrases as people type them.

use limbic_vfs::Passphrase;
use unicode_normalization::UnicodeNormalization as _;

/// Minimum length of a new passphrase, in characters: anyone with a copy of the file can try as many as they like.
pub const MIN_PASSPHRASE_CHARACTERS: usize = 12;

/// Why a text is not a passphrase. The text is not repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PassphraseError {
    /// It is empty.
    #[error("the passphrase is empty")]
    Empty,
    /// It is too short for a new one.
    #[error(
        "the passphrase is too short: a new one needs at least {MIN_PASSPHRASE_CHARACTERS} characters, such as five random \
         words"
    )]
    Short,
}

/// Reads a passphrase. A byte order mark before it and line ends after it are ignored. Characters that have several
/// encodings count as one (NFC, as in RFC 8265, section 4.2), so that it does not matter on which system it is typed.
///
/// # Errors
/// [`PassphraseError::Empty`].
pub fn passphrase_of(text: &str) -> Result<Passphrase, PassphraseError> {
    let text = without_mark(text).trim_end_matches(['\r', '\n']);
    if text.is_empty() {
        return Err(PassphraseError::Empty);
    }
    Ok(Passphrase::new(text.nfc().collect()))
}

/// As [`passphrase_of`], for one that a database is about to get.
///
/// # Errors
/// [`PassphraseError`].
pub fn new_passphrase_of(text: &str) -> Result<Passphrase, PassphraseError> {
    let passphrase = passphrase_of(text)?;
    let is_short = without_mark(text).trim().nfc().count() < MIN_PASSPHRASE_CHARACTERS;
    if is_short { Err(PassphraseError::Short) } else { Ok(passphrase) }
}

/// Some editors write a byte order mark at the start of a file.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_passphrase_and_a_short_new_one_are_refused() {
        let of = |text| passphrase_of(text).map(drop);
        let new = |text| new_passphrase_of(text).map(drop);
        assert_eq!(
            [of(""), of("\r\n"), of("short\n")],
            [Err(PassphraseError::Empty), Err(PassphraseError::Empty), Ok(())]
        );
        assert_eq!(
            [new("elf letters"), new("   elf letters  "), new("twelve chars")],
            [Err(PassphraseError::Short), Err(PassphraseError::Short), Ok(())]
        );
        assert_eq!(
            [of("\u{feff}\n"), new("\u{feff}elf letters")],
            [Err(PassphraseError::Empty), Err(PassphraseError::Short)]
        );
        // Twelve code points of six characters.
        assert_eq!(new(&"e\u{301}".repeat(6)), Err(PassphraseError::Short));
    }

    #[test]
    fn a_byte_order_mark_does_not_count() {
        assert!(passphrase_of("\u{feff}some words\r\n") == passphrase_of("some words"));
        assert!(new_passphrase_of("\u{feff}twelve chars\n") == passphrase_of("twelve chars"));
    }
}
