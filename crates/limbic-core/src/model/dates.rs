//! Dates and spans of days that a text names: `8 May 2023`, `in March`, `last spring`, `two weeks ago`.
//!
//! English only, and `YYYY-MM-DD` and `YYYY-MM` in any language. Seasons are those of the northern hemisphere.

/// The names of the months in lower case.
pub(super) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Days from one date to another one, both included, as days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first day.
    pub first: i64,
    /// The last day.
    pub last: i64,
}

/// A date in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Date {
    /// Known days.
    Days(Span),
    /// A day, month or season of any year.
    EveryYear {
        /// The first month, 1 to 12.
        month: i64,
        /// The number of months.
        months: i64,
        /// The day of the month, 1 to 31; all days if it is missing.
        day: Option<i64>,
    },
}

impl Span {
    /// Creates a span of one day.
    #[must_use]
    pub fn day(day: i64) -> Self {
        Self { first: day, last: day }
    }

    /// The number of days between this span and another one; 0 if they have a day in common.
    #[must_use]
    pub fn gap(self, other: Self) -> i64 {
        (self.first - other.last).max(other.first - self.last).max(0)
    }

    /// The number of days.
    #[must_use]
    pub fn days(self) -> i64 {
        self.last - self.first + 1
    }
}

impl Date {
    /// Returns its days; of every year, the occurrence nearest to a span.
    #[must_use]
    pub(crate) fn near(self, other: Span) -> Span {
        match self {
            Self::Days(span) => span,
            Self::EveryYear { month, months, day } => {
                let (year, _, _) = civil(other.first);
                (year - 1..=year + 1)
                    .map(|year| match day {
                        Some(day) => Span::day(days_from_epoch(year, month, day)),
                        None => months_of(year, month, months),
                    })
                    .min_by_key(|span| span.gap(other))
                    .unwrap_or(other)
            }
        }
    }
}

/// Returns the dates of a text, in order. Relative ones (`yesterday`) are read against `today`, and left out without
/// it.
#[must_use]
pub(crate) fn dates(text: &str, today: Option<i64>) -> Vec<Date> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| letter.is_whitespace() || ",;:()\"".contains(letter))
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .map(|word| word.strip_suffix("'s").unwrap_or(word))
        .filter(|word| !word.is_empty())
        .collect();
    let (mut found, mut index) = (Vec::new(), 0);
    while index < words.len() {
        let before = index.checked_sub(1).map_or("", |before| words[before]);
        match date_at(&words[index..], before, today) {
            Some((date, count)) => {
                found.push(date);
                index += count;
            }
            None => index += 1,
        }
    }
    found
}

/// Returns the date that begins with the first word, and the number of its words.
fn date_at(words: &[&str], before: &str, today: Option<i64>) -> Option<(Date, usize)> {
    iso(words[0])
        .map(|date| (date, 1))
        .or_else(|| day_before_month(words, before))
        .or_else(|| month_first(words, before, today))
        .or_else(|| season(words, before, today))
        .or_else(|| relative(words, before, today?))
        .or_else(|| {
            let is_date = matches!(
                before,
                "in" | "of" | "since" | "during" | "year" | "by" | "until" | "from" | "early" | "late"
            );
            let year = year(words[0])
                .filter(|year| is_date && !words.get(1).is_some_and(|next| counts(*year, next)))?;
            Some((Date::Days(months_of(year, 1, 12)), 1))
        })
}

/// Whether a number in front of a word counts things, although it could be a year: `in 2000 requests`, `of 2048 bytes`.
/// Of other words, only those in the plural behind a multiple of 100: `In 2023 sales grew` names a year.
fn counts(number: i64, next: &str) -> bool {
    const COUNTED: &str = "bytes requests messages items rows files users lines tokens words records calls times steps \
        pixels people characters memories tests points ms seconds minutes hours days kb mb euros dollars";
    let is_plural = next.len() > 3 && next.ends_with('s') && !next.ends_with("ss") && next != "this";
    COUNTED.split_whitespace().any(|counted| counted == next) || number % 100 == 0 && is_plural
}

