//! Words for the lexical signal: tokenisation, splitting of identifiers, and quoting for FTS5.

use std::collections::{BTreeMap, BTreeSet};

use limbic_protocol::{Language, stop_words};
use unicode_normalization::char::is_combining_mark;

use super::{script, stems::Stems};

/// The text, followed by the parts of its identifiers, `parseHttpUrl` adds `parse Http Url`, and by the pairs of
/// letters of words in scripts without spaces, and by spellings in plain letters.
///
/// Parts that are joined by punctuation are separate words for the full-text table anyway.
#[must_use]
pub(crate) fn with_parts(text: &str) -> String {
    let mut words = text.to_owned();
    for word in cut(text).filter(|word| !is_plain(word)) {
        let parts = parts(word);
        let parts = if parts.len() > 1 { parts } else { Vec::new() };
        for part in parts.into_iter().chain(in_plain_letters(word)) {
            words.push(' ');
            words.push_str(&part);
        }
    }
    words
}

/// Whether a word has neither parts nor another spelling, as most words of source code.
fn is_plain(word: &str) -> bool {
    word.is_ascii() && !word.bytes().skip(1).any(|letter| letter.is_ascii_uppercase())
}

/// The pairs of letters of the words in scripts without spaces, and the spellings in plain letters: what [`with_parts`]
/// adds to a text, apart from the parts of identifiers. Empty for most texts.
#[must_use]
pub(crate) fn forms(text: &str) -> String {
    let mut forms = Vec::new();
    for word in cut(text).filter(|word| !word.is_ascii()) {
        if word.contains(script::is_unspaced) {
            forms.extend(parts(word));
        }
        forms.extend(in_plain_letters(word));
    }
    forms.join(" ")
}

/// The content words of a question, in lower case, each once, in a fixed order; all words where there is no content
/// word.
#[must_use]
pub(crate) fn of_query(query: &str) -> Vec<String> {
    let with_parts = |word: &str| {
        let parts = parts(word);
        // In a script without spaces, the full-text table treats a whole clause as one word: only its parts can be
        // found.
        let whole = (!word.contains(script::is_unspaced)).then(|| word.to_owned());
        whole.into_iter().chain(parts).chain(in_plain_letters(word)).collect::<Vec<_>>()
    };
    let all: BTreeSet<String> = cut(query).flat_map(with_parts).map(|word| word.to_lowercase()).collect();
    let language = Language::of(query);
    let content: Vec<String> =
        all.iter().filter(|word| !stop_words::contains_in_question(language, word)).cloned().collect();
    if content.is_empty() { all.into_iter().collect() } else { content }
}

/// Returns the terms for full-text search: the words of [`of_query`], and a prefix term for the stem of each if the
/// question is not in English.
#[must_use]
pub(crate) fn search_terms(query: &str) -> Vec<String> {
    let mut terms = of_query(query);
    if let Some(stems) = Stems::new(Language::of(query)) {
        let prefixes: BTreeSet<String> =
            terms.iter().filter_map(|word| stems.of(word)).map(|stem| prefix(&stem)).collect();
        terms.extend(prefixes);
    }
    terms
}

/// The prefix term for all words with this beginning. No word has an asterisk.
fn prefix(stem: &str) -> String {
    format!("{stem}*")
}

/// A word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryWord {
    /// The word, in lower case.
    pub text: String,
    /// The parts of an identifier, or the spelling in plain letters; empty for other words.
    pub parts: Vec<String>,
    /// If the question is not in English, the prefix term for its stem.
    pub prefix: Option<String>,
}

impl QueryWord {
    /// The terms for the word as a whole, or another form of it.
    #[must_use]
    pub(crate) fn terms(&self) -> Vec<String> {
        [&self.text].into_iter().chain(&self.prefix).cloned().collect()
    }
}

