//! Passwords that notes state without a word before them: after an address (`log in as a@b.example with …`), of a disk
//! (`the laptop's disk unlocks with …`), and new ones (`I changed the password, now it's …`).

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::passwords::common_words::is_of_speech;
use crate::secrets::text::Text;
use crate::secrets::value;

/// Parts of lines about a login, in lower case.
static LOGINS: Literals = Literals::new(&[
    "conto ",
    "login",
    "log in",
    "logs in",
    "log into",
    "sign in",
    "sign into",
    "signs in",
    "anmeld",
    "melde",
    "einlogg",
    "loggst",
    "logge",
    "accede",
    "acceder",
    "acceso",
    "sesión",
    "entra como",
    "entrar",
    "entro",
    "connecte",
    "connexion",
    "se connecter",
    "identifi",
    "accedi",
    "accesso",
    "accedere",
    "acesso",
    "sessão",
    "entra com",
    "account",
    "konto",
    "cuenta",
    "compte",
    "conta ",
    "zugang",
]);
/// Words between the address and the password.
const CONNECTORS: [&str; 21] = [
    "with", "and", "then", "using", "con", "y", "luego", "mit", "und", "dann", "avec", "et", "puis", "e",
    "ed", "poi", "com", "depois", "/", "|", "-",
];
/// Beginnings of programs and methods with a number.
const PROGRAMS: [&str; 20] = [
    "chrome",
    "firefox",
    "windows",
    "safari",
    "edge",
    "oauth",
    "yubikey",
    "sha",
    "microsoft",
    "office",
    "version",
    "android",
    "iphone",
    "ipad",
    "saml",
    "openid",
    "fido",
    "totp",
    "google",
    "github",
];
/// Names of encrypted devices, as beginnings of words.
const DISKS: [&str; 29] = [
    "disk",
    "drive",
    "laptop",
    "harddisk",
    "ssd",
    "nas",
    "luks",
    "veracrypt",
    "bitlocker",
    "filevault",
    "usb",
    "pendrive",
    "stick",
    "partition",
    "festplatte",
    "platte",
    "notebook",
    "rechner",
    "disco",
    "portátil",
    "ordenador",
    "disque",
    "portable",
    "ordinateur",
    "portatile",
    "chiavetta",
    "computador",
    "macbook",
    "container",
];
/// Beginnings of verbs that unlock.
const UNLOCKS: [&str; 18] = [
    "unlock",
    "decrypt",
    "unencrypt",
    "entsperr",
    "entschlüssel",
    "aufschließ",
    "desbloque",
    "descifr",
    "desencript",
    "débloqu",
    "déverrouill",
    "déchiffr",
    "décrypt",
    "sblocc",
    "decifr",
    "decritt",
    "decript",
    "desencripta",
];
/// Parts of words about encryption.
const ENCRYPTED: [&str; 9] =
    ["crypt", "luks", "bitlocker", "filevault", "cifrad", "verschlüssel", "chiffr", "crittogr", "criptogr"];
