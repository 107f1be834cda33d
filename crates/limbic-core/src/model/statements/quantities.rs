//! Quantities of a statement in normal form: units, amounts of money, dates and times of day.

use super::{
    units,
    word::{Class, Word},
};
use crate::model::dates::MONTHS;

/// Prepositions behind which `an hour` is `one hour`.
const BEFORE_AMOUNTS: [&str; 8] = ["after", "for", "within", "in", "before", "of", "about", "under"];

fn number(text: impl Into<String>) -> Word {
    Word { text: text.into(), class: Class::Number, is_start: false }
}

/// Writes quantities in normal form.
pub(super) fn normalised(words: &[Word]) -> Vec<Word> {
    amounts(&times(&ordinals(dates(&split(words)))))
}

/// Splits `5MB`, `30%`, `$20`, `10k`, `5pm` and `2023-07-12`.
fn split(words: &[Word]) -> Vec<Word> {
    let mut changed = Vec::with_capacity(words.len());
    for word in words {
        let text = word.text.as_str();
        let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let rest = &text[digits.len()..];
        let is_number = |text: &str| {
            text.starts_with(|first: char| first.is_ascii_digit())
                && text.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '.' | ',' | ':'))
        };
        let content = |text: &str| Word { text: text.to_owned(), class: Class::Content, is_start: false };
        let iso: Vec<&str> = text.split('-').collect();
        if let Some(amount) = text.strip_prefix(['$', '€', '£']).filter(|amount| is_number(amount)) {
            changed.extend([number(amount), content(&text[..text.len() - amount.len()])]);
        } else if word.class == Class::Number && iso.len() == 3 && is_iso(&iso) {
            changed.extend([number(format!("{}-{}", iso[1], iso[2])), number(iso[0])]);
        } else if word.class == Class::Number && is_number(digits) && !rest.is_empty() {
            match rest {
                "k" if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                    changed.push(number(format!("{digits}000")));
                }
                "am" | "pm" | "a.m" | "p.m" => changed.extend([number(digits), content(rest)]),
                "st" | "nd" | "rd" | "th" => changed.push(word.clone()),
                unit if units::is_unit(unit) => changed.extend([number(digits), content(unit)]),
                _ => changed.push(word.clone()),
            }
        } else {
            changed.push(word.clone());
        }
    }
    changed
}

fn is_iso(parts: &[&str]) -> bool {
    parts
        .iter()
        .zip([4, 2, 2])
        .all(|(part, length)| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Ordinal numbers up to twelve.
const ORDINALS: [&str; 12] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
];

/// Spells out `2nd`.
fn ordinals(mut words: Vec<Word>) -> Vec<Word> {
    for word in words.iter_mut().filter(|word| word.class == Class::Number) {
        let digits = word.text.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
        if !["st", "nd", "rd", "th"].contains(&&word.text[digits.len()..]) {
            continue;
        }
        let index = digits.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        if let Some(name) = index.and_then(|index| ORDINALS.get(index)) {
            (word.text, word.class) = ((*name).to_owned(), Class::Content);
        }
    }
    words
}

/// Joins a day and a month: `12 July`, `July 12`, `July 12th`, `the 12th of July`. The comma before the year is
/// removed.
fn dates(words: &[Word]) -> Vec<Word> {
    let mut changed: Vec<Word> = Vec::with_capacity(words.len());
    let mut index = 0;
    while index < words.len() {
        let pair = words.get(index).zip(words.get(index + 1));
        let adjacent = pair.and_then(|(a, b)| date(a, b).or_else(|| date(b, a)));
        let of = words.get(index + 1).filter(|of| of.text == "of");
        let with_of = of.and_then(|_| {
            words.get(index).zip(words.get(index + 2)).and_then(|(day, month)| date(day, month))
        });
        let length = if adjacent.is_some() { 2 } else { 3 };
        if let Some(date) = adjacent.or(with_of) {
            if changed.last().is_some_and(|last| last.class == Class::The) {
                changed.pop();
            }
            changed.push(date);
            index += length;
            let is_year = |word: &Word| word.class == Class::Number && word.text.len() == 4;
            if words.get(index).is_some_and(|mark| mark.text == ",")
                && words.get(index + 1).is_some_and(is_year)
            {
                index += 1;
            }
        } else {
            changed.push(words[index].clone());
            index += 1;
        }
    }
    changed
}

fn date(day: &Word, month: &Word) -> Option<Word> {
    let is_named = |name: &&str| {
        month.text.get(..1).is_some_and(|first| first == name[..1].to_ascii_uppercase())
            && month.text.get(1..) == name.get(1..)
    };
    let month = MONTHS.iter().position(is_named)? + 1;
    let digits = day.text.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let day: u8 = digits.parse().ok().filter(|day| (1..=31).contains(day))?;
    Some(number(format!("{month:02}-{day:02}")))
}

/// Writes `5 pm` as `17:00`, and `02:00` as `2:00`.
fn times(words: &[Word]) -> Vec<Word> {
    let mut changed: Vec<Word> = Vec::with_capacity(words.len());
    for word in words {
        let half = match word.text.as_str() {
            "am" | "a.m" => Some(0),
            "pm" | "p.m" => Some(12),
            _ => None,
        };
        let time = half.zip(changed.last()).and_then(|(half, last)| time(&last.text, half));
        match (time, changed.last_mut()) {
            (Some(time), Some(last)) => last.text = time,
            _ => {
                let mut word = word.clone();
                let is_clock = word.text.len() == 5 && word.text[..].as_bytes()[2] == b':';
                if is_clock && word.class == Class::Number && word.text.starts_with('0') {
                    word.text.remove(0);
                }
                changed.push(word);
            }
        }
    }
    changed
}

fn time(text: &str, half: u8) -> Option<String> {
    let (hours, minutes) = text.split_once(':').unwrap_or((text, "00"));
    let hours: u8 = hours.parse().ok().filter(|hours| (1..=12).contains(hours))?;
    Some(format!("{}:{minutes}", hours % 12 + half))
}

/// Writes an amount in its base unit: `1 minute` as `60 second`, `1.5 million` as `1500000`.
fn amounts(words: &[Word]) -> Vec<Word> {
    let mut changed: Vec<Word> = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &words[before]);
        let is_one = word.class == Class::A
            && before.is_some_and(|before| BEFORE_AMOUNTS.contains(&&*before.text))
            && words
                .get(index + 1)
                .is_some_and(|next| units::is_unit(&next.text) && !units::is_length(&next.text));
        if is_one {
            changed.push(number("1"));
            continue;
        }
        let amount = changed.last().filter(|last| last.class == Class::Number).map(|last| last.text.clone());
        let scaled = amount.and_then(|amount| match word.text.as_str() {
            "thousand" => units::multiplied(&amount, 1_000).map(|amount| (amount, None)),
            "million" => units::multiplied(&amount, 1_000_000).map(|amount| (amount, None)),
            "billion" => units::multiplied(&amount, 1_000_000_000).map(|amount| (amount, None)),
            unit => units::in_base_unit(&amount, unit).map(|(amount, unit)| (amount, Some(unit))),
        });
        match (scaled, changed.last_mut()) {
            (Some((amount, unit)), Some(last)) => {
                last.text = amount;
                changed.extend(unit.map(|unit| Word {
                    text: unit.to_owned(),
                    class: Class::Content,
                    is_start: false,
                }));
            }
            _ => changed.push(word.clone()),
        }
    }
    changed
}
