//! Stop words of the languages whose words are stemmed.
//!
//! [`contains`] knows English and Spanish, for words whose language is unknown: a name, a keyword. Spanish stop words
//! that are content words in English (`son`, `sin`, `sea`, `todo`, `era`) are excluded there. Parts of English
//! contractions (`don`, `ll`) are included, because tokenizers split at the apostrophe. All lists are without accents,
//! which are often omitted. The lists of the other languages apply to texts that are in the language
//! ([`crate::Language`]).

use std::borrow::Cow;

mod lists;

/// A language whose words are stemmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Also of every text without evidence for another one.
    English,
    /// Spanish.
    Spanish,
    /// German.
    German,
    /// French.
    French,
    /// Italian.
    Italian,
    /// Portuguese.
    Portuguese,
    /// Dutch.
    Dutch,
    /// Also of other texts in Cyrillic letters.
    Russian,
}

impl Language {
    /// All but English.
    pub const FOREIGN: [Self; 7] = [
        Self::Spanish,
        Self::German,
        Self::French,
        Self::Italian,
        Self::Portuguese,
        Self::Dutch,
        Self::Russian,
    ];
}

/// Whether a lower-case word is a stop word of English or Spanish, with or without accents.
#[must_use]
pub fn contains(word: &str) -> bool {
    let word = without_accents(word);
    [Language::English, Language::Spanish].iter().any(|language| is_listed(*language, &word))
}

/// Whether a lower-case word is a stop word in a text of this language, as its stored tokens have them: one of its own,
/// of English or of Spanish.
#[must_use]
pub fn contains_in(language: Language, word: &str) -> bool {
    let word = without_accents(word);
    let is_spanish_only = language == Language::Spanish && lists::SPANISH_ONLY.contains(&&*word);
    contains(&word) || is_listed(language, &word) || is_spanish_only
}

/// Whether a lower-case word is a stop word where a question of this language is searched by words: as [`contains_in`],
/// but for stop words of Spanish that mean something in English (`hay`, `os`), which count unless the question is in
/// Spanish. Stored tokens lack them, so that they say nothing to late interaction.
#[must_use]
pub fn contains_in_question(language: Language, word: &str) -> bool {
    let plain = &*without_accents(word);
    let is_content = language != Language::Spanish
        && lists::CONTENT_ELSEWHERE.binary_search(&plain).is_ok()
        && !is_listed(language, plain)
        && !is_listed(Language::English, plain);
    !is_content && contains_in(language, word)
}

/// Whether a word without accents stands in the list of a language.
pub(crate) fn is_listed(language: Language, word: &str) -> bool {
    let list = match language {
        Language::English => ENGLISH,
        Language::Spanish => SPANISH,
        Language::German => lists::GERMAN,
        Language::French => lists::FRENCH,
        Language::Italian => lists::ITALIAN,
        Language::Portuguese => lists::PORTUGUESE,
        Language::Dutch => lists::DUTCH,
        Language::Russian => lists::RUSSIAN,
    };
    list.binary_search(&word).is_ok()
}

/// Whether a stop word means something else in English or in source code, or is a part of names.
pub(crate) fn is_ambiguous(word: &str) -> bool {
    lists::AMBIGUOUS.binary_search(&word).is_ok()
}

/// The word without the accents of these languages, but for the tilde of `ñ`.
pub(crate) fn without_accents(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let plain = |letter| match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' => 'a',
        'ç' => 'c',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ё' => 'е',
        other => other,
    };
    Cow::Owned(word.chars().map(plain).collect())
}

