//! Owners under another kernel, disks that other machines may write, and `unlock`, on a simulated machine.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{sync::Arc, time::Duration};

use limbic_vfs::{
    Access, FileSystem, Host, HostError, OpenMode, Unlocked,
    simulator::{Fault, Machine, Process},
    take_holder, take_last_failure, unlock,
};
use rusqlite::{Connection, ErrorCode, OpenFlags};

const MINUTE_MILLIS: f64 = 60_000.0;
const SCHEMA: &str = "CREATE TABLE n (value INTEGER); INSERT INTO n VALUES (0)";
const NFS: FileSystem = FileSystem::Number(0x6969);

fn open_with(process: Process, accepts_shared_disks: bool) -> rusqlite::Result<Connection> {
    let access = Access { accepts_shared_disks, secret: None };
    let connection = limbic_vfs::connect("/m.db", OpenFlags::default(), process, access)?;
    connection.busy_timeout(Duration::from_secs(1))?;
    connection.pragma_update(None, "journal_mode", "PERSIST")?;
    Ok(connection)
}

fn open(process: Process) -> rusqlite::Result<Connection> {
    open_with(process, false)
}

fn open_shared(process: Process) -> rusqlite::Result<Connection> {
    open_with(process, true)
}

fn value(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT value FROM n", [], |row| row.get(0))
}

fn is_busy(result: rusqlite::Result<impl Sized>) -> bool {
    let code = result.map(|_| ()).unwrap_err().sqlite_error_code();
    assert_eq!(code, Some(ErrorCode::DatabaseBusy));
    true
}

fn unlocked(machine: &Machine, confirmed: bool) -> Unlocked {
    unlock(Arc::new(machine.process()), "/m.db", confirmed).unwrap()
}

/// Kills a writer within a transaction, which leaves its files.
fn left_by(machine: &Machine, process: Process) {
    let theirs = open(process.clone()).unwrap();
    theirs.execute_batch("BEGIN EXCLUSIVE; UPDATE n SET value = 99").unwrap();
    machine.kill(&process);
    drop(theirs);
}

fn machine() -> Machine {
    let machine = Machine::new(1);
    open(machine.process()).unwrap().execute_batch(SCHEMA).unwrap();
    machine
}

#[test]
fn a_lock_of_another_kernel_is_never_broken_and_its_holder_is_named() {
    for has_beacons in [true, false] {
        for (name, boot) in [("other", "7"), ("simulated", "7"), ("other", "")] {
            let machine = machine();
            if !has_beacons {
                machine.without_beacons();
            }
            // A beacon decides on the same machine alone: it was restarted.
            if has_beacons && name == "simulated" {
                continue;
            }
            left_by(&machine, machine.process_elsewhere(name, boot));
            for _ in 0..3 {
                assert!(is_busy(open(machine.process())));
                let holder = take_holder().unwrap();
                assert!(holder.contains(&format!("on {name}")), "{holder}");
                machine.pass_millis(10.0 * MINUTE_MILLIS);
            }
        }
    }
}

#[test]
fn a_lock_of_the_same_machine_before_its_restart_is_broken_by_its_beacon() {
    let machine = machine();
    left_by(&machine, machine.process_elsewhere("simulated", "7"));
    let ours = open(machine.process()).unwrap();
    ours.execute_batch("UPDATE n SET value = value + 1").unwrap();
    assert_eq!(value(&ours), Ok(1));
}

