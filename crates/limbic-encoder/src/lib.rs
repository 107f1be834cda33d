//! Encodes texts to sentence vectors and token vectors.
//!
//! An [`Encoder`] is created from the bytes of an ONNX model and of its `tokenizer.json`. The model that ships with
//! Limbic is all-MiniLM-L6-v2; any BERT-like model with a hidden size of 384 works. The tasks of [`limbic_protocol`] are
//! processed in order on the calling thread. The same input gives the same bits on the same machine.
//!
//! This crate reads no files, has no access to a database and starts no threads.

mod encoder;
mod error;

mod model;
mod tasks;
mod test_encoder;
mod text_encoder;

mod snapshot;
mod tokens;
mod vectors;
mod windows;

pub use encoder::Encoder;
pub use error::EncoderError;