/// Whether `may` beside a number of one or two digits is the month: the number has the ending of an ordinal, a year or
/// nothing follows, or a word before both precedes dates. In `Node 18 may break` and `it may 5 times` it is the verb.
fn is_month_may(day: &str, before: &str, behind: Option<&&str>) -> bool {
    const BEFORE_DATES: [&str; 13] =
        ["on", "by", "until", "till", "since", "from", "before", "after", "the", "of", "for", "to", "and"];
    BEFORE_DATES.contains(&before)
        || !day.bytes().all(|digit| digit.is_ascii_digit())
        || behind.is_none_or(|word| year(word).is_some())
}

/// `2023-05-08`, also with a time behind it, and `2023-05`.
fn iso(word: &str) -> Option<Date> {
    let word = word.split('t').next()?;
    let parts: Vec<&str> = word.split('-').collect();
    let year = parts.first().and_then(|part| year(part))?;
    let number = |index: usize, most: i64| {
        let part = parts.get(index).filter(|part| part.len() == 2)?;
        part.parse().ok().filter(|number| (1..=most).contains(number))
    };
    match parts.len() {
        2 => Some(Date::Days(months_of(year, number(1, 12)?, 1))),
        3 => Some(Date::Days(Span::day(days_from_epoch(year, number(1, 12)?, number(2, 31)?)))),
        _ => None,
    }
}

/// `8 May 2023`, `8th of May`.
fn day_before_month(words: &[&str], before: &str) -> Option<(Date, usize)> {
    let day = day_of_month(words[0])?;
    let of = usize::from(words.get(1) == Some(&"of"));
    let name = words.get(1 + of)?;
    let month = month(name)?;
    if *name == "may" && of == 0 && !is_month_may(words[0], before, words.get(2)) {
        return None;
    }
    Some(with_year(month, Some(day), words, 2 + of))
}

/// `May 8, 2023`, `May 2023`, `in May`, `last May`.
fn month_first(words: &[&str], before: &str, today: Option<i64>) -> Option<(Date, usize)> {
    let month = month(words[0])?;
    if let Some(day) = words.get(1).and_then(|word| day_of_month(word)) {
        if words[0] == "may" && !is_month_may(words[1], before, words.get(2)) {
            return None;
        }
        return Some(with_year(month, Some(day), words, 2));
    }
    let is_count = |year| words.get(2).is_some_and(|next| counts(year, next));
    if words.get(1).is_some_and(|word| year(word).is_some_and(|year| !is_count(year))) {
        return Some(with_year(month, None, words, 1));
    }
    if let Some(span) = today.and_then(|today| chosen(month, 1, before, today)) {
        return Some((Date::Days(span), 1));
    }
    let is_clear = words[0].len() > 3 && words[0] != "march" && words[0] != "sept";
    let is_date = matches!(
        before,
        "in" | "of" | "since" | "until" | "by" | "during" | "early" | "late" | "last" | "this" | "next"
    );
    let is_name = words[0].len() > 3 || words[0] == "may";
    (is_clear || (is_date && is_name)).then_some((Date::EveryYear { month, months: 1, day: None }, 1))
}

/// Adds the year at this place, if there is one. Returns the date with its number of words.
fn with_year(month: i64, day: Option<i64>, words: &[&str], index: usize) -> (Date, usize) {
    match words.get(index).and_then(|word| year(word)) {
        None => (Date::EveryYear { month, months: 1, day }, index),
        Some(year) => {
            let span = match day {
                Some(day) => Span::day(days_from_epoch(year, month, day)),
                None => months_of(year, month, 1),
            };
            (Date::Days(span), index + 1)
        }
    }
}

