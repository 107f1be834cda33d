//! Finds secrets that are assigned to a keyword or near one.

mod word;
mod context;
mod assignments;
mod elsewhere;
mod other_scripts;
mod stated_before;
mod tables;
mod listed;

use crate::secrets::entropy;
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::value;
use word::{Family, Word, words};

/// Maximum distance of a random string from a keyword, in bytes.
const MAX_DISTANCE_BYTES: usize = 48;
/// Length of the context before a random string that is checked for addresses and hashes, in bytes.
const CHUNK_BYTES: usize = 200;
/// Minimum length of a random string.
const MIN_RANDOM_BYTES: usize = 20;
/// Minimum Shannon entropy of a string without an assignment, in bits per byte.
const MIN_ENTROPY: f64 = 3.8;
/// Prefixes and parts of random values that are public.
const PUBLIC: [&str; 11] = [
    "ENC[AES256_GCM",
    "://",
    "arn:",
    "sha256:",
    "SHA256:",
    "sha512-",
    "sha384-",
    "sha1-",
    "base64,",
    "projects/",
    "@sha",
];

/// Returns the kind of the first secret assigned to a keyword, or of a long random string near one.
pub(crate) fn find(text: &str) -> Option<SecretKind> {
    let mut words: Vec<Word> = words(text).collect();
    let assigned = words
        .iter()
        .find(|word| {
            assignments::holds_secret(text, word)
                || (word.family == Family::Password
                    && stated_before::is_stated(&text[..word.start], &text[word.end..]))
                || (word.family == Family::Login
                    && stated_before::is_login_stated(&text[..word.start], &text[word.end..]))
        })
        .map(|word| match word.family {
            Family::Password | Family::Pass | Family::Clave | Family::Login => "password assignment",
            Family::Secret => "secret assignment",
            Family::Token => "token assignment",
            Family::Key | Family::AnyKey => "key assignment",
        })
        .map(SecretKind::new);
    // Near `key` of an unknown sort or `pass`, a random string is often an identifier, such as the key of a row.
    words.retain(|word| !matches!(word.family, Family::AnyKey | Family::Pass));
    assigned.or_else(|| {
        if other_scripts::state_secret(text) {
            return Some(SecretKind::new("password assignment"));
        }
        if tables::hold_secret(text) {
            return Some(SecretKind::new("column of secrets"));
        }
        if listed::hold_secret(text) {
            return Some(SecretKind::new("list of secrets"));
        }
        has_random_nearby(text, &words).then_some(SecretKind::new("high-entropy string near a keyword"))
    })
}

/// Whether a long random string is near a keyword in the same line.
fn has_random_nearby(text: &str, words: &[Word]) -> bool {
    // The first keyword within reach of the current string: strings and keywords are both in the order of the text.
    let mut first = 0;
    !words.is_empty()
        && pieces(text).any(|(start, piece)| {
            let end = start + piece.len();
            while words.get(first).is_some_and(|word| word.end + MAX_DISTANCE_BYTES < start) {
                first += 1;
            }
            let is_near =
                words[first..].iter().take_while(|word| word.start <= end + MAX_DISTANCE_BYTES).any(|word| {
                    let between = if word.end <= start { word.end..start } else { end..word.start.max(end) };
                    (word.end <= start || word.start >= end) && !text[between].contains('\n')
                });
            is_near && is_random(text, start, piece)
        })
}

/// Returns long runs of characters that occur in encoded bytes, with their positions.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_of_piece = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(byte);
    let bytes = text.as_bytes();
    let mut index = 0;
    std::iter::from_fn(move || {
        while index < bytes.len() {
            let start = index;
            index += bytes[start..].iter().take_while(|byte| is_of_piece(byte)).count();
            if index - start >= MIN_RANDOM_BYTES {
                return Some((start, &text[start..index]));
            }
            index += 1;
        }
        None
    })
}

fn is_random(text: &str, start: usize, piece: &str) -> bool {
    let has = |is: fn(&u8) -> bool| piece.bytes().any(|byte| is(&byte));
    if !(has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase))
        || value::is_address_or_public_key(piece)
        || value::is_address_on_chain(piece)
        || value::begins_with_extension(&text[start + piece.len()..])
        || value::is_placeholder(piece)
        || value::is_filler(piece)
        || entropy::is_wordy(piece)
        || entropy::shannon(piece) < MIN_ENTROPY
    {
        return false;
    }
    let mut from = start.saturating_sub(CHUNK_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = &text[from..start];
    let chunk = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    // `price id price_1…`: an identifier that is named after its kind.
    let prefix = piece.split_once('_').map_or("", |(prefix, _)| prefix);
    let mut words = before.trim_end().rsplit(' ');
    if (prefix.len() >= 2 && prefix.bytes().all(|byte| byte.is_ascii_lowercase()))
        && words.next().is_some_and(|word| word.trim_end_matches(':').eq_ignore_ascii_case("id"))
        && words.next() == Some(prefix)
    {
        return false;
    }
    !PUBLIC.iter().any(|part| chunk.contains(part)) && !assignments::mentions_hash(before)
}

