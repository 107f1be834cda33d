//! Description of an encoder for people.

use std::fmt;

use crate::configuration::Settings;

/// The properties and the settings of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The encoder's name; see [`crate::Encoder::name`].
    pub name: String,
    /// Dimensions of its vectors.
    pub dimensions: usize,
    /// Dimensions of the model's output, before truncation.
    pub hidden: usize,
    /// Its settings.
    pub(crate) settings: Settings,
    /// The maximum number of tokens of one inference, markers and prefix included.
    pub max_tokens: usize,
    /// The kind of the tokenizer: `WordPiece`, `BPE`, `Unigram` or `WordLevel`.
    pub tokenizer: &'static str,
    /// The size of the tokenizer's vocabulary.
    pub vocabulary: usize,
    /// The names of the model's inputs.
    pub inputs: Vec<String>,
    /// The name of the output that is used.
    pub output: String,
    /// The mean cosine of the vectors of unrelated sentences, in hundredths.
    pub unrelated_percent: i32,
}

impl Description {
    /// Above this mean cosine of unrelated sentences, near-duplicates are unreliable.
    const HIGH_PERCENT: i32 = 30;
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, name: &str, value: &str| writeln!(f, "{name:<12} {value}");
        line(f, "model", &self.name)?;
        let cut = if self.dimensions < self.hidden {
            format!(", truncated from {}", self.hidden)
        } else {
            String::new()
        };
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
        line(
            f,
            "length",
            &format!("{} tokens; longer texts are encoded in several windows", self.max_tokens),
        )?;
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
                "unrelated sentences are similar for this model: near-duplicates and possible contradictions are less reliable",
            )?;
        }
        Ok(())
    }
}