/// `summer 2023`, `the summer of 2023`, `last spring`, `in winter`.
fn season(words: &[&str], before: &str, today: Option<i64>) -> Option<(Date, usize)> {
    let month = match words[0] {
        "spring" => 3,
        "summer" => 6,
        "autumn" | "fall" => 9,
        "winter" => 12,
        _ => return None,
    };
    let of = usize::from(words.get(1) == Some(&"of"));
    if let Some(year) = words.get(1 + of).and_then(|word| year(word)) {
        return Some((Date::Days(months_of(year, month, 3)), 2 + of));
    }
    if let Some(span) = today.and_then(|today| chosen(month, 3, before, today)) {
        return Some((Date::Days(span), 1));
    }
    // Not `they fall`, `to spring`.
    let is_date =
        matches!(before, "the" | "in" | "during" | "last" | "this" | "next" | "every" | "since" | "until");
    is_date.then_some((Date::EveryYear { month, months: 3, day: None }, 1))
}

/// Returns the last, this or the next occurrence of months, seen from a day.
fn chosen(month: i64, months: i64, word: &str, today: i64) -> Option<Span> {
    let (year, _, _) = civil(today);
    let mut years = (year - 2..=year + 2).map(|year| months_of(year, month, months));
    match word {
        "last" => years.rev().find(|span| span.last < today),
        "this" => years.min_by_key(|span| span.gap(Span::day(today))),
        "next" => years.find(|span| span.first > today),
        _ => None,
    }
}

/// `yesterday`, `last week`, `two weeks ago`, `in two weeks`, `the last 3 days`, `last Friday`.
fn relative(words: &[&str], before: &str, today: i64) -> Option<(Date, usize)> {
    let day = |offset: i64, count: usize| Some((Date::Days(Span::day(today + offset)), count));
    match words {
        ["today" | "tonight", ..] => return day(0, 1),
        ["yesterday", ..] => return day(-1, 1),
        ["tomorrow", ..] => return day(1, 1),
        ["day", "before", "yesterday", ..] => return day(-2, 3),
        ["day", "after", "tomorrow", ..] => return day(2, 3),
        ["last", "night", ..] => return day(-1, 2),
        _ => {}
    }
    let steps = match words[0] {
        "last" => Some(-1),
        "this" => Some(0),
        "next" => Some(1),
        _ => None,
    };
    if let ("last" | "past" | "next", Some(number), Some(unit)) = (words[0], words.get(1), words.get(2))
        && let Some(number) = count(number)
    {
        let (days, is_past) = (in_days(unit)? * number, words[0] != "next");
        let span =
            Span { first: today - days * i64::from(is_past), last: today + days * i64::from(!is_past) };
        return Some((Date::Days(span), 3));
    }
    if let (Some(steps), Some(unit)) = (steps, words.get(1)) {
        return Some((Date::Days(period(unit, steps, today)?), 2));
    }
    let (count, index) = match words {
        ["a", "couple", "of", ..] => (2, 3),
        ["a" | "an", "few", ..] => (3, 2),
        _ => (count(words[0])?, 1),
    };
    if index >= words.len() {
        return None;
    }
    let (count, used) = match words[index + 1..] {
        ["ago", ..] => (-count, index + 2),
        ["from", "now", ..] => (count, index + 3),
        _ if before == "in" => (count, index + 1),
        _ => return None,
    };
    let span = match words[index].trim_end_matches('s') {
        "day" => Span::day(today + count),
        "week" => Span { first: today + 7 * count - 3, last: today + 7 * count + 3 },
        unit @ ("month" | "year") => period(unit, count, today)?,
        _ => return None,
    };
    Some((Date::Days(span), used))
}

/// Returns the days of a unit, of a month and a year about.
fn in_days(unit: &str) -> Option<i64> {
    match unit.trim_end_matches('s') {
        "day" => Some(1),
        "week" => Some(7),
        "month" => Some(30),
        "year" => Some(365),
        _ => None,
    }
}

