//! Keeping a memory in order: what says the same twice, what has grown too large, what nobody asks for any more.
//!
//! Everything here only looks and proposes, except [`split::execute`], [`plans::apply`] and the flags of [`similarity_flags`].

pub mod communities;
pub mod duplicate_observations;
pub mod similarity_flags;
pub mod near_duplicates;
pub mod report;
pub mod search_quality;
pub mod split;
pub mod topics;
pub mod plans;

mod union_find;
mod average_linkage;
mod louvain;
mod similarity;
mod tf_idf;

pub use similarity::{Match, Thresholds};
