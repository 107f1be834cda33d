//! Passwords in words: spelled out (`capital N, v, y, eight, hash`), or described by their parts (`Falcon, then 2214,
//! then a hash sign`).

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;

/// Parts of words for a password or a login, in lower case.
static ABOUT: Literals = Literals::new(&[
    "pw =",
    "pw:",
    "pw is",
    "password",
    "passwd",
    "passcode",
    "passphrase",
    "passwort",
    "kennwort",
    "contraseña",
    "clave",
    "mot de passe",
    "senha",
    "palavra-passe",
    "wachtwoord",
    "hasło",
    "пароль",
    "login",
    "log in",
    "credential",
    "pin ",
    "pwd",
    "wifi key",
    "wi-fi key",
    "zugang",
    "anmeldung",
    "acceso",
    "accès",
    "accesso",
    "acesso",
    "inlog",
]);
/// Words that say how a letter is written.
const CASES: [&str; 41] = [
    "capital",
    "cap",
    "caps",
    "uppercase",
    "upper",
    "lowercase",
    "lower",
    "small",
    "big",
    "großes",
    "großbuchstabe",
    "gross",
    "groß",
    "grosses",
    "großer",
    "kleines",
    "klein",
    "kleiner",
    "majuscule",
    "maj",
    "minuscule",
    "mayúscula",
    "mayuscula",
    "minúscula",
    "maiuscola",
    "maiuscolo",
    "minuscola",
    "minuscolo",
    "maiúsculo",
    "maiúscula",
    "minúsculo",
    "hoofdletter",
    "kleine",
    "grande",
    "case",
    "letter",
    "digit",
    "number",
    "zahl",
    "ziffer",
    "buchstabe",
];
/// Digits in words.
const DIGITS: [&str; 67] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "niner", "null", "eins",
    "zwei", "zwo", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "cero", "uno", "dos", "tres",
    "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "zéro", "un", "deux", "trois", "quatre", "cinq",
    "sept", "huit", "neuf", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "um", "dois",
    "três", "quatro", "sete", "oito", "nul", "twee", "drie", "vijf", "zes", "zeven", "negen", "jeden", "dwa",
    "trzy", "cztery", "pięć",
];
/// Punctuation in words; of several words, each one.
const MARKS: [&str; 64] = [
    "dollaro",
    "dólar",
    "cifrão",
    "euro",
    "exclamation",
    "mark",
    "point",
    "sign",
    "symbol",
    "hash",
    "hashtag",
    "pound",
    "dollar",
    "percent",
    "ampersand",
    "asterisk",
    "star",
    "dash",
    "hyphen",
    "minus",
    "plus",
    "underscore",
    "slash",
    "backslash",
    "dot",
    "period",
    "comma",
    "colon",
    "semicolon",
    "question",
    "at",
    "tilde",
    "caret",
    "equals",
    "ausrufezeichen",
    "fragezeichen",
    "raute",
    "sternchen",
    "bindestrich",
    "unterstrich",
    "punkt",
    "klammeraffe",
    "dollarzeichen",
    "prozent",
    "prozentzeichen",
    "exclamación",
    "almohadilla",
    "arroba",
    "asterisco",
    "guion",
    "guión",
    "signo",
    "punto",
    "exclamation",
    "dièse",
    "arobase",
    "astérisque",
    "tiret",
    "esclamativo",
    "cancelletto",
    "chiocciola",
    "exclamação",
    "cardinal",
    "ponto",
];
/// Names of letters: the alphabet of radio, and of Spanish and German.
const LETTERS: [&str; 76] = [
    "esse",
    "effe",
    "emme",
    "enne",
    "elle",
    "acca",
    "pe",
    "be",
    "ce",
    "ge",
    "te",
    "ve",
    "pi",
    "qu",
    "alpha",
    "alfa",
    "bravo",
    "charlie",
    "delta",
    "echo",
    "foxtrot",
    "golf",
    "hotel",
    "india",
    "juliett",
    "juliet",
    "kilo",
    "lima",
    "mike",
    "november",
    "oscar",
    "papa",
    "quebec",
    "romeo",
    "sierra",
    "tango",
    "uniform",
    "victor",
    "whiskey",
    "xray",
    "yankee",
    "zulu",
    "ene",
    "eme",
    "ele",
    "efe",
    "ese",
    "erre",
    "equis",
    "zeta",
    "jota",
    "hache",
    "anton",
    "berta",
    "cäsar",
    "dora",
    "emil",
    "friedrich",
    "gustav",
    "heinrich",
    "ida",
    "julius",
    "kaufmann",
    "ludwig",
    "martha",
    "nordpol",
    "otto",
    "paula",
    "quelle",
    "richard",
    "samuel",
    "theodor",
    "ulrich",
    "viktor",
    "wilhelm",
    "zacharias",
];
/// Words between letters.
const BETWEEN: [&str; 18] = [
    "then", "and", "dann", "und", "y", "luego", "et", "puis", "e", "poi", "depois", "the", "a", "as", "de",
    "d", "in", "wie",
];
/// Words between the parts of a described password.
static FOLLOWS: Literals = Literals::new(&[
    "then ",
    "followed by ",
    "plus ",
    "dann ",
    "danach ",
    "gefolgt von ",
    "seguida de ",
    "seguido de ",
    "luego ",
    "suivi de ",
    "suivi d'",
    "suivie de ",
    "puis ",
    "seguita da ",
    "seguito da ",
    "poi ",
    "depois ",
    "seguida do ",
    "seguida da ",
    "gevolgd door ",
    "with a capital ",
]);
/// Names of punctuation in the description of a password.
const NAMED_MARKS: [&str; 38] = [
    "exclamation mark",
    "exclamation point",
    "hash sign",
    "hashtag",
    "a hash",
    "pound sign",
    "dollar sign",
    "percent sign",
    "at sign",
    "question mark",
    "asterisk",
    "underscore",
    "ampersand",
    "a star",
    "a dash",
    "hyphen",
    "ausrufezeichen",
    "fragezeichen",
    "rautezeichen",
    "raute",
    "sternchen",
    "unterstrich",
    "dollarzeichen",
    "signo de exclamación",
    "exclamación",
    "asterisco",
    "almohadilla",
    "arroba",
    "guion bajo",
    "point d'exclamation",
    "dièse",
    "astérisque",
    "arobase",
    "punto esclamativo",
    "cancelletto",
    "chiocciola",
    "ponto de exclamação",
    "cardinal",
];
/// Words of rules about passwords.
static RULES: Literals = Literals::new(&[
    "must",
    "should",
    "need",
    "require",
    "at least",
    "minimum",
    "maximum",
    "characters",
    "may not",
    "cannot",
    "policy",
    "rule",
    "muss",
    "müssen",
    "soll",
    "mindestens",
    "zeichen lang",
    "großbuchstabe, ",
    "debe",
    "deben",
    "al menos",
    "mínimo",
    "mayúscula, número",
    "doit",
    "doivent",
    "au moins",
    "minimum",
    "deve",
    "devono",
    "devem",
    "almeno",
    "pelo menos",
    "ao menos",
    "field",
    "prompt",
    "press ",
    "retries",
    "attempts",
    "allowed",
    "contain",
    "enthält",
    "contiene",
    "contient",
    "contém",
]);
/// Minimum number of characters of a password that is spelled out.
const MIN_CHARS: usize = 6;
/// Maximum distance of a description from its keyword, in bytes.
const MAX_DISTANCE_BYTES: usize = 160;

