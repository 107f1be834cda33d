//! Values assigned to a keyword: `password=…`, `"token": "…"`, `the API key is …`, `--password …`.

mod words;

use super::context;
use super::elsewhere::value_elsewhere;
use super::word::{Family, Word, is_named_secret, word_before};
use crate::secrets::entropy;
use crate::secrets::value;
use words::{ABOUT, CHANGES, COPULAS, OWNERS, SETTING, SPOKEN};

/// The way in which a value is assigned to a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// `name=value`
    Equals,
    /// `name: value`
    Colon,
    /// `the name of it is value`
    Statement,
    /// `name value`, without an operator.
    Adjacent,
}

/// A keyword and its position.
#[derive(Clone, Copy)]
struct Name<'a> {
    text: &'a str,
    family: Family,
    /// The text before and after it.
    before: &'a str,
    after: &'a str,
}

impl Name<'_> {
    /// Returns the same name with another family.
    const fn of(self, family: Family) -> Self {
        Self { family, ..self }
    }

    /// Whether it is a single word: `secret`, not `app_secret`.
    fn is_word(&self) -> bool {
        self.text.chars().all(char::is_alphabetic) && !self.text.chars().skip(1).any(char::is_uppercase)
    }

    /// Whether public keys have such a name: `signing key`.
    fn is_of_signing(&self) -> bool {
        self.text.to_lowercase().starts_with("signing")
            || word_before(self.before, self.before.len()) == "signing"
    }
}

/// A candidate value.
struct Value<'a> {
    text: &'a str,
    is_quoted: bool,
    /// The text after it.
    rest: &'a str,
}

/// Length of the text before and after a name that is examined, in bytes.
const REACH_BYTES: usize = 400;
/// Minimum length of a generated credential, in bytes.
const MIN_CREDENTIAL: usize = 24;
/// Maximum number of words between a name and its value.
const MAX_WORDS: usize = 9;
/// Words between a change and the value.
const INTO: [&str; 8] = ["to", "на", "auf", "a", "para", "en", "in", "na"];
/// Words between a copula and the value.
const NOW: [&str; 7] = ["now", "jetzt", "ahora", "agora", "maintenant", "ora", "теперь"];
/// Words that are followed by a hash.
const HASHES: [&str; 12] = [
    "commit",
    "sha",
    "sha1",
    "sha256",
    "md5",
    "checksum",
    "digest",
    "hash",
    "etag",
    "fingerprint",
    "revision",
    "integrity",
];
/// Type annotations between a name and its value.
const TYPES: [&str; 9] = ["str", "string", "String", "&str", "text", "SecretStr", "any", "bytes", "char*"];
/// Authorization schemes between a name and its value.
const SCHEMES: [&str; 5] = ["bearer", "basic", "token", "apikey", "key"];

/// Whether a secret is assigned to the name.
pub(super) fn holds_secret(text: &str, word: &Word) -> bool {
    let end = text.floor_char_boundary(word.end + REACH_BYTES);
    let line = text[word.end..end].lines().next().unwrap_or_default();
    let before = &text[text.ceil_char_boundary(word.start.saturating_sub(REACH_BYTES))..word.start];
    let name = Name { text: &text[word.start..word.end], family: word.family, before, after: line };
    let is_flag = before.ends_with('-') || name.text.starts_with('-');
    if context::is_within_arn(before) || is_checksum_of(before) || is_public(&name) {
        return false;
    }
    if let Some(after) = value_elsewhere(&text[word.end..end], before) {
        return is_secret_after(Separator::Colon, after, name);
    }
    if let Some((separator, after)) = direct(line, is_flag) {
        return is_secret_after(separator, after, name);
    }
    if line.starts_with(|letter: char| letter.is_alphanumeric()) {
        return false;
    }
    // `the secret's …`
    if let Some(after) = line.strip_prefix("'s ").or_else(|| line.strip_prefix("’s "))
        && is_secret_after(Separator::Statement, after, name)
    {
        return true;
    }
    // An adjacent value follows a space, a comma or a tab: after a full stop it is another sentence, after `(` a call.
    let beside = line.trim_start_matches([' ', ',', '\t', '(']);
    if line.starts_with([' ', ',', '\t']) && is_secret_after(Separator::Adjacent, beside, name) {
        return true;
    }
    // `mdp wifi Chouette19!`: what it opens stands between.
    if name.family == Family::Password
        && line.starts_with(' ')
        && let Some((system, after)) = beside.split_once(' ')
        && context::is_system(&system.to_lowercase())
        && is_secret_after(Separator::Adjacent, after, name)
    {
        return true;
    }
    // Polish `hasło to …`; English `the password to …` names what it opens.
    // So does Finnish `salasana on …`.
    let lower = name.text.to_lowercase();
    let copula = match lower.as_str() {
        _ if lower.ends_with("hasło") => "to",
        _ if lower.ends_with("salasana") => "on",
        _ => "is",
    };
    // `set the token to …`
    if is_set(before)
        && let Some((into, after)) = line.trim_start().split_once(' ')
        && INTO.contains(&into.to_lowercase().as_str())
        && is_secret_after(Separator::Statement, after, name)
    {
        return true;
    }
    after_copula(line, copula).is_some_and(|after| is_secret_after(Separator::Statement, after, name))
}

