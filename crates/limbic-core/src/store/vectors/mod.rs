//! Embeddings, the queue of texts that wait for one, and the similarity flags of observations.

pub mod embeddings;
pub mod embedding_queue;
pub mod observation_similarity;
