//! Limbic factors: the effect of use and time on relevance.
//!
//! limbic = base x ((1 + beta importance) x temporal x (1 + gamma co-occurrence))^0.1. What was never used has
//! importance and co-occurrence 0, so that a cold database is ordered by relevance and age alone.
//!
//! MCP Memory v2 has no exponent. Without one, use outweighs relevance: over a thousand different questions in
//! sequence, nDCG@10 fell from 0.593 to 0.473. With 0.1 it rose to 0.597.
//!
//! MCP Memory v2 counts how often an entity was found. That does not distinguish useful results from others, and lifts
//! whatever many questions find: in sequence, CoSQA's questions fell from 0.567 to 0.555. So the importance of an
//! entity for a query depends on how often it was opened, extended or linked after similar ones:
//!
//! answered = sum over those questions of (words in common / words of either)^2, at most 1
//!
//! So different questions do not affect each other, and a repeated one finds what answered it before: asked a second
//! time, all questions rise from 0.596 to 0.648 on LoCoMo (with counts 0.608), on CoSQA from 0.567 to 0.631 (0.590).

use std::collections::BTreeSet;

use crate::{
    Result, Transaction,
    model::{
        tokenizer,
        usage::{Factors, freshness},
    },
    store::{
        graph::relations,
        logs::{
            entity_access::{self, Use},
            feedback::{self, AnsweredQuery},
        },
    },
};

/// Maximum number of earlier queries per entity that are compared: the newest.
const MAX_COMPARED: usize = 64;
/// Contribution of fifteen relations to importance.
const DEGREE_SHARE: f64 = 0.15;
/// Maximum number of relations that count.
const MAX_DEGREE: f64 = 15.0;
/// Contribution of use on many days to importance.
const CONSOLIDATION_SHARE: f64 = 0.2;

/// A query, prepared for comparison with earlier ones.
pub(crate) struct ComparableQuery {
    /// The words of each phrasing.
    words: Vec<BTreeSet<String>>,
    hash: String,
}

impl ComparableQuery {
    /// Prepares a query from its phrasings. `hash` is its hash in the search log, in hexadecimal digits.
    pub(crate) fn new<'a>(texts: impl IntoIterator<Item = &'a str>, hash: String) -> Self {
        let words = |text| tokenizer::of_query(text).into_iter().collect();
        Self { words: texts.into_iter().map(words).collect(), hash }
    }

    /// Returns the similarity to an earlier query, 0 to 1: the Jaccard index of their words, for the phrasing that is
    /// most similar.
    #[allow(clippy::cast_precision_loss, reason = "a question has few words")]
    fn likeness(&self, earlier: &AnsweredQuery) -> f64 {
        if self.hash == earlier.query_hash {
            return 1.0;
        }
        let words: BTreeSet<String> = tokenizer::of_query(&earlier.query).into_iter().collect();
        let jaccard = |mine: &BTreeSet<String>| {
            let both = mine.intersection(&words).count();
            let either = mine.len() + words.len() - both;
            if either == 0 { 0.0 } else { both as f64 / either as f64 }
        };
        self.words.iter().map(jaccard).fold(0.0, f64::max)
    }

    /// Returns how far an entity answered similar queries, 0 to 1.
    fn answered(&self, earlier: &[AnsweredQuery]) -> f64 {
        let squares =
            earlier.iter().map(|earlier| self.likeness(earlier)).map(|likeness| likeness * likeness);
        // An empty sum is -0.0.
        crate::model::numbers::round((0.0 + squares.sum::<f64>()).min(1.0), 6)
    }
}

/// Returns the factors of all candidates, in their order.
pub(crate) fn factors(
    tx: &Transaction<'_>,
    query: &ComparableQuery,
    candidates: &[i64],
) -> Result<Vec<Factors>> {
    let uses = candidates.iter().map(|id| entity_access::of(tx, *id)).collect::<Result<Vec<Use>>>()?;
    let answered = candidates
        .iter()
        .map(|id| Ok(query.answered(&feedback::answered_by(tx, *id, MAX_COMPARED)?)))
        .collect::<Result<Vec<f64>>>()?;
    let most_days = uses.iter().map(|used| used.days).max().unwrap_or(0);
    candidates
        .iter()
        .enumerate()
        .map(|(index, id)| {
            let used = uses[index];
            let degree = if answered[index] > 0.0 { relations::degree(tx, *id)? } else { 0 };
            let importance = answered[index]
                * (1.0 + DEGREE_SHARE * f64::from(degree).min(MAX_DEGREE) / MAX_DEGREE)
                * (1.0 + CONSOLIDATION_SHARE * share(used.days, most_days));
            Ok(Factors {
                importance,
                temporal: freshness(tx.now_seconds(), used.last_seconds),
                co_occurrence: co_occurrence(tx, *id, candidates, &answered)?,
            })
        })
        .collect()
}

/// Returns the co-occurrence of an entity with others that answered a similar query.
fn co_occurrence(tx: &Transaction<'_>, id: i64, candidates: &[i64], answered: &[f64]) -> Result<f64> {
    let mut sum = 0.0;
    for (other, answered) in candidates.iter().zip(answered) {
        if *other == id || *answered <= 0.0 {
            continue;
        }
        if let Some((count, last_seconds)) = entity_access::together(tx, id, *other)? {
            sum += answered * libm::log2(1.0 + f64::from(count)) * freshness(tx.now_seconds(), last_seconds);
        }
    }
    Ok(sum)
}

/// Returns log2(1 + count) / log2(1 + most); 0 if nothing was used.
fn share(count: u32, most: u32) -> f64 {
    if most == 0 { 0.0 } else { libm::log2(1.0 + f64::from(count)) / libm::log2(1.0 + f64::from(most)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_used_has_the_whole_share() {
        assert!((share(7, 7) - 1.0).abs() < 1e-12);
        assert!((share(0, 0)).abs() < 1e-12);
        assert!(share(1, 7) > 0.3);
    }

    #[test]
    fn only_similar_queries_count() {
        let query = ComparableQuery::new(["Where does Ada keep the spare keys?"], "1".to_owned());
        let earlier =
            |query: &str, hash: &str| AnsweredQuery { query: query.to_owned(), query_hash: hash.to_owned() };
        assert!((query.answered(&[earlier("", "1")]) - 1.0).abs() < 1e-12);
        assert!(
            (query.answered(&[earlier("the spare keys, where does Ada keep them?", "2")]) - 1.0).abs()
                < 1e-12
        );
        assert!(
            query.answered(&[earlier("When does the train leave?", "3"), earlier("", "4")]).abs() < 1e-12
        );
        // One of seven words.
        let once = query.answered(&[earlier("Ada plays chess on Sunday", "5")]);
        assert!(once > 0.0 && once < 0.05, "{once}");
    }

    #[test]
    fn the_most_similar_phrasing_counts() {
        let earlier = [AnsweredQuery { query: "spare keys Ada".to_owned(), query_hash: "2".to_owned() }];
        let similarity = |phrasings: &[&str]| {
            ComparableQuery::new(phrasings.iter().copied(), "1".to_owned()).answered(&earlier)
        };
        let [far, like] = ["When does the train leave?", "Ada's spare keys"];
        assert!(similarity(&[far]).abs() < 1e-12);
        assert!(similarity(&[like]) > 0.4);
        assert!((similarity(&[far, like]) - similarity(&[like])).abs() < 1e-12);
    }
}
