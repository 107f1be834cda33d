//! Several processes on one database: no update is lost, no process starves, and a killed process affects no other.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::Child,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use support::{arguments, assert_sound, open, spawn};

fn number(connection: &Connection, sql: &str) -> i64 {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn database(folder: &Path) -> PathBuf {
    let path = folder.join("m.db");
    let schema = "CREATE TABLE n (value INTEGER); INSERT INTO n VALUES (0);
        CREATE TABLE written (id INTEGER PRIMARY KEY, filler BLOB);";
    open(&path).execute_batch(schema).unwrap();
    path
}

/// Waits for the line that a child prints when it has reached a point.
fn wait_for(child: &mut Child, line: &str) {
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(lines.any(|read| read.unwrap().contains(line)), "the child ended early");
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args([name, &pid]).status().unwrap().success());
}

/// Prints that a point is reached, and waits there.
fn stay(line: &str) -> ! {
    println!("{line}");
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

#[test]
#[ignore = "started by other tests"]
fn child_increments() {
    let Some(args) = arguments() else { return };
    let connection = open(args[0].as_ref());
    connection.pragma_update(None, "synchronous", &args[2]).unwrap();
    for _ in 0..args[1].parse().unwrap() {
        connection.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = value + 1; COMMIT").unwrap();
    }
}

#[test]
fn four_processes_lose_no_update_while_a_fifth_reads() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let connection = open(&path);
    let args = format!("{} 40 FULL", path.display());
    let mut children: Vec<Child> = (0..4).map(|_| spawn("child_increments", &args)).collect();
    let (mut last, mut longest) = (0, Duration::ZERO);
    while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        let start = Instant::now();
        let value = number(&connection, "SELECT value FROM n");
        longest = longest.max(start.elapsed());
        assert!(value >= last);
        last = value;
        std::thread::sleep(Duration::from_millis(1));
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(number(&connection, "SELECT value FROM n"), 160);
    assert!(longest < Duration::from_secs(3), "a read waited for {longest:?}");
}

/// Without syncs a transaction takes little longer than its locks, so that the processes interleave at every step.
#[test]
fn processes_that_do_little_but_lock_lose_no_update() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let args = format!("{} 400 OFF", path.display());
    let children: Vec<Child> = (0..4).map(|_| spawn("child_increments", &args)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(number(&open(&path), "SELECT value FROM n"), 1600);
}

#[test]
#[ignore = "started by other tests"]
fn child_writes_until_killed() {
    let Some(args) = arguments() else { return };
    let connection = open(args[0].as_ref());
    let mut acknowledged = fs::OpenOptions::new().append(true).create(true).open(&args[1]).unwrap();
    loop {
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        connection.execute("INSERT INTO written(filler) VALUES (randomblob(20000))", []).unwrap();
        let id = connection.last_insert_rowid();
        // Pages spill to the file before the commit, since the cache is small.
        connection.execute("UPDATE written SET filler = randomblob(20000) WHERE id > ?1 - 8", [id]).unwrap();
        connection.execute_batch("COMMIT").unwrap();
        // In one call, so that the output of two processes is not mixed.
        acknowledged.write_all(format!("{id}\n").as_bytes()).unwrap();
    }
}

