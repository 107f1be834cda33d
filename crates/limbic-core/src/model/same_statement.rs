//! Whether two texts are one statement, so that one of them may confirm the other or stand for it.
//!
//! Vectors see neither order, negation, antonyms nor numbers, so the words decide: both texts must have the same words in
//! the same order. What may differ is listed here and nowhere else: punctuation at the end, quotation marks around one
//! word, the case of a sentence's first letter, `the` and `please`, `don't` for `do not`, `two` for `2`, `1,000` for
//! `1000`, and the plural of an English word without a determiner. A list of names may be in any order. Everything else
//! makes two statements: where it is not sure that nothing changes, both are kept.

use std::borrow::Cow;

use crate::model::text;

/// Words that change nothing wherever they stand.
const EMPTY: [&str; 3] = ["the", "please", "bitte"];

/// Before these, `the` makes a difference: "the most", "the few".
const AFTER_THE: [&str; 14] = [
    "most", "more", "few", "fewer", "least", "less", "best", "worst", "one", "other", "others", "same",
    "last", "first",
];

/// Verbs that are contracted with `not`.
const CONTRACTED: [&str; 15] = [
    "do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "would", "should", "could",
    "must", "need",
];

/// Numbers that are spelled out. Words that mean something else too are missing: the Spanish `once` and the German `elf`.
const NUMBERS: [(&str, &str); 34] = [
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("dos", "2"),
    ("tres", "3"),
    ("cuatro", "4"),
    ("cinco", "5"),
    ("seis", "6"),
    ("siete", "7"),
    ("ocho", "8"),
    ("nueve", "9"),
    ("diez", "10"),
    ("zwei", "2"),
    ("drei", "3"),
    ("vier", "4"),
    ("fünf", "5"),
    ("sechs", "6"),
    ("sieben", "7"),
    ("acht", "8"),
    ("neun", "9"),
    ("zehn", "10"),
    ("zwölf", "12"),
];

/// Words by which a text is known to be Spanish or German, where a final s and a comma in a number mean something else.
const FOREIGN: [&str; 36] = [
    "el", "la", "los", "las", "es", "un", "una", "que", "con", "para", "por", "del", "se", "al", "su", "der",
    "die", "das", "den", "dem", "und", "ist", "nicht", "mit", "für", "ein", "eine", "kein", "auf", "von",
    "zu", "im", "sind", "wird", "werden", "ich",
];

/// Words by which a text is known to be English: only there a final s is known to be a plural.
const ENGLISH: [&str; 22] = [
    "the", "of", "and", "is", "are", "to", "for", "with", "from", "this", "that", "it", "be", "should",
    "must", "when", "not", "by", "at", "run", "use", "keep",
];

/// After these words, as after a number, it matters whether one or several are meant.
const DETERMINERS: [&str; 24] = [
    "a", "an", "this", "that", "these", "those", "each", "every", "some", "all", "no", "any", "both", "many",
    "few", "my", "your", "his", "her", "its", "our", "their", "another", "only",
];

/// Words that mean something else with a final s.
const NO_PLURAL: [&str; 15] = [
    "news",
    "goods",
    "customs",
    "means",
    "arms",
    "sometimes",
    "besides",
    "glasses",
    "works",
    "needs",
    "times",
    "odds",
    "others",
    "forces",
    "minutes",
];

/// The shortest word of which a plural is known.
const SHORTEST_PLURAL: usize = 4;

/// The fewest items of a list whose order does not matter, and the most words of one.
const LIST_ITEMS: usize = 3;
const ITEM_WORDS: usize = 3;

/// Whether two texts are one statement.
#[must_use]
pub fn same_statement(one: &str, other: &str) -> bool {
    let (one, other) = (Statement::read(one), Statement::read(other));
    one.says(&other) || one.names().is_some_and(|names| other.names() == Some(names))
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Word(Word),
    /// A mark between words: a comma, a colon, the end of a sentence.
    Break,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    /// Whether it was written with a capital.
    is_capital: bool,
    /// Whether `the` stood before it.
    is_definite: bool,
}

/// A text as it is compared.
struct Statement {
    parts: Vec<Part>,
    is_english: bool,
}

impl Statement {
    fn read(text: &str) -> Self {
        let mut parts = parts(text);
        let has = |words: &[&str]| parts.iter().filter_map(Part::text).any(|word| words.contains(&word));
        let is_foreign = has(&FOREIGN);
        let is_english = !is_foreign && has(&ENGLISH);
        parts = without_empty(parts);
        for part in &mut parts {
            if let Part::Word(word) = part {
                if let Some((_, digits)) = NUMBERS.iter().find(|(spelled, _)| *spelled == word.text) {
                    word.text = (*digits).to_owned();
                } else if !is_foreign && is_grouped(&word.text) {
                    word.text.retain(|letter| letter != ',');
                }
            }
        }
        Self { parts: settled(parts), is_english }
    }