#[test]
fn an_owner_without_a_beacon_is_not_broken_after_a_power_failure_until_a_person_says_so() {
    let machine = machine();
    machine.without_beacons();
    let process = machine.process();
    let theirs = open(process).unwrap();
    theirs.execute_batch("BEGIN EXCLUSIVE; UPDATE n SET value = 99").unwrap();
    // So that all of its files survive.
    for name in machine.list("/m.db-locks").unwrap() {
        let path = format!("/m.db-locks/{name}");
        machine.process().open(&path, OpenMode::Read).unwrap().sync().unwrap();
    }
    for folder in ["/", "/m.db-locks"] {
        machine.process().sync_folder(folder).unwrap();
    }
    machine.plan(0, Fault::PowerFailure);
    let _ = theirs.execute_batch("COMMIT");
    drop(theirs);
    assert!(is_busy(open(machine.process())));
    assert!(take_holder().is_some());
    let plan = unlocked(&machine, false);
    assert!(
        plan.needs_confirmation && plan.report.contains("this cannot be determined from here"),
        "{}",
        plan.report
    );
    assert!(plan.report.contains("holds the lock for writing"), "{}", plan.report);
    assert!(is_busy(open(machine.process())), "a plan changes nothing");
    let done = unlocked(&machine, true);
    assert!(
        !done.needs_confirmation && done.report.contains("Removed the lock files of 1 owner"),
        "{}",
        done.report
    );
    let ours = open(machine.process()).unwrap();
    assert_eq!(value(&ours), Ok(0));
    ours.execute_batch("UPDATE n SET value = 1").unwrap();
}

#[test]
fn unlock_removes_nothing_of_an_owner_that_runs() {
    let machine = machine();
    let container = machine.process_in("container");
    let alive = open(container).unwrap();
    alive.execute_batch("BEGIN EXCLUSIVE; UPDATE n SET value = 5").unwrap();
    let before = machine.list("/m.db-locks").unwrap();
    for confirmed in [false, true] {
        let Unlocked { report, needs_confirmation } = unlocked(&machine, confirmed);
        assert!(!needs_confirmation && report.contains("is running"), "{report}");
        assert!(report.contains("Nothing was removed"), "{report}");
        assert_eq!(machine.list("/m.db-locks").unwrap(), before);
    }
    alive.execute_batch("COMMIT").unwrap();
    drop(alive);
    assert!(unlocked(&machine, true).report.contains("No program has /m.db open"));
    assert_eq!(machine.list("/").unwrap(), ["m.db", "m.db-journal"]);
}

#[test]
fn an_owner_that_was_unlocked_by_mistake_damages_nothing() {
    // A stopped wall clock does not hide the pause.
    for slept_millis in [0.0, 2_000.0] {
        let machine = machine();
        let theirs = open(machine.process_elsewhere("other", "7")).unwrap();
        theirs.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 99").unwrap();
        assert!(unlocked(&machine, true).report.contains("Removed"));
        machine.pass_millis(slept_millis);
        let ours = open(machine.process()).unwrap();
        ours.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 1").unwrap();
        theirs.execute_batch("COMMIT").unwrap_err();
        let _ = theirs.execute_batch("ROLLBACK");
        ours.execute_batch("COMMIT").unwrap();
        assert_eq!(value(&ours), Ok(1));
    }
}

/// The machine is suspended within a transaction.
#[test]
fn a_machine_that_sleeps_for_long_keeps_its_locks_and_commits() {
    let machine = machine();
    let laptop = open(machine.process_elsewhere("laptop", "1")).unwrap();
    let desktop = open(machine.process_elsewhere("desktop", "2")).unwrap();
    laptop.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = value + 1").unwrap();
    for _ in 0..3 {
        assert!(is_busy(desktop.execute_batch("UPDATE n SET value = value + 10")));
        assert!(take_holder().unwrap().contains("on laptop"));
        machine.pass_millis(10.0 * MINUTE_MILLIS);
    }
    laptop.execute_batch("COMMIT").unwrap();
    desktop.execute_batch("UPDATE n SET value = value + 10").unwrap();
    assert_eq!(value(&laptop), Ok(11));
}

