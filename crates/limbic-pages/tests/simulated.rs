//! SQLite on a simulated store with faults: acknowledged writes are kept, failed ones are never seen, and every read
//! sees all that was acknowledged before it.

#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use limbic_pages::{
    CacheSize, CopyError, Head, Locked, PageStore, PagesHost, StoreError, Token,
    simulated::{Faults, SimulatedServer},
};
use limbic_protocol::SplitMix64;
use limbic_vfs::{Access, HostError, take_last_failure};
use rusqlite::{Connection, ErrorCode, OpenFlags};

const PATH: &str = "simulated";

/// Connects to the server's memory, as the core does.
fn connect(server: &SimulatedServer) -> rusqlite::Result<Connection> {
    connect_with(server, CacheSize::default())
}

fn connect_with(server: &SimulatedServer, cache_size: CacheSize) -> rusqlite::Result<Connection> {
    let server = server.clone();
    let host = PagesHost::new(PATH, move || Ok(server.connect())).with_cache(cache_size);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = limbic_vfs::connect(PATH, flags, host, Access::default())?;
    connection.busy_timeout(Duration::from_millis(20))?;
    connection.execute_batch(
        "PRAGMA page_size = 4096; PRAGMA journal_mode = PERSIST; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON",
    )?;
    Ok(connection)
}

fn filled(server: &SimulatedServer) -> Connection {
    let connection = connect(server).unwrap();
    connection.execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, filler)").unwrap();
    connection
}

fn insert(connection: &Connection, id: u64, filler: usize) -> rusqlite::Result<()> {
    // As the core announces all of its own, and SQLite's shell none.
    limbic_vfs::expect_write(id.is_multiple_of(2).then_some(Duration::from_secs(10)));
    let begun = connection.execute_batch("BEGIN IMMEDIATE");
    limbic_vfs::expect_write(None);
    begun?;
    let done = connection
        .execute("INSERT INTO t VALUES (?1, zeroblob(?2))", rusqlite::params![id, filler])
        .and_then(|_| connection.execute_batch("COMMIT"));
    if done.is_err() && !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    done
}

fn ids(connection: &Connection) -> rusqlite::Result<BTreeSet<u64>> {
    connection.prepare("SELECT id FROM t")?.query_map([], |row| row.get(0))?.collect()
}

fn check(connection: &Connection) -> String {
    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}

