//! Passphrases of a few words with their small words, behind a label and a colon: `Passwort für das NAS: erdbeer kuchen
//! mit sahne`. In English, more words also behind a copula: `the password is purple otter sings at midnight`. Only in
//! languages of whose sentences the usual words are known.

use super::names::KEYWORD;
use crate::normalize::folded;
use crate::secrets::passwords::common_words::is_of_speech;
use crate::secrets::passwords::sentence_phrases::is_about;

/// Labels after which such a phrase counts.
const LABELS: [&str; 9] = [
    "passwort",
    "kennwort",
    "password",
    "contrasena",
    "mot de passe",
    "senha",
    "palavra-passe",
    "wachtwoord",
    "palavra passe",
];
/// Small words within a phrase.
const SMALL: [&str; 47] = [
    "mit", "und", "im", "am", "auf", "in", "der", "die", "das", "dem", "den", "ein", "eine", "ohne", "with",
    "and", "on", "the", "of", "at", "a", "an", "con", "y", "de", "del", "la", "el", "los", "las", "sin",
    "avec", "et", "au", "aux", "du", "des", "les", "le", "e", "di", "com", "da", "do", "met", "van", "een",
];
/// Words of notes about where a password is and in which state, or their beginnings if they have at least five letters.
const OF_NOTES: [&str; 142] = [
    "steht",
    "liegt",
    "siehe",
    "hangt",
    "klebt",
    "frag",
    "frage",
    "fragen",
    "wie",
    "gleich",
    "selbe",
    "dassel",
    "unbekan",
    "geandert",
    "gesetzt",
    "zettel",
    "tresor",
    "schublade",
    "schrank",
    "kommt",
    "gibt",
    "folgt",
    "per",
    "mail",
    "signal",
    "bekannt",
    "unverandert",
    "abgelauf",
    "bitte",
    "nur",
    "kennt",
    "weiss",
    "hat",
    "haben",
    "gilt",
    "oma",
    "papa",
    "mama",
    "chef",
    "kollege",
    "ordner",
    "aufkleber",
    "werkseitig",
    "standard",
    "ask",
    "see",
    "same",
    "changed",
    "call",
    "check",
    "look",
    "text",
    "ping",
    "lives",
    "sits",
    "note",
    "drawer",
    "sticker",
    "lost",
    "printed",
    "unchanged",
    "label",
    "back",
    "under",
    "taped",
    "expires",
    "before",
    "after",
    "safe",
    "shared",
    "team",
    "office",
    "desk",
    "week",
    "month",
    "today",
    "yesterday",
    "monday",
    "friday",
    "owner",
    "boss",
    "pregunta",
    "ver",
    "mirar",
    "esta",
    "igual",
    "mismo",
    "misma",
    "nota",
    "cajon",
    "pegatina",
    "cambia",
    "pedir",
    "pide",
    "caduca",
    "demande",
    "voir",
    "colle",
    "meme",
    "identique",
    "tiroir",
    "etiquette",
    "inchange",
    "expire",
    "bureau",
    "coffre",
    "change",
    "chiede",
    "chiedi",
    "vedi",
    "stesso",
    "stessa",
    "uguale",
    "biglietto",
    "cassetto",
    "scade",
    "pergunt",
    "mesma",
    "mesmo",
    "bilhete",
    "gaveta",
    "etiqueta",
    "mudou",
    "vraag",
    "vragen",
    "zie",
    "staat",
    "ligt",
    "hetzelfde",
    "zelfde",
    "briefje",
    "lade",
    "kluis",
    "gewijzigd",
    "verloopt",
    "router",
    "weekend",
    "onbekend",
    "leer",
    "dort",
    "noch",
    "immer",
];
/// Minimum number of words that are not small: in a phrase of such words alone, and of one with small words.
const MIN_CONTENT: usize = 4;
const MIN_CONTENT_AMONG_SMALL: usize = 2;
/// Maximum number of words between the label and the colon.
const MAX_BETWEEN: usize = 6;

/// Whether such a phrase follows the label.
pub(super) fn is_stated(label: &str, rest: &str) -> bool {
    if !LABELS.contains(&label) {
        return false;
    }
    let stated = rest.split_once(" is ").filter(|_| label == KEYWORD);
    let assigned = rest.split_once(": ");
    assigned.is_some_and(|(between, value)| is_stated_after(label, between, value, MIN_CONTENT_AMONG_SMALL))
        || stated.is_some_and(|(between, value)| is_stated_after(label, between, value, MIN_CONTENT))
}

/// Whether such a phrase follows what stands between a label and a sign or a copula.
fn is_stated_after(label: &str, between: &str, value: &str, least_among_small: usize) -> bool {
    if between.contains(['.', ';', '?', '!', ',', '"', '=', '{'])
        || between.split_whitespace().count() > MAX_BETWEEN
        || !(between.is_empty() || between.starts_with(' '))
    {
        return false;
    }
    let phrase = value.trim().trim_end_matches('.');
    let words: Vec<String> = phrase.split(' ').map(folded).collect();
    let is_small = |word: &String| SMALL.contains(&word.as_str());
    let content = words.iter().filter(|word| !is_small(word)).count();
    let is_plain = phrase.chars().all(|letter| letter == ' ' || letter.is_lowercase());
    // Where small words stand among them, it is no list of terms.
    let least = if content < words.len() { least_among_small } else { MIN_CONTENT };
    is_plain
        && (3..=7).contains(&words.len())
        && (least..=5).contains(&content)
        && content * 2 >= words.len()
        && words.first().is_some_and(|word| !is_small(word))
        && words.last().is_some_and(|word| !is_small(word))
        && words.iter().filter(|word| !is_small(word)).all(|word| is_noun(word, label))
        && !phrase.split(' ').any(|word| is_about(word) && !SMALL.contains(&folded(word).as_str()))
}

fn is_noun(word: &str, label: &str) -> bool {
    let is_of_note = |known: &&str| word == *known || (known.len() >= 5 && word.starts_with(known));
    // Endings of English participles and adverbs.
    let is_form = label.starts_with("pass")
        && word.len() > 4
        && ["ed", "ing", "ly"].iter().any(|ending| word.ends_with(ending));
    (3..=20).contains(&word.chars().count())
        && !is_form
        && !is_of_speech(word)
        && !OF_NOTES.iter().any(is_of_note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_distinguished_from_notes() {
        for (label, rest) in [
            ("passwort", " für den nas: erdbeer kuchen mit sahne"),
            ("contrasena", ": tortilla con cebolla morada"),
            ("wachtwoord", " van de nas: verse haring met uitjes"),
            ("password", " at the cabin is purple otter sings at midnight"),
        ] {
            assert!(is_stated(label, rest), "{rest}");
        }
        for (label, rest) in [
            ("passwort", " für den nas: liegt im tresor bei oma"),
            ("passwort", ": mindestens zwölf zeichen mit zahlen"),
            ("password", " for the nas: ask marta before the weekend"),
            ("password", ": letters and digits"),
            ("password", " is safe behind a lock in the office"),
            ("password", " is kept under glass near the router on monday"),
            ("password", " is part of the setup for each machine"),
            ("password", " is the name of the dog"),
            ("passwort", " is ein wort mit ecken und kanten"),
            ("mot de passe", " du nas : demander à marta au bureau"),
            ("haslo", ": zupa z kota i psa"),
        ] {
            assert!(!is_stated(label, rest), "{rest}");
        }
    }
}
