//! Passwords that notes state by what one does with them: one gets in (`you get in with …`), answers a prompt (`when
//! the NAS asks, type …`), gives a device what it wants (`sudo wants "…"`), or makes them of something (`her dog's name
//! plus 2014, so …`).

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;
use crate::secrets::value;

/// What is said of getting in, in lower case.
static ENTRIES: Literals = Literals::new(&[
    "get in ",
    "gets in ",
    "get into ",
    "gets into ",
    "getting in ",
    "getting into ",
    "get on ",
    "gets you in",
    "get you in",
    "lets you in",
    "let you in",
    "lets me in",
    "lets us in",
    "let yourself in",
    "getting on ",
    "get past ",
    "gets past ",
    "reinkomm",
    "rein komm",
    "kommst du rein",
    "kommt man rein",
    "komme ich rein",
    "kommen wir rein",
    "man rein mit",
    "hineinkomm",
    "kommt man hinein",
    "kommt man an ",
    "entras con",
    "entra con",
    "entro con",
    "entramos con",
    "se entra ",
    "para entrar",
    "pour entrer",
    "on entre ",
    "tu entres ",
    "j'entre ",
    "pour accéder",
    "si entra ",
    "per entrare",
    "entri con",
    "se entra com",
    "entra com",
    "entras com",
]);
/// Parts of verbs that unlock, in lower case. Other things than devices are unlocked, too.
static UNLOCKS: Literals =
    Literals::new(&["unlock", "entsperr", "aufsperr", "desbloque", "déverrouill", "débloqu", "sblocc"]);
/// Words before the password of an entry.
const WITH: [&str; 8] = ["with", "using", "mit", "con", "avec", "com", "met", "w/"];
/// What is said of a prompt, in lower case.
static PROMPTS: Literals = Literals::new(&[
    " asks",
    " ask ",
    " asked",
    " prompts",
    "prompted",
    "prompt ",
    "prompt,",
    " wants",
    "and press enter",
    "and hit enter",
    "then press enter",
    "then hit enter",
    "press return",
    " fragt",
    "nachfragt",
    "gefragt",
    "und enter",
    "dann enter",
    " pregunt",
    " pide",
    " pida",
    "y pulsa",
    "y dale",
    " demande",
    "puis entrée",
    "et entrée",
    " chiede",
    " richie",
    "e premi",
    "e invio",
    "poi invio",
    " pede ",
    " pedir",
    " perguntar",
    "e carrega",
    "e enter",
]);
/// Words that have the password typed.
const TYPES: [&str; 31] = [
    "type",
    "enter",
    "answer",
    "say",
    "tippe",
    "tipp",
    "tippst",
    "eintippen",
    "eingeben",
    "antworte",
    "sag",
    "escribe",
    "escribes",
    "teclea",
    "pon",
    "responde",
    "mete",
    "tape",
    "tapez",
    "saisis",
    "saisir",
    "mets",
    "réponds",
    "digita",
    "scrivi",
    "rispondi",
    "metti",
    "inserisci",
    "escreve",
    "digite",
    "põe",
];
/// Things that a person unlocks, in lower case.
static DEVICES: Literals = Literals::new(&[
    "sudo",
    "root",
    "laptop",
    "notebook",
    "macbook",
    "computer",
    "rechner",
    "ordenador",
    "portátil",
    "ordinateur",
    "portable",
    "portatile",
    "nas ",
    "router",
    "keychain",
    "keyring",
    "schlüsselbund",
    "luks",
    "bitlocker",
    "filevault",
    "veracrypt",
    "bios",
    "lock screen",
    "login screen",
    "sperrbildschirm",
    "tablet",
    "ipad",
    "iphone",
    "phone ",
    "handy",
    "móvil",
    "telefono",
    "téléphone",
    "printer",
    "drucker",
    "impresora",
    "imprimante",
    "stampante",
    "alarm",
    "alarma",
    "garage",
    "tresor",
    "caja",
    "coffre",
    "cassaforte",
    "cofre",
    "backup disk",
    "disk ",
    "platte",
    "disco",
    "disque",
    "wifi",
    "wi-fi",
    "wlan",
    "vpn",
    "ssh",
]);
/// Words by which a device asks for the password, which follows.
const WANTS: [&str; 28] = [
    "wants",
    "expects",
    "accepts",
    "takes",
    "needs",
    "want",
    "will",
    "möchte",
    "verlangt",
    "erwartet",
    "akzeptiert",
    "nimmt",
    "braucht",
    "quiere",
    "pide",
    "espera",
    "acepta",
    "veut",
    "attend",
    "accepte",
    "demande",
    "vuole",
    "chiede",
    "accetta",
    "aspetta",
    "quer",
    "pede",
    "aceita",
];
/// Words before a password that is concluded.
const SO: [&str; 22] = [
    "so", "i.e", "ie", "namely", "makes", "gives", "thus", "hence", "also", "nämlich", "ergibt", "sprich",
    "o sea", "osea", "sea", "entonces", "soit", "donc", "cioè", "quindi", "seja", "portanto",
];
/// What a password is made of, in lower case.
static MADE_OF: Literals = Literals::new(&[
    " plus ",
    " and the year",
    "followed by",
    "birth year",
    "year of birth",
    "name and",
    "geburtsjahr",
    "jahrgang",
    "gefolgt von",
    "name und",
    "hinten dran",
    "dahinter",
    " más ",
    "seguido de",
    "año de",
    "nombre y",
    "suivi de",
    "année de",
    "le nom",
    " più ",
    "seguito da",
    "anno di",
    "nome e",
    " mais o ",
    "ano de",
]);
/// Beginnings of products and terms with a number.
const PRODUCTS: [&str; 38] = [
    "android",
    "iphone",
    "ipad",
    "windows",
    "chrome",
    "firefox",
    "safari",
    "edge",
    "office",
    "version",
    "keycloak",
    "oauth",
    "openid",
    "saml",
    "totp",
    "fido",
    "yubikey",
    "github",
    "gitlab",
    "google",
    "microsoft",
    "ubuntu",
    "debian",
    "fedora",
    "postgres",
    "mysql",
    "mariadb",
    "python",
    "node",
    "java",
    "angular",
    "react",
    "vue",
    "kotlin",
    "swift",
    "release",
    "sprint",
    "ticket",
];
/// Words of phrases that name something technical.
const TECHNICAL: [&str; 48] = [
    "json",
    "yaml",
    "xml",
    "http",
    "https",
    "api",
    "header",
    "content",
    "type",
    "token",
    "tokens",
    "key",
    "keys",
    "file",
    "files",
    "path",
    "name",
    "names",
    "value",
    "values",
    "config",
    "user",
    "users",
    "id",
    "ids",
    "access",
    "new",
    "no",
    "privileges",
    "read",
    "write",
    "only",
    "mode",
    "time",
    "date",
    "year",
    "month",
    "day",
    "step",
    "factor",
    "two",
    "one",
    "end",
    "multi",
    "signed",
    "based",
    "up",
    "to",
];
/// Maximum number of characters of a phrase in quotation marks.
const MAX_QUOTED_CHARS: usize = 60;

