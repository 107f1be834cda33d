//! Finding and ranking. How each signal is computed stands in its module; how they are mixed, in `fusion`.

mod code;
mod entities;
mod fusion;
mod late;
mod lexical;
mod limbic;
mod passages;
mod reflections;
mod vector_cache;
pub mod words;

pub use entities::{Found, Hit, Mode, Query, Ranking, Share, entities};
pub use passages::LateScore;
pub use reflections::{FoundReflections, ReflectionQuery, reflections};
pub use vector_cache::VectorCache;
pub(crate) use vector_cache::cosine;

/// Rounds to so many digits after the point, so that builds whose last bits differ give the same answer.
#[must_use]
pub fn round(number: f64, digits: i32) -> f64 {
    let scale = libm::pow(10.0, f64::from(digits));
    libm::round(number * scale) / scale
}
