//! English and Spanish stop words.
//!
//! Spanish stop words that are content words in English (`son`, `sin`, `sea`, `todo`, `era`) are excluded, because the
//! language of a text is unknown. Parts of English contractions (`don`, `ll`) are included, because tokenizers split at the
//! apostrophe. Spanish words are listed without accents, which are often omitted.

/// Whether a lower-case word is a stop word, with or without accents.
#[must_use]
pub fn contains(word: &str) -> bool {
    let found = |word: &str| ENGLISH.binary_search(&word).is_ok() || SPANISH.binary_search(&word).is_ok();
    found(word) || (!word.is_ascii() && found(&without_accents(word)))
}

fn without_accents(word: &str) -> String {
    word.chars()
        .map(|letter| match letter {
            'á' => 'a',
            'é' => 'e',
            'í' => 'i',
            'ó' => 'o',
            'ú' | 'ü' => 'u',
            other => other,
        })
        .collect()
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
}
