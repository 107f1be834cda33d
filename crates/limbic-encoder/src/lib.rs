//! Text to sentence vectors and token vectors: bytes in, vectors out.
//!
//! An [`Encoder`] is made from the bytes of an ONNX model and of its `tokenizer.json`; the model that ships with
//! Limbic is all-MiniLM-L6-v2, but any BERT-like one with 384 numbers per token will do. It answers the tasks of
//! [`limbic_protocol`] one after the other, on one thread, with the same bits for the same input on the same machine.
//!
//! This crate reads no files, knows no database and starts no threads.

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