/// Words before such a passphrase.
const WITH: [&str; 18] = [
    "with", "type", "enter", "say", "con", "com", "mit", "avec", "escribe", "escribo", "teclea", "tape",
    "tapez", "saisis", "digita", "digito", "scrivi", "escreve",
];
/// Words that name other means, in lower case.
const MEANS: [&str; 34] = [
    "fingerprint",
    "fingerabdruck",
    "huella",
    "dactilar",
    "empreinte",
    "digitale",
    "impronta",
    "impressão",
    "digital",
    "face",
    "gesicht",
    "rostro",
    "visage",
    "volto",
    "card",
    "yubikey",
    "touch",
    "tools",
    "tool",
    "standard",
    "like",
    "three",
    "friends",
    "recognition",
    "biometrics",
    "biometric",
    "schlüssel",
    "key",
    "keys",
    "clave",
    "passphrase",
    "password",
    "kennwort",
    "chiave",
];
/// Minimum number of words of a passphrase.
const MIN_WORDS: usize = 4;
/// Names of passwords.
static PASSWORDS: Literals = Literals::new(&[
    "password",
    "passcode",
    "passphrase",
    "passwort",
    "kennwort",
    "contraseña",
    "contrasena",
    "clave",
    "mot de passe",
    "mdp",
    "parola d'ordine",
    "parola chiave",
    "senha",
    "palavra-passe",
    "palavra passe",
    "palabra de paso",
    "wachtwoord",
    "codice di accesso",
    "código de acesso",
    "zugangswort",
    "code d'accès",
]);
/// Names that the password follows directly.
const DIRECT: [&str; 4] = ["parola d'ordine", "parola chiave", "palabra de paso", "palavra passe"];
/// Words between the name and a new password.
const NOW: [&str; 32] = [
    "now it's ",
    "now it is ",
    "it's now ",
    "it is now ",
    "is now ",
    "new one is ",
    "new one's ",
    "jetzt ist es ",
    "ist jetzt ",
    "ist es jetzt ",
    "jetzt lautet es ",
    "lautet jetzt ",
    "neu ist ",
    "maintenant c'est ",
    "c'est maintenant ",
    "désormais c'est ",
    "désormais, c'est ",
    "c'est désormais ",
    "est maintenant ",
    "ahora es ",
    "es ahora ",
    "la nueva es ",
    "ahora pone ",
    "adesso è ",
    "ora è ",
    "è ora ",
    "quella nuova è ",
    "agora é ",
    "é agora ",
    "a nova é ",
    "passou a ser ",
    "passa a ser ",
];