/// Returns the kind of the first such password.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    text.lines()
        .any(|(line, lower)| states_password(line, lower))
        .then_some(SecretKind::new("password of a login"))
}

fn states_password(line: &str, lower: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_any = |is: fn(&str) -> bool| words.iter().any(|word| is(trimmed(word)));
    // Most lines end here.
    if !is_any(is_password) && !words.iter().any(|word| is_quoted_phrase(word)) {
        return false;
    }
    let follows = |ties: &[&str], is: fn(&str) -> bool| {
        words.windows(2).any(|pair| ties.contains(&trimmed(pair[0]).to_lowercase().as_str()) && is(pair[1]))
    };
    let is_of_device = DEVICES.are_in(lower);
    (ENTRIES.are_in(lower) && follows(&WITH, is_stated))
        || (UNLOCKS.are_in(lower) && follows(&WITH, if is_of_device { is_stated } else { is_wanted }))
        || (PROMPTS.are_in(lower) && follows(&TYPES, is_stated))
        || (is_of_device && follows(&WANTS, is_wanted))
        || ((is_of_device || ENTRIES.are_in(lower) || MADE_OF.are_in(lower)) && concludes(&words))
}

/// Whether a password in one word, or a phrase of words in quotation marks.
fn is_stated(word: &str) -> bool {
    is_password(trimmed(word)) || is_quoted_phrase(word)
}

/// As [`is_stated`], without names with a number that are not in quotation marks: a device may need programs.
fn is_wanted(word: &str) -> bool {
    let bare = trimmed(word);
    is_stated(word) && (value::is_strong(bare) || word.starts_with(['"', '\'', '`', '“', '«']))
}

/// Whether a clause ends with a password that it concludes: `…, so Balou2014.`
fn concludes(words: &[&str]) -> bool {
    words.windows(2).enumerate().any(|(at, pair)| {
        let is_end = at + 2 == words.len() || pair[1].ends_with(['.', ',', ';', '!', ')', '"', '\'']);
        is_end && SO.contains(&trimmed(pair[0]).to_lowercase().as_str()) && is_password(trimmed(pair[1]))
    })
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`', ',', ';', '(', ')', '.', ':', '<', '>', '?', '“', '”', '«', '»'])
}

fn is_password(word: &str) -> bool {
    value::is_strong_or_named(word) && {
        let lower = word.to_lowercase();
        !PRODUCTS.iter().any(|name| lower.starts_with(name))
    }
}

/// Whether it is a phrase of words in quotation marks, joined by hyphens: `"correct-llama-battery"`.
fn is_quoted_phrase(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
    let inner = ['"', '\'', '`'].iter().find_map(|mark| word.strip_prefix(*mark)?.strip_suffix(*mark));
    inner.is_some_and(|phrase| {
        phrase.chars().count() <= MAX_QUOTED_CHARS
            && value::is_phrase_of_letters(phrase)
            && !phrase.split('-').any(|part| TECHNICAL.contains(&part.to_lowercase().as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_of_entries_prompts_and_devices_are_found() {
        for text in [
            "the guest net is Heron-Guest and you get in with Marmelade1962",
            "ins Gäste-WLAN kommt man rein mit Zwetschge1974",
            "en el portal se entra con Membrillo1988",
            "when the scanner asks, type copperKettle#21 and press enter",
            "wenn der Drucker fragt, tippe Hagebutte#12",
            "the laptop wants \"tulip-anchor-saddle\" after each update",
            "der Rechner im Keller will \"wolke-kessel-anker\"",
            "her tablet unlocks by the cat's name plus 2011, so Minka2011.",
            "Name der Katze und Geburtsjahr, also Minka2011",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn products_terms_and_ways_are_accepted() {
        for text in [
            "you get in with your fingerprint or the card",
            "get into the admin area with Keycloak26 and two factors",
            "when the installer asks, type yes and press enter",
            "the router expects \"content-type-header\" in each request",
            "sudo wants \"no-new-privileges\" off",
            "her name plus the year, so it is easy to guess",
            "when asked, enter the version Release2024",
            "the laptop needs Windows11",
            "the printer takes A4 and A3",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
