//! Keeping a memory in order: what says the same twice, what has grown too large, what nobody asks for any more.
//!
//! Everything here only looks and proposes, except [`split::execute`], [`upkeep::apply`] and the upkeep of [`flags`].

pub mod communities;
pub mod duplicates;
pub mod flags;
pub mod life;
pub mod near_duplicates;
pub mod report;
pub mod same_statement;
pub mod search_quality;
pub mod split;
pub mod topics;
pub mod upkeep;

mod clusters;
mod linkage;
mod louvain;
mod similarity;
mod terms;

pub use similarity::{Match, Thresholds};