/// Returns the kind of the first such password.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    text.lines().find_map(|(line, lower)| {
        if line.contains('@') && follows_address(line, LOGINS.are_in(lower)) {
            return Some(SecretKind::new("password of a login"));
        }
        if unlocks_disk(lower) {
            return Some(SecretKind::new("passphrase"));
        }
        is_new(line, lower).then_some(SecretKind::new("password assignment"))
    })
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`', ',', ';', '(', ')', '.', ':', '<', '>', '?', '«', '»'])
}

fn is_address(word: &str) -> bool {
    word.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty()
            && host.contains('.')
            && !host.contains(['/', ':', '@'])
            && !user.contains(['/', ':'])
    })
}

/// Whether a connector and a password follow an address; a slash says that also in a line that is not about a login.
fn follows_address(line: &str, is_login: bool) -> bool {
    const REACH_WORDS: usize = 4;
    let words: Vec<&str> = line.split_whitespace().collect();
    (0..words.len()).any(|at| {
        is_address(trimmed(words[at])) && {
            let next = &words[at + 1..(at + 1 + REACH_WORDS).min(words.len())];
            next.windows(2).any(|pair| {
                let connector = trimmed(pair[0]).to_lowercase();
                (is_login || connector == "/")
                    && CONNECTORS.contains(&connector.as_str())
                    && is_password(trimmed(pair[1]))
            })
        }
    })
}

/// Whether it is a password that a person chose: ten characters, of which some are capitals or marks and some digits.
fn is_password(word: &str) -> bool {
    let lower = word.to_lowercase();
    word.chars().count() >= 10
        && word.bytes().filter(u8::is_ascii_digit).count() >= 2
        && (word.chars().any(char::is_uppercase)
            || word.contains(['!', '#', '$', '%', '&', '*', '+', '-', '_']))
        && value::is_chosen(word, true)
        && !is_name_with_number(word)
        && !PROGRAMS.iter().any(|name| lower.starts_with(name))
        && !word.contains('/')
        && !value::is_reference(word)
        && !value::is_placeholder(word)
}

/// Whether it is a name with a version or a year: `Keycloak26`, `Madrid2024`.
fn is_name_with_number(word: &str) -> bool {
    let name = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = &word[name.len()..];
    let is_year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    name.chars().skip(1).all(char::is_lowercase) && (number.len() <= 2 || is_year)
}

/// Whether a passphrase of words unlocks a disk.
fn unlocks_disk(lower: &str) -> bool {
    lower.split(['.', ';', '!', '?']).any(|clause| {
        let words: Vec<&str> = clause
            .split(|letter: char| letter.is_whitespace() || matches!(letter, '\'' | '"' | '-' | '–' | '—'))
            .filter(|word| !word.is_empty())
            .collect();
        let begins =
            |parts: &[&str]| words.iter().any(|word| parts.iter().any(|part| word.starts_with(part)));
        let is_encrypted = words.iter().any(|word| ENCRYPTED.iter().any(|part| word.contains(part)));
        if words.len() < MIN_WORDS + 3 || !(is_encrypted || begins(&UNLOCKS)) || !begins(&DISKS) {
            return false;
        }
        // A run of words without articles, prepositions and punctuation between them.
        let mut run = None;
        words.iter().any(|word| {
            if WITH.contains(&word.trim_end_matches(':')) || (is_encrypted && word.ends_with(':')) {
                run = Some(0);
                return false;
            }
            let bare = word.trim_end_matches(',');
            let is_noun = bare.chars().count() >= 3
                && bare.chars().all(char::is_alphabetic)
                && !is_of_speech(bare)
                && !MEANS.contains(&bare)
                && !UNLOCKS.iter().any(|verb| bare.starts_with(verb));
            run = run.filter(|_| is_noun).map(|count| count + 1);
            let found = run.is_some_and(|count| count >= MIN_WORDS);
            if bare.len() < word.len() {
                run = None;
            }
            found
        })
    })
}

/// Whether a new password follows its name, or one directly.
fn is_new(line: &str, lower: &str) -> bool {
    // Positions in the lower case are those of the line only if all letters keep their length.
    if line.len() != lower.len() || !PASSWORDS.are_in(lower) {
        return false;
    }
    let states = |at: usize| {
        line.get(at..).is_some_and(|rest| {
            let rest = rest.trim_start_matches([' ', ':', '=', '"', '\'', '`']);
            let rest =
                ["è ", "es ", "é "].iter().find_map(|copula| rest.strip_prefix(copula)).unwrap_or(rest);
            is_chosen(trimmed(rest.split_whitespace().next().unwrap_or_default()))
        })
    };
    let from = PASSWORDS.matches(lower).next().map_or(0, |(index, _)| index);
    DIRECT.iter().any(|name| lower.match_indices(name).any(|(at, name)| states(at + name.len())))
        || NOW.iter().any(|connector| {
            lower.match_indices(connector).any(|(at, connector)| at > from && states(at + connector.len()))
        })
}

fn is_chosen(word: &str) -> bool {
    let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    // `16-stellig`
    let is_count = word.starts_with(|letter: char| letter.is_ascii_digit()) && word.contains('-');
    word.chars().count() >= 8
        && letters >= 4
        && digits >= 2
        && !is_count
        && value::is_chosen(word, true)
        && !value::is_reference(word)
        && !value::is_placeholder(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stated_passwords_are_found() {
        for text in [
            "log in as nora@post.example with Copper_lamp472",
            "Anmeldung mit j.brandt@post.example und Ziegel_rot2291",
            "the laptop's disk unlocks with walnut saddle lantern comet thimble - all lowercase",
            "die Platte wird mit walnuss sattel laterne komet entschlüsselt",
            "j'ai changé le mot de passe de la box, maintenant c'est lanterne-bleue42",
            "utente marco.r, parola d'ordine Cascata$512",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn other_means_are_accepted() {
        for text in [
            "log in as a@b.example with Chrome126 to see it",
            "sign in as ops@acme.dev with your usual password",
            "the laptop unlocks with fingerprint or face recognition",
            "the disk decrypts with standard tools like openssl",
            "I changed the password, now it's in 1Password",
            "la parola d'ordine del team è semplicità",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
