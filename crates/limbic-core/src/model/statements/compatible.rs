//! Differences that leave both statements true: values of two things, abilities, things that one can have several of,
//! and entries of a list of what was done.

use super::{
    gap::Gap,
    term::{Parts, Term},
    word::{Class, Word},
};

/// Stems of verbs and adjectives with any number of objects at a time, as in `Lena likes hiking`.
const OF_MANY: [&str; 12] = [
    "like", "love", "enjoy", "speak", "know", "plai", "visit", "own", "collect", "support", "interest",
    "allerg",
];

/// Past forms that begin an entry of what was done: `Fixed the crash on startup`. Those that say how something is since
/// then are missing, as in `Moved to Rome`.
const DONE: [&str; 28] = [
    "added",
    "attended",
    "bought",
    "closed",
    "completed",
    "deleted",
    "discussed",
    "emailed",
    "finished",
    "fixed",
    "implemented",
    "investigated",
    "merged",
    "met",
    "ordered",
    "published",
    "read",
    "received",
    "refactored",
    "released",
    "removed",
    "reported",
    "resolved",
    "reviewed",
    "sent",
    "tested",
    "updated",
    "visited",
];

/// Words before a colon or a number that begin an entry of what is to be done.
const ENTRIES: [&str; 8] = ["task", "todo", "fixme", "bug", "issue", "ticket", "story", "chore"];

/// Whether two statements are entries of a list: `Task: update the changelog`. `Deleted files are kept` is none, and
/// two statements about `Issue 12` are about one entry.
pub(super) fn are_entries(one: Parts<'_>, other: Parts<'_>) -> bool {
    let says_how_it_is =
        |words: &[Word]| words.iter().any(|word| matches!(word.class, Class::Be | Class::Modal));
    let is_article =
        |words: &[Word]| words.get(1).is_some_and(|next| matches!(next.class, Class::The | Class::A));
    let is_done = |words: &[Word]| {
        words.first().is_some_and(|first| DONE.contains(&&*first.folded()))
            && (is_article(words) || !says_how_it_is(words))
    };
    let is_entry = |words: &[Word]| match words {
        [first, next, ..] => {
            ENTRIES.contains(&&*first.folded())
                && (next.class == Class::Number || (next.class == Class::Mark && next.text.starts_with(':')))
        }
        _ => false,
    };
    let is_one_entry = matches!((one.0, other.0), ([_, one, ..], [_, other, ..])
        if one.class == Class::Number && one.text == other.text);
    (is_done(one.0) && is_done(other.0)) || (is_entry(one.0) && is_entry(other.0) && !is_one_entry)
}

/// Whether statements that differ in these places are of two things: one place belongs to the subject, another one to
/// what is said of it, as in `The limit of the mailer is 3` and `The limit of the importer is 5`. `before` is the word
/// before the first place.
pub(super) fn have_two_subjects(gaps: &[Gap<'_>], before: Option<&Term>) -> bool {
    match gaps {
        [gap] => {
            gap.shorter.len() == 2
                && gap.longer.len() == 2
                && gap.is_subject()
                && [&gap.shorter, &gap.longer]
                    .iter()
                    .all(|side| !side[0].is_behind_be && side[1].is_behind_be)
        }
        [first, others @ ..] => {
            let is_value_behind_be = others.iter().any(Gap::is_behind_be);
            let is_one_of_many = before.is_some_and(|before| OF_MANY.contains(&&*before.stem));
            // `Chapter 3 explains locks`
            let is_numbered = first.at == 1 && first.is_typed();
            let is_named = !first.is_typed()
                && (first.at == 0 || first.is_behind("of") || is_value_behind_be || is_one_of_many);
            !others.is_empty()
                && first.is_subject()
                && (is_numbered || is_named)
                && gaps.iter().all(Gap::is_of_single_words)
        }
        [] => false,
    }
}

/// Whether both values of the only place in which two statements differ can be true. `before` is the word before it.
pub(super) fn are_both_possible(gap: &Gap<'_>, before: &Term) -> bool {
    if before.is_negated || gap.is_opposite() && before.class != Class::Modal {
        return false;
    }
    let is_value = |term: &&Term| matches!(term.class, Class::Number | Class::Quantity | Class::Frequency);
    let mut words = gap.shorter.iter().chain(&gap.longer);
    match before.class {
        // `Users can export files`, `Users can import files`; but `The limit can be 5`.
        Class::Modal => {
            before.stem == "can" && gap.is_of_single_words() && words.all(|term| !term.is_behind_be)
        }
        _ => OF_MANY.contains(&&*before.stem) && !words.any(is_value),
    }
}

#[cfg(test)]
mod tests {
    use crate::model::statements::{Relation, relation};

    #[test]
    fn differences_that_leave_both_statements_true_are_no_contradictions() {
        for (one, other) in [
            ("Test coverage of the core is 91 %", "Test coverage of the shell is 64 %"),
            ("The retry limit of the mailer is 3", "The retry limit of the importer is 5"),
            ("The kitchen was painted green", "The bathroom was painted white"),
            ("The kettle holds two litres", "The teapot holds one litre"),
            ("Users can export files", "Users can import files"),
            ("Guests may open the gate", "Guests may close the gate"),
            ("Lena likes hiking", "Lena likes chess"),
            ("Mark speaks Spanish", "Mark speaks Italian"),
            ("Tom visited Rome in May", "Tom visited Oslo in June"),
            ("Fixed the crash on startup", "Fixed the crash on logout"),
            ("Task: update the changelog", "Task: update the dependencies"),
            ("Issue 12 is open", "Issue 14 is closed"),
            ("Chapter 3 explains locks", "Chapter 4 explains threads"),
            ("Fixed a bug that was reported by Ana", "Fixed a bug that was reported by Tom"),
        ] {
            assert_eq!(relation(one, other), Relation::OtherThing, "{one} | {other}");
        }
    }

    #[test]
    fn other_values_of_one_thing_are_contradictions() {
        for (one, other) in [
            ("The retry limit of the mailer is 3", "The retry limit of the mailer is 5"),
            ("The kitchen was painted green", "The kitchen was painted white"),
            ("The limit can be 5 files", "The limit can be 9 files"),
            ("Users can export files", "Users cannot export files"),
            ("Lena likes hiking a lot", "Lena dislikes hiking a lot"),
            ("The app supports version 15 of iOS", "The app supports version 16 of iOS"),
            ("Moved the blog to Rome", "Moved the blog to Oslo"),
            ("Read timeout is 30 seconds", "Read timeout is 60 seconds"),
            ("Deleted files are kept for 30 days", "Deleted files are kept for 90 days"),
            ("Issue 12 is open", "Issue 12 is closed"),
            ("Ticket 42 is assigned to Ana", "Ticket 42 is assigned to Tom"),
            ("The pool opens 5 sockets with 2 threads", "The pool opens 8 sockets with 4 threads"),
        ] {
            assert_eq!(relation(one, other), Relation::Contradiction, "{one} | {other}");
        }
    }
}
