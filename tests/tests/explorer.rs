//! The explorer apart from its transcripts: replacing the open database, and the read-only console.

use std::{fs, path::Path};

use anyhow::{Result, ensure};
use limbic_core::{
    db::{VERSION, wal::WalFile},
    rusqlite::Connection,
};
use limbic_tests::{
    BackEnd,
    memory::{Native, NoHost, connect},
    memory_file::ask,
    project,
};
use limbic_tools::{Limbic, Options};
use serde_json::{Value, json};
use tempfile::tempdir;

const TOOLSETS: [&str; 2] = ["graph", "explorer"];

fn create(memory: &mut Native, name: &str) -> Result<()> {
    let entity = json!({ "name": name, "observations": [format!("all about {name}")] });
    ask(memory, "create_entities", &json!({ "entities": [entity] })).map(drop)
}

fn names(memory: &mut Native) -> Result<Vec<String>> {
    let answer = ask(memory, "query_sql", &json!({ "sql": "SELECT name FROM entities ORDER BY id" }))?;
    let rows = answer["rows"].as_array().into_iter().flatten();
    Ok(rows.filter_map(|row| row[0].as_str()).map(str::to_owned).collect())
}

fn import(memory: &mut Native, bytes: &[u8]) -> Result<(), String> {
    memory.limbic().import(bytes, bytes.len(), WalFile::Absent).map_err(|error| error.code().to_owned())
}

/// The bytes of a database with one entity of this name.
fn exported(name: &str) -> Result<Vec<u8>> {
    let folder = tempdir()?;
    let mut memory = Native::offering(&folder.path().join("memory.db"), &TOOLSETS)?;
    create(&mut memory, name)?;
    memory.drain()?;
    Ok(memory.limbic().export()?)
}

#[test]
fn another_database_replaces_the_open_one() -> Result<()> {
    let other = exported("from elsewhere")?;
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    let mut on_disk = Native::offering(&path, &TOOLSETS)?;
    let mut in_memory = Native::in_memory_offering(&TOOLSETS)?;
    for memory in [&mut on_disk, &mut in_memory] {
        create(memory, "here before")?;
        import(memory, &other).map_err(anyhow::Error::msg)?;
        ensure!(names(memory)? == ["from elsewhere"]);
        create(memory, "here after")?;
        let found = ask(memory, "search_semantic", &json!({ "query": "from elsewhere", "limit": 1 }))?;
        ensure!(found["results"][0]["name"] == "from elsewhere" && found["mode"] == "hybrid", "{found}");
    }
    drop(on_disk);
    let mut again = Native::offering(&path, &TOOLSETS)?;
    ensure!(names(&mut again)? == ["from elsewhere", "here after"]);
    Ok(())
}

#[test]
fn an_invalid_database_does_not_replace_the_open_one() -> Result<()> {
    let ours = exported("from elsewhere")?;
    let with = |range: std::ops::Range<usize>, bytes: &[u8]| {
        let mut changed = ours.clone();
        changed[range].copy_from_slice(bytes);
        changed
    };
    let middle = ours.len() / 2 / 4096 * 4096;
    let seed = seed_file()?;
    let files = [
        (Vec::new(), "not_a_database"),
        (b"this is not a database".repeat(300), "not_a_database"),
        (fs::read(project("crates/limbic-core/testdata/sqlcipher4.db"))?, "encrypted_database"),
        (with(60..64, &99_u32.to_be_bytes()), "newer_version"),
        (with(68..72, &[0; 4]), "foreign_database"),
        (seed, "foreign_database"),
        (empty_file()?, "foreign_database"),
        (with(8192..24576, &[0x5a; 16384]), "database_damaged"),
        (with(middle..middle + 4096, &[0xff; 4096]), "database_damaged"),
        (ours[..5000].to_vec(), "database_damaged"),
        (ours[..ours.len() - 4096].to_vec(), "database_damaged"),
    ];
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    let mut memory = Native::offering(&path, &TOOLSETS)?;
    create(&mut memory, "here before")?;
    memory.drain()?;
    let before = fs::read(&path)?;
    for (index, (file, code)) in files.iter().enumerate() {
        let refused = import(&mut memory, file).expect_err("it takes the place");
        ensure!(refused == *code, "file {index}: {refused} where {code} was expected");
        ensure!(fs::read(&path)? == before, "file {index} changed something");
    }
    ensure!(names(&mut memory)? == ["here before"]);
    create(&mut memory, "here after")?;
    drop(memory);

    let options = Options { read_only: true, ..Options::default() };
    let mut reader = Limbic::open(connect(&path)?, Box::new(NoHost), options)?;
    let refused = reader.import(ours.as_slice(), ours.len(), WalFile::Unknown).expect_err("it may only read");
    ensure!(refused.code() == "read_only", "{refused}");
    Ok(())
}

