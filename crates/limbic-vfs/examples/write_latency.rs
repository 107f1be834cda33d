//! Measures what this VFS adds to a write: transactions of one row through it and through SQLite's own VFS, in turn.
//! Prints one JSON object of medians in microseconds. The argument is the folder on whose disk it writes.
//!
//! With `synchronous = OFF` no transaction waits for the disk: the difference is the cost of locks, beacons and checks.

use std::{env, error::Error, path::Path, time::Instant};

use limbic_vfs::StdHost;
use rusqlite::{Connection, OpenFlags};

const VFS: &str = "limbic-std";
/// Transactions in each of the four series.
const WRITES: usize = 400;

fn main() -> Result<(), Box<dyn Error>> {
    limbic_vfs::register(VFS, StdHost, false)?;
    let folder = tempfile::tempdir_in(env::args().nth(1).unwrap_or_else(|| ".".to_owned()))?;
    let mut medians = Vec::new();
    for synchronous in ["FULL", "OFF"] {
        let mut series = [(default_vfs(), Vec::new()), (VFS, Vec::new())];
        let connections = series
            .iter()
            .map(|(vfs, _)| open(&folder.path().join(format!("{vfs}-{synchronous}.db")), vfs, synchronous))
            .collect::<Result<Vec<_>, _>>()?;
        for number in 0..=WRITES {
            for (connection, (_, times)) in connections.iter().zip(&mut series) {
                let start = Instant::now();
                connection.execute("INSERT INTO item VALUES (NULL, randomblob(300))", ())?;
                // The first write creates files.
                if number > 0 {
                    times.push(start.elapsed().as_secs_f64() * 1e6);
                }
            }
        }
        for ((_, times), name) in series.iter_mut().zip(["sqlite", "limbic"]) {
            times.sort_by(f64::total_cmp);
            medians.push(format!("\"{name}_{}\": {:.1}", synchronous.to_lowercase(), times[WRITES / 2]));
        }
    }
    println!("{{{}}}", medians.join(", "));
    Ok(())
}

/// The VFS that SQLite uses by default.
fn default_vfs() -> &'static str {
    if cfg!(windows) { "win32" } else { "unix" }
}

/// Opens a database with the pragmas that the core uses.
fn open(path: &Path, vfs: &str, synchronous: &str) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags_and_vfs(path, OpenFlags::default(), vfs)?;
    connection.pragma_update(None, "journal_mode", "PERSIST")?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.execute_batch("CREATE TABLE item (id INTEGER PRIMARY KEY, content BLOB)")?;
    Ok(connection)
}
