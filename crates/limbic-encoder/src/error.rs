//! Errors of loading an encoder.

use limbic_protocol::DIMENSIONS;

/// The files given to [`crate::Encoder::load`] cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EncoderError {
    /// The model is not an ONNX file, is damaged, or uses what the runtime lacks.
    #[error(
        "the model cannot be read; give an ONNX file of a BERT-like encoder, such as the one that ships with \
         Limbic, or start without a model: {0}"
    )]
    Model(String),
    /// The tokenizer is not the JSON that the `tokenizers` library writes.
    #[error(
        "the tokenizer cannot be read; give the tokenizer.json that belongs to the model, as the tokenizers \
         library writes it: {0}"
    )]
    Tokenizer(String),
    /// The model has an input that cannot be derived from a text.
    #[error(
        "the model has an unsupported input; export it with only input_ids, attention_mask \
         and token_type_ids as inputs: {0}"
    )]
    Input(String),
    /// The model has no output with one vector per token.
    #[error(
        "the model has no output with one vector per token; export it with last_hidden_state as an output, \
         without pooling: it gives {0}"
    )]
    Output(String),
    /// The vectors do not have [`DIMENSIONS`] values.
    #[error(
        "the model's vectors have the wrong length, {DIMENSIONS} is needed; take a model with hidden size \
         {DIMENSIONS}, such as all-MiniLM-L6-v2: it gives {0}"
    )]
    Dimensions(String),
    /// The model lacks tokens of the tokenizer, or cannot run.
    #[error(
        "the model cannot encode a token of the tokenizer; give a model.onnx and the tokenizer.json that belongs to it: {0}"
    )]
    Trial(String),
}

impl EncoderError {
    /// The stable error code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        "model_unusable"
    }
}
