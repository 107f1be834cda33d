//! Owners of unknown state, and places without lock files, on a simulated machine, where minutes pass at once.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use limbic_vfs::{
    Access, Host, HostError,
    simulator::{Fault, Machine, Process},
    take_last_failure,
};
use rusqlite::{Connection, ErrorCode, OpenFlags};

const MINUTE_MILLIS: f64 = 60_000.0;

fn open(process: Process, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = limbic_vfs::connect("/m.db", flags, process, Access::default())?;
    connection.busy_timeout(Duration::from_secs(1))?;
    connection.pragma_update(None, "journal_mode", "PERSIST")?;
    Ok(connection)
}

fn connect(process: Process) -> Connection {
    open(process, OpenFlags::default()).unwrap()
}

fn value(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT value FROM n", [], |row| row.get(0))
}

fn code(result: rusqlite::Result<impl Sized>) -> ErrorCode {
    let error = result.map(|_| ()).unwrap_err();
    error.sqlite_error_code().unwrap_or_else(|| panic!("{error:?}"))
}

const SCHEMA: &str = "CREATE TABLE n (value INTEGER); INSERT INTO n VALUES (0)";

#[test]
fn the_lock_of_a_killed_process_in_another_container_is_broken_at_once() {
    for level in ["IMMEDIATE", "EXCLUSIVE"] {
        let machine = Machine::new(1);
        let gone = machine.process_in("other container");
        let theirs = connect(gone.clone());
        theirs.execute_batch(SCHEMA).unwrap();
        let ours = connect(machine.process());
        theirs.execute_batch(&format!("BEGIN {level}; UPDATE n SET value = 99")).unwrap();
        for _ in 0..3 {
            assert_eq!(code(ours.execute_batch("BEGIN IMMEDIATE")), ErrorCode::DatabaseBusy);
            machine.pass_millis(10.0 * MINUTE_MILLIS);
        }
        machine.kill(&gone);
        ours.execute_batch("UPDATE n SET value = value + 1").unwrap();
        assert_eq!(value(&ours), Ok(1));
        drop((theirs, ours));
        assert_eq!(machine.list("/").unwrap(), ["m.db", "m.db-journal"]);
    }
}

#[test]
fn a_reader_in_another_container_that_reads_for_long_sees_one_state() {
    let machine = Machine::new(1);
    let reader = connect(machine.process_in("other container"));
    reader.execute_batch(SCHEMA).unwrap();
    let writer = connect(machine.process());
    reader.execute_batch("BEGIN").unwrap();
    assert_eq!(value(&reader), Ok(0));
    for _ in 0..3 {
        assert_eq!(code(writer.execute_batch("UPDATE n SET value = 1")), ErrorCode::DatabaseBusy);
        machine.pass_millis(10.0 * MINUTE_MILLIS);
    }
    assert_eq!(value(&reader), Ok(0));
    reader.execute_batch("COMMIT").unwrap();
    writer.execute_batch("UPDATE n SET value = 1").unwrap();
}

#[test]
fn without_beacons_the_lock_of_a_dead_container_is_taken_over_after_a_minute_of_waiting() {
    let machine = Machine::new(1);
    machine.without_beacons();
    let gone = machine.process_in("other container");
    let theirs = connect(gone.clone());
    theirs.execute_batch(SCHEMA).unwrap();
    let ours = connect(machine.process());
    theirs.execute_batch("BEGIN EXCLUSIVE; UPDATE n SET value = 99").unwrap();
    machine.kill(&gone);
    assert_eq!(code(value(&ours)), ErrorCode::DatabaseBusy);
    machine.pass_millis(MINUTE_MILLIS / 2.0);
    assert_eq!(code(value(&ours)), ErrorCode::DatabaseBusy);
    machine.pass_millis(MINUTE_MILLIS);
    assert_eq!(value(&ours), Ok(0));
    ours.execute_batch("UPDATE n SET value = 1").unwrap();
}

