//! Limbic factors: what use and time add to relevance.
//!
//! limbic = base x ((1 + beta importance) x temporal x (1 + gamma co-occurrence))^0.1. What was never used has
//! importance and co-occurrence 0, so that a cold database is ordered by relevance and age alone.
//!
//! The seed has no exponent. Without one, use drowns relevance: over a thousand different questions asked one after
//! the other, nDCG@10 fell from 0.593 to 0.473. With 0.1 it rose to 0.597.
//!
//! The seed counts how often an entity was found. That cannot tell what was wanted from what stood beside it, and lifts
//! whatever many questions find: asked one after the other, CoSQA's questions fell from 0.567 to 0.555. So an entity is
//! important for a question as far as it was opened, extended or linked after a like one:
//!
//! answered = sum over those questions of (words in common / words of either)^2, at most 1
//!
//! Then different questions change nothing for each other, and one that returns finds what answered it before: all
//! questions a second time rise from 0.596 to 0.648 on LoCoMo (with counts 0.608), on CoSQA from 0.567 to 0.631 (0.590).

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
            feedback::{self, Answered},
        },
    },
};

/// How many of the newest questions that an entity answered are compared.
const COMPARED: usize = 64;
/// What fifteen relations add to importance.
const DEGREE_SHARE: f64 = 0.15;
/// The most relations that count.
const MAX_DEGREE: f64 = 15.0;
/// What use on many days adds to importance.
const CONSOLIDATION_SHARE: f64 = 0.2;

/// A question, as it is compared with those that were asked before.
pub struct Asked {
    words: BTreeSet<String>,
    hash: String,
}

impl Asked {
    /// `hash` is the question's hash in hexadecimal digits, as it is logged.
    pub fn new(text: &str, hash: String) -> Self {
        Self { words: tokenizer::of_query(text).into_iter().collect(), hash }
    }

    /// How like an earlier question is, 0 to 1: the share of the words of either that both have.
    #[allow(clippy::cast_precision_loss, reason = "a question has few words")]
    fn likeness(&self, earlier: &Answered) -> f64 {
        if self.hash == earlier.query_hash {
            return 1.0;
        }
        let words: BTreeSet<String> = tokenizer::of_query(&earlier.query).into_iter().collect();
        let both = self.words.intersection(&words).count();
        let either = self.words.len() + words.len() - both;
        if either == 0 { 0.0 } else { both as f64 / either as f64 }
    }

    /// How much an entity answered questions like this one, 0 to 1.
    fn answered(&self, earlier: &[Answered]) -> f64 {
        let squares =
            earlier.iter().map(|earlier| self.likeness(earlier)).map(|likeness| likeness * likeness);
        // The sum of nothing is -0.0.
        super::round((0.0 + squares.sum::<f64>()).min(1.0), 6)
    }
}

/// The factors of all candidates, in their order.
///
/// # Errors
/// Those of the database.
pub fn factors(tx: &Transaction<'_>, asked: &Asked, candidates: &[i64]) -> Result<Vec<Factors>> {
    let uses = candidates.iter().map(|id| entity_access::of(tx, *id)).collect::<Result<Vec<Use>>>()?;
    let answered = candidates
        .iter()
        .map(|id| Ok(asked.answered(&feedback::answered_by(tx, *id, COMPARED)?)))
        .collect::<Result<Vec<f64>>>()?;
    let most_days = uses.iter().map(|used| used.days).max().unwrap_or(0);
    candidates
        .iter()
        .enumerate()
        .map(|(place, id)| {
            let used = uses[place];
            let degree = if answered[place] > 0.0 { relations::degree(tx, *id)? } else { 0 };
            let importance = answered[place]
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

/// How often an entity was found together with others that answered a like question.
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

/// log2(1 + count) / log2(1 + most), 0 when nothing was used at all.
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
    fn only_like_questions_count() {
        let asked = Asked::new("Where does Ada keep the spare keys?", "1".to_owned());
        let earlier =
            |query: &str, hash: &str| Answered { query: query.to_owned(), query_hash: hash.to_owned() };
        assert!((asked.answered(&[earlier("", "1")]) - 1.0).abs() < 1e-12);
        assert!(
            (asked.answered(&[earlier("the spare keys, where does Ada keep them?", "2")]) - 1.0).abs()
                < 1e-12
        );
        assert!(
            asked.answered(&[earlier("When does the train leave?", "3"), earlier("", "4")]).abs() < 1e-12
        );
        // One of seven words.
        let once = asked.answered(&[earlier("Ada plays chess on Sunday", "5")]);
        assert!(once > 0.0 && once < 0.05, "{once}");
    }
}
