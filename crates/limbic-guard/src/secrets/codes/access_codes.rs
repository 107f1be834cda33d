//! Numbers that open a thing, by what they open and how: `the garage opens with 494731`, `code de ma carte : 9317`.

use crate::secrets::codes::clauses::{Clause, clauses, is_digits};
use crate::secrets::codes::keypad_codes::is_typed;
use crate::secrets::codes::lock_words::{CARDS_AND_DEVICES, OPEN_VERBS, OTHER_CODES, is_lock_word};
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::text::Text;

/// Words for a code.
const CODES: [&str; 32] = [
    "kód",
    "unlock",
    "code",
    "codes",
    "código",
    "codigo",
    "codice",
    "kode",
    "kod",
    "код",
    "pin",
    "nip",
    "clave",
    "senha",
    "geheimzahl",
    "geheimnummer",
    "combination",
    "combinación",
    "combinaison",
    "combinazione",
    "kombination",
    "zahlenkombination",
    "passcode",
    "password",
    "passwort",
    "contraseña",
    "wachtwoord",
    "segredo",
    "pincode",
    "nummer",
    "cijfercode",
    "şifresi",
];
/// Words for a code that also say what it opens.
const COMPOUND_CODES: [&str; 27] = [
    "türcode",
    "alarmcode",
    "sperrcode",
    "entsperrcode",
    "haustürcode",
    "torcode",
    "garagencode",
    "kartenpin",
    "handypin",
    "safecode",
    "tresorcode",
    "displaycode",
    "bildschirmcode",
    "handycode",
    "digicode",
    "digicodice",
    "codeschloss",
    "zahlenschloss",
    "banking",
    "telefonbanking",
    "voicemail",
    "sicherheitsnummer",
    "türpin",
    "gerätecode",
    "kindersicherung",
    "toegangscode",
    "bildschirmsperre",
];
/// Words between such a verb and the number.
const WITH: [&str; 23] = [
    "marcando",
    "digitando",
    "tecleando",
    "tapant",
    "composant",
    "typing",
    "entering",
    "pressing",
    "with",
    "con",
    "com",
    "avec",
    "mit",
    "by",
    "using",
    "met",
    "via",
    "on",
    "col",
    "code",
    "código",
    "codice",
    "pin",
];
/// Things after whose name alone a number is its code: `keypad: 4931#`.
const LOCKS: [&str; 39] = [
    "keypad",
    "lockbox",
    "keybox",
    "keysafe",
    "digicode",
    "schlüsselsafe",
    "schlüsselkasten",
    "padlock",
    "cadenas",
    "candado",
    "lucchetto",
    "cadeado",
    "vorhängeschloss",
    "fahrradschloss",
    "interphone",
    "alarm",
    "alarma",
    "allarme",
    "alarme",
    "alarmanlage",
    "zahlenschloss",
    "türschloss",
    "safe",
    "tresor",
    "coffre",
    "haustür",
    "hoftor",
    "garagentor",
    "wohnungstür",
    "portail",
    "portón",
    "cancello",
    "portão",
    "portone",
    "door",
    "cofre",
    "cassaforte",
    "garage",
    "gate",
];

/// Returns the kind if a clause states the number that opens a thing.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    clauses(&text.lower).any(|clause| states_code(&clause)).then_some(SecretKind::new("PIN"))
}

fn states_code(clause: &Clause) -> bool {
    let tokens = &clause.tokens;
    (1..tokens.len()).any(|index| {
        clause.number_at(index).is_some_and(|number| {
            let is_prefixed = tokens[index].gap.ends_with("g-") || tokens[index].gap.contains('.');
            !is_prefixed
                && (follows_code(clause, index, number.has_key)
                    || (!number.is_year
                        && (number.ends || number.has_key)
                        && (is_typed(clause, index, number.words)
                            || is_lock_changed(clause, index)
                            || follows_opening(clause, index, number.words, number.is_last)))
                    || (!number.is_year
                        && (number.is_last || number.has_key || is_disarming(clause, index + number.words))
                        && follows_lock(clause, index, number.has_key, number.is_last)))
        })
    })
}

/// Whether a code of a thing is named before the number, and a connector says that the number is its value.
fn follows_code(clause: &Clause, index: usize, has_key: bool) -> bool {
    const REACH_WORDS: usize = 12;
    let from = index.saturating_sub(REACH_WORDS);
    let before = &clause.tokens[from..index];
    let Some(code) =
        before.iter().rposition(|it| CODES.contains(&it.word) || COMPOUND_CODES.contains(&it.word))
    else {
        return false;
    };
    let around = &before[code.saturating_sub(2)..(code + 3).min(before.len())];
    if around.iter().any(|it| OTHER_CODES.contains(&it.word)) {
        return false;
    }
    let names_thing = before[code.saturating_sub(5)..].iter().any(|it| is_lock_word(it.word))
        || COMPOUND_CODES.contains(&before[code].word);
    // `lockbox code 4931`; after the name of a card a number is often its own: `the code for card 4821`.
    let is_beside = code + 1 == before.len() && clause.tokens[index].gap == " ";
    let is_strong = ["geheimzahl", "geheimnummer", "pin", "nip"].contains(&before[code].word)
        && clause.tokens[index].gap == " "
        && before.last().is_some_and(|it| is_lock_word(it.word));
    // Digits with a letter are no amount: `code du portail 49A47`.
    let is_keypad = !is_digits(clause.tokens[index].word) && clause.tokens[index].gap == " ";
    names_thing && (clause.is_connected(index) || is_beside || is_keypad || is_strong || has_key)
}

