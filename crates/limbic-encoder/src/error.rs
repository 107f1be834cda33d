//! Errors of loading an encoder.

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
        "the model has an unsupported input; export it with only input_ids, attention_mask, token_type_ids and \
         position_ids as inputs: {0}"
    )]
    Input(String),
    /// The model has no output with one vector per token.
    #[error(
        "the model has no output with one vector per token; export it with last_hidden_state as an output, \
         without pooling: its outputs are {0}"
    )]
    Output(String),
    /// A configuration file cannot be parsed, or requires an unsupported feature.
    #[error(
        "the model's configuration cannot be used; correct the file, or override it with a limbic.json that sets \
         pooling, query_prefix, passage_prefix, max_tokens or dimensions: {0}"
    )]
    Configuration(String),
    /// The number of dimensions of the vectors cannot be stored.
    #[error(
        "the vectors of the model have {0} dimensions, but only multiples of 8 can be stored; if the model allows it, \
         truncate them: give dimensions, a multiple of 8 that is less than {0}"
    )]
    Width(usize),
    /// The vectors cannot be truncated to the requested number of dimensions, or that number cannot be stored.
    #[error(
        "the vectors of the model have {hidden} dimensions and cannot be truncated to {wanted}; give a multiple of 8 that \
         is at most {hidden}"
    )]
    Dimensions {
        /// Dimensions of the model's output.
        hidden: usize,
        /// Requested dimensions.
        wanted: usize,
    },
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
