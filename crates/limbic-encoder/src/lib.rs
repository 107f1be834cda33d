//! Encodes texts to sentence vectors and token vectors.
//!
//! An [`Encoder`] is created from the bytes of an ONNX model and of its `tokenizer.json`, and from the
//! [`Configuration`] that belongs to them. The model that ships with Limbic is all-MiniLM-L6-v2; other sentence models
//! work at any width. The tasks of [`limbic_protocol`] are processed in order on the calling thread. The same input
//! gives the same bits on the same machine.
//!
//! This crate reads no files, has no access to a database and starts no threads.

mod configuration;
mod description;
mod encoder;
mod error;
mod foreign;

mod model;
mod scale;
mod tasks;
mod test_encoder;
mod text_encoder;

mod snapshot;
mod tokens;
mod vectors;
mod windows;

pub use configuration::{Configuration, Pooling};
pub use description::Description;
pub use encoder::Encoder;
pub use error::EncoderError;