/// A database of MCP Memory v2, which is imported by `migrate`.
fn seed_file() -> Result<Vec<u8>> {
    limbic_vfs::register_vec0();
    let folder = tempdir()?;
    let path = folder.path().join("seed.db");
    let connection = Connection::open(&path)?;
    let ddl = project("crates/limbic-core/src/db/migrations/0001_mcp_memory_v2.sql");
    connection.execute_batch(&fs::read_to_string(ddl)?)?;
    drop(connection);
    Ok(fs::read(path)?)
}

/// A database without a table.
fn empty_file() -> Result<Vec<u8>> {
    let mut connection = Connection::open_in_memory()?;
    connection.execute_batch("PRAGMA user_version = 8")?;
    Ok(connection.serialize("main")?.to_vec())
}

#[test]
fn vectors_of_another_encoder_are_not_compared() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("other.db");
    fs::write(&path, exported("from elsewhere")?)?;
    connect(&path)?.execute("UPDATE encoder SET name = 'another'", [])?;
    let other = fs::read(&path)?;
    let mut memory = Native::in_memory_offering(&TOOLSETS)?;
    create(&mut memory, "here before")?;
    memory.drain()?;
    import(&mut memory, &other).map_err(anyhow::Error::msg)?;
    ensure!(memory.limbic().outstanding()? == 2, "vectors of another encoder were kept");
    Ok(())
}

#[test]
fn a_database_of_an_older_version_or_in_wal_mode_is_brought_up_to_date() -> Result<()> {
    let folder = tempdir()?;
    let older = |path: &Path| -> Result<()> {
        fs::write(path, seed_file()?)?;
        let connection = Connection::open(path)?;
        connection.execute_batch(
            "PRAGMA application_id = 0x4C4D4243; PRAGMA user_version = 1;
             INSERT INTO entities (name) VALUES ('from elsewhere');",
        )?;
        // Another page size.
        connection.execute_batch("PRAGMA page_size = 8192; VACUUM")?;
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        connection.pragma_update_and_check(None, "wal_checkpoint", "TRUNCATE", |_| Ok(()))?;
        Ok(())
    };
    let path = folder.path().join("older.db");
    older(&path)?;
    let file = fs::read(&path)?;
    for mut memory in [
        Native::offering(&folder.path().join("memory.db"), &TOOLSETS)?,
        Native::in_memory_offering(&TOOLSETS)?,
    ] {
        import(&mut memory, &file).map_err(anyhow::Error::msg)?;
        ensure!(ask(&mut memory, "explore_stats", &json!({}))?["schema_version"] == VERSION);
        create(&mut memory, "here after")?;
        ensure!(names(&mut memory)? == ["from elsewhere", "here after"]);
    }
    Ok(())
}

