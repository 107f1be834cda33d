//! Passphrases that are whole sentences, with articles and verbs, behind a name that only passphrases have and a strong
//! connector: `Kennsatz: sieben nasse Dachse tanzen auf dem Rathaus`.

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;

/// Names of passphrases, in lower case.
static NAMES: Literals = Literals::new(&[
    "passphrase",
    "pass phrase",
    "pass-phrase",
    "unlock phrase",
    "secret phrase",
    "password phrase",
    "kennsatz",
    "kennphrase",
    "passsatz",
    "pass-satz",
    "geheimsatz",
    "passwortsatz",
    "passwort-satz",
    "kennwortsatz",
    "schlüsselsatz",
    "phrase secrète",
    "phrase de passe",
    "phrase-clé",
    "phrase clé",
    "phrase mot de passe",
    "phrase d'accès",
    "phrase de déverrouillage",
    "frase de paso",
    "frase secreta",
    "frase clave",
    "frase contraseña",
    "frase de contraseña",
    "frase de acceso",
    "frase de desbloqueo",
    "frase segreta",
    "frase d'accesso",
    "frase di accesso",
    "frase chiave",
    "frase password",
    "frase d'ordine",
    "frase di sblocco",
    "frase-passe",
    "frase passe",
    "frase-chave",
    "frase chave",
    "frase-senha",
    "frase senha",
    "frase de acesso",
    "frase de desbloqueio",
]);
/// Signs and words that the passphrase follows.
const CONNECTORS: [&str; 16] = [
    ":", "→", "->", "=", " is ", " is now ", " ist ", " lautet ", " heißt ", " est ", " c'est ", " es ",
    " è ", " é ", " – ", " — ",
];
/// Things that a typed passphrase unlocks, in lower case.
static LOCKED: Literals = Literals::new(&[
    "encrypt",
    "disk",
    "drive",
    "luks",
    "veracrypt",
    "bitlocker",
    "password manager",
    "keepass",
    "passwort",
    "verschlüssel",
    "festplatte",
    "gestionnaire",
    "disque",
    "chiffr",
    "gestor",
    "disco",
    "cifrad",
    "portachiavi",
    "crittogr",
    "encriptad",
    "unlock",
    "entsperr",
    "déverrouill",
    "desbloque",
    "sblocc",
]);
/// Verbs and pronouns before a typed passphrase.
static TYPES: Literals = Literals::new(&[
    "you type ",
    "i type ",
    "type in ",
    " type ",
    "you enter ",
    "tippt man ",
    "tippe ich ",
    "on tape ",
    "je tape ",
    "tu tapes ",
    " taper ",
    "se escribe ",
    " escribo ",
    " escribe ",
    "hay que escribir ",
    "si scrive ",
    " scrivi ",
    " scrivo ",
    " digita ",
    "escreve-se ",
    " escrevo ",
    " digito ",
]);
/// Numbers of words of a passphrase.
const LENGTHS: std::ops::RangeInclusive<usize> = 5..=14;
/// Maximum number of words between the name and the connector.
const MAX_BETWEEN: usize = 9;
/// Words of statements about passphrases, or their beginnings if they have at least five letters.
const ABOUT: [&str; 229] = [
    "is",
    "are",
    "was",
    "ist",
    "sind",
    "est",
    "sont",
    "es",
    "son",
    "è",
    "sono",
    "é",
    "são",
    "ignored",
    "byte",
    "bytes",
    "must",
    "should",
    "may",
    "can",
    "cannot",
    "will",
    "would",
    "has",
    "have",
    "not",
    "never",
    "only",
    "also",
    "what",
    "that",
    "which",
    "when",
    "if",
    "because",
    "too",
    "very",
    "same",
    "different",
    "least",
    "more",
    "less",
    "than",
    "asked",
    "needed",
    "required",
    "stored",
    "saved",
    "kept",
    "written",
    "changed",
    "generated",
    "derived",
    "hashed",
    "used",
    "known",
    "forgotten",
    "wrong",
    "missing",
    "empty",
    "optional",
    "secure",
    "strong",
    "weak",
    "words",
    "characters",
    "letters",
    "digits",
    "vault",
    "manager",
    "bitwarden",
    "keepass",
    "1password",
    "keychain",
    "stdin",
    "file",
    "files",
    "variable",
    "option",
    "user",
    "users",
    "login",
    "account",
    "server",
    "database",
    "backup",
    "encrypt",
    "decrypt",
    "unlock",
    "password",
    "passphras",
    "please",
    "enter",
    "prompt",
    "read",
    "sent",
    "shared",
    "muss",
    "müssen",
    "soll",
    "sollte",
    "darf",
    "kann",
    "wird",
    "werden",
    "wurde",
    "nicht",
    "kein",
    "keine",
    "nie",
    "nur",
    "auch",
    "dass",
    "wenn",
    "weil",
    "wörter",
    "zeichen",
    "buchstab",
    "gespeich",
    "notiert",
    "hinterleg",
    "geändert",
    "vergess",
    "abgefrag",
    "verlangt",
    "benötigt",
    "sicher",
    "schwer",
    "wichtig",
    "passwort",
    "kennwort",
    "benutzer",
    "doit",
    "doivent",
    "peut",
    "peuvent",
    "sera",
    "était",
    "pas",
    "jamais",
    "seulement",
    "aussi",
    "que",
    "quand",
    "parce",
    "plus",
    "moins",
    "trop",
    "très",
    "mots",
    "caractèr",
    "lettres",
    "stocké",
    "enregist",
    "demand",
    "changée",
    "oubliée",
    "nécessai",
    "obligat",
    "longue",
    "difficil",
    "facile",
    "utilisat",
    "serveur",
    "fichier",
    "debe",
    "deben",
    "puede",
    "pueden",
    "será",
    "fue",
    "nunca",
    "solo",
    "sólo",
    "también",
    "cuando",
    "porque",
    "más",
    "menos",
    "palabras",
    "caracter",
    "guardad",
    "pide",
    "piden",
    "cambiad",
    "olvidad",
    "necesari",
    "larga",
    "fácil",
    "segura",
    "usuario",
    "servidor",
    "contrase",
    "deve",
    "devono",
    "devem",
    "può",
    "pode",
    "podem",
    "non",
    "não",
    "mai",
    "solo",
    "anche",
    "quando",
    "perché",
    "più",
    "meno",
    "parole",
    "caratter",
    "salvat",
    "richiest",
    "chiesta",
    "cambiat",
    "dimentic",
    "lunga",
    "sicura",
    "utente",
    "palavras",
    "caracte",
    "pedida",
    "pedid",
    "alterad",
    "esquec",
    "mais",
    "longa",
    "utilizad",
    "senha",
    "difícil",
];
/// Words between the name and the connector that make it a statement about passphrases.
const MODALS: [&str; 37] = [
    "must", "should", "may", "can", "will", "would", "has", "have", "not", "never", "if", "because", "muss",
    "soll", "sollte", "darf", "kann", "wird", "nicht", "doit", "peut", "pas", "ne", "debe", "puede", "no",
    "nunca", "deve", "può", "non", "mai", "pode", "não", "rules", "policy", "prompt", "length",
];
/// Words after a copula that begin a description, not a sentence.
const DESCRIBES: [&str; 30] = [
    "in", "on", "at", "with", "from", "by", "for", "to", "as", "auf", "bei", "von", "mit", "im", "am",
    "dans", "avec", "sur", "en", "con", "por", "para", "di", "da", "nel", "su", "em", "no", "na", "so",
];