#[test]
fn a_writer_killed_at_any_moment_leaves_all_that_it_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let acknowledged = folder.path().join("acknowledged");
    let args = format!("{} {}", path.display(), acknowledged.display());
    for round in 0..30 {
        let mut children: Vec<Child> = (0..2).map(|_| spawn("child_writes_until_killed", &args)).collect();
        std::thread::sleep(Duration::from_millis(60 + round * 17 % 90));
        for child in &mut children {
            child.kill().unwrap();
        }
        // Not waited for yet: the killed processes are zombies while the next one runs.
        let start = Instant::now();
        let connection = open(&path);
        let count = number(&connection, "SELECT count(*) FROM written");
        connection.execute("UPDATE n SET value = value + 1", []).unwrap();
        let took = start.elapsed();
        assert!(took < Duration::from_secs(1), "took {took:?}");
        assert_sound(&connection);
        let lines = fs::read_to_string(&acknowledged).unwrap_or_default();
        for id in lines.lines() {
            let there = number(&connection, &format!("SELECT count(*) FROM written WHERE id = {id}"));
            assert_eq!(there, 1, "row {id} of {count} was acknowledged");
        }
        for mut child in children {
            child.wait().unwrap();
        }
    }
    let written = fs::read_to_string(&acknowledged).unwrap().lines().count();
    assert!(written > 10, "only {written} rows were written");
}

#[test]
#[ignore = "started by other tests"]
fn child_stays_at_a_level() {
    let Some(args) = arguments() else { return };
    let connection = open(args[0].as_ref());
    match args[1].as_str() {
        "shared" => {
            connection.execute_batch("BEGIN").unwrap();
            number(&connection, "SELECT value FROM n");
        }
        "reserved" => connection.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 99").unwrap(),
        "exclusive" => connection.execute_batch("BEGIN EXCLUSIVE; UPDATE n SET value = 99").unwrap(),
        _ => {
            // Half of the transaction is in the database file, and its journal beside it.
            connection.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 99").unwrap();
            for _ in 0..100 {
                connection.execute("INSERT INTO written(filler) VALUES (randomblob(20000))", []).unwrap();
            }
        }
    }
    stay("there");
}

#[test]
fn the_locks_of_a_killed_process_are_taken_over_at_once() {
    for level in ["shared", "reserved", "exclusive", "spilled"] {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path());
        let connection = open(&path);
        let mut child = spawn("child_stays_at_a_level", &format!("{} {level}", path.display()));
        wait_for(&mut child, "there");
        child.kill().unwrap();
        let start = Instant::now();
        connection.execute("UPDATE n SET value = value + 1", []).unwrap();
        assert!(start.elapsed() < Duration::from_secs(1), "{level} took {:?}", start.elapsed());
        assert_eq!(number(&connection, "SELECT value FROM n"), 1, "{level}");
        assert_eq!(number(&connection, "SELECT count(*) FROM written"), 0, "{level}");
        assert_sound(&connection);
        child.wait().unwrap();
        drop(connection);
        assert!(!folder.path().join("m.db-locks").exists(), "{level} leaves files");
    }
}

#[test]
fn a_stopped_process_keeps_its_locks() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let mut child = spawn("child_stays_at_a_level", &format!("{} spilled", path.display()));
    wait_for(&mut child, "there");
    signal(&child, "-STOP");
    let (flags, access) = (rusqlite::OpenFlags::default(), limbic_vfs::Access::default());
    let connection = limbic_vfs::connect(&path, flags, limbic_vfs::StdHost, access).unwrap();
    connection.busy_timeout(Duration::from_millis(1_500)).unwrap();
    let start = Instant::now();
    connection.query_row("SELECT value FROM n", [], |_| Ok(())).unwrap_err();
    assert!(start.elapsed() > Duration::from_secs(1));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(number(&connection, "SELECT value FROM n"), 0);
}

#[test]
#[ignore = "started by other tests"]
fn child_commits_at() {
    let Some(args) = arguments() else { return };
    let connection = open(args[0].as_ref());
    connection.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = 99").unwrap();
    println!("there");
    let go = Path::new(&args[1]);
    while !go.exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let refused = connection.execute_batch("COMMIT").is_err();
    let _ = connection.execute_batch("ROLLBACK");
    println!("{}", if refused { "refused" } else { "committed" });
}

