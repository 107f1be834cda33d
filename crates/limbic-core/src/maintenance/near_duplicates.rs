//! Near memories: pairs with similar vectors, determined when the second vector is stored.
//!
//! Vectors hardly reflect order, negation, antonyms and numbers: "port 8080" and "port 8081" are as near as two
//! wordings of the same fact. So the texts decide: if they are the same statement, the older memory is confirmed and
//! represents both; otherwise they are a possible contradiction, and both are kept and shown.

use crate::{
    Result, Transaction,
    model::same_statement::{differ_in_few_words, same_statement},
    store::memories::{self, near_duplicate_edges},
};

/// Minimum cosine of near memories, whatever their words.
pub const NEAR: f64 = 0.95;

/// Minimum cosine of near memories that differ in few words: one different word can move the vector of a short text
/// below [`NEAR`].
pub const NEAR_IN_WORDS: f64 = 0.8;

/// Updates near pairs after a memory's vector was stored. `others` are memories with their cosines to it. Links it with
/// those that are near, and confirms the older memory of a new pair that is the same statement.
pub(crate) fn vector_stored(tx: &Transaction<'_>, number: i64, others: &[(i64, f64)]) -> Result<()> {
    let Some(own) = memories::by_number(tx, number)? else { return Ok(()) };
    let mut near = Vec::new();
    for (other, cosine) in others.iter().filter(|(_, cosine)| *cosine >= NEAR_IN_WORDS) {
        if near_duplicate_edges::are_comparable(tx, number, *other)?
            && let Some(other_memory) = memories::by_number(tx, *other)?
            && (*cosine >= NEAR || differ_in_few_words(&own.content, &other_memory.content))
        {
            near.push((other_memory, *cosine));
        }
    }
    let ids: Vec<String> = near.iter().map(|(other_memory, _)| other_memory.id.clone()).collect();
    near_duplicate_edges::keep_only(tx, &own.id, &ids)?;
    let mut has_other_wording = false;
    for (other_memory, cosine) in &near {
        let (newer, older) = if near_duplicate_edges::is_newer(tx, other_memory, &own)? {
            (other_memory, &own)
        } else {
            (&own, other_memory)
        };
        let is_same = same_statement(&newer.content, &older.content);
        has_other_wording |= is_same;
        let link_type = if is_same {
            near_duplicate_edges::NEAR_DUPLICATE
        } else {
            near_duplicate_edges::POSSIBLE_CONTRADICTION
        };
        if near_duplicate_edges::note(tx, newer, older, link_type, *cosine)? && is_same {
            memories::confirm(tx, &older.id)?;
        }
    }
    if has_other_wording {
        near_duplicate_edges::restated(tx, &own.id)?;
    }
    Ok(())
}
