//! The traffic of databases of several page sizes.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::time::Duration;

use limbic_pages::{
    PAGE_BYTES, PageStore, PagesHost,
    metered::{Meter, Metered, Traffic},
    simulated::{Faults, SimulatedServer},
};
use limbic_vfs::Access;
use rusqlite::{Connection, OpenFlags};

const PATH: &str = "metered";
const KILOBYTE: u64 = 1_024;

fn metered(server: &SimulatedServer, meter: &Meter, group: u64) -> Box<dyn PageStore> {
    Box::new(Metered::new(server.connect(), meter.clone(), group, Duration::ZERO))
}

/// Connects to a database whose pages are groups of this many pages of the store.
fn connect(server: &SimulatedServer, meter: &Meter, group: u64) -> Connection {
    let (server, meter) = (server.clone(), meter.clone());
    let host = PagesHost::new(PATH, move || Ok(metered(&server, &meter, group)));
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = limbic_vfs::connect(PATH, flags, host, Access::default()).unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA page_size = {}; PRAGMA journal_mode = PERSIST; PRAGMA synchronous = FULL",
            group * 4 * KILOBYTE
        ))
        .unwrap();
    connection
}

#[test]
fn pages_are_read_changed_and_counted_in_whole_groups() {
    let (server, meter) = (SimulatedServer::new(1, Faults::default()), Meter::default());
    let page = vec![7; PAGE_BYTES];
    let pages: Vec<(u64, &[u8])> = (0..10).map(|number| (number, page.as_slice())).collect();
    let mut store = metered(&server, &meter, 4);
    store.lock(Duration::ZERO, None).unwrap();
    let size_bytes = 10 * 4 * KILOBYTE;
    store.commit(&pages, size_bytes).unwrap();
    // Three groups, of which the last one has two pages.
    assert_eq!(meter.traffic(), Traffic { trips: 2, read_bytes: 0, written_bytes: 48 * KILOBYTE });

    let before = meter.traffic();
    store.head(None).unwrap();
    let read: Vec<u64> = store.read(&[5, 6, 9]).unwrap().into_iter().map(|(number, _)| number).collect();
    assert_eq!(read, [4, 5, 6, 7, 8, 9]);
    store.end();
    assert_eq!(meter.traffic() - before, Traffic { trips: 2, read_bytes: 24 * KILOBYTE, written_bytes: 0 });

    let other = vec![8; PAGE_BYTES];
    store.lock(Duration::ZERO, None).unwrap();
    let version = store.commit(&[(6, &other), (7, &other)], size_bytes).unwrap().version;
    store.head(None).unwrap();
    assert_eq!(store.changed_since(version - 1).unwrap(), [4, 5, 6, 7]);
    assert_eq!((meter.traffic() - before).written_bytes, 16 * KILOBYTE);
}

#[test]
fn a_database_of_larger_pages_reads_and_writes_more_bytes_for_a_row() {
    let of = |group| {
        let (server, meter) = (SimulatedServer::new(1, Faults::default()), Meter::default());
        let writer = connect(&server, &meter, group);
        writer
            .execute_batch(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, filler); \
                 WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000) \
                 INSERT INTO t SELECT i, hex(zeroblob(50)) FROM n",
            )
            .unwrap();
        let reader = connect(&server, &meter, group);
        let read = |id: u32| reader.query_row("SELECT filler FROM t WHERE id = ?1", [id], |row| row.get(0));
        let filler: String = read(9_000).unwrap();
        assert_eq!(filler.len(), 100);
        let before = meter.traffic();
        writer.execute("UPDATE t SET filler = 'x' WHERE id = 9000", []).unwrap();
        let written = meter.traffic() - before;
        let changed: String = read(9_000).unwrap();
        assert_eq!(changed, "x");
        let read = meter.traffic() - before;
        let check: String = reader.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
        (read.read_bytes - written.read_bytes, written.written_bytes)
    };
    // The page of the row, and the first one, which holds the counter of changes.
    assert_eq!(of(1), (8 * KILOBYTE, 8 * KILOBYTE));
    assert_eq!(of(4), (32 * KILOBYTE, 32 * KILOBYTE));
}

#[test]
fn a_write_that_is_announced_locks_with_its_snapshot() {
    let (server, meter) = (SimulatedServer::new(1, Faults::default()), Meter::default());
    let connection = connect(&server, &meter, 1);
    connection.execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY)").unwrap();
    let insert = |is_expected: bool| {
        let before = meter.traffic();
        limbic_vfs::expect_write(is_expected.then_some(Duration::from_secs(10)));
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        limbic_vfs::expect_write(None);
        connection.execute_batch("INSERT INTO t VALUES (NULL); COMMIT").unwrap();
        (meter.traffic() - before).trips
    };
    // Snapshot, lock and commit; lock and commit.
    assert_eq!([false, true, false].map(insert), [3, 2, 3]);
    // Another writer has the lock: this one waits for it in the store, and SQLite does not repeat that.
    let other = connect(&server, &meter, 1);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection.busy_timeout(Duration::ZERO).unwrap();
    limbic_vfs::expect_write(Some(Duration::from_millis(20)));
    let busy = connection.execute_batch("BEGIN IMMEDIATE").unwrap_err();
    limbic_vfs::expect_write(None);
    assert_eq!(busy.sqlite_error_code(), Some(rusqlite::ErrorCode::DatabaseLocked));
    // What follows is no repetition of it: a read does not wait for the lock.
    let rows: u32 = connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 3);
    other.execute_batch("COMMIT").unwrap();
    let rows: u32 = connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 3);
}

#[test]
fn a_scan_of_a_scattered_table_takes_few_trips() {
    let (server, meter) = (SimulatedServer::new(1, Faults::default()), Meter::default());
    let writer = connect(&server, &meter, 1);
    // Every page of one is between those of the other.
    writer
        .execute_batch(
            "CREATE TABLE small (id INTEGER PRIMARY KEY, filler); CREATE TABLE large (id INTEGER PRIMARY KEY, filler)",
        )
        .unwrap();
    writer.execute_batch("BEGIN").unwrap();
    for _ in 0..2_000 {
        writer
            .execute_batch(
                "INSERT INTO small VALUES (NULL, hex(zeroblob(400))); INSERT INTO large VALUES (NULL, zeroblob(40000))",
            )
            .unwrap();
    }
    writer.execute_batch("COMMIT").unwrap();
    // It has 400 leaves, all of which are read.
    for order in ["", "ORDER BY id DESC"] {
        let sql = format!("SELECT count(length(filler)) FROM (SELECT filler FROM small {order} LIMIT -1)");
        let reader = connect(&server, &meter, 1);
        let before = meter.traffic();
        let count: u32 = reader.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(count, 2_000);
        let Traffic { trips, read_bytes, .. } = meter.traffic() - before;
        let pages = read_bytes / (4 * KILOBYTE);
        assert!(trips < 50 && (400..450).contains(&pages), "{order}: {trips} trips, {pages} pages");
    }
}