/// The lock files of a stopped process are deleted, and another process writes before it wakes.
#[test]
fn a_stopped_process_whose_lock_files_were_removed_does_not_commit() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(folder.path());
    let connection = open(&path);
    let go = folder.path().join("go");
    let mut child = spawn("child_commits_at", &format!("{} {}", path.display(), go.display()));
    wait_for(&mut child, "there");
    signal(&child, "-STOP");
    for entry in fs::read_dir(folder.path().join("m.db-locks")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if ["reserved", "shared-"].iter().any(|lock| name.starts_with(lock)) {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    connection.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = value + 1").unwrap();
    fs::write(&go, "").unwrap();
    signal(&child, "-CONT");
    wait_for(&mut child, "refused");
    assert!(child.wait().unwrap().success());
    connection.execute_batch("COMMIT").unwrap();
    assert_eq!(number(&connection, "SELECT value FROM n"), 1);
    assert_sound(&connection);
}

#[test]
#[ignore = "started by other tests"]
fn child_increments_once_at() {
    let Some(args) = arguments() else { return };
    let connection = open(args[0].as_ref());
    let go = Path::new(&args[1]);
    println!("ready");
    while !go.exists() {
        std::hint::spin_loop();
    }
    connection.execute("UPDATE n SET value = value + 1", []).unwrap();
}

#[test]
fn processes_that_find_the_same_stale_lock_break_it_once() {
    for level in ["spilled", "exclusive", "reserved", "spilled"] {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path());
        let go = folder.path().join("go");
        let args = format!("{} {}", path.display(), go.display());
        let mut children: Vec<Child> = (0..6).map(|_| spawn("child_increments_once_at", &args)).collect();
        for child in &mut children {
            wait_for(child, "ready");
        }
        let mut victim = spawn("child_stays_at_a_level", &format!("{} {level}", path.display()));
        wait_for(&mut victim, "there");
        victim.kill().unwrap();
        fs::write(&go, "").unwrap();
        for mut child in children {
            assert!(child.wait().unwrap().success(), "{level}");
        }
        victim.wait().unwrap();
        let connection = open(&path);
        assert_eq!(number(&connection, "SELECT value FROM n"), 6, "{level}");
        assert_sound(&connection);
    }
}

/// Uses SQLite's own VFS, as other programs do.
#[test]
#[ignore = "started by other tests"]
fn child_leaves_a_wal() {
    let Some(args) = arguments() else { return };
    let connection = Connection::open(&args[0]).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    connection.execute_batch("CREATE TABLE n (value INTEGER); INSERT INTO n VALUES (7)").unwrap();
    stay("there");
}

/// Opens a database, and converts it if it is in WAL mode.
fn converted(name: &str) -> rusqlite::Result<Connection> {
    let flags = rusqlite::OpenFlags::default();
    let connection = limbic_vfs::connect(name, flags, limbic_vfs::StdHost, limbic_vfs::Access::default())?;
    connection.busy_timeout(Duration::from_millis(200))?;
    if limbic_vfs::needs_wal_conversion(&limbic_vfs::StdHost, name).unwrap() {
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        connection.pragma_update(None, "journal_mode", "PERSIST")?;
        connection.pragma_update(None, "locking_mode", "NORMAL")?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    }
    Ok(connection)
}

#[test]
fn a_wal_left_by_a_native_program_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.db");
    let mut child = spawn("child_leaves_a_wal", &path.display().to_string());
    wait_for(&mut child, "there");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(fs::metadata(folder.path().join("m.db-wal")).unwrap().len() > 0);
    let name = path.to_str().unwrap();
    assert!(limbic_vfs::needs_wal_conversion(&limbic_vfs::StdHost, name).unwrap());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                // Two that convert at the same moment may each wait for the other, until one gives up and retries.
                let connection = (0..50).find_map(|_| converted(name).ok()).expect("one of them succeeds");
                assert_eq!(number(&connection, "SELECT value FROM n"), 7);
            });
        }
    });
    assert!(!limbic_vfs::needs_wal_conversion(&limbic_vfs::StdHost, name).unwrap());
    assert_sound(&open(&path));
}