    fn says(&self, other: &Self) -> bool {
        let may_be_plural = self.is_english && other.is_english;
        self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).enumerate().all(|(place, pair)| match pair {
                (Part::Break, Part::Break) => true,
                (Part::Word(one), Part::Word(two)) => {
                    one.text == two.text
                        || (may_be_plural
                            && is_plural_of(one, two)
                            && !self.is_determined(place)
                            && !other.is_determined(place))
                }
                _ => false,
            })
    }

    /// Whether the word at a place has a determiner.
    fn is_determined(&self, place: usize) -> bool {
        let before = place.checked_sub(1).and_then(|place| self.parts.get(place)).and_then(Part::text);
        matches!(&self.parts[place], Part::Word(word) if word.is_definite)
            || before.is_some_and(|word| DETERMINERS.contains(&word) || word.chars().any(char::is_numeric))
    }

    /// The items of a list of names in alphabetical order, with the word before the last; nothing when the text is none.
    fn names(&self) -> Option<(Vec<String>, bool)> {
        let mut items: Vec<Vec<&Word>> = vec![Vec::new()];
        let mut is_choice = false;
        let mut is_last = false;
        for part in &self.parts {
            let joint = part.text().filter(|word| ["and", "or", "y", "o", "und", "oder"].contains(word));
            match (part, joint) {
                (_, Some(joint)) => {
                    is_choice = ["or", "o", "oder"].contains(&joint);
                    is_last = true;
                    items.push(Vec::new());
                }
                (Part::Break, None) if is_last => return None,
                (Part::Break, None) => items.push(Vec::new()),
                (Part::Word(word), None) => items.last_mut()?.push(word),
            }
        }
        let is_name = |item: &Vec<&Word>| {
            (1..=ITEM_WORDS).contains(&item.len())
                && item[0].is_capital
                && item.iter().all(|word| !word.text.chars().any(char::is_numeric))
        };
        let joints = self.parts.iter().filter(|part| {
            part.text().is_some_and(|word| ["and", "or", "y", "o", "und", "oder"].contains(&word))
        });
        if items.len() < LIST_ITEMS || joints.count() > 1 || !items.iter().all(is_name) {
            return None;
        }
        let mut names: Vec<String> = items
            .iter()
            .map(|item| item.iter().map(|word| text::fold(&word.text)).collect::<Vec<_>>().join(" "))
            .collect();
        names.sort();
        Some((names, is_choice))
    }
}

impl Part {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(&word.text),
            Self::Break => None,
        }
    }
}

/// Words and marks, contractions written out. Marks within a word are part of it: `1.5`, `a/b`, `user_id`, `C++`.
fn parts(content: &str) -> Vec<Part> {
    let content = text::compose(content).replace(['\u{2019}', '\u{2018}'], "'");
    let mut parts = Vec::new();
    let mut is_start = true;
    for raw in content.split_whitespace() {
        let opened = raw.trim_start_matches(['\u{bf}', '\u{a1}']);
        let (word, mut marks) = without_marks(opened);
        let word = match unquoted(word) {
            Some(inner) => {
                let (inner, more) = without_marks(inner);
                marks = format!("{more}{marks}");
                inner
            }
            None => word,
        };
        if matches!(word, "\u{2013}" | "\u{2014}") {
            parts.push(Part::Break);
            continue;
        }
        if !word.is_empty() {
            push_word(&mut parts, word, is_start);
            is_start = false;
        }
        if marks.contains('?') {
            parts.push(Part::Word(Word { text: "?".into(), is_capital: false, is_definite: false }));
        }
        if !marks.is_empty() {
            parts.push(Part::Break);
            is_start = marks.contains(['.', '!', '?', '\u{2026}']);
        }
    }
    parts
}

/// A word without the marks behind it, and these.
fn without_marks(word: &str) -> (&str, String) {
    let mut rest = word;
    while let Some(last) = rest.chars().last() {
        let shorter = &rest[..rest.len() - last.len_utf8()];
        // "n!" is a number, "important!" is not.
        let ends_word = match last {
            '.' | ',' | ';' | ':' | '\u{2026}' | '?' => true,
            '!' => {
                shorter.chars().count() > 1
                    && shorter.chars().all(|letter| letter.is_alphabetic() || letter == '!')
            }
            _ => false,
        };
        if !ends_word {
            break;
        }
        rest = shorter;
    }
    (rest, word[rest.len()..].to_owned())
}

/// What stands between quotation marks that enclose just this word.
fn unquoted(word: &str) -> Option<&str> {
    [
        ('"', '"'),
        ('\'', '\''),
        ('`', '`'),
        ('\u{201c}', '\u{201d}'),
        ('\u{201e}', '\u{201c}'),
        ('\u{ab}', '\u{bb}'),
    ]
    .into_iter()
    .find_map(|(open, close)| word.strip_prefix(open)?.strip_suffix(close))
    .filter(|inner| inner.chars().any(char::is_alphanumeric))
}