/// Pods of a stateful set, or containers with a fixed host name and no machine id, on two kernels: each seems to the
/// other to be of the time before a restart. Their disk can only be a shared one.
#[test]
fn machines_of_one_name_lose_no_acknowledged_write() {
    for has_beacons in [true, false] {
        let machine = machine();
        if !has_beacons {
            machine.without_beacons();
        }
        let first = open(machine.process_elsewhere("memory-0", "1")).unwrap();
        let second = open(machine.process_elsewhere("memory-0", "2")).unwrap();
        first.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = value + 1").unwrap();
        let theirs = second.execute_batch("UPDATE n SET value = value + 10");
        let ours = first.execute_batch("COMMIT");
        let _ = first.execute_batch("ROLLBACK");
        let acknowledged = i64::from(ours.is_ok()) + 10 * i64::from(theirs.is_ok());
        assert_eq!(value(&second), Ok(acknowledged), "{ours:?} {theirs:?}");
        // Without a beacon there is no evidence of a restart.
        assert!(has_beacons || acknowledged == 1);

        machine.set_file_system(NFS);
        drop((first, second));
        let first = open_shared(machine.process_elsewhere("memory-0", "1")).unwrap();
        assert!(open_shared(machine.process_elsewhere("memory-0", "2")).is_err());
        first.execute_batch("UPDATE n SET value = 5").unwrap();
    }
}

#[test]
fn a_database_on_a_shared_disk_is_refused_and_the_mount_is_named() {
    let machine = Machine::new(1);
    machine.make_folder("/proc/self");
    machine.make_folder("/mnt");
    machine.make_folder("/mnt/team share");
    let table = "1 0 98:0 / / rw - ext4 /dev/a rw\n\
                 2 1 0:52 / /mnt/team\\040share rw,relatime shared:3 - nfs4 server:/x rw\n";
    machine.put("/proc/self/mountinfo", table.as_bytes()).unwrap();
    machine.set_file_system(NFS);
    let path = "/mnt/team share/m.db";
    let refused = limbic_vfs::connect(path, OpenFlags::default(), machine.process(), Access::default());
    assert_eq!(refused.unwrap_err().sqlite_error_code(), Some(ErrorCode::CannotOpen));
    let error = take_last_failure().unwrap().error;
    assert!(matches!(error, HostError::SharedDisk { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("NFS") && text.contains("/mnt/team share") && text.contains("local disk"),
        "{text}"
    );
    assert!(machine.list("/mnt/team share").unwrap().is_empty(), "nothing was created");
}

#[test]
fn the_disks_of_containers_are_local() {
    for number in [0x794C_7630, 0x0102_1994, 0xEF53, 0x9123_683E, 0x5846_5342] {
        let machine = Machine::new(1);
        machine.set_file_system(FileSystem::Number(number));
        open(machine.process()).unwrap().execute_batch(SCHEMA).unwrap();
    }
}

#[test]
fn a_shared_disk_that_is_accepted_belongs_to_one_machine_at_a_time() {
    let machine = Machine::new(1);
    machine.set_file_system(NFS);
    let first = machine.process_elsewhere("first", "1");
    let connection = open_shared(first.clone()).unwrap();
    connection.execute_batch(SCHEMA).unwrap();
    let refused = open_shared(machine.process_elsewhere("second", "2"));
    assert_eq!(refused.unwrap_err().sqlite_error_code(), Some(ErrorCode::CannotOpen));
    let error = take_last_failure().unwrap().error;
    assert!(matches!(&error, HostError::HeldElsewhere(holder) if holder.contains("on first")), "{error}");
    // Its files are removed, and the first connection continues.
    connection.execute_batch("UPDATE n SET value = 1").unwrap();
    drop(connection);
    assert_eq!(machine.list("/").unwrap(), ["m.db", "m.db-journal"]);
    let second = open_shared(machine.process_elsewhere("second", "2")).unwrap();
    assert_eq!(value(&second), Ok(1));
}

#[test]
fn on_a_shared_disk_nothing_of_another_machine_is_broken_whatever_its_name() {
    for name in ["first", "second"] {
        let machine = Machine::new(1);
        machine.set_file_system(NFS);
        let first = machine.process_elsewhere("first", "1");
        let connection = open_shared(first.clone()).unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 99").unwrap();
        machine.kill(&first);
        drop(connection);
        for _ in 0..3 {
            assert!(open_shared(machine.process_elsewhere(name, "2")).is_err());
            machine.pass_millis(10.0 * MINUTE_MILLIS);
        }
        // A process of the same kernel is judged as on any disk.
        let near = open_shared(machine.process_elsewhere("first", "1")).unwrap();
        assert_eq!(value(&near), Ok(0));
    }
}
