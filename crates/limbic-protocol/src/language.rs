//! The language of a text, detected by its stop words.

use std::collections::BTreeSet;

use crate::stop_words::{Language, is_ambiguous, is_listed, without_accents};

/// Maximum number of words that are read.
const MAX_WORDS: usize = 400;

/// Weight of a stop word that another list contains with another meaning.
const AMBIGUOUS_WEIGHT: f64 = 0.5;

/// The least evidence for a language other than English: two words of its own, or one and two ambiguous ones.
const MIN_EVIDENCE: f64 = 1.5;

/// How much more evidence there must be than for English.
const MIN_RATIO: f64 = 1.25;

impl Language {
    /// The language of a text: that with the most different stop words among the first words. A text with few of them
    /// is English, and one that is mostly in Cyrillic letters is Russian.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let words = || text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let lower: BTreeSet<String> = words().take(MAX_WORDS).map(str::to_lowercase).collect();
        let is_cyrillic =
            |word: &&String| word.contains(|letter: char| matches!(letter, '\u{400}'..='\u{52f}'));
        if 2 * lower.iter().filter(is_cyrillic).count() > lower.len() {
            return Self::Russian;
        }
        let found: BTreeSet<_> = lower.iter().map(|word| without_accents(word)).collect();
        let evidence = |language: Self| -> f64 {
            let listed = found.iter().filter(|word| is_listed(language, word));
            let weights = listed.map(|word| if is_ambiguous(word) { AMBIGUOUS_WEIGHT } else { 1.0 });
            weights.sum::<f64>() + if text.contains(language.letters()) { 1.0 } else { 0.0 }
        };
        let mut best = (Self::English, MIN_EVIDENCE.max(MIN_RATIO * evidence(Self::English)));
        for language in Self::FOREIGN {
            let found = evidence(language);
            if found > best.1 || (best.0 == Self::English && found >= best.1) {
                best = (language, found);
            }
        }
        best.0
    }

    /// The code of ISO 639-1.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
            Self::German => "de",
            Self::French => "fr",
            Self::Italian => "it",
            Self::Portuguese => "pt",
            Self::Dutch => "nl",
            Self::Russian => "ru",
        }
    }

    /// Letters and marks that few of the other languages have.
    const fn letters(self) -> &'static [char] {
        match self {
            Self::Spanish => &['ñ', '¿', '¡'],
            Self::German => &['ä', 'ö', 'ü', 'ß'],
            Self::French => &['œ', 'è', 'ê', 'ù', 'û'],
            Self::Italian => &['ì', 'ò'],
            Self::Portuguese => &['ã', 'õ'],
            Self::English | Self::Dutch | Self::Russian => &[],
        }
    }
}

/// The last code point of the blocks with Latin letters and their accents.
const LAST_LATIN: char = '\u{24f}';

/// Whether a letter is Latin, with or without accents.
#[must_use]
pub const fn is_latin(letter: char) -> bool {
    letter <= LAST_LATIN || matches!(letter, '\u{1e00}'..='\u{1eff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_and_short_notes_have_a_language() {
        for (language, text) in [
            (Language::English, "The server listens on port 5432"),
            (Language::Spanish, "Reunión con el equipo de diseño"),
            (Language::Spanish, "¿Quién dirige el proyecto Atlas?"),
            (Language::German, "Die Sitzung wurde auf Dienstag verschoben"),
            (Language::German, "Wer leitet das Projekt?"),
            (Language::French, "Le serveur de test est dans la salle du fond"),
            (Language::French, "Qui dirige le projet ?"),
            (Language::Italian, "Il server di prova si trova nella sala macchine"),
            (Language::Portuguese, "O servidor de testes não está na sala"),
            (Language::Dutch, "De vergadering is verplaatst naar dinsdag"),
            (Language::Russian, "Встреча перенесена на вторник"),
        ] {
            assert_eq!(Language::of(text), language, "{text}");
        }
    }

    #[test]
    fn names_code_and_keywords_are_english() {
        for text in [
            "Vincent van der Berg",
            "Los Angeles",
            "import os\nfor num in range(10): os.remove(str(num))",
            "Will the server die in the war?",
            "He is an old man with a hat, and also a den",
            "LGBTQ support group",
            "",
            "黑豹队的防守",
        ] {
            assert_eq!(Language::of(text), Language::English, "{text}");
        }
    }
}