#[cfg(test)]
mod tests {
    use crate::find_secret;

    /// Whether it is random, and not a public value.
    const RANDOM: &str = "q8ZrT2kLmP0vXw4NbY7c";
    const HEX: &str = "9fceb02d0ae598e95dc970b74767f193";

    fn name(text: &str) -> Option<&'static str> {
        find_secret(text).map(super::SecretKind::name)
    }

    #[test]
    fn a_random_string_near_a_keyword_is_found() {
        let found = Some("high-entropy string near a keyword");
        assert_eq!(name(&format!("use {RANDOM} as token")), found);
        assert_eq!(name(&format!("use {RANDOM} as it is")), None);
        assert_eq!(name(&format!("the token\nuse {RANDOM} as it is")), None);
        assert_eq!(name(&format!("a token {} {RANDOM}", "and more ".repeat(8))), None);
    }

    #[test]
    fn public_random_values_are_excluded() {
        for text in [
            format!("the token was built from commit {RANDOM}"),
            format!("token image sha256:{RANDOM}"),
            format!("Keys start with pk_live_ and are not secret; price id price_1{RANDOM}"),
            format!("auth page https://acme.dev/{RANDOM}"),
            format!("token in data:image/png;base64,{RANDOM}"),
            format!("auth key ssh-ed25519 AAAAC3NzaC1lZDI1NTE5{RANDOM}"),
            "token contract 0xdAC17F958D2ee523a2206206994597C13D831ec7".to_owned(),
            "token TokenProviderFactoryBean2ForTests".to_owned(),
        ] {
            assert_eq!(name(&text), None, "{text}");
        }
    }

    #[test]
    fn statements_about_secrets_are_not_secrets() {
        for text in [
            format!("password hash: {HEX}"),
            format!("the token id is {HEX}"),
            "conn.password, account=conn.host2".to_owned(),
            "the password is given, user=ana2lopez".to_owned(),
            "kubectl get secret db-credentials-7f9c6b5d-x2k4q".to_owned(),
            "GeneratePassword(length=20)".to_owned(),
            "auth: RefreshTokenRepositoryImpl2".to_owned(),
            "secret: refresh-token-provider-2024-x".to_owned(),
            "password: oauth2-proxy7".to_owned(),
            "private_key: 0x5DE3E0509C47EA3CF04A42D34AEE18F83AFDEB23".to_owned(),
        ] {
            assert_eq!(name(&text), None, "{text}");
        }
        assert_eq!(name(&format!("the token for CI is {HEX}")), Some("token assignment"));
        assert_eq!(name("the password was changed to Blu3Whale_9"), Some("password assignment"));
        for stated in [
            "my password is hunter2",
            "ssh deploy@10.0.0.5 (pw k8sRocks77)",
            "mot de passe wifi : tulipes-en-mai",
            "mot de passe : tulipes-en-mai",
            "root / toor123! are the credentials for the switch",
        ] {
            assert_eq!(name(stated), Some("password assignment"), "{stated}");
        }
        assert_eq!(name("set the token to 3f9a77b2c1d04e5f8a6b"), Some("token assignment"));
        for example in [
            "a password such as hunter2",
            "the password is hunter2 in the comic",
            "set the token to expire in 2026",
            "mot de passe : voir-dans-le-coffre",
        ] {
            assert_eq!(name(example), None, "{example}");
        }
        assert_eq!(name("PASSWORD_STAGING=kestrel99"), Some("password assignment"));
        assert_eq!(name("<password encrypted=\"false\">Blu3Whale_9</password>"), Some("password assignment"));
        assert_eq!(name("<password encrypted=\"false\"></password>"), None);
        assert_eq!(name("hasło do bazy to Blu3Whale_9"), Some("password assignment"));
        assert_eq!(name("the password to Office365 is in the vault"), None);
        assert_eq!(name(&format!("Mapbox key {HEX}")), Some("key assignment"));
        assert_eq!(name(&format!("the cache key {HEX}")), None);
        assert_eq!(name(&format!("the key {HEX}")), None);
        assert_eq!(name(&format!("X-Acme-Api: {RANDOM}")), Some("key assignment"));
        assert_eq!(name(&format!("vendor code {HEX}")), Some("token assignment"));
        assert_eq!(name(&format!("source code {HEX}")), None);
    }
}