/// Whether the name of a key says that it is public: `NEXT_PUBLIC_MAPS_KEY`. Build tools put such values into pages.
fn is_public(name: &Name) -> bool {
    matches!(name.family, Family::Key | Family::AnyKey) && name.text.split('_').any(|part| part == "PUBLIC")
}

/// Whether one of the last words before a name sets it.
fn is_set(before: &str) -> bool {
    let clause = before.rsplit(['\n', '.', ';', ':']).next().unwrap_or_default();
    clause
        .rsplit(' ')
        .filter(|word| !word.is_empty())
        .take(4)
        .any(|word| word.len() <= 10 && SETTING.contains(&word.to_lowercase().as_str()))
}

/// Returns the text after an assignment operator, with the kind of assignment.
fn direct(line: &str, is_flag: bool) -> Option<(Separator, &str)> {
    let closed = line.trim_start_matches(['"', '\'', '`', '*', ']', '\\', '?']);
    let signs = closed.trim_start_matches([' ', '\t']);
    for (sign, separator) in [
        ("=>", Separator::Equals),
        ("->", Separator::Equals),
        ("→", Separator::Equals),
        (":=", Separator::Equals),
        ("===", Separator::Equals),
        ("==", Separator::Equals),
        ("=", Separator::Equals),
        (":", Separator::Colon),
    ] {
        if let Some(after) = signs.strip_prefix(sign) {
            // Nor the message of `${PASSWORD:?missing}`.
            return (!after.starts_with([':', '?'])).then_some((separator, after));
        }
    }
    (is_flag && signs.len() < closed.len()).then_some((Separator::Equals, signs))
}

/// Returns the text after `is` or another copula, or after a word with a colon, within the sentence.
fn after_copula<'a>(line: &'a str, copula: &str) -> Option<&'a str> {
    let mut index = 0;
    let mut is_changed = false;
    for _ in 0..MAX_WORDS {
        let start = index + (line[index..].len() - line[index..].trim_start().len());
        let length = line[start..].find(char::is_whitespace)?;
        index = start + length;
        // `Bearer [REDACTED] x-request-id: …`: this is the value.
        if line[start..].starts_with(['[', '<', '{', '$']) && value::is_placeholder(&line[start..index]) {
            return None;
        }
        let word = line[start..index].trim_matches(['*', '"', '`', '(', ')']);
        let lower = word.to_lowercase();
        if (COPULAS.contains(&lower.as_str()) || lower == copula) && !ends_a_change(&line[index..])
            || (is_changed && INTO.contains(&lower.as_str()))
        {
            return Some(&line[index..]);
        }
        let plain = lower.trim_end_matches([':', ',']);
        is_changed = CHANGES.contains(&plain);
        if ABOUT.contains(&plain) {
            return None;
        }
        if word.ends_with(':') {
            return Some(&line[index..]);
        }
        // `the password changed, it is now …`
        if word.ends_with(['.', ';', ',', '!', '?']) && !(is_changed && word.ends_with(',')) {
            return None;
        }
    }
    None
}

