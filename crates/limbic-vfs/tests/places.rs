//! The location of a database, and changes of its file while it is open.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

#[cfg(unix)]
use std::fs;
use std::time::Duration;

use limbic_vfs::{
    Access, Host, HostError,
    simulator::{Machine, Process},
    take_last_failure,
};
use rusqlite::{Connection, OpenFlags, ffi};

const SCHEMA: &str = "CREATE TABLE n (value INTEGER); INSERT INTO n VALUES (0)";

fn open(process: Process) -> rusqlite::Result<Connection> {
    let connection = limbic_vfs::connect("/d/m.db", OpenFlags::default(), process, Access::default())?;
    connection.busy_timeout(Duration::from_secs(1))?;
    connection.pragma_update(None, "journal_mode", "PERSIST")?;
    Ok(connection)
}

fn machine() -> Machine {
    let machine = Machine::new(1);
    machine.make_folder("/d");
    machine
}

fn value(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT value FROM n", [], |row| row.get(0))
}

/// The extended code, and the host's error.
fn failure(result: rusqlite::Result<impl Sized>) -> (i32, HostError) {
    let error = result.map(|_| ()).unwrap_err();
    let code = error.sqlite_error().unwrap_or_else(|| panic!("{error:?}")).extended_code;
    (code, take_last_failure().unwrap().error)
}

fn moved<T>(result: rusqlite::Result<T>) {
    assert_eq!(failure(result), (ffi::SQLITE_READONLY_DBMOVED, HostError::Moved));
}

#[test]
fn a_file_that_is_renamed_over_the_database_is_noticed_by_readers_and_writers() {
    let machine = machine();
    let server = open(machine.process()).unwrap();
    server.execute_batch(SCHEMA).unwrap();
    machine.copy("/d/m.db", "/d/restored").unwrap();
    server.execute_batch("UPDATE n SET value = 1").unwrap();
    machine.rename("/d/restored", "/d/m.db").unwrap();
    moved(server.execute_batch("UPDATE n SET value = 2"));
    moved(value(&server));
    drop(server);
    let server = open(machine.process()).unwrap();
    assert_eq!(value(&server), Ok(0));
    server.execute_batch("UPDATE n SET value = 3").unwrap();
    assert_eq!(value(&open(machine.process()).unwrap()), Ok(3));
}

/// Renames the file at each call in turn: writes acknowledged later are in the file at the path, and the one that was
/// renamed is unchanged. It differs in every page, so that a rollback of the other file's journal into it is noticed.
#[test]
fn no_write_is_acknowledged_that_went_to_a_file_without_a_name() {
    let mut refused = 0;
    for call in 0..200 {
        let machine = machine();
        open(machine.process())
            .unwrap()
            .execute_batch(
                "CREATE TABLE other (id INTEGER PRIMARY KEY, filler BLOB);
                WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 9)
                INSERT INTO other SELECT i, randomblob(3000) FROM c;
                CREATE TABLE n (value INTEGER); INSERT INTO n VALUES (7)",
            )
            .unwrap();
        machine.rename("/d/m.db", "/d/restored").unwrap();
        machine.process().delete("/d/m.db-journal").unwrap();
        let restored = machine.process().read("/d/restored").unwrap();
        let server = open(machine.process()).unwrap();
        server.execute_batch(SCHEMA).unwrap();
        server
            .execute_batch("CREATE TABLE filler (x); INSERT INTO filler VALUES (randomblob(9000))")
            .unwrap();
        machine.rename_at_call(call, "/d/restored", "/d/m.db");
        let result = server.execute_batch(
            "BEGIN IMMEDIATE; UPDATE n SET value = 1; UPDATE filler SET x = randomblob(9000); COMMIT",
        );
        let was_renamed = machine.mend();
        drop(server);
        let server = open(machine.process()).unwrap();
        let found = value(&server).unwrap();
        support::assert_sound(&server);
        if was_renamed {
            assert_eq!(found, 7, "call {call}");
            assert_eq!(machine.process().read("/d/m.db"), Ok(restored), "call {call}");
        }
        match result {
            Err(_) => refused += 1,
            // It was renamed after the commit, or not at all.
            Ok(()) if was_renamed => assert!(!machine.has_synced_since_rename(), "call {call}"),
            Ok(()) => {
                assert_eq!(found, 1);
                assert!(refused > 3, "no call renamed the file within the transaction");
                return;
            }
        }
    }
    panic!("the transaction takes more calls");
}

