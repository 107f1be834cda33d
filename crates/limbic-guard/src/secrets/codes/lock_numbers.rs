//! Numbers that follow a padlock, a card's PIN, a PUK or a mailbox without a copula: `el candado hace 305`,
//! `PIN of the Visa from Barclays 7702`, `PUK de la SIM 40917723`, `messagerie vocale, avec le 9598`.

use crate::secrets::codes::clauses::{Clause, any_clause, is_digits};
use crate::secrets::codes::lock_words::{CARDS_AND_DEVICES, is_lock_word};
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;

/// Beginnings of the names of locks with a combination.
const PADLOCKS: [&str; 14] = [
    "padlock",
    "zahlenschloss",
    "vorhängeschloss",
    "fahrradschloss",
    "spindschloss",
    "candado",
    "cadenas",
    "antivol",
    "lucchetto",
    "cadeado",
    "aloquete",
    "lockbox",
    "keysafe",
    "schlüsseltresor",
];
/// Parts of the names of all of these.
static NAMES: Literals = Literals::new(&[
    "padlock",
    "schloss",
    "candado",
    "cadenas",
    "antivol",
    "lucchetto",
    "cadeado",
    "aloquete",
    "lockbox",
    "keysafe",
    "schlüsseltresor",
    "pin",
    "nip",
    "geheimzahl",
    "geheimnummer",
    "sperrcode",
    "puk",
    "voicemail",
    "mailbox",
    "anrufbeantworter",
    "répondeur",
    "messagerie",
    "buzón",
    "segreteria",
    "correio",
    "contestador",
]);
/// Words between a lock and its number.
const BETWEEN: [&str; 61] = [
    "is",
    "is set to",
    "set",
    "to",
    "on",
    "opens",
    "open",
    "at",
    "code",
    "no",
    "número",
    "numero",
    "combination",
    "hace",
    "es",
    "abre",
    "con",
    "el",
    "del",
    "de",
    "la",
    "números",
    "combinación",
    "est",
    "à",
    "chiffres",
    "s",
    "ouvre",
    "avec",
    "le",
    "du",
    "code",
    "fait",
    "c",
    "fa",
    "è",
    "a",
    "combinazione",
    "si",
    "apre",
    "il",
    "della",
    "numeri",
    "mit",
    "auf",
    "geht",
    "ist",
    "vom",
    "am",
    "der",
    "faz",
    "é",
    "com",
    "o",
    "da",
    "do",
    "segredo",
    "números",
    "by",
    "the",
    "steht",
];
/// Words for the number of a card or a device.
const PINS: [&str; 12] = [
    "pin",
    "pins",
    "pincode",
    "superpin",
    "nip",
    "geheimzahl",
    "geheimnummer",
    "kartenpin",
    "pin1",
    "pin2",
    "pinnummer",
    "sperrcode",
];
/// Names of services that record calls, and their beginnings.
const MAILBOXES: [&str; 9] = [
    "voicemail",
    "mailbox",
    "anrufbeantworter",
    "répondeur",
    "messagerie",
    "buzón",
    "segreteria",
    "correio",
    "contestador",
];
/// Words before the number that a mailbox asks for.
const MAILBOX_TIES: [&str; 20] = [
    "pin",
    "code",
    "código",
    "codice",
    "mine's",
    "mine",
    "s",
    "avec",
    "con",
    "com",
    "mit",
    "with",
    "clave",
    "senha",
    "nummer",
    "kennzahl",
    "fernabfrage",
    "distance",
    "is",
    "ist",
];
/// Words that say that a number is one to call, a time, a date or an amount.
const OTHERS: [&str; 52] = [
    "call",
    "phone",
    "tel",
    "number",
    "ring",
    "hotline",
    "anrufen",
    "rufnummer",
    "nummer",
    "unter",
    "telefon",
    "llamar",
    "llama",
    "número",
    "teléfono",
    "appeler",
    "appelez",
    "numéro",
    "téléphone",
    "chiamare",
    "chiama",
    "numero",
    "verde",
    "telefono",
    "ligar",
    "liga",
    "ramal",
    "telefone",
    "extension",
    "interno",
    "durchwahl",
    "since",
    "seit",
    "desde",
    "depuis",
    "dal",
    "until",
    "bis",
    "hasta",
    "jusqu",
    "fino",
    "até",
    "page",
    "room",
    "in",
    "order",
    "bestellung",
    "pedido",
    "commande",
    "ordine",
    "ticket",
    "ends",
];

/// Returns the kind if a clause states such a number.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    any_clause(text, &NAMES, states_number).then_some(SecretKind::new("PIN"))
}

fn states_number(clause: &Clause) -> bool {
    (1..clause.tokens.len()).any(|index| {
        follows_padlock(clause, index) || follows_puk(clause, index) || follows_pin(clause, index)
    })
}

/// Whether the clause ends after a word, or only a comma follows it.
fn ends_after(clause: &Clause, index: usize) -> bool {
    clause.tokens.get(index + 1).is_none_or(|next| {
        (next.gap.starts_with([',', ')', '.']) && next.gap.ends_with(' '))
            || ["and", "then", "y", "luego", "et", "puis", "e", "poi", "und", "dann", "depois"]
                .contains(&next.word)
    }) && clause.number_end(index)
}

