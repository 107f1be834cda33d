//! Passphrases in quotation marks that open something encrypted: `the LUKS volume opens with "seven herons over …"`.

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::passwords::sentence_phrases::is_about;
use crate::secrets::text::Text;

/// Names of encrypted things and of what encrypts them, in lower case.
static ENCRYPTED: Literals = Literals::new(&[
    "luks",
    "crypt",
    "bitlocker",
    "filevault",
    "keepass",
    "borg",
    "restic",
    "ssh key",
    "ssh-schlüssel",
    "gpg key",
    "keystore",
    "cifrad",
    "verschlüssel",
    "chiffr",
    "crittogr",
    "cifrat",
    "criptograf",
    "versleutel",
    "szyfrowan",
    "зашифр",
    "шифрован",
    "password manager",
    "passwortmanager",
    "gestor de contraseñas",
    "gestionnaire de mots de passe",
]);
/// Words directly before the quotation mark after which a passphrase follows, and prepositions after which one follows
/// a verb of opening.
const TIES: [&str; 14] = [
    "takes",
    "wants",
    "expects",
    "needs",
    "will",
    "verlangt",
    "pide",
    "demande",
    "pede",
    "vraagt",
    "hasłem",
    "frazą",
    "фразой",
    "паролем",
];
const WITH: [&str; 9] = ["with", "by", "using", "mit", "con", "avec", "com", "met", "per"];
/// Beginnings of verbs of opening.
const OPENS: [&str; 25] = [
    "open",
    "unlock",
    "decrypt",
    "mount",
    "auf",
    "öffn",
    "entsperr",
    "entschlüssel",
    "abr",
    "abier",
    "desbloque",
    "descifr",
    "s'ouvr",
    "ouvr",
    "déverrouill",
    "déchiffr",
    "apr",
    "sblocc",
    "decifr",
    "decritt",
    "destranc",
    "desencript",
    "otw",
    "ontgrendel",
    "ontsleutel",
];
/// Beginnings of the names of texts, which begin with words in quotation marks.
const TEXTS: [&str; 22] = [
    "talk",
    "chapter",
    "novel",
    "book",
    "guide",
    "letter",
    "mail",
    "page",
    "document",
    "documento",
    "report",
    "article",
    "artikel",
    "kapitel",
    "vortrag",
    "chapitre",
    "livre",
    "capítulo",
    "capitolo",
    "libro",
    "post",
    "manual",
];
/// Quotation marks, and those that end what they begin.
const QUOTES: [(char, &[char]); 7] = [
    ('"', &['"']),
    ('“', &['”']),
    ('„', &['“', '”']),
    ('«', &['»']),
    ('»', &['«']),
    ('\'', &['\'']),
    ('‘', &['’']),
];
/// Numbers of words of a passphrase.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=12;
/// Maximum length of a passphrase and its end, in bytes, so that the time is linear in the length of a line.
const MAX_BYTES: usize = 200;
/// Minimum number of words of at least four letters.
const MIN_LONG: usize = 3;

/// Returns the kind if a line states such a passphrase.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    text.lines()
        .any(|(_, lower)| ENCRYPTED.are_in(lower) && states_phrase(lower))
        .then_some(SecretKind::new("passphrase"))
}

fn states_phrase(lower: &str) -> bool {
    let mut is_text = lower.split(|letter: char| !letter.is_alphabetic());
    !is_text.any(|word| TEXTS.iter().any(|name| word.starts_with(name)))
        && lower.char_indices().any(|(start, letter)| {
            let (before, rest) = (&lower[..start], &lower[start + letter.len_utf8()..]);
            let Some((_, ends)) = QUOTES.iter().find(|(begins, _)| *begins == letter) else { return false };
            before.ends_with(' ')
                && is_tied(before)
                && rest[..rest.floor_char_boundary(MAX_BYTES)]
                    .split_once(*ends)
                    .is_some_and(|(phrase, _)| is_phrase(phrase))
        })
}

/// Whether the words before a quotation mark say that a passphrase follows.
fn is_tied(before: &str) -> bool {
    const REACH_WORDS: usize = 6;
    let mut words = before.split_whitespace().rev();
    words.next().is_some_and(|last| {
        let opens = |word: &str| OPENS.iter().any(|verb| word.starts_with(verb));
        TIES.contains(&last) || WITH.contains(&last) && words.take(REACH_WORDS).any(opens)
    })
}

/// Whether they are the words of a passphrase, and not of a statement about one.
fn is_phrase(phrase: &str) -> bool {
    let words: Vec<&str> = phrase.split_whitespace().collect();
    LENGTHS.contains(&words.len())
        && words.iter().all(|word| word.chars().all(char::is_alphabetic))
        && words.iter().filter(|word| word.chars().count() >= 4).count() >= MIN_LONG
        && !is_about(phrase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_that_open_something_encrypted_are_found() {
        for text in [
            "the VeraCrypt stick opens with \"nine otters under quiet Galway\"",
            "die verschlüsselte Platte geht auf mit „sieben Dachse im alten Rathaus“",
            "le coffre KeePass s'ouvre avec « huit hérons sous la pluie »",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn long_lines_of_quotation_marks_are_read_to_their_end() {
        // With quadratic running time, this test would not end in practice.
        let line = format!("crypt {}", "opens with “ ".repeat(100_000));
        assert!(find(&Text::new(&line)).is_none());
    }

    #[test]
    fn other_words_in_quotation_marks_are_accepted() {
        for text in [
            "the talk on LUKS opens with \"four slides about nothing much\"",
            "the encrypted archive opens with \"file not found\"",
            "encrypted backups run with \"nice and ionice on every node\"",
            "BitLocker wants \"a recovery key from your account\"",
            "the stick opens with \"nine otters under quiet Galway\"",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
