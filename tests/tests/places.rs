//! Locations of a database: both servers on real mounts and in Linux PID namespaces, as in containers. Without the
//! right to create namespaces, the tests are skipped with a message.

#![cfg(target_os = "linux")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use anyhow::{Context, Result, bail, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{
    BackEnd,
    stdio::{Program, Server},
};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

const BOTH: [Program; 2] = [Program::Native, Program::Node];
const MOUNTS: [&str; 1] = ["--mount"];
const CONTAINER: [&str; 6] = ["--mount", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child"];
/// A host name and no machine id, as in containers of one image.
const FIXED_NAME: &str =
    "hostname memory-0; [ ! -e /etc/machine-id ] || mount --bind /dev/null /etc/machine-id";
/// Maximum number of attempts of a read that another program's write interrupts.
const MAX_READS: usize = 200;

fn may_isolate() -> bool {
    let tried = Command::new("unshare").args(CONTAINER).arg("true").stderr(Stdio::null()).status();
    let may = tried.is_ok_and(|status| status.success());
    if !may {
        println!("skipped: this user may not create namespaces");
    }
    may
}

/// Creates a folder with subfolders of these names. Returns it with its path.
fn folders(names: &[&str]) -> Result<(TempDir, String)> {
    let folder = tempdir()?;
    for name in names {
        fs::create_dir(folder.path().join(name))?;
    }
    let at = folder.path().to_str().context("the path is text")?.to_owned();
    Ok((folder, at))
}

fn create(server: &mut Server, name: &str) -> Result<(bool, String)> {
    create_long(server, name, 20)
}

fn create_long(server: &mut Server, name: &str, length: usize) -> Result<(bool, String)> {
    let entity = json!({ "name": name, "observations": ["x".repeat(length)] });
    server.call("create_entities", &json!({ "entities": [entity] }).to_string())
}

fn creates(server: &mut Server, name: &str) -> Result<()> {
    let (is_error, answer) = create(server, name)?;
    ensure!(!is_error, "{name}: {answer}");
    Ok(())
}

fn is_refused(answer: &(bool, String), code: &str, says: &str) -> Result<()> {
    let (is_error, answer) = answer;
    let found: Value = serde_json::from_str(answer)?;
    ensure!(*is_error && found["code"] == code && answer.contains(says), "{code}, {says}: {answer}");
    Ok(())
}

fn names(server: &mut Server) -> Result<Vec<String>> {
    let (is_error, answer) = server.call("read_graph", r#"{"limit": 500}"#)?;
    ensure!(!is_error, "{answer}");
    let graph: Value = serde_json::from_str(&answer)?;
    let entities = graph["entities"].as_array().context("a graph has entities")?;
    let mut names: Vec<String> =
        entities.iter().filter_map(|entity| entity["name"].as_str().map(str::to_owned)).collect();
    names.sort();
    Ok(names)
}

/// The child processes of `unshare`.
fn children(pid: u32) -> Result<Vec<String>> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
    Ok(children.split_ascii_whitespace().map(str::to_owned).collect())
}

fn signal(name: &str, pid: &str) -> Result<()> {
    ensure!(Command::new("kill").args([name, pid]).status()?.success(), "process {pid} has ended");
    Ok(())
}

fn unlock(program: Program, db: &Path) -> Result<String> {
    let words = program.words()?;
    let output = Command::new(&words[0]).args(&words[1..]).args(["unlock", "--db"]).arg(db).output()?;
    Ok(String::from_utf8(output.stdout)?)
}

#[test]
fn a_server_in_a_container_is_known_to_run_until_it_is_killed() -> Result<()> {
    if !may_isolate() {
        return Ok(());
    }
    for (inside, outside) in
        [(Program::Node, Program::Node), (Program::Node, Program::Native), (Program::Native, Program::Node)]
    {
        let (folder, _) = folders(&[])?;
        let db = folder.path().join("memory.db");
        let mut container = Server::alone_in(inside, &CONTAINER, FIXED_NAME, &db)?;
        creates(&mut container, "Ada")?;
        let inner = children(container.pid())?;
        for pid in &inner {
            signal("-STOP", pid)?;
        }
        let report = unlock(outside, &db)?;
        ensure!(report.contains("process 1 on memory-0") && report.contains("is running"), "{report}");
        for pid in &inner {
            signal("-KILL", pid)?;
        }
        drop(container);
        // A killed process ends after a moment.
        let report = (0..MAX_READS)
            .map(|_| unlock(outside, &db))
            .find(|report| report.as_ref().is_ok_and(|report| !report.contains("is running")));
        let report = report.context("its owner never ends")??;
        ensure!(report.contains("process 1 on memory-0") && report.contains("has ended"), "{report}");
        let mut server = Server::alone(outside, &db)?;
        creates(&mut server, "Bob")?;
        ensure!(names(&mut server)? == ["Ada", "Bob"]);
        let report = unlock(outside, &db)?;
        ensure!(!report.contains("memory-0"), "{report}");
        server.stop()?;
        ensure!(!folder.path().join("memory.db-locks").exists(), "a lock file remains");
    }
    Ok(())
}

#[test]
fn servers_in_containers_lose_no_acknowledged_write_when_one_is_killed() -> Result<()> {
    if !may_isolate() {
        return Ok(());
    }
    let (folder, _) = folders(&[])?;
    let db = folder.path().join("memory.db");
    let mut servers = [
        Server::alone_in(Program::Node, &CONTAINER, FIXED_NAME, &db)?,
        Server::alone_in(Program::Native, &CONTAINER, FIXED_NAME, &db)?,
        Server::alone(Program::Node, &db)?,
    ];
    let victim = children(servers[0].pid())?;
    let mut acknowledged = Vec::new();
    thread::scope(|scope| -> Result<()> {
        let writers: Vec<_> = servers
            .iter_mut()
            .enumerate()
            .map(|(number, server)| {
                let victim = &victim;
                scope.spawn(move || -> Result<Vec<String>> {
                    let mut done = Vec::new();
                    for write in 0..30 {
                        if number == 1 && write == 8 {
                            victim.iter().try_for_each(|pid| signal("-KILL", pid))?;
                        }
                        let name = format!("server {number} write {write}");
                        match create(server, &name) {
                            Ok((false, _)) => done.push(name),
                            // This server was killed.
                            Err(_) if number == 0 => return Ok(done),
                            other => bail!("{name}: {other:?}"),
                        }
                    }
                    Ok(done)
                })
            })
            .collect();
        for writer in writers {
            acknowledged.extend(writer.join().expect("no writer panics")?);
        }
        Ok(())
    })?;
    ensure!(acknowledged.len() >= 60, "{acknowledged:?}");
    let found = names(&mut servers[2])?;
    let lost: Vec<&String> = acknowledged.iter().filter(|name| !found.contains(name)).collect();
    ensure!(lost.is_empty(), "lost: {lost:?}");
    Ok(())
}

#[test]
fn a_server_refuses_a_file_that_is_mounted_alone_and_shares_the_locks_of_a_mounted_folder() -> Result<()> {
    if !may_isolate() {
        return Ok(());
    }
    for program in BOTH {
        let (folder, at) = folders(&["data", "alone", "mounted"])?;
        let mut host = Server::alone(program, &folder.path().join("data/memory.db"))?;
        creates(&mut host, "Ada")?;
        let mount = format!(
            "touch {at}/alone/memory.db; mount --bind {at}/data/memory.db {at}/alone/memory.db; \
             mount --bind {at}/data {at}/mounted"
        );
        let mut alone = Server::alone_in(program, &MOUNTS, &mount, &folder.path().join("alone/memory.db"))?;
        is_refused(&create(&mut alone, "Bob")?, "cannot_open", "mount its folder")?;
        let left: Vec<_> = fs::read_dir(folder.path().join("alone"))?.collect::<std::io::Result<_>>()?;
        ensure!(left.len() == 1, "{left:?}");
        let mut mounted =
            Server::alone_in(program, &MOUNTS, &mount, &folder.path().join("mounted/memory.db"))?;
        creates(&mut mounted, "Bob")?;
        creates(&mut host, "Eve")?;
        ensure!(names(&mut mounted)? == ["Ada", "Bob", "Eve"]);
        let report = unlock(program, &folder.path().join("data/memory.db"))?;
        ensure!(report.matches("is running").count() == 2, "{report}");
    }
    Ok(())
}

#[test]
fn a_server_refuses_a_database_while_it_has_two_names() -> Result<()> {
    for program in BOTH {
        let (folder, _) = folders(&[])?;
        let (db, other) = (folder.path().join("memory.db"), folder.path().join("other.db"));
        let mut server = Server::alone(program, &db)?;
        creates(&mut server, "Ada")?;
        fs::hard_link(&db, &other)?;
        is_refused(&create(&mut server, "Bob")?, "database_moved", "hard link")?;
        for path in [&db, &other] {
            let mut second = Server::alone(program, path)?;
            is_refused(&create(&mut second, "Bob")?, "cannot_open", "hard link")?;
        }
        fs::remove_file(&other)?;
        creates(&mut server, "Eve")?;
        ensure!(names(&mut server)? == ["Ada", "Eve"]);
    }
    Ok(())
}

#[test]
fn a_server_on_a_read_only_mount_reads_while_another_writes() -> Result<()> {
    if !may_isolate() {
        return Ok(());
    }
    for (program, other) in [(Program::Node, Program::Native), (Program::Native, Program::Node)] {
        let (folder, at) = folders(&["data", "mounted"])?;
        let mut writer = Server::alone(other, &folder.path().join("data/memory.db"))?;
        creates(&mut writer, "write 0")?;
        let mount = format!("mount --bind {at}/data {at}/mounted; mount -o remount,bind,ro {at}/mounted");
        let mut reader =
            Server::alone_in(program, &MOUNTS, &mount, &folder.path().join("mounted/memory.db"))?;
        for write in 1..6 {
            creates(&mut writer, &format!("write {write}"))?;
            let read = names(&mut reader)?;
            ensure!(read.len() == write + 1, "{program:?} reads {read:?} after write {write}");
        }
        is_refused(&create(&mut reader, "Bob")?, "read_only", "permission to write the file and its folder")?;
        ensure!(names(&mut writer)?.len() == 6);
    }
    Ok(())
}

/// Creates a database with one entity, Ada, and beside it the journal of a write that was cut off in the middle, as a
/// killed program leaves them.
fn create_cut_off(db: &Path) -> Result<()> {
    let whole = db.with_file_name("whole.db");
    let mut server = Server::alone(Program::Native, &whole)?;
    creates(&mut server, "Ada")?;
    server.stop()?;
    let writer = Connection::open(&whole)?;
    // More than the cache holds, so that the file changes before the transaction ends.
    writer.execute_batch(
        "PRAGMA journal_mode = PERSIST; PRAGMA cache_size = 1; BEGIN IMMEDIATE;
         UPDATE entities SET name = 'half of a write';
         CREATE TABLE half AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
             SELECT zeroblob(4000) AS bytes FROM n;",
    )?;
    for suffix in ["", "-journal"] {
        fs::copy(format!("{}{suffix}", whole.display()), format!("{}{suffix}", db.display()))?;
    }
    Ok(())
}

#[test]
fn a_reading_server_undoes_the_write_that_a_killed_program_left() -> Result<()> {
    for program in BOTH {
        let (folder, at) = folders(&["data", "mounted"])?;
        let db = folder.path().join("data/memory.db");
        create_cut_off(&db)?;
        if may_isolate() {
            let mount = format!("mount --bind {at}/data {at}/mounted; mount -o remount,bind,ro {at}/mounted");
            let mut reader =
                Server::alone_in(program, &MOUNTS, &mount, &folder.path().join("mounted/memory.db"))?;
            let answer = reader.call("read_graph", "{}")?;
            is_refused(&answer, "read_only", "once where its file and folder can be written")?;
        }
        let mut reader = Server::reading(program, &db)?;
        ensure!(names(&mut reader)? == ["Ada"], "{program:?}");
        is_refused(&create(&mut reader, "Bob")?, "read_only", "without --read-only")?;
        // What is undone stays undone for programs that know nothing of this.
        reader.stop()?;
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'half'";
        ensure!(Connection::open(&db)?.query_row(tables, [], |row| row.get::<_, u64>(0))? == 0);
    }
    Ok(())
}

/// Fills the disk of a server through its own mounts.
fn fill(path: &Path) -> Result<()> {
    for bytes in [65_536, 4_096, 1] {
        let mut file = fs::OpenOptions::new().append(true).create(true).open(path)?;
        while std::io::Write::write_all(&mut file, &vec![1; bytes]).is_ok() {}
    }
    Ok(())
}

#[test]
fn a_server_on_a_full_disk_reads_and_writes_again_when_there_is_room() -> Result<()> {
    if !may_isolate() {
        return Ok(());
    }
    for program in BOTH {
        let (_folder, at) = folders(&["full"])?;
        let db = PathBuf::from(format!("{at}/full/memory.db"));
        let mount = format!("mount -t tmpfs -o size=8m none {at}/full");
        let mut server = Server::alone_in(program, &MOUNTS, &mount, &db)?;
        creates(&mut server, "Ada")?;
        let inside = PathBuf::from(format!("/proc/{}/root{at}/full", server.pid()));
        fill(&inside.join("filler"))?;
        let mut refused = 0;
        for number in 0..40 {
            // Writes succeed as long as there is space.
            let answer = create_long(&mut server, &format!("entity {number}"), 9_000)?;
            if answer.0 {
                is_refused(&answer, "disk_full", "")?;
                refused += 1;
            }
        }
        let stored = names(&mut server)?.len();
        ensure!(refused > 0 && stored == 1 + 40 - refused, "{program:?}: {stored} stored, {refused} refused");
        // The next lock needs an owner file, for which there is no space.
        fs::remove_dir_all(inside.join("memory.db-locks"))?;
        let _ = create_long(&mut server, "late", 9_000)?;
        fs::remove_file(inside.join("filler"))?;
        creates(&mut server, "Bob")?;
        ensure!(names(&mut server)?.contains(&"Bob".to_owned()));
    }
    Ok(())
}

#[test]
fn a_server_refuses_a_fuse_mount_unless_it_is_accepted() -> Result<()> {
    let has_bindfs = Command::new("bindfs").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !has_bindfs {
        ensure!(env::var_os("LIMBIC_TEST_REQUIRE_BINDFS").is_none(), "bindfs is not installed");
        println!("skipped: bindfs is not installed");
    }
    if !has_bindfs || !may_isolate() {
        return Ok(());
    }
    for program in BOTH {
        let (folder, at) = folders(&["data", "fuse"])?;
        let mount = format!("bindfs {at}/data {at}/fuse");
        let db = folder.path().join("fuse/memory.db");
        let mut server = Server::alone_in(program, &MOUNTS, &mount, &db)?;
        is_refused(&create(&mut server, "Ada")?, "shared_disk", &format!("{at}/fuse"))?;
        ensure!(fs::read_dir(folder.path().join("data"))?.next().is_none(), "something was created");
        let accepted = format!("{mount}; export LIMBIC_SHARED_DISK=1");
        let mut server = Server::alone_in(program, &MOUNTS, &accepted, &db)?;
        creates(&mut server, "Ada")?;
    }
    Ok(())
}

/// The names of tests in the table of `node/README.md`.
#[test]
fn every_test_that_the_readme_names_for_a_place_is_there() -> Result<()> {
    let readme = fs::read_to_string(limbic_tests::project("node/README.md"))?;
    let (_, rest) = readme.split_once("| place | what happens | test |").context("the table of places")?;
    let mut sources = String::new();
    for folder in ["crates/limbic-vfs/tests", "crates/limbic-vfs/tests/interleavings", "tests/tests"] {
        for entry in fs::read_dir(limbic_tests::project(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                sources += &fs::read_to_string(path)?;
            }
        }
    }
    let rows: Vec<&str> = rest.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    ensure!(rows.len() >= 8, "{rows:?}");
    for row in rows {
        let tests = row.rsplit('|').nth(1).context("a row has three cells")?;
        let named: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        ensure!(!named.is_empty(), "no test for: {row}");
        for name in named {
            ensure!(sources.contains(&format!("fn {name}(")), "there is no test {name}");
        }
    }
    Ok(())
}
