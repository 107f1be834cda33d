//! Words for the lexical signal: cutting, splitting of identifiers, and quoting for FTS5.

use std::collections::{BTreeMap, BTreeSet};

use limbic_protocol::stop_words;

use super::script;

/// The text, followed by the parts of its identifiers, `parseHttpUrl` adds `parse Http Url`, and by the pairs of letters
/// of words in scripts without spaces.
///
/// Parts that are joined by other marks than letter case are words for the full-text table anyhow.
#[must_use]
pub(crate) fn with_parts(text: &str) -> String {
    let mut words = text.to_owned();
    for word in cut(text) {
        let parts = parts(word);
        if parts.len() > 1 {
            for part in parts {
                words.push(' ');
                words.push_str(&part);
            }
        }
    }
    words
}

/// The content words of a question, in lower case, each once, in a fixed order; all words where there is no content word.
#[must_use]
pub(crate) fn of_query(query: &str) -> Vec<String> {
    let with_parts = |word: &str| {
        let parts = parts(word);
        // The full-text table has a whole clause as one word: only its parts can be found.
        let whole = (!word.contains(script::is_unspaced)).then(|| word.to_owned());
        whole.into_iter().chain(parts).collect::<Vec<_>>()
    };
    let all: BTreeSet<String> = cut(query).flat_map(with_parts).map(|word| word.to_lowercase()).collect();
    let content: Vec<String> = all.iter().filter(|word| !stop_words::contains(word)).cloned().collect();
    if content.is_empty() { all.into_iter().collect() } else { content }
}

/// A word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryWord {
    /// In lower case.
    pub text: String,
    /// Where it is an identifier of several parts, these; else nothing.
    pub parts: Vec<String>,
}

/// The content words of a question, each once, in a fixed order; all words when all are stop words.
#[must_use]
pub(crate) fn content_words(query: &str) -> Vec<QueryWord> {
    let all: BTreeMap<String, Vec<String>> = cut(query)
        .map(|word| {
            let parts = parts(word);
            let parts = if parts.len() > 1 { parts } else { Vec::new() };
            (word.to_lowercase(), parts.into_iter().map(|part| part.to_lowercase()).collect())
        })
        .collect();
    let words = || all.iter().map(|(text, parts)| QueryWord { text: text.clone(), parts: parts.clone() });
    let content: Vec<QueryWord> = words().filter(|word| !stop_words::contains(&word.text)).collect();
    if content.is_empty() { words().collect() } else { content }
}

/// An FTS5 query for any of the words. Quoted, so that nothing in them is an operator.
#[must_use]
pub fn any_of(words: &[String]) -> String {
    words.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect::<Vec<_>>().join(" OR ")
}

fn cut(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
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
    }

    #[test]
    fn words_without_spaces_are_cut_to_pairs() {
        assert_eq!(with_parts("黑豹队 won"), "黑豹队 won 黑豹 豹队");
        assert_eq!(parts("iPhone手机壳"), ["i", "Phone", "手机", "机壳"]);
        assert_eq!(of_query("谁赢了 2016"), ["2016", "谁赢", "赢了"]);
        assert_eq!(content_words("黑豹队")[0].parts, ["黑豹", "豹队"]);
    }

    #[test]
    fn a_question_keeps_its_telling_words() {
        assert_eq!(of_query("What is the NAME of the dog?"), ["dog", "name"]);
        assert_eq!(of_query("to be or not"), ["be", "not", "or", "to"]);
        assert!(of_query(" \" ( * ").is_empty());
    }

    #[test]
    fn an_identifier_is_one_word_with_parts() {
        let word = |text: &str, parts: &[&str]| QueryWord {
            text: text.to_owned(),
            parts: parts.iter().map(|part| (*part).to_owned()).collect(),
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
    }
}