/// Several connections write and read at random, while the store fails.
fn storm(seed: u64) {
    let mut random = SplitMix64::new(seed);
    let server = SimulatedServer::new(seed, Faults::default());
    drop(filled(&server));
    let faults =
        Faults { lost: 15, answer_lost: 60, outcome_unknown: 30, restart: 10, full: 20, cancelled: 10 };
    server.set_faults(faults);
    let mut connections: Vec<Option<Connection>> = (0..3).map(|_| None).collect();
    let (mut acknowledged, mut unknown, mut failed) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for step in 0..120 {
        let index = usize::try_from(random.below(3)).unwrap();
        let connection = match connections[index].take().map_or_else(|| connect(&server), Ok) {
            Ok(connection) => connection,
            // The first read of a connection failed.
            Err(_) => continue,
        };
        let _ = take_last_failure();
        match random.below(10) {
            // A server that is killed.
            0 => continue,
            1..6 => {
                let filler = usize::try_from(random.below(20_000)).unwrap();
                match insert(&connection, step, filler) {
                    Ok(()) => _ = acknowledged.insert(step),
                    Err(_) => match take_last_failure().map(|failure| failure.error) {
                        Some(HostError::OutcomeUnknown(_)) => _ = unknown.insert(step),
                        _ => _ = failed.insert(step),
                    },
                }
            }
            6 => {
                // A random half is deleted and the file shortened. Its outcome is read back before anything else.
                let id = random.below(step + 1);
                server.set_faults(Faults::default());
                if connection.execute("DELETE FROM t WHERE id = ?1", [id]).is_ok() {
                    acknowledged.remove(&id);
                    unknown.remove(&id);
                }
                if random.one_in(4) {
                    connection.execute_batch("VACUUM").unwrap();
                }
                server.set_faults(faults);
            }
            _ => {
                if let Ok(found) = ids(&connection) {
                    assert!(found.is_superset(&acknowledged), "seed {seed}, step {step}: {found:?}");
                    assert!(found.is_disjoint(&failed), "seed {seed}, step {step}: {failed:?}");
                    let may: BTreeSet<u64> = acknowledged.union(&unknown).copied().collect();
                    assert!(found.is_subset(&may), "seed {seed}, step {step}: {found:?}");
                }
            }
        }
        connections[index] = Some(connection);
    }
    server.set_faults(Faults::default());
    let connection = connect(&server).unwrap();
    assert_eq!(check(&connection), "ok", "seed {seed}");
    assert!(ids(&connection).unwrap().is_superset(&acknowledged), "seed {seed}");
    assert!(!acknowledged.is_empty(), "seed {seed} wrote nothing");
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_that_failed_is_seen() {
    (0..60).for_each(storm);
}

#[test]
fn a_lost_answer_to_a_commit_is_asked_for() {
    let server = SimulatedServer::new(3, Faults::default());
    let connection = filled(&server);
    server.set_faults(Faults { answer_lost: 1_000, ..Faults::default() });
    let stored: Vec<bool> = (0..20).map(|id| insert(&connection, id, 10).is_ok()).collect();
    assert!(stored.contains(&true) && stored.contains(&false), "{stored:?}");
    server.set_faults(Faults::default());
    let found = ids(&connect(&server).unwrap()).unwrap();
    let expected: BTreeSet<u64> =
        (0..).zip(&stored).filter(|(_, stored)| **stored).map(|(id, _)| id).collect();
    assert_eq!(found, expected);
}

#[test]
fn readers_go_on_while_another_writes_and_see_one_version() {
    let server = SimulatedServer::new(1, Faults::default());
    let writer = filled(&server);
    insert(&writer, 1, 100_000).unwrap();
    let reader = connect(&server).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    assert_eq!(ids(&reader).unwrap(), BTreeSet::from([1]));
    insert(&writer, 2, 100_000).unwrap();
    let length: usize =
        reader.query_row("SELECT length(filler) FROM t WHERE id = 1", [], |row| row.get(0)).unwrap();
    assert_eq!((ids(&reader).unwrap(), length), (BTreeSet::from([1]), 100_000));
    // The pages read are of an earlier version, so a write based on them is rejected.
    let late = reader.execute("DELETE FROM t", []).unwrap_err();
    assert_eq!(late.sqlite_error_code(), Some(ErrorCode::DatabaseBusy));
    assert_eq!(ids(&reader).unwrap(), BTreeSet::from([1]), "the snapshot stays");
    reader.execute_batch("COMMIT").unwrap();
    assert_eq!(ids(&reader).unwrap(), BTreeSet::from([1, 2]));
}

#[test]
fn a_second_writer_waits_and_then_writes_on_what_the_first_has_written() {
    let server = SimulatedServer::new(1, Faults::default());
    let (first, second) = (filled(&server), connect(&server).unwrap());
    assert_eq!(ids(&second).unwrap(), BTreeSet::new());
    first.execute_batch("BEGIN IMMEDIATE; INSERT INTO t VALUES (1, 1)").unwrap();
    assert_eq!(
        second.execute_batch("BEGIN IMMEDIATE").unwrap_err().sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy)
    );
    first.execute_batch("COMMIT").unwrap();
    insert(&second, 2, 1).unwrap();
    assert_eq!(ids(&first).unwrap(), BTreeSet::from([1, 2]));
}

/// A store that notes how long its lock is waited for, and that may have lost a page.
struct Altered {
    store: Box<dyn PageStore>,
    waits: Arc<Mutex<Vec<Duration>>>,
    lost: Option<u64>,
}

impl PageStore for Altered {
    fn head(&mut self, known: Option<u64>) -> Result<Head, StoreError> {
        self.store.head(known)
    }

    fn lock(&mut self, wait: Duration, known: Option<u64>) -> Result<Locked, StoreError> {
        self.waits.lock().unwrap().push(wait);
        self.store.lock(wait, known)
    }

    fn read(&mut self, pages: &[u64]) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        Ok(self.store.read(pages)?.into_iter().filter(|(page, _)| Some(*page) != self.lost).collect())
    }

    fn changed_since(&mut self, version: u64) -> Result<Vec<u64>, StoreError> {
        self.store.changed_since(version)
    }

    fn token(&mut self, version: u64) -> Result<Option<Token>, StoreError> {
        self.store.token(version)
    }

    fn write(&mut self, pages: &[(u64, &[u8])]) -> Result<(), StoreError> {
        self.store.write(pages)
    }

    fn clear(&mut self) -> Result<(), StoreError> {
        self.store.clear()
    }

    fn commit(&mut self, pages: &[(u64, &[u8])], size_bytes: u64) -> Result<Head, StoreError> {
        self.store.commit(pages, size_bytes)
    }

    fn end(&mut self) {
        self.store.end();
    }
}

