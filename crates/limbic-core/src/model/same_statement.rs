//! Whether two texts are the same statement, so that one may represent the other.
//!
//! Vectors hardly reflect order, negation, antonyms and numbers, so the words decide: both texts must have the same
//! words in the same order, with the same punctuation between them, and, if one has several lines, the same lines with
//! the same indentation. Only these differences are allowed: punctuation at the end, formatting
//! (`model/formatting.rs`), the case of a sentence's first letter, `The` and `Please` at the beginning of a sentence,
//! `don't` for `do not`, `two` for `2` before a noun, `1,000` for `1000` in English, and the comma before the last item
//! of a list. Everything else makes two statements: unless it is certain that the meaning is the same, both are kept.

use crate::model::{formatting, layout, text};

/// Words that carry no meaning at the start of a sentence.
const OPENERS: [&str; 3] = ["the", "please", "bitte"];

/// Before these and before numbers, `the` makes a difference: "the most", "the few", "the two".
const AFTER_THE: [&str; 19] = [
    "most", "more", "many", "few", "fewer", "least", "less", "best", "worst", "other", "others", "same",
    "last", "first", "second", "third", "only", "majority", "half",
];

/// Verbs that are contracted with `not`.
const CONTRACTED: [&str; 15] = [
    "do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "would", "should", "could",
    "must", "need",
];

/// English numbers that are spelled out.
const NUMBERS: [(&str, &str); 26] = [
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
    ("thirteen", "13"),
    ("fourteen", "14"),
    ("fifteen", "15"),
    ("sixteen", "16"),
    ("eighteen", "18"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("seventy", "70"),
    ("eighty", "80"),
    ("ninety", "90"),
];

/// Spanish and German numbers, which count in a text with words of [`WITH_DECIMAL_COMMA`]: "dos attacks" are not two.
/// Words that mean something else too are missing: the Spanish `once` and the German `elf`.
const OTHER_NUMBERS: [(&str, &str); 19] = [
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

/// Words of languages in which a comma in a number is the decimal separator: Spanish, German, Dutch, French, Italian,
/// Portuguese, Danish, Norwegian, Swedish.
const WITH_DECIMAL_COMMA: [&str; 66] = [
    "el", "la", "los", "las", "es", "un", "una", "que", "con", "para", "por", "del", "se", "al", "su", "der",
    "die", "das", "den", "dem", "und", "ist", "nicht", "mit", "für", "ein", "eine", "kein", "auf", "von",
    "zu", "im", "sind", "wird", "werden", "ich", "de", "het", "een", "van", "op", "niet", "le", "les", "des",
    "du", "et", "est", "il", "di", "che", "è", "da", "em", "não", "og", "och", "på", "til", "till", "är",
    "er", "det", "av", "af", "att",
];

/// English words, with the languages that have the same word and write decimal commas. Only in English a comma in a
/// number certainly groups its digits, so a text must have words that no single other language has.
const ENGLISH: [(&str, &[&str]); 22] = [
    ("the", &[]),
    ("of", &["nl"]),
    ("and", &["da", "no"]),
    ("is", &["nl"]),
    ("are", &["it", "ro"]),
    ("to", &["pl", "cs", "da", "no"]),
    ("for", &["da", "no"]),
    ("with", &[]),
    ("from", &[]),
    ("this", &[]),
    ("that", &[]),
    ("it", &["fi"]),
    ("be", &["lt"]),
    ("should", &[]),
    ("must", &["sv", "et"]),
    ("when", &[]),
    ("not", &["de"]),
    ("by", &["da", "no", "sv", "pl", "cs"]),
    ("at", &["da", "no"]),
    ("run", &[]),
    ("use", &["es", "pt"]),
    ("keep", &[]),
];

/// Words that join the last item of a list.
const CONJUNCTIONS: [&str; 6] = ["and", "or", "y", "o", "und", "oder"];

/// Whether two texts are one statement.
#[must_use]
pub fn same_statement(one: &str, other: &str) -> bool {
    have_same_words(one, other) && layout::agrees(one, other, have_same_words)
}

/// Whether two texts are one statement, apart from their lines and indentation.
pub(crate) fn have_same_words(one: &str, other: &str) -> bool {
    normalised(one) == normalised(other)
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    Word(String),
    /// Marks behind a word: a comma, a colon, the end of a sentence.
    Marks(String),
}

impl Token {
    fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Marks(_) => None,
        }
    }

    fn is_conjunction(&self) -> bool {
        self.word().is_some_and(|word| CONJUNCTIONS.contains(&word))
    }
}

