//! Databases of other programs, opened with Limbic while in use: no command may change them.

use std::{
    fs::{self, File},
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::SystemTime,
};

use anyhow::{Result, ensure};
use limbic_core::rusqlite::{Connection, params};
use limbic_tests::stdio::{limbic_binary, node_main};
use tempfile::tempdir;

/// The messages of an MCP client that calls a tool.
const SESSION: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
    r#""capabilities":{},"clientInfo":{"name":"limbic-tests","version":"0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_graph","arguments":{}}}"#,
    "\n",
);

/// A command line without the option that names the database, and its standard input.
type Case = (Vec<String>, &'static str);

/// Every command of both programs that opens a database.
fn commands() -> Result<Vec<Case>> {
    let native = limbic_binary()?.to_string_lossy().into_owned();
    let node = node_main()?.to_string_lossy().into_owned();
    let case = |program: &[&str], arguments: &[&str], input: &'static str| -> Case {
        (program.iter().chain(arguments).map(|part| (*part).to_owned()).collect(), input)
    };
    Ok(vec![
        case(&[&native], &["call", "read_graph", "--no-model"], ""),
        case(&[&native], &["call", "read_graph", "--no-model", "--read-only"], ""),
        case(&[&native], &["export", "--out", "-"], ""),
        case(&["node", &node], &["export", "--out", "-"], ""),
        case(&["node", &node], &["audit"], ""),
        case(&["node", &node], &["hook", "session-start"], "{}"),
        case(&["node", &node], &["--no-model"], SESSION),
        case(&["node", &node], &["--no-model", "--read-only"], SESSION),
    ])
}

fn run((line, input): &Case, database: &Path) -> Result<Output> {
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]).arg("--db").arg(database).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // Some commands end before they have read their input.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    Ok(child.wait_with_output()?)
}

/// A file: its path, content, mode and time of its last change.
type FileState = (PathBuf, Vec<u8>, u32, SystemTime);

/// Every file in a folder, by path.
fn state(folder: &Path) -> Result<Vec<FileState>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let found = fs::metadata(&path)?;
        #[cfg(unix)]
        let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions());
        #[cfg(windows)]
        let mode = 0;
        let bytes = if found.is_file() { read(&path)? } else { Vec::new() };
        files.push((path, bytes, mode, found.modified()?));
    }
    files.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(files)
}

/// The content of a file, which stays open on Unix: closing it would release the locks that SQLite holds on it in this
/// process.
fn read(path: &Path) -> Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    #[cfg(unix)]
    std::mem::forget(file);
    Ok(bytes)
}

/// Runs every command on the file while `theirs` has it open, and compares the folder before and after.
fn is_left_alone(path: &Path, theirs: &Connection) -> Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let before = state(folder)?;
    for case in &commands()? {
        let result = run(case, path)?;
        let output = format!(
            "{case:?}: {}{}",
            String::from_utf8_lossy(&result.stderr),
            String::from_utf8_lossy(&result.stdout)
        );
        ensure!(output.contains("of another program and was left as it is"), "{output}");
        ensure!(!output.contains("conflict"), "{output}");
        ensure!(state(folder)? == before, "changed by {output}");
    }
    theirs.execute("INSERT INTO notes (text) VALUES ('afterwards')", [])?;
    let sound: String = theirs.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    ensure!(sound == "ok", "{sound}");
    Ok(())
}

fn texts(path: &Path) -> Result<Vec<String>> {
    let connection = Connection::open(path)?;
    let mut statement = connection.prepare("SELECT text FROM notes ORDER BY id")?;
    let texts = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(texts)
}

#[test]
fn a_database_that_another_program_uses_in_wal_mode_is_left_as_it_is() -> Result<()> {
    // All rows are in the WAL and the first page is empty, or a table is in the main file.
    for is_checkpointed in [false, true] {
        let folder = tempdir()?;
        let path = folder.path().join("theirs.db");
        let theirs = Connection::open(&path)?;
        theirs.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        theirs.execute_batch("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")?;
        if is_checkpointed {
            theirs.pragma_update_and_check(None, "wal_checkpoint", "TRUNCATE", |_| Ok(()))?;
        }
        theirs.execute("INSERT INTO notes (text) VALUES ('committed')", [])?;
        is_left_alone(&path, &theirs)?;
        drop(theirs);
        ensure!(texts(&path)? == ["committed", "afterwards"], "{:?}", texts(&path)?);
    }
    Ok(())
}

#[test]
fn a_transaction_of_another_program_is_not_rolled_back() -> Result<()> {
    for mode in ["DELETE", "WAL"] {
        let folder = tempdir()?;
        let path = folder.path().join("theirs.db");
        let theirs = Connection::open(&path)?;
        theirs.pragma_update_and_check(None, "journal_mode", mode, |_| Ok(()))?;
        theirs.execute_batch(
            "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT); PRAGMA cache_size = 5; BEGIN;",
        )?;
        // More than the cache holds: uncommitted pages are in the file, the pages that they replace in the journal.
        for _ in 0..200 {
            theirs.execute("INSERT INTO notes (text) VALUES (?1)", params!["open ".repeat(200)])?;
        }
        is_left_alone(&path, &theirs)?;
        theirs.execute_batch("COMMIT")?;
        drop(theirs);
        ensure!(texts(&path)?.len() == 201, "{mode}: {}", texts(&path)?.len());
    }
    Ok(())
}

#[test]
fn a_file_that_is_no_database_gets_no_locks() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("notes.txt");
    fs::write(&path, "This text file was named as a database by mistake. ".repeat(40))?;
    let before = state(folder.path())?;
    for case in &commands()? {
        let result = run(case, &path)?;
        let output =
            format!("{}{}", String::from_utf8_lossy(&result.stderr), String::from_utf8_lossy(&result.stdout));
        ensure!(output.contains("not a SQLite database and was left as it is"), "{case:?}: {output}");
        ensure!(state(folder.path())? == before, "changed by {case:?}");
    }
    Ok(())
}
