//! Real mounts and PID namespaces of Linux, as containers have them. Without the right to create them the tests are
//! skipped.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use limbic_vfs::{Access, HostError, take_holder, take_last_failure, unlock};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use support::{arguments, open, open_with};

const SCHEMA: &str = "CREATE TABLE n (value INTEGER); INSERT INTO n VALUES (0)";
const MOUNTS: [&str; 3] = ["--mount", "--propagation", "private"];
const PROCESSES: [&str; 5] = ["--mount", "--uts", "--pid", "--fork", "--mount-proc"];

/// Starts this program in new namespaces, after a shell script that mounts; `None` without the right to do so.
fn spawn_in(namespaces: &[&str], script: &str, role: &str, args: &str) -> Option<Child> {
    let may = Command::new("unshare").args(namespaces).arg("true").stderr(Stdio::null()).status();
    if !may.is_ok_and(|status| status.success()) {
        println!("skipped: this user may not create namespaces");
        return None;
    }
    let script = format!("set -e; {script}\nexec \"$0\" --ignored --exact {role} --nocapture --quiet");
    let child = Command::new("unshare")
        .args(namespaces)
        .args(["sh", "-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env("LIMBIC_VFS_ARGS", args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn();
    Some(child.unwrap())
}

fn succeeds(child: Option<Child>) {
    let Some(child) = child else { return };
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

fn value(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT value FROM n", [], |row| row.get(0))
}

fn refused(path: &Path) -> HostError {
    open_with(path, OpenFlags::default(), Access::default()).unwrap_err();
    take_last_failure().unwrap().error
}

#[test]
#[ignore = "started by other tests"]
fn child_writes() {
    let Some(args) = arguments() else { return };
    let connection = open(args[0].as_ref());
    connection.execute_batch(SCHEMA).unwrap();
    connection.execute_batch("UPDATE n SET value = value + 1").unwrap();
    assert_eq!(value(&connection), Ok(1));
}

#[test]
fn the_disks_of_containers_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    for mount in [
        format!("mkdir {at}/tmpfs; mount -t tmpfs none {at}/tmpfs"),
        format!(
            "mkdir {at}/base {at}/overlay; mount -t tmpfs none {at}/base; mkdir {at}/base/l {at}/base/u {at}/base/w; \
             mount -t overlay none -o lowerdir={at}/base/l,upperdir={at}/base/u,workdir={at}/base/w {at}/overlay"
        ),
    ] {
        let name = if mount.contains("overlay") { "overlay" } else { "tmpfs" };
        succeeds(spawn_in(&MOUNTS, &mount, "child_writes", &format!("{at}/{name}/m.db")));
    }
}

#[test]
#[ignore = "started by other tests"]
fn child_is_refused() {
    let Some(args) = arguments() else { return };
    let error = refused(args[0].as_ref());
    assert_eq!(error, HostError::FileMount);
    // Its folder at another path has the same locks.
    let (theirs, ours) = (open(args[1].as_ref()), open(args[2].as_ref()));
    theirs.execute_batch("BEGIN IMMEDIATE; UPDATE n SET value = value + 1").unwrap();
    ours.busy_timeout(Duration::ZERO).unwrap();
    let busy = ours.execute_batch("BEGIN IMMEDIATE").unwrap_err();
    assert_eq!(busy.sqlite_error_code(), Some(ErrorCode::DatabaseBusy));
    theirs.execute_batch("COMMIT").unwrap();
    assert_eq!(value(&ours), Ok(1));
}

#[test]
fn a_file_that_is_mounted_alone_is_refused_and_a_mounted_folder_shares_its_locks() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    for name in ["data", "alone", "mounted"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    open(&folder.path().join("data/m.db")).execute_batch(SCHEMA).unwrap();
    let mount = format!(
        "touch {at}/alone/m.db; mount --bind {at}/data/m.db {at}/alone/m.db; mount --bind {at}/data {at}/mounted"
    );
    let args = format!("{at}/alone/m.db {at}/data/m.db {at}/mounted/m.db");
    succeeds(spawn_in(&MOUNTS, &mount, "child_is_refused", &args));
}

#[test]
#[ignore = "started by other tests"]
fn child_reads_until_its_input_ends() {
    let Some(args) = arguments() else { return };
    // Reads during a write are retried, here and below.
    let connection =
        (0..1_000).find_map(|_| open_with(&args[0], OpenFlags::default(), Access::default()).ok()).unwrap();
    let refused = connection.execute_batch("UPDATE n SET value = 99").unwrap_err();
    assert_eq!(refused.sqlite_error_code(), Some(ErrorCode::ReadOnly));
    for line in std::io::stdin().lines() {
        line.unwrap();
        let equal = "SELECT (SELECT value FROM n) = (SELECT value FROM n2), (SELECT value FROM n)";
        let (attempt, is_equal, value): (u32, bool, i64) = (1..1_000)
            .find_map(|attempt| {
                connection.query_row(equal, [], |row| Ok((attempt, row.get(0)?, row.get(1)?))).ok()
            })
            .unwrap();
        assert!(is_equal);
        println!("read {value} at attempt {attempt}");
    }
}

#[test]
fn a_read_only_mount_is_read_while_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    for name in ["data", "mounted"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    let writer = open(&folder.path().join("data/m.db"));
    writer.execute_batch(SCHEMA).unwrap();
    writer.execute_batch(&SCHEMA.replace("n (", "n2 (").replace("INTO n ", "INTO n2 ")).unwrap();
    let mount = format!("mount --bind {at}/data {at}/mounted; mount -o remount,bind,ro {at}/mounted");
    let args = format!("{at}/mounted/m.db");
    let Some(mut child) = spawn_in(&MOUNTS, &mount, "child_reads_until_its_input_ends", &args) else {
        return;
    };
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for round in 1..=20 {
        writer
            .execute_batch("BEGIN; UPDATE n SET value = value + 1; UPDATE n2 SET value = value + 1; COMMIT")
            .unwrap();
        std::io::Write::write_all(&mut input, b"\n").unwrap();
        if round % 5 == 0 {
            let expected = format!("read {round}");
            assert!(lines.any(|line| line.unwrap().contains(&expected)), "{expected}");
        }
    }
    // A read succeeds after the write, although the time of the file is as coarse as the kernel's tick.
    for round in 21..=25 {
        writer.execute_batch("UPDATE n SET value = value + 1; UPDATE n2 SET value = value + 1").unwrap();
        std::io::Write::write_all(&mut input, b"\n").unwrap();
        let read = format!("read {round} at attempt ");
        let line = lines.by_ref().map(Result::unwrap).find(|line| line.contains(&read)).unwrap();
        assert!(line.ends_with(&format!("{read}1")), "{line}");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
#[ignore = "started by other tests"]
fn child_holds_a_lock() {
    let Some(args) = arguments() else { return };
    let connection = open(args[0].as_ref());
    connection.execute_batch("BEGIN EXCLUSIVE; UPDATE n SET value = 99").unwrap();
    println!("holds as process {}", std::process::id());
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Identities of kernel and machine as containers show them.
const IDENTITIES: [(&str, &str); 4] = [
    ("those of its host", ""),
    ("a fixed host name and no machine id", "hostname memory-0; mount --bind /dev/null /etc/machine-id"),
    ("another boot id", "mount --bind $boot /proc/sys/kernel/random/boot_id"),
    (
        "another boot id, host name and machine id",
        "hostname memory-0; mount --bind $boot /etc/machine-id; mount --bind $boot /proc/sys/kernel/random/boot_id",
    ),
];

/// It is process 1 of its namespace, which in this namespace is another process.
#[test]
fn the_lock_of_a_process_in_another_pid_namespace_holds_until_it_is_killed() {
    for (shown, script) in IDENTITIES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.db");
        let boot = folder.path().join("boot");
        fs::write(&boot, "00000000-0000-4000-8000-000000000001\n").unwrap();
        if script.contains("/etc/machine-id") && !Path::new("/etc/machine-id").exists() {
            println!("skipped: this machine has no id");
            continue;
        }
        let connection = open(&path);
        connection.execute_batch(SCHEMA).unwrap();
        let script = format!("boot={}; {script}", boot.display());
        let child = spawn_in(&PROCESSES, &script, "child_holds_a_lock", &path.display().to_string());
        let Some(mut child) = child else { return };
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("holds as process 1")), "{shown}");
        connection.busy_timeout(Duration::from_millis(1_200)).unwrap();
        let is_busy = |connection: &Connection| {
            value(connection).unwrap_err().sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
        };
        assert!(is_busy(&connection), "{shown}");
        // `unshare --fork` outlives a kill of its own, so its child is killed.
        let pid = child.id();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
        for inner in children.split_ascii_whitespace() {
            assert!(Command::new("kill").args(["-KILL", inner]).status().unwrap().success());
        }
        child.wait().unwrap();
        if shown.starts_with("another boot id, host name") {
            // An owner under another kernel, such as in a virtual machine, has such an identity.
            assert!(is_busy(&connection), "{shown}");
            assert!(take_holder().unwrap().contains("on memory-0"));
            let text = path.to_str().unwrap();
            let done = unlock(Arc::new(limbic_vfs::StdHost), text, true).unwrap();
            assert!(done.report.contains("Removed the lock files of 1 owner"), "{}", done.report);
        }
        assert_eq!(value(&connection), Ok(0), "{shown}");
        connection.execute_batch("UPDATE n SET value = 1").unwrap();
    }
}

#[test]
fn a_fuse_mount_is_refused_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    let has_bindfs = Command::new("bindfs").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !has_bindfs {
        assert!(env::var_os("LIMBIC_TEST_REQUIRE_BINDFS").is_none(), "bindfs is not installed");
        println!("skipped: bindfs is not installed");
        return;
    }
    let mount = format!("mkdir {at}/data {at}/fuse; bindfs {at}/data {at}/fuse");
    succeeds(spawn_in(&MOUNTS, &mount, "child_is_refused_on_fuse", &format!("{at}/fuse")));
}

#[test]
#[ignore = "started by other tests"]
fn child_is_refused_on_fuse() {
    let Some(args) = arguments() else { return };
    let folder = Path::new(&args[0]);
    let error = refused(&folder.join("m.db")).to_string();
    assert!(error.contains("FUSE (bindfs)") || error.contains("FUSE"), "{error}");
    assert!(error.contains(&args[0]), "{error}");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0, "nothing was created");
}
