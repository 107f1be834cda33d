//! Recognises passwords and secrets chosen by people.

use super::allowlists::{ABOUT_PASSWORDS, LICENSES, TECHNICAL, UNITS};

/// Words of the names of resources.
const RESOURCES: [&str; 24] = [
    "admin",
    "token",
    "proxy",
    "staging",
    "production",
    "release",
    "version",
    "service",
    "server",
    "cluster",
    "deploy",
    "database",
    "postgres",
    "mysql",
    "redis",
    "backup",
    "github",
    "gitlab",
    "client",
    "account",
    "tokens",
    "secrets",
    "keycloak",
    "bitwarden",
];

/// Whether it looks like a password chosen by a person: letters mixed with digits or punctuation.
///
/// Technical terms, versions, sizes, dates and addresses are excluded; names with a number (`oauth2-proxy`) count
/// only in quotes.
pub(crate) fn is_chosen(value: &str, is_quoted: bool) -> bool {
    let letters = value.chars().filter(|letter| letter.is_alphabetic()).count();
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    value.chars().count() >= 6
        && letters >= 3
        && (has_digit || has_mark(value))
        && !is_term(value)
        && (is_quoted || !is_name(value))
}

/// Whether it contains a punctuation character that password rules ask for.
pub(crate) fn has_mark(value: &str) -> bool {
    value.chars().any(|letter| "!@#$%^&*?+=~".contains(letter))
}

/// Whether it is a short word with a number, like examples of weak passwords: `short1`.
pub(crate) fn is_weak(value: &str) -> bool {
    let word = value.trim_end_matches(|letter: char| letter.is_ascii_digit());
    value.len() <= 10
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && word.chars().all(char::is_alphabetic)
}

/// Whether it is the name of a field or a variable: `usuario_id2`, `idCliente2`.
pub(crate) fn is_identifier(value: &str) -> bool {
    let word = value.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let is_camel = value.starts_with(|letter: char| letter.is_lowercase())
        && value.len() - word.len() <= 2
        && word.chars().any(char::is_uppercase)
        && word.chars().all(char::is_alphabetic);
    is_camel || is_name(value)
}

/// Whether it looks like a secret chosen by a person: `mangoes12`, at least eight characters, not the name of a
/// resource.
pub(crate) fn is_chosen_secret(value: &str) -> bool {
    value.chars().count() >= 8
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_lowercase())
        && !value.contains(['%', '\\', ' '])
        && is_chosen(value, false)
}

/// Whether it is a passphrase of words and a number: `mango tree 77`. Sentences about passwords are excluded.
pub(crate) fn is_phrase_with_number(value: &str) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let is_word = |word: &&str| word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_number = |word: &str| word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    (3..=5).contains(&words.len())
        && words.split_last().is_some_and(|(last, before)| is_number(last) && before.iter().all(is_word))
        && !words.iter().any(|word| ABOUT_PASSWORDS.contains(word))
}

/// Whether it is a passphrase of hyphenated words: `correct-horse`. Names of images, fields and classes are excluded.
pub(crate) fn is_hyphenated_phrase(value: &str) -> bool {
    let words: Vec<&str> = value.split('-').collect();
    (2..=6).contains(&words.len())
        && value.len() >= 12
        && words.iter().all(|word| word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_lowercase()))
        && !words.iter().any(|word| ABOUT_PASSWORDS.contains(word))
}

/// Whether it is a password of words and a number, joined by hyphens or underscores: `umbrella-lizard-50`. Names of
/// resources, such as `app-tls-2024`, have shorter or technical words.
pub(crate) fn is_worded(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '_']).collect();
    let is_word = |word: &&str| word.chars().count() >= 5 && word.chars().all(char::is_lowercase);
    parts.split_last().is_some_and(|(number, words)| {
        (1..=4).contains(&words.len())
            && (2..=4).contains(&number.len())
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && words.iter().all(is_word)
            && !words.iter().any(|word| ABOUT_PASSWORDS.contains(word) || RESOURCES.contains(word))
            && !is_term(value)
    })
}

/// Whether it is a passphrase of at least three hyphenated words of any language: `zwölf-Krähen-am-Zaun`.
pub(crate) fn is_phrase_of_letters(value: &str) -> bool {
    let words: Vec<&str> = value.split('-').collect();
    (3..=8).contains(&words.len())
        && value.len() >= 16
        && words.iter().all(|word| word.len() >= 2 && word.chars().all(char::is_alphabetic))
        && !words.iter().any(|word| ABOUT_PASSWORDS.contains(&word.to_lowercase().as_str()))
}

/// Whether it is a password of two or three words with a digit, a capital and punctuation: `Pilz&Moos 2024`.
pub(crate) fn is_chosen_phrase(value: &str) -> bool {
    let words: Vec<&str> = value.split(' ').collect();
    (2..=3).contains(&words.len())
        && (10..=40).contains(&value.len())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.chars().any(char::is_uppercase)
        && value.chars().any(char::is_lowercase)
        && value.chars().any(|letter| "!@#$%^&*+~".contains(letter))
        && !words.iter().any(|word| ABOUT_PASSWORDS.contains(&word.to_lowercase().as_str()))
}

/// Whether it is a name of lower-case parts, some with a number: `customer_id2`, `app-tls-2024`.
pub(super) fn is_name(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '_', '.', '/', ':']).collect();
    parts.len() > 1
        && parts.iter().all(|part| {
            let word = part.trim_end_matches(|letter: char| letter.is_ascii_digit());
            part.len() - word.len() <= 4 && word.chars().all(|letter| letter.is_lowercase())
        })
}

