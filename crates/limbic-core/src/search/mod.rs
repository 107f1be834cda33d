//! Search and ranking: each signal has a module; `fusion` mixes them.

mod signals;
mod entity_search;
mod fusion;
mod late;
mod lexical;
mod usage_boost;
pub mod memories;
pub mod code;
pub(crate) mod pagerank;
mod context;
mod date_match;
mod passages;
mod reflection_search;
pub(crate) mod tuning;
mod vector_cache;
mod quantized_vectors;

pub use entity_search::{Found, Hit, Query, Share, entities};
pub use reflection_search::{FoundReflections, ReflectionQuery, reflections};
pub use signals::{LateScore, Mode, Phrasing, Ranking};
pub use vector_cache::VectorCache;
