//! What an encoder is, for people.

use std::fmt;

use crate::configuration::Settings;

/// What a model is and how it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The encoder's name, as [`crate::Encoder::name`].
    pub name: String,
    /// The width of its vectors.
    pub dimensions: usize,
    /// The width of the model, before a cut.
    pub hidden: usize,
    /// How it is used.
    pub(crate) settings: Settings,
    /// The maximum number of tokens of one run, markers and prefix included.
    pub max_tokens: usize,
    /// The kind of the tokenizer: `WordPiece`, `BPE`, `Unigram` or `WordLevel`.
    pub tokenizer: &'static str,
    /// The number of tokens that the tokenizer knows.
    pub vocabulary: usize,
    /// The names of the model's inputs.
    pub inputs: Vec<String>,
    /// The name of the output that is used.
    pub output: String,
    /// The mean cosine of the vectors of unrelated sentences, in hundredths.
    pub unrelated_percent: i32,
}

impl Description {
    /// Above this mean cosine of unrelated sentences, `confident` and near-duplicates say little.
    const HIGH_PERCENT: i32 = 30;
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, name: &str, value: &str| writeln!(f, "{name:<12} {value}");
        line(f, "model", &self.name)?;
        let cut =
            if self.dimensions < self.hidden { format!(", cut from {}", self.hidden) } else { String::new() };
        line(f, "width", &format!("{}{cut}", self.dimensions))?;
        line(f, "pooling", &self.settings.pooling.to_string())?;
        line(
            f,
            "prefixes",
            &format!("query {:?}, passage {:?}", self.settings.query_prefix, self.settings.passage_prefix),
        )?;
        line(f, "tokenizer", &format!("{}, {} tokens", self.tokenizer, self.vocabulary))?;
        line(f, "inputs", &self.inputs.join(", "))?;
        line(f, "output", &self.output)?;
        line(f, "length", &format!("{} tokens; longer texts are read in several windows", self.max_tokens))?;
        let unrelated = f64::from(self.unrelated_percent) / 100.0;
        line(
            f,
            "unrelated",
            &format!("cosine {unrelated:.2} on average between sentences on different subjects"),
        )?;
        if self.unrelated_percent > Self::HIGH_PERCENT {
            line(
                f,
                "note",
                "unrelated sentences are similar for this model: `confident` is true too often, and its order is what counts",
            )?;
        }
        Ok(())
    }
}
