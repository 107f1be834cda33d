//! Measures what this VFS adds to a write: transactions of one row through it and through SQLite's own VFS, in turn.
//! Prints one JSON object of medians in microseconds. The argument is the folder on whose disk it writes.
//!
//! With `synchronous = OFF` no transaction waits for the disk: the difference is the cost of locks, beacons and checks.

use std::{env, error::Error, path::Path, time::Instant};

use limbic_vfs::{Access, StdHost};
use rusqlite::{Connection, OpenFlags};

/// Transactions in each of the four series.
const WRITES: usize = 400;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir_in(env::args().nth(1).unwrap_or_else(|| ".".to_owned()))?;
    let mut medians = Vec::new();
    for synchronous in ["FULL", "OFF"] {
        let mut series = [(false, Vec::new()), (true, Vec::new())];
        let connections = series
            .iter()
            .map(|(is_limbic, _)| {
                open(&folder.path().join(format!("{is_limbic}-{synchronous}.db")), *is_limbic, synchronous)
            })
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

/// Opens a database with the pragmas that the core uses.
fn open(path: &Path, is_limbic: bool, synchronous: &str) -> rusqlite::Result<Connection> {
    let connection = match is_limbic {
        true => limbic_vfs::connect(path, OpenFlags::default(), StdHost, Access::default())?,
        false => Connection::open(path)?,
    };
    connection.pragma_update(None, "journal_mode", "PERSIST")?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.execute_batch("CREATE TABLE item (id INTEGER PRIMARY KEY, content BLOB)")?;
    Ok(connection)
}
