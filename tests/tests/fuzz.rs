//! Fuzz targets: no foreign input makes the core panic or corrupts a memory. `cargo xtask fuzz` runs them for longer.

use std::{cell::Cell, fs, sync::Arc, time::Duration};

use anyhow::{Context, Result, anyhow, ensure};
use limbic_core::model::globs::matches;
use limbic_guard::{escape, find_secret, redact_personal};
use limbic_tests::{
    BackEnd,
    fuzz::{Budget, Target, files},
    memory::Native,
    project,
};
use limbic_vfs::{StdHost, unlock};
use serde_json::{Value, json};
use tempfile::tempdir;

/// Asserts that an answer is JSON and no internal error.
fn expected(is_error: bool, answer: &str) -> Result<Value> {
    let value: Value = serde_json::from_str(answer).context("the answer is no JSON")?;
    ensure!(is_error == value["code"].is_string(), "an error needs a code, and a code an error: {answer}");
    ensure!(value["code"] != "internal", "{answer}");
    Ok(value)
}

#[test]
fn a_memory_works_after_any_import() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("source");
    let mut corpus = files(&project("tests/files"), &[".jsonl", ".json", ".md", ".af", ".txt"])?;
    let database = folder.path().join("small.db");
    let connection = limbic_core::rusqlite::Connection::open(&database)?;
    connection.execute_batch(
        "PRAGMA page_size = 512;
         CREATE TABLE entities (id INTEGER PRIMARY KEY, name TEXT, entity_type TEXT);
         INSERT INTO entities VALUES (1, 'Ada', 'Person');
         CREATE TABLE observations (id INTEGER PRIMARY KEY, entity_id INTEGER, content TEXT);
         INSERT INTO observations VALUES (1, 1, 'a fact');
         CREATE TABLE relations (id INTEGER PRIMARY KEY, from_entity INTEGER, to_entity INTEGER, relation_type TEXT);",
    )?;
    drop(connection);
    corpus.push(fs::read(&database)?);
    let words =
        ["\"type\":\"memory\"", "\"id\":", "\"content\":", "\"nodes\":", "\"edges\":", "# ", "---\n", "- ["];
    let target = Target { name: "imports", corpus, words: &words, inputs: 40 };
    target.run(|input| {
        fs::write(&path, input)?;
        let mut memory = Native::in_memory()?;
        let (is_error, answer) = memory.call("migrate", &json!({ "source_path": path }).to_string())?;
        expected(is_error, &answer)?;
        let (is_error, answer) = memory.call("memory_store", r#"{"content": "Ships on Mondays"}"#)?;
        ensure!(!is_error, "the memory does not work after the import: {answer}");
        Ok(())
    })
}

#[test]
fn secrets_and_addresses_beside_any_text_are_found() -> Result<()> {
    const TOKEN: &str = "gh·p_jN6V7dd267wIw6qmaM2N8yUzNrVC6v7k9IZ8";
    const ADDRESS: &str = "marta.ruiz@correo.es";
    let token = TOKEN.replace('·', "");
    let corpus = files(&project("tests/files"), &[".tsv"])?
        .iter()
        .flat_map(|list| list.split(|byte| *byte == b'\n'))
        .map(|line| String::from_utf8_lossy(line).replace('·', "").into_bytes())
        .collect();
    let words =
        ["password=", "token: ", "://u:p4ss@h", "sk-", "eyJ", "-----BEGIN ", "4242 4242", "\u{200B}", "${X}"];
    let target = Target { name: "guard", corpus, words: &words, inputs: 2_000 };
    target.run(|input| {
        let text = String::from_utf8_lossy(input);
        let once = escape(&text);
        ensure!(escape(&once) == once, "escaping twice differs from escaping once");
        let longer = format!("{text}\n\n{token}\n\n{ADDRESS}\n");
        ensure!(find_secret(&longer).is_some(), "a token in a line of its own is missed");
        let redacted = redact_personal(&longer);
        ensure!(!redacted.contains(ADDRESS), "an address in a line of its own stays");
        ensure!(redact_personal(&redacted) == redacted, "redacting twice differs from redacting once");
        Ok(())
    })
}

