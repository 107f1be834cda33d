//! Finds secrets that consist of words: recovery phrases of wallets, and passphrases that a sentence states.

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::passwords::common_words::is_of_speech;
use crate::secrets::text::Text;

/// Words that announce a recovery phrase.
static SEED: Literals = Literals::new(&[
    "doce palabras",
    "12 palabras",
    "24 palabras",
    "veinticuatro palabras",
    "zwölf wörter",
    "12 wörter",
    "24 wörter",
    "vierundzwanzig wörter",
    "douze mots",
    "12 mots",
    "24 mots",
    "vingt-quatre mots",
    "dodici parole",
    "12 parole",
    "24 parole",
    "ventiquattro parole",
    "doze palavras",
    "12 palavras",
    "24 palavras",
    "vinte e quatro palavras",
    "twenty-four words",
    "frase semente",
    "palavras-semente",
    "frase mnem",
    "seed-phrase",
    "palabras de la semilla",
    "palabras semilla",
    "palabras de recuperación",
    "phrase de récupération",
    "phrase secrète",
    "phrase mnémonique",
    "frase seed",
    "frase di recupero",
    "parole di recupero",
    "frase de recuperação",
    "palavras de recuperação",
    "wiederherstellungsphrase",
    "wiederherstellungswörter",
    "herstelzin",
    "fraza odzyskiwania",
    "сид-фраза",
    "seed фраза",
    "助记词",
    "リカバリーフレーズ",
    "니모닉",
    "seed phrase",
    "seed words",
    "recovery phrase",
    "recovery words",
    "backup phrase",
    "secret phrase",
    "mnemonic",
    "wallet seed",
    "wallet phrase",
    "wallet backup",
    "wallet words",
    "backup words",
    "12 words",
    "24 words",
    "twelve words",
    "frase de respaldo",
    "frase semilla",
    "frase de recuperación",
    "seed:",
    "mots de récupération",
    "palabras de la wallet",
]);
/// Words after which a recovery phrase may be stated, behind a colon or a copula.
static WALLETS: Literals = Literals::new(&[
    "wallet",
    "ledger",
    "trezor",
    "monedero",
    "portafoglio",
    "portefeuille",
    "carteira",
    "cartera",
    "bitcoin",
    "metamask",
    "phantom",
    "exodus",
    "ethereum",
    "crypto",
    "krypto",
    "cripto",
    "phrase",
    "frase",
    "seed",
]);
/// Words that announce a passphrase.
static PASSPHRASE: Literals = Literals::new(&[
    "unlock phrase",
    "security phrase",
    "phrase de passe",
    "frase di accesso",
    "frase de acesso",
    "senha",
    "wachtwoord",
    "wachtzin",
    "hasło",
    "пароль",
    "passphrase",
    "pass phrase",
    "password",
    "passwort",
    "passcode",
    "contraseña",
    "mot de passe",
    "wifi key",
    "wi-fi key",
    "wlan key",
    "wifi phrase",
    "wi-fi phrase",
    "wlan phrase",
    "wifi code",
    "alarm code",
    "palabra clave",
    "code word",
    "codeword",
    "safe word",
    "pass words",
    "frase de paso",
]);
/// Words between the announcement and the value.
const CONNECTORS: [&str; 16] = [
    " is:", " is", " was", " are", ":", " =", "=", " es", " será", " ist", " lautet", " est", " é", " è",
    " to", " –",
];
/// Numbers of words of a recovery phrase.
const SEED_LENGTHS: [usize; 5] = [12, 15, 18, 21, 24];
/// Minimum number of them after an announcement.
const MIN_SEED_WORDS: usize = 11;
/// Lengths of a word in a recovery phrase.
const SEED_WORD: std::ops::RangeInclusive<usize> = 3..=9;
/// Maximum number of words between a recovery phrase and its announcement.
const MAX_SEED_DISTANCE: usize = 12;
/// Numbers of words of a passphrase: fewer words are usually a statement about the password.
const PASSPHRASE_LENGTHS: std::ops::RangeInclusive<usize> = 4..=10;
/// Numbers of words of a passphrase in quotation marks.
const QUOTED_LENGTHS: std::ops::RangeInclusive<usize> = 3..=10;

/// Returns the kind of the first recovery phrase or, if there is none, of the first passphrase.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    let lower = text.lower.as_str();
    if after(lower, &SEED).any(is_seed) || after(lower, &WALLETS).any(is_stated_seed) || is_bare_seed(lower) {
        return Some(SecretKind::new("recovery phrase"));
    }
    after(lower, &PASSPHRASE).any(is_passphrase).then_some(SecretKind::new("passphrase"))
}

/// Returns the text after each announcement, at most 400 bytes of it.
fn after<'a>(text: &'a str, announcements: &'static Literals) -> impl Iterator<Item = &'a str> {
    const REACH_BYTES: usize = 400;
    announcements.matches(text).map(move |(index, announcement)| {
        let rest = &text[index + announcement.len()..];
        let mut end = rest.len().min(REACH_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        &rest[..end]
    })
}

/// Returns the words of a text, without numbers and punctuation between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| {
        letter.is_whitespace() || matches!(letter, ',' | '"' | '\'' | '`' | ';' | '-' | '|')
    })
    .map(|word| word.trim_matches(|letter: char| letter.is_ascii_punctuation() || letter.is_ascii_digit()))
    .filter(|word| !word.is_empty())
}

fn is_seed_word(word: &str) -> bool {
    // The lists of Chinese have single characters.
    let is_sign = word.chars().count() == 1 && word.chars().all(|letter| ('一'..='鿿').contains(&letter));
    is_sign
        || (SEED_WORD.contains(&word.chars().count())
            && word.chars().all(char::is_lowercase)
            && !is_speech(word))
}

