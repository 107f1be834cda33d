//! Maintenance candidates: near-duplicates, entities that are too large, records that are not used.
//!
//! Modules here read and propose, except [`split::execute`], [`plans::apply`] and `near_duplicates::vector_stored`.

pub mod communities;
pub mod duplicate_observations;
pub(crate) mod near_duplicates;
pub mod report;
pub mod search_quality;
pub mod split;
pub(crate) mod topics;
pub mod plans;

mod union_find;
mod average_linkage;
mod louvain;
mod tf_idf;
