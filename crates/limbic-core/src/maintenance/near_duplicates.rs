//! Near memories: pairs with similar vectors, determined when the second vector is stored.
//!
//! Vectors hardly reflect order, negation, antonyms and numbers: "port 8080" and "port 8081" are as near as two
//! wordings of the same fact. So the texts decide ([`crate::model::statements`]): if they are the same statement, the
//! older memory is confirmed and represents both; if they differ in one place, or the words do not tell and the vectors
//! are very similar, they are a possible contradiction, and both are kept and shown. A text that only adds to another
//! one, or says the same in other words, is not linked; neither is JSON of different things.

use crate::{
    Result, Transaction,
    model::statements::{Relation, Statement},
    store::memories::{self, near_duplicate_edges},
};

/// Minimum cosine of near memories if their words do not tell how they are related.
pub(crate) const MIN_COSINE_UNCLEAR: f64 = 0.95;

/// Minimum cosine of near memories that differ in one word and share only one.
pub(crate) const MIN_COSINE_OTHER_WORD: f64 = 0.8;

/// Minimum cosine of two memories whose texts are compared. Texts of one statement, or of two that differ in one place,
/// are rarely below; above it, the words decide.
pub(crate) const MIN_COSINE: f64 = 0.5;

/// Whether two near memories are the same statement (`true`) or may contradict each other (`false`); `None` if they are
/// not near.
fn near_by_text(statement: &Statement<'_>, other: &str, cosine: f64) -> Option<bool> {
    match statement.relation(&Statement::new(other)) {
        Relation::Same => Some(true),
        Relation::Contradiction => Some(false),
        Relation::Paraphrase | Relation::Extension | Relation::OtherRecord => None,
        Relation::OtherWord => (cosine >= MIN_COSINE_OTHER_WORD).then_some(false),
        Relation::Unclear => (cosine >= MIN_COSINE_UNCLEAR).then_some(false),
    }
}

/// Updates near pairs after a memory's vector was stored. `others` are memories with their cosines to it. Links it with
/// those that are near, and confirms the older memory of a new pair that is the same statement.
pub(crate) fn vector_stored(tx: &Transaction<'_>, number: i64, others: &[(i64, f64)]) -> Result<()> {
    let Some(own) = memories::by_number(tx, number)? else { return Ok(()) };
    let statement = Statement::new(&own.content);
    let mut near = Vec::new();
    for (other, cosine) in others.iter().filter(|(_, cosine)| *cosine >= MIN_COSINE) {
        if near_duplicate_edges::are_comparable(tx, number, *other)?
            && let Some(other_memory) = memories::by_number(tx, *other)?
            && let Some(is_same) = near_by_text(&statement, &other_memory.content, *cosine)
        {
            near.push((other_memory, *cosine, is_same));
        }
    }
    let ids: Vec<String> = near.iter().map(|(other_memory, ..)| other_memory.id.clone()).collect();
    near_duplicate_edges::keep_only(tx, &own.id, &ids)?;
    let mut has_other_wording = false;
    for (other_memory, cosine, is_same) in &near {
        let (newer, older) = if near_duplicate_edges::is_newer(tx, other_memory, &own)? {
            (other_memory, &own)
        } else {
            (&own, other_memory)
        };
        has_other_wording |= is_same;
        let link_type = if *is_same {
            near_duplicate_edges::NEAR_DUPLICATE
        } else {
            near_duplicate_edges::POSSIBLE_CONTRADICTION
        };
        if near_duplicate_edges::note(tx, newer, older, link_type, *cosine)? && *is_same {
            memories::confirm(tx, &older.id)?;
        }
    }
    if has_other_wording {
        near_duplicate_edges::restated(tx, &own.id)?;
    }
    Ok(())
}