#[test]
fn on_a_full_disk_a_lone_connection_reads_but_does_not_write() {
    let machine = Machine::new(1);
    connect(machine.process()).execute_batch(SCHEMA).unwrap();
    // The files of a program that was killed when there was no space for its owner file.
    machine.process().create_folder("/m.db-locks").unwrap();
    machine.put("/m.db-locks/owner-left", b"").unwrap();
    let before = (machine.list("/").unwrap(), machine.list("/m.db-locks").unwrap());
    machine.plan(0, Fault::DiskFull);
    let alone = connect(machine.process());
    assert_eq!(value(&alone), Ok(0));
    assert_eq!((machine.list("/").unwrap(), machine.list("/m.db-locks").unwrap()), before);
    assert_eq!(code(alone.execute_batch("UPDATE n SET value = 1")), ErrorCode::DiskFull);
    assert_eq!(value(&alone), Ok(0));
    machine.mend();
    alone.execute_batch("UPDATE n SET value = 1").unwrap();

    // This connection has an owner file, and the journal may still have room.
    machine.plan(0, Fault::DiskFull);
    let late = open(machine.process(), OpenFlags::default());
    assert_eq!(code(late.and_then(|connection| value(&connection))), ErrorCode::DiskFull);
    assert_eq!(value(&alone), Ok(1));
}

#[test]
fn an_active_container_is_not_considered_dead() {
    let machine = Machine::new(1);
    let theirs = connect(machine.process_in("other container"));
    theirs.execute_batch(SCHEMA).unwrap();
    let ours = connect(machine.process());
    for round in 1..20 {
        theirs.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = value + 1").unwrap();
        assert_eq!(code(ours.execute_batch("BEGIN IMMEDIATE")), ErrorCode::DatabaseBusy);
        machine.pass_millis(MINUTE_MILLIS / 4.0);
        theirs.execute_batch("COMMIT").unwrap();
        assert_eq!(value(&ours), Ok(round));
    }
}

#[test]
fn a_suspended_owner_whose_locks_were_reaped_gives_up() {
    let machine = Machine::new(1);
    machine.without_beacons();
    let theirs = connect(machine.process_in("other container"));
    theirs.execute_batch(SCHEMA).unwrap();
    let ours = connect(machine.process());
    theirs.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 99").unwrap();
    assert_eq!(code(ours.execute_batch("BEGIN IMMEDIATE")), ErrorCode::DatabaseBusy);
    machine.pass_millis(2.0 * MINUTE_MILLIS);
    ours.execute_batch("UPDATE n SET value = 1").unwrap();
    let _ = take_last_failure();
    assert_eq!(code(theirs.execute_batch("COMMIT")), ErrorCode::SystemIoFailure);
    assert!(take_last_failure().unwrap().error.to_string().contains("taken over"));
    let _ = theirs.execute_batch("ROLLBACK");
    assert_eq!(value(&ours), Ok(1));
    assert_eq!(value(&theirs), Ok(1));
}

/// Delays each of its syncs until the lease expires: an acknowledged commit is kept, a rejected one does not appear.
#[test]
fn a_commit_whose_sync_takes_minutes_is_acknowledged_only_if_it_stays() {
    for has_beacons in [true, false] {
        let mut refused = 0;
        for syncs in 0.. {
            let machine = Machine::new(1);
            if !has_beacons {
                machine.without_beacons();
            }
            let slow = machine.process_in("other container");
            let theirs = connect(slow.clone());
            theirs.execute_batch(SCHEMA).unwrap();
            let ours = Arc::new(Mutex::new(connect(machine.process())));
            let (waiting, clock, during) = (ours.clone(), machine.clone(), Arc::new(Mutex::new(Vec::new())));
            let seen = during.clone();
            machine.delay_sync(&slow, syncs, move || {
                for _ in 0..2 {
                    seen.lock().unwrap().push(value(&waiting.lock().unwrap()));
                    clock.pass_millis(2.0 * MINUTE_MILLIS);
                }
            });
            let committed = theirs.execute_batch("UPDATE n SET value = 1");
            let during = std::mem::take(&mut *during.lock().unwrap());
            if during.is_empty() {
                assert!(syncs >= 4, "{syncs} syncs");
                break;
            }
            refused += u32::from(committed.is_err());
            let expected = i64::from(committed.is_ok());
            assert_eq!(value(&ours.lock().unwrap()), Ok(expected), "sync {syncs}: {during:?}, {committed:?}");
            // With a beacon, the owner is known to be alive, however long the sync takes.
            assert!(!has_beacons || (committed.is_ok() && during.iter().all(Result::is_err)), "{during:?}");
            ours.lock().unwrap().execute_batch("UPDATE n SET value = value + 10").unwrap();
            assert_eq!(value(&theirs), Ok(expected + 10), "sync {syncs}: {during:?}, {committed:?}");
        }
        assert_eq!(refused > 0, !has_beacons, "{refused} were refused");
    }
}

