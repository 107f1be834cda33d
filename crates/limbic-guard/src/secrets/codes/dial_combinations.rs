//! Combinations of dials, by the direction of each turn: `61 left, 9 right, 34 left`.

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::text::Text;

const LEFT: [&str; 11] = [
    "left",
    "links",
    "izquierda",
    "gauche",
    "sinistra",
    "esquerda",
    "anticlockwise",
    "counterclockwise",
    "lewo",
    "влево",
    "l",
];
const RIGHT: [&str; 10] =
    ["right", "rechts", "derecha", "droite", "destra", "direita", "clockwise", "prawo", "вправо", "r"];
/// Beginnings of the names of things with a dial.
const LOCKS: [&str; 27] = [
    "safe",
    "vault",
    "strongbox",
    "lock",
    "dial",
    "tresor",
    "spind",
    "caja",
    "candado",
    "taquilla",
    "cofre",
    "coffre",
    "cadenas",
    "casier",
    "cassaforte",
    "lucchetto",
    "armadietto",
    "cadeado",
    "cacifo",
    "combin",
    "kombin",
    "zahlens",
    "padlock",
    "schlie",
    "kluis",
    "sejf",
    "сейф",
];
const UNITS: [&str; 18] = [
    "m",
    "km",
    "cm",
    "mm",
    "ft",
    "mi",
    "miles",
    "meters",
    "metres",
    "metros",
    "metri",
    "mètres",
    "meter",
    "kilometer",
    "px",
    "streets",
    "doors",
    "undecided",
];
/// Maximum number of words between a number and the direction after it, and between a direction and the number to which
/// the dial is turned, as in `right past it twice to 8`.
const MAX_WORDS_TO_DIRECTION: usize = 4;
const MAX_WORDS_TO_NUMBER: usize = 9;
/// Minimum number of turns.
const MIN_TURNS: usize = 3;

/// Returns the kind if a line states the turns of a dial.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    let mut named_before = false;
    text.lines()
        .any(|(_, lower)| {
            if lower.is_empty() {
                return false;
            }
            let is_lock =
                |word: &str| LOCKS.iter().any(|lock| word.starts_with(lock)) || word.ends_with("schloss");
            let names = lower.split(|letter: char| !letter.is_alphanumeric()).any(is_lock);
            let found = (names || named_before) && (are_turns(lower) || are_numbers(lower));
            named_before = names;
            found
        })
        .then_some(SecretKind::new("PIN"))
}

fn are_turns(lower: &str) -> bool {
    let mut number: Option<usize> = None;
    let mut side: Option<(usize, bool)> = None;
    let (mut turns, mut lefts) = (0, 0);
    let mut words = turn_words(lower).into_iter().enumerate().peekable();
    while let Some((index, word)) = words.next() {
        let is_left = LEFT.contains(&word);
        if is_left || RIGHT.contains(&word) {
            side = Some((index, is_left));
        } else if word.len() <= 2
            && word.bytes().all(|byte| byte.is_ascii_digit())
            && !words.peek().is_some_and(|(_, unit)| UNITS.contains(unit))
        {
            number = Some(index);
        } else {
            continue;
        }
        if let (Some(at), Some((turn, is_left))) = (number, side)
            && (at < turn && turn - at <= MAX_WORDS_TO_DIRECTION
                || at > turn && at - turn <= MAX_WORDS_TO_NUMBER)
        {
            turns += 1;
            lefts += usize::from(is_left);
            (number, side) = (None, None);
        }
    }
    // The last turn may go without its direction: `…, poi 58`.
    let is_last_alone = || turns + 1 == MIN_TURNS && number.is_some() && ends_with_number(lower);
    (turns >= MIN_TURNS || is_last_alone()) && (1..turns).contains(&lefts)
}

