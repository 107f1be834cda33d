//! Database files: of other programs, damaged ones, and Limbic's own opened by different builds.

use std::{fs, path::Path, sync::Barrier, thread};

use anyhow::{Context, Result, ensure};
use limbic_core::{
    Host,
    rusqlite::{Connection, OpenFlags},
};
use limbic_tests::{
    BackEnd, START_MILLIS,
    memory::{Native, connect},
    project,
    stdio::{Program, Server},
};
use limbic_tools::{Error, Limbic, Options};
use serde_json::Value;
use tempfile::tempdir;

/// A database made by the seed's own DDL and filled by plain SQL.
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
        native.settle()?;
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

/// Text that stands in the database only as long as it is not encrypted.
const SECRET: &str = "quelxomandril";

/// A database that is encrypted by one program, and used by both.
struct Vault {
    folder: tempfile::TempDir,
}

impl Vault {
    fn db(&self) -> std::path::PathBuf {
        self.folder.path().join("memory.db")
    }

    fn key_file(&self) -> std::path::PathBuf {
        self.folder.path().join("key")
    }

    /// Runs `key` with the key file. Returns the exit code, standard output and standard error.
    fn key(&self, program: Program, action: &str) -> Result<(Option<i32>, String, String)> {
        let words = program.words()?;
        let mut command = std::process::Command::new(&words[0]);
        command.args(&words[1..]).args(["key", action, "--db"]).arg(self.db());
        let output = command.env("LIMBIC_KEY_FILE", self.key_file()).output()?;
        let [out, err] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok((output.status.code(), out.trim().to_owned(), err))
    }

    /// Reads the graph in a server with this environment variable.
    fn graph(&self, program: Program, variable: (&str, &str)) -> Result<(bool, String)> {
        let mut server = Server::alone_with(program, &self.db(), variable)?;
        let answer = server.call("read_graph", "{}")?;
        server.stop()?;
        Ok(answer)
    }

    /// Counts the occurrences of a text in the files.
    fn traces(&self, wanted: &str) -> Result<usize> {
        let mut found = 0;
        for entry in fs::read_dir(self.folder.path())? {
            let path = entry?.path();
            if path.is_file() {
                found += fs::read(&path)?
                    .windows(wanted.len())
                    .filter(|piece| *piece == wanted.as_bytes())
                    .count();
            }
        }
        Ok(found)
    }
}