fn push_word(parts: &mut Vec<Part>, word: &str, is_start: bool) {
    let mut letters = word.chars();
    let is_capital = letters.next().is_some_and(char::is_uppercase);
    let is_plain = letters.all(|letter| letter.is_lowercase() || letter == '\'');
    let text = if is_start && is_capital && is_plain { text::fold(word) } else { word.to_owned() };
    let mut push = |text: Cow<'_, str>| {
        parts.push(Part::Word(Word { text: text.into_owned(), is_capital, is_definite: false }));
    };
    let contracted = match text.as_str() {
        "can't" | "cannot" => Some("can"),
        "won't" => Some("will"),
        other => other.strip_suffix("n't").filter(|verb| CONTRACTED.contains(verb)),
    };
    match contracted {
        Some(verb) => {
            push(verb.into());
            push("not".into());
        }
        None => push(text.into()),
    }
}

/// The parts without words that change nothing.
fn without_empty(parts: Vec<Part>) -> Vec<Part> {
    let mut kept: Vec<Part> = Vec::with_capacity(parts.len());
    let mut is_definite = false;
    for (place, part) in parts.iter().enumerate() {
        let text = part.text();
        let next = parts.get(place + 1).and_then(Part::text);
        let is_empty = text.is_some_and(|word| EMPTY.contains(&word))
            && !(text == Some("the") && next.is_none_or(|next| AFTER_THE.contains(&next)));
        if is_empty {
            is_definite = text == Some("the");
        } else {
            let mut part = part.clone();
            if let Part::Word(word) = &mut part {
                word.is_definite = is_definite;
            }
            is_definite = false;
            kept.push(part);
        }
    }
    if kept.iter().any(|part| part.text().is_some()) { kept } else { parts }
}

/// The parts with one mark in the place of several, none at either end, and none before the last item of a list.
fn settled(parts: Vec<Part>) -> Vec<Part> {
    let mut settled: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        match &part {
            Part::Break if matches!(settled.last(), None | Some(Part::Break)) => {}
            Part::Word(word)
                if ["and", "or", "y", "o", "und", "oder"].contains(&word.text.as_str())
                    && settled.last() == Some(&Part::Break)
                    && settled.iter().filter(|part| **part == Part::Break).count() > 1 =>
            {
                settled.pop();
                settled.push(part);
            }
            _ => settled.push(part),
        }
    }
    while settled.last() == Some(&Part::Break) {
        settled.pop();
    }
    settled
}

/// Whether a number has its thousands apart: `1,000`, `12,345,678`.
fn is_grouped(word: &str) -> bool {
    let mut groups = word.split(',');
    let first = groups.next().unwrap_or_default();
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut count = 0;
    let others = groups.all(|group| {
        count += 1;
        group.len() == 3 && is_digits(group)
    });
    others && count > 0 && (1..=3).contains(&first.len()) && is_digits(first) && !first.starts_with('0')
}

/// Whether one of two words is the regular plural of the other.
fn is_plural_of(one: &Word, two: &Word) -> bool {
    let (short, long) = if one.text.len() < two.text.len() { (one, two) } else { (two, one) };
    !short.is_definite
        && !long.is_definite
        && short.text.len() >= SHORTEST_PLURAL
        && long.text.strip_suffix('s') == Some(short.text.as_str())
        && short.text.bytes().all(|byte| byte.is_ascii_lowercase())
        && !short.text.ends_with(['s', 'a', 'i', 'o', 'u'])
        && !NO_PLURAL.contains(&long.text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_nothing_may_differ() {
        for (one, other) in [
            ("The cache must be on", "the cache must be on."),
            ("Please restart the server", "Restart server"),
            ("Keep two copies", "Keep 2 copies"),
            ("Allow 1,000 requests", "Allow 1000 requests"),
            ("Don't deploy on Friday", "Do not deploy on Friday"),
            ("Write comment for every reason", "Write comments for every reason"),
            ("Rust, Go, and Python", "Python, Rust and Go"),
        ] {
            assert!(same_statement(one, other) && same_statement(other, one), "{one} / {other}");
        }
    }

    #[test]
    fn everything_else_makes_two_statements() {
        for (one, other) in [
            ("No, deploy on Friday", "No deploy on Friday"),
            ("Restart the server", "Restart the servers"),
            ("Build, test, deploy", "Deploy, test, build"),
            ("Rust, Go and Python", "Rust, Go or Python"),
            ("Die Grenze ist 1,000 Liter", "Die Grenze ist 1000 Liter"),
            ("A few tests fail", "Few tests fail"),
            ("The cache is on", "The cache is on?"),
            ("n! ways", "n ways"),
        ] {
            assert!(!same_statement(one, other) && !same_statement(other, one), "{one} / {other}");
        }
    }
}
