//! Why an encoder could not be made.

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
    /// The model asks for something that is not known from text alone.
    #[error(
        "the model wants an input that the encoder does not know; export it with only input_ids, attention_mask \
         and token_type_ids as inputs: {0}"
    )]
    Input(String),
    /// There is no output with one vector for each token.
    #[error(
        "the model has no output with one vector per token; export it with last_hidden_state as an output, \
         without pooling: it gives {0}"
    )]
    Output(String),
    /// The vectors have another length.
    #[error(
        "the model's vectors have the wrong length, {DIMENSIONS} is needed; take a model with hidden size \
         {DIMENSIONS}, such as all-MiniLM-L6-v2: it gives {0}"
    )]
    Dimensions(String),
    /// The model does not know all the words of the tokenizer, or cannot run.
    #[error(
        "the model could not read a first word; give the model.onnx and the tokenizer.json that belong together: {0}"
    )]
    Trial(String),
}

impl EncoderError {
    /// The stable code of every failure of this kind.
    #[must_use]
    pub fn code(&self) -> &'static str {
        "model_unusable"
    }
}