#[test]
fn no_statement_of_the_console_changes_the_memory() -> Result<()> {
    let mut memory = Native::in_memory_offering(&["memory", "graph", "explorer"])?;
    for fact in ["Ships on Mondays", "The port is 8080"] {
        let (is_error, answer) = memory.call("memory_store", &json!({ "content": fact }).to_string())?;
        ensure!(!is_error, "{answer}");
    }
    let content =
        json!({ "sql": "SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM sqlite_schema),
        (SELECT group_concat(content) FROM memories), (SELECT user_version FROM pragma_user_version)" })
        .to_string();
    let (is_error, before) = memory.call("query_sql", &content)?;
    ensure!(!is_error, "{before}");
    let cases = fs::read_to_string(project("tests/cases/explorer/sql.jsonl"))?;
    let corpus = cases
        .lines()
        .filter_map(|line| {
            serde_json::from_str::<Value>(line).ok()?["arguments"]["sql"].as_str().map(str::to_owned)
        })
        // This statement runs until the console's time limit.
        .filter(|sql| !sql.contains("RECURSIVE"))
        .map(String::into_bytes)
        .collect();
    let words = [
        "SELECT ",
        "FROM memories ",
        "DELETE FROM memories",
        "PRAGMA user_version=7",
        "WITH x AS (",
        "UPDATE memories ",
        "ATTACH 'x' AS y;",
        "zeroblob(9)",
        "VACUUM INTO 'x'",
        "BEGIN;",
        "COMMIT;",
        "sqlite_dbpage",
        "json_each('[1]')",
        "DROP TABLE memories;",
        "MATCH 'a' ",
        "CREATE TEMP TABLE t(x)",
        "RETURNING *",
        "EXPLAIN ",
        "GLOB '*'",
    ];
    let target = Target { name: "console", corpus, words: &words, inputs: 300 };
    target.run(|input| {
        let sql = String::from_utf8_lossy(input);
        let (is_error, answer) = memory.call("query_sql", &json!({ "sql": sql }).to_string())?;
        expected(is_error, &answer)?;
        let (is_error, after) = memory.call("query_sql", &content)?;
        ensure!(!is_error && after == before, "a statement of the console has changed the memory: {after}");
        Ok(())
    })
}

#[test]
fn every_glob_pattern_is_compared_in_bounded_time() -> Result<()> {
    let path = "a/b/".repeat(20);
    let corpus = ["src/**/*.{ts,tsx}\nsrc/a/b.ts", "/build/\nbuild/x", "*a*a*a*b\naaaaaaaaaaaaaaaaaaaa"]
        .map(|pair| pair.as_bytes().to_vec())
        .into_iter()
        .chain(["**/a/**/b/**/", "**/*/", "{a,**}/"].map(|part| {
            let pattern = part.repeat(40);
            format!("{pattern}c\n{path}d").into_bytes()
        }))
        .collect();
    let words = ["**/", "/**", "*", "?", "{a,b}", "{**,", "}", "a/", "./", "\n"];
    let target = Target { name: "globs", corpus, words: &words, inputs: 300 };
    target.run(|input| {
        let text = String::from_utf8_lossy(input);
        let (pattern, path) = text.split_once('\n').unwrap_or((&text, "a/b/c"));
        // As index_project limits them.
        let pattern: String = pattern.chars().take(1_000).collect();
        let path: String = path.chars().take(1_000).collect();
        let is_match = matches(&pattern, &path);
        ensure!(!is_match || matches(&pattern, &format!("{path}/x")), "a file below {path} does not match");
        if !pattern.contains(['{', '}']) {
            let more = pattern.trim().split('/').map(|name| if name == "**" { "**/**" } else { name });
            let more = more.collect::<Vec<_>>().join("/");
            ensure!(matches(&more, &path) == is_match, "{more} differs from {pattern}");
        }
        Ok(())
    })
}

#[test]
fn unlocking_spares_the_database_whatever_lock_files_contain() -> Result<()> {
    let owner = |pid: u32, machine: &str| {
        format!(
            "limbic-lock-1 nonce=00ff pid={pid} start=1 machine={machine} boot=b00 space= instance= beacon= \
             since=1700000000000\n"
        )
        .into_bytes()
    };
    let corpus = vec![owner(4242, "elsewhere"), owner(1, ""), b"limbic-lock-2 a=b\n".to_vec(), Vec::new()];
    let words =
        ["nonce=", "pid=", "4294967296", "beacon=", "../memory.db", "since=-1", "limbic-lock-1 ", "space="];
    let target = Target { name: "lock-files", corpus, words: &words, inputs: 150 };
    target.run(|input| {
        let folder = tempdir()?;
        let db = folder.path().join("memory.db");
        let locks = folder.path().join("memory.db-locks");
        fs::write(&db, "a database")?;
        fs::create_dir(&locks)?;
        for name in ["owner-00ff", "reserved", "shared-00ff"] {
            fs::write(locks.join(name), input)?;
        }
        let path = db.to_str().context("the temporary folder has a name in UTF-8")?;
        let count = || Ok::<usize, std::io::Error>(fs::read_dir(&locks)?.count());
        let before = count()?;
        let plan = unlock(Arc::new(StdHost), path, false).map_err(|error| anyhow!("{error:?}"))?;
        ensure!(count()? == before, "a dry run removed a file: {}", plan.report);
        let done = unlock(Arc::new(StdHost), path, true).map_err(|error| anyhow!("{error:?}"))?;
        ensure!(!done.needs_confirmation, "asked again after confirmation: {}", done.report);
        ensure!(fs::read(&db)? == b"a database", "the database was changed: {}", done.report);
        Ok(())
    })
}

#[test]
fn a_failing_input_is_reproduced_by_its_seed() -> Result<()> {
    let target = Target { name: "itself", corpus: vec![b"abcdef".to_vec()], words: &[], inputs: 1 };
    let failing = Cell::new(0);
    let check = |input: &[u8]| -> Result<()> {
        ensure!(input.len() < 20, "long");
        assert!(!input.contains(&0), "a panic is a failure");
        failing.set(failing.get() + 1);
        Ok(())
    };
    let error = target.run_from(1, Budget::Inputs(10_000), check).err().context("nothing fails")?;
    let seed = 1 + failing.get();
    ensure!(error.to_string().contains(&format!("--target itself --seed {seed}\n")), "{error}");
    let passed = failing.get();
    ensure!(
        target.run_from(seed, Budget::Inputs(1), check).is_err() && failing.get() == passed,
        "another input"
    );
    ensure!(target.run_from(1, Budget::Inputs(passed), check).is_ok(), "inputs before it fail");
    target.run_from(1, Budget::Time(Duration::ZERO), |_| {
        Err(anyhow!("the time is over before the first input"))
    })
}
