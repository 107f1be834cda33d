//! Database files: of other programs, damaged ones, and Limbic's own opened by different builds.

mod encrypted_bytes;
mod encryption;
mod passphrases;
mod two_files;
mod vault;

use std::{fs, path::Path, sync::Barrier, thread};

use anyhow::{Result, ensure};
use limbic_core::{Host, rusqlite::Connection};
use limbic_tests::{
    BackEnd, START_MILLIS,
    memory::{Native, connect},
    project,
    stdio::Server,
};
use limbic_tools::{Error, Limbic, Options};
use serde_json::Value;
use tempfile::tempdir;

/// Creates a database with the DDL of MCP Memory v2 and fills it by plain SQL.
fn seed_database(path: &Path) -> Result<()> {
    limbic_vfs::register_vec0();
    let connection = Connection::open(path)?;
    connection.execute_batch(&fs::read_to_string(project(
        "crates/limbic-core/src/db/migrations/0001_mcp_memory_v2.sql",
    ))?)?;
    connection.execute_batch(
        "INSERT INTO entities (name, entity_type) VALUES ('Atlas', 'Proyecto'), ('SQLite', 'Sistema');
         INSERT INTO observations (entity_id, content) VALUES (1, 'Ships on Mondays'), (1, 'Keeps its data in one file');
         INSERT INTO observations (entity_id, content, kind, supersedes) VALUES (1, 'Ships on Fridays', 'milestone', 1);
         UPDATE observations SET superseded_at = datetime('now') WHERE id = 1;
         INSERT INTO relations (from_entity, to_entity, relation_type) VALUES (1, 2, 'uses');",
    )?;
    Ok(())
}

fn opening(path: &Path) -> Result<Error> {
    let opened = connect(path).and_then(|connection| {
        Ok(Limbic::open(connection, Box::new(limbic_tests::memory::NoHost), Options::default())?)
    });
    match opened {
        Ok(_) => anyhow::bail!("{} was opened", path.display()),
        Err(error) => error.downcast(),
    }
}

#[test]
fn a_seed_database_is_not_changed_and_can_be_imported() -> Result<()> {
    let folder = tempdir()?;
    let seed = folder.path().join("seed.db");
    seed_database(&seed)?;
    let before = fs::read(&seed)?;
    let error = opening(&seed)?;
    ensure!(error.code() == "foreign_database", "{error}");
    ensure!(error.to_string().contains("MCP Memory v2"), "{error}");
    ensure!(fs::read(&seed)? == before, "the file was changed");

    let mut memory = Native::in_memory()?;
    let arguments = serde_json::json!({ "source_path": seed }).to_string();
    for (observations, relations) in [(3, 1), (0, 0)] {
        let (is_error, answer) = memory.call("migrate", &arguments)?;
        let answer: Value = serde_json::from_str(&answer)?;
        ensure!(!is_error && answer["entities_imported"] == 2, "{answer}");
        ensure!(
            answer["observations_imported"] == observations && answer["relations_imported"] == relations,
            "{answer}"
        );
    }
    let (_, found) =
        memory.call("search_semantic", r#"{"query": "on which day does it ship?", "limit": 1}"#)?;
    let found: Value = serde_json::from_str(&found)?;
    ensure!(found["results"][0]["name"] == "Atlas", "{found}");
    ensure!(found["results"][0]["observations"].to_string().contains("Fridays"), "{found}");
    ensure!(!found["results"][0]["observations"].to_string().contains("Mondays"), "{found}");
    Ok(())
}

#[test]
fn files_of_other_programs_are_not_changed() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    Native::open(&path)?;
    let ours = fs::read(&path)?;

    let mut newer = ours.clone();
    newer[60..64].copy_from_slice(&99_u32.to_be_bytes());
    let mut damaged = ours.clone();
    damaged[100..].fill(0x5a);
    let text =
        b"this file is not a database but a text that is longer than the header of a database would be"
            .repeat(9);
    // Written by SQLCipher 4.19 with a raw key.
    let encrypted = fs::read(project("crates/limbic-core/testdata/sqlcipher4.db"))?;
    let partial_page = encrypted[..5000].to_vec();
    for (bytes, code) in [
        (newer, "newer_version"),
        (text, "not_a_database"),
        (encrypted, "encrypted_database"),
        (partial_page, "not_a_database"),
        (vec![0x5a; 8192], "not_a_database"),
        (damaged, "database_damaged"),
        (ours[..5000].to_vec(), "database_damaged"),
    ] {
        fs::write(&path, &bytes)?;
        let error = opening(&path)?;
        ensure!(error.code() == code, "{} where {code} was expected: {error}", error.code());
        ensure!(fs::read(&path)? == bytes, "the file was changed ({code})");
    }
    Ok(())
}

