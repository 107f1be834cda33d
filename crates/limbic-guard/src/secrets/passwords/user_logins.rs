//! Passwords after a user in a sentence about a login (`sign in as j.hartley62 with Gr4nny…`), and passwords that
//! open a file (`the zip opens with heron-31-lantern`), are typed (`and type Wh1mbrel&…`) or are new.

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;
use crate::secrets::value;

/// Parts of lines about a login, in lower case.
static LOGINS: Literals = Literals::new(&[
    "login",
    "log in",
    "log on",
    "logs in",
    "log into",
    "sign in",
    "sign into",
    "signing in",
    "ssh",
    "rdp",
    "anmeld",
    "melde",
    "einlogg",
    "logge ",
    "acced",
    "acceso",
    "sesión",
    "entrar",
    "entro",
    "entra ",
    "entre ",
    "usuario",
    "connecte",
    "connexion",
    "identifi",
    "accesso",
    "utente",
    "acesso",
    "utilizador",
    "account",
    "konto",
    "cuenta",
    "compte",
    "credential",
    "creds",
    "credenziali",
    "credenciales",
    "zugang",
    "registr",
    "console",
    "root ",
    "admin ",
    "gebruiker",
    "użytkownik",
    "kullanıcı",
]);
/// Words before a user.
const AS: [&str; 26] = [
    "as",
    "user",
    "als",
    "como",
    "come",
    "comme",
    "with",
    "mit",
    "con",
    "avec",
    "com",
    "uso",
    "use",
    "utilise",
    "usa",
    "nutze",
    "usuario",
    "utente",
    "benutzer",
    "identifiant",
    "utilizador",
    "login",
    "gebruiker",
    "użytkownik",
    "kullanıcı",
    "пользователь",
];
/// Words between a user and a password.
const CONNECTORS: [&str; 35] = [
    "with", "and", "then", "using", "type", "enter", "con", "y", "luego", "mit", "und", "dann", "avec", "et",
    "puis", "e", "ed", "poi", "com", "depois", "/", "|", "-", "+", "&", "plus", "tippe", "después", "danach",
    "daarna", "ensuite", "potem", "ww", "pw", "mdp",
];
/// Things that a password opens, in lower case.
static FILES: Literals = Literals::new(&[
    "zip",
    "archive",
    "archiv",
    "7z",
    "rar",
    "pdf",
    "p12",
    "pfx",
    "keystore",
    "xlsx",
    "spreadsheet",
    "dump",
    "backup",
    "kdbx",
    "container",
    "vault",
    "archivo",
    "fichier",
    "datei",
    "documento",
    "document",
    "dokument",
    "arquivo",
    "ficheiro",
    "foglio",
    "hoja",
    "tabelle",
    "excel",
    "it opens",
    "attachment",
    "anhang",
    "usb",
    "stick",
    "laptop",
    "tablet",
    "phone",
    "portátil",
    "notebook",
    "rechner",
    "ordinateur",
]);
/// Verbs after which, with a preposition, a password follows, in lower case.
static OPEN_VERBS: Literals = Literals::new(&[
    "opens with ",
    "open with ",
    "open it with ",
    "opened with ",
    "unlocks with ",
    "unlock with ",
    "unlock it with ",
    "decrypts with ",
    "extract with ",
    "unzip with ",
    "geht auf mit ",
    "öffnet sich mit ",
    "öffnet mit ",
    "öffnen mit ",
    "entpacken mit ",
    "entsperren mit ",
    "s'ouvre avec ",
    "ouvrir avec ",
    "se déverrouille avec ",
    "se abre con ",
    "abre con ",
    "abrir con ",
    "se desbloquea con ",
    "si apre con ",
    "apri con ",
    "aprire con ",
    "si sblocca con ",
    "abre com ",
    "abre-se com ",
    "abrir com ",
    "desbloqueia com ",
    "password is ",
]);
/// Parts of lines about a password, in lower case.
static PASSWORDS: Literals = Literals::new(&[
    "password",
    "passwort",
    "kennwort",
    "contraseña",
    "mot de passe",
    "mdp",
    "senha",
    "palavra-passe",
    "pw ",
    "pwd",
    "pass ",
    "passcode",
    "passphrase",
    "clave",
    "parola",
    "creds",
    "code wifi",
    "code du wifi",
    "wifi code",
    "wlan-code",
    "code d'accès",
    "código de acceso",
    "codice di accesso",
    "código de acesso",
    "access code",
    "zugangscode",
]);
/// Words directly before a password in a line about one, in lower case: the first ones also in a line about a login.
const STATES: [&str; 34] = [
    "asked",
    "prompted",
    "type",
    "types",
    "enter",
    "tippe",
    "tape",
    "teclea",
    "digita",
    "escribe",
    "still",
    "now",
    "jetzt",
    "is",
    "it's",
    "ist",
    "neu",
    "es",
    "ahora",
    "est",
    "maintenant",
    "c'est",
    "è",
    "adesso",
    "é",
    "agora",
    "ser",
    "to",
    "one",
    "auf",
    "a",
    "para",
    "en",
    "lautet",
];
const TYPED: usize = 13;
/// Names of passwords, and words before one that the password follows.
const NAMES: [&str; 10] = [
    "password",
    "passcode",
    "passphrase",
    "passwort",
    "kennwort",
    "contraseña",
    "clave",
    "passe",
    "senha",
    "wachtwoord",
];
const WITH: [&str; 9] = ["with", "using", "mit", "con", "avec", "com", "met", "mot", "de"];
/// Names of passwords before a contracted verb.
const CONTRACTED: [&str; 6] = ["password", "passcode", "passphrase", "pass", "pw", "pwd"];
/// Number of words before and after a stated password among which is what it is for.
const NEAR: usize = 20;

