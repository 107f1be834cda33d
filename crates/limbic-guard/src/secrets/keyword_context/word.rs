//! Finds keywords of secrets: alone, or as the last part of a name such as `DB_PASSWORD` or `clientSecret`.

mod keyword_lists;

use keyword_lists::{
    CODE_OF, JOINED_KEYS, KEY_NOUNS, KEY_OF, LOGIN, NAMED_SECRETS, NETWORKS, NO_PASSWORDS, OPEN_KEYS,
    PASSWORD, PLACES, PLAIN_BEFORE, SECRET, SYSTEM_PARTS, TOKEN, WITH_CLAVE,
};

use super::context;

/// The family of a keyword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    /// A password, possibly chosen by a person.
    Password,
    /// `pass`: a password, or a ticket.
    Pass,
    /// `clave`, Spanish for a password or the key of a map.
    Clave,
    /// A user and a password.
    Login,
    /// A generated secret.
    Secret,
    /// A generated secret.
    Token,
    /// A generated secret.
    Key,
    /// Any key: of an API, a map or a cache.
    AnyKey,
}

/// A keyword: the range of the whole name, and its family.
pub(super) struct Word {
    pub start: usize,
    pub end: usize,
    pub family: Family,
}

/// Whether a key of that is a secret, by the word before `key`, in lower case.
pub(super) fn is_secret_key_of(word: &str) -> bool {
    KEY_OF.contains(&word)
}

/// Returns the keywords of a text, in order.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word> {
    let bytes = text.as_bytes();
    let mut index = 0;
    std::iter::from_fn(move || {
        while index < bytes.len() {
            while index < bytes.len() && !is_of_name(bytes[index]) {
                index += 1;
            }
            let start = index;
            while index < bytes.len() && is_of_name(bytes[index]) {
                index += 1;
            }
            let name = &text[start..index];
            let trimmed = name.trim_end_matches(['-', '.']);
            if let Some(family) = family(text, start, trimmed) {
                return Some(Word { start, end: start + trimmed.len(), family });
            }
        }
        None
    })
}

/// Whether a byte belongs to a name: ASCII letters and digits, separators of name parts, and bytes of non-ASCII
/// characters.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.') || byte >= 0x80
}

fn family(text: &str, start: usize, name: &str) -> Option<Family> {
    // No keyword part is longer or shorter; most words end here.
    if name.len() < 2 || name.len() > 80 {
        return None;
    }
    // The stems are compared by their bytes: only those of ASCII are the same in both cases.
    let may_be = if name.is_ascii() { may_contain_keyword(name) } else { may_contain_keyword(&lower(name)) };
    if !may_be {
        return None;
    }
    let parts = parts(name);
    let mut kept = &parts[..];
    while let [first @ .., last] = kept
        && !first.is_empty()
        && (PLACES.contains(&last.as_str()) || last.bytes().all(|byte| byte.is_ascii_digit()))
    {
        kept = first;
    }
    // Words before the Dutch abbreviation `ww`.
    const DUTCH: [&str; 5] = ["het", "mijn", "ons", "nieuwe", "oude"];
    kept = without_system(kept);
    let [before @ .., last] = kept else { return None };
    let last = last.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let is = |words: &[&str]| words.contains(&last);
    if last == "clave" {
        let said_before = before.last().cloned().unwrap_or_else(|| word_before(text, start));
        (!WITH_CLAVE.contains(&said_before.as_str())).then_some(Family::Clave)
    } else if last == "pass" && before.is_empty() && context::is_ticket(&text[..start]) {
        Some(Family::Pass)
    } else if is(&PASSWORD)
        || last.ends_with("password")
        || last.ends_with("passwd")
        || (last == "ww" && DUTCH.contains(&word_before(text, start).as_str()))
        || (last.len() > 6 && last.ends_with("pass") && !NO_PASSWORDS.contains(&last))
        || is_french(last, before, text, start)
    {
        Some(Family::Password)
    } else if is(&LOGIN) {
        Some(Family::Login)
    } else if is(&SECRET) || last.ends_with("secret") {
        Some(Family::Secret)
    } else if is(&TOKEN) || last.ends_with("token") {
        Some(Family::Token)
    } else if last == "api"
        && ((parts.len() > 2 && parts[0] == "x") || (before.is_empty() && follows_key_noun(&text[..start])))
    {
        Some(Family::Key)
    } else if last == "api"
        && parts.len() == 1
        && text[start + name.len()..].trim_start().starts_with(['=', ':'])
    {
        Some(Family::AnyKey)
    } else if (is(&KEY_NOUNS) || KEY_NOUNS.iter().any(|noun| last.ends_with(noun)))
        && before.last().is_some_and(|part| NETWORKS.contains(&part.as_str()))
    {
        Some(Family::Password)
    } else if is(&KEY_NOUNS) || KEY_NOUNS.iter().any(|noun| last.len() > noun.len() && last.ends_with(noun)) {
        let is_of_api = before.last().is_some_and(|part| part == "api");
        Some(if is_of_api { Family::Key } else { Family::AnyKey })
    } else if last == "id" && before.last().is_some_and(|part| part == "secret") {
        Some(Family::Secret)
    } else if last == "code" {
        let said_before = before.last().cloned().unwrap_or_else(|| word_before(text, start));
        CODE_OF.contains(&said_before.as_str()).then_some(Family::Token)
    } else if JOINED_KEYS.iter().any(|key| last.ends_with(key)) {
        Some(Family::Key)
    } else if last == "key" {
        let said_before = match before.last() {
            Some(part) => part.clone(),
            None => Some(word_before(text, start))
                .filter(|word| !word.is_empty())
                .unwrap_or_else(|| parent_of(&text[..start])),
        };
        if NETWORKS.contains(&said_before.as_str()) {
            return Some(Family::Password);
        }
        let is_variable = !before.is_empty() && name.bytes().all(|byte| !byte.is_ascii_lowercase());
        let is_open = OPEN_KEYS.contains(&said_before.as_str());
        // `Mapbox key`: what it opens is named.
        let is_named = before.is_empty()
            && said_before.len() >= 3
            && said_before.chars().all(char::is_alphabetic)
            && !PLAIN_BEFORE.contains(&said_before.as_str());
        if KEY_OF.contains(&said_before.as_str())
            || ((is_variable || is_named || is_header(name)) && !is_open)
        {
            Some(Family::Key)
        } else {
            ((before.is_empty() || name.contains('-')) && !is_open).then_some(Family::AnyKey)
        }
    } else {
        None
    }
}

