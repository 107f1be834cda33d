//! The words of an English statement with their classes, in a form in which equivalent spellings are equal: numbers as
//! digits, `weekly` as `every week`, `dog's` as a word and a possessive, idioms as one word.

use super::{
    lexicon::{self, CALENDAR, CONJUNCTIONS, MODALS, NEGATIONS, PREPOSITIONS, QUANTITIES, TIME_UNITS},
    quantities,
    word::{Class, Word},
};
use crate::model::same_statement::{Token, groups_digits, number_of, tokens};

/// Where one of these words occurs, quotation marks make a difference.
const ABOUT_LITERALS: [&str; 12] = [
    "value",
    "values",
    "string",
    "strings",
    "literal",
    "quotes",
    "quoted",
    "yaml",
    "json",
    "csv",
    "character",
    "separator",
];

/// Contractions with `is`; `'s` behind other words is a possessive.
const WITH_IS: [&str; 9] = ["it", "that", "there", "he", "she", "what", "who", "here", "where"];

/// Several words that mean the same as others.
const IDIOMS: [(&[&str], &[&str]); 62] = [
    (&["do", "not", "have", "to"], &["need-not"]),
    (&["does", "not", "have", "to"], &["need-not"]),
    (&["do", "not", "need", "to"], &["need-not"]),
    (&["does", "not", "need", "to"], &["need-not"]),
    (&["need", "not"], &["need-not"]),
    (&["have", "to"], &["must"]),
    (&["has", "to"], &["must"]),
    (&["is", "allowed", "to"], &["can"]),
    (&["are", "allowed", "to"], &["can"]),
    (&["in", "charge", "of"], &["responsible", "for"]),
    (&["takes", "place"], &["is"]),
    (&["take", "place"], &["is"]),
    (&["took", "place"], &["was"]),
    (&["is", "situated"], &["is"]),
    (&["are", "situated"], &["is"]),
    (&["for", "free"], &["free"]),
    (&["by", "hand"], &["by-hand"]),
    (&["by", "itself"], &["by-itself"]),
    (&["at", "least"], &["at-least"]),
    (&["at", "most"], &["at-most"]),
    (&["up", "to"], &["at-most"]),
    (&["more", "than"], &["over"]),
    (&["less", "than"], &["under"]),
    (&["fewer", "than"], &["under"]),
    (&["in", "order", "to"], &["to"]),
    (&["as", "well", "as"], &["and"]),
    (&["out", "of", "the"], &["out-of-the"]),
    (&["does", "not"], &["not"]),
    (&["do", "not"], &["not"]),
    (&["a", "few"], &["a-few"]),
    (&["is", "based", "in"], &["is", "in"]),
    (&["is", "found", "in"], &["is", "in"]),
    (&["lies", "in"], &["is", "in"]),
    (&["sits", "in"], &["is", "in"]),
    (&["no", "longer"], &["not"]),
    (&["consists", "of"], &["has"]),
    (&["consist", "of"], &["have"]),
    (&["is", "not", "allowed"], &["is", "prohibited"]),
    (&["are", "not", "allowed"], &["is", "prohibited"]),
    (&["works", "as"], &["is"]),
    (&["work", "as"], &["is"]),
    (&["is", "employed", "at"], &["works", "at"]),
    (&["make", "sure", "to"], &[]),
    (&["o'clock"], &[]),
    (&["prior", "to"], &["before"]),
    (&["or", "more"], &["or-more"]),
    (&["a", "minimum", "of"], &["at-least"]),
    (&["a", "maximum", "of"], &["at-most"]),
    (&["no", "more", "than"], &["at-most"]),
    (&["no", "less", "than"], &["at-least"]),
    (&["all", "of", "the"], &["all"]),
    (&["two", "times"], &["twice"]),
    (&["2", "times"], &["twice"]),
    (&["because", "of"], &["due-to"]),
    (&["due", "to"], &["due-to"]),
    (&["is", "able", "to"], &["can"]),
    (&["are", "able", "to"], &["can"]),
    (&["rather", "than"], &["instead-of"]),
    (&["instead", "of"], &["instead-of"]),
    (&["on", "a", "daily", "basis"], &["daily"]),
    (&["on", "a", "weekly", "basis"], &["weekly"]),
    (&["on", "a", "monthly", "basis"], &["monthly"]),
];

/// Prepositions of time, behind which a number may end the sentence.
const BEFORE_TIMES: [&str; 12] =
    ["at", "by", "until", "before", "after", "from", "to", "past", "since", "in", "around", "than"];

/// Returns the words of an English text in normal form.
pub(super) fn of(text: &str) -> Vec<Word> {
    let tokens = tokens(text);
    let has_grouping = groups_digits(&tokens);
    let raw = without_elided_negation(raw(&tokens));
    let words = numbers(preferences(commands(idioms(classified(&raw)))), has_grouping);
    days(&frequencies(quantities::normalised(&words)))
}

