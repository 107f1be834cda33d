//! Combinations of dials, by the direction of each turn: `61 left, 9 right, 34 left`.

use super::rules::SecretKind;
use super::text::Text;

const LEFT: [&str; 8] =
    ["left", "links", "izquierda", "gauche", "sinistra", "esquerda", "anticlockwise", "counterclockwise"];
const RIGHT: [&str; 7] = ["right", "rechts", "derecha", "droite", "destra", "direita", "clockwise"];
/// Beginnings of the names of things with a dial.
const LOCKS: [&str; 25] = [
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
/// Maximum number of words between a number and its direction.
const REACH_WORDS: usize = 4;
/// Minimum number of turns.
const TURNS: usize = 3;

/// Returns the kind if a line states the turns of a dial.
pub(super) fn find(text: &Text) -> Option<SecretKind> {
    let mut named_before = false;
    text.lines()
        .any(|(_, lower)| {
            if lower.is_empty() {
                return false;
            }
            let is_lock =
                |word: &str| LOCKS.iter().any(|lock| word.starts_with(lock)) || word.ends_with("schloss");
            let names = lower.split(|letter: char| !letter.is_alphanumeric()).any(is_lock);
            let found = (names || named_before) && are_turns(lower);
            named_before = names;
            found
        })
        .then_some(SecretKind::new("PIN"))
}

fn are_turns(lower: &str) -> bool {
    let mut number: Option<usize> = None;
    let mut side: Option<(usize, bool)> = None;
    let (mut turns, mut lefts) = (0, 0);
    let mut words = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .enumerate()
        .peekable();
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
            && at.abs_diff(turn) <= REACH_WORDS
        {
            turns += 1;
            lefts += usize::from(is_left);
            (number, side) = (None, None);
        }
    }
    turns >= TURNS && (1..turns).contains(&lefts)
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
            "the padlock\nright 3, left 28, right 14",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn directions_are_accepted() {
        for text in [
            "the safe is 2 m left of the window and 3 m right of the door",
            "keep right for 12 miles, left on route 7, right on exit 44",
            "padding of the page: 10 left, 20 right, 30 left",
            "lock 3 files left, 2 left, 1 left",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