/// Without hard links, a lock file is not a link to the owner file, whose entry a heartbeat changes.
#[test]
fn an_owner_that_works_for_minutes_without_links_is_not_considered_dead() {
    for has_beacons in [true, false] {
        let machine = Machine::new(1);
        machine.without_links();
        if !has_beacons {
            machine.without_beacons();
        }
        let theirs = connect(machine.process_in("other container"));
        theirs.execute_batch("PRAGMA cache_size = 5").unwrap();
        theirs.execute_batch(BIG).unwrap();
        let ours = connect(machine.process());
        theirs.execute_batch("BEGIN EXCLUSIVE").unwrap();
        for _ in 0..30 {
            theirs.execute_batch("UPDATE t SET v = v + 1, filler = randomblob(3000)").unwrap();
            assert_eq!(code(ours.execute_batch("BEGIN IMMEDIATE")), ErrorCode::DatabaseBusy);
            machine.pass_millis(MINUTE_MILLIS / 10.0);
        }
        theirs.execute_batch("COMMIT").unwrap();
        let sum = |connection: &Connection| {
            connection.query_row("SELECT sum(v) FROM t", [], |row| row.get::<_, i64>(0))
        };
        assert_eq!(sum(&ours), Ok(200 * 30));
    }
}

/// A heartbeat must not write into the lock that another has created at the path.
#[test]
fn a_heartbeat_without_links_leaves_the_lock_of_another() {
    let machine = Machine::new(1);
    machine.without_links();
    let first = connect(machine.process());
    first.execute_batch("PRAGMA cache_size = 5").unwrap();
    first.execute_batch(BIG).unwrap();
    first.execute_batch(SCHEMA).unwrap();
    let second = connect(machine.process());
    first.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 99").unwrap();
    remove_lock_files(&machine);
    second.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 1").unwrap();
    let before = machine.process().read("/m.db-locks/reserved").unwrap();
    machine.pass_millis(2_000.0);
    let read = first.query_row("SELECT sum(length(filler)) FROM t", [], |row| row.get::<_, i64>(0));
    assert_eq!(code(read), ErrorCode::SystemIoFailure);
    let _ = first.execute_batch("ROLLBACK");
    assert_eq!(machine.process().read("/m.db-locks/reserved").unwrap(), before);
    second.execute_batch("COMMIT").unwrap();
    assert_eq!(value(&first), Ok(1));
}

#[test]
fn a_lock_of_an_earlier_boot_is_broken_at_once() {
    let machine = Machine::new(7);
    let first = connect(machine.process());
    first.execute_batch(SCHEMA).unwrap();
    first.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 99").unwrap();
    machine.plan(0, limbic_vfs::simulator::Fault::PowerFailure);
    let _ = first.execute_batch("COMMIT");
    drop(first);
    assert_eq!(value(&connect(machine.process())), Ok(0));
}

#[test]
fn a_read_only_folder_can_be_read_without_locks() {
    let machine = Machine::new(1);
    connect(machine.process()).execute_batch(SCHEMA).unwrap();
    machine.deny_writing("/");
    machine.deny_writing("/m.db");
    for flags in [OpenFlags::default(), OpenFlags::SQLITE_OPEN_READ_ONLY] {
        let reader = open(machine.process(), flags).unwrap();
        assert_eq!(value(&reader), Ok(0));
        assert_eq!(code(reader.execute_batch("UPDATE n SET value = 1")), ErrorCode::ReadOnly);
    }
}