/// Whether it is an algorithm, license, issue number, version, size, duration or mail address.
pub(super) fn is_term(value: &str) -> bool {
    let lower = value.to_lowercase();
    let is_issue = value.split_once('-').is_some_and(|(name, number)| {
        name.len() >= 2
            && name.chars().all(char::is_uppercase)
            && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let is_measure = value.starts_with(|letter: char| letter.is_ascii_digit())
        && lower
            .trim_start_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '-'))
            .len()
            <= 2;
    // `77bits`, `min12chars`
    let is_count = UNITS.iter().any(|tx| {
        lower.strip_suffix(tx).is_some_and(|rest| {
            rest.trim_end_matches(['-', '_']).ends_with(|letter: char| letter.is_ascii_digit())
        })
    });
    let is_version =
        lower.strip_prefix('v').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
            && value.contains('.');
    let is_mail = value.rsplit_once('@').is_some_and(|(_, host)| {
        host.rsplit_once('.').is_some_and(|(name, top)| {
            !name.is_empty() && top.len() >= 2 && top.chars().all(|letter| letter.is_ascii_lowercase())
        })
    });
    let is_code = value.ends_with(['(', '{', '[', '=']) && !value.bytes().any(|byte| byte.is_ascii_digit());
    is_issue
        || is_measure
        || is_count
        || is_version
        || is_mail
        || is_code
        || LICENSES.iter().any(|license| lower.starts_with(license))
        || (TECHNICAL.iter().any(|term| begins_with_term(&lower, term)) && !begins_with_system(value))
}

/// Whether a value begins with a technical term. After a short one, further letters make another word of it:
/// `Shakshuka#31`.
fn begins_with_term(lower: &str, term: &str) -> bool {
    const SHORT: [&str; 5] = ["sha", "rsa", "aes", "utf", "kms"];
    lower
        .strip_prefix(term)
        .is_some_and(|rest| !SHORT.contains(&term) || !rest.starts_with(char::is_alphabetic))
}

/// Whether a capitalised word and two digits follow the name of a system, as in a password with it: `k8sRocks77`.
/// Parameters of algorithms have this form, too.
fn begins_with_system(value: &str) -> bool {
    const SYSTEMS: [&str; 3] = ["k8s", "http", "kms"];
    SYSTEMS.iter().filter_map(|system| value.strip_prefix(system)).any(|rest| {
        let word = rest.trim_end_matches(|letter: char| letter.is_ascii_digit());
        rest.len() - word.len() == 2
            && word.len() >= 5
            && word.starts_with(|letter: char| letter.is_ascii_uppercase())
            && word[1..].bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

/// Whether it is a passphrase of three to five hyphenated words in lower case after the name of a password that only
/// sentences use: `tulipes-en-mai`. A word that says where the password is makes it none.
pub(crate) fn is_spoken_phrase(value: &str) -> bool {
    const WHERE: [&str; 16] = [
        "voir", "siehe", "ver", "vea", "zie", "vedi", "dans", "coffre", "demander", "fragen", "tresor",
        "vault", "stored", "manager", "passe", "secret",
    ];
    let words: Vec<&str> = value.split('-').collect();
    (3..=5).contains(&words.len())
        && value.len() >= 12
        && words.iter().all(|word| word.len() >= 2 && word.chars().all(char::is_lowercase))
        && words.iter().any(|word| word.chars().count() >= 6)
        && !words
            .iter()
            .any(|word| ABOUT_PASSWORDS.contains(word) || WHERE.contains(word) || RESOURCES.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passphrases_are_distinguished_from_sentences_about_passwords() {
        for phrase in ["mango tree 77", "green river 2019"] {
            assert!(is_phrase_with_number(phrase), "{phrase}");
        }
        assert!(is_spoken_phrase("tulipes-en-mai"));
        for name in
            ["voir-dans-coffre", "read-from-the-vault", "app-tls-prod", "not-set-yet", "Tulipes-en-mai"]
        {
            assert!(!is_spoken_phrase(name), "{name}");
        }
        assert!(is_chosen("k8sRocks77", false) && is_chosen("Shakshuka#31", false));
        for term in [
            "k8s",
            "k8s-prod2",
            "k8sCluster1",
            "bcryptRounds12",
            "http2Server",
            "sha3-512",
            "AES256-GCM",
            "min12znaku",
        ] {
            assert!(!is_chosen(term, false), "{term}");
        }
        for sentence in
            ["must have 8", "at least 12", "Mango Tree 77", "mango 77", "mango tree", "enter password 22"]
        {
            assert!(!is_phrase_with_number(sentence), "{sentence}");
        }
        assert!(is_phrase_of_letters("zwölf-Krähen-am-Zaun") && !is_phrase_of_letters("read-from-the-vault"));
        assert!(is_chosen_phrase("Pilz&Moos 2024") && !is_chosen_phrase("Minimum 8 characters"));
        assert!(is_hyphenated_phrase("correct-horse"));
        for name in ["lock-outline", "new-password", "form-control", "one-two", "password", "correct-Horse"] {
            assert!(!is_hyphenated_phrase(name), "{name}");
        }
    }

    #[test]
    fn chosen_secrets_are_distinguished_from_names() {
        assert!(is_chosen_secret("mangoes12") && is_chosen_secret("Walnut2024!"));
        for name in ["app-tls-2024", "CLIENT_SECRET_0", "secret%3Dx", "\\xb0\\x32", "mango12", "mangoes"] {
            assert!(!is_chosen_secret(name), "{name}");
        }
    }
}
