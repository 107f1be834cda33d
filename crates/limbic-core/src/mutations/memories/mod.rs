//! Storing, changing and deleting memories.

mod create;
mod update;
mod delete;

pub use create::{store, store_all};
pub use delete::{forget, to_forget};
pub use update::{invalidate, move_all, update};