#[test]
fn a_read_only_mount_is_read_while_another_process_writes_elsewhere() {
    let machine = Machine::new(1);
    let writer = connect(machine.process());
    writer.execute_batch(BIG).unwrap();
    writer.execute_batch(SCHEMA).unwrap();
    let reader = open(machine.process_that_reads(), OpenFlags::default()).unwrap();
    reader.execute_batch("PRAGMA cache_size = 5").unwrap();
    assert_eq!(value(&reader), Ok(0));
    writer.execute_batch("UPDATE n SET value = 1").unwrap();
    assert_eq!(value(&reader), Ok(1));
    assert_eq!(code(reader.execute_batch("UPDATE n SET value = 2")), ErrorCode::ReadOnly);
    writer.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 2").unwrap();
    assert_eq!(value(&reader), Ok(1));
    writer.execute_batch("COMMIT; BEGIN EXCLUSIVE").unwrap();
    assert_eq!(code(value(&reader)), ErrorCode::DatabaseBusy);
    writer.execute_batch("ROLLBACK").unwrap();
    // One transaction sees one state, or fails.
    let sum = |range: &str| {
        let sql = format!("SELECT sum(v) FROM t WHERE id {range} AND length(filler) > 0");
        reader.query_row(&sql, [], |row| row.get::<_, i64>(0))
    };
    reader.execute_batch("BEGIN").unwrap();
    assert_eq!(sum("<= 100"), Ok(0));
    writer.execute_batch("UPDATE t SET v = 1").unwrap();
    let _ = take_last_failure();
    assert_eq!(code(sum("> 100")), ErrorCode::DatabaseBusy);
    assert_eq!(take_last_failure().unwrap().error, HostError::Changed);
    let _ = reader.execute_batch("ROLLBACK");
    assert_eq!(sum("> 0"), Ok(200));
}

#[test]
fn a_read_only_mount_does_not_show_what_a_killed_writer_left() {
    let machine = Machine::new(1);
    let killed = machine.process();
    let writer = connect(killed.clone());
    writer.execute_batch("PRAGMA cache_size = 5").unwrap();
    writer.execute_batch(BIG).unwrap();
    // The cache is small, so pages are in the file before the commit.
    writer.execute_batch("BEGIN; UPDATE t SET v = 1, filler = randomblob(3000)").unwrap();
    machine.kill(&killed);
    drop(writer);
    let reader = open(machine.process_that_reads(), OpenFlags::default());
    let sum = |connection: &Connection| {
        connection.query_row("SELECT sum(v) FROM t", [], |row| row.get::<_, i64>(0))
    };
    assert_eq!(code(reader.and_then(|reader| sum(&reader))), ErrorCode::ReadOnly);
    assert_eq!(sum(&connect(machine.process())), Ok(0));
    let reader = open(machine.process_that_reads(), OpenFlags::default()).unwrap();
    assert_eq!(sum(&reader), Ok(0));
}

#[test]
fn a_database_that_could_be_written_is_not_read_without_locks() {
    let machine = Machine::new(1);
    connect(machine.process()).execute_batch(SCHEMA).unwrap();
    machine.deny_writing("/m.db-locks");
    let _ = take_last_failure();
    let refused = open(machine.process(), OpenFlags::default());
    assert_eq!(code(refused), ErrorCode::CannotOpen);
    let failure = take_last_failure().unwrap();
    assert_eq!((failure.error, failure.path.as_str()), (HostError::Denied, "/m.db-locks"));
}

#[test]
fn without_hard_links_levels_exclude_each_other_too() {
    let machine = Machine::new(1);
    machine.without_links();
    let (first, second) = (connect(machine.process()), connect(machine.process()));
    first.execute_batch(SCHEMA).unwrap();
    first.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 1").unwrap();
    assert_eq!(code(second.execute_batch("BEGIN IMMEDIATE")), ErrorCode::DatabaseBusy);
    assert_eq!(value(&second), Ok(0));
    first.execute_batch("COMMIT; BEGIN EXCLUSIVE").unwrap();
    assert_eq!(code(value(&second)), ErrorCode::DatabaseBusy);
    first.execute_batch("COMMIT").unwrap();
    second.execute_batch("UPDATE n SET value = value + 1").unwrap();
    assert_eq!(value(&first), Ok(2));
    drop((first, second));
    assert_eq!(machine.list("/").unwrap(), ["m.db", "m.db-journal"]);
}

