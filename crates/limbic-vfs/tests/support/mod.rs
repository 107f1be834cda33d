//! Helpers of the tests.

#![allow(dead_code, reason = "each test file uses a part")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use limbic_vfs::{Access, StdHost};
use rusqlite::{Connection, OpenFlags};

/// Opens a database on the real file system, with the pragmas that the core uses.
pub fn open(path: &Path) -> Connection {
    open_with(path, OpenFlags::default(), Access::default()).unwrap()
}

pub fn open_with(path: impl AsRef<Path>, flags: OpenFlags, access: Access) -> rusqlite::Result<Connection> {
    let connection = limbic_vfs::connect(path, flags, StdHost, access)?;
    connection.busy_timeout(Duration::from_secs(20))?;
    connection.pragma_update(None, "journal_mode", "PERSIST")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", 20)?;
    Ok(connection)
}

pub fn assert_sound(connection: &Connection) {
    let answer: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(answer, "ok");
}

/// This test program again, running only the test `role`, which reads its arguments from `LIMBIC_VFS_ARGS`.
pub fn spawn(role: &str, args: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", role, "--nocapture", "--quiet"])
        .env("LIMBIC_VFS_ARGS", args)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// The arguments, when this process was started by [`spawn`].
pub fn arguments() -> Option<Vec<String>> {
    let args = std::env::var("LIMBIC_VFS_ARGS").ok()?;
    Some(args.split(' ').map(str::to_owned).collect())
}
