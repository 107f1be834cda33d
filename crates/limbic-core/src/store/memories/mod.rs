//! Memories: facts, preferences, decisions and conventions, stored as texts.
//!
//! All of them are rows of `MEMORY_NODES`. Other programs write there too, so columns may be empty: the time of
//! creation replaces a missing time, and a default any other value. The vectors of a memory are stored under its
//! number, which is never reused.

mod node;
mod list;
mod filter_evaluator;
mod aging;
mod columns;
mod cycles;
pub mod code_links;
mod substring_search;
mod exact_duplicates;
mod filter;
mod history;
mod link_ids;
mod links;
pub mod mentions;
pub mod near_duplicate_edges;
pub mod neighbourhood;
mod search_forms;
pub mod sequences;
pub mod stretches;
mod relink;
mod index_selection;
mod stated;
mod supersession;
mod record_access;
pub mod traverse;
pub(crate) mod validity;
mod memory_fts;
mod kept_links;
mod replaced;
mod review;
mod waiting_links;

pub use aging::Contradiction;
pub(crate) use aging::{
    AgingRow, ages_of, contradictions, each_age, each_aging_row, set_confidence, set_heat, set_superseded_by,
    set_tier,
};
pub use columns::{Changes, DEFAULT_IMPORTANCE, NewMemory, Stored};
pub(crate) use columns::{
    delete_row, expiry, insert, move_domain, set_content, set_domain, set_ended, set_fields, set_tags,
};
pub(crate) use cycles::CycleSearch;
pub use exact_duplicates::of as exact_duplicate;
pub(crate) use exact_duplicates::{adopt, confirm, merged_metadata, restate};
pub use filter::Filter;
pub(crate) use filter::{contradicted_ids, is_contradicted};
pub use filter_evaluator::FilterEvaluator;
pub(crate) use filter_evaluator::deleted;
pub(super) use history::field_at;
pub use history::{Earlier, history, in_words_of};
pub(crate) use history::{had_content, insert as insert_history, keep as keep_history, tags_in};
pub(crate) use link_ids::free as free_link_id;
pub use links::{
    DomainRef, Edge, Link, Linked, RELATED, contradicting, edges_touching, link_types, refs_touching, unlink,
};
pub(crate) use links::{add_all as add_links, edges_from, is_in_contradiction, link, replace_links};
pub use list::{Position, Sort, admits, count, list, numbers, positions};
pub use memory_fts::with_words;
pub(crate) use near_duplicate_edges::take_over_statement;
pub(crate) use node::{FROM, by_number, in_domain, states};
pub use node::{MAX_CONTENT_BYTES, MemoryNode, find, get, in_rows, require, user_of};
pub(crate) use record_access::record_access;
pub(crate) use relink::relink;
pub(crate) use replaced::{
    Replaced, before_change_by, before_waiting, changed_by, forget as forget_replaced, give_back,
    keep as keep_former_state, note_links as note_waiting_links, origin_waited_for, skip_changes, snapshot,
    withdraw_all_links, withdraw_links, withdraw_links_by,
};
pub use review::{Waiting, waiting, waiting_by_origin};
pub(crate) use review::{
    accept, demote, is_accepted, is_from_here, mark_unconfirmed, set_origin, was_written_by_waiting,
};
pub(crate) use search_forms::index_forms;
pub use substring_search::containing;
pub(crate) use waiting_links::{
    made_by as waiting_links_made_by, note_halves as note_link_halves, note_imported as note_imported_link,
};