/// Later releases may write further fields.
#[test]
fn a_lock_of_a_later_format_is_never_broken() {
    let machine = Machine::new(1);
    let connection = connect(machine.process());
    connection.execute_batch(SCHEMA).unwrap();
    for text in ["limbic-lock-2 nonce=abcdef pid=1\n", "limbic-lock-10\n"] {
        machine.put("/m.db-locks/reserved", text.as_bytes()).unwrap();
        for _ in 0..4 {
            assert_eq!(code(connection.execute_batch("UPDATE n SET value = 1")), ErrorCode::DatabaseBusy);
            assert_eq!(value(&connection), Ok(0));
            machine.pass_millis(MINUTE_MILLIS);
        }
        machine.process().delete("/m.db-locks/reserved").unwrap();
    }
    connection.execute_batch("UPDATE n SET value = 1").unwrap();
}

/// An owner file that is created again on a full disk may be left empty, and a lock that is linked to it would name no
/// owner.
#[test]
fn a_full_disk_leaves_no_lock_without_an_owner() {
    for links in [true, false] {
        for call in 0..12 {
            let machine = Machine::new(1);
            if !links {
                machine.without_links();
            }
            let ours = connect(machine.process());
            ours.execute_batch(SCHEMA).unwrap();
            let theirs = connect(machine.process());
            for name in machine.list("/m.db-locks").unwrap() {
                machine.process().delete(&format!("/m.db-locks/{name}")).unwrap();
            }
            machine.plan(call, Fault::DiskFull);
            let _ = ours.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 5");
            machine.mend();
            if ours.is_autocommit() {
                ours.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 5").unwrap();
            }
            for _ in 0..2 {
                assert_eq!(code(theirs.execute_batch("BEGIN IMMEDIATE")), ErrorCode::DatabaseBusy, "{call}");
                machine.pass_millis(2_000.0);
            }
            ours.execute_batch("COMMIT").unwrap();
            assert_eq!(value(&theirs), Ok(5));
        }
    }
}

const BIG: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, filler BLOB);
    WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 200)
    INSERT INTO t SELECT i, 0, zeroblob(3000) FROM c;";

/// Removes the lock files, as a person does who believes that the owner is dead.
fn remove_lock_files(machine: &Machine) {
    for name in machine.list("/m.db-locks").unwrap() {
        if ["reserved", "pending", "shared-"].iter().any(|lock| name.starts_with(lock)) {
            machine.process().delete(&format!("/m.db-locks/{name}")).unwrap();
        }
    }
}

/// The first has rows in memory or in the file when it loses its locks to the second, whose transaction is open when
/// the first wakes.
#[test]
fn a_writer_that_lost_its_locks_damages_neither_journal_nor_locks_of_another() {
    let updates = ["UPDATE n SET value = 99", "UPDATE t SET v = 5, filler = randomblob(3000)"];
    for (update, slept_millis) in updates.into_iter().flat_map(|update| [(update, 0.0), (update, 2_000.0)]) {
        for ending in ["COMMIT", "ROLLBACK"] {
            let story = format!("{update}, {slept_millis}, {ending}");
            let machine = Machine::new(1);
            let first = connect(machine.process());
            first.execute_batch("PRAGMA cache_size = 5").unwrap();
            first.execute_batch(BIG).unwrap();
            first.execute_batch(SCHEMA).unwrap();
            let killed = machine.process();
            let second = connect(killed.clone());
            second.execute_batch("PRAGMA cache_size = 5").unwrap();
            first.execute_batch(&format!("BEGIN IMMEDIATE; {update}")).unwrap();
            remove_lock_files(&machine);
            machine.pass_millis(slept_millis);
            second.execute_batch("BEGIN IMMEDIATE; UPDATE t SET v = 1, filler = randomblob(3000)").unwrap();
            let before = machine.process().read("/m.db-journal").unwrap();
            let ended = first.execute_batch(ending);
            assert!(ending == "ROLLBACK" || ended.is_err());
            let _ = first.execute_batch("ROLLBACK");
            assert_eq!(machine.process().read("/m.db-journal").unwrap(), before, "{story}");
            let excluded = open(machine.process(), OpenFlags::default());
            assert_eq!(code(excluded), ErrorCode::DatabaseBusy);
            machine.kill(&killed);
            drop(second);
            let third = connect(machine.process());
            let sum: i64 = third.query_row("SELECT sum(v) FROM t", [], |row| row.get(0)).unwrap();
            let sound: String = third.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
            assert_eq!((sum, value(&third), sound.as_str()), (0, Ok(0), "ok"), "{story}");
            first.execute_batch("UPDATE n SET value = 3").unwrap();
            assert_eq!(value(&third), Ok(3));
        }
    }
}

