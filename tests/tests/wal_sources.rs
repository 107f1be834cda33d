//! Import of databases whose newest rows are in a `-wal` file, or that have a `-journal`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, ensure};
use limbic_core::{
    db::wal::{WalFile, merged},
    rusqlite::{Connection, params},
};
use limbic_protocol::SplitMix64;
use limbic_tests::{BackEnd, memory::Native, project, stdio::Server};
use limbic_tools::Source;
use serde_json::{Value, json};
use tempfile::tempdir;

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// A database of MCP Memory v2 that its program has open, with this journal mode.
fn seed(path: &Path, mode: &str) -> Result<Connection> {
    limbic_vfs::register_vec0();
    let connection = Connection::open(path)?;
    connection.pragma_update_and_check(None, "journal_mode", mode, |_| Ok(()))?;
    connection.execute_batch(&fs::read_to_string(project(
        "crates/limbic-core/src/db/migrations/0001_mcp_memory_v2.sql",
    ))?)?;
    connection.execute("INSERT INTO entities (name) VALUES ('first')", [])?;
    Ok(connection)
}

fn migrate(server: &mut dyn BackEnd, path: &Path) -> Result<Value> {
    let (_, answer) = server.call("migrate", &json!({ "source_path": path }).to_string())?;
    Ok(serde_json::from_str(&answer)?)
}

#[test]
fn only_committed_rows_of_the_wal_are_imported() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("seed.db");
    let theirs = seed(&path, "WAL")?;
    theirs.pragma_update_and_check(None, "wal_checkpoint", "TRUNCATE", |_| Ok(()))?;
    theirs.execute_batch(
        "INSERT INTO entities (name) VALUES ('second'), ('third');
         PRAGMA cache_size = 5; BEGIN;",
    )?;
    for number in 0..2_000 {
        theirs.execute("INSERT INTO entities (name) VALUES (?1)", [format!("open {number}").repeat(20)])?;
    }
    let files = || -> Result<_> { Ok((fs::read(&path)?, fs::read(beside(&path, "-wal"))?)) };
    let before = files()?;
    ensure!(before.1.len() > 100_000, "the WAL has no uncommitted rows");
    let link = folder.path().join("link.db");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&path, &link)?;
    for (number, start) in
        [Server::native_alone as fn(&Path) -> Result<Server>, Server::node_alone].into_iter().enumerate()
    {
        for (at, source) in [&path, &link].into_iter().enumerate().filter(|_| cfg!(unix)) {
            let mut server = start(&folder.path().join(format!("{number}.{at}.db")))?;
            let answer = migrate(&mut server, source)?;
            ensure!(answer["entities_imported"] == 3, "{number}: {answer}");
            server.stop()?;
        }
    }
    ensure!(files()? == before, "the source was changed");
    Ok(())
}

#[test]
fn a_source_with_a_hot_journal_is_rejected() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("seed.db");
    let theirs = seed(&path, "DELETE")?;
    theirs.execute_batch("PRAGMA cache_size = 5; BEGIN")?;
    for number in 0..2_000 {
        theirs.execute("INSERT INTO entities (name) VALUES (?1)", [format!("open {number}").repeat(20)])?;
    }
    let mut memory = Native::in_memory()?;
    let refused = migrate(&mut memory, &path)?;
    ensure!(refused["code"] == "source_unreadable", "{refused}");
    ensure!(refused["error"].as_str().is_some_and(|text| text.contains("-journal")), "{refused}");
    theirs.execute_batch("ROLLBACK")?;
    let answer = migrate(&mut memory, &path)?;
    ensure!(answer["entities_imported"] == 1, "{answer}");
    Ok(())
}

