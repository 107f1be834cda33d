//! Near memories: those whose vectors are alike, known when the vectors of both are there.
//!
//! Vectors see neither order, negation, antonyms nor numbers: "port 8080" and "port 8081" are as near as two wordings of
//! one thing. So the texts decide what a near pair is: where they are the same statement, the older memory is confirmed
//! and stands for both; otherwise they are a possible contradiction, of which both are kept and shown.

use crate::{
    Result, Transaction,
    model::same_statement::{differ_in_few_words, same_statement},
    store::memories::{self, near_duplicate_edges},
};

/// From this cosine on, two memories are near, whatever their words.
pub const NEAR: f64 = 0.95;

/// From this cosine on, two memories are near if they differ in few words: one other word moves the vector of a short
/// text below [`NEAR`].
pub const NEAR_IN_WORDS: f64 = 0.8;

/// Must follow the storing of a memory's vector. `others` are memories with their cosines to it. Links it with those
/// that it is near, and confirms the older one of a pair that was not known and is one statement.
///
/// # Errors
/// Those of the database.
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
    for (other_memory, cosine) in &near {
        let (newer, older) = if near_duplicate_edges::is_newer(tx, other_memory, &own)? {
            (other_memory, &own)
        } else {
            (&own, other_memory)
        };
        let is_same = same_statement(&newer.content, &older.content);
        let link_type = if is_same {
            near_duplicate_edges::NEAR_DUPLICATE
        } else {
            near_duplicate_edges::POSSIBLE_CONTRADICTION
        };
        if near_duplicate_edges::note(tx, newer, older, link_type, *cosine)? && is_same {
            memories::confirm(tx, &older.id)?;
        }
    }
    Ok(())
}