#[test]
fn a_database_whose_file_was_deleted_is_not_written() {
    let machine = machine();
    let server = open(machine.process()).unwrap();
    server.execute_batch(SCHEMA).unwrap();
    machine.process().delete("/d/m.db").unwrap();
    moved(server.execute_batch("UPDATE n SET value = 2"));
}

#[test]
fn a_database_with_two_names_is_refused() {
    let machine = machine();
    let server = open(machine.process()).unwrap();
    server.execute_batch(SCHEMA).unwrap();
    machine.process().link("/d/m.db", "/d/other.db").unwrap();
    let refused = (ffi::SQLITE_READONLY_DBMOVED, HostError::ManyNames);
    assert_eq!(failure(server.execute_batch("UPDATE n SET value = 1")), refused);
    assert_eq!(failure(value(&server)), refused);
    let refused = failure(open(machine.process()));
    assert_eq!(refused, (ffi::SQLITE_CANTOPEN, HostError::ManyNames));
    assert!(refused.1.to_string().contains("hard link"));
    machine.process().delete("/d/other.db").unwrap();
    server.execute_batch("UPDATE n SET value = 1").unwrap();
}

/// A shell links a new database to its path and was killed before it removed the first name, or has not done so yet.
#[test]
fn the_name_under_which_a_database_was_created_is_removed() {
    let machine = machine();
    open(machine.process()).unwrap().execute_batch(SCHEMA).unwrap();
    let host = machine.process();
    host.link("/d/m.db", "/d/m.db-creating-1").unwrap();
    host.create("/d/m.db-creating-2", b"another new database").unwrap();
    let server = open(machine.process()).unwrap();
    assert_eq!(value(&server), Ok(0));
    assert_eq!(host.stat("/d/m.db-creating-1"), Ok(None));
    host.link("/d/m.db", "/d/m.db-creating-3").unwrap();
    server.execute_batch("UPDATE n SET value = 1").unwrap();
    assert_eq!(host.stat("/d/m.db-creating-3"), Ok(None));
    assert_eq!(host.read("/d/m.db-creating-2"), Ok(b"another new database".to_vec()));
    host.link("/d/m.db", "/d/m.db-creating-4").unwrap();
    host.link("/d/m.db", "/d/other.db").unwrap();
    let refused = (ffi::SQLITE_READONLY_DBMOVED, HostError::ManyNames);
    assert_eq!(failure(server.execute_batch("UPDATE n SET value = 2")), refused);
}

#[test]
fn a_database_that_is_mounted_alone_is_refused() {
    let machine = machine();
    open(machine.process()).unwrap().execute_batch(SCHEMA).unwrap();
    machine.make_folder("/proc/self");
    let table = "1 0 98:0 / / rw - ext4 /dev/a rw\n2 1 98:0 /x/m.db /d/m.db rw,relatime - ext4 /dev/a rw\n";
    machine.put("/proc/self/mountinfo", table.as_bytes()).unwrap();
    let refused = failure(open(machine.process()));
    assert_eq!(refused, (ffi::SQLITE_CANTOPEN, HostError::FileMount));
    assert!(refused.1.to_string().contains("mount its folder"));
    machine.process().delete("/proc/self/mountinfo").unwrap();
    let table = "1 0 98:0 / / rw - ext4 /dev/a rw\n2 1 98:0 /x /d rw,relatime - ext4 /dev/a rw\n";
    machine.put("/proc/self/mountinfo", table.as_bytes()).unwrap();
    open(machine.process()).unwrap().execute_batch("UPDATE n SET value = 1").unwrap();
}

#[cfg(unix)]
#[test]
fn on_a_real_disk_a_renamed_file_and_a_second_name_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let server = support::open(&path);
    server.execute_batch(SCHEMA).unwrap();
    let backup = folder.path().join("backup");
    fs::copy(&path, &backup).unwrap();
    fs::rename(&backup, &path).unwrap();
    moved(server.execute_batch("UPDATE n SET value = 1"));
    drop(server);
    let server = support::open(&path);
    server.execute_batch("UPDATE n SET value = 2").unwrap();
    fs::hard_link(&path, &backup).unwrap();
    let refused = failure(server.execute_batch("UPDATE n SET value = 3"));
    assert_eq!(refused, (ffi::SQLITE_READONLY_DBMOVED, HostError::ManyNames));
}