#[test]
fn a_database_in_wal_mode_without_a_known_wal_is_rejected() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("seed.db");
    let theirs = seed(&path, "WAL")?;
    let mut main = fs::read(&path)?;
    let mut memory = Native::in_memory()?;
    let answer = memory.limbic().call_with_file(
        "migrate",
        r#"{"source_path": "seed.db"}"#,
        &[],
        &mut main as &mut dyn Source,
        &mut |_, _| {},
    );
    ensure!(answer.is_error && answer.json.contains("wal_missing"), "{}", answer.json);
    drop(theirs);

    let ours = folder.path().join("ours.db");
    let mut source = Native::open(&ours)?;
    source.call("create_entities", r#"{"entities": [{"name": "kept"}]}"#)?;
    drop(source);
    let writer = Connection::open(&ours)?;
    writer.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    writer.execute("UPDATE entities SET name = 'renamed'", [])?;
    let (main, newest) = (fs::read(&ours)?, fs::read(beside(&ours, "-wal"))?);
    memory.call("create_entities", r#"{"entities": [{"name": "mine"}]}"#)?;
    let mut import = |beside| memory.limbic().import(main.as_slice(), main.len(), beside);
    let refused = import(WalFile::Unknown).map_err(|error| error.code());
    ensure!(refused == Err("wal_missing"), "{refused:?}");
    import(WalFile::from(newest))?;
    let graph = memory.call("read_graph", "{}")?.1;
    ensure!(graph.contains("renamed") && !graph.contains("mine"), "{graph}");
    memory.limbic().import(main.as_slice(), main.len(), WalFile::from(Vec::new()))?;
    ensure!(memory.call("read_graph", "{}")?.1.contains("kept"), "the main file alone");
    Ok(())
}

/// Every row, as SQLite itself reads the file with its WAL; `None` if it is damaged.
fn rows(connection: &Connection) -> Option<Vec<(i64, String)>> {
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).ok()?;
    let mut statement = connection.prepare("SELECT id, text FROM notes ORDER BY id").ok()?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).ok()?;
    rows.collect::<Result<_, _>>().ok().filter(|_| sound == "ok")
}

#[test]
fn reading_a_wal_matches_sqlite_s_recovery() -> Result<()> {
    let mut random = SplitMix64::new(14);
    let mut with_rows = 0;
    for round in 0..60 {
        let folder = tempdir()?;
        let path = folder.path().join("live.db");
        let live = Connection::open(&path)?;
        let page_bytes = [512, 1024, 4096, 65536][usize::try_from(random.below(4))?];
        live.execute_batch(&format!(
            "PRAGMA page_size = {page_bytes}; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
             PRAGMA cache_size = 3; CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"
        ))?;
        for _ in 0..random.below(12) {
            live.execute_batch("BEGIN")?;
            for _ in 0..=random.below(40) {
                let text = "x".repeat(usize::try_from(random.below(3_000))?);
                live.execute("INSERT INTO notes (text) VALUES (?1)", params![text])?;
            }
            live.execute("DELETE FROM notes WHERE id % 7 = ?1", [i64::try_from(random.below(7))?])?;
            live.execute_batch(if random.below(4) == 0 { "ROLLBACK" } else { "COMMIT" })?;
            match random.below(6) {
                0 => live.execute_batch("VACUUM")?,
                1 => live.pragma_update_and_check(None, "wal_checkpoint", "RESTART", |_| Ok(()))?,
                2 => live.pragma_update_and_check(None, "wal_checkpoint", "PASSIVE", |_| Ok(()))?,
                _ => {}
            }
        }
        if random.below(2) == 0 {
            live.execute_batch("BEGIN")?;
            live.execute("INSERT INTO notes (text) VALUES (?1)", ["open ".repeat(20_000)])?;
        }
        let main = fs::read(&path)?;
        let mut wal = fs::read(beside(&path, "-wal"))?;
        match random.below(3) {
            0 => wal.truncate(usize::try_from(random.below(wal.len() as u64 + 1))?),
            1 if !wal.is_empty() => {
                let at = usize::try_from(random.below(wal.len() as u64))?;
                wal[at] ^= 1;
            }
            _ => {}
        }
        let copy = folder.path().join("copy.db");
        fs::write(&copy, &main)?;
        fs::write(beside(&copy, "-wal"), &wal)?;
        let expected = rows(&Connection::open(&copy)?);

        let (whole, size) = merged(main.as_slice(), main.len(), WalFile::from(wal))?;
        let mut mine = Connection::open_in_memory()?;
        mine.deserialize_read_exact("main", whole, size, true)?;
        ensure!(rows(&mine) == expected, "round {round}, pages of {page_bytes} bytes");
        with_rows += usize::from(expected.is_some_and(|rows| !rows.is_empty()));
    }
    ensure!(with_rows > 20, "only {with_rows} rounds had rows");
    Ok(())
}
