//! Splits sentences into clauses and words, and finds the numbers in them that may be codes.

use crate::secrets::literals::Literals;
use crate::secrets::text::Text;

/// Lengths of a code, in digits.
const DIGITS: std::ops::RangeInclusive<usize> = 4..=8;
/// Numbers that stand for any other.
const EXAMPLES: [&str; 8] = ["1234", "12345", "123456", "0123", "4321", "12345678", "654321", "0000"];
/// Maximum number of words of a clause: a longer one is examined in parts.
const MAX_WORDS: usize = 64;
/// Abbreviations after whose full stop a clause goes on.
const ABBREVIATIONS: [&str; 6] = ["nr", "no", "núm", "apt", "str", "ca"];
/// Words after a number that measure or count.
const UNITS: [&str; 34] = [
    "lines",
    "pages",
    "rows",
    "digit",
    "digits",
    "attempts",
    "times",
    "numbers",
    "characters",
    "ms",
    "seconds",
    "bytes",
    "stellen",
    "ziffern",
    "cifras",
    "chiffres",
    "cifre",
    "dígitos",
    "kg",
    "km",
    "mm",
    "cm",
    "mw",
    "mv",
    "hz",
    "euro",
    "euros",
    "eur",
    "usd",
    "dollars",
    "minutes",
    "minuten",
    "segundos",
    "entries",
];
/// Words after a number with which the sentence goes on; another word is usually what the number counts.
const NEXT: [&str; 92] = [
    "à",
    "within",
    "before",
    "antes",
    "dentro",
    "en",
    "entro",
    "no",
    "em",
    "avant",
    "bevor",
    "sur",
    "sul",
    "nel",
    "dans",
    "na",
    "with",
    "hasta",
    "gefolgt",
    "sous",
    "binnen",
    "für",
    "von",
    "de",
    "del",
    "della",
    "do",
    "from",
    "eintippen",
    "eingeben",
    "drücken",
    "wählen",
    "tippen",
    "then",
    "and",
    "to",
    "for",
    "or",
    "but",
    "after",
    "until",
    "is",
    "works",
    "on",
    "in",
    "at",
    "followed",
    "plus",
    "y",
    "e",
    "o",
    "et",
    "ou",
    "und",
    "oder",
    "auf",
    "aus",
    "ein",
    "zum",
    "um",
    "dann",
    "danach",
    "gilt",
    "luego",
    "después",
    "para",
    "poi",
    "per",
    "puis",
    "ensuite",
    "pour",
    "depois",
    "seguido",
    "hash",
    "pound",
    "star",
    "raute",
    "geöffnet",
    "entsperrt",
    "ausgeschaltet",
    "deaktiviert",
    "umgestellt",
    "geändert",
    "gesetzt",
    "yesterday",
    "today",
    "gestern",
    "heute",
    "ayer",
    "hier",
    "ieri",
    "ontem",
];

/// A word of a clause, in lower case.
#[derive(Clone, Copy)]
pub(crate) struct Token<'a> {
    pub word: &'a str,
    /// The text between the word before and it.
    pub gap: &'a str,
}

/// A number that may be a code.
pub(crate) struct Number {
    /// The number of words that it consists of.
    pub words: usize,
    /// Whether it has four digits and may be a year.
    pub is_year: bool,
    /// Whether a sign of a keypad follows: `4947#`.
    pub has_key: bool,
    /// Whether the clause ends after it, or goes on without a word that it counts.
    pub ends: bool,
    /// Whether nothing follows it in the line.
    pub is_last: bool,
}

/// A clause, and the text of its line after it.
pub(crate) struct Clause<'a> {
    pub tokens: Vec<Token<'a>>,
    rest: &'a str,
}

/// Returns the clauses of a text in lower case that contain a digit.
pub(crate) fn clauses(lower: &str) -> impl Iterator<Item = Clause<'_>> {
    lower.lines().filter(|line| line.bytes().any(|byte| byte.is_ascii_digit())).flat_map(clauses_of_line)
}

