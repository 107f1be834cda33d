//! A place in which two statements have other words.

use super::{lexicon, term::Term, word::Class};

/// Maximum content words of a slot.
pub(super) const MAX_SLOT: usize = 3;

/// Words between two corresponding ones that do not correspond.
pub(super) struct Gap<'a> {
    /// Index of the first one among the terms of the shorter statement; 0 if words were moved.
    pub at: usize,
    pub shorter: Vec<&'a Term>,
    pub longer: Vec<&'a Term>,
}

impl Gap<'_> {
    /// Whether it is near the start of the statements, and no preposition but `of` is before it, as in `the limit of
    /// the mailer`.
    pub(super) fn is_subject(&self) -> bool {
        let is_of = |term: &Term| term.preposition.as_deref().is_none_or(|it| it == "of");
        let first = [self.shorter.first(), self.longer.first()];
        self.at <= MAX_SLOT && first.iter().flatten().all(|term| is_of(term) && !term.is_behind_be)
    }

    /// Whether the first words of both sides have this preposition before them.
    pub(super) fn is_behind(&self, preposition: &str) -> bool {
        self.have_first(|term| term.preposition.as_deref() == Some(preposition))
    }

    /// Whether a form of `be` is before both sides.
    pub(super) fn is_behind_be(&self) -> bool {
        self.have_first(|term| term.is_behind_be)
    }

    fn have_first(&self, is: impl Fn(&Term) -> bool) -> bool {
        [self.shorter.first(), self.longer.first()].iter().all(|first| first.is_some_and(|term| is(term)))
    }

    /// Whether both sides are one word.
    pub(super) fn is_of_single_words(&self) -> bool {
        self.shorter.len() == 1 && self.longer.len() == 1
    }

    /// Whether both sides have words here.
    pub(super) fn is_slot(&self) -> bool {
        !self.shorter.is_empty() && !self.longer.is_empty()
    }

    /// Whether one side has the opposite of a word of the other one.
    pub(super) fn is_opposite(&self) -> bool {
        self.shorter.iter().any(|one| {
            self.longer.iter().any(|other| {
                lexicon::are_opposites(&one.stem, &other.stem) && one.is_negated == other.is_negated
            })
        })
    }

    /// Whether both sides are one name, or one word behind the same preposition: the same slot in another order.
    pub(super) fn is_of_one_role(&self) -> bool {
        match (&self.shorter[..], &self.longer[..]) {
            ([one], [other]) => {
                let names = [one.is_name, other.is_name];
                (names.contains(&Some(true)) && !names.contains(&Some(false)))
                    || (one.preposition.is_some() && one.preposition == other.preposition)
            }
            _ => false,
        }
    }

    /// Whether both sides have another date or label, which tells things and events apart.
    pub(super) fn identifies(&self) -> bool {
        let is_year = |term: &Term| {
            term.stem.len() == 4
                && term.stem.parse::<u16>().is_ok_and(|year| (1900..2100).contains(&year))
                && term.preposition.as_deref() == Some("in")
        };
        let are = |is: fn(&Term) -> bool| self.shorter.iter().chain(&self.longer).all(|term| is(term));
        self.shorter.len() == 1
            && self.longer.len() == 1
            && (are(|term| term.is_label)
                || are(Term::is_date)
                || self.shorter.iter().chain(&self.longer).all(|term| is_year(term)))
    }

    /// Whether both sides have values of one type in the same position (numbers, dates, modal verbs) and nothing else,
    /// or quantities, with or without what is counted.
    pub(super) fn is_typed(&self) -> bool {
        let values = |one: &Term, other: &Term| {
            let are = |is: fn(&Term) -> bool| is(one) && is(other);
            are(|term| term.class == Class::Number)
                || are(|term| term.class == Class::Frequency)
                || are(|term| term.class == Class::Modal)
                || are(Term::is_date)
        };
        let mut pairs = self.shorter.iter().zip(&self.longer);
        let are_quantities = pairs.clone().any(|(one, other)| {
            [one.class, other.class].iter().all(|class| matches!(class, Class::Quantity | Class::Number))
                && (one.class == Class::Quantity || other.class == Class::Quantity)
        });
        are_quantities
            || (self.shorter.len() == 1 && pairs.all(|(one, other)| values(one, other)) && self.is_slot())
    }
}
