//! Near memories: pairs with similar vectors, determined when the second vector is stored.
//!
//! Vectors hardly reflect order, negation, antonyms and numbers: "port 8080" and "port 8081" are as near as two
//! wordings of the same fact. So the texts decide ([`crate::model::statements`]): if they are the same statement, the
//! older memory is confirmed and represents both. If they say the same in other words, the older memory is confirmed,
//! and both are shown. If they differ in one place, or the words do not decide and the vectors are very similar, they
//! are a possible contradiction, and both are shown. A text that only adds to another one is not linked; neither is
//! JSON of different things. Vectors of texts that the encoder cannot read are all alike and decide nothing.

use crate::{
    Result, Transaction,
    model::{
        script,
        statements::{Relation, Statement},
    },
    search::VectorCache,
    store::memories::{
        self,
        near_duplicate_edges::{self, NEAR_DUPLICATE, POSSIBLE_CONTRADICTION},
    },
};

/// Minimum cosine of near memories if their words do not show how they are related.
pub(crate) const MIN_COSINE_UNCLEAR: f64 = 0.95;

/// Minimum cosine of near memories that differ in one word and share only one.
pub(crate) const MIN_COSINE_OTHER_WORD: f64 = 0.8;

/// Minimum cosine of two memories whose texts are compared. Texts of one statement, or of two that differ in one place,
/// are rarely below; above it, the words decide.
pub(crate) const MIN_COSINE: f64 = 0.5;

/// Minimum cosine of one statement in other words, if the words do not show an equivalent clause.
const MIN_COSINE_REWORDED: f64 = 0.8;

/// The number of nearest memories whose texts are compared.
const NEAR_MEMORIES: usize = 16;

/// Returns the nearest memories with which a memory is compared, best first, with their cosines: valid ones of the same
/// domain, subject and user, so that what others have stored takes no place. `vector` is that of the memory.
pub(crate) fn nearest(
    tx: &Transaction<'_>,
    vectors: &VectorCache,
    number: i64,
    vector: &[f32],
) -> Result<Vec<(i64, f64)>> {
    // Mostly, the first few are enough; all of the same subject are listed where it is one among many.
    for limit in [NEAR_MEMORIES, 4 * NEAR_MEMORIES] {
        let near = vectors.nearest(vector, limit, |_| true);
        let has_all = near.len() < limit || near.last().is_none_or(|(_, cosine)| *cosine < MIN_COSINE);
        let mut comparable = Vec::with_capacity(NEAR_MEMORIES);
        for (other, cosine) in near {
            if comparable.len() < NEAR_MEMORIES && near_duplicate_edges::are_comparable(tx, number, other)? {
                comparable.push((other, cosine));
            }
        }
        if has_all || comparable.len() == NEAR_MEMORIES {
            return Ok(comparable);
        }
    }
    let Some(own) = memories::by_number(tx, number)? else { return Ok(Vec::new()) };
    let numbers = near_duplicate_edges::comparable(tx, &own)?;
    Ok(vectors.nearest_of(vector, NEAR_MEMORIES, numbers.into_iter()))
}

/// Returns the type of the link between two memories with this cosine; `None` if they are not near. `near_duplicate`
/// does not yet mean that one may represent the other, which only equal statements do.
fn link_type(relation: Relation, cosine: f64) -> Option<&'static str> {
    let (link_type, min_cosine) = match relation {
        Relation::Same | Relation::Paraphrase => (NEAR_DUPLICATE, MIN_COSINE),
        Relation::Reworded => (NEAR_DUPLICATE, MIN_COSINE_REWORDED),
        Relation::Contradiction => (POSSIBLE_CONTRADICTION, MIN_COSINE),
        Relation::OtherWord => (POSSIBLE_CONTRADICTION, MIN_COSINE_OTHER_WORD),
        Relation::Unclear => (POSSIBLE_CONTRADICTION, MIN_COSINE_UNCLEAR),
        Relation::Extension | Relation::OtherThing => return None,
    };
    (cosine >= min_cosine).then_some(link_type)
}

