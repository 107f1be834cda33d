//! Memories that say nearly the same: known when the vectors of both are there.
//!
//! Nothing is deleted, since vectors hardly see a number or a "not": "port 8080" and "port 8081" are as near as two
//! wordings of one thing. Where these differ the older memory is not confirmed, and where the newer one has a telling
//! word that the older one lacks, recall shows both.

use std::collections::BTreeSet;

use limbic_protocol::stop_words;

use crate::{
    Result, Unit,
    store::memories::{self, MemoryNode, near},
    text,
};

/// From this cosine on, two memories say nearly the same.
pub const NEAR: f64 = 0.95;

/// Words that turn a sentence into its opposite, in English and Spanish.
const NEGATIONS: &[&str] = &[
    "no", "not", "never", "none", "nobody", "nothing", "nor", "without", "cannot", "neither", "nunca",
    "jamás", "nadie", "nada", "sin", "ni", "tampoco",
];

/// Words of which so many first letters agree are forms of one.
const STEM_LETTERS: usize = 5;

/// Must follow the storing of a memory's vector. `others` are memories with their cosines to it. Links it with those
/// that it is near, and confirms the older one of a pair that was not known.
///
/// # Errors
/// Those of the database.
pub fn vector_arrived(unit: &Unit<'_>, number: i64, others: &[(i64, f64)]) -> Result<()> {
    let Some(own) = memories::by_number(unit, number)? else { return Ok(()) };
    let mut twins = Vec::new();
    for (other, cosine) in others.iter().filter(|(_, cosine)| *cosine >= NEAR) {
        if near::are_comparable(unit, number, *other)?
            && let Some(twin) = memories::by_number(unit, *other)?
        {
            twins.push((twin, *cosine));
        }
    }
    let ids: Vec<String> = twins.iter().map(|(twin, _)| twin.id.clone()).collect();
    near::keep_only(unit, &own.id, &ids)?;
    for (twin, cosine) in &twins {
        let (newer, older) = if twin.number < number { (&own, twin) } else { (twin, &own) };
        if near::note(unit, newer, older, *cosine)? && agree(newer, older) {
            memories::confirm(unit, &older.id)?;
        }
    }
    Ok(())
}

/// Whether the newer of two near memories adds nothing to the older one: the same numbers and negations, and no telling
/// word that the older one lacks.
#[must_use]
pub fn adds_nothing(newer: &MemoryNode, older: &MemoryNode) -> bool {
    let (new, old) = (words(&newer.content), words(&older.content));
    let is_known = |word: &String| old.iter().any(|other| is_form_of(word, other));
    agree(newer, older) && new.iter().filter(|word| !stop_words::contains(word)).all(is_known)
}

/// Whether two texts have the same numbers and negations.
fn agree(a: &MemoryNode, b: &MemoryNode) -> bool {
    let decisive = |memory: &MemoryNode| -> BTreeSet<String> {
        words(&memory.content).into_iter().filter(|word| is_decisive(word)).collect()
    };
    decisive(a) == decisive(b)
}

fn is_decisive(word: &str) -> bool {
    word.chars().any(char::is_numeric) || NEGATIONS.contains(&word) || word.ends_with("n't")
}

fn is_form_of(a: &str, b: &str) -> bool {
    let start = |word: &str| word.chars().take(STEM_LETTERS).collect::<Vec<_>>();
    a == b || (a.chars().count() >= STEM_LETTERS && !is_decisive(a) && start(a) == start(b))
}

/// The words of a text, as they are compared.
fn words(content: &str) -> BTreeSet<String> {
    text::fold(&content.replace('\u{2019}', "'"))
        .split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}
