//! Types shared by the rankings: the phrasings of a query, the choice of ranking, and the signals of a candidate.

use limbic_protocol::QueryTokens;

use crate::model::script;

/// Share of the near context in late interaction, where context counts fully.
const NEAR_SHARE: f64 = 0.4;

/// Share of the wide context.
const WIDE_SHARE: f64 = 0.2;

/// Increase of the share of the near context for a text after a question.
const REPLY_SHARE: f64 = 0.2;

/// Weight with which the share of questions is subtracted.
const ASKING_WEIGHT: f64 = 0.13;

/// One phrasing of a query. Of several, each text is ranked by the one that it matches best.
#[derive(Debug, Clone, Copy)]
pub struct Phrasing<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its sentence vector and tokens, if there is an encoder: for all phrasings of a query or for none.
    pub encoding: Option<(&'a [f32], &'a QueryTokens)>,
}

/// Returns the share of a query's letters that its encoder cannot read, 0 to 1: as the encoder computes it, or else the
/// share of letters that are not Latin, which is what an English encoder cannot read.
pub(crate) fn foreign_share(text: &str, tokens: Option<&QueryTokens>) -> f64 {
    match tokens.and_then(|tokens| tokens.foreign) {
        Some(share) => crate::model::numbers::round(f64::from(share), 4),
        None => script::foreign_share(text),
    }
}

/// The ranking of results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ranking {
    /// Words alone.
    Lexical,
    /// Sentence vectors alone.
    Vector,
    /// Late interaction alone.
    Late,
    /// Reciprocal rank fusion of words and sentence vectors, as in MCP Memory v2.
    Rrf,
    /// 0.6 words and 0.4 sentence vectors, each scaled to 0..1 among the candidates: the best of the simple mixtures.
    Linear,
    /// All signals mixed.
    Fusion,
    /// All signals mixed, and limbic factors for nine queries of ten.
    #[default]
    Limbic,
}

/// The signals that were available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Words and vectors.
    Hybrid,
    /// Words alone: there is no encoder, or no text has a vector yet.
    Lexical,
}

/// The signals of one candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signals {
    /// Row number of the entity.
    pub id: i64,
    /// BM25, if a word matches.
    pub lexical: Option<f64>,
    /// Cosine to the query, if there are vectors.
    pub cosine: Option<f64>,
    /// Hubness: mean of its ten best cosines to other candidates; 0 without code.
    pub hub: f64,
    /// Nearness to the dates of the query, 0 to 1; 0 without dates.
    pub dates: f64,
    /// Number of content tokens of its best observation, or of the memory.
    pub tokens: usize,
    /// Late interaction with its best observation.
    pub late: Option<LateScore>,
    /// That observation.
    pub best_observation: Option<i64>,
}

/// The kind of the candidates' texts and the script of the query, which determine the weights of the signals. Each is a
/// share, 0 to 1; all are 0 for short English prose.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Kind {
    /// Share of texts that are source code.
    pub code: f64,
    /// Share of texts that are JSON.
    pub structured: f64,
    /// Length of the texts: 0 at 32 content tokens on average, 1 at 96.
    pub long: f64,
    /// The same for documents: 0 at 256 content tokens on average, 1 at 1,024.
    pub document: f64,
    /// Share of the query's letters that the encoder cannot read.
    pub foreign: f64,
}

/// The late interaction of an observation, each part about 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LateScore {
    /// Score of the observation alone.
    pub own: f64,
    /// Score with the two observations before it as context.
    pub near: f64,
    /// Score with the four observations on either side as context.
    pub wide: f64,
    /// Weight of the context, 0 to 1.
    pub context: f64,
    /// Share of the observation that is questions, 0 to 1.
    pub asking: f64,
    /// Whether the observation before it ends with a question.
    pub is_reply: bool,
}

impl LateScore {
    /// Creates the score of a text without context.
    #[must_use]
    pub fn alone(own: f64) -> Self {
        Self { own, near: own, wide: own, ..Self::default() }
    }

    /// Mixes the three parts. As far as context counts, a reply is read together with the question before it, and a
    /// text that asks counts less than one that states.
    #[must_use]
    pub fn mixed(&self) -> f64 {
        let near = if self.is_reply { NEAR_SHARE + REPLY_SHARE } else { NEAR_SHARE };
        let around = near * self.near + WIDE_SHARE * self.wide;
        let mixed = (1.0 - (near + WIDE_SHARE) * self.context) * self.own + self.context * around;
        mixed - (self.context * ASKING_WEIGHT * self.asking).min(mixed.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: LateScore =
        LateScore { own: 0.3, near: 0.6, wide: 0.7, context: 1.0, asking: 0.0, is_reply: false };

    #[test]
    fn a_reply_is_read_with_its_question() {
        let reply = LateScore { is_reply: true, ..TEXT };
        assert!((TEXT.mixed() - (0.4 * 0.3 + 0.4 * 0.6 + 0.2 * 0.7)).abs() < 1e-12);
        assert!((reply.mixed() - (0.2 * 0.3 + 0.6 * 0.6 + 0.2 * 0.7)).abs() < 1e-12);
        let half = LateScore { context: 0.5, ..reply };
        assert!((half.mixed() - (0.5 * 0.3 + 0.5 * reply.mixed())).abs() < 1e-12);
    }

    #[test]
    fn what_asks_counts_less_as_far_as_context_counts() {
        let asking = LateScore { asking: 0.5, ..TEXT };
        assert!((TEXT.mixed() - asking.mixed() - 0.065).abs() < 1e-12);
        let without = LateScore { context: 0.0, ..asking };
        assert!((without.mixed() - 0.3).abs() < 1e-12);
        assert_eq!(LateScore { asking: 1.0, ..LateScore::alone(0.0) }.mixed(), 0.0);
    }
}