#[test]
fn the_console_rejects_functions_missing_in_other_builds() -> Result<()> {
    let mut memory = Native::in_memory_offering(&TOOLSETS)?;
    let (is_error, answer) = memory.call("query_sql", r#"{"sql": "SELECT load_extension('x')"}"#)?;
    ensure!(is_error && answer.contains("no such function: load_extension"), "{answer}");
    let plan = ask(&mut memory, "query_sql", &json!({ "sql": "EXPLAIN QUERY PLAN SELECT 1 FROM entities" }))?;
    ensure!(plan["rows"][0][3].as_str().is_some_and(|line| line.contains("entities")), "{plan}");
    Ok(())
}

#[test]
fn the_console_refuses_calls_that_take_minutes_in_one_step() -> Result<()> {
    let mut memory = Native::in_memory_offering(&TOOLSETS)?;
    create(&mut memory, "Late lights")?;
    let near = format!("NEAR({}, 1000)", "l* ".repeat(300));
    for sql in [
        format!("SELECT count(*) FROM memory_content_fts WHERE memory_content_fts MATCH '{near}'"),
        format!("SELECT count(*) FROM memory_content_fts WHERE memory_content_fts = '{near}'"),
        format!("SELECT count(*) FROM memory_content_fts('{near}')"),
        format!("SELECT 1 FROM MEMORY_NODES, \"Memory_Content_FTS\"('{near}')"),
        format!("SELECT EXISTS (SELECT rowid FROM memory_content_fts WHERE content MATCH '{near}')"),
        "SELECT name FROM entity_fts('NEAR(' || replace(printf('%.*c', 9000, 'l'), 'l', 'l* ') || ')')"
            .to_owned(),
    ] {
        let (is_error, answer) = memory.call("query_sql", &json!({ "sql": sql }).to_string())?;
        ensure!(
            is_error && answer.contains("sql_refused") && answer.contains("full-text"),
            "{sql}: {answer}"
        );
    }
    let long = format!("SELECT 1 -- {}", "x".repeat(10_000));
    let (is_error, answer) = memory.call("query_sql", &json!({ "sql": long }).to_string())?;
    ensure!(is_error && answer.contains("invalid_argument") && answer.contains("10000"), "{answer}");
    for sql in [
        format!("SELECT {}", vec!["1"; 300].join(" + ")),
        vec!["SELECT 1"; 150].join(" UNION ALL "),
        format!("SELECT json_array({})", vec!["1"; 150].join(", ")),
        format!("SELECT 'a' GLOB '{}'", "[^b]".repeat(100)),
    ] {
        let (is_error, answer) = memory.call("query_sql", &json!({ "sql": sql }).to_string())?;
        ensure!(is_error && answer.contains("invalid_argument"), "{sql}: {answer}");
    }
    for trim in ["trim", "ltrim", "rtrim"] {
        let sql =
            format!("SELECT length({trim}(printf('%.*c', 60000, 'x'), printf('%.*c', 60000, 'y') || 'x'))");
        let found = ask(&mut memory, "query_sql", &json!({ "sql": sql }))?;
        ensure!(found["rows"] == json!([[0]]), "{found}");
    }
    for sql in ["SELECT soundex('Ada')", "SELECT name FROM entities ORDER BY SOUNDEX(name)"] {
        let (is_error, answer) = memory.call("query_sql", &json!({ "sql": sql }).to_string())?;
        ensure!(is_error && answer.contains("no such function: soundex"), "{sql}: {answer}");
    }
    // Statements that people write are far from these limits.
    let plain = "SELECT trim('  x '), trim('xyx', 'x'), ltrim('üxy', 'xü'), rtrim('yxx', 'x'), trim(100, '0'), trim(1.5, '5'),
        trim('x', NULL), trim('x', '')";
    let found = ask(&mut memory, "query_sql", &json!({ "sql": plain }))?;
    ensure!(found["rows"] == json!([["x", "y", "y", "y", "1", "1.", null, "x"]]), "{found}");
    Ok(())
}

#[test]
fn every_function_of_the_console_was_reviewed() -> Result<()> {
    let mut memory = Native::in_memory_offering(&TOOLSETS)?;
    let list = fs::read_to_string(project("tests/files/console_functions.txt"))?;
    let reviewed: Vec<&str> =
        list.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect();
    let sql = "SELECT group_concat(name, ' ') FROM (
        SELECT DISTINCT lower(name) AS name FROM pragma_function_list ORDER BY 1)";
    let found = ask(&mut memory, "query_sql", &json!({ "sql": sql }))?;
    let found = found["rows"][0][0].as_str().unwrap_or_default();
    let new: Vec<&str> = found.split(' ').filter(|name| !reviewed.contains(name)).collect();
    ensure!(
        found.contains("json_extract") && new.is_empty(),
        "review these, and add them to the list: {new:?}"
    );
    Ok(())
}

#[test]
fn a_large_graph_is_drawn_completely_or_around_a_node() -> Result<()> {
    const ENTITIES: usize = 3000;
    let mut memory = Native::in_memory_offering(&TOOLSETS)?;
    let entities: Vec<Value> = (0..ENTITIES).map(|index| json!({ "name": format!("e{index}") })).collect();
    for some in entities.chunks(1000) {
        ask(&mut memory, "create_entities", &json!({ "entities": some }))?;
    }
    // A star: all relations lead to one entity.
    let relations: Vec<Value> = (1..ENTITIES)
        .map(|index| json!({ "from": format!("e{index}"), "to": "e0", "relationType": "leads_to" }))
        .collect();
    for some in relations.chunks(1000) {
        ask(&mut memory, "create_relations", &json!({ "relations": some }))?;
    }
    let count = |answer: &Value, list: &str| answer[list].as_array().map_or(0, Vec::len);
    let whole = ask(&mut memory, "explore_graph", &json!({ "limit": 20000 }))?;
    ensure!(count(&whole, "nodes") == ENTITIES && count(&whole, "edges") == ENTITIES - 1);
    ensure!(whole["nodes"][0]["name"] == "e0" && whole["nodes"][0]["relations"] == ENTITIES - 1);

    let some = ask(&mut memory, "explore_graph", &json!({ "names": ["e7"], "depth": 2, "limit": 50 }))?;
    ensure!(count(&some, "nodes") == 50 && count(&some, "edges") == 49, "{some}");
    ensure!(some["omitted"]["nodes"] == ENTITIES - 50, "{}", some["omitted"]);
    ensure!(some["nodes"][2]["distance"] == 2, "{some}");

    let capped =
        ask(&mut memory, "explore_graph", &json!({ "names": ["e0"], "limit": 20000, "neighbours_max": 10 }))?;
    ensure!(count(&capped, "nodes") == 11 && capped["omitted"]["nodes"] == ENTITIES - 11, "{capped}");
    Ok(())
}