/// Returns the kind if such a sentence follows a name, or a verb for typing in a line about something encrypted.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    text.lines()
        .any(|(_, lower)| {
            (["phrase", "frase", "satz"].iter().any(|part| lower.contains(part))
                && NAMES.matches(lower).any(|(index, name)| states(&lower[index + name.len()..])))
                || (["typ", "enter ", "tipp", "tap", "scri", "digit"].iter().any(|part| lower.contains(part))
                    && LOCKED.are_in(lower)
                    && TYPES
                        .matches(lower)
                        .any(|(index, verb)| is_sentence(&lower[index + verb.len()..], false)))
        })
        .then_some(SecretKind::new("passphrase"))
}

fn states(rest: &str) -> bool {
    const REACH_BYTES: usize = 300;
    let mut end = rest.len().min(REACH_BYTES);
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    let rest = &rest[..end];
    CONNECTORS.iter().any(|connector| {
        rest.split_once(connector).is_some_and(|(between, value)| {
            between.split_whitespace().count() <= MAX_BETWEEN
                && !between.contains(['.', ';', '?', '!', '(', ':', '='])
                && !between.split_whitespace().any(|word| MODALS.contains(&word))
                && is_sentence(value, matches!(*connector, ":" | "→" | "->" | "="))
        })
    })
}

