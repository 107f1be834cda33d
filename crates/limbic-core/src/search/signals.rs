//! The types that rankings share: what orders results, and what the signals say of a candidate.

/// What orders the results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ranking {
    /// Words alone.
    Lexical,
    /// Sentence vectors alone.
    Vector,
    /// Late interaction alone.
    Late,
    /// Reciprocal rank fusion of words and sentence vectors, as the seed has it.
    Rrf,
    /// 0.6 words and 0.4 sentence vectors, each scaled to 0..1 among the candidates: the best of the simple mixtures.
    Linear,
    /// All signals mixed.
    Fusion,
    /// All signals mixed, and limbic factors for nine queries of ten.
    #[default]
    Limbic,
}

/// Which signals could speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Words and vectors.
    Hybrid,
    /// Words alone: no encoder is there, or no text has a vector yet.
    Lexical,
}

/// What the signals say of one candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signals {
    /// Row number of the entity.
    pub id: i64,
    /// BM25, when a word matches.
    pub lexical: Option<f64>,
    /// Cosine to the question, when there are vectors.
    pub cosine: Option<f64>,
    /// Mean of its ten best cosines to other candidates; 0 where there is no code.
    pub hub: f64,
    /// Late interaction with its best observation.
    pub late: Option<LateScore>,
    /// That observation.
    pub best_observation: Option<i64>,
}

/// What kind of texts the candidates are, and how well the encoder reads the question: which signals can be trusted.
/// Each is a share, 0 to 1; all are 0 for short English prose.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Kind {
    /// How many of the texts are source code.
    pub code: f64,
    /// How many of the texts are JSON.
    pub structured: f64,
    /// How far the texts are longer than a statement: 0 at 32 content tokens on average, 1 at 96.
    pub long: f64,
    /// How many of the question's letters are not Latin.
    pub foreign: f64,
}

/// What late interaction says of an observation, each part about 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LateScore {
    /// The observation alone.
    pub own: f64,
    /// Each token of the question may also be answered by one of the two observations written before it.
    pub near: f64,
    /// Each token of the question may also be answered by one of the four on either side.
    pub wide: f64,
    /// How much the surroundings count, 0 to 1.
    pub context: f64,
}

impl LateScore {
    /// Of a text around which nothing is written.
    #[must_use]
    pub fn alone(own: f64) -> Self {
        Self { own, near: own, wide: own, context: 0.0 }
    }

    /// The three parts as one.
    #[must_use]
    pub fn mixed(&self) -> f64 {
        let around = 0.4 * self.near + 0.2 * self.wide;
        (1.0 - 0.6 * self.context) * self.own + self.context * around
    }
}
