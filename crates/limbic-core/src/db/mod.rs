//! The database as a whole: opening, schema, transactions.

mod call_limit;
mod connection;
pub mod console;
pub mod duplicate;
mod encrypted;
pub mod erasing;
mod functions;
mod heap_limit;
pub mod integrity;
pub mod ownership;
mod page_cache;
mod replace;
mod row_changes;
mod schema;
mod transaction;
pub mod wal;

pub use call_limit::{CallLimit, IsAbandoned, IsStopping};
pub use connection::Database;
pub use replace::open_checked;
pub(crate) use replace::{fresh, read_fresh};
pub use row_changes::{ChangedRows, RowChanges};
pub use schema::VERSION;
pub use transaction::Transaction;