/// Whether the next word is not a value but precedes one: `was changed to …`.
fn ends_a_change(rest: &str) -> bool {
    let mut words = rest.split_whitespace();
    words.next().is_some_and(|word| CHANGES.contains(&word)) && words.next() == Some("to")
}

fn is_secret_after(separator: Separator, after: &str, name: Name) -> bool {
    let Some(first) = take(after) else { return false };
    let lower = first.text.to_lowercase();
    if separator == Separator::Statement && NOW.contains(&lower.as_str()) {
        return take(first.rest).is_some_and(|value| is_secret(separator, &value, name));
    }
    if TYPES.contains(&first.text) && first.rest.trim_start().starts_with('=') {
        let after = first.rest.trim_start().trim_start_matches('=');
        return take(after).is_some_and(|value| is_secret(Separator::Equals, &value, name));
    }
    if !first.is_quoted && SCHEMES.contains(&lower.as_str()) && separator != Separator::Statement {
        return take(first.rest)
            .is_some_and(|value| is_secret(Separator::Colon, &value, name.of(Family::Token)));
    }
    if name.family == Family::Login {
        if matches!(separator, Separator::Equals | Separator::Colon)
            && value::is_generated(first.text, MIN_CREDENTIAL)
            && first.text.bytes().any(|byte| byte.is_ascii_digit())
            && !value::is_named(first.text)
            && !value::is_reference(first.text)
            && !value::is_placeholder(first.text)
            && !first.text.contains(['/', ':'])
        {
            return true;
        }
        return is_login(&first, name.of(Family::Password));
    }
    is_secret(separator, &first, name)
}

/// Returns the next value: the content of quotes, or the text up to white space or the end of a clause.
fn take(after: &str) -> Option<Value<'_>> {
    let start = after.trim_start_matches([' ', '\t', '*', '\\']);
    // Prefixes of strings in Python, C#, Rust and SQL.
    let bare = start.trim_start_matches(['b', 'r', 'u', 'f', '@', 'N']);
    let (start, bare) = if start.len() - bare.len() <= 2 && bare.starts_with(['"', '\'']) {
        (bare, bare)
    } else {
        (start, start)
    };
    if let Some(quote) = bare.chars().next().filter(|letter| matches!(letter, '"' | '\'' | '`'))
        && let Some(length) = bare[1..].find(quote)
    {
        let text = bare[1..=length].trim_end_matches('\\');
        return Some(Value { text, is_quoted: true, rest: &bare[length + 2..] });
    }
    let start = start.trim_start_matches(['"', '\'', '`']);
    let end = start
        .char_indices()
        .find(|(index, letter)| {
            letter.is_whitespace()
                || matches!(letter, '"' | '\'' | '`' | ';' | '<' | '>') && *index > 0
                || (*letter == ',' && !start[index + 1..].starts_with(char::is_alphanumeric))
                || (*letter == '&' && is_parameter(&start[index + 1..]))
        })
        .map_or(start.len(), |(index, _)| index);
    let text = start[..end].trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '*', '"']);
    let text =
        if start[..end].ends_with('*') && !start[..end].ends_with("**") { &start[..end] } else { text };
    (!text.is_empty()).then_some(Value { text, is_quoted: false, rest: &start[text.len()..] })
}