/// Returns the words of a line, without those of ranges (`1-20`), and with directions before a number apart: `L28`.
fn turn_words(lower: &str) -> Vec<&str> {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let is_range = |word: &&str| {
        word.split_once(['-', '–'])
            .is_some_and(|(from, to)| from.ends_with(is_digit) && to.starts_with(is_digit))
    };
    let mut words = Vec::new();
    for word in lower.split_whitespace().filter(|word| !is_range(word)) {
        for part in word.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty()) {
            match part.strip_prefix(['l', 'r']) {
                Some(number) if number.starts_with(is_digit) => words.extend([&part[..1], number]),
                _ => words.push(part),
            }
        }
    }
    words
}

/// Whether a line has a last number after a word for the last turn, or `and one`: `infine 3`, `y una hasta 71`.
fn ends_with_number(lower: &str) -> bool {
    const MAX_DISTANCE_WORDS: usize = 4;
    const LAST: [&str; 19] = [
        "then",
        "finally",
        "lastly",
        "and",
        "dann",
        "zuletzt",
        "schließlich",
        "und",
        "luego",
        "finalmente",
        "y",
        "puis",
        "enfin",
        "et",
        "poi",
        "infine",
        "e",
        "depois",
        "por",
    ];
    let words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().rposition(|word| word.bytes().all(|byte| byte.is_ascii_digit())).is_some_and(|at| {
        words[at].len() <= 2
            && !words.get(at + 1).is_some_and(|unit| UNITS.contains(unit))
            && words[at.saturating_sub(MAX_DISTANCE_WORDS)..at].iter().any(|word| LAST.contains(word))
    })
}

/// Whether three numbers of a dial follow a word for a combination: `combinaison 15 / 62 / 08`.
fn are_numbers(lower: &str) -> bool {
    const MAX_DISTANCE_WORDS: usize = 4;
    const MEASURES: [&str; 8] = ["cm", "mm", "m", "kg", "euro", "euros", "x", "st"];
    let mut since_name = MAX_DISTANCE_WORDS + 1;
    let mut numbers = 0;
    let mut words = lower
        .split(|letter: char| letter.is_whitespace() || "/-–,:".contains(letter))
        .filter(|word| !word.is_empty())
        .peekable();
    while let Some(word) = words.next() {
        let is_number = (1..=2).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
        if ["combin", "kombin", "zahlenkombin"].iter().any(|name| word.starts_with(name)) {
            (since_name, numbers) = (0, 0);
        } else if is_number && since_name <= MAX_DISTANCE_WORDS {
            numbers += 1;
            let next = words.peek().copied().unwrap_or_default();
            if numbers == MIN_TURNS
                && !MEASURES.contains(&next)
                && !next.starts_with(|letter: char| letter.is_ascii_digit())
            {
                return true;
            }
        } else {
            since_name += 1;
            numbers = 0;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_of_a_dial_are_found() {
        for text in [
            "safe in the attic: 61 left, 9 right, 34 left",
            "Tresor: erst nach rechts auf 12, dann nach links auf 40, dann nach rechts auf 7",
            "O cofre abre com 31 para a direita, 72 para a esquerda e 18 para a direita",
            "cassaforte dietro il quadro: due giri a destra fino al 34, uno a sinistra fino al 8, poi 57",
            "caja fuerte: tres vueltas a la izquierda hasta 40, dos a la derecha hasta 12 y una hasta 71",
            "Coffre du bureau, combinaison 14 / 63 / 08, on commence par la gauche",
            "the padlock\nright 3, left 28, right 14",
            "safe: left to 34, right past it twice to 8, left to 51, then pull",
            "locker dial: R12 L34 R6",
            "сейф: вправо до 34, влево до 8, вправо до 51",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn directions_are_accepted() {
        for text in [
            "the safe is 2 m left of the window and 3 m right of the door",
            "il sentiero: uno a sinistra fino al bivio 7, a destra fino al 33, poi 58 minuti",
            "coffre livré le 15/06/08, combinaison inconnue",
            "the combination of 15 / 62 / 08 cm boards fits the safe",
            "keep right for 12 miles, left on route 7, right on exit 44",
            "padding of the page: 10 left, 20 right, 30 left",
            "lock 3 files left, 2 left, 1 left",
            "lockers: left row 1-20, right row 21-40, the left corner is broken",
            "the dial shows 34 on the left and 51 on the right",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
