//! A SQLite VFS over any host of byte files, with locks that processes on different hosts share.
//!
//! A [`Host`] offers byte files, sleep, time and random bytes; [`register`] makes a VFS of it. The same code
//! runs over `node:fs` in the wasm core, over `std::fs` in native programs ([`StdHost`]) and over the
//! failing, forgetful memory of tests (`simulator`). Because locks are files made by this crate, and not locks
//! of the operating system (which Node cannot take), a native program and a Node server on one database see
//! each other. Programs that use SQLite's own VFS see neither: do not write with them at the same time.
//!
//! # Durability
//! Use `journal_mode=PERSIST` and `synchronous=FULL`. A commit then takes four syncs and creates and removes
//! no file; a journal's name is made durable once, when it is created. Without syncs (`synchronous=OFF`) a killed
//! process may leave a changed database without its journal: what is written to a journal reaches the host with
//! the sync. New files have mode 0600, folders 0700.
//!
//! # Locks
//! See the notes at the head of `lock`: lock files in a folder beside the database, each naming its owner, so
//! that the lock of a killed process is broken at once and that of a stopped one never.
//!
//! # What it does not do
//! No shared memory, hence no WAL (see [`needs_wal_conversion`]), and no memory mapping. A database on a
//! network file system is as safe as hard links and listings are there; many are not.
//!
//! # `unsafe`
//! Two blocks: in `register`, the promise to `rsqlite_vfs` that its callbacks are used unchanged; in `vec0`, an
//! extension's entry point.

#![allow(unsafe_code, reason = "registering a VFS hands SQLite raw pointers")]

mod error;
mod file;
mod write_buffer;
mod host;
mod lock;
mod reader;
mod register;
#[cfg(not(target_arch = "wasm32"))]
pub mod simulator;
#[cfg(not(target_arch = "wasm32"))]
mod std_host;
mod store;
mod vec0;
mod wal;

pub use error::{Failure, take_last_failure};
pub use host::{Host, HostError, HostFile, Identity, OpenMode, ProcessState, Stat};
pub use reader::Reader;
pub use register::{RegisterError, register};
#[cfg(not(target_arch = "wasm32"))]
pub use std_host::StdHost;
pub use vec0::register_vec0;
pub use wal::needs_wal_conversion;