/// Whether it is the next parameter of a query string: `scope=`.
fn is_parameter(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Whether it is a user and a password: `admin / N3bula+Cat`, `root:Acru7ux!`.
fn is_login(first: &Value, name: Name) -> bool {
    let password = match first.text.split_once([':', '/']) {
        Some((_, password)) if !first.text.starts_with(['~', '/', '.']) => password,
        _ => {
            let Some(after) = first.rest.trim_start().strip_prefix(['/', ':']) else { return false };
            return take(after).is_some_and(|value| is_secret(Separator::Colon, &value, name));
        }
    };
    !password.contains('/') && is_secret(Separator::Colon, &Value { text: password, ..*first }, name)
}

fn is_secret(separator: Separator, found: &Value, name: Name) -> bool {
    let Name { family, .. } = name;
    let text = found.text;
    if text.len() > 4096
        || value::is_reference(text)
        || value::is_placeholder(text)
        || (value::is_common_example(text) && !is_firm(separator, found) && !is_owned(separator, found, name))
        || value::is_address_or_public_key(text)
        || (family == Family::Token
            && value::is_address_on_chain(text)
            && context::mentions_chain(name.before, name.after))
    {
        return false;
    }
    // `conn.password, account=conn.host`: the adjacent text is the name of the next parameter.
    if matches!(separator, Separator::Adjacent | Separator::Statement) && is_parameter(text) {
        return false;
    }
    if family == Family::AnyKey {
        // `Key: … in the URL`: where the sentence continues, it describes the string instead of assigning it.
        let is_described = name.is_word()
            && name
                .before
                .trim_end_matches([' ', '-', '*'])
                .rsplit(['\n', '.'])
                .next()
                .is_none_or(str::is_empty)
            && goes_on(found.rest);
        return separator != Separator::Adjacent
            && value::is_key(text)
            && !value::is_address_on_chain(text)
            && !is_described;
    }
    if family == Family::Pass {
        return separator != Separator::Adjacent
            && value::is_chosen(text, false)
            && value::has_mark(text.trim_end_matches(['!', '?']));
    }
    if family == Family::Key
        && name.is_of_signing()
        && value::is_gpg_id(text)
        && (separator != Separator::Equals || !text.bytes().any(|byte| byte.is_ascii_lowercase()))
    {
        return false;
    }
    let min_chars = match (family, separator) {
        (Family::Password | Family::Clave, _) => 12,
        (_, Separator::Equals | Separator::Colon | Separator::Statement) => 16,
        (_, Separator::Adjacent) => 20,
    };
    // An adjacent value is often the name of a resource: `get secret db-credentials-7f9c6b5d`.
    if value::is_generated(text, min_chars) && !(separator == Separator::Adjacent && value::is_named(text)) {
        return true;
    }
    if matches!(family, Family::Secret | Family::Key | Family::Token)
        && is_firm(separator, found)
        && found.is_quoted
        && value::is_symbolic(text)
    {
        return true;
    }
    match family {
        Family::Password | Family::Clave | Family::Login => is_password(separator, found, name),
        // Some services issue UUIDs as secrets.
        Family::Secret => {
            value::is_base32(text)
                // `enable secret is Gl4cier-tooth`
                || (matches!(separator, Separator::Statement | Separator::Adjacent)
                    && text.chars().any(char::is_uppercase)
                    && value::is_strong(text))
                // Dropbox issues secrets of fifteen characters.
                || (text.len() == 15 && separator != Separator::Statement && is_of_letters_and_digits(text))
                || (is_firm(separator, found)
                    && (separator == Separator::Equals || found.is_quoted || !name.is_word())
                    && !goes_on(found.rest)
                    && value::is_chosen_secret(text)
                    && !is_named_secret(name.text))
                || (entropy::is_uuid(text)
                    && (separator == Separator::Equals
                        || (is_firm(separator, found) && name.text.to_lowercase().ends_with("id"))))
        }
        Family::Key => value::is_base32(text) || (entropy::is_uuid(text) && separator == Separator::Equals),
        _ => entropy::is_uuid(text) && separator == Separator::Equals,
    }
}

/// Whether letters in lower case and digits alternate at least three times: a name has its digits at the end.
fn is_of_letters_and_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && text.as_bytes().windows(2).filter(|it| it[0].is_ascii_digit() != it[1].is_ascii_digit()).count()
            >= 3
}

/// Whether it is certainly an assignment: `name=value`, `"name": "value"`, or `name: value` and nothing after it.
fn is_firm(separator: Separator, found: &Value) -> bool {
    let rest = found.rest.trim_start();
    match separator {
        Separator::Equals => true,
        Separator::Colon => {
            rest.is_empty() || (found.is_quoted && rest.starts_with([',', '}', ']', ')', ';']))
        }
        Separator::Statement | Separator::Adjacent => false,
    }
}