/// Words of [`tokens`], possessives apart, without quotation marks around a single word.
fn raw(tokens: &[Token]) -> Vec<Word> {
    let is_about_literals = tokens
        .iter()
        .any(|token| matches!(token, Token::Word(word) if ABOUT_LITERALS.contains(&&*word.to_lowercase())));
    let mut words: Vec<Word> = Vec::with_capacity(tokens.len() + 2);
    let mut is_start = true;
    for token in tokens {
        match token {
            Token::Marks(marks) => {
                is_start = marks.contains(['.', '!', '?', '\u{2026}']);
                words.push(Word::new(marks.clone(), Class::Mark));
            }
            Token::Word(word) => {
                let quoted = word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                let plain = quoted.filter(|inner| !is_about_literals && !inner.contains('"')).unwrap_or(word);
                let (stem, ending) = possessive(plain);
                words.push(Word { text: stem.to_owned(), class: Class::Content, is_start });
                words.extend(ending);
                is_start = false;
            }
        }
    }
    while words.last().is_some_and(|last| last.class == Class::Mark && !last.text.contains('?')) {
        words.pop();
    }
    words
}

/// Writes `nous n'utilisons pas` as `nous utilisons pas`, and leaves `ne` out: the second word of the negation counts.
fn without_elided_negation(mut words: Vec<Word>) -> Vec<Word> {
    let negates = |word: &Word| matches!(&*word.folded(), "pas" | "jamais" | "aucun" | "aucune" | "rien");
    if !words.iter().any(negates) {
        return words;
    }
    words.retain(|word| !word.is("ne"));
    for word in &mut words {
        if let Some(verb) = word.text.strip_prefix("n'").filter(|verb| !verb.is_empty()) {
            word.text = verb.to_owned();
        }
    }
    words
}

/// Splits `dog's` and `dogs'`; `it's` is `it is`.
fn possessive(word: &str) -> (&str, Option<Word>) {
    if let Some(stem) = word.strip_suffix("'s").filter(|stem| !stem.is_empty()) {
        let is_contraction = WITH_IS.contains(&&*stem.to_lowercase());
        let ending =
            if is_contraction { Word::new("is", Class::Be) } else { Word::new("'s", Class::Possessive) };
        (stem, Some(ending))
    } else if let Some(stem) = word.strip_suffix('\'').filter(|stem| stem.ends_with('s')) {
        (stem, Some(Word::new("'s", Class::Possessive)))
    } else {
        (word, None)
    }
}

fn classified(words: &[Word]) -> Vec<Word> {
    let mut classified = Vec::with_capacity(words.len());
    for word in words {
        let mut word = word.clone();
        if word.class == Class::Content {
            let folded = word.folded();
            if word.is_start || word.text == folded {
                word.class = class(&folded);
                let other = spelling(lexicon::synonym(&folded));
                if other != folded {
                    word.class = class(&other);
                    word.text = other;
                } else if word.class != Class::Content {
                    word.text = folded;
                }
            }
            if word.text.starts_with(|first: char| first.is_ascii_digit()) {
                word.class = Class::Number;
            }
        }
        classified.push(word);
    }
    classified
}

/// British spellings as American ones; applied to both texts, so that it need not be a word.
fn spelling(word: &str) -> String {
    let mut spelled = word.to_owned();
    for (british, american) in
        [("ise", "ize"), ("ises", "izes"), ("ised", "ized"), ("tre", "ter"), ("tres", "ters")]
    {
        if let Some(stem) = word.strip_suffix(british).filter(|stem| stem.len() >= 3) {
            spelled = format!("{stem}{american}");
        }
    }
    let is_number = word.starts_with("four") || word.starts_with("hour");
    if word.len() >= 6 && !is_number { spelled.replacen("our", "or", 1) } else { spelled }
}

fn class(folded: &str) -> Class {
    match folded {
        "the" | "our" => Class::The,
        "a" | "an" => Class::A,
        "i" | "we" | "they" | "you" | "there" => Class::Pronoun,
        "is" | "are" | "was" | "were" | "be" | "been" | "being" => Class::Be,
        _ if NEGATIONS.contains(&folded) => Class::Negation,
        _ if MODALS.contains(&folded) => Class::Modal,
        _ if QUANTITIES.contains(&folded) => Class::Quantity,
        _ if PREPOSITIONS.contains(&folded) => Class::Preposition,
        _ if CONJUNCTIONS.contains(&folded) => Class::Conjunction,
        _ => Class::Content,
    }
}

fn idioms(words: Vec<Word>) -> Vec<Word> {
    let mut changed: Vec<Word> = Vec::with_capacity(words.len());
    let mut rest = &words[..];
    while let Some(word) = rest.first() {
        let found = IDIOMS.iter().find(|(from, _)| {
            from.len() <= rest.len() && from.iter().zip(rest).all(|(from, word)| word.is(from))
        });
        match found {
            Some((from, to)) => {
                changed.extend(to.iter().map(|to| Word::new(*to, class(to))));
                rest = &rest[from.len()..];
            }
            None => {
                let mut word = word.clone();
                if word.class == Class::Be {
                    word.text = match word.text.as_str() {
                        "are" => "is".into(),
                        "were" => "was".into(),
                        _ => word.text,
                    };
                } else if word.class == Class::A {
                    word.text = "a".into();
                }
                changed.push(word);
                rest = &rest[1..];
            }
        }
    }
    changed
}