/// Whether a clause with a digit, in a line with one of these names in lower case, states what is asked for.
pub(crate) fn any_clause(text: &Text, names: &Literals, states: fn(&Clause<'_>) -> bool) -> bool {
    text.lines()
        .filter(|(_, lower)| lower.bytes().any(|byte| byte.is_ascii_digit()) && names.are_in(lower))
        .any(|(_, lower)| clauses(lower).any(|clause| states(&clause)))
}

fn clauses_of_line(line: &str) -> Vec<Clause<'_>> {
    let mut found = Vec::new();
    let mut tokens = Vec::new();
    let mut index = 0;
    while index < line.len() {
        let rest = &line[index..];
        let gap = rest.find(char::is_alphanumeric).unwrap_or(rest.len());
        let ends = rest[..gap].contains([';', '!', '?'])
            || (rest[..gap].contains(". ")
                && !tokens.last().is_some_and(|it: &Token| ABBREVIATIONS.contains(&it.word)))
            || gap == rest.len()
            || tokens.len() >= MAX_WORDS;
        if ends && !tokens.is_empty() {
            found.push(Clause { tokens: std::mem::take(&mut tokens), rest });
        }
        let word = rest[gap..].find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len() - gap);
        if word > 0 {
            tokens.push(Token { word: &rest[gap..gap + word], gap: &rest[..gap] });
        }
        index += gap + word;
    }
    if !tokens.is_empty() {
        found.push(Clause { tokens, rest: "" });
    }
    found
}

pub(crate) fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

impl Clause<'_> {
    /// Returns the number that begins at a word: four to eight digits, two groups of three, numbers of a dial, or
    /// digits with a letter of a keypad.
    pub(crate) fn number_at(&self, index: usize) -> Option<Number> {
        let tokens = &self.tokens;
        let first = tokens.get(index)?.word;
        // Google's codes begin with `G-`.
        let is_google = index > 0 && tokens[index - 1].word == "g" && tokens[index].gap == "-";
        if !first.starts_with(|letter: char| letter.is_ascii_digit())
            || (tokens[index].gap.ends_with(['.', '-', '/', '$', '€']) && !is_google)
        {
            return None;
        }
        // A part of a longer number, such as one of a telephone.
        if index > 0 && tokens[index].gap == " " && is_digits(tokens[index - 1].word) {
            return None;
        }
        let joined = |at: usize, signs: &[&str]| tokens.get(at).filter(|it| signs.contains(&it.gap));
        let is_group = |word: &str, count: usize| word.len() == count && is_digits(word);
        let words = if is_group(first, 3)
            && joined(index + 1, &[" ", "-"]).is_some_and(|it| is_group(it.word, 3))
        {
            2
        } else if first.len() <= 2
            && is_digits(first)
            && (1..=2).all(|at| {
                joined(index + at, &["-", " - "]).is_some_and(|it| it.word.len() <= 2 && is_digits(it.word))
            })
        {
            let more = (3..=5).take_while(|at| {
                joined(index + at, &["-", " - "]).is_some_and(|it| it.word.len() <= 2 && is_digits(it.word))
            });
            3 + more.count()
        } else if is_keypad(first) || (DIGITS.contains(&first.len()) && is_digits(first)) {
            1
        } else {
            return None;
        };
        if EXAMPLES.contains(&first) || (words == 1 && first.bytes().all(|byte| byte == first.as_bytes()[0]))
        {
            return None;
        }
        let next = tokens.get(index + words);
        let after = next.map_or(self.rest, |it| it.gap);
        let unit = next.map_or("", |it| it.word);
        // A date, a time, a price, a version or a part of a longer number.
        let goes_on = next
            .is_some_and(|_| !after.starts_with([' ', ',', ')', '#', '*', '"', '\'', '`', '(', '|']))
            || (after.starts_with(' ') && is_digits(unit) && after.trim().is_empty())
            || after.starts_with(['%', '€', '$', '°'])
            || after.starts_with(" €");
        if goes_on || (after.starts_with(' ') && UNITS.contains(&unit)) {
            return None;
        }
        Some(Number {
            words,
            is_year: words == 1 && first.len() == 4 && (first.starts_with("19") || first.starts_with("20")),
            has_key: after.starts_with(['#', '*']),
            ends: next.is_none()
                || !after.starts_with(' ')
                || !after.trim().is_empty()
                || NEXT.contains(&unit),
            is_last: next.is_none()
                && after.trim_matches([' ', '.', '!', '#', '*', '"', '\'', '`']).is_empty(),
        })
    }

    /// Whether no sign of a date, a price or a longer number follows a word.
    pub(crate) fn number_end(&self, index: usize) -> bool {
        let after = self.tokens.get(index + 1).map_or(self.rest, |it| it.gap);
        !after.starts_with(['%', '€', '$', '°', '/', ':', '-', '.'])
            || after.trim_end().len() == 1
                && after.starts_with('.')
                && (after.len() > 1 || self.tokens.len() == index + 1)
    }

    /// Returns the index of the first of the words that a number depends on: articles directly before it are skipped.
    pub(crate) fn before_articles(&self, index: usize) -> usize {
        const ARTICLES: [&str; 18] = [
            "el", "le", "il", "lo", "o", "the", "den", "dem", "der", "die", "los", "les", "n", "nº", "n°",
            "now", "jetzt", "g",
        ];
        let mut at = index;
        while at > 0
            && ARTICLES.contains(&self.tokens[at - 1].word)
            && !self.tokens[at].gap.contains(['.', '/'])
        {
            at -= 1;
        }
        at
    }

    /// Whether something that is not counted or measured is changed to a number: `changed to 4931`, `auf 4931
    /// umgestellt`.
    pub(crate) fn is_changed(&self, index: usize) -> bool {
        const REACH_WORDS: usize = 7;
        const INTO: [&str; 11] = ["to", "auf", "a", "à", "in", "para", "na", "naar", "на", "til", "till"];
        const CHANGES: [&str; 15] = [
            "chang",
            "cambi",
            "umgestellt",
            "geändert",
            "gesetzt",
            "passé",
            "mudou",
            "mudad",
            "alterad",
            "поменя",
            "смени",
            "zmieni",
            "verander",
            "gewijzigd",
            "reset",
        ];
        const MEASURES: [&str; 26] = [
            "count",
            "number",
            "threshold",
            "port",
            "timeout",
            "limit",
            "límite",
            "limite",
            "price",
            "preis",
            "precio",
            "prix",
            "prezzo",
            "preço",
            "delay",
            "volume",
            "size",
            "width",
            "height",
            "budget",
            "capacity",
            "schwelle",
            "queue",
            "interval",
            "ticket",
            "issue",
        ];
        let changes = |it: &Token| CHANGES.iter().any(|verb| it.word.starts_with(verb));
        let before = &self.tokens[index.saturating_sub(REACH_WORDS)..index];
        before.split_last().is_some_and(|(last, before)| {
            INTO.contains(&last.word)
                && (before.iter().any(changes) || self.tokens.get(index + 1).is_some_and(changes))
                && !before.iter().any(|it| MEASURES.contains(&it.word))
        })
    }

    /// Whether a word or a sign directly before a number says that it is the value: `is`, `:`.
    pub(crate) fn is_connected(&self, index: usize) -> bool {
        const COPULAS: [&str; 25] = [
            "shows", "zeigt", "muestra", "affiche", "mostra", "is", "are", "was", "es", "son", "est", "sont",
            "ist", "lautet", "sind", "é", "è", "são", "sono", "equals", "says", "luidt", "jest", "remains",
            "c'est",
        ];
        let at = self.before_articles(index);
        let signs = |at: usize| self.tokens[at].gap.contains([':', '=', '→', '–', '—', '|']);
        let is_set = at > 1
            && self.tokens[at - 1].word == "auf"
            && ["steht", "gestellt", "eingestellt"].contains(&self.tokens[at - 2].word);
        is_set
            || self.is_changed(index)
            || signs(index)
            || (at > 0 && (signs(at) || COPULAS.contains(&self.tokens[at - 1].word)))
    }
}