/// Whether a word of statements about passphrases is among the words of a text.
pub(super) fn is_about(text: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric()).any(|word| {
        ABOUT.iter().any(|about| word == *about || (about.chars().count() >= 6 && word.starts_with(about)))
    })
}

/// Whether a value begins with a sentence that says nothing about passphrases.
fn is_sentence(value: &str, is_sign: bool) -> bool {
    let value = value.trim_start_matches([' ', '"', '\'', '`', '*']);
    let sentence =
        value.split(['.', ',', ';', '(', '!', '?', '"', ':', '=']).next().unwrap_or_default().trim();
    let words: Vec<&str> = sentence.split([' ', '-', '_']).filter(|word| !word.is_empty()).collect();
    let is_word = |word: &&str| {
        let word = word.trim_matches(['\'', '`', '*']);
        word.chars().all(|letter| letter.is_alphabetic() || letter == '\'') && word.chars().count() <= 20
    };
    let long = words.iter().filter(|word| word.chars().count() >= 4).count();
    LENGTHS.contains(&words.len())
        && words.iter().all(is_word)
        && long >= 3
        && !is_about(sentence)
        && (is_sign || !words.first().is_some_and(|word| DESCRIBES.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_behind_a_name_and_a_tie_are_found() {
        for text in [
            "passphrase for the encrypted stick is eight badgers argue loudly about cheese",
            "Mein Kennsatz fürs Programm: neun müde Biber bauen nachts am Damm",
            "Der Kennsatz für den Stick lautet fünf graue Katzen schlafen unter der Treppe",
            "La phrase secrète du disque chiffré : quatre hérons dansent sous le pont, sans majuscule",
            "Frase de paso del disco: siete garzas cruzan el río sin mojarse",
            "frase segreta del portachiavi: la volpe zoppa vende fichi al mercato",
            "A frase-passe do cofre digital é cinco corvos bebem chá na varanda, tudo em minúsculas",
            "to unlock the laptop's disk you type the brown heron eats seventeen cold waffles, all lower case",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn statements_about_passphrases_are_accepted() {
        for text in [
            "Passphrase rules: seven words, no punctuation, changed every year",
            "the passphrase is asked for at every boot and after each update",
            "the passphrase is what protects the laptop from thieves at night",
            "La phrase secrète doit contenir au moins six mots sans accent",
            "la frase de paso es lo más difícil de recordar para los nuevos",
            "A frase-passe é pedida sempre que o cofre digital fecha",
            "La passphrase è richiesta all'avvio del computer dopo ogni riavvio",
            "Der Kennsatz ist auf dem Zettel im Tresor unten links",
            "the programs read a passphrase alike: a byte order mark is ignored, and a file over 4,096 bytes",
            "--passphrase: read the key from a terminal without an echo",
            "to unlock the disk you type the recovery key",
            "to decrypt the file type the name of the file, then its password",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