#[test]
fn node_and_native_server_alternate_on_one_file() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    let create = |name: &str| {
        format!(r#"{{"entities": [{{"name": "{name}", "observations": ["written by {name}"]}}]}}"#)
    };
    let mut seen = Vec::new();
    for round in 0..3 {
        let mut native = Native::open(&path)?;
        ensure!(!native.call("create_entities", &create(&format!("native {round}")))?.0);
        native.drain()?;
        seen.push(native.call("search_semantic", r#"{"query": "written by native", "limit": 50}"#)?.1);
        drop(native);
        let mut node = Server::node(&path)?;
        ensure!(!node.call("create_entities", &create(&format!("node {round}")))?.0);
        seen.push(node.call("read_graph", r#"{"detail": "full"}"#)?.1);
        node.stop()?;
    }
    let mut native = Native::open(&path)?;
    let (_, graph) = native.call("read_graph", "{}")?;
    let graph: Value = serde_json::from_str(&graph)?;
    ensure!(graph["totals"]["entities"] == 6, "{graph} after {seen:?}");
    let check: String = Connection::open(&path)?.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    ensure!(check == "ok", "{check}");
    Ok(())
}

/// Copies the open files of a database in WAL mode: the state that a killed program leaves.
fn leave_in_wal_mode(path: &Path) -> Result<()> {
    let folder = tempdir()?;
    let original = folder.path().join("original.db");
    Native::open(&original)?;
    let connection = Connection::open(&original)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.execute("INSERT INTO entities (name) VALUES ('written in WAL')", [])?;
    fs::copy(&original, path)?;
    fs::copy(folder.path().join("original.db-wal"), path.with_extension("db-wal"))?;
    Ok(())
}

#[test]
fn commits_in_the_wal_of_a_killed_program_are_read() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    leave_in_wal_mode(&path)?;
    let mut node = Server::node(&path)?;
    let (_, graph) = node.call("read_graph", "{}")?;
    ensure!(graph.contains("written in WAL"), "{graph}");
    ensure!(!node.call("create_entities", r#"{"entities": [{"name": "after it"}]}"#)?.0);
    node.stop()?;
    let mut native = Native::open(&path)?;
    let (_, graph) = native.call("read_graph", "{}")?;
    ensure!(graph.contains("written in WAL") && graph.contains("after it"), "{graph}");
    Ok(())
}

/// Runs on Linux only, which lists the locks of other programs.
#[test]
#[cfg(target_os = "linux")]
fn a_limbic_database_that_another_program_has_open_in_wal_mode_is_not_converted() -> Result<()> {
    for start in [Server::native_alone as fn(&Path) -> Result<Server>, Server::node_alone] {
        let folder = tempdir()?;
        let path = folder.path().join("memory.db");
        Native::open(&path)?;
        let other = Connection::open(&path)?;
        other.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        other.execute("INSERT INTO entities (name) VALUES ('before')", [])?;
        let mut server = start(&path)?;
        let (is_error, answer) = server.call("read_graph", "{}")?;
        ensure!(is_error && answer.contains("open in WAL mode"), "{answer}");
        other.execute("INSERT INTO entities (name) VALUES ('after')", [])?;
        drop(other);
        let (_, graph) = server.call("read_graph", "{}")?;
        ensure!(graph.contains("before") && graph.contains("after"), "{graph}");
        server.stop()?;
    }
    Ok(())
}

/// The host of one of several concurrent openers, with random bytes of its own.
struct Opener(u8);

impl Host for Opener {
    fn now_millis(&self) -> i64 {
        START_MILLIS
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        buffer.fill(self.0);
    }
}

#[test]
fn servers_that_open_a_file_in_wal_mode_at_once_all_succeed() -> Result<()> {
    for _ in 0..4 {
        let folder = tempdir()?;
        let path = folder.path().join("memory.db");
        leave_in_wal_mode(&path)?;
        let start = Barrier::new(4);
        let open = |chance: u8| {
            let connection = connect(&path)?;
            start.wait();
            let mut limbic = Limbic::open(connection, Box::new(Opener(chance)), Options::default())?;
            let answer = limbic.call("read_graph", "{}", &[]);
            ensure!(!answer.is_error && answer.json.contains("written in WAL"), "{}", answer.json);
            Ok(())
        };
        thread::scope(|scope| {
            let openers = [10, 80, 150, 220].map(|chance| scope.spawn(move || open(chance)));
            openers.into_iter().try_for_each(|opener| opener.join().expect("no opener panics"))
        })?;
    }
    Ok(())
}

#[cfg(unix)]
/// A restored copy, a file sync or a checkout replaces the file while a server has it open.
fn continues_on_a_file_renamed_over_its_own(start: fn(&Path) -> Result<Server>) -> Result<()> {
    let folder = tempdir()?;
    let (path, copy) = (folder.path().join("memory.db"), folder.path().join("copy.db"));
    let create =
        |name: &str| format!(r#"{{"entities": [{{"name": "{name}", "observations": ["a fact"]}}]}}"#);
    let mut server = start(&path)?;
    ensure!(!server.call("create_entities", &create("First"))?.0);
    fs::copy(&path, &copy)?;
    ensure!(!server.call("create_entities", &create("Second"))?.0);
    fs::rename(&copy, &path)?;
    let (is_error, answer) = server.call("create_entities", &create("Third"))?;
    ensure!(is_error && answer.contains(r#""code":"database_moved""#), "{answer}");
    ensure!(!server.call("create_entities", &create("Fourth"))?.0);
    server.stop()?;
    let connection = Connection::open(&path)?;
    let mut statement = connection.prepare("SELECT name FROM entities ORDER BY id")?;
    let names = statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    ensure!(names == ["First", "Fourth"], "{names:?}");
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_native_server_continues_on_a_file_renamed_over_its_own() -> Result<()> {
    continues_on_a_file_renamed_over_its_own(Server::native_alone)
}

#[cfg(unix)]
#[test]
fn a_node_server_continues_on_a_file_renamed_over_its_own() -> Result<()> {
    continues_on_a_file_renamed_over_its_own(Server::node_alone)
}