/// Whether it consists of digits and one letter of a keypad: `49b47`.
fn is_keypad(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    (4..=6).contains(&word.len())
        && digits + 1 == word.len()
        && word.bytes().any(|byte| matches!(byte, b'a'..=b'd'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words of the first number of a text.
    fn number(text: &str) -> Option<usize> {
        clauses(text).find_map(|clause| {
            (0..clause.tokens.len()).find_map(|index| clause.number_at(index).map(|number| number.words))
        })
    }

    #[test]
    fn codes_are_distinguished_from_other_numbers() {
        for (text, words) in [
            ("it is 494731 now", 1),
            ("it is 690 636, for ten minutes", 2),
            ("turn 31-17-5", 3),
            ("type 49b47 below", 1),
            ("type 4947#", 1),
            ("nr. 4947", 1),
        ] {
            assert_eq!(number(text), Some(words), "{text}");
        }
        for text in [
            "on 2026-03-04",
            "at 18:30",
            "it is 4931 kg",
            "it costs 4931.50",
            "call 914 493 172",
            "it is 1234",
            "it is 7777",
            "a text without numbers",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn a_tie_is_a_copula_or_a_sign() {
        for (text, is_connected) in [
            ("it is the 494731", true),
            ("door: 494731", true),
            ("door 494731", false),
            ("since 494731", false),
        ] {
            let clause = clauses(text).next().expect("one clause");
            assert_eq!(clause.is_connected(clause.tokens.len() - 1), is_connected, "{text}");
        }
    }
}