#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "ain", "all", "also", "although", "am", "an", "and",
    "any", "are", "aren", "as", "at", "be", "because", "been", "before", "being", "below", "between",
    "both", "but", "by", "can", "cannot", "could", "couldn", "d", "did", "didn", "do", "does", "doesn",
    "doing", "don", "done", "down", "during", "each", "either", "else", "ever", "every", "few", "for",
    "from", "further", "had", "hadn", "has", "hasn", "have", "haven", "having", "he", "her", "here", "hers",
    "herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "isn", "it", "its", "itself",
    "just", "let", "like", "ll", "m", "ma", "may", "me", "might", "mightn", "more", "most", "must", "mustn",
    "my", "myself", "needn", "neither", "no", "nor", "not", "now", "o", "of", "off", "on", "once", "only",
    "or", "other", "our", "ours", "ourselves", "out", "over", "own", "per", "re", "s", "same", "shall",
    "shan", "she", "should", "shouldn", "so", "some", "such", "t", "than", "that", "the", "their", "theirs",
    "them", "themselves", "then", "there", "these", "they", "this", "those", "though", "through", "to",
    "too", "under", "unless", "until", "up", "upon", "us", "ve", "very", "via", "was", "wasn", "we", "were",
    "weren", "what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will",
    "with", "within", "without", "won", "would", "wouldn", "y", "yet", "you", "your", "yours", "yourself",
    "yourselves",
];

#[rustfmt::skip]
const SPANISH: &[&str] = &[
    "al", "algo", "algunas", "algunos", "antes", "asi", "aun", "aunque", "cada", "como", "con", "contra",
    "cual", "cuales", "cuando", "de", "del", "desde", "donde", "durante", "e", "el", "ella", "ellas",
    "ellos", "en", "entre", "eres", "es", "esa", "esas", "ese", "eso", "esos", "esta", "estais", "estamos",
    "estan", "estar", "estas", "este", "esto", "estos", "estoy", "fue", "fueron", "fui", "ha", "habeis",
    "habia", "habian", "hasta", "hay", "hemos", "la", "las", "le", "lo", "los", "mas", "mi", "mia", "mias",
    "mio", "mios", "mucho", "muchos", "muy", "ni", "nos", "nosotras", "nosotros", "nuestra", "nuestras",
    "nuestro", "nuestros", "os", "otra", "otras", "otro", "otros", "para", "pero", "poco", "por", "porque",
    "pues", "que", "quien", "quienes", "se", "ser", "si", "sido", "sobre", "sois", "somos", "soy", "su",
    "sus", "suya", "suyas", "suyo", "suyos", "tambien", "tanto", "te", "tenemos", "tengo", "tenia",
    "tenian", "ti", "tiene", "tienen", "tu", "tus", "tuya", "tuyas", "tuyo", "tuyos", "un", "una", "uno",
    "unos", "vosotras", "vosotros", "vuestra", "vuestras", "vuestro", "vuestros", "ya", "yo",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_for_binary_search() {
        assert!(ENGLISH.is_sorted());
        assert!(SPANISH.is_sorted());
        for list in
            [lists::GERMAN, lists::FRENCH, lists::ITALIAN, lists::PORTUGUESE, lists::DUTCH, lists::RUSSIAN]
        {
            assert!(list.is_sorted(), "{list:?}");
        }
        assert!(lists::AMBIGUOUS.is_sorted() && lists::CONTENT_ELSEWHERE.is_sorted());
    }

    #[test]
    fn contains_finds_stop_words_of_both_languages() {
        for word in ["the", "because", "don", "ll", "también", "tambien", "más", "que"] {
            assert!(contains(word), "{word}");
        }
        for word in ["database", "son", "todo", "base", "año", "café"] {
            assert!(!contains(word), "{word}");
        }
    }

    #[test]
    fn a_language_has_stop_words_of_its_own() {
        assert!(contains_in(Language::German, "für") && !contains("für"));
        assert!(contains_in(Language::Russian, "её") && contains_in(Language::French, "où"));
        assert!(contains_in(Language::Spanish, "son") && !contains("son"));
        assert!(
            contains_in_question(Language::Spanish, "hay") && contains_in_question(Language::English, "las")
        );
        assert!(contains_in(Language::English, "hay") && !contains_in_question(Language::English, "hay"));
        assert!(
            contains_in_question(Language::Italian, "con") && contains_in_question(Language::English, "the")
        );
        // In English these are content words.
        assert!(contains_in(Language::German, "die") && !contains_in(Language::English, "die"));
    }
}