/// The parts of a name up to a password, if what follows is what it opens: `PASSWORD_DB`, `senha_do_banco`.
fn without_system(parts: &[String]) -> &[String] {
    let opens = |part: &String| SYSTEM_PARTS.contains(&part.as_str());
    let end = parts.iter().rposition(|part| !opens(part)).map_or(0, |last| last + 1);
    let is_password =
        parts[..end].last().is_some_and(|part| PASSWORD.contains(&part.as_str()) || part == "passe");
    if is_password { &parts[..end] } else { parts }
}

/// Whether the name is one of a header of HTTP: `Fastly-Key`, `x-functions-key`.
fn is_header(name: &str) -> bool {
    let starts_upper = |part: &str| part.starts_with(|letter: char| letter.is_ascii_uppercase());
    name.contains('-')
        && (name.split('-').all(starts_upper) || name.starts_with("x-") || name.starts_with("X-"))
}

/// Returns the name of the line before, in lower case, if it opens a block of YAML: `encryption:`, then `key: …`.
fn parent_of(before: &str) -> String {
    let above = before.trim_end_matches([' ', '-']).strip_suffix('\n').unwrap_or_default();
    let line = above.rsplit('\n').next().unwrap_or_default().trim();
    line.strip_suffix(':').map(str::to_lowercase).unwrap_or_default()
}

/// Whether one of the last words names a key in another language: `chave da API`.
fn follows_key_noun(before: &str) -> bool {
    let words = before.rsplit(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty());
    words.take(4).any(|word| KEY_NOUNS.contains(&word.to_lowercase().as_str()))
}

/// Whether it is French `mot de passe`, `mot_de_passe` or Portuguese `palavra-passe`.
fn is_french(last: &str, before: &[String], text: &str, start: usize) -> bool {
    const WORDS: [&str; 2] = ["de", "palavra"];
    last == "passe"
        && before.last().map_or_else(
            || WORDS.contains(&word_before(text, start).as_str()),
            |part| WORDS.contains(&part.as_str()),
        )
}

/// Whether the name is that of a resource that contains secrets: its value is a name.
pub(super) fn is_named_secret(name: &str) -> bool {
    parts(name).iter().any(|part| NAMED_SECRETS.contains(&part.as_str()))
}

