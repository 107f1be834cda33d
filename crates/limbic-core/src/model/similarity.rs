//! Near-duplicate observations: their sentence vectors have a high cosine, or one of them is much longer and contains
//! most words of the other.

use std::cell::OnceCell;

use super::{numbers::cosine, text};

/// Minimum values above which two observations count as duplicates, both 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Cosine of the sentence vectors.
    pub cosine: f64,
    /// Share of the shorter text's words that the longer one contains.
    pub containment: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { cosine: 0.85, containment: 0.7 }
    }
}

/// The criterion by which two observations were recognised as duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// The cosine of their sentence vectors.
    Cosine,
    /// The words of the shorter one in the longer one.
    Containment,
    /// The same words in the same order; used only if vectors are missing.
    Exact,
}

/// An observation prepared for comparison.
pub(crate) struct PreparedText {
    text: String,
    /// Number of words.
    count: usize,
    /// Its distinct words in lower case, in order.
    distinct: OnceCell<Vec<String>>,
    /// The sentence vector, if there is one.
    pub vector: Option<Vec<f32>>,
}

impl PreparedText {
    /// Prepares an observation.
    pub(crate) fn new(text: String, vector: Option<Vec<f32>>) -> Self {
        let count = cut(&text).count();
        Self { text, count, distinct: OnceCell::new(), vector }
    }

    /// Returns the similarity, 0 to 1, and its criterion, if the two are duplicates.
    pub(crate) fn matches(&self, other: &Self, thresholds: Thresholds) -> Option<(f64, Match)> {
        if let (Some(mine), Some(theirs)) = (&self.vector, &other.vector) {
            let cosine = cosine(mine, theirs);
            if cosine >= thresholds.cosine {
                return Some((cosine.min(1.0), Match::Cosine));
            }
        } else if self.count > 0 && self.count == other.count && normal(&self.text) == normal(&other.text) {
            return Some((1.0, Match::Exact));
        }
        let containment = self.containment(other)?;
        (containment >= thresholds.containment).then_some((containment, Match::Containment))
    }

    /// Returns the share of the shorter text's distinct words that occur in the longer one, which must have at least
    /// twice as many words.
    #[allow(clippy::cast_precision_loss, reason = "texts have far fewer than 2^52 words")]
    fn containment(&self, other: &Self) -> Option<f64> {
        let (short, long) = if self.count <= other.count { (self, other) } else { (other, self) };
        if short.count == 0 || long.count < 2 * short.count {
            return None;
        }
        let words = short.distinct();
        let held = words.iter().filter(|word| long.distinct().binary_search(word).is_ok()).count();
        Some(held as f64 / words.len() as f64)
    }

    fn distinct(&self) -> &[String] {
        self.distinct.get_or_init(|| {
            let folded = text::fold(&self.text);
            let mut words: Vec<String> = cut(&folded).map(str::to_owned).collect();
            words.sort_unstable();
            words.dedup();
            words
        })
    }
}

/// Returns the words of a text: runs of letters and digits.
pub(crate) fn cut(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn normal(text: &str) -> String {
    cut(&text::fold(text)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(text: &str) -> PreparedText {
        PreparedText::new(text.to_owned(), None)
    }

    #[test]
    fn a_short_text_is_found_in_one_twice_as_long() {
        let long = prepared("Stack: FastMCP, SQLite and ONNX Runtime");
        assert_eq!(prepared("stack fastmcp").containment(&long), Some(1.0));
        assert_eq!(long.containment(&prepared("FastMCP Postgres")), Some(0.5));
        assert_eq!(prepared("Stack: FastMCP, SQLite, Redis").containment(&long), None, "not twice as long");
        assert_eq!(prepared("...").containment(&long), None);
    }

    #[test]
    fn without_vectors_the_same_words_match() {
        let thresholds = Thresholds::default();
        assert_eq!(
            prepared("Deploy on CAFE\u{301}!").matches(&prepared("deploy, on café"), thresholds),
            Some((1.0, Match::Exact))
        );
        assert_eq!(prepared("deploy on café").matches(&prepared("café on deploy"), thresholds), None);
        assert_eq!(prepared("!").matches(&prepared("?"), thresholds), None);
    }

    #[test]
    fn vectors_decide_where_both_are_known() {
        let mut vector = vec![0.0; 384];
        vector[0] = 1.0;
        let with = |text: &str| PreparedText::new(text.to_owned(), Some(vector.clone()));
        let found = with("one").matches(&with("other"), Thresholds::default());
        assert_eq!(found, Some((1.0, Match::Cosine)));
    }
}
