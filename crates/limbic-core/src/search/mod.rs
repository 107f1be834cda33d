//! Finding and ranking. How each signal is computed stands in its module; how they are mixed, in `fusion`.

mod entity_search;
mod fusion;
mod late;
mod lexical;
mod usage_boost;
pub mod memories;
pub mod pagerank;
mod passages;
pub mod quality;
mod reflection_search;
pub mod tuning;
mod vector_cache;
mod quantized_vectors;

pub use crate::model::numbers::round;
pub use entity_search::{Found, Hit, Mode, Query, Ranking, Share, entities};
pub use passages::LateScore;
pub use reflection_search::{FoundReflections, ReflectionQuery, reflections};
pub use usage_boost::{Factors, freshness};
pub use vector_cache::VectorCache;
pub(crate) use vector_cache::cosine;