/// Whether it is a word that no recovery phrase contains.
fn is_speech(word: &str) -> bool {
    // Words of BIP 39's English list that also occur in ordinary sentences.
    const BOTH: [&str; 31] = [
        "any", "all", "also", "again", "can", "case", "before", "that", "then", "there", "they", "this",
        "what", "when", "where", "will", "you", "only", "still", "must", "each", "short", "letter", "reset",
        "secret", "safe", "wrong", "vault", "such", "into", "over",
    ];
    is_of_speech(word) && !BOTH.contains(&word)
}

/// Whether eleven or more words of a recovery phrase follow: one may be left out.
fn is_seed(rest: &str) -> bool {
    let found: Vec<&str> = words(rest).take(MAX_SEED_DISTANCE + SEED_LENGTHS[4]).collect();
    (0..=MAX_SEED_DISTANCE.min(found.len())).any(|skipped| {
        let run = found[skipped..].iter().take_while(|word| is_seed_word(word)).count();
        run >= MIN_SEED_WORDS
    })
}

/// Whether the words of a recovery phrase follow a colon or a copula.
fn is_stated_seed(rest: &str) -> bool {
    const CONNECTORS: [&str; 13] = [
        ":", "=", "->", " is ", " are ", " es ", " son ", " ist ", " sind ", " est ", " sont ", " sono ",
        " são ",
    ];
    CONNECTORS.iter().any(|connector| {
        rest.split_once(connector).is_some_and(|(between, seed)| {
            between.split_whitespace().count() <= MAX_SEED_DISTANCE
                && words(seed).take(MIN_SEED_WORDS).filter(|word| is_seed_word(word)).count()
                    == MIN_SEED_WORDS
        })
    })
}

/// Whether a line consists of exactly as many words as a recovery phrase has, none of them from ordinary sentences.
fn is_bare_seed(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim().trim_matches(['"', '\'', '`']);
        let plain = |letter: char| letter.is_ascii_lowercase() || letter == ' ';
        let count = line.split(' ').count();
        count >= SEED_LENGTHS[0]
            && SEED_LENGTHS.contains(&count)
            && line.chars().all(plain)
            && line.split(' ').all(|word| word.len() < *SEED_WORD.end() && is_seed_word(word))
    })
}

/// Whether a connector and the words of a passphrase follow.
fn is_passphrase(rest: &str) -> bool {
    // `for the archive is …`: up to five words between the announcement and the connector say what it opens.
    let line = rest.lines().next().unwrap_or_default();
    CONNECTORS.iter().any(|connector| {
        let Some((between, value)) = line.split_once(connector) else { return false };
        between.split_whitespace().count() <= 5
            && !between.contains(['.', ';', '?', '!'])
            && value.starts_with([' ', '"', '\'', '`'])
            && is_phrase(value.trim_start())
    })
}

fn is_phrase(value: &str) -> bool {
    let quoted = ['"', '\'', '`'].iter().find_map(|mark| value.strip_prefix(*mark)?.split_once(*mark));
    let (phrase, lengths) = match quoted {
        Some((phrase, _)) => (phrase, QUOTED_LENGTHS),
        None => (
            value.split(['.', ',', ';', '(', '!', '?']).next().unwrap_or_default().trim(),
            PASSPHRASE_LENGTHS,
        ),
    };
    let words: Vec<&str> = phrase.split([' ', '-']).filter(|word| !word.is_empty()).collect();
    // Names of files, icons and fields also have hyphens.
    let lengths = if phrase.contains(' ') { lengths } else { PASSPHRASE_LENGTHS };
    let is_noun = |word: &&str| {
        word.len() >= 3
            && word.chars().all(char::is_alphabetic)
            && !is_of_speech(word)
            && !["ed", "ing", "ly"].iter().any(|ending| word.len() > 4 && word.ends_with(ending))
    };
    lengths.contains(&words.len()) && words.iter().all(is_noun)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Option<&'static str> {
        find(&Text::new(text)).map(SecretKind::name)
    }

    #[test]
    fn recovery_phrases_and_passphrases_are_found() {
        for text in [
            "the password is correct horse battery staple",
            "Wifi password: three blind mice dance",
            "Passphrase for the backup disk is \"purple monkey dishwasher\"",
            "La contraseña es caballo grapa bateria correcto",
        ] {
            assert_eq!(name(text), Some("passphrase"), "{text}");
        }
        let seed = "abandon ability able about above absent absorb abstract absurd abuse access accident";
        for text in [
            format!("my seed phrase is {seed}"),
            format!("MetaMask recovery phrase (never share!): {seed}"),
            seed.to_owned(),
            "palabras de la semilla: lunar ácido lápiz deriva cesta cebolla tela ritual sirena juego cañón mimo".to_owned(),
            "助记词: 的 一 是 在 不 了 有 和 人 这 中 大".to_owned(),
            format!("wallet backup, 12 words: {seed}"),
            "mnemonic: 1. witch 2. collapse 3. practice 4. feed 5. shame 6. open 7. despair 8. creek 9. road 10. again 11. ice 12. least"
                .replace("least", "stone"),
        ] {
            assert_eq!(name(&text), Some("recovery phrase"), "{text}");
        }
    }

    #[test]
    fn sentences_about_phrases_are_not_secrets() {
        for text in [
            "the password is stored in the vault",
            "the password is case sensitive and expires",
            "password: required, at least twelve characters",
            "The passphrase was changed by the administrator yesterday",
            "the seed phrase is what the wallet asks for when somebody restores it on another phone or computer",
            "password is hashed salted and peppered",
            "a recovery phrase has twelve words, and each of them stands in a public list of two thousand",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }
}