#[test]
fn a_writer_that_has_waited_in_the_store_s_queue_does_not_wait_again() {
    let server = SimulatedServer::new(1, Faults::default());
    let (first, waits) = (filled(&server), Arc::new(Mutex::new(Vec::new())));
    let noted = waits.clone();
    let host = PagesHost::new(PATH, move || {
        Ok(Box::new(Altered { store: server.connect(), waits: noted.clone(), lost: None }))
    });
    let second =
        limbic_vfs::connect(PATH, OpenFlags::SQLITE_OPEN_READ_WRITE, host, Access::default()).unwrap();
    second.busy_timeout(Duration::from_millis(200)).unwrap();
    let locks = || std::mem::take(&mut *waits.lock().unwrap());
    let [long, short] = [10, 2].map(Duration::from_secs);
    let code = |result: rusqlite::Result<()>| result.unwrap_err().sqlite_error_code();
    for round in 0..2 {
        first.execute_batch("BEGIN IMMEDIATE; INSERT INTO t VALUES (NULL, 1)").unwrap();
        // The next ones do not wait as long again.
        for wait in [long, short, short] {
            let _ = take_last_failure();
            assert_eq!(code(insert(&second, 100, 1)), Some(ErrorCode::DatabaseLocked));
            assert_eq!(take_last_failure().unwrap().error, HostError::Busy);
            assert_eq!(locks(), [wait], "SQLite repeats it");
        }
        // The time of one that is not announced is SQLite's.
        assert_eq!(code(insert(&second, 101, 1)), Some(ErrorCode::DatabaseBusy));
        assert!(locks().len() > 1);
        first.execute_batch("COMMIT").unwrap();
        insert(&second, 100 + 2 * round, 1).unwrap();
        assert_eq!(locks(), [short]);
    }
    assert_eq!(ids(&first).unwrap().len(), 4);
    first.execute_batch("BEGIN IMMEDIATE").unwrap();
    limbic_vfs::expect_write(Some(long));
    limbic_pages::in_background(|| second.execute_batch("BEGIN IMMEDIATE").unwrap_err());
    limbic_vfs::expect_write(None);
    assert_eq!(locks(), [short], "calls wait for background work");
}

#[test]
fn a_store_that_lost_commits_is_opened_again() {
    let server = SimulatedServer::new(1, Faults::default());
    let connection = filled(&server);
    (1..5).for_each(|id| insert(&connection, id, 10).unwrap());
    server.fail_over(2);
    // Another server writes as many commits as were lost, so that versions and change counters are equal again.
    let other = connect(&server).unwrap();
    (5..7).for_each(|id| insert(&other, id, 10).unwrap());
    let _ = take_last_failure();
    ids(&connection).unwrap_err();
    assert_eq!(take_last_failure().unwrap().error, HostError::Moved);
    assert_eq!(ids(&connect(&server).unwrap()).unwrap(), BTreeSet::from([1, 2, 5, 6]));
}

#[test]
fn a_store_that_lost_commits_is_recognised_after_any_number_of_others() {
    let server = SimulatedServer::new(1, Faults::default());
    let connection = filled(&server);
    (1..5).for_each(|id| insert(&connection, id, 10).unwrap());
    server.fail_over(1);
    let other = connect(&server).unwrap();
    (5..200).for_each(|id| insert(&other, id, 10).unwrap());
    let _ = take_last_failure();
    ids(&connection).unwrap_err();
    assert_eq!(take_last_failure().unwrap().error, HostError::Moved);
}

#[test]
fn unchanged_pages_stay_cached_whatever_other_commits_change() {
    let server = SimulatedServer::new(1, Faults::default());
    let connection = filled(&server);
    (0..200).for_each(|id| insert(&connection, id, 9_000).unwrap());
    let reads_all = || {
        let before = server.pages_read();
        // A comparison needs the whole content.
        let sql = "SELECT sum(length(filler)), length(max(filler)) FROM t";
        let sum: usize = connection.query_row(sql, [], |row| row.get(0)).unwrap();
        (sum, server.pages_read() - before)
    };
    reads_all();
    assert!(server.pages() > 400, "{} pages", server.pages());
    let other = connect(&server).unwrap();
    for length in 8_001..=8_200 {
        other.execute("UPDATE t SET filler = zeroblob(?1) WHERE id = 7", [length]).unwrap();
    }
    let (sum, read) = reads_all();
    assert_eq!(sum, 199 * 9_000 + 8_200);
    assert!((1..50).contains(&read), "{read} of {} pages were read again", server.pages());
    assert_eq!(check(&connection), "ok");
}