/// Whether three to six digits follow a padlock: `Spind 12, Zahlenschloss 486`.
fn follows_padlock(clause: &Clause, index: usize) -> bool {
    const REACH_WORDS: usize = 5;
    let tokens = &clause.tokens;
    let word = tokens[index].word;
    let is_groups = || {
        let group = |at: usize| tokens.get(at).is_some_and(|it| it.word.len() <= 2 && is_digits(it.word));
        let joined = |at: usize| tokens.get(at).is_some_and(|it| it.gap == "-");
        word.len() <= 2
            && (1..=2).all(|at| group(index + at) && joined(index + at))
            && ends_after(clause, index + 2)
    };
    is_digits(word)
        && ((3..=6).contains(&word.len()) && ends_after(clause, index) || is_groups())
        && [" ", ": ", ", ", " : ", " = ", "="].contains(&tokens[index].gap)
        && tokens[..index]
            .iter()
            .rev()
            .take(REACH_WORDS)
            .find(|it| !BETWEEN.contains(&it.word))
            .is_some_and(|it| PADLOCKS.iter().any(|lock| it.word.starts_with(lock)))
}

/// Whether the eight digits of a PUK follow it.
fn follows_puk(clause: &Clause, index: usize) -> bool {
    const REACH_WORDS: usize = 9;
    let tokens = &clause.tokens;
    let before = &tokens[index.saturating_sub(REACH_WORDS)..index];
    tokens[index].word.len() == 8
        && is_digits(tokens[index].word)
        && before.iter().any(|it| ["puk", "puk1", "puk2", "superpin", "pukcode"].contains(&it.word))
        && !before.iter().any(|it| OTHERS.contains(&it.word))
}

/// Whether a number follows the PIN of a card, a device or a mailbox, also with a name between them.
fn follows_pin(clause: &Clause, index: usize) -> bool {
    const REACH_WORDS: usize = 8;
    let tokens = &clause.tokens;
    let Some(number) = clause.number_at(index) else { return false };
    let before = &tokens[index.saturating_sub(REACH_WORDS)..index];
    let digits: usize = tokens[index..index + number.words].iter().map(|it| it.word.len()).sum();
    let is_plain = tokens[index..index + number.words].iter().all(|it| is_digits(it.word));
    if !is_plain || number.is_year || !(number.ends && (4..=6).contains(&digits)) {
        return false;
    }
    if before.iter().any(|it| OTHERS.contains(&it.word)) {
        return false;
    }
    let is_mailbox = |word: &str| MAILBOXES.iter().any(|name| word.starts_with(name));
    let from = index.saturating_sub(REACH_WORDS + 4);
    if tokens[from..index].iter().any(|it| is_mailbox(it.word)) {
        let at = clause.before_articles(index);
        return at > 0
            && (MAILBOX_TIES.contains(&tokens[at - 1].word)
                || before.iter().any(|it| PINS.contains(&it.word)) && tokens[index].gap.len() <= 3);
    }
    let Some(pin) = before.iter().rposition(|it| PINS.contains(&it.word)) else { return false };
    let is_held = |word: &str| {
        CARDS_AND_DEVICES.contains(&word)
            || is_lock_word(word)
            || [
                "karte", "card", "konto", "conto", "cuenta", "compte", "conta", "bank", "banco", "banca",
                "banque",
            ]
            .iter()
            .any(|part| word.ends_with(part))
    };
    let gap = tokens[index].gap;
    (gap == " " || gap == ", " || gap.contains([':', '→', '=']))
        && before.iter().skip(pin.saturating_sub(2)).any(|it| is_held(it.word))
        && !before[pin..].iter().any(|it| is_digits(it.word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_locks_cards_and_mailboxes_are_found() {
        for text in [
            "gym locker 41, padlock 27-9-33",
            "taquilla 18 del gimnasio, el candado hace 305",
            "casier 9 à la salle, cadenas à chiffres 814",
            "armadietto 7, lucchetto 520",
            "Spind 12, Zahlenschloss 486",
            "lockbox by the meter, lockbox opens on 5183",
            "el pin de la tarjeta de Unicaja 3381, el de la otra 9027",
            "pin bancomat Intesa 86450, quello della prepagata invece 80010",
            "PUK de la SIM de la niña 40917723",
            "Superpin der SIM-Karte lautet 90217745",
            "voicemail on the work mobile asks for a pin, mine's 5248",
            "Répondeur du fixe, interrogation à distance avec le 9598",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn other_numbers_are_accepted() {
        for text in [
            "padlock 40 mm, 12 euros",
            "il lucchetto a combinazione fa 12 euro",
            "cadenas du vélo cassé, 37,70 euros",
            "voicemail on 5248 is full again, extension 5249 works",
            "segreteria telefonica piena, richiamare interno 6672",
            "pin bancomat bloccato, chiamare il numero 80082",
            "PIN der EC-Karte dreimal falsch, Hotline 116116",
            "the pin of the card changes in 2026",
            "the PUK has 8 digits, order 40917723",
            "the card's pin has 4 digits, the bank is at 4711 Main Street",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