/// One program encrypts, the other one rotates the key; both read, and a server that has no key notices it.
fn is_encrypted_by(program: Program, other: Program) -> Result<()> {
    let vault = Vault { folder: tempdir()? };
    let create = format!(r#"{{"entities": [{{"name": "{SECRET}", "observations": ["a fact"]}}]}}"#);
    let mut server = Server::alone(program, &vault.db())?;
    ensure!(!server.call("create_entities", &create)?.0);
    ensure!(vault.traces(SECRET)? > 0 && vault.traces("SQLite format")? > 0);
    let (code, phrase, said) = vault.key(program, "encrypt")?;
    ensure!(code == Some(0) && phrase.len() == 69 && said.contains("overwrote the original"), "{said}");
    let (_, first) = server.call("read_graph", "{}")?;
    let (_, answer) =
        if first.contains("database_moved") { server.call("read_graph", "{}")? } else { (true, first) };
    ensure!(
        answer.contains(r#""code":"encrypted_database""#) && answer.contains("LIMBIC_KEY_FILE"),
        "{answer}"
    );
    server.stop()?;
    ensure!(vault.traces(SECRET)? + vault.traces("SQLite format")? == 0);
    ensure!(!vault.folder.path().join("memory.db-encrypting").exists());

    let key_file = vault.key_file().to_string_lossy().into_owned();
    for reader in [program, other] {
        let (is_error, graph) = vault.graph(reader, ("LIMBIC_KEY_FILE", &key_file))?;
        ensure!(!is_error && graph.contains(SECRET), "{graph}");
        let before = fs::read(vault.db())?;
        let (_, refused) = vault.graph(reader, ("LIMBIC_KEY", &"00".repeat(32)))?;
        ensure!(refused.contains(r#""code":"wrong_key""#), "{refused}");
        let (_, refused) = vault.graph(reader, ("LIMBIC_KEY", "my dog"))?;
        ensure!(refused.contains("recovery phrase") && !refused.contains("my dog"), "{refused}");
        ensure!(fs::read(vault.db())? == before, "a wrong key changed the file");
    }

    let (code, new_phrase, said) = vault.key(other, "rotate")?;
    ensure!(code == Some(0) && new_phrase != phrase, "{said}");
    let (_, refused) = vault.graph(program, ("LIMBIC_KEY", &phrase))?;
    ensure!(refused.contains(r#""code":"wrong_key""#), "{refused}");
    for variable in [("LIMBIC_KEY", new_phrase.as_str()), ("LIMBIC_KEY_FILE", &key_file)] {
        let (is_error, graph) = vault.graph(program, variable)?;
        ensure!(!is_error && graph.contains(SECRET), "{graph}");
    }
    ensure!(vault.key(program, "export")?.1 == new_phrase);
    let (code, _, said) = vault.key(program, "encrypt")?;
    ensure!(code == Some(2) && said.contains("already encrypted"), "{said}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        ensure!(fs::metadata(vault.key_file())?.permissions().mode() & 0o777 == 0o600);
        fs::set_permissions(vault.key_file(), fs::Permissions::from_mode(0o644))?;
        let (_, refused) = vault.graph(other, ("LIMBIC_KEY_FILE", &key_file))?;
        ensure!(refused.contains("chmod 600"), "{refused}");
    }
    Ok(())
}

#[test]
fn a_database_that_native_encrypts_is_read_by_both_programs_with_the_key_only() -> Result<()> {
    is_encrypted_by(Program::Native, Program::Node)
}

#[test]
fn a_database_that_node_encrypts_is_read_by_both_programs_with_the_key_only() -> Result<()> {
    is_encrypted_by(Program::Node, Program::Native)
}

/// A keychain that keeps its secrets in files, and writes down its arguments.
#[cfg(target_os = "linux")]
const SECRET_TOOL: &str = r#"#!/bin/sh
echo "$*" >> "$0.arguments"
for account; do :; done
file="$0.$(echo "$account" | cksum | cut -d' ' -f1)"
case "$1" in
store) cat > "$file" ;;
lookup) cat "$file" 2>/dev/null ;;
clear) rm -f "$file" ;;
esac
"#;

#[cfg(target_os = "linux")]
#[test]
fn the_key_is_in_the_keychain_and_in_no_argument() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let vault = Vault { folder: tempdir()? };
    let tools = tempdir()?;
    let tool = tools.path().join("secret-tool");
    fs::write(&tool, SECRET_TOOL)?;
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755))?;
    let path = format!("{}:{}", tools.path().display(), std::env::var("PATH")?);
    let key = |program: Program, action: &str| -> Result<String> {
        let words = program.words()?;
        let mut command = std::process::Command::new(&words[0]);
        command.args(&words[1..]).args(["key", action, "--db"]).arg(vault.db()).env("PATH", &path);
        let output = command.output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    let first = key(Program::Node, "encrypt")?;
    let create = r#"{"entities": [{"name": "Ada", "observations": ["a fact"]}]}"#;
    let mut server = Server::alone_with(Program::Native, &vault.db(), ("PATH", &path))?;
    ensure!(!server.call("create_entities", create)?.0);
    server.stop()?;
    ensure!(!fs::read(vault.db())?.starts_with(b"SQLite format"), "the new file is plain");
    let second = key(Program::Native, "rotate")?;
    ensure!(second != first && key(Program::Node, "export")? == second);
    let (is_error, graph) = vault.graph(Program::Node, ("PATH", &path))?;
    ensure!(!is_error && graph.contains("Ada"), "{graph}");
    let arguments = fs::read_to_string(tools.path().join("secret-tool.arguments"))?;
    ensure!(arguments.contains("store") && !arguments.contains(&first) && !arguments.contains(&second));
    Ok(())
}

/// Every tool and file of a memory works on an encrypted file: compacting, exporting as a database, replacing it.
#[test]
fn an_encrypted_database_is_compacted_exported_and_replaced() -> Result<()> {
    let folder = tempdir()?;
    let key = limbic_vfs::Key::new([5; 32]);
    let open = |name: &str| -> Result<Limbic> {
        limbic_vfs::register_vec0();
        let access = limbic_vfs::Access { key: Some(key.clone()), ..limbic_vfs::Access::default() };
        limbic_vfs::register_with("limbic-tests-encrypted", limbic_vfs::StdHost, access)?;
        let path = folder.path().join(name);
        let connection =
            Connection::open_with_flags_and_vfs(path, OpenFlags::default(), "limbic-tests-encrypted")?;
        Ok(Limbic::open(connection, Box::new(limbic_tests::memory::NoHost), Options::default())?)
    };
    let graph = |memory: &mut Limbic| memory.call("read_graph", "{}", &[]).json;
    let mut memory = open("memory.db")?;
    let create = format!(r#"{{"entities": [{{"name": "Ada", "observations": ["{SECRET}"]}}]}}"#);
    ensure!(!memory.call("create_entities", &create, &[]).is_error);
    let before = graph(&mut memory);
    memory.compact()?;
    ensure!(graph(&mut memory) == before);
    let exported = memory.export()?;
    ensure!(exported.starts_with(b"SQLite format 3\0"), "an export is plain");

    // From plain files of both forms: with room at the end of each page, and without.
    let mut other = open("other.db")?;
    other.import(exported.as_slice(), exported.len(), limbic_core::db::wal::Beside::Nothing)?;
    ensure!(graph(&mut other) == before);
    let path = folder.path().join("plain.db");
    let mut plain =
        Limbic::open(connect(&path)?, Box::new(limbic_tests::memory::NoHost), Options::default())?;
    ensure!(!plain.call("create_entities", &create.replace("Ada", "Bob"), &[]).is_error);
    let bytes = plain.export()?;
    plain.close()?;
    other.import(bytes.as_slice(), bytes.len(), limbic_core::db::wal::Beside::Nothing)?;
    ensure!(graph(&mut other).contains("Bob") && !graph(&mut other).contains("Ada"));
    other.close()?;
    let mut other = open("other.db")?;
    ensure!(graph(&mut other).contains("Bob"));
    let raw = fs::read(folder.path().join("other.db"))?;
    ensure!(!raw.windows(SECRET.len()).any(|piece| piece == SECRET.as_bytes()));
    Ok(())
}

/// Whatever fails while a database is encrypted, it is afterwards what it was, or encrypted.
#[test]
fn an_encryption_that_fails_or_is_killed_loses_nothing() -> Result<()> {
    use limbic_vfs::simulator::{Fault, Machine, Process};

    let key = limbic_vfs::Key::new([6; 32]);
    let open = |process: Process, key: Option<limbic_vfs::Key>| -> Result<Limbic> {
        let access = limbic_vfs::Access { key, ..limbic_vfs::Access::default() };
        limbic_vfs::register_with("limbic-tests-simulated", process, access)?;
        let connection =
            Connection::open_with_flags_and_vfs("/m.db", OpenFlags::default(), "limbic-tests-simulated")?;
        Ok(Limbic::open(connection, Box::new(limbic_tests::memory::NoHost), Options::default())?)
    };
    limbic_vfs::register_vec0();
    let create = format!(r#"{{"entities": [{{"name": "{SECRET}", "observations": ["a fact"]}}]}}"#);
    let filled = |seed: u64| -> Result<(Machine, Process)> {
        let machine = Machine::new(seed);
        let process = machine.process();
        let mut memory = open(process.clone(), None)?;
        ensure!(!memory.call("create_entities", &create, &[]).is_error);
        memory.close()?;
        Ok((machine, process))
    };
    let encrypt = |process: &Process| {
        let keys = limbic_encryption::Keys { old: None, new: &key };
        limbic_encryption::encrypt(process, Box::new(limbic_tests::memory::NoHost), "/m.db", keys, false)
    };
    // Some calls of all, and more of the last ones, which replace and overwrite the original.
    let (machine, process) = filled(1)?;
    let before = machine.calls();
    encrypt(&process)?;
    let calls = machine.calls() - before;
    let places: Vec<u64> =
        (0..calls).step_by(97).chain((calls.saturating_sub(30)..calls).step_by(5)).collect();
    let (mut encrypted, mut kept) = (0, 0);
    for (fault, at) in [Fault::DiskFull, Fault::Kill, Fault::PowerFailure]
        .into_iter()
        .flat_map(|fault| places.iter().map(move |at| (fault, *at)))
    {
        let (machine, process) = filled(at)?;
        machine.plan(at, fault);
        let done = encrypt(&process);
        let struck = machine.mend();
        machine.kill(&process);
        let process = machine.process();
        let is_encrypted = !limbic_vfs::Host::read(&process, "/m.db")?.starts_with(b"SQLite format 3\0");
        ensure!(is_encrypted || done.is_err(), "{fault:?} at {at}: {done:?}");
        let mut memory = open(process, is_encrypted.then(|| key.clone()))
            .with_context(|| format!("{fault:?} at {at}, encrypted: {is_encrypted}"))?;
        let graph = memory.call("read_graph", "{}", &[]).json;
        ensure!(graph.contains(SECRET), "{fault:?} at {at}: {graph}");
        memory.close()?;
        *(if is_encrypted { &mut encrypted } else { &mut kept }) += u32::from(struck);
    }
    ensure!(encrypted > 0 && kept > 0, "{encrypted} encrypted and {kept} kept in spite of a fault");
    Ok(())
}