/// Returns the content words of a query, each once, in a fixed order; all words if all are stop words.
#[must_use]
pub(crate) fn content_words(query: &str) -> Vec<QueryWord> {
    let all: BTreeMap<String, Vec<String>> = cut(query)
        .map(|word| {
            let parts = parts(word);
            let parts = if parts.len() > 1 { parts } else { in_plain_letters(word).into_iter().collect() };
            (word.to_lowercase(), parts.into_iter().map(|part| part.to_lowercase()).collect())
        })
        .collect();
    let language = Language::of(query);
    let stems = Stems::new(language);
    let words = || {
        all.iter().map(|(text, parts)| QueryWord {
            text: text.clone(),
            parts: parts.clone(),
            prefix: stems.as_ref().and_then(|stems| stems.of(text)).map(|stem| prefix(&stem)),
        })
    };
    let content: Vec<QueryWord> =
        words().filter(|word| !stop_words::contains_in_question(language, &word.text)).collect();
    if content.is_empty() { words().collect() } else { content }
}

/// An FTS5 query for any of the terms: words, or beginnings of words, which end in an asterisk.
#[must_use]
pub(crate) fn any_of(terms: &[String]) -> String {
    let quoted = |term: &String| match term.strip_suffix('*') {
        Some(stem) => format!("{} *", phrase(stem)),
        None => phrase(term),
    };
    terms.iter().map(quoted).collect::<Vec<_>>().join(" OR ")
}

/// Quotes a text as an FTS5 query, so that nothing in it is an operator.
#[must_use]
pub(crate) fn phrase(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn cut(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !is_of_word(letter)).filter(|word| !word.is_empty())
}

/// Whether a letter belongs to a word: also the tone marks and vowel signs of scripts without spaces.
fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || (is_combining_mark(letter) && script::is_unspaced(letter))
}

/// The spelling of a word without the letters that are often written as others, and which FTS5 leaves as they are:
/// `strasse` for `straße`, `отчет` for `отчёт`. FTS5 removes the accents of Latin letters.
fn in_plain_letters(word: &str) -> Option<String> {
    let is_replaced = |letter: char| matches!(letter, 'ß' | 'ẞ' | 'œ' | 'Œ' | 'æ' | 'Æ' | 'ё' | 'Ё');
    word.contains(is_replaced).then(|| {
        word.chars().fold(String::new(), |mut plain, letter| {
            match letter {
                'ß' | 'ẞ' => plain.push_str("ss"),
                'œ' | 'Œ' => plain.push_str("oe"),
                'æ' | 'Æ' => plain.push_str("ae"),
                'ё' => plain.push('е'),
                'Ё' => plain.push('Е'),
                other => plain.push(other),
            }
            plain
        })
    })
}

/// The parts of a word: pairs of letters where its script has no spaces, and the parts of identifiers.
fn parts(word: &str) -> Vec<String> {
    if !word.contains(script::is_unspaced) {
        return cased_parts(word).into_iter().map(str::to_owned).collect();
    }
    let mut parts = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let is_unspaced = script::is_unspaced(first);
        let end = rest.find(|letter: char| script::is_unspaced(letter) != is_unspaced).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        if is_unspaced {
            parts.extend(script::bigrams(run));
        } else {
            parts.extend(cased_parts(run).into_iter().map(str::to_owned));
        }
        rest = after;
    }
    parts
}

/// The last part of an identifier: `Name` of `apiName`, `id` of `user_id`; empty without a letter or digit.
pub(crate) fn last_part(identifier: &str) -> &str {
    cut(identifier).last().and_then(|word| cased_parts(word).pop()).unwrap_or_default()
}

