//! Storing, changing and deleting memories.

mod create;
mod confirm;
mod update;
mod delete;
mod links;
mod review;
mod access;
mod code_links;

pub use access::record_access;
pub use create::{store, store_all};
pub use delete::{forget, to_forget};
pub use links::link;
pub use review::{Rejected, accept, may_correct_in, reject, set_trusted};
pub(crate) use review::{mark_risen, take_back_changes};
pub use update::{invalidate, move_all, update};
