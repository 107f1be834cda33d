//! Codes that somebody puts in where a thing asks for digits: `voicemail asks for four digits, I use 6094`.

use crate::secrets::codes::clauses::{Clause, any_clause, is_digits};
use crate::secrets::codes::lock_words::is_lock_word;
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;

/// Verbs of asking, in lower case.
static ASKS: Literals = Literals::new(&[
    "asks",
    "ask ",
    "wants",
    "needs",
    "prompts",
    "expects",
    "fragt",
    "verlangt",
    "will ",
    "braucht",
    "pide",
    "quiere",
    "demande",
    "veut",
    "chiede",
    "vuole",
    "pede",
    "quer ",
    "vraagt",
    "wil ",
    "pyta",
    "chce",
    "спрашивает",
    "просит",
    "聞かれ",
    "求め",
]);
/// Beginnings of words for what a code consists of, or for a code.
const DIGITS: [&str; 15] = [
    "digit", "code", "pin", "ziffer", "zahl", "cifra", "dígito", "digito", "chiffre", "cifre", "cijfer",
    "cyfr", "цифр", "código", "codice",
];
/// Words for a code at a thing that asks for nothing else.
const NUMBERS: [&str; 4] = ["number", "nummer", "número", "numéro"];
/// Verbs directly before the number that is put in.
const USES: [&str; 54] = [
    "use",
    "using",
    "type",
    "enter",
    "put",
    "punch",
    "press",
    "is",
    "are",
    "it's",
    "nehme",
    "nehmen",
    "nimm",
    "tippe",
    "nutze",
    "pongo",
    "ponemos",
    "uso",
    "usamos",
    "marco",
    "mets",
    "mettons",
    "tape",
    "tapons",
    "compose",
    "utilise",
    "metto",
    "mettiamo",
    "usiamo",
    "digito",
    "ponho",
    "digitamos",
    "gebruik",
    "gebruiken",
    "wpisuję",
    "wpisz",
    "ввожу",
    "набираю",
    "give",
    "gebe",
    "doy",
    "donne",
    "do",
    "dou",
    "pon",
    "mine",
    "ours",
    "re",
    "s",
    "est",
    "es",
    "ist",
    "è",
    "é",
];
/// Devices that ask for a code, in addition to locks, cards and devices, as beginnings of words.
const ASKING_DEVICES: [&str; 28] = [
    "voicemail",
    "mailbox",
    "anrufbeantworter",
    "répondeur",
    "messagerie",
    "buzón",
    "segreteria",
    "correio",
    "contestador",
    "poczta",
    "автоответчик",
    "keypad",
    "teclado",
    "tastierino",
    "clavier",
    "copier",
    "kopierer",
    "fotocopiadora",
    "photocopieu",
    "fotocopiatrice",
    "copiadora",
    "turnstile",
    "till",
    "kasse",
    "caisse",
    "panel",
    "answering",
    "entry",
];
/// Words of lines about other numbers.
const OTHERS: [&str; 51] = [
    "port",
    "puerto",
    "year",
    "jahr",
    "año",
    "année",
    "anno",
    "ano",
    "postcode",
    "zip",
    "plz",
    "postal",
    "extension",
    "call",
    "durchwahl",
    "interno",
    "ramal",
    "batch",
    "size",
    "page",
    "room",
    "form",
    "formulario",
    "formulaire",
    "formular",
    "field",
    "order",
    "error",
    "exit",
    "status",
    "poort",
    "survey",
    "invoice",
    "vendor",
    "model",
    "paper",
    "part",
    "product",
    "item",
    "customer",
    "reference",
    "rechnung",
    "kunde",
    "factura",
    "facture",
    "fattura",
    "fatura",
    "zone",
    "zones",
    "modell",
    "modelo",
];

/// Returns the kind if a line states such a code.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    any_clause(text, &ASKS, states_code).then_some(SecretKind::new("PIN"))
}

fn states_code(clause: &Clause) -> bool {
    let tokens = &clause.tokens;
    let has = |list: &[&str]| tokens.iter().any(|it| list.iter().any(|start| it.word.starts_with(start)));
    let is_thing = has(&ASKING_DEVICES) || has(&DIGITS) && tokens.iter().any(|it| is_lock_word(it.word));
    is_thing
        && (has(&DIGITS) || has(&NUMBERS))
        && !tokens.iter().any(|it| OTHERS.contains(&it.word))
        && (1..tokens.len()).any(|index| {
            let at = clause.before_articles(index);
            // `I punch in 6402`
            let at = at - usize::from(at > 1 && tokens[at - 1].word == "in");
            at > 0
                && USES.contains(&tokens[at - 1].word)
                && is_digits(tokens[index].word)
                && clause.number_at(index).is_some_and(|number| number.ends && !number.is_year)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_a_thing_asks_for_are_found() {
        for text in [
            "voicemail on the shop line asks for four digits, I use 7305",
            "Anrufbeantworter fragt nach vier Ziffern, ich nehme 6184",
            "el buzón de voz pide cuatro cifras, pongo 3970",
            "the copier wants a code, mine is 7715",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn other_numbers_are_accepted() {
        for text in [
            "voicemail is full, I use extension 6094",
            "the alarm asks for a port number, I use 8080",
            "voicemail asks for four digits of the year, I use 1994",
            "the door vendor wants an invoice number, use 48213",
            "the importer asks for the number of rows, I use 4096",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
