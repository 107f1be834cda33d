//! Words that say nothing of what a text is about, in English and Spanish.

/// Whether a word, in lower case, is one of them.
#[must_use]
pub fn contains(word: &str) -> bool {
    [ENGLISH, SPANISH].iter().any(|words| words.binary_search(&word).is_ok())
}

/// Pronouns, auxiliaries, prepositions, conjunctions, and what is left of contractions; sorted.
const ENGLISH: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any", "are",
    "aren", "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by",
    "can", "could", "couldn", "d", "did", "didn", "do", "does", "doesn", "doing", "don", "down", "during",
    "each", "few", "for", "from", "further", "had", "hadn", "has", "hasn", "have", "haven", "having", "he",
    "her", "here", "hers", "herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "isn",
    "it", "its", "itself", "just", "ll", "m", "may", "me", "might", "more", "most", "must", "my", "myself",
    "no", "nor", "not", "now", "o", "of", "off", "on", "once", "only", "or", "other", "our", "ours",
    "ourselves", "out", "over", "own", "re", "s", "same", "shall", "she", "should", "shouldn", "so", "some",
    "such", "t", "than", "that", "the", "their", "theirs", "them", "themselves", "then", "there", "these",
    "they", "this", "those", "through", "to", "too", "under", "until", "up", "us", "ve", "very", "was",
    "wasn", "we", "were", "weren", "what", "when", "where", "which", "while", "who", "whom", "whose", "why",
    "will", "with", "won", "would", "wouldn", "you", "your", "yours", "yourself", "yourselves",
];

/// The same for Spanish; sorted.
const SPANISH: &[&str] = &[
    "al", "algo", "algunas", "algunos", "ante", "antes", "como", "con", "contra", "cual", "cuando", "cuál",
    "cuándo", "cómo", "de", "del", "desde", "donde", "durante", "dónde", "el", "ella", "ellas", "ellos",
    "en", "entre", "era", "es", "esa", "ese", "eso", "esta", "estar", "estas", "este", "esto", "estos",
    "está", "están", "fue", "ha", "había", "han", "hasta", "hay", "la", "las", "le", "les", "lo", "los",
    "mas", "me", "mi", "mucho", "muchos", "muy", "más", "mí", "nada", "ni", "nos", "nosotros", "otra",
    "otras", "otro", "otros", "para", "pero", "poco", "por", "porque", "que", "quien", "quienes", "quién",
    "qué", "se", "ser", "si", "sin", "sobre", "son", "soy", "su", "sus", "sí", "también", "tanto", "te",
    "ti", "tiene", "todo", "todos", "tu", "tus", "tú", "un", "una", "uno", "unos", "y", "ya", "yo", "él",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_are_sorted_for_the_search_in_them() {
        assert!(ENGLISH.is_sorted() && SPANISH.is_sorted());
    }

    #[test]
    fn telling_words_are_not_among_them() {
        assert!(contains("the") && contains("qué"));
        assert!(!contains("dog") && !contains("proyecto"));
    }
}