#[test]
fn a_larger_cache_keeps_what_a_smaller_one_reads_again() {
    let server = SimulatedServer::new(1, Faults::default());
    let connection = filled(&server);
    (0..4).for_each(|id| insert(&connection, id, 10_000_000).unwrap());
    let read_again = |cache: &str| {
        let connection = connect_with(&server, CacheSize::parse(cache).unwrap()).unwrap();
        let mut read = [0; 2];
        for pages in &mut read {
            let before = server.pages_read();
            let sum: usize = connection
                .query_row("SELECT sum(length(filler) + instr(filler, x'01')) FROM t", [], |row| row.get(0))
                .unwrap();
            assert_eq!(sum, 40_000_000);
            *pages = server.pages_read() - before;
        }
        assert!(read[0] >= 9_700, "{} pages were read", read[0]);
        read[1]
    };
    assert_eq!(read_again("128MB"), 0);
    assert!(read_again("16MB") > 5_000);
}

#[test]
fn a_rolled_back_transaction_leaves_no_version() {
    let server = SimulatedServer::new(1, Faults::default());
    let connection = filled(&server);
    let before = server.head();
    connection.execute_batch("PRAGMA cache_size = 10; BEGIN IMMEDIATE").unwrap();
    for id in 0..50 {
        connection.execute("INSERT INTO t VALUES (?1, zeroblob(9000))", [id]).unwrap();
    }
    connection.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ids(&connection).unwrap(), BTreeSet::new());
    let after = server.head();
    assert_eq!((after.version, after.size_bytes), (before.version, before.size_bytes));
    insert(&connection, 1, 1).unwrap();
    assert_eq!(check(&connect(&server).unwrap()), "ok");
}

#[test]
fn a_database_that_becomes_shorter_gives_its_pages_back() {
    let server = SimulatedServer::new(1, Faults::default());
    let connection = filled(&server);
    let other = connect(&server).unwrap();
    insert(&connection, 1, 400_000).unwrap();
    assert_eq!(ids(&other).unwrap(), BTreeSet::from([1]));
    let large = server.pages();
    connection.execute_batch("DELETE FROM t; VACUUM").unwrap();
    assert!(server.pages() < 10 && large > 90, "{large} pages became {}", server.pages());
    insert(&connection, 2, 400_000).unwrap();
    assert_eq!(ids(&other).unwrap(), BTreeSet::from([2]));
    assert_eq!(check(&other), "ok");
}

#[test]
fn a_full_store_is_a_full_disk_and_nothing_is_lost() {
    let server = SimulatedServer::new(1, Faults::default());
    let connection = filled(&server);
    insert(&connection, 1, 10).unwrap();
    server.set_faults(Faults { full: 1_000, ..Faults::default() });
    let error = insert(&connection, 2, 10).unwrap_err();
    assert_eq!(error.sqlite_error_code(), Some(ErrorCode::DiskFull));
    server.set_faults(Faults::default());
    insert(&connection, 3, 10).unwrap();
    assert_eq!(ids(&connection).unwrap(), BTreeSet::from([1, 3]));
}

#[test]
fn a_read_that_the_store_ends_is_repeated_unless_the_memory_has_changed() {
    let server = SimulatedServer::new(1, Faults::default());
    let writer = filled(&server);
    insert(&writer, 1, 300_000).unwrap();
    let reader = connect_with(&server, CacheSize::parse("16MB").unwrap()).unwrap();
    let sum = |connection: &Connection| -> rusqlite::Result<u32> {
        connection.query_row("SELECT sum(length(filler) + instr(filler, x'01')) FROM t", [], |row| row.get(0))
    };
    // About every second read.
    server.set_faults(Faults { cancelled: 500, ..Faults::default() });
    assert_eq!(sum(&reader).unwrap(), 300_000);
    let mut bytes = 0;
    let mut count = |piece: &[u8]| -> Result<(), String> {
        bytes += piece.len();
        Ok(())
    };
    limbic_pages::export(&mut *server.connect(), &mut count).unwrap();
    assert!(bytes > 300_000, "{bytes} bytes");
    server.set_faults(Faults::default());
    let reader = connect(&server).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    assert_eq!(ids(&reader).unwrap(), BTreeSet::from([1]));
    insert(&writer, 2, 300_000).unwrap();
    server.set_faults(Faults { cancelled: 1_000, ..Faults::default() });
    let _ = take_last_failure();
    sum(&reader).unwrap_err();
    assert!(matches!(take_last_failure().unwrap().error, HostError::Cancelled(_)));
    server.set_faults(Faults::default());
    assert_eq!(sum(&reader).unwrap(), 600_000, "SQLite has ended the transaction");
}