/// Updates near pairs after a memory's vector was stored. `others` are memories with their cosines to it, `foreign` is
/// the share of its letters that the encoder cannot read. Links it with those that are near, and confirms the older
/// memory of a new pair that says the same.
pub(crate) fn vector_stored(
    tx: &Transaction<'_>,
    number: i64,
    others: &[(i64, f64)],
    foreign: Option<f32>,
) -> Result<()> {
    let Some(own) = memories::by_number(tx, number)? else { return Ok(()) };
    let statement = Statement::new(&own.content);
    let is_unreadable = script::is_unreadable(&own.content, foreign);
    let mut near = Vec::new();
    for (other, cosine) in others.iter().filter(|(_, cosine)| *cosine >= MIN_COSINE) {
        if near_duplicate_edges::are_comparable(tx, number, *other)?
            && let Some(other_memory) = memories::by_number(tx, *other)?
            && let relation = near_duplicate_edges::relation_to(&own, &statement, &other_memory)
            && !(is_unreadable && relation.needs_vectors())
            && let Some(link_type) = link_type(relation, *cosine)
        {
            near.push((other_memory, *cosine, link_type));
        }
    }
    let ids: Vec<String> = near.iter().map(|(other_memory, ..)| other_memory.id.clone()).collect();
    near_duplicate_edges::keep_only(tx, &own.id, &ids)?;
    for (other_memory, cosine, link_type) in &near {
        let (newer, older) = if near_duplicate_edges::is_newer(tx, other_memory, &own)? {
            (other_memory, &own)
        } else {
            (&own, other_memory)
        };
        let is_new = near_duplicate_edges::note(tx, newer, older, link_type, *cosine)?;
        if is_new && *link_type == NEAR_DUPLICATE {
            memories::confirm(tx, &older.id)?;
        }
    }
    if near.iter().any(|(.., link_type)| *link_type == NEAR_DUPLICATE) {
        near_duplicate_edges::restated(tx, &own.id)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::statements::relation;

    const LABELLED: &str = include_str!("../../../../tests/files/labelled_pairs.tsv");
    const FRESH: &str = include_str!("../../../../tests/files/fresh_pairs.tsv");

    /// Precision and recall of a type of link for the pairs with a label.
    fn measured(pairs: &str, label: &str, found_type: &str) -> (f64, f64) {
        let (mut found, mut right, mut all) = (0.0, 0.0, 0.0);
        for line in pairs.lines().filter(|line| !line.starts_with('#')) {
            let [of, older, newer, cosine] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("not four columns: {line}")
            };
            let cosine = cosine.parse().expect("the last column is a number");
            let is_found = link_type(relation(newer, older), cosine) == Some(found_type);
            found += f64::from(u8::from(is_found));
            right += f64::from(u8::from(is_found && of == label));
            all += f64::from(u8::from(of == label));
        }
        (right / found, right / all)
    }

    #[test]
    fn pairs_that_say_the_same_are_found_with_few_others() {
        let (precision, recall) = measured(LABELLED, "same", NEAR_DUPLICATE);
        assert!(precision >= 0.99 && recall >= 0.95, "{precision} {recall}");
        let (precision, recall) = measured(FRESH, "same", NEAR_DUPLICATE);
        assert!(precision >= 0.99 && recall >= 0.85, "{precision} {recall}");
    }

    #[test]
    fn contradicting_pairs_are_found_with_few_others() {
        let (precision, recall) = measured(LABELLED, "contradicting", POSSIBLE_CONTRADICTION);
        assert!(precision >= 0.95 && recall >= 0.93, "{precision} {recall}");
        let (precision, recall) = measured(FRESH, "contradicting", POSSIBLE_CONTRADICTION);
        assert!(precision >= 0.9 && recall >= 0.93, "{precision} {recall}");
    }
}
