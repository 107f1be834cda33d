//! Whether two statements differ in several places without a difference that words show to matter. Such statements are
//! often one in other words, which their vectors confirm: `Vacation requests go to Helen` and `Send vacation requests
//! to Helen`. Statements that differ in one place may well be two, however similar their vectors are.

use super::{
    term::{Parts, Term},
    word::{Class, Word},
};

/// Minimum number of words of each statement outside of the common beginning and end.
const MIN_WORDS: usize = 2;

/// Whether two statements may be one in other words: several words differ, some of them with content; numbers,
/// quantities, negations and names are the same; and no word has another role, judged by prepositions and the
/// order of names.
pub(super) fn is_possible(one: Parts<'_>, other: Parts<'_>) -> bool {
    differ_in_several_words(one.0, other.0)
        && [Class::Number, Class::Quantity, Class::Negation]
            .into_iter()
            .all(|class| of_class(one.0, class) == of_class(other.0, class))
        && have_same_roles(one, other)
        && have_same_roles(other, one)
}

fn differ_in_several_words(one: &[Word], other: &[Word]) -> bool {
    let (one, other) = (without_marks(one), without_marks(other));
    if sorted(&one) == sorted(&other) {
        // Another order alone exchanges roles: `Round trips cost more than bytes`.
        return false;
    }
    let begin = one.iter().zip(&other).take_while(|(a, b)| is_equal(a, b)).count();
    let (mine, theirs) = (&one[begin..], &other[begin..]);
    let end = mine.iter().rev().zip(theirs.iter().rev()).take_while(|(a, b)| is_equal(a, b)).count();
    let differs = |words: &[&Word]| {
        let middle = &words[..words.len() - end];
        middle.len() >= MIN_WORDS && middle.iter().any(|word| word.class == Class::Content)
    };
    differs(mine) && differs(theirs)
}

/// Whether the names of `one` are in `other` behind the same prepositions, and the prepositions of both are before the
/// same words. Where all content words are the same, there may be no name and no conjunction, which show who does what,
/// or when, by their place, and the tense must be the same: `Alice was managed by Bob` and `Bob manages Alice`.
fn have_same_roles(one: Parts<'_>, other: Parts<'_>) -> bool {
    let names: Vec<&Term> = one.1.iter().filter(|term| term.is_name == Some(true)).collect();
    let has_name = |name: &&Term| {
        other.1.iter().any(|term| term.stem == name.stem && term.preposition == name.preposition)
    };
    let has_word_behind = |term: &Term| {
        let mut behind = other.1.iter().filter(|it| it.preposition == term.preposition).peekable();
        term.preposition.is_none() || behind.peek().is_none() || behind.any(|it| it.stem == term.stem)
    };
    let stems = |terms: &[Term]| {
        let mut stems: Vec<String> = terms.iter().map(|term| term.stem.clone()).collect();
        stems.sort_unstable();
        stems
    };
    let has_same_words = stems(one.1) == stems(other.1);
    let is_past = |terms: &[Term]| terms.iter().any(|term| term.is_past);
    let is_reordered = || {
        !names.is_empty()
            || one.0.iter().any(|word| word.class == Class::Conjunction)
            || is_past(one.1) != is_past(other.1)
    };
    names.iter().all(has_name) && one.1.iter().all(has_word_behind) && !(has_same_words && is_reordered())
}

fn without_marks(words: &[Word]) -> Vec<&Word> {
    words.iter().filter(|word| word.class != Class::Mark).collect()
}

fn is_equal(one: &Word, other: &Word) -> bool {
    one.folded() == other.folded()
}

fn sorted(words: &[&Word]) -> Vec<String> {
    let mut texts: Vec<String> = words.iter().map(|word| word.folded()).collect();
    texts.sort_unstable();
    texts
}

fn of_class(words: &[Word], class: Class) -> Vec<String> {
    let of_class: Vec<&Word> = words.iter().filter(|word| word.class == class).collect();
    sorted(&of_class)
}

#[cfg(test)]
mod tests {
    use crate::model::statements::{Relation, relation};

    #[test]
    fn statements_that_differ_in_several_words_may_be_one() {
        for (one, other) in [
            ("Vacation requests go to Helen", "Send vacation requests to Helen"),
            ("The recipe uses butter", "Butter is used in the recipe"),
            ("Marta is allergic to peanuts", "Marta has a peanut allergy"),
            ("Ida wears a size 38 shoe", "Ida's shoe size is 38"),
        ] {
            assert_eq!(relation(one, other), Relation::Reworded, "{one} | {other}");
        }
    }

    #[test]
    fn statements_that_differ_in_one_place_or_in_a_number_name_or_negation_are_two() {
        for (one, other) in [
            ("Sort by name", "Sort for name"),
            ("They are closing the account", "They closed the account"),
            ("The server is being replaced", "The server has been replaced"),
            ("Round trips cost more than bytes", "Bytes cost more than round trips"),
            ("Ida wears a size 38 shoe", "Ida's shoe size is 39"),
            ("Vacation requests go to Helen", "Send vacation requests to Paul"),
            ("Marta is allergic to peanuts", "Marta does not have a peanut allergy"),
            ("We copy data from Lima to Oslo", "Data is copied from Oslo to Lima"),
            ("Passwords were hashed with MD5", "We hash passwords with MD5"),
            ("If the tests pass, deploy", "If you deploy, the tests pass"),
            ("Backups run at night", "Tests run at noon"),
            ("Tickets are closed by Monday", "Monday closes tickets on time"),
            ("Marta es alérgica a los cacahuetes", "Marta tiene alergia a los cacahuetes"),
        ] {
            assert_ne!(relation(one, other), Relation::Reworded, "{one} | {other}");
            assert_ne!(relation(one, other), Relation::Paraphrase, "{one} | {other}");
        }
    }
}
