//! The encoder as others see it.

use limbic_protocol::{EncodingResult, Task};

use crate::EncoderError;
use crate::model::Model;
use crate::tasks::encode_task;
use crate::test_encoder::TestEncoder;
use crate::text_encoder::TextEncoder;

/// Turns texts into vectors.
pub struct Encoder(Kind);

enum Kind {
    Model(Box<Model>),
    Test(TestEncoder),
}

impl Encoder {
    /// Makes an encoder from an ONNX model and its `tokenizer.json`.
    ///
    /// # Errors
    /// [`EncoderError`] when the two cannot be used; it says what to give instead.
    pub fn load(model: &[u8], tokenizer: &[u8]) -> Result<Self, EncoderError> {
        Ok(Self(Kind::Model(Box::new(Model::load(model, tokenizer)?))))
    }

    /// An encoder without a model, for tests: words are hashed to vectors of small integers, and words that share
    /// their first four letters share part of their vector. The same bits on every machine.
    #[must_use]
    pub fn test() -> Self {
        Self(Kind::Test(TestEncoder))
    }

    /// Which encoder this is: its name and, after an `@`, a hash of its files. Vectors of encoders with different
    /// names cannot be compared.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Model(model) => model.name(),
            Kind::Test(_) => "test@1",
        }
    }

    /// Answers each task, in order. A task that fails gets the reason instead and leaves the others alone.
    #[must_use]
    pub fn encode(&self, tasks: &[Task]) -> Vec<EncodingResult> {
        match &self.0 {
            Kind::Model(model) => tasks.iter().map(|task| encode_task(&**model, task)).collect(),
            Kind::Test(encoder) => tasks.iter().map(|task| encode_task(encoder, task)).collect(),
        }
    }

    /// The sentence vector of a text, of length one.
    ///
    /// # Errors
    /// The reason, as in [`limbic_protocol::EncodingResult`].
    pub fn sentence(&self, text: &str) -> Result<Vec<f32>, String> {
        fn read<R: TextEncoder>(encoder: &R, text: &str) -> Result<Vec<f32>, String> {
            Ok(encoder.encode_text(&[], &encoder.tokenize(text)?)?.sentence)
        }
        match &self.0 {
            Kind::Model(model) => read(&**model, text),
            Kind::Test(encoder) => read(encoder, text),
        }
    }
}
