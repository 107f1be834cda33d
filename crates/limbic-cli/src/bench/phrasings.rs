//! Stand-ins, by fixed rules, for a client's phrasings: the question, its content words, and the statement that would
//! answer it, as far as removing the question word and the auxiliary verb yields one.

use limbic_protocol::{Language, stop_words};

/// Words of a question before its subject.
const OPENERS: [&str; 31] = [
    "what", "which", "who", "whom", "whose", "when", "where", "why", "how", "kind", "type", "sort", "of",
    "many", "much", "long", "often", "did", "does", "do", "is", "are", "was", "were", "has", "have", "had",
    "can", "could", "would", "will",
];

/// Returns the phrasings, each once: the question first.
pub fn of(question: &str) -> Vec<String> {
    let language = Language::of(question);
    let bare = |word: &&str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    let words: Vec<&str> = question.split_whitespace().collect();
    let content: Vec<&str> =
        words.iter().copied().filter(|word| !stop_words::contains_in(language, &bare(word))).collect();
    let statement: Vec<&str> =
        words.iter().copied().skip_while(|word| OPENERS.contains(&bare(word).as_str())).collect();
    let mut phrasings = vec![question.to_owned()];
    for words in [content, statement] {
        let text = words.join(" ").trim_end_matches(['?', ' ']).to_owned();
        if !text.is_empty() && !phrasings.contains(&text) {
            phrasings.push(text);
        }
    }
    phrasings
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_question_has_its_content_words_and_a_statement() {
        assert_eq!(
            of("When did Caroline go to the support group?"),
            [
                "When did Caroline go to the support group?",
                "Caroline go support group",
                "Caroline go to the support group"
            ]
        );
        assert_eq!(of("Where is it?").len(), 2);
    }
}