/// Returns the kind if a line spells out or describes a password.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    text.lines()
        .any(|(_, lower)| ABOUT.are_in(lower) && (is_spelled(lower) || is_described(lower)))
        .then_some(SecretKind::new("password in words"))
}

/// Whether a run of words names at least six characters, of which some are digits, marks or capitals.
fn is_spelled(line: &str) -> bool {
    let (mut letters, mut others, mut cases, mut links) = (0, 0, 0, 0);
    let is_found = |letters: usize, others: usize, cases: usize| {
        letters + others >= MIN_CHARS && letters >= 3 && others + cases >= 1
    };
    for word in line.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut signs = word.chars();
        let single = signs.next().filter(|_| signs.next().is_none());
        if single.is_some_and(|letter| letter.is_ascii_digit()) || DIGITS.contains(&word) {
            others += 1;
            links = 0;
        } else if BETWEEN.contains(&word) && single.is_none() {
            links += 1;
        } else if single.is_some() || LETTERS.contains(&word) {
            letters += 1;
            links = 0;
        } else if MARKS.contains(&word) {
            others += 1;
            links = 0;
        } else if CASES.contains(&word) {
            cases += 1;
        } else {
            links = 3;
        }
        if links >= 3 {
            if is_found(letters, others, cases) {
                return true;
            }
            (letters, others, cases, links) = (0, 0, 0, 0);
        }
    }
    is_found(letters, others, cases)
}

