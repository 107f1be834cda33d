//! Maintenance candidates: near-duplicates, entities that are too large, records that are not used.
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