/// Returns the tokens of a text without the allowed differences between two wordings of the same statement.
fn normalised(content: &str) -> Vec<Token> {
    let tokens = tokens(content);
    // Before `The` is removed, by which a text may be known as English.
    let is_english = groups_digits(&tokens);
    let mut tokens = without_openers(tokens);
    let has_decimal_comma = has_any(&tokens, &WITH_DECIMAL_COMMA);
    for index in 0..tokens.len() {
        let is_before_word = tokens
            .get(index + 1)
            .and_then(Token::word)
            .is_some_and(|next| next.starts_with(char::is_alphabetic));
        let Token::Word(word) = &mut tokens[index] else { continue };
        if is_before_word && let Some(digits) = spelled_out(word, has_decimal_comma) {
            *word = digits.to_owned();
        } else if is_english && is_grouped(word) {
            word.retain(|letter| letter != ',');
        }
    }
    without_closing_marks(without_serial_comma(tokens))
}

fn has_any(tokens: &[Token], words: &[&str]) -> bool {
    tokens.iter().filter_map(Token::word).any(|word| words.contains(&word))
}

/// Whether a comma within a number of this text certainly groups its digits.
pub(crate) fn groups_digits(tokens: &[Token]) -> bool {
    is_english(tokens) && !has_any(tokens, &WITH_DECIMAL_COMMA)
}

/// Whether there are English words, and no other language has all of them.
fn is_english(tokens: &[Token]) -> bool {
    let mut found = tokens.iter().filter_map(|token| {
        let word = token.word()?;
        ENGLISH.iter().find(|(english, _)| *english == word).map(|(_, languages)| languages)
    });
    let Some(first) = found.next() else { return false };
    let mut languages = first.to_vec();
    found.for_each(|others| languages.retain(|language| others.contains(language)));
    languages.is_empty()
}

/// Returns the digits of a number that is spelled out.
fn spelled_out(word: &str, has_decimal_comma: bool) -> Option<&'static str> {
    let others: &[_] = if has_decimal_comma { &OTHER_NUMBERS } else { &[] };
    NUMBERS.iter().chain(others).find(|(spelled, _)| *spelled == word).map(|(_, digits)| *digits)
}

/// Returns the digits of an English number that is spelled out.
pub(crate) fn number_of(word: &str) -> Option<&'static str> {
    spelled_out(word, false)
}

/// Whether the meaning depends on `the` before this word.
pub(crate) fn needs_the(word: &str) -> bool {
    AFTER_THE.contains(&word)
        || word.starts_with(|letter: char| letter.is_numeric())
        || spelled_out(word, false).is_some()
}

/// Words and the marks behind them, contractions written out. Marks within or before a word are part of it (`1.5`,
/// `user_id`, `"yes"`, `-5`), and so are those that follow no letter or digit (`C++`). A token of marks alone is a
/// word.
pub(crate) fn tokens(content: &str) -> Vec<Token> {
    let content = text::compose(content);
    let content = formatting::plain(&content).replace(['\u{2019}', '\u{2018}'], "'");
    // In Spanish, an exclamation opens with its own mark, so that the closing one belongs to no number.
    let is_exclaimed = content.contains('\u{a1}');
    let mut tokens = Vec::new();
    let mut is_start = true;
    for raw in content.split_whitespace() {
        if !raw.contains(char::is_alphanumeric) {
            tokens.push(Token::Word(raw.to_owned()));
            is_start = false;
            continue;
        }
        let (word, marks) = without_marks(raw.trim_start_matches(['\u{bf}', '\u{a1}']), is_exclaimed);
        push_word(&mut tokens, word, is_start);
        is_start = false;
        if marks.contains('?') {
            tokens.push(Token::Word("?".into()));
        }
        if !marks.is_empty() {
            is_start = marks.contains(['.', '!', '?', '\u{2026}']);
            tokens.push(Token::Marks(marks.to_owned()));
        }
    }
    tokens
}

/// A word and the marks behind it.
fn without_marks(word: &str, is_exclaimed: bool) -> (&str, &str) {
    let mut rest = word;
    // Whether what is left has only letters and "!": then every shorter part has, too.
    let mut is_plain = false;
    while let Some(last) = rest.chars().last() {
        let shorter = &rest[..rest.len() - last.len_utf8()];
        // "n!" is a number, "important!" is not.
        let ends_word = match last {
            '.' | ',' | ';' | ':' | '\u{2026}' | '?' => true,
            // The full stops of other scripts: Chinese, Devanagari, Urdu, Armenian, Ethiopic, Burmese, Khmer.
            '。' | '।' | '॥' | '۔' | '։' | '።' | '။' | '។' => true,
            '!' if is_exclaimed => true,
            '!' => {
                is_plain = is_plain || shorter.chars().all(|letter| letter.is_alphabetic() || letter == '!');
                is_plain && shorter.chars().nth(1).is_some()
            }
            _ => false,
        };
        if !ends_word {
            break;
        }
        rest = shorter;
    }
    word.split_at(rest.len())
}

