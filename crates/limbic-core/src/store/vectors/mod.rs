//! Embeddings, the queue of texts that wait for one, and the vectors and tokens of observations.

pub mod embeddings;
pub mod embedding_queue;
pub(crate) mod memory_tokens;
pub(crate) mod observation_similarity;
pub(crate) mod observation_tokens;
