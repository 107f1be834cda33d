//! A statement as chunks, a clause, and the words of both.

use crate::model::{
    statements::{
        lexicon::{self, Tense},
        word::Class,
    },
    stems,
};

/// A word of a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Word {
        text: String,
        is_start: bool,
    },
    /// A verb, in whatever form.
    Verb {
        stem: String,
        tense: Tense,
    },
}

impl Item {
    pub(super) fn new(text: &str) -> Self {
        Self::Word { text: text.to_owned(), is_start: false }
    }

    pub(super) fn verb(form: &str, tense: Tense) -> Self {
        Self::Verb { stem: verb_stem(form), tense }
    }

    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word { text, .. } if text == word)
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Self::Word { text, .. } => text,
            Self::Verb { stem, .. } => stem,
        }
    }

    pub(super) fn is_name(&self) -> bool {
        matches!(self, Self::Word { text, .. } if text.starts_with(char::is_uppercase))
    }

    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Word { text: a, is_start: x }, Self::Word { text: b, is_start: y }) => {
                a == b || ((*x || *y) && a.to_lowercase() == b.to_lowercase())
            }
            (Self::Verb { stem: a, tense: x }, Self::Verb { stem: b, tense: y }) => a == b && x.agrees(*y),
            (Self::Verb { stem, tense }, Self::Word { text, .. })
            | (Self::Word { text, .. }, Self::Verb { stem, tense }) => {
                let text = text.to_lowercase();
                tense.agrees(lexicon::tense(&text)) && *stem == verb_stem(&text)
            }
        }
    }
}

pub(super) fn verb_stem(form: &str) -> String {
    stems::of_english(lexicon::base_form(form))
}

fn all_equal(one: &[Item], other: &[Item]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.equals(b))
}

/// Who acts in a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agent {
    /// A word of the clause, or nobody.
    Stated,
    /// The passive voice without `by`.
    Unstated,
    /// `we`, `they` or `you`.
    Anybody,
}

/// A part of a statement: a preposition, form of `be`, conjunction or punctuation mark with the words behind it.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub(super) marker: String,
    pub(super) class: Class,
    pub(super) items: Vec<Item>,
    /// Whether it begins with `the` or is what somebody has.
    pub(super) is_definite: bool,
}

/// A clause in one of its forms.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub(super) agent: Agent,
    pub(super) core: Vec<Item>,
    /// Parts with prepositions, whose order does not matter.
    pub(super) adjuncts: Vec<(String, Vec<Item>)>,
}

impl Clause {
    pub(super) fn equals(&self, other: &Self) -> bool {
        let agents_agree = self.agent == other.agent && self.agent == Agent::Stated
            || matches!(
                (self.agent, other.agent),
                (Agent::Unstated, Agent::Anybody) | (Agent::Anybody, Agent::Unstated)
            );
        agents_agree && all_equal(&self.core, &other.core) && same_adjuncts(&self.adjuncts, &other.adjuncts)
    }
}

type Adjunct = (String, Vec<Item>);

/// Whether two lists of adjuncts are equal in any order; those with one preposition must have the same order.
fn same_adjuncts(one: &[Adjunct], other: &[Adjunct]) -> bool {
    one.len() == other.len()
        && one.iter().all(|(marker, _)| {
            let of = |adjuncts: &[Adjunct]| -> Vec<Vec<Item>> {
                adjuncts.iter().filter(|(it, _)| it == marker).map(|(_, items)| items.clone()).collect()
            };
            let (mine, theirs) = (of(one), of(other));
            mine.len() == theirs.len() && mine.iter().zip(&theirs).all(|(a, b)| all_equal(a, b))
        })
}

/// All words in their order.
pub(super) fn literal(chunks: &[Chunk]) -> Clause {
    let mut core = Vec::new();
    for chunk in chunks {
        if !chunk.marker.is_empty() {
            core.push(Item::new(&chunk.marker));
        }
        core.extend(chunk.items.iter().cloned());
    }
    Clause { agent: Agent::Stated, core, adjuncts: Vec::new() }
}

fn is_adjunct(chunk: &Chunk) -> bool {
    chunk.class == Class::Preposition
}

pub(super) fn adjuncts<'a>(chunks: impl Iterator<Item = &'a Chunk>) -> Vec<Adjunct> {
    chunks.filter(|chunk| is_adjunct(chunk)).map(adjunct).collect()
}

fn adjunct(chunk: &Chunk) -> Adjunct {
    let format = chunk.items.last().is_some_and(|last| last.is("format"));
    if chunk.marker == "in" && format && chunk.items.len() > 1 {
        return ("as".into(), chunk.items[..chunk.items.len() - 1].to_vec());
    }
    (chunk.marker.clone(), chunk.items.clone())
}

/// The words without those behind prepositions, and these as adjuncts.
pub(super) fn plain(chunks: &[Chunk]) -> Clause {
    let mut core = Vec::new();
    for chunk in chunks.iter().filter(|chunk| !is_adjunct(chunk)) {
        if !chunk.marker.is_empty() {
            core.push(Item::new(&chunk.marker));
        }
        core.extend(chunk.items.iter().cloned());
    }
    Clause { agent: Agent::Stated, core, adjuncts: adjuncts(chunks.iter()) }
}