/// Writes commands in one form: without `always`, and with `not` for `never`.
fn commands(mut words: Vec<Word>) -> Vec<Word> {
    match words.first().map(|first| first.text.as_str()) {
        Some("always") => drop(words.remove(0)),
        Some("never") => words[0].text = "not".into(),
        _ => {}
    }
    words
}

/// Writes `due Monday` as `due on Monday`, and `On Monday we meet` with a comma before `we`.
fn days(words: &[Word]) -> Vec<Word> {
    let is_day = |word: &Word| {
        let name = word.text.trim_end_matches('s').to_lowercase();
        word.text.starts_with(char::is_uppercase) && name.ends_with("day") && CALENDAR.contains(&&*name)
    };
    let mut changed: Vec<Word> = Vec::with_capacity(words.len() + 1);
    for (index, word) in words.iter().enumerate() {
        if is_day(word) && index > 0 && words[index - 1].class == Class::Content {
            changed.push(Word::new("on", Class::Preposition));
        }
        changed.push(word.clone());
        let is_time = is_day(word) || word.class == Class::Number || CALENDAR.contains(&&*word.folded());
        let begins_clause = words.get(index + 1).is_some_and(|next| {
            matches!(next.class, Class::The | Class::A | Class::Pronoun)
                || (next.class == Class::Content && next.text.starts_with(char::is_uppercase))
        });
        if index == 1 && words[0].class == Class::Preposition && is_time && begins_clause {
            changed.push(Word::new(",", Class::Mark));
        }
    }
    changed
}

/// Writes `prefers X over Y` as `prefers X to Y`.
fn preferences(mut words: Vec<Word>) -> Vec<Word> {
    if let Some(verb) = words.iter().position(|word| word.text.starts_with("prefer")) {
        for word in words[verb..].iter_mut().filter(|word| word.is("over")) {
            word.text = "to".into();
        }
    }
    words
}

/// Writes numbers as digits: before a word, and behind a preposition of time at the end. `half past seven` is `7:30`.
fn numbers(words: Vec<Word>, has_grouping: bool) -> Vec<Word> {
    let mut changed: Vec<Word> = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        let folded = word.folded();
        let next = words.get(index + 1);
        let is_before_word = next.is_some_and(|next| next.class != Class::Mark && !next.is("'s"));
        let is_time = index > 0 && BEFORE_TIMES.contains(&&*words[index - 1].text);
        let digits = match word.class {
            Class::Content if is_before_word || is_time => number_of(&folded).map(str::to_owned),
            Class::Number if has_grouping => Some(without_separators(&word.text)),
            _ => None,
        };
        let Some(digits) = digits else {
            changed.push(word.clone());
            continue;
        };
        let is_half_past = changed.len() >= 2
            && changed[changed.len() - 1].is("past")
            && changed[changed.len() - 2].is("half");
        if is_half_past {
            changed.truncate(changed.len() - 2);
            changed.push(Word::new(format!("{digits}:30"), Class::Number));
        } else {
            changed.push(Word::new(digits, Class::Number));
        }
    }
    changed
}

/// A number without the commas between its thousands.
fn without_separators(number: &str) -> String {
    let groups: Vec<&str> = number.split(',').collect();
    let is_grouped = groups.len() > 1
        && groups[1..]
            .iter()
            .all(|group| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit()))
        && (1..=3).contains(&groups[0].len());
    if is_grouped { groups.concat() } else { number.to_owned() }
}

/// Joins a frequency to one word: `weekly`, `every week`, `100 requests per minute`, `once a day`.
fn frequencies(words: Vec<Word>) -> Vec<Word> {
    let unit_of = |word: &Word| TIME_UNITS.iter().find(|(unit, _)| word.is(unit)).map(|(unit, _)| *unit);
    let adverb_of = |word: &Word| {
        let folded = word.folded();
        TIME_UNITS.iter().find(|(_, adverbs)| adverbs.contains(&&*folded)).map(|(unit, _)| *unit)
    };
    let mut changed: Vec<Word> = Vec::with_capacity(words.len());
    let mut index = 0;
    while let Some(word) = words.get(index) {
        let unit = words.get(index + 1).and_then(unit_of);
        let is_counted = || changed.iter().rev().take(4).any(|word| word.class == Class::Number);
        let is_once = changed.last().is_some_and(|last| last.is("once"));
        let (unit, length) = match word.text.as_str() {
            "every" | "each" => (unit, 2),
            "per" | "a" | "an"
                if is_counted() || is_once || changed.last().is_some_and(|last| last.is("twice")) =>
            {
                (unit, 2)
            }
            _ => (adverb_of(word), 1),
        };
        if let Some(unit) = unit {
            if is_once {
                changed.pop();
            }
            changed.push(Word::new(format!("every {unit}"), Class::Frequency));
            index += length;
        } else {
            changed.push(word.clone());
            index += 1;
        }
    }
    changed
}
