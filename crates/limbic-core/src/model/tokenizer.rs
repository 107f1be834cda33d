//! Words for the lexical signal: tokenisation, splitting of identifiers, and quoting for FTS5.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use limbic_protocol::{Language, stop_words};

use super::{letters, script, stems::Stems};

/// Minimum length of the beginning that the forms of a word with written vowel signs share, in characters.
const MIN_BEGINNING: usize = 4;

/// The text, followed by its [`forms`].
#[must_use]
pub(crate) fn with_parts(text: &str) -> String {
    let mut words = text.to_owned();
    add_forms(text, |form| {
        words.push(' ');
        words.push_str(form);
    });
    words
}

/// What the words of a text are found by beside the words that FTS5 reads from it: the parts of identifiers,
/// `parseHttpUrl` adds `parse Http Url`; pairs of letters in scripts without spaces, and what stands between such
/// letters; spellings in plain letters, composed and in usual widths; words with their vowel signs. Empty for most
/// texts.
#[must_use]
pub(crate) fn forms(text: &str) -> String {
    let mut forms = String::new();
    add_forms(text, |form| {
        if !forms.is_empty() {
            forms.push(' ');
        }
        forms.push_str(form);
    });
    forms
}

/// Parts that are joined by punctuation are separate words for the full-text table anyway.
fn add_forms(text: &str, mut add: impl FnMut(&str)) {
    for written in cut(text).filter(|word| !is_plain(word)) {
        let word = letters::usual(written);
        // Whether FTS5 reads this run from the text.
        let is_read = word == written && runs(&word).nth(1).is_none();
        for run in runs(&word) {
            let marked = letters::with_written_marks(run);
            let parts = parts(run);
            if script::is_run_unspaced(run) {
                // FTS5 reads what is written alone.
                parts.iter().filter(|pair| !is_read || *pair != run).for_each(|pair| add(pair));
                if !script::is_single_letter(run)
                    && let Some(last) = script::last_letter(run)
                {
                    add(&last);
                }
                continue;
            }
            if !is_read || marked != run {
                add(&marked);
            }
            if parts.len() > 1 {
                parts.iter().for_each(|part| add(&letters::with_written_marks(part)));
            }
            letters::plain_spellings(run).iter().for_each(|spelling| add(spelling));
        }
    }
}

/// Whether a word has neither parts nor another spelling, as most words of source code.
fn is_plain(word: &str) -> bool {
    word.is_ascii() && !word.bytes().skip(1).any(|letter| letter.is_ascii_uppercase())
}

/// The content words of a question, in lower case, each once, in a fixed order; all words where there is no content
/// word.
#[must_use]
pub(crate) fn of_query(query: &str) -> Vec<String> {
    let query = &*letters::usual(query);
    let mut all: BTreeMap<String, bool> = BTreeMap::new();
    let language = Language::of(query);
    for (word, is_particle) in words_of_query(query) {
        // In a script without spaces, the full-text table treats a whole clause as one word: only its parts can be
        // found.
        let whole = (!script::is_run_unspaced(word)).then(|| word.to_owned());
        for form in whole.into_iter().chain(parts(word)).chain(letters::plain_spellings(word)) {
            let form = form.to_lowercase();
            let is_content = !is_particle && !stop_words::contains_in_question(language, &form);
            *all.entry(form).or_default() |= is_content;
        }
    }
    let content: Vec<String> =
        all.iter().filter(|(_, is_content)| **is_content).map(|(word, _)| word.clone()).collect();
    if content.is_empty() { all.into_keys().collect() } else { content }
}

/// Returns the terms for full-text search: the words of [`of_query`], and a prefix term for what other forms of a word
/// begin with: for its stem if the question is not in English.
#[must_use]
pub(crate) fn search_terms(query: &str) -> Vec<String> {
    let mut terms = of_query(query);
    let language = Language::of(&letters::usual(query));
    let stems = Stems::new(language);
    // Texts with an umlaut have the word in both spellings: only one of them is stemmed.
    let spelled: BTreeSet<String> = terms
        .iter()
        .filter(|word| letters::has_umlaut(word))
        .flat_map(|word| letters::plain_spellings(word))
        .collect();
    let prefixes: BTreeSet<String> = terms
        .iter()
        .filter(|word| !spelled.contains(*word))
        .filter_map(|word| beginning(word, stems.as_ref()))
        .map(|stem| prefix(&stem))
        .collect();
    // The prefix term of a single letter finds the letter as well. In German, a word with umlauts would count twice:
    // each text that has it also has the spelling with `ue`, and the prefix term finds the one without accents, unless
    // the word is too short to have one.
    let is_found_otherwise = |word: &str| {
        script::is_single_letter(word)
            || (language == Language::German
                && letters::has_umlaut(word)
                && beginning(word, stems.as_ref()).is_some())
    };
    terms.retain(|word| !is_found_otherwise(word));
    terms.extend(prefixes);
    terms
}

