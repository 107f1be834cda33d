//! Numbers that are typed, pressed or put in at a thing: `am Tor 494731 eintippen`, `press the bell and then 8361#`.

use crate::secrets::codes::clauses::Clause;
use crate::secrets::codes::lock_words::{CARDS_AND_DEVICES, OPEN_VERBS, is_lock_word};

/// Verbs directly before a number that is typed.
const TYPES: [&str; 62] = [
    "type",
    "enter",
    "dial",
    "press",
    "punch",
    "tap",
    "input",
    "marcar",
    "marca",
    "marque",
    "teclear",
    "teclea",
    "pulsar",
    "pulsa",
    "introducir",
    "introduce",
    "taper",
    "tapez",
    "tape",
    "composer",
    "composez",
    "compose",
    "faire",
    "fais",
    "entrer",
    "entrez",
    "digitare",
    "digita",
    "comporre",
    "componi",
    "premere",
    "inserire",
    "inserisci",
    "digitar",
    "digite",
    "teclar",
    "premir",
    "marcare",
    "inserir",
    "insira",
    "key",
    "keyed",
    "presses",
    "types",
    "tecleas",
    "tecleamos",
    "pulsas",
    "marcas",
    "marcamos",
    "digiti",
    "digitiamo",
    "digitas",
    "premi",
    "tapes",
    "composes",
    "fait",
    "digitez",
    "carregas",
    "carrega",
    "prima",
    "primes",
    "wants",
];
/// Verbs after a number that is typed.
const TYPED: [&str; 9] =
    ["eintippen", "eingeben", "wählen", "drücken", "tippen", "eintasten", "einstellen", "intoetsen", "auf"];

/// Whether the number is typed at a thing: `am Tor 494731 eintippen`, `pour le portail il faut taper 494731`.
pub(crate) fn is_typed(clause: &Clause, index: usize, words: usize) -> bool {
    let at = clause.before_articles(index);
    let tokens = &clause.tokens;
    // `key in 4931`, `digita-se 4931`, `carrega-se em 4931`
    let is_particle = |at: usize| at > 1 && ["in", "se", "em", "su", "sur"].contains(&tokens[at - 1].word);
    let at = at - usize::from(is_particle(at));
    let at = at - usize::from(is_particle(at));
    let types = at > 0 && TYPES.contains(&tokens[at - 1].word);
    let is_typed = |word: &str| word != "auf" && TYPED.contains(&word);
    let typed = tokens.get(index + words).is_some_and(|it| it.gap == " " && is_typed(it.word));
    let opens = || tokens.iter().any(|it| OPEN_VERBS.iter().any(|verb| it.word.starts_with(verb)));
    (types || typed || is_put_in(clause, index, words) || comes_then(clause, index))
        && tokens.iter().any(|it| is_lock_word(it.word) && (!CARDS_AND_DEVICES.contains(&it.word) || opens()))
}

/// Whether a verb and its particle enclose the number: `tippt man 62847 ein`, `drückst du 4931`.
fn is_put_in(clause: &Clause, index: usize, words: usize) -> bool {
    const REACH_WORDS: usize = 4;
    const VERBS: [&str; 12] = [
        "tippt", "tippst", "tippe", "tipp", "tippen", "gibt", "gibst", "gib", "geben", "gebe", "gebt",
        "tastet",
    ];
    const PRESSES: [&str; 8] =
        ["drückt", "drückst", "drücke", "drück", "wählt", "wählst", "wähle", "drücken"];
    let before = &clause.tokens[index.saturating_sub(REACH_WORDS)..index];
    let is_in = clause.tokens.get(index + words).is_some_and(|it| it.word == "ein" && it.gap == " ");
    (is_in && before.iter().any(|it| VERBS.contains(&it.word)))
        || clause.tokens[index].gap == " " && before.iter().any(|it| PRESSES.contains(&it.word))
}

/// Whether a key is pressed, then the number: `press the bell button and then 8361`.
fn comes_then(clause: &Clause, index: usize) -> bool {
    const REACH_WORDS: usize = 8;
    const THEN: [&str; 9] =
        ["then", "dann", "danach", "luego", "después", "puis", "ensuite", "poi", "depois"];
    const PRESSES: [&str; 26] = [
        "pressing",
        "pushing",
        "pulsando",
        "premendo",
        "appuyant",
        "press",
        "push",
        "hit",
        "tap",
        "drück",
        "drückt",
        "drückst",
        "drücke",
        "drücken",
        "pulsa",
        "pulsas",
        "aprieta",
        "appuie",
        "appuyez",
        "appuies",
        "premi",
        "schiaccia",
        "premere",
        "prime",
        "carrega",
        "aperta",
    ];
    let before = &clause.tokens[index.saturating_sub(REACH_WORDS)..index];
    // `followed by 4931`
    let follows = before.len() > 1
        && ["followed", "seguido", "gefolgt", "suivi", "seguito"].contains(&before[before.len() - 2].word);
    (follows || before.last().is_some_and(|it| THEN.contains(&it.word)))
        && (clause.number_at(index).is_some_and(|number| number.has_key)
            || before.iter().any(|it| PRESSES.contains(&it.word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::codes::clauses::clauses;

    fn is_found(text: &str) -> bool {
        let lower = text.to_lowercase();
        clauses(&lower).any(|clause| {
            (1..clause.tokens.len())
                .any(|index| clause.number_at(index).is_some_and(|it| is_typed(&clause, index, it.words)))
        })
    }

    #[test]
    fn numbers_that_are_put_in_are_found() {
        for text in [
            "am Hintereingang tippt man 62847 ein",
            "press the bell button and then 8361# to get in the building",
            "to switch off the alarm key in 7371",
            "na porta dos fundos digita-se 341973",
            "para desligar o alarme da loja carrega-se em 6427 e depois na tecla verde",
        ] {
            assert!(is_found(text), "{text}");
        }
    }

    #[test]
    fn numbers_beside_other_verbs_are_not() {
        for text in
            ["gib 2048 als Größe ein", "the gate has 4711 bars", "press and hold for 4500 ms at the door"]
        {
            assert!(!is_found(text), "{text}");
        }
    }
}
