//! Finding and ranking. How each signal is computed stands in its module; how they are mixed, in `fusion`.

mod code;
mod entities;
mod fusion;
mod late;
mod lexical;
mod limbic;
pub mod memories;
pub mod pagerank;
mod passages;
pub mod quality;
mod reflections;
pub mod tuning;
mod vector_cache;
mod coarse;
pub mod words;

pub use entities::{Found, Hit, Mode, Query, Ranking, Share, entities};
pub use limbic::{Factors, freshness};
pub use passages::LateScore;
pub use reflections::{FoundReflections, ReflectionQuery, reflections};
pub use vector_cache::VectorCache;
pub(crate) use vector_cache::cosine;

/// Powers of ten: what a number is multiplied by to keep so many digits after the point.
const SCALES: [f64; 7] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6];

/// Rounds to so many digits after the point, six at most, so that builds whose last bits differ give the same answer.
#[must_use]
pub fn round(number: f64, digits: usize) -> f64 {
    let scale = SCALES[digits];
    libm::round(number * scale) / scale
}
