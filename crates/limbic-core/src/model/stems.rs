//! Stems of the words of languages other than English, by Snowball's algorithms.
//!
//! FTS5 stems English (`tokenize = 'porter unicode61'`) in texts and questions. The other languages are stemmed in
//! questions only: a word of the question also finds what begins with its stem, so that no text is indexed again.

use std::borrow::Cow;

use limbic_protocol::Language;
use rust_stemmers::{Algorithm, Stemmer};

/// Stems with fewer letters begin too many other words.
const MIN_LETTERS: usize = 4;

/// Stems words of one language.
pub(crate) struct Stems {
    language: Language,
    stemmer: Stemmer,
}

impl Stems {
    /// The stemmer of a language; nothing for English.
    #[must_use]
    pub(crate) fn new(language: Language) -> Option<Self> {
        // One call for each algorithm, so that the others are not linked.
        let stemmer = match language {
            Language::English => return None,
            Language::Spanish => Stemmer::create(Algorithm::Spanish),
            Language::German => Stemmer::create(Algorithm::German),
            Language::French => Stemmer::create(Algorithm::French),
            Language::Italian => Stemmer::create(Algorithm::Italian),
            Language::Portuguese => Stemmer::create(Algorithm::Portuguese),
            Language::Dutch => Stemmer::create(Algorithm::Dutch),
            Language::Russian => Stemmer::create(Algorithm::Russian),
        };
        Some(Self { language, stemmer })
    }

    /// The stem of a word in lower case, unless it is too short or the word has a digit.
    #[must_use]
    pub(crate) fn of(&self, word: &str) -> Option<String> {
        if word.contains(char::is_numeric) {
            return None;
        }
        let accented = self.accented(word);
        let stem = self.stemmer.stem(&accented);
        // The algorithm does not remove the nasal vowel of `reunião` and `reuniões`.
        let is_nasal = |letter: char| self.language == Language::Portuguese && matches!(letter, 'ã' | 'õ');
        let stem = stem.trim_end_matches(is_nasal).to_owned();
        (stem.chars().count() >= MIN_LETTERS).then_some(stem)
    }

    /// Returns the word with the accent of its ending, which the algorithm requires; in Russian without `ё`, as all
    /// words are indexed.
    fn accented<'a>(&self, word: &'a str) -> Cow<'a, str> {
        if self.language == Language::Russian && word.contains('ё') {
            return Cow::Owned(word.replace('ё', "е"));
        }
        let endings: &[(&str, &str)] = match self.language {
            Language::Spanish => &[("cion", "ción"), ("sion", "sión")],
            Language::Portuguese => &[("cao", "ção"), ("coes", "ções")],
            _ => &[],
        };
        for (plain, accented) in endings {
            if let Some(start) = word.strip_suffix(plain) {
                return Cow::Owned(format!("{start}{accented}"));
            }
        }
        Cow::Borrowed(word)
    }
}

/// The stem of an English word in lower case, for comparisons of single words outside of the full-text index.
#[must_use]
pub(crate) fn of_english(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_words_are_stemmed_alone() {
        assert_eq!(of_english("sessions"), of_english("session"));
        assert_eq!(of_english("validators"), of_english("validator"));
        assert_ne!(of_english("router"), of_english("root"));
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (language, one, other) in [
            (Language::Spanish, "reuniones", "reunión"),
            (Language::Spanish, "informacion", "información"),
            (Language::German, "sitzungen", "sitzung"),
            (Language::French, "serveurs", "serveur"),
            (Language::Italian, "riunioni", "riunione"),
            (Language::Portuguese, "reuniões", "reunião"),
            (Language::Portuguese, "informacoes", "informação"),
            (Language::Dutch, "vergaderingen", "vergadering"),
            (Language::Russian, "встречи", "встреча"),
            (Language::Russian, "отчёты", "отчета"),
        ] {
            let Some(stems) = Stems::new(language) else { panic!("{language:?} has a stemmer") };
            assert!(stems.of(one).is_some());
            assert_eq!(stems.of(one), stems.of(other), "{one} and {other}");
        }
        assert!(Stems::new(Language::English).is_none());
    }

    #[test]
    fn short_stems_and_numbers_are_left_out() {
        let Some(stems) = Stems::new(Language::Spanish) else { panic!("Spanish has a stemmer") };
        assert_eq!(stems.of("casa"), None);
        assert_eq!(stems.of("puerto5432"), None);
    }

    #[test]
    fn any_letters_can_be_stemmed() {
        let letters: Vec<char> = "aeiouyäöüßéèêçñãõìò'qgus lnrtzйыщяеёи한中\u{301}İ𝒳".chars().collect();
        let mut state = 7_usize;
        for language in Language::FOREIGN {
            let Some(stems) = Stems::new(language) else { panic!("{language:?} has a stemmer") };
            for length in (0..12).cycle().take(3_000) {
                let word: String = (0..length)
                    .map(|_| {
                        state = state
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1_442_695_040_888_963_407);
                        letters[(state >> 33) % letters.len()]
                    })
                    .collect();
                let stem = stems.of(&word);
                assert!(stem.is_none_or(|stem| stem.chars().count() >= MIN_LETTERS), "{word}");
            }
        }
    }
}
