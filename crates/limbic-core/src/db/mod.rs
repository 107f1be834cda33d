//! The database as a whole: opening, schema, transactions.

mod connection;
mod functions;
mod schema;
mod transaction;

pub use connection::Database;
pub use transaction::Unit;