/// Cuts before a capital that follows a small letter, and before the last of several capitals.
fn cased_parts(word: &str) -> Vec<&str> {
    let letters: Vec<(usize, char)> = word.char_indices().collect();
    let mut cuts = vec![0];
    for window in letters.windows(2) {
        if window[0].1.is_lowercase() && window[1].1.is_uppercase() {
            cuts.push(window[1].0);
        }
    }
    for window in letters.windows(3) {
        if window[0].1.is_uppercase() && window[1].1.is_uppercase() && window[2].1.is_lowercase() {
            cuts.push(window[1].0);
        }
    }
    cuts.sort_unstable();
    cuts.push(word.len());
    cuts.windows(2).map(|ends| &word[ends[0]..ends[1]]).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_cut_at_their_capitals() {
        assert_eq!(parts("parseHTTPUrl"), ["parse", "HTTP", "Url"]);
        assert_eq!(parts("plain"), ["plain"]);
        assert_eq!(with_parts("fooBar baz"), "fooBar baz foo Bar");
        assert_eq!(["apiName", "user_id", "slug", "_"].map(last_part), ["Name", "id", "slug", ""]);
        assert_eq!(with_parts("Plain ABc xY aé1Z"), "Plain ABc xY aé1Z A Bc x Y");
    }

    #[test]
    fn words_without_spaces_are_cut_to_pairs() {
        assert_eq!(with_parts("黑豹队 won"), "黑豹队 won 黑豹 豹队");
        assert_eq!(parts("iPhone手机壳"), ["i", "Phone", "手机", "机壳"]);
        assert_eq!(of_query("谁赢了 2016"), ["2016", "谁赢", "赢了"]);
        assert_eq!(content_words("黑豹队")[0].parts, ["黑豹", "豹队"]);
    }

    #[test]
    fn words_of_other_languages_are_stemmed() {
        assert_eq!(search_terms("¿Cuándo son las reuniones?"), ["reuniones", "reunion*"]);
        assert_eq!(search_terms("When are the meetings?"), ["meetings"]);
        let terms = content_words("¿Cuándo son las reuniones?")[0].terms();
        assert_eq!(any_of(&terms), "\"reuniones\" OR \"reunion\" *");
    }

    #[test]
    fn tone_marks_do_not_end_a_word() {
        assert_eq!(forms("กินข้าว"), "กน นข ขา าว");
        assert_eq!(of_query("ข้าว"), ["ขา", "าว"]);
    }

    #[test]
    fn letters_that_are_written_as_others_are_spelled_out() {
        assert_eq!(forms("Die lange Straße, l'œuvre, acción"), "Strasse oeuvre");
        assert_eq!(forms("Отчёт у Йода, Ёлка"), "Отчет Елка");
        assert_eq!(search_terms("отчёты"), ["отчеты", "отчёты", "отчет*"]);
        assert_eq!(content_words("отчёты")[0].prefix.as_deref(), Some("отчет*"));
        assert_eq!(with_parts("Straße"), "Straße Strasse");
        assert_eq!(of_query("Straße"), ["strasse", "straße"]);
        assert_eq!(content_words("Straße")[0].parts, ["strasse"]);
    }

    #[test]
    fn a_question_has_the_stop_words_of_its_language() {
        assert_eq!(of_query("¿Cuándo desplegamos el servicio?"), ["desplegamos", "servicio"]);
        assert_eq!(of_query("Wann wurde die Sitzung verschoben?"), ["sitzung", "verschoben"]);
        assert_eq!(of_query("Когда перенесли встречу?"), ["встречу", "перенесли"]);
        assert_eq!(of_query("Did the server die?"), ["die", "server"]);
        assert_eq!(of_query("Which OS does the NAS run?"), ["nas", "os", "run"]);
        assert_eq!(of_query("Where do we buy hay for the Arduino Uno?"), ["arduino", "buy", "hay", "uno"]);
        assert_eq!(of_query("puerto de la base"), ["base", "puerto"]);
    }

    #[test]
    fn a_question_keeps_its_content_words() {
        assert_eq!(of_query("What is the NAME of the dog?"), ["dog", "name"]);
        assert_eq!(of_query("to be or not"), ["be", "not", "or", "to"]);
        assert!(of_query(" \" ( * ").is_empty());
    }

    #[test]
    fn an_identifier_is_one_word_with_parts() {
        let word = |text: &str, parts: &[&str]| QueryWord {
            text: text.to_owned(),
            parts: parts.iter().map(|part| (*part).to_owned()).collect(),
            prefix: None,
        };
        assert_eq!(
            content_words("What does parseUrl do in the PORT 5432?"),
            [word("5432", &[]), word("parseurl", &["parse", "url"]), word("port", &[])]
        );
        assert_eq!(content_words("to be"), [word("be", &[]), word("to", &[])]);
    }

    #[test]
    fn operators_are_quoted() {
        assert_eq!(any_of(&["near".into(), "a\"b".into()]), "\"near\" OR \"a\"\"b\"");
        assert_eq!(any_of(&["desplieg*".into()]), "\"desplieg\" *");
    }
}
