//! A memory as pages in a store that several servers share.
//!
//! A [`PageStore`] holds the pages of SQLite databases and serialises their writers; [`PagesHost`] offers one of its
//! memories to SQLite as a VFS of limbic-vfs. [`postgres`] keeps the pages in PostgreSQL, [`simulated`] in this
//! process, with failures, for tests; [`metered`] counts what a connection to either moves.
//!
//! | SQLite | here |
//! |---|---|
//! | SHARED | a snapshot of the store: a transaction that sees one version of all pages |
//! | RESERVED | the store's lock of the memory; a writer that comes too late queues for it before its next snapshot |
//! | PENDING, EXCLUSIVE | nothing: readers have snapshots |
//! | sync of the database | the commit: all changed pages and the new version, or none |
//! | journal | in memory: until the commit the store holds the pages as they were |
//!
//! # Versions
//! Each commit increments the version of the memory, and each page has the version that wrote it. A page in a server's
//! cache is valid until [`PageStore::changed_since`] names it, so that a server reads from the store what others
//! changed and nothing else. A commit also leaves a random token, which the store keeps: the last ones in the [`Head`],
//! so that they are read with it. A server that finds another token at the version it knows is connected to a store
//! that lost commits (a failover, a restored backup), and opens the database again.
//!
//! # Failures
//! No acknowledged write is lost as long as the store loses none: a commit is reported only when the store has
//! confirmed it. If the connection breaks during a commit, the server queries the store for the token, after the lock
//! has shown that the old transaction is over. Only where the store stays unreachable is the outcome unknown
//! ([`StoreError::OutcomeUnknown`]).

pub mod address;
mod cache;
mod cache_size;
mod copy;
mod host;
mod journal;
mod keywords;
mod logins;
pub mod metered;
mod outage;
mod passwords;
pub mod postgres;
mod purpose;
mod read_ahead;
mod repeated;
mod services;
mod session;
mod settings;
pub mod simulated;
mod store;
mod targets;
mod tls;
mod tree_order;
mod troubles;

pub use address::Address;
pub use cache_size::CacheSize;
pub use copy::{CopyError, export, import};
pub use host::{Connect, PagesHost};
pub use outage::in_background;
pub use settings::AddressError;
pub use store::{Head, Locked, PAGE_BYTES, PageStore, StoreError, Token};