/// The first wakes with RESERVED, which a second connection also holds that has written nothing yet.
#[test]
fn a_writer_that_lost_its_locks_does_not_release_those_of_another() {
    for ending in ["COMMIT", "ROLLBACK"] {
        for slept_millis in [0.0, 2_000.0] {
            let machine = Machine::new(1);
            let first = connect(machine.process());
            first.execute_batch(SCHEMA).unwrap();
            let second = connect(machine.process());
            let third = connect(machine.process());
            first.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 99").unwrap();
            remove_lock_files(&machine);
            second.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = value + 1").unwrap();
            machine.pass_millis(slept_millis);
            let ended = first.execute_batch(ending);
            assert!(ending == "ROLLBACK" || ended.is_err(), "{ended:?}");
            let _ = first.execute_batch("ROLLBACK");
            assert_eq!(code(third.execute_batch("BEGIN IMMEDIATE")), ErrorCode::DatabaseBusy, "{ending}");
            second.execute_batch("COMMIT").unwrap();
            third.execute_batch("UPDATE n SET value = value + 1").unwrap();
            assert_eq!(value(&first), Ok(2), "{ending}");
        }
    }
}

/// Its reads may be outdated, however short the pause was.
#[test]
fn a_reader_that_lost_its_lock_does_not_begin_to_write() {
    let machine = Machine::new(1);
    let reader = connect(machine.process());
    reader.execute_batch(SCHEMA).unwrap();
    let writer = connect(machine.process());
    reader.execute_batch("BEGIN").unwrap();
    assert_eq!(value(&reader), Ok(0));
    remove_lock_files(&machine);
    writer.execute_batch("UPDATE n SET value = 10").unwrap();
    assert_eq!(code(reader.execute_batch("UPDATE n SET value = value + 1")), ErrorCode::SystemIoFailure);
    let _ = reader.execute_batch("ROLLBACK");
    assert_eq!(value(&writer), Ok(10));
    reader.execute_batch("UPDATE n SET value = value + 1").unwrap();
    assert_eq!(value(&writer), Ok(11));
}

/// It reads without a lock while it is alone, and must not rely on these reads when there is space again.
#[test]
fn reads_without_a_lock_on_a_full_disk_are_not_written_back() {
    let machine = Machine::new(1);
    connect(machine.process()).execute_batch(SCHEMA).unwrap();
    machine.plan(0, Fault::DiskFull);
    let alone = connect(machine.process());
    alone.execute_batch("BEGIN").unwrap();
    assert_eq!(value(&alone), Ok(0));
    machine.mend();
    connect(machine.process()).execute_batch("UPDATE n SET value = 10").unwrap();
    while !alone.is_autocommit() {
        alone.execute_batch("UPDATE n SET value = value + 1").unwrap_err();
    }
    alone.execute_batch("UPDATE n SET value = value + 1").unwrap();
    assert_eq!(value(&alone), Ok(11));
}

#[test]
fn a_reader_that_lost_its_lock_does_not_see_two_states() {
    let machine = Machine::new(1);
    let reader = connect(machine.process());
    reader.execute_batch("PRAGMA cache_size = 5").unwrap();
    reader.execute_batch(BIG).unwrap();
    let writer = connect(machine.process());
    let sum = |range: &str| {
        let sql = format!("SELECT sum(v) FROM t WHERE id {range} AND length(filler) > 0");
        reader.query_row(&sql, [], |row| row.get::<_, i64>(0))
    };
    reader.execute_batch("BEGIN").unwrap();
    assert_eq!(sum("<= 100"), Ok(0));
    remove_lock_files(&machine);
    machine.pass_millis(2_000.0);
    writer.execute_batch("UPDATE t SET v = 1").unwrap();
    assert_eq!(code(sum("> 100")), ErrorCode::SystemIoFailure);
    let _ = reader.execute_batch("ROLLBACK");
    assert_eq!(sum("> 0"), Ok(200));
}