/// Whether a sentence says whose value it is, and ends with it: `my password is …`.
fn is_owned(separator: Separator, found: &Value, name: Name) -> bool {
    separator == Separator::Statement
        && OWNERS.contains(&word_before(name.before, name.before.len()).as_str())
        && found.rest.trim_start_matches(['.', '!']).trim().is_empty()
}

/// Whether the sentence continues after a value.
fn goes_on(rest: &str) -> bool {
    rest.starts_with(' ') && rest.trim_start().starts_with(char::is_alphabetic)
}

fn is_password(separator: Separator, found: &Value, name: Name) -> bool {
    let text = found.text;
    if (name.family == Family::Clave && value::is_identifier(text))
        || (value::is_weak(text) && context::mentions_rejection(name.before, name.after))
    {
        return false;
    }
    // `vergessen?`: a final `!` or `?` after words ends the sentence.
    let words = text.trim_end_matches(['!', '?']);
    let is_sentence = words.chars().all(char::is_alphabetic)
        && !found.is_quoted
        && (matches!(separator, Separator::Statement | Separator::Adjacent)
            || words.chars().all(char::is_lowercase)
            || text.ends_with('?'));
    if words.len() < text.len() && is_sentence && separator != Separator::Equals {
        return false;
    }
    let is_clave = name.family == Family::Clave;
    let name = name.text;
    if text.contains(char::is_whitespace) {
        let is_phrase = name.to_lowercase().ends_with("passphrase");
        return found.is_quoted
            && (value::is_chosen_phrase(text)
                || (is_phrase && text.split_whitespace().count() >= 4)
                || ((is_firm(separator, found) || separator == Separator::Statement)
                    && value::is_phrase_with_number(text)));
    }
    if value::is_chosen(text, found.is_quoted) {
        let length = text.chars().count();
        return match separator {
            Separator::Equals | Separator::Colon => true,
            Separator::Statement => length >= 6,
            Separator::Adjacent => length >= 8 || found.is_quoted,
        };
    }
    let may_be_worded = separator == Separator::Statement
        || (separator == Separator::Adjacent && text.split(['-', '_']).count() > 2);
    if may_be_worded && !is_clave && !goes_on(found.rest) && value::is_worded(text) {
        return true;
    }
    if matches!(separator, Separator::Colon | Separator::Statement)
        && SPOKEN.contains(&name.to_lowercase().as_str())
        && found.rest.trim_start_matches(['.', ')']).trim().is_empty()
        && value::is_spoken_phrase(text)
    {
        return true;
    }
    // The keys of routers.
    if separator != Separator::Adjacent
        && (16..=24).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
    {
        return true;
    }
    if !is_clave && found.is_quoted && is_firm(separator, found) && value::is_hyphenated_phrase(text) {
        return true;
    }
    if separator == Separator::Equals
        && found.is_quoted
        && is_of_constant(name)
        && value::is_phrase_of_letters(text)
    {
        return true;
    }
    // A word of letters alone is a password only where it cannot be anything else.
    let is_word = text.len() >= 6 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_variable = name.bytes().any(|byte| byte.is_ascii_uppercase())
        && !name.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_argument = found.rest.starts_with([',', ')']);
    let is_digits = text.len() >= 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    separator == Separator::Equals
        && !is_clave
        && !value::is_well_known_default(text)
        && (is_digits
            || (is_word
                && (is_variable || (!is_argument && text.bytes().all(|byte| byte.is_ascii_lowercase())))))
}

/// Whether it is the name of a constant or a variable of the environment.
fn is_of_constant(name: &str) -> bool {
    name.contains('_') && !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Whether the name before `/` is that of a hash: `checksum/secret`, an annotation of Helm.
fn is_checksum_of(before: &str) -> bool {
    let name = before.strip_suffix('/').unwrap_or_default();
    let last = name.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    HASHES.contains(&last.to_lowercase().as_str())
}

/// Whether the last words before a random string name a hash.
pub(super) fn mentions_hash(before: &str) -> bool {
    before
        .rsplit(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(4)
        .any(|word| HASHES.contains(&word.to_lowercase().as_str()))
}