/// Returns the week, weekend, month, year or weekday that is `steps` after that of a day.
fn period(unit: &str, steps: i64, today: i64) -> Option<Span> {
    const WEEKDAYS: [&str; 7] =
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    // 1970-01-01 was a Thursday.
    let weekday = (today + 3).rem_euclid(7);
    let monday = today - weekday;
    let (year, month, _) = civil(today);
    Some(match unit {
        "week" => Span { first: monday + 7 * steps, last: monday + 7 * steps + 6 },
        "weekend" => Span { first: monday + 7 * steps + 5, last: monday + 7 * steps + 6 },
        "month" => {
            let months = year * 12 + month - 1 + steps;
            months_of(months.div_euclid(12), months.rem_euclid(12) + 1, 1)
        }
        "year" => months_of(year + steps, 1, 12),
        unit => {
            let wanted = i64::try_from(WEEKDAYS.iter().position(|name| *name == unit)?).ok()?;
            let in_week = monday + wanted;
            let day = match steps {
                -1 if in_week >= today => in_week - 7,
                1 if in_week <= today => in_week + 7,
                _ => in_week,
            };
            Span::day(day)
        }
    })
}

fn year(word: &str) -> Option<i64> {
    let year = word.parse().ok().filter(|_| word.len() == 4)?;
    (1900..=2100).contains(&year).then_some(year)
}

/// `8`, `8th`.
fn day_of_month(word: &str) -> Option<i64> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    let day = digits.parse().ok().filter(|_| digits.len() <= 2)?;
    (1..=31).contains(&day).then_some(day)
}

fn count(word: &str) -> Option<i64> {
    const NUMBERS: [&str; 12] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    if word == "a" || word == "an" {
        return Some(1);
    }
    let named = NUMBERS.iter().position(|name| *name == word).and_then(|index| i64::try_from(index + 1).ok());
    named.or_else(|| word.parse().ok().filter(|count| (1..=999).contains(count)))
}

fn month(word: &str) -> Option<i64> {
    let is_named = |name: &&str| {
        *name == word
            || (word.len() == 3 && name.starts_with(word))
            || (word == "sept" && name.starts_with(word))
    };
    MONTHS.iter().position(is_named).and_then(|index| i64::try_from(index + 1).ok())
}

/// Returns the days of `months` months, beginning with this one.
fn months_of(year: i64, month: i64, months: i64) -> Span {
    let after = year * 12 + month - 1 + months;
    let first = days_from_epoch(year, month, 1);
    Span { first, last: days_from_epoch(after.div_euclid(12), after.rem_euclid(12) + 1, 1) - 1 }
}

/// Returns the days from 1970-01-01 to a day of the Gregorian calendar, years 0 to 9999. A year is counted from March,
/// so that a leap day is its last day; 719,468 days are between 0000-03-01 and the epoch.
#[must_use]
pub(crate) fn days_from_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let month = (month + 9) % 12;
    year * 365 + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + (day - 1)
        - 719_468
}

