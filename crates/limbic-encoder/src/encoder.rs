//! The public encoder.

use limbic_protocol::{EncodingResult, Task};

use crate::configuration::Configuration;
use crate::model::Model;
use crate::tasks::encode_task;
use crate::test_encoder::TestEncoder;
use crate::text_encoder::{Role, TextEncoder};
use crate::{Description, EncoderError};

/// Encodes texts as vectors.
pub struct Encoder(Kind);

enum Kind {
    Model(Box<Model>),
    Test(TestEncoder),
}

impl Encoder {
    /// Loads an encoder from the bytes of an ONNX model and of its `tokenizer.json`.
    ///
    /// # Errors
    /// [`EncoderError`] when one of the files cannot be parsed, or they do not belong together.
    pub fn load(model: &[u8], tokenizer: &[u8]) -> Result<Self, EncoderError> {
        Self::configured(model, tokenizer, &Configuration::default())
    }

    /// As [`Encoder::load`], with the configuration of the model.
    ///
    /// # Errors
    /// As [`Encoder::load`]; [`EncoderError::Configuration`], [`EncoderError::Dimensions`] and
    /// [`EncoderError::Width`].
    pub fn configured(
        model: &[u8],
        tokenizer: &[u8],
        configuration: &Configuration,
    ) -> Result<Self, EncoderError> {
        Ok(Self(Kind::Model(Box::new(Model::load(model, tokenizer, configuration.settings()?)?))))
    }

    /// Describes the model by encoding a few sentences. Returns `None` for the test encoder.
    ///
    /// # Errors
    /// The error message of the model, if it cannot encode these.
    pub fn describe(&self) -> Result<Option<Description>, String> {
        match &self.0 {
            Kind::Model(model) => model.describe().map(Some),
            Kind::Test(_) => Ok(None),
        }
    }

    /// The number of dimensions of all vectors.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        match &self.0 {
            Kind::Model(model) => model.dimensions(),
            Kind::Test(encoder) => encoder.dimensions(),
        }
    }

    /// Creates an encoder without a model, for tests. Words are hashed to vectors of small integers; words with the
    /// same first four letters share part of their vector. The same bits on every machine.
    ///
    /// ```
    /// let encoder = limbic_encoder::Encoder::test();
    /// let cosine = |left: &str, right: &str| -> Result<f32, String> {
    ///     let (left, right) = (encoder.sentence(left)?, encoder.sentence(right)?);
    ///     Ok(left.iter().zip(&right).map(|(left, right)| left * right).sum())
    /// };
    /// assert!(cosine("deploying", "deployment")? > cosine("deploying", "garden")?);
    /// # Ok::<(), String>(())
    /// ```
    #[must_use]
    pub fn test() -> Self {
        Self(Kind::Test(TestEncoder))
    }

    /// The model's name, `@`, and a hash of its files. Vectors of encoders with different names are not comparable.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Model(model) => model.name(),
            Kind::Test(_) => "test@1",
        }
    }

    /// Encodes the tasks in order. A failed task has an error message as its result and does not affect the others.
    #[must_use]
    pub fn encode(&self, tasks: &[Task]) -> Vec<EncodingResult> {
        match &self.0 {
            Kind::Model(model) => tasks.iter().map(|task| encode_task(&**model, task)).collect(),
            Kind::Test(encoder) => tasks.iter().map(|task| encode_task(encoder, task)).collect(),
        }
    }

    /// Computes the sentence vector of a stored text: [`Encoder::dimensions`] values, of length one.
    ///
    /// # Errors
    /// The message of the tokenizer or the model, as in [`limbic_protocol::EncodingResult`].
    pub fn sentence(&self, text: &str) -> Result<Vec<f32>, String> {
        fn read<R: TextEncoder>(encoder: &R, text: &str) -> Result<Vec<f32>, String> {
            let tokens = encoder.tokenize(Role::Passage, text)?;
            Ok(encoder.encode_text(Role::Passage, &[], &tokens)?.sentence)
        }
        match &self.0 {
            Kind::Model(model) => read(&**model, text),
            Kind::Test(encoder) => read(encoder, text),
        }
    }
}