/// Fast pre-check: whether the name contains a stem of any keyword.
fn may_contain_keyword(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.iter().enumerate().any(|(index, byte)| {
        let stems: &[&[u8]] = match byte.to_ascii_lowercase() {
            b'p' => &[b"pass", b"pwd", b"pw", b"pat", b"parol"],
            b'c' => &[b"contrase", b"clave", b"cred", b"code", b"chave", b"chiave", b"cl\xC3\xA9", b"clef"],
            b'x' => &[b"x-"],
            b's' => &[b"segre", b"secret", b"senha", b"sifre", b"salasana", b"schl\xC3\xBCssel", b"sleutel"],
            b'w' => &[b"wachtwoord", b"ww"],
            b'h' => &[b"has\xC5\x82o", b"haslo", b"heslo"],
            b'l' => &[b"l\xC3\xB6senord", b"login", b"lozinka", b"llave"],
            b'j' => &[b"jelsz", b"jeton"],
            b'z' => &[b"zugangsdaten"],
            b'i' => &[b"identifiants", b"inloggegevens"],
            b'g' => &[b"geslo", b"gettone"],
            // `şifre` and, without its first letter, `пароль`.
            0xCE => &[b"\xCE\xBA\xCF\x89\xCE\xB4\xCE\xB9\xCE\xBA"],
            0xC5 => &[b"\xC5\x9Fifre"],
            0xD0 => &[b"\xD0\xB0\xD1\x80\xD0\xBE\xD0\xBB", b"\xD0\xBA\xD0\xBB\xD1\x8E\xD1\x87"],
            b't' => &[b"token"],
            b'k' => &[b"key", b"kennwort", b"kodeord", b"klucz", b"kl\xC3\xAD"],
            b'a' => &[b"auth", b"adgangskode", b"api", b"avain"],
            b'b' => &[b"bearer"],
            b'm' => &[b"mdp"],
            b'n' => &[b"nyckel", b"n\xC3\xB8gle"],
            _ => &[],
        };
        let rest = &bytes[index..];
        stems.iter().any(|stem| rest.get(..stem.len()).is_some_and(|part| part.eq_ignore_ascii_case(stem)))
    })
}

/// Returns the parts of a name in lower case: `dbPassword`, `DB_PASSWORD` and `db.password` are `db` and `password`.
fn parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut before = ' ';
    for letter in name.chars() {
        let is_joint = matches!(letter, '_' | '-' | '.') || !(letter.is_alphanumeric());
        if (is_joint || (letter.is_uppercase() && before.is_lowercase())) && !part.is_empty() {
            parts.push(lower(&std::mem::take(&mut part)));
        }
        if !is_joint {
            part.push(letter);
        }
        before = letter;
    }
    if !part.is_empty() {
        parts.push(lower(&part));
    }
    parts
}

/// Returns a word in lower case, with a final sigma at its end and the Turkish `i` without a second dot.
fn lower(word: &str) -> String {
    word.to_lowercase().replace('\u{307}', "")
}

/// Returns the word directly before a position, in lower case.
pub(super) fn word_before(text: &str, start: usize) -> String {
    let before = text[..start].trim_end_matches([' ', '-']);
    if before.len() == start {
        return String::new();
    }
    before.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn families(text: &str) -> Vec<Family> {
        words(text).map(|word| word.family).collect()
    }

    #[test]
    fn the_last_part_of_a_name_is_the_keyword() {
        assert_eq!(
            families("DB_PASSWORD dbPassword spring.datasource.password PASSWORD_PROD"),
            [Family::Password; 4]
        );
        assert_eq!(
            families("PASSWORD_DB senha_do_banco CONTRASENA_BD MOT_DE_PASSE_BDD HASLO_BAZY passwordSmtp"),
            [Family::Password; 6]
        );
        assert_eq!(families("clientSecret JWT_SECRET secreto"), [Family::Secret; 3]);
        assert_eq!(families("api key, X-API-Key, private_key, apiKey, the access key"), [Family::Key; 5]);
        assert_eq!(families("OPENWEATHER_KEY TOTP key"), [Family::Key; 2]);
        assert_eq!(families("our key"), [Family::AnyKey]);
        assert_eq!(families("encryption:\n  key"), [Family::Key]);
        assert_eq!(families("SecretID"), [Family::Secret]);
        assert_eq!(families("chave da API"), [Family::AnyKey, Family::Key]);
        assert_eq!(families("API-Schlüssel, ключ API"), [Family::Key, Family::AnyKey, Family::Key]);
        assert_eq!(families("mdp, het ww"), [Family::Password; 2]);
        assert_eq!(families("mot de passe, MOT_DE_PASSE, palavra-passe, Passwort"), [Family::Password; 4]);
        assert_eq!(
            families("ŞİFRE Şifre HASŁO LÖSENORD ΚΩΔΙΚΌΣ ПАРОЛЬ Пароля JELSZÓ"),
            [Family::Password; 8]
        );
        assert_eq!(families("CLÉ SCHLÜSSEL КЛЮЧ NØGLE KLÍČ"), [Family::AnyKey; 5]);
        assert_eq!(families("La contraseña y la clave"), [Family::Password, Family::Clave]);
        assert_eq!(families("the pass, the ski pass"), [Family::Password, Family::Pass]);
    }

    #[test]
    fn names_about_secrets_are_no_keywords() {
        for name in [
            "passwordHash",
            "secretName",
            "token_count",
            "max_tokens",
            "primary key",
            "monkey",
            "keyboard",
            "author",
            "compass",
            "bypass",
            "tokenizer",
            "password_file",
            "password_db_file",
            "PASSWORD_MAIL_TEMPLATE",
            "password_user",
            "public key",
            "cache key",
            "CACHE_KEY",
            "passed",
            "secretary",
            "palabra clave",
            "palabras-clave",
        ] {
            assert_eq!(families(name), [], "{name}");
        }
    }
}
