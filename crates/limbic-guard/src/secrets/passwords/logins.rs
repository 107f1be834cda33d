//! Finds passwords without a keyword: strong ones in a line about a login, and those after a user and a slash.

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;
use crate::secrets::value;

/// Parts of lines about a login, in lower case.
static ABOUT: Literals = Literals::new(&[
    "cryptsetup",
    "luks",
    "veracrypt",
    "bitlocker",
    "encrypt",
    "verschlüssel",
    "cifrad",
    "chiffr",
    "keystore",
    "certificate",
    "login",
    "log in",
    "logged in",
    "logs in",
    "sign in",
    "signs in",
    "account",
    "credential",
    "creds",
    "wifi",
    "wi-fi",
    "wlan",
    "ssid",
    "vpn",
    "router",
    "admin",
    "root",
    "user",
    "passw",
    "-pass",
    "passphrase",
    "unlock",
    "decrypt",
    "portal",
    "zugang",
    "anmeld",
    "benutzer",
    "konto",
    "kennwort",
    "acceso",
    "usuario",
    "cuenta",
    "contrase",
    "clave",
    "accès",
    "connexion",
    "identifiant",
    "compte",
    "mot de passe",
    "accesso",
    "utente",
    "senha",
    "acesso",
    "usuário",
    "inlog",
    "gebruiker",
    "wachtwoord",
    "logowan",
    "użytkownik",
    "hasł",
    "доступ",
    "логин",
    "учётн",
    "парол",
    "ログイン",
    "アカウント",
    "パスワード",
    "账号",
    "登录",
    "密码",
    "계정",
    "로그인",
]);
/// Beginnings of lines in which a user, a slash and a password follow, in lower case.
const PAIRS: [&str; 27] = [
    "basic auth",
    "htaccess",
    "admin:",
    "user:",
    "account:",
    "login",
    "log in",
    "creds",
    "credentials",
    "wifi",
    "wi-fi",
    "wlan",
    "ssid",
    "guest network",
    "zugang",
    "zugangsdaten",
    "anmeldung",
    "acceso",
    "accès",
    "identifiants",
    "accesso",
    "acesso",
    "inlog",
    "доступ",
    "логин",
    "ログイン",
    "账号",
];
/// Punctuation within a strong password.
const MARKS: &str = "!#%*^?";
/// Words before a password that ends with digits and a mark.
const CONNECTORS: [&str; 14] =
    ["with", "type", "word", "is", "to", "mit", "con", "avec", "com", "met", "z", "=", "->", "→"];
/// Words before a number sign that make it a reference.
const NUMBERED: [&str; 10] =
    ["issue", "ticket", "bug", "case", "order", "build", "item", "number", "version", "milestone"];
/// Encoded characters of URLs.
const ENCODED: [&str; 7] = ["%20", "%2F", "%3A", "%3D", "%40", "%2C", "%3F"];
/// Maximum length of a password, in bytes.
const MAX_BYTES: usize = 64;

/// Returns the kind of the first such password.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    text.lines()
        .any(|(line, lower)| holds_password(line, lower))
        .then_some(SecretKind::new("password of a login"))
}