/// Adds a word, at the start of a sentence without its capital, and a contraction as two.
fn push_word(tokens: &mut Vec<Token>, word: &str, is_start: bool) {
    let mut letters = word.chars();
    let is_capital = letters.next().is_some_and(char::is_uppercase);
    let is_plain = letters.all(|letter| letter.is_lowercase() || letter == '\'');
    let text = if is_start && is_capital && is_plain { text::fold(word) } else { word.to_owned() };
    let contracted = match text.as_str() {
        "can't" | "cannot" => Some("can"),
        "won't" => Some("will"),
        other => other.strip_suffix("n't").filter(|verb| CONTRACTED.contains(verb)),
    };
    match contracted {
        Some(verb) => tokens.extend([verb, "not"].map(|word| Token::Word(word.to_owned()))),
        None => tokens.push(Token::Word(text)),
    }
}

/// The tokens without the words that change nothing at the beginning of a sentence, unless nothing would be left.
fn without_openers(tokens: Vec<Token>) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut is_start = true;
    for (index, token) in tokens.iter().enumerate() {
        let next = tokens.get(index + 1).and_then(Token::word);
        let is_opener = is_start
            && token.word().is_some_and(|word| OPENERS.contains(&word))
            && next.is_some_and(|next| token.word() != Some("the") || !needs_the(next));
        is_start = match token {
            Token::Word(_) => is_opener,
            Token::Marks(marks) => marks.contains(['.', '!', '?', '\u{2026}']),
        };
        if !is_opener {
            kept.push(token.clone());
        }
    }
    kept
}

/// The tokens without the comma before the conjunction of a list: "a, b, and c" is "a, b and c".
fn without_serial_comma(tokens: Vec<Token>) -> Vec<Token> {
    let comma = Token::Marks(",".into());
    let is_list = tokens.iter().filter(|token| **token == comma).count() > 1;
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        if is_list && token.is_conjunction() && kept.last() == Some(&comma) {
            kept.pop();
        }
        kept.push(token);
    }
    kept
}

fn without_closing_marks(mut tokens: Vec<Token>) -> Vec<Token> {
    if matches!(tokens.last(), Some(Token::Marks(_))) {
        tokens.pop();
    }
    tokens
}

/// Whether a number has thousands separators: `1,000`, `12,345,678`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wordings_of_one_statement_are_equal() {
        for (one, other) in [
            ("The cache must be on", "the cache must be on."),
            ("Please restart the server", "Restart the server"),
            ("Keep two copies", "Keep 2 copies"),
            ("The limit is 1,000 requests", "The limit is 1000 requests"),
            ("It is for 1,000 requests", "It is for 1000 requests"),
            ("Don't deploy on Friday", "Do not deploy on Friday"),
            ("Use Rust, Go, and Python", "Use Rust, Go and Python"),
            ("Run npm test before pushing", "Run `npm test` before pushing"),
            ("The user is called Ada", "The user is called **Ada**"),
            ("Contact: ops@example", "Contact: <ops@example>"),
            ("La reunión es a las 10", "¡La reunión es a las 10!"),
            ("服务器使用端口8080", "服务器使用端口 ８０８０。"),
            ("हम सोमवार को मिलते हैं", "हम सोमवार को मिलते हैं।"),
        ] {
            assert!(same_statement(one, other) && same_statement(other, one), "{one} / {other}");
        }
    }

    #[test]
    fn a_long_word_is_compared_in_linear_time() {
        let (letters, marks) = ("a".repeat(500_000), "!".repeat(500_000));
        assert!(same_statement(&format!("{letters}{marks}"), &letters));
    }

    #[test]
    fn everything_else_makes_two_statements() {
        for (one, other) in [
            ("No, deploy on Friday", "No deploy on Friday"),
            ("Restart the server", "Restart the servers"),
            ("Build, test, deploy", "Deploy, test, build"),
            ("Rust, Go and Python", "Rust, Go or Python"),
            ("Die Grenze ist 1,000 Liter", "Die Grenze ist 1000 Liter"),
            ("Waga paczki to 1,250 kg", "Waga paczki to 1250 kg"),
            ("Maximum is 1,500 kg", "Maximum is 1500 kg"),
            ("Maximum is 1,500 of 2 kg", "Maximum is 1500 of 2 kg"),
            ("Prisen for pakken: 1,250 kr", "Prisen for pakken: 1250 kr"),
            ("A few tests fail", "Few tests fail"),
            ("The cache is on", "The cache is on?"),
            ("n! ways", "n ways"),
            ("The separator is ;", "The separator is ,"),
            ("The value must be \"yes\"", "The value must be yes"),
            ("The tenant is named seven", "The tenant is named 7"),
            ("Owner: Alice, Reviewer: Bob", "Owner: Bob, Reviewer: Alice"),
            ("if ready:\n    build()\n    deploy()", "if ready:\n    build()\ndeploy()"),
            ("a:\n  b: 1\n  c: 2", "a:\n  b: 1\nc: 2"),
            ("cd app\nnpm test", "cd app npm test"),
        ] {
            assert!(!same_statement(one, other) && !same_statement(other, one), "{one} / {other}");
        }
    }
}
