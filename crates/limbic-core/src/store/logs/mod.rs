//! Rows that record events: what was done, searched, found and used.

pub mod audit;
pub mod search_log;
pub(crate) mod feedback;
pub mod entity_access;