/// What the forms of a word begin with: its stem; a letter of a script without spaces, which the pairs begin with; a
/// word in letters with vowel signs without the last signs.
fn beginning(word: &str, stems: Option<&Stems>) -> Option<String> {
    if script::is_single_letter(word) {
        return script::last_letter(word);
    }
    if let Some(start) = letters::without_last_marks(word) {
        return (start.chars().count() >= MIN_BEGINNING).then(|| start.to_owned());
    }
    stems?.of(word)
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
    /// Its spellings in plain letters.
    pub spellings: Vec<String>,
    /// The parts of an identifier, or the pairs of letters in a script without spaces; empty for other words.
    pub parts: Vec<String>,
    /// The prefix term for its other forms.
    pub prefix: Option<String>,
}

impl QueryWord {
    /// The terms for the word as a whole, or another form of it.
    #[must_use]
    pub(crate) fn terms(&self) -> Vec<String> {
        [&self.text].into_iter().chain(&self.spellings).chain(&self.prefix).cloned().collect()
    }
}

/// Returns the content words of a query, each once, in a fixed order; all words if all are stop words.
#[must_use]
pub(crate) fn content_words(query: &str) -> Vec<QueryWord> {
    let query = &*letters::usual(query);
    let language = Language::of(query);
    let stems = Stems::new(language);
    let lower = |words: Vec<String>| words.iter().map(|word| word.to_lowercase()).collect::<Vec<_>>();
    let mut all: BTreeMap<String, (QueryWord, bool)> = BTreeMap::new();
    for (word, is_particle) in words_of_query(query) {
        let text = word.to_lowercase();
        let is_content = !is_particle && !stop_words::contains_in_question(language, &text);
        let parts = parts(word);
        let word = QueryWord {
            spellings: lower(letters::plain_spellings(word)),
            parts: if parts.len() > 1 { lower(parts) } else { Vec::new() },
            prefix: beginning(&text, stems.as_ref()).map(|stem| prefix(&stem)),
            text: text.clone(),
        };
        // Of two that differ in case, the last one.
        let is_content = is_content || all.get(&text).is_some_and(|(_, is_content)| *is_content);
        all.insert(text, (word, is_content));
    }
    let has_content = all.values().any(|(_, is_content)| *is_content);
    all.into_values().filter(|(_, is_content)| *is_content || !has_content).map(|(word, _)| word).collect()
}

/// An FTS5 query for any of the terms: words, or beginnings of words, which end in an asterisk. It is for tables that
/// have the [`forms`] of their texts.
#[must_use]
pub(crate) fn any_of(terms: &[String]) -> String {
    any(terms, letters::with_written_marks)
}

/// As [`any_of`], for a table that has the texts alone: a word is what FTS5 reads of it.
#[must_use]
pub(crate) fn any_in_texts(terms: &[String]) -> String {
    any(terms, |term| Cow::Borrowed(term))
}

fn any(terms: &[String], form: impl Fn(&str) -> Cow<'_, str>) -> String {
    let quoted = |term: &String| match term.strip_suffix('*') {
        Some(stem) => format!("{} *", phrase(&form(stem))),
        None => phrase(&form(term)),
    };
    terms.iter().map(quoted).collect::<Vec<_>>().join(" OR ")
}

/// Quotes a text as an FTS5 query, so that nothing in it is an operator.
#[must_use]
pub(crate) fn phrase(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn cut(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letters::is_of_word(letter)).filter(|word| letters::has_letter(word))
}

/// The words of a question, each with whether it is a particle.
fn words_of_query(query: &str) -> impl Iterator<Item = (&str, bool)> {
    cut(query).flat_map(|word| {
        let is_alone = runs(word).nth(1).is_none();
        runs(word).map(move |run| (run, script::is_particle(run, is_alone)))
    })
}

/// The runs of a word of letters of scripts without spaces, and of others: `手机` and `iPhone`.
fn runs(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let is_unspaced = script::is_unspaced(rest.chars().next()?);
        let end = rest.find(|letter: char| script::is_unspaced(letter) != is_unspaced).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    })
    .filter(|run| letters::has_letter(run))
}

