//! Codes whose digits are written one by one, at a thing that they open: `the keypad wants 7 3 9 0, then the hash key`.

use crate::secrets::codes::clauses::{Clause, clauses};
use crate::secrets::codes::lock_words::{CARDS_AND_DEVICES, is_lock_word};
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;

/// Lengths of a code, in digits.
const DIGITS: std::ops::RangeInclusive<usize> = 4..=8;
/// Signs between digits.
const SIGNS: [&str; 5] = [" ", "-", " - ", "–", " – "];
/// Words that name a code, a lock or an alarm, or say that digits are put in, in lower case.
static CODES: Literals = Literals::new(&[
    "code",
    "código",
    "codigo",
    "codice",
    "pin",
    "combin",
    "kombin",
    "lock",
    "keypad",
    "alarm",
    "allarme",
    "keysafe",
    "tresor",
    "schloss",
    "cadenas",
    "candado",
    "lucchetto",
    "cadeado",
    "coffre",
    "cofre",
    "cassaforte",
    "caja fuerte",
    "boîte à clé",
    "digicode",
    "portail",
    "portone",
    "portón",
    "portão",
    "cancello",
    "cancela",
    "garage",
    "garaje",
    "digit",
    "marca",
    "tecle",
    "teclado",
    "tastierino",
    "clavier",
    "zahlenfeld",
    "tastenfeld",
    "ziffernfeld",
    "punch",
    "eintipp",
    "eingeb",
    "taper",
    "tapant",
    "tapez",
    "compos",
    "voicemail",
    "telefonillo",
    "interphone",
    "citofono",
    "intercom",
    "porteiro",
    "buzzer",
    "entrance",
    "doorbell",
]);
/// Words of lines in which such digits have another meaning, in lower case.
static OTHERS: Literals = Literals::new(&[
    "phone",
    "telefon",
    "teléfono",
    "téléphone",
    "call ",
    "llama",
    "ruf ",
    "anrufen",
    "appel",
    "chiama",
    "ligar para",
    "lotto",
    "loter",
    "bingo",
    "score",
    "formation",
    "modul",
    "esquema",
    "aufstellung",
    "version",
    "chapter",
    "steps ",
    "pages",
    "array",
    "vector",
    "postcode",
    "zip code",
    "código postal",
    "code postal",
    "cap ",
    "plz",
    "isbn",
    "iban",
    "countdown",
    "gpio",
    "column",
    "rows",
    "exit code",
    "error code",
    "opcode",
    "code block",
    "codepoint",
    "barcode",
    "código de barras",
    "source code",
    "mm",
    "matrix",
    "rhythm",
    "count ",
]);

/// Returns the kind if a clause has such a code.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    text.lines()
        .filter(|(_, lower)| has_lone_digits(lower))
        .any(|(_, lower)| {
            let names_code = CODES.are_in(lower);
            !OTHERS.are_in(lower)
                && !lower.contains(['[', '{'])
                && clauses(lower).any(|clause| states_digits(&clause, names_code))
        })
        .then_some(SecretKind::new("PIN"))
}

/// Whether a line has two digits that stand alone, one after the other: most lines end here.
fn has_lone_digits(line: &str) -> bool {
    line.as_bytes().windows(3).any(|it| {
        it[0].is_ascii_digit() && matches!(it[1], b' ' | b'-') && (it[2].is_ascii_digit() || it[2] == b' ')
    })
}

fn states_digits(clause: &Clause, names_code: bool) -> bool {
    let tokens = &clause.tokens;
    let is_digit = |word: &str| word.len() == 1 && word.as_bytes()[0].is_ascii_digit();
    let mut index = 0;
    while index < tokens.len() {
        let run = 1 + tokens[index + 1..]
            .iter()
            .take_while(|it| it.gap == tokens.get(index + 1).map_or("", |next| next.gap))
            .take_while(|it| is_digit(it.word) && SIGNS.contains(&it.gap))
            .count();
        if !is_digit(tokens[index].word) || !DIGITS.contains(&run) {
            index += 1;
            continue;
        }
        let digits: Vec<u8> =
            tokens[index..index + run].iter().map(|it| it.word.as_bytes()[0] - b'0').collect();
        // The numbers of players in a formation: `4-2-3-1`.
        let is_formation = tokens[index + 1].gap == "-" && digits.iter().sum::<u8>() == 10;
        let is_run = digits.windows(2).all(|pair| pair[0] + 1 == pair[1])
            || digits.windows(2).all(|pair| pair[0] == pair[1]);
        let is_part =
            |it: Option<&str>| it.is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let is_longer = is_part(index.checked_sub(1).map(|at| tokens[at].word))
            || is_part(tokens.get(index + run).filter(|it| it.gap.len() <= 3).map(|it| it.word));
        let opens = tokens.iter().any(|it| is_lock_word(it.word) && !CARDS_AND_DEVICES.contains(&it.word));
        if !is_formation && !is_run && !is_longer && (names_code || opens) {
            return true;
        }
        index += run;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_single_digits_are_found() {
        for text in [
            "when you get in, punch 4 8 1 5 9 into the alarm panel",
            "garage keypad wants 7 3 9 0 then the hash key",
            "La alarma del piso se quita con 5 7 0 2 y la tecla verde",
            "Zahlencode fürs Gartentor 3 9 1 7, danach Raute",
            "Alarm aus: 6-0-2-8-1 am Kasten neben der Tür",
            "boîte à clés du gîte : 2 5 8 3",
            "lucchetto della bici 9-4-1-3",
            "portão da garagem: marcar 7 1 6 2 e asterisco",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn other_rows_of_digits_are_accepted() {
        for text in [
            "the alarm panel was replaced on 4 8 2025",
            "they lock the midfield with a 4-2-3-1",
            "in porta gioca lui, modulo 3-4-2-1",
            "press the keys 1 2 3 4 to lock the screen",
            "call the gate at 5 5 5 0 1 9 9",
            "Schloss: Kapitel 3 - 4 - 7 - 9 lesen, chapter by chapter",
            "the lottery numbers were 4 8 1 5",
            "validator = lambda x: x in {1, 3, 5, 7, 9}  # Odd digits only",
            "the code returns [4, 8, 1, 5]",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
