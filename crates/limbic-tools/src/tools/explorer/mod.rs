//! The tools of the explorer, for pages that draw, list and count. Offered only if the toolset is named; agents have
//! read_graph and the searches.

pub mod explore_graph;
pub mod explore_records;
pub mod explore_entity;
pub mod explore_memory;
pub mod explore_timeline;
pub mod explore_events;
pub mod explore_stats;
pub mod query_sql;
pub mod explore_schema;
pub mod explore_inbox;
pub mod review_inbox;
pub mod explore_code;
pub mod explore_source;
pub mod explore_code_memories;

use limbic_core::{Result, Transaction, store::domains};

/// Returns the id of the domain that a caller names.
fn resolve_domain(tx: &Transaction<'_>, domain: Option<&str>) -> Result<Option<String>> {
    domain.map(|id| domains::resolve(tx, id)).transpose()
}