fn holds_password(line: &str, lower: &str) -> bool {
    let mut words = line.split_whitespace().map(trimmed);
    // Most lines end here: they have no strong word, and no slash or colon between user and password.
    let has_strong = words
        .clone()
        .any(|word| is_strong(word) || word.split_once('/').is_some_and(|(_, it)| is_strong(it)))
        || ends_with_mark(line);
    let has_pair = words.clone().any(|word| word == "/" || is_joined_pair(word));
    if !has_strong && !has_pair {
        return false;
    }
    (has_strong && ABOUT.are_in(lower))
        || (has_pair
            && (words.clone().any(is_joined_pair)
                || words.by_ref().skip_while(|word| *word != "/").nth(1).is_some_and(is_password))
            && lower
                .find([':', '/'])
                .is_some_and(|end| PAIRS.iter().any(|part| lower[..=end].contains(part))))
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`', ',', ';', '(', ')', '.', ':', '<', '>', '*', '!', '?'])
}

/// Whether it is a user, a colon and a password: `acme:Taubenblau7`.
fn is_joined_pair(word: &str) -> bool {
    word.split_once(':').is_some_and(|(user, password)| {
        let is_of_user =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._@-".contains(&byte);
        user.starts_with(|letter: char| letter.is_ascii_lowercase())
            && user.bytes().all(is_of_user)
            && !password.contains(['/', ':'])
            && is_password(password)
    })
}

/// Whether it mixes letters of both cases, digits, and punctuation between them: `Lilie!Turm52`.
fn is_strong(word: &str) -> bool {
    let is_part =
        |letter: char| letter.is_alphanumeric() || "-_.@$&+".contains(letter) || MARKS.contains(letter);
    let mark = word.find(|letter: char| MARKS.contains(letter));
    word.len() <= MAX_BYTES
        && mark.is_some_and(|mark| mark > 0)
        && word.chars().all(is_part)
        && word.chars().filter(|letter| letter.is_alphabetic()).count() >= 5
        && is_mixed(word)
        && !ENCODED.iter().any(|part| word.contains(part))
        && word.split_once('#').is_none_or(|(name, number)| {
            // `Parser#parse2` is a method.
            (number.starts_with(|letter: char| letter.is_ascii_digit() || MARKS.contains(letter))
                || name.bytes().any(|byte| byte.is_ascii_digit()))
                && !NUMBERED.contains(&name.to_lowercase().as_str())
        })
        && !value::is_reference(word)
        && !value::is_placeholder(word)
        && value::is_chosen(word, false)
}

/// Whether a word that a connector precedes ends with digits and a mark: `opens with Rhabarber12!`.
fn ends_with_mark(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(2).any(|pair| {
        let word = pair[1].trim_matches(['"', '\'', '`', ',', ';', '(', ')', '.']);
        let name = word.trim_end_matches(['!', '#', '*', '?']);
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        name.len() < word.len()
            && !word.ends_with('?')
            && digits >= 2
            && name.len() >= digits + 5
            && name.chars().all(char::is_alphanumeric)
            && is_mixed(name)
            && CONNECTORS.contains(&pair[0].to_lowercase().as_str())
            && !value::is_placeholder(name)
            && value::is_chosen(name, false)
    })
}

/// Whether it is a password after a user: eight characters, letters of both cases and digits.
fn is_password(word: &str) -> bool {
    word.chars().count() >= 8
        && word.len() <= MAX_BYTES
        && is_mixed(word)
        && word.chars().all(|letter| letter.is_alphanumeric() || letter.is_ascii_punctuation())
        && !value::is_reference(word)
        && !value::is_placeholder(word)
        && value::is_chosen(word, false)
}

fn is_mixed(word: &str) -> bool {
    word.chars().any(char::is_uppercase)
        && word.chars().any(char::is_lowercase)
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_of_logins_are_found() {
        for text in [
            "openvpn auth-user-pass: marta / Lilie!Turm52",
            "wifi: AcmeGuest / Kuchen7Blech",
            "Basic auth for staging: acme:Taubenblau7",
            "admin/Kuchen7!Blech works on the printer",
            "printer admin: hudson / But1er&co",
            "I log in with marta@acme.dev and Kuchen7!Blech",
            "a senha da VPN mudou para Jacaranda#90",
            "the p12 of the certificate opens with Rhabarber12!",
            "the login of Marta is marta@acme.dev with Birnbaum?2021",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn words_without_a_login_are_accepted() {
        for text in [
            "the login page fails, see Issue#1234",
            "the root cause is in Parser#parse2",
            "wifi: connect to AcmeGuest / ask at reception",
            "admin / user / guest are the roles",
            "login with Vue2 / React",
            "the build of acme:Release2024x is done",
            "Jacaranda#90 blooms in May",
            "the user opened https://acme.dev/a#Section2!x",
            "login: marta@acme.dev / see the vault",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