#[test]
fn a_memory_survives_the_way_into_a_file_and_back() {
    let server = SimulatedServer::new(1, Faults::default());
    insert(&filled(&server), 7, 50_000).unwrap();
    let mut bytes = Vec::new();
    let mut write = |piece: &[u8]| -> Result<(), String> {
        bytes.extend_from_slice(piece);
        Ok(())
    };
    let size = limbic_pages::export(&mut *server.connect(), &mut write).unwrap();
    assert_eq!(size, u64::try_from(bytes.len()).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("exported.db");
    std::fs::write(&file, &bytes).unwrap();
    let exported = Connection::open(&file).unwrap();
    assert_eq!((check(&exported).as_str(), ids(&exported).unwrap()), ("ok", BTreeSet::from([7])));
    let other = SimulatedServer::new(2, Faults::default());
    let import = |with_it: Result<(), String>| {
        let mut refuses = |_: Vec<u8>| false;
        limbic_pages::import(&mut *other.connect(), &mut bytes.as_slice(), &mut refuses, &mut || {
            with_it.clone()
        })
    };
    let rejected = import(Err("no tokens".to_owned())).unwrap_err();
    assert_eq!((rejected, other.pages()), (limbic_pages::CopyError::Rejected("no tokens".to_owned()), 0));
    import(Ok(())).unwrap();
    assert_eq!(ids(&connect(&other).unwrap()).unwrap(), BTreeSet::from([7]));
    assert_eq!(import(Ok(())).unwrap_err(), limbic_pages::CopyError::NotEmpty);
}

#[test]
fn an_import_replaces_a_memory_that_holds_nothing_and_its_servers_open_it_again() {
    let server = SimulatedServer::new(1, Faults::default());
    insert(&filled(&server), 7, 50_000).unwrap();
    let mut bytes = Vec::new();
    let mut write = |piece: &[u8]| -> Result<(), String> {
        bytes.extend_from_slice(piece);
        Ok(())
    };
    limbic_pages::export(&mut *server.connect(), &mut write).unwrap();
    for commits in [1, 3, 80] {
        let other = SimulatedServer::new(2, Faults::default());
        let opened = connect(&other).unwrap();
        opened.execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, filler)").unwrap();
        for id in 1..commits {
            insert(&opened, id, 10).unwrap();
            opened.execute("DELETE FROM t", []).unwrap();
        }
        let before = other.head();
        let mut seen = Vec::new();
        let mut import = |is_empty: bool| {
            let mut is_unused = |found: Vec<u8>| {
                seen = found;
                is_empty
            };
            limbic_pages::import(&mut *other.connect(), &mut bytes.as_slice(), &mut is_unused, &mut || Ok(()))
        };
        assert_eq!(import(false).unwrap_err(), CopyError::NotEmpty);
        assert_eq!(other.head(), before);
        import(true).unwrap();
        assert!(
            seen.starts_with(b"SQLite format 3") && u64::try_from(seen.len()).unwrap() == before.size_bytes
        );
        let _ = take_last_failure();
        ids(&opened).unwrap_err();
        assert_eq!(take_last_failure().unwrap().error, HostError::Moved, "{commits} commits");
        let again = connect(&other).unwrap();
        assert_eq!((check(&again).as_str(), ids(&again).unwrap()), ("ok", BTreeSet::from([7])));
    }
}

#[test]
fn an_export_without_a_page_fails_unless_the_page_is_free() {
    let server = SimulatedServer::new(1, Faults::default());
    let connection = filled(&server);
    insert(&connection, 1, 50_000).unwrap();
    insert(&connection, 2, 50_000).unwrap();
    connection.execute_batch("DELETE FROM t WHERE id = 1").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("exported.db");
    let (mut whole, mut refused) = (0, 0);
    for page in 0..server.head().size_bytes / 4096 {
        let mut bytes = Vec::new();
        let mut write = |piece: &[u8]| -> Result<(), String> {
            bytes.extend_from_slice(piece);
            Ok(())
        };
        let mut store = Altered { store: server.connect(), waits: Arc::default(), lost: Some(page) };
        match limbic_pages::export(&mut store, &mut write) {
            Ok(_) => {
                std::fs::write(&file, &bytes).unwrap();
                let exported = Connection::open(&file).unwrap();
                assert_eq!((check(&exported).as_str(), ids(&exported).unwrap()), ("ok", BTreeSet::from([2])));
                whole += 1;
            }
            Err(error) => {
                assert_eq!(error, CopyError::Incomplete { count: 1, first: page + 1 });
                refused += 1;
            }
        }
    }
    assert!(whole > 5 && refused > 10, "{whole} whole, {refused} refused");
}