/// The parts of a run: pairs of letters where its script has no spaces, else the parts of identifiers.
fn parts(run: &str) -> Vec<String> {
    if script::is_run_unspaced(run) {
        script::bigrams(run)
    } else {
        cased_parts(run).into_iter().map(str::to_owned).collect()
    }
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
        assert_eq!(forms("Set maxRetryCount in README"), "max Retry Count");
        assert_eq!(parts("parseHTTPUrl"), ["parse", "HTTP", "Url"]);
        assert_eq!(parts("plain"), ["plain"]);
        assert_eq!(with_parts("fooBar baz"), "fooBar baz foo Bar");
        assert_eq!(["apiName", "user_id", "slug", "_"].map(last_part), ["Name", "id", "slug", ""]);
        assert_eq!(with_parts("Plain ABc xY aé1Z"), "Plain ABc xY aé1Z A Bc x Y");
    }

    #[test]
    fn words_without_spaces_are_cut_to_pairs_and_their_last_letter() {
        assert_eq!(with_parts("黑豹队 won"), "黑豹队 won 黑豹 豹队 队");
        assert_eq!(forms("黒猫が好き"), "黒猫 猫が が好 好き き");
        assert_eq!(forms("猫"), "");
        assert_eq!(of_query("谁赢了 2016"), ["2016", "谁赢", "赢了"]);
        assert_eq!(content_words("黑豹队")[0].parts, ["黑豹", "豹队"]);
    }

    #[test]
    fn one_letter_is_found_by_what_begins_with_it() {
        assert_eq!(search_terms("猫"), ["猫*"]);
        assert_eq!(search_terms("鍵 場所"), ["場所", "鍵*"]);
        let word = &content_words("책")[0];
        assert_eq!((word.terms(), &word.parts), (vec!["책".to_owned(), "책*".to_owned()], &Vec::new()));
        // Particles count only alone.
        assert_eq!(search_terms("PostgreSQL을 쓴다"), ["postgre", "postgresql", "sql", "쓴다"]);
        assert_eq!(search_terms("は"), ["は*"]);
    }

    #[test]
    fn a_german_word_with_umlauts_counts_once() {
        assert_eq!(search_terms("Wann war die Prüfung?"), ["pruefung", "prufung*"]);
        // Too short for a stem, without which a table without forms would find nothing.
        assert_eq!(search_terms("Wo ist die Tür?"), ["tuer", "tür"]);
        assert_eq!(search_terms("Where is Müller?"), ["mueller", "müller"]);
        assert_eq!(content_words("Müller")[0].terms(), ["müller", "mueller"]);
    }

    #[test]
    fn a_name_between_letters_without_spaces_is_a_word() {
        assert_eq!(forms("iPhone手机壳"), "iPhone i Phone 手机 机壳 壳");
        assert_eq!(forms("端口5432。"), "端口 口 5432");
        let words = content_words("PostgreSQLのポートは？");
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["postgresql", "のポートは"]);
        assert_eq!(words[0].parts, ["postgre", "sql"]);
    }

    #[test]
    fn vowel_signs_are_part_of_a_word() {
        assert_eq!(forms("दाल बनाई"), "द\u{f093e}ल बन\u{f093e}ई");
        assert_eq!(of_query("क्या दिल"), ["क्या", "दिल"]);
        assert_eq!(any_of(&["दिल".to_owned()]), "\"द\u{f093f}ल\"");
        assert_eq!(any_in_texts(&["दिल".to_owned()]), "\"दिल\"");
        // Other forms of a word differ in its last signs.
        assert_eq!(search_terms("लड़कों"), ["लड़कों", "लड़क*"]);
        assert_eq!(search_terms("كِتَاب"), ["كتاب"]);
        assert_eq!(forms("كِتَاب"), "كتاب");
    }

    #[test]
    fn texts_and_queries_are_composed_in_usual_widths() {
        assert_eq!(search_terms("Mu\u{308}ller"), ["mueller", "müller"]);
        assert_eq!(forms("\u{1112}\u{116c}\u{110b}\u{1174}"), "회의 의");
        assert_eq!(forms("ポート８０８０"), "ポー ート ト 8080");
        assert_eq!(forms("ＡＰＩ"), "API");
        assert_eq!(search_terms("ＡＰＩ"), ["api"]);
        assert_eq!(forms("naïve ❤\u{fe0f}"), "");
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
        assert_eq!(forms("กินข้าว"), "กน นข ขา าว ว");
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
        assert_eq!(content_words("Straße")[0].spellings, ["strasse"]);
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
            spellings: Vec::new(),
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