/// Returns the kind of the first such password.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    text.lines()
        .any(|(line, lower)| {
            // Most lines end here.
            (line.split_whitespace().any(|word| value::is_strong_or_named(trimmed(word)))
                && (follows_user(line, lower) || opens_file(line, lower) || is_stated(line, lower)))
                || phrase_follows_user(line, lower)
                || joins_user(line, lower)
                || is_used_for(line, lower)
        })
        .then_some(SecretKind::new("password of a login"))
}

pub(super) fn trimmed(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`', ',', ';', '(', ')', '.', ':', '?', '«', '»'])
}

/// Whether a login names a user, then a connector and a password.
fn follows_user(line: &str, lower: &str) -> bool {
    if !LOGINS.are_in(lower) {
        return false;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(3).enumerate().any(|(at, it)| {
        let is_tie = |word: &&&str| CONNECTORS.contains(&trimmed(word).to_lowercase().as_str());
        // `admin and then …`
        let ties = words[at + 1..].iter().take(2).take_while(is_tie).count();
        let (user, password) = (trimmed(it[0]), words.get(at + 1 + ties).map_or("", |word| trimmed(word)));
        let is_connector = ties > 0 || CONNECTORS.contains(&it[1]);
        let as_user = at > 0 && AS.contains(&trimmed(words[at - 1]).to_lowercase().as_str());
        let is_address = user.contains('@') && user.contains('.');
        is_connector
            && is_user(user)
            && (as_user || is_address)
            && value::is_strong(password)
            && !is_program(password)
    }) || words.windows(2).any(|it| {
        // `login dee.marsh@inbox.example, Cru5tyBaguette`
        let user = trimmed(it[0]);
        user.contains('@')
            && user.contains('.')
            && it[0].ends_with([',', ':'])
            && value::is_strong(trimmed(it[1]))
    })
}

/// Whether a login uses the password, or names a usual user, a slash and the password: `I use Bernstein!Ufer for the
/// portal login`, `Jenkins admin / Wacholder-93`.
fn is_used_for(line: &str, lower: &str) -> bool {
    const USES: [&str; 8] = ["use", "uses", "nutze", "benutze", "uso", "usa", "utilise", "gebruik"];
    const FOR: [&str; 8] = ["for", "für", "para", "pour", "per", "as", "als", "voor"];
    if !LOGINS.are_in(lower) {
        return false;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(3).any(|it| {
        let (first, second, third) = (trimmed(it[0]), it[1], it[2]);
        let is_password =
            |word: &str| value::is_strong(word) && !is_program(word) && !value::is_product(word);
        let has = |list: &[&str], word: &str| list.contains(&word.to_lowercase().as_str());
        (has(&USES, first) && has(&FOR, third) && value::has_mark(second) && is_password(trimmed(second)))
            || (second == "/"
                && !first.eq_ignore_ascii_case("user")
                && is_name_of_user(first)
                && is_password(trimmed(third)))
    })
}

/// Whether a user, a colon and a password are one word, in a line about a login: `ssh as root:Pass4…`. Elsewhere, the
/// user has the name of a person's account and the password has capitals.
fn joins_user(line: &str, lower: &str) -> bool {
    const ACCOUNTS: [&str; 6] = ["root", "admin", "administrator", "pi", "ubuntu", "guest"];
    let mut before = "";
    line.split_whitespace().any(|word| {
        let previous = std::mem::replace(&mut before, word);
        let Some((user, password)) = trimmed(word).split_once(':') else { return false };
        is_user(user)
            && value::is_strong(password)
            && !is_program(password)
            && (ACCOUNTS.contains(&user.to_lowercase().as_str()) && password.contains(char::is_uppercase)
                || AS.contains(&trimmed(previous).to_lowercase().as_str()) && LOGINS.are_in(lower))
    })
}

/// Whether a login states its user, then connectors and hyphenated words: `the login is root and then horse-…`.
fn phrase_follows_user(line: &str, lower: &str) -> bool {
    /// Words before a stated user, in addition to those before any.
    const STATED: [&str; 10] = ["is", "ist", "lautet", "est", "es", "è", "é", "user", "=", "username"];
    // Most lines end here.
    if !lower.contains('-') || !LOGINS.are_in(lower) {
        return false;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    words.iter().enumerate().any(|(at, word)| {
        let phrase = trimmed(word);
        let is_tie = |word: &&&str| CONNECTORS.contains(&trimmed(word).to_lowercase().as_str());
        let ties = words[..at].iter().rev().take(2).take_while(is_tie).count();
        let [.., before, user] = &words[..at - ties] else { return false };
        let (before, user) = (trimmed(before).to_lowercase(), trimmed(user));
        ties > 0
            && phrase.split('-').count() >= 3
            && value::is_hyphenated_phrase(phrase)
            && !names_method(phrase)
            && is_name_of_user(user)
            && (STATED.contains(&before.as_str()) || AS.contains(&before.as_str()))
    })
}

/// Whether hyphenated words are a way to log in or its parts: `two-factor-authentication`.
fn names_method(phrase: &str) -> bool {
    const METHODS: [&str; 16] = [
        "auth", "factor", "verif", "token", "step", "sign", "session", "redirect", "role", "code", "error",
        "time", "prompt", "page", "screen", "user",
    ];
    phrase.split('-').any(|word| METHODS.iter().any(|method| word.starts_with(method)))
}

/// Whether it is the name of a user: a usual one, an address, or one with a digit.
fn is_name_of_user(word: &str) -> bool {
    const USERS: [&str; 16] = [
        "root",
        "admin",
        "administrator",
        "user",
        "guest",
        "pi",
        "ubuntu",
        "deploy",
        "postgres",
        "sa",
        "service",
        "ops",
        "support",
        "backup",
        "operator",
        "system",
    ];
    is_user(word)
        && (USERS.contains(&word.to_lowercase().as_str())
            || word.contains(['@', '.'])
            || word.bytes().any(|byte| byte.is_ascii_digit()))
}

pub(super) fn is_user(word: &str) -> bool {
    word.len() >= 2
        && word.len() <= 60
        && word.chars().all(|letter| letter.is_alphanumeric() || "._-@\\+".contains(letter))
}

/// Whether it is a program with a version or a mark.
pub(super) fn is_program(word: &str) -> bool {
    const PROGRAMS: [&str; 12] = [
        "notepad",
        "oauth",
        "chrome",
        "firefox",
        "windows",
        "office",
        "yubikey",
        "google",
        "github",
        "microsoft",
        "c++",
        "base64",
    ];
    let lower = word.to_lowercase();
    PROGRAMS.iter().any(|name| lower.starts_with(name))
}

/// Whether a file opens with the password.
fn opens_file(line: &str, lower: &str) -> bool {
    // Positions in the lower case are those of the line only if all letters keep their length.
    line.len() == lower.len()
        && FILES.are_in(lower)
        && OPEN_VERBS.matches(lower).any(|(index, verb)| {
            let rest = line.get(index + verb.len()..).unwrap_or_default();
            rest.split_whitespace().next().is_some_and(|word| {
                let word = trimmed(word);
                value::is_strong(word) && !is_program(word)
            })
        })
}

/// Whether a word says that a password follows, near a word for a password or a login.
fn is_stated(line: &str, lower: &str) -> bool {
    let has_passwords = PASSWORDS.are_in(lower);
    if !has_passwords && !LOGINS.are_in(lower) {
        return false;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let states_at = |at: usize| {
        let (before, after) = (&words[at.saturating_sub(NEAR)..=at], words.get(at + 2..).unwrap_or_default());
        let near = [before, &after[..after.len().min(NEAR)]].concat().join(" ").to_lowercase();
        match (PASSWORDS.are_in(&near), LOGINS.are_in(&near)) {
            (true, _) => &STATES[..],
            (_, true) => &STATES[..TYPED],
            _ => &[],
        }
    };
    // `contraseña del portátil de papá, CalaRubia1962`
    let is_camel = |word: &str| word.chars().filter(|letter| letter.is_uppercase()).count() >= 2;
    let is_last = words.len() <= 12
        && has_passwords
        && words.windows(2).last().is_some_and(|pair| {
            let password = trimmed(pair[1]);
            pair[0].ends_with([',', ':'])
                && !is_program(password)
                && (value::is_strong(password) || is_camel(password) && value::is_strong_or_named(password))
        });
    is_last
        || words.windows(2).enumerate().any(|(at, pair)| {
            let (word, password) = (trimmed(pair[0]).to_lowercase(), trimmed(pair[1]));
            let is_subject = || {
                // `the password's Regenbogen-2291`
                let name = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
                name.is_some_and(|name| CONTRACTED.contains(&name))
            };
            // `unzip it with password sparrow-88-hill`
            let is_object = || {
                let before = at.checked_sub(1).map(|before| words[before].to_lowercase());
                NAMES.contains(&word.as_str()) && before.is_some_and(|it| WITH.contains(&it.as_str()))
            };
            if (is_subject() || is_object()) && value::is_strong(password) && !is_program(password) {
                return true;
            }
            STATES.contains(&word.as_str())
                && value::is_strong(password)
                && !is_program(password)
                && states_at(at).contains(&word.as_str())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_after_users_and_verbs_are_found() {
        for text in [
            "to pay the council tax sign in as j.hartley62 with Gr4nnysBiscuits",
            "para entrar en la web uso msoler74 con Alcachofa_29",
            "Bei der Krankenkasse melde ich mich als hbrandt mit Kuchenblech!3 an",
            "pour Ameli je me connecte avec 2740659 et Tartiflette_73",
            "Ocado login dee.marsh@inbox.example, Cru5tyBaguette",
            "the jump host pw changed again, now it's  teC#!^#Jr==SCI  (user stays ops)",
            "you ssh in as admin and type Wh1mbrel&Sluice when it prompts",
            "o roteador da clínica entra com admin e depois capivara#Lago9",
            "sent you the zip, it opens with heron-31-lantern",
            "contraseña del portátil de papá, CalaRubia1962",
            "deploy box: ssh in as ci, then when asked, Thistle4Down!",
            "ssh to the NAS as root:Pass4Basement! and restart smbd",
            "unzip it with password sparrow_88_hill",
            "le code wifi c'est Baguette-2044",
            "I use Bernstein!Ufer for the tax portal login",
            "Jenkins admin / Wacholder-93",
            "the old camera still takes admin:Wh1mbrelGate",
            "the guest net is Fernhof-Gast, and the password's Regenbogen-2291",
            "rotated the redis password, new one is AWonlguyQYvT7TvGRF",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn programs_and_means_are_accepted() {
        for text in [
            "sign in as administrator with the smart card",
            "log in as guest with Chrome126 to see it",
            "you ssh in as admin and type systemctl restart nginx",
            "the zip opens with 7-Zip, the rar needs WinRAR",
            "the file opens with notepad++ and LibreOffice24",
            "the pw policy changed again, now it's twelve characters",
            "the login page is Login2Factor.vue",
            "the account type is Premium_2024",
            "the ratio is root:Mean4 at most, says admin:list",
            "log in with scope user:Base64Encoder",
            "we use Argon2!Hash for the login page and Vue",
            "login: user / Role-12, admin / Debian-12",
            "the password's SHA-256 hash is stored",
            "the prompt goes to a 13-billion-parameter model",
            "The password page explains at length which rules apply to names, addresses and years, who may change them, \
             how long that takes, and why the importer of the old site, which nobody runs, has become a 13-step-program",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