/// Returns year, month and day of a number of days since 1970-01-01: the inverse of `days_from_epoch`.
#[must_use]
pub fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(year: i64, month: i64, day: i64) -> i64 {
        days_from_epoch(year, month, day)
    }

    fn days(first: (i64, i64, i64), last: (i64, i64, i64)) -> Date {
        Date::Days(Span { first: day(first.0, first.1, first.2), last: day(last.0, last.1, last.2) })
    }

    #[test]
    fn the_calendar_is_inverted() {
        for days in (-200_000..200_000).step_by(37) {
            let (year, month, of_month) = civil(days);
            assert_eq!(day(year, month, of_month), days);
        }
        assert_eq!(civil(day(2024, 2, 29)), (2024, 2, 29));
    }

    #[test]
    fn dates_are_read_in_any_order_of_their_parts() {
        let one = days((2023, 5, 8), (2023, 5, 8));
        for text in [
            "1:56 pm on 8 May, 2023 Caroline said",
            "on May 8, 2023",
            "the 8th of May 2023",
            "May 8th 2023?",
            "since 2023-05-08",
            "at 2023-05-08T10:00:00Z",
        ] {
            assert_eq!(dates(text, None), [one], "{text}");
        }
        assert_eq!(dates("in March 2023", None), [days((2023, 3, 1), (2023, 3, 31))]);
        assert_eq!(dates("the summer of 2023", None), [days((2023, 6, 1), (2023, 8, 31))]);
        assert_eq!(dates("winter 2023", None), [days((2023, 12, 1), (2024, 2, 29))]);
        assert_eq!(dates("in 2022", None), [days((2022, 1, 1), (2022, 12, 31))]);
        assert_eq!(dates("in June", None), [Date::EveryYear { month: 6, months: 1, day: None }]);
        assert_eq!(dates("by 18 may", None), [Date::EveryYear { month: 5, months: 1, day: Some(18) }]);
        assert_eq!(dates("may 5th is free", None), [Date::EveryYear { month: 5, months: 1, day: Some(5) }]);
        assert_eq!(dates("June 14", None), [Date::EveryYear { month: 6, months: 1, day: Some(14) }]);
    }

    #[test]
    fn words_that_are_no_dates_are_left() {
        for text in [
            "you may march into the sea in the fall",
            "port 2023, chapter 12",
            "yesterday",
            "they spring up and fall",
            "a sec ago",
            "Node 18 may break the build",
            "it may 5 workers serve",
            "it answers in 2000 requests",
            "a page of 2048 bytes",
            "may 2000 requests fail?",
        ] {
            let found = dates(text, None);
            let expected: &[Date] = if text.contains("in the fall") {
                &[Date::EveryYear { month: 9, months: 3, day: None }]
            } else {
                &[]
            };
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn relative_dates_are_read_against_a_day() {
        // A Wednesday.
        let today = Some(day(2023, 5, 17));
        for (text, expected) in [
            ("yesterday", days((2023, 5, 16), (2023, 5, 16))),
            ("last week", days((2023, 5, 8), (2023, 5, 14))),
            ("last month", days((2023, 4, 1), (2023, 4, 30))),
            ("next year", days((2024, 1, 1), (2024, 12, 31))),
            ("last Friday", days((2023, 5, 12), (2023, 5, 12))),
            ("two weeks ago", days((2023, 4, 30), (2023, 5, 6))),
            ("a couple of days ago", days((2023, 5, 15), (2023, 5, 15))),
            ("6 months ago", days((2022, 11, 1), (2022, 11, 30))),
            ("last spring", days((2022, 3, 1), (2022, 5, 31))),
            ("this spring", days((2023, 3, 1), (2023, 5, 31))),
            ("last June", days((2022, 6, 1), (2022, 6, 30))),
            ("the day before yesterday", days((2023, 5, 15), (2023, 5, 15))),
            ("the day after tomorrow", days((2023, 5, 19), (2023, 5, 19))),
            ("in 3 weeks", days((2023, 6, 4), (2023, 6, 10))),
            ("two weeks from now", days((2023, 5, 28), (2023, 6, 3))),
            ("the last 3 days", days((2023, 5, 14), (2023, 5, 17))),
            ("over the past two weeks", days((2023, 5, 3), (2023, 5, 17))),
            ("the next 3 days", days((2023, 5, 17), (2023, 5, 20))),
            ("in 2023 sales grew", days((2023, 1, 1), (2023, 12, 31))),
        ] {
            assert_eq!(dates(text, today), [expected], "{text}");
        }
    }

    #[test]
    fn a_date_of_every_year_is_that_nearest_to_a_text() {
        let june = Date::EveryYear { month: 6, months: 1, day: None };
        let near = |year, month, of_month| june.near(Span::day(day(year, month, of_month)));
        assert_eq!(near(2023, 7, 17).gap(Span::day(day(2023, 7, 17))), 17);
        assert_eq!(near(2023, 1, 1).last, day(2023, 6, 30));
        assert_eq!(near(2023, 6, 27).gap(Span::day(day(2023, 6, 27))), 0);
    }
}
