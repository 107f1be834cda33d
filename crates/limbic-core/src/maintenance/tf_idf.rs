//! TF-IDF over the observations of one entity: the terms that distinguish them.
//!
//! weight(term, text) = occurrences in the text x ln(n / texts with the term). Stop words, numbers and words of one or
//! two letters are ignored, and so are terms that occur in only one text or in all: they group nothing.

use std::collections::{BTreeMap, BTreeSet};

use limbic_protocol::stop_words;

use crate::model::similarity::cut;
use crate::model::text;

/// The terms of some texts.
pub(crate) struct Terms {
    /// For each text, its terms in order with the number of occurrences.
    texts: Vec<Vec<(usize, f64)>>,
    /// For each text, its weights by term, normalised to unit length.
    weights: Vec<Vec<(usize, f64)>>,
    /// For each term, its first spelling.
    spellings: Vec<String>,
    /// For each term, ln(n / texts with the term).
    idf: Vec<f64>,
}

impl Terms {
    /// Counts the terms of some texts.
    #[allow(clippy::cast_precision_loss, reason = "there are far fewer than 2^52 texts")]
    pub(crate) fn of(contents: &[&str]) -> Self {
        // Sorted by their folded form, so that terms are numbered in alphabetical order.
        let mut first_spelling: BTreeMap<String, String> = BTreeMap::new();
        let cut_texts: Vec<Vec<String>> = contents
            .iter()
            .map(|content| {
                let composed = text::compose(content);
                cut(&composed)
                    .map(|word| (text::fold(word), word))
                    .filter(|(folded, _)| is_content_word(folded))
                    .map(|(folded, word)| {
                        first_spelling.entry(folded.clone()).or_insert_with(|| word.to_owned());
                        folded
                    })
                    .collect()
            })
            .collect();
        let numbers: BTreeMap<&str, usize> =
            first_spelling.keys().enumerate().map(|(number, term)| (term.as_str(), number)).collect();
        let texts: Vec<Vec<(usize, f64)>> = cut_texts
            .iter()
            .map(|words| {
                let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
                for word in words {
                    *counts.entry(numbers[word.as_str()]).or_default() += 1.0;
                }
                counts.into_iter().collect()
            })
            .collect();
        let mut with_term = vec![0.0_f64; numbers.len()];
        for (term, _) in texts.iter().flatten() {
            with_term[*term] += 1.0;
        }
        let idf: Vec<f64> =
            with_term.iter().map(|count| libm::log(contents.len() as f64 / count.max(1.0))).collect();
        let weights = texts.iter().map(|terms| weights(terms, &with_term, &idf)).collect();
        Self { texts, weights, spellings: first_spelling.into_values().collect(), idf }
    }

    /// Returns the cosine between the weights of two texts, 0 to 1.
    pub(crate) fn cosine(&self, a: usize, b: usize) -> f64 {
        let (mut left, mut right) = (self.weights[a].iter().peekable(), self.weights[b].iter().peekable());
        let mut sum = 0.0;
        while let (Some((i, x)), Some((j, y))) = (left.peek(), right.peek()) {
            match i.cmp(j) {
                std::cmp::Ordering::Less => left.next(),
                std::cmp::Ordering::Greater => right.next(),
                std::cmp::Ordering::Equal => {
                    sum += x * y;
                    left.next();
                    right.next()
                }
            };
        }
        crate::model::numbers::round(sum, 6)
    }

    /// Returns the terms of a group of texts, strongest first: number of its texts with the term x IDF. Terms of
    /// `known` are excluded.
    pub(crate) fn strongest(&self, group: &[usize], known: &str) -> Vec<String> {
        let known: BTreeSet<String> = cut(&text::fold(known)).map(str::to_owned).collect();
        let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
        for (term, _) in group.iter().flat_map(|text| &self.texts[*text]) {
            *counts.entry(*term).or_default() += 1.0;
        }
        let mut ranked: Vec<(usize, f64)> = counts
            .into_iter()
            .map(|(term, count)| (term, crate::model::numbers::round(count * self.idf[term], 6)))
            .filter(|(term, _)| !known.contains(&text::fold(&self.spellings[*term])))
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.into_iter().map(|(term, _)| self.spellings[term].clone()).collect()
    }
}

fn weights(terms: &[(usize, f64)], with_term: &[f64], idf: &[f64]) -> Vec<(usize, f64)> {
    let raw: Vec<(usize, f64)> = terms
        .iter()
        .filter(|(term, _)| with_term[*term] > 1.0)
        .map(|(term, count)| (*term, count * idf[*term]))
        .collect();
    let length = libm::sqrt(raw.iter().map(|(_, weight)| weight * weight).sum());
    if length <= 0.0 {
        return Vec::new();
    }
    raw.into_iter().map(|(term, weight)| (term, weight / length)).collect()
}

fn is_content_word(word: &str) -> bool {
    word.chars().count() > 2 && word.chars().any(char::is_alphabetic) && !stop_words::contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_rare_words_make_texts_alike() {
        let terms = Terms::of(&["Vercel deploy", "the deploy failed", "SQLite schema", "schema of the café"]);
        assert!(terms.cosine(0, 1) > 0.9);
        assert!(terms.cosine(0, 2) < 1e-9);
        assert!(terms.cosine(2, 3) > 0.9);
    }

    #[test]
    fn the_strongest_terms_keep_their_spelling() {
        let terms = Terms::of(&["Vercel Deploy", "deploy on VERCEL", "SQLite schema", "schema 2024"]);
        assert_eq!(terms.strongest(&[0, 1], ""), ["Deploy", "Vercel"]);
        assert_eq!(terms.strongest(&[0, 1], "my deploy"), ["Vercel"]);
        assert_eq!(terms.strongest(&[2, 3], ""), ["schema", "SQLite"]);
    }

    #[test]
    fn texts_without_words_are_like_nothing() {
        let terms = Terms::of(&["...", "the of", "12 34"]);
        assert!(terms.cosine(0, 1) < 1e-9);
        assert!(terms.strongest(&[0, 1, 2], "").is_empty());
    }
}