/// Whether a password is described: a number and the name of a mark follow a copula.
fn is_described(line: &str) -> bool {
    const COPULAS: [&str; 13] = [
        " is ", " ist ", " lautet ", " es ", " est ", "c'est ", "c’est ", " è ", " é ", ": ", " = ",
        " equals ", " are ",
    ];
    if RULES.are_in(line) {
        return false;
    }
    COPULAS.iter().any(|copula| {
        line.split_once(copula).is_some_and(|(before, after)| {
            let mut end = after.len().min(MAX_DISTANCE_BYTES);
            while !after.is_char_boundary(end) {
                end -= 1;
            }
            let after = &after[..end];
            let number = after.split(|letter: char| !letter.is_alphanumeric()).any(|word| {
                word.len() >= 2 && word.len() <= 8 && word.bytes().all(|byte| byte.is_ascii_digit())
            });
            let follows = FOLLOWS.are_in(after);
            let is_followed =
                FOLLOWS.matches(after).any(|(at, word)| is_last_number(&after[at + word.len()..]));
            let has_mark = || number && follows && NAMED_MARKS.iter().any(|mark| after.contains(mark));
            ABOUT.iter().any(|name| before.contains(name.trim_end())) && (is_followed || has_mark())
        })
    })
}

/// Whether a number of at least three digits ends the description: `followed by the number 944`.
fn is_last_number(text: &str) -> bool {
    const NAMES: [&str; 12] = [
        "the number ",
        "the digits ",
        "the year ",
        "die zahl ",
        "el número ",
        "el año ",
        "le nombre ",
        "l'année ",
        "il numero ",
        "l'anno ",
        "o número ",
        "o ano ",
    ];
    let text = NAMES.iter().find_map(|name| text.strip_prefix(name)).unwrap_or(text);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    let goes_on = [" and ", " und ", " y ", " et ", " e "].iter().any(|word| rest.starts_with(word));
    (3..=8).contains(&digits)
        && (goes_on || rest.is_empty() || rest.starts_with([',', '.', ';', ')', '!', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_words_are_found() {
        for text in [
            "Login for the tax portal is spelled out: capital N, v, y, f, w, p, e, 3, r, exclamation mark",
            "Wi-Fi password, letter by letter: T, a, u, b, e, 7, 7, exclamation mark",
            "Das Passwort buchstabiert: großes N, klein v, y, acht, Ausrufezeichen, f, w, großes P",
            "le mot de passe épelé : N majuscule, v, y, trois, point d'exclamation, f, w",
            "password in NATO: capital Kilo, romeo, four, mike, papa, hash, niner",
            "the laptop password is Falcon then 2214 then a hash sign",
            "la contraseña es Cigüeña seguida de 4471 y un asterisco",
            "the password is \"coppertundra\" followed by the number 944",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn rules_and_other_lists_of_letters_are_not() {
        for text in [
            "my surname is spelled capital D, u, p, o, n, t",
            "the login form has variants a, b, c, d, e and f",
            "the password must have 12 characters followed by an exclamation mark",
            "enter the password, then press 2 for English",
            "the password is checked, then 500 ms pass",
            "the password is asked first, then 2 more questions",
            "blood groups A, B, O, AB; vitamins A, B, C, D, E, K",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
