//! A SQLite VFS over any host of byte files, with locks that processes on different hosts share.
//!
//! A [`Host`] provides byte files, sleep, time and random bytes; [`connect`] opens a database through a VFS on it. The
//! same code runs on `node:fs` in the wasm core, on `std::fs` in native programs ([`StdHost`]) and on the `simulator`
//! of the tests, which injects failures. Locks are files created by this crate, not locks of the operating system,
//! which Node cannot take; so a native program and a Node server on one database respect each other's locks. Programs
//! with SQLite's own VFS do not: they must not write at the same time.
//!
//! # Durability
//! Use `journal_mode=PERSIST` and `synchronous=FULL`. A commit then takes four syncs and creates and removes
//! no file; the directory entry of a journal is synced once, when it is created. Without syncs (`synchronous=OFF`) a
//! killed process may leave a changed database without its journal, because journal writes are buffered until the
//! sync. After a failed sync the journal is written again or stays valid, so that a commit that failed is rolled back.
//! New files have mode 0600, folders 0700.
//!
//! # Locks
//! Lock files in a folder beside the database name their owner, so that the lock of a killed process is broken
//! immediately and that of a stopped process never. The module `lock` describes the protocol. A host whose connections
//! a server coordinates has locks of its own: see [`HostFile::locks`] and [`Locks`].
//!
//! # Encryption
//! With a [`Secret`], databases and their journals are encrypted in the format of SQLCipher 4. The module `encryption`
//! describes how.
//!
//! # Limitations
//! No shared memory, hence no WAL (see [`needs_wal_conversion`]), and no memory mapping. A database on a disk that
//! other machines may write is refused, unless [`Access::accepts_shared_disks`]; it then belongs to one machine at a
//! time.
//!
//! # `unsafe`
//! Denied, except for single items, each with its reason: in `connect`, the promise to `rsqlite_vfs` that its callbacks
//! are used unchanged; in `vec0`, an extension's entry point; in `vfs_host`, calls of another VFS.

mod connect;
mod encryption;
mod error;
mod expected_write;
mod file;
mod file_systems;
mod write_buffer;
mod host;
mod lock;
mod mounts;
mod mutex;
mod opened;
mod reader;
#[cfg(not(target_arch = "wasm32"))]
pub mod simulator;
#[cfg(not(target_arch = "wasm32"))]
mod std_host;
mod store;
mod vec0;
mod vfs_host;
mod wal;

pub use connect::connect;
pub use encryption::{
    ENCRYPTION_BYTES, Key, Passphrase, Secret, has_passphrase, opening_key, read_encrypted, write_encrypted,
};
pub use error::{Failure, take_holder, take_last_failure};
pub use expected_write::{expect_write, expected_wait};
pub use file_systems::FileSystem;
pub use host::{
    BeaconState, Held, Host, HostError, HostFile, Identity, Inode, Locks, OpenMode, ProcessState, Stat,
    folder_of,
};
pub use lock::unlock::{Unlocked, opened_by, unlock};
pub use opened::Access;
pub use reader::Reader;
pub use rsqlite_vfs::LockLevel;
#[cfg(not(target_arch = "wasm32"))]
pub use std_host::StdHost;
pub use vec0::register_vec0;
pub use vfs_host::VfsHost;
pub use wal::needs_wal_conversion;
