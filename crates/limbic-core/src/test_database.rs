//! An empty database for tests of this crate's modules.

use rusqlite::Connection;

use crate::{Database, Host, Result};

/// A host that stands still.
struct StillHost;

impl Host for StillHost {
    fn now_millis(&self) -> i64 {
        1_000_000
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}

/// Opens an empty database in memory.
pub(crate) fn in_memory() -> Result<Database> {
    limbic_vfs::register_vec0();
    Database::open(Connection::open_in_memory()?, Box::new(StillHost), false)
}
