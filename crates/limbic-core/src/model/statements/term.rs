//! The content words of a statement, each with the function words that belong to it.

use super::{
    lexicon::{self, CALENDAR, Tense},
    word::{Class, Word},
};
use crate::model::stems;

/// A content word.
#[derive(Debug)]
pub(super) struct Term {
    /// Equal for all forms of a word.
    pub stem: String,
    pub class: Class,
    pub is_negated: bool,
    /// Whether a form of `be` is before it, with or without an article.
    pub is_behind_be: bool,
    /// The preposition before it.
    pub preposition: Option<String>,
    pub is_past: bool,
    /// Whether it is the past of a verb, without a form of `be` before it.
    pub is_past_verb: bool,
    /// Whether it is a number that names the subject, as in `Sprint 41 ended`, or a time in front.
    pub is_label: bool,
    /// Whether it is written like a name; unknown at the start of a sentence.
    pub is_name: Option<bool>,
}

/// The words of a statement, and its content words.
pub(super) type Parts<'a> = (&'a [Word], &'a [Term]);

/// Returns the content words with what belongs to them.
pub(super) fn terms(words: &[Word]) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let (mut is_negated, mut preposition, mut is_past) = (false, None, false);
    for (index, word) in words.iter().enumerate() {
        let folded = word.folded();
        let next = words.get(index + 1).map(|next| next.class);
        let is_particle = word.class == Class::Preposition
            && !terms.is_empty()
            && matches!(next, None | Some(Class::Preposition | Class::Mark | Class::Conjunction));
        match word.class {
            Class::The | Class::A | Class::Pronoun | Class::Possessive | Class::Conjunction => {}
            Class::Be => is_past = folded == "was",
            Class::Mark => preposition = None,
            Class::Negation => is_negated = true,
            Class::Preposition if !is_particle => preposition = Some(folded),
            _ => {
                let is_word = matches!(word.class, Class::Content | Class::Preposition);
                let stem = if is_word {
                    stems::of_english(lexicon::base_form(&folded))
                } else {
                    folded.trim_end_matches(":00").to_owned()
                };
                let is_behind_be = words[..index]
                    .iter()
                    .rev()
                    .find(|before| !matches!(before.class, Class::A | Class::The))
                    .is_some_and(|before| before.class == Class::Be);
                let is_past_verb =
                    is_word && !is_behind_be && !terms.is_empty() && lexicon::tense(&folded) == Tense::Past;
                let is_label = word.class == Class::Number && is_label(words, index, terms.len());
                let is_name = (!word.is_start).then(|| word.text.starts_with(char::is_uppercase));
                terms.push(Term {
                    stem,
                    class: word.class,
                    is_negated,
                    is_behind_be,
                    preposition: preposition.take(),
                    is_past,
                    is_past_verb,
                    is_label,
                    is_name,
                });
                (is_negated, is_past) = (false, false);
            }
        }
    }
    if let (true, Some(last)) = (is_negated, terms.last_mut()) {
        last.is_negated = true;
    }
    terms
}

/// Whether a number, before which there are as many terms, is a time in front, or behind the only word before a verb.
fn is_label(words: &[Word], index: usize, terms: usize) -> bool {
    let is_time = terms <= 1 && words[index].text.contains(':');
    let is_named = terms == 1 && index > 0 && words[index - 1].class == Class::Content;
    let is_before_verb = || {
        words.get(index + 1).is_some_and(|next| {
            next.class == Class::Be
                || next.text.starts_with(':')
                || matches!(&*next.text, "has" | "have")
                || lexicon::tense(&next.folded()) == Tense::Past
        })
    };
    is_time || (is_named && is_before_verb())
}

impl Term {
    pub(super) fn is_date(&self) -> bool {
        CALENDAR.iter().any(|name| name.starts_with(&self.stem) || *name == self.stem)
    }
}