/// Whether a thing opens with the number: `la puerta se abre con 494731`.
fn follows_opening(clause: &Clause, index: usize, words: usize, is_last: bool) -> bool {
    const REACH_WORDS: usize = 7;
    let at = clause.before_articles(index);
    let before = &clause.tokens[at.saturating_sub(REACH_WORDS)..at];
    let after = &clause.tokens[index + words..];
    let opens = before.iter().any(|it| OPEN_VERBS.iter().any(|verb| it.word.starts_with(verb)))
        || after.iter().take(2).any(|it| OPEN_VERBS.iter().any(|verb| it.word.starts_with(verb)))
        || (before.iter().any(|it| it.word == "geht") && after.first().is_some_and(|it| it.word == "auf"));
    // `para desactivar la alarma, 4931`
    let is_beside = is_last && matches!(clause.tokens[index].gap.trim(), "," | ":");
    let is_then = clause.tokens[index].gap.trim() == ":" && is_disarming(clause, index + words);
    let is_with = is_beside || is_then || before.last().is_some_and(|it| WITH.contains(&it.word));
    // `Handy von Papa entsperren 4409`
    let is_unlocked = is_last
        && clause.tokens[index].gap == " "
        && before.last().is_some_and(|it| {
            ["entsperr", "unlock", "desbloque", "sblocc", "déverrouill", "débloqu"]
                .iter()
                .any(|verb| it.word.starts_with(verb))
        });
    opens && (is_with || is_unlocked) && clause.tokens.iter().any(|it| is_lock_word(it.word))
}

/// Whether a lock is changed to the number: `front door lock changed to 739156`.
fn is_lock_changed(clause: &Clause, index: usize) -> bool {
    const REACH_WORDS: usize = 8;
    let before = &clause.tokens[index.saturating_sub(REACH_WORDS)..index];
    clause.is_changed(index)
        && before.iter().any(|it| is_lock_word(it.word) && !CARDS_AND_DEVICES.contains(&it.word))
        && !before.iter().any(|it| OTHER_CODES.contains(&it.word))
}

/// Whether the words after a number say that it disarms: `493172 zum Entschärfen`.
fn is_disarming(clause: &Clause, index: usize) -> bool {
    let then = ["then", "dann", "poi", "puis", "luego", "depois"];
    let after = clause.tokens.get(index..).unwrap_or_default();
    after.first().is_some_and(|it| then.contains(&it.word))
        || after.iter().take(3).any(|it| OPEN_VERBS.iter().any(|verb| it.word.starts_with(verb)))
}

/// Whether a lock is named, then a sign, then the number: `front door: 494731`, `key is in the lockbox, 4931`.
fn follows_lock(clause: &Clause, index: usize, has_key: bool, is_last: bool) -> bool {
    const REACH_WORDS: usize = 5;
    let gap = clause.tokens[index].gap.trim();
    let before = &clause.tokens[index.saturating_sub(REACH_WORDS)..index];
    // `le port de l'alarme est le 8080`
    let earlier = &clause.tokens[index.saturating_sub(2 * REACH_WORDS)..index];
    if earlier.iter().any(|it| OTHER_CODES.contains(&it.word)) {
        return false;
    }
    let is_lock = |word: &str, locks: &[&str]| locks.contains(&word);
    let is_colon = matches!(gap, ":" | "=" | "→" | "–" | "—");
    (is_colon && before.iter().any(|it| is_lock(it.word, &LOCKS)))
        || ((gap == "," || has_key) && before.last().is_some_and(|it| is_lock(it.word, &LOCKS[..15])))
        || (is_last && gap.is_empty() && before.last().is_some_and(|it| is_lock(it.word, &LOCKS[..5])))
        || (is_last && clause.is_connected(index) && before.iter().any(|it| is_lock(it.word, &LOCKS[..25])))
        || (is_colon
            && !is_digits(clause.tokens[index].word)
            && before.iter().any(|it| is_lock_word(it.word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_open_a_thing_are_found() {
        for text in [
            "Le code de ma carte bancaire est le 9317",
            "A porta da garagem abre com 494731 e depois cardinal",
            "die Haustür geht mit 494731 auf",
            "am Tor 494731 eintippen",
            "type 4947# at the gate",
            "il telefono si sblocca con 493172",
            "la alarma se desactiva con 4931",
            "der Sperrcode vom iPad ist 493172",
            "Airbnb lockbox code 4931",
            "Geheimzahl der Kreditkarte 4471",
            "código da porta do prédio 49A47",
            "Handy von Papa entsperren 4417",
            "front door: 494731 then the hash key",
            "keypad: 4931#",
            "la porte de l'immeuble s'ouvre avec 49A47",
            "the combination for the locker is 31-17-5",
            "front door lock changed to 739156, the cleaner comes Wednesday",
            "die Alarmanlage wurde auf 4826 umgestellt",
            "код от подъезда поменяли на 4827",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn other_numbers_are_not() {
        for text in [
            "the code for card 4821 is merged",
            "the zip code of the card's billing address is 90210",
            "the gate opened with 4931 visitors",
            "la tienda abre con 4500 artículos",
            "the alarm rang at 0430",
            "Haustür: Modell 49473",
            "the door count changed to 4417 in the model",
            "garage: 4711 Euro for the repair",
            "tarjeta terminada en 4471",
            "type 2026 in the year field of the door form",
            "press 4711 times and the lock wears out",
            "my phone number ends with 493172",
            "Il codice della carta d'identità scade nel 2031",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
