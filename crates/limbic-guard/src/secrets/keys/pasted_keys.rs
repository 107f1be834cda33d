//! Long random values without a name: the object of a verb for putting one in (`then paste 1zFUVs…`), and private keys
//! of wallets, which have a form of their own.

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::value;

/// Lengths of a value that is put in, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 40..=128;
/// Verbs directly before such a value.
const VERBS: [&str; 37] = [
    "paste",
    "pasted",
    "pasting",
    "enter",
    "insert",
    "type",
    "copy",
    "supply",
    "provide",
    "einfügen",
    "eintragen",
    "pega",
    "pegar",
    "pegas",
    "introduce",
    "copia",
    "colle",
    "coller",
    "collez",
    "saisis",
    "saisir",
    "incolla",
    "incollare",
    "inserisci",
    "cola",
    "cole",
    "colar",
    "colo",
    "insira",
    "plak",
    "wklej",
    "wkleić",
    "вставь",
    "вставить",
    "вставляй",
    "kopiere",
    "trage",
];
/// Verbs and particles directly after it.
const AFTER: [&str; 8] =
    ["einfügen", "eintragen", "eingeben", "einsetzen", "plakken", "invoeren", "ein", "over"];
/// Words between a verb and the value.
const BETWEEN: [&str; 12] =
    ["this", "it", "in", "here", "esto", "das", "ça", "ceci", "questo", "isto", "dit", "this:"];
/// Parts of lines about values that are no secrets, in lower case.
static OTHERS: Literals = Literals::new(&[
    "public",
    "öffentlich",
    "públic",
    "pubblic",
    "address",
    "adress",
    "dirección",
    "indirizzo",
    "endereço",
    "hash",
    "checksum",
    "prüfsumme",
    "digest",
    "integrity",
    "fixture",
    "explorer",
    "transaction",
    "commit",
    "fingerprint",
]);

/// Returns the kind of the first such value.
pub(crate) fn find(text: &str) -> Option<SecretKind> {
    text.lines().find_map(|line| {
        // Most lines end here.
        if !line.split_whitespace().any(|word| word.len() >= *LENGTHS.start()) {
            return None;
        }
        if line.split(|letter: char| !is_of_piece(letter)).any(is_wallet_key) {
            return Some(SecretKind::new("private key of a wallet"));
        }
        (is_pasted(line) && !OTHERS.are_in(&line.to_lowercase()))
            .then_some(SecretKind::new("key of a service"))
    })
}

fn is_of_piece(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-+/=.".contains(letter)
}

/// Whether it is a private key of a Bitcoin wallet as wallets export it: in Base58, of 52 characters from `K` or `L`,
/// or of 51 from `5`.
fn is_wallet_key(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    let starts = match word.len() {
        51 => word.starts_with("5H") || word.starts_with("5J") || word.starts_with("5K"),
        52 => word.starts_with(['K', 'L']),
        _ => false,
    };
    starts && value::is_base58(word) && value::is_mixed(word) && !value::is_filler(word)
}

fn is_pasted(line: &str) -> bool {
    let trimmed = |word: &str| {
        let is_edge = |letter: char| !letter.is_alphanumeric();
        word.trim_matches(is_edge).to_lowercase()
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    words.iter().enumerate().any(|(at, word)| {
        let key = word.trim_matches(['"', '\'', '`', ',', ';', '(', ')', '.', ':']);
        LENGTHS.contains(&key.len())
            && value::is_key(key)
            && !value::is_known_not_secret(key)
            && !value::is_filler(key)
            && !value::is_address_on_chain(key)
            && {
                let mut before = words[..at].iter().rev().map(|word| trimmed(word));
                before
                    .find(|word| !BETWEEN.contains(&word.as_str()))
                    .is_some_and(|word| VERBS.contains(&word.as_str()))
                    || words.get(at + 1).is_some_and(|next| AFTER.contains(&trimmed(next).as_str()))
            }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANDOM: &str = "q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoTz8B";
    const WALLET: &str = "L3kzPw1LxMdVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoTz8Bq83kzPw1L";

    #[test]
    fn values_that_are_put_in_and_keys_of_wallets_are_found() {
        for text in [
            format!("hcloud context create prod -> paste {RANDOM}"),
            format!("beim Anmelden {RANDOM} einfügen"),
            format!("al hacer login pega `{RANDOM}`"),
            format!("wallet 3: {}", &WALLET[..52]),
        ] {
            assert!(find(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn other_values_are_accepted() {
        for text in [
            format!("paste the address {RANDOM}"),
            format!("the job {RANDOM} is done"),
            format!("paste https://acme.dev/{RANDOM} in the browser"),
            format!("paste the public key: paste {RANDOM}"),
            format!("object {}", &WALLET[1..52]),
        ] {
            assert!(find(&text).is_none(), "{text}");
        }
    }
}
