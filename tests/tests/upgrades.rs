//! Databases of earlier versions: embeddings are kept, and searches return the same results.

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{
    BackEnd,
    memory::{Native, connect},
    memory_file::{MemoryFile, ask},
    project,
    transcript::ensure_same,
};
use limbic_tools::{Caller, CallerKind, Options, SessionId};
use serde_json::json;

const QUESTION: &str = r#"{"query": "where does the rain come down?"}"#;

const VECTORS: &str =
    "SELECT group_concat(kind || ' ' || id || hex(tokens) || hex(vector), ' ' ORDER BY t.key)
     FROM token_vectors AS t JOIN text_vectors AS v USING (kind, id)";

/// SQL that removes the objects that versions 5, 6, 12 and 14 added.
const WITHOUT_MEMORIES: &str = "DROP VIEW memories; DROP VIEW memory_relations; DROP TABLE audit_log;
     DROP TABLE memory_sessions; DROP TABLE memory_history; DROP TABLE memory_entities; DROP TABLE DOMAIN_REFS;
     DROP TABLE MEMORY_EDGES; DROP TABLE MEMORY_TAGS; DROP TABLE MEMORY_NODES; DROP TABLE memory_numbers;
     DROP TABLE memory_embeddings; DROP TABLE memory_content_fts; DROP TABLE PERSISTENCE; DROP TABLE DOMAINS;
     DROP VIEW index_status; DROP TABLE code_watched; DROP TABLE memory_symbols; DROP TABLE code_lookups; DROP TABLE code_edges;
     DROP TABLE code_imports; DROP TABLE code_references; DROP TABLE code_names; DROP TABLE code_symbols;
     DROP TABLE chunk_embeddings; DROP TABLE chunk_words; DROP TABLE code_chunks; DROP TABLE code_skipped;
     DROP TABLE code_files; DROP TABLE code_projects; DROP TABLE origins; DROP TABLE trusted_origins;";

/// SQL that removes what versions 21 and 22 added.
pub(crate) const TO_VERSION_20: &str =
    "ALTER TABLE entities DROP COLUMN origin; ALTER TABLE observations DROP COLUMN origin;
     ALTER TABLE relations DROP COLUMN origin; ALTER TABLE reflections DROP COLUMN origin;
     DROP TABLE project_folders;";

/// The statement of a migration that creates a table.
fn table(migration: &str, name: &str) -> Result<String> {
    let file = project(&format!("crates/limbic-core/src/db/migrations/{migration}.sql"));
    let text = std::fs::read_to_string(file)?;
    let begin =
        text.find(&format!("CREATE TABLE {name} (")).context("the migration creates no such table")?;
    let length = text[begin..].find(';').context("it does not end")?;
    Ok(text[begin..=begin + length].to_owned())
}

/// Converts a database of this version to version 3 or 2.
fn downgrade(connection: &Connection, version: u32) -> Result<()> {
    connection.execute_batch(WITHOUT_MEMORIES)?;
    connection.execute_batch(TO_VERSION_20)?;
    connection.execute_batch(&format!(
        "ALTER TABLE token_vectors RENAME TO tokens_apart;
         {}
         INSERT INTO token_vectors (kind, id, encoder, tokens, vector)
             SELECT t.kind, t.id, t.encoder, t.tokens, v.vector
             FROM tokens_apart AS t JOIN text_vectors AS v USING (key) ORDER BY t.key DESC;
         DROP TABLE tokens_apart;
         DROP TABLE text_vectors;
         PRAGMA user_version = {version};",
        table("0002_limbic", "token_vectors")?
    ))?;
    if version < 3 {
        connection.execute_batch(
            "DROP INDEX idx_implicit_entity; ALTER TABLE search_results DROP COLUMN relevance;",
        )?;
    }
    Ok(())
}

#[test]
fn vectors_survive_an_upgrade() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    ask(
        &mut memory,
        "create_entities",
        &json!({ "entities": [
            { "name": "Roof", "observations": ["Rain comes down on it", "It is made of slate"] },
            { "name": "Garden", "observations": ["The beds need rain in May"] },
        ] }),
    )?;
    ask(
        &mut memory,
        "add_reflection",
        &json!({ "target_type": "global", "content": "Everything here is about rain" }),
    )?;
    memory.drain()?;
    drop(memory);
    let vectors: String = file.one(VECTORS)?;
    let bytes = std::fs::read(&file.path)?;
    let (_, answer) = file.open(0, Options::default())?.call("search_semantic", QUESTION)?;

    for version in [2, 3] {
        std::fs::write(&file.path, &bytes)?;
        downgrade(&connect(&file.path)?, version)?;
        let mut memory = file.open(0, Options::default())?;
        ensure!(file.one::<String>(VECTORS)? == vectors, "{version}: the vectors differ");
        ensure!(waiting(&mut memory)? == 0, "{version}: encoded texts are queued again");
        ensure!(memory.call("search_semantic", QUESTION)?.1 == answer, "{version}: {answer}");
        ensure!(file.one::<String>("PRAGMA integrity_check")? == "ok", "{version}");
    }
    Ok(())
}

#[test]
fn the_observation_that_supersedes_another_is_found_by_an_index() -> Result<()> {
    let file = MemoryFile::new()?;
    drop(file.open(0, Options::default())?);
    connect(&file.path)?.execute_batch(&format!(
        "{TO_VERSION_20} DROP INDEX idx_observations_supersedes; PRAGMA user_version = 18;"
    ))?;
    drop(file.open(0, Options::default())?);
    let plan: String = connect(&file.path)?.query_row(
        "EXPLAIN QUERY PLAN UPDATE observations SET supersedes = NULL WHERE supersedes = 1",
        [],
        |row| row.get(3),
    )?;
    ensure!(plan.contains("idx_observations_supersedes"), "{plan}");
    Ok(())
}

#[test]
fn the_files_without_facts_are_listed_by_an_index() -> Result<()> {
    let file = MemoryFile::new()?;
    drop(file.open(0, Options::default())?);
    connect(&file.path)?.execute_batch(&format!(
        "{TO_VERSION_20} DROP INDEX idx_code_files_error;
         CREATE INDEX idx_code_chunks_hash ON code_chunks (content_hash); PRAGMA user_version = 19;"
    ))?;
    drop(file.open(0, Options::default())?);
    let indexes = "SELECT group_concat(name, ' ') FROM sqlite_schema
         WHERE name IN ('idx_code_files_error', 'idx_code_chunks_hash')";
    ensure!(file.one::<String>(indexes)? == "idx_code_files_error");
    let plan: String = connect(&file.path)?.query_row(
        "EXPLAIN QUERY PLAN SELECT path, error FROM code_files WHERE project = 1 AND error IS NOT NULL",
        [],
        |row| row.get(3),
    )?;
    ensure!(plan.contains("COVERING INDEX idx_code_files_error"), "{plan}");
    Ok(())
}

#[test]
fn records_of_the_graph_of_earlier_versions_have_no_origin() -> Result<()> {
    let file = MemoryFile::new()?;
    let options =
        || Options { toolsets: vec!["all".to_owned(), "explorer".to_owned()], ..Options::default() };
    let as_client = |days| {
        let mut memory = file.open(days, options())?;
        let caller =
            Caller { kind: CallerKind::Client, client: "claude-code".to_owned(), ..Caller::default() };
        memory.limbic().introduce(&SessionId::default(), caller);
        anyhow::Ok(memory)
    };
    let roof = json!({ "entities": [{ "name": "Roof", "observations": ["It is made of slate"] }] });
    ask(&mut as_client(0)?, "create_entities", &roof)?;
    connect(&file.path)?.execute_batch(&format!("{TO_VERSION_20} PRAGMA user_version = 20;"))?;

    let mut memory = as_client(1)?;
    let wet = json!({ "entities": [{ "name": "Roof", "observations": ["It is wet"] }] });
    ask(&mut memory, "create_entities", &wet)?;
    let found = ask(&mut memory, "explore_entity", &json!({ "name": "Roof" }))?;
    ensure!(found["written_by"].is_null() && found["observations"][0]["origin"].is_null(), "{found}");
    ensure!(found["observations"][1]["origin"] == "client:claude-code", "{found}");
    let plan = ask(&mut memory, "memory_maintain", &json!({ "origin": "client:claude-code" }))?;
    ensure_same(&plan["totals"], &json!({ "observations": 1 }), &plan)?;
    ask(&mut memory, "memory_maintain", &json!({ "dry_run": false, "plan_id": plan["plan_id"] }))?;
    ensure!(file.one::<String>("SELECT group_concat(content) FROM observations")? == "It is made of slate");
    ensure!(file.one::<String>("PRAGMA integrity_check")? == "ok");
    Ok(())
}

#[test]
fn in_an_upgraded_database_the_first_folder_that_is_seen_owns_its_name() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    ask(&mut memory, "create_domain", &json!({ "id": "atlas" }))?;
    ask(&mut memory, "memory_store", &json!({ "content": "Ask first", "tier": "l0", "domain": "atlas" }))?;
    drop(memory);
    connect(&file.path)?.execute_batch("DROP TABLE project_folders; PRAGMA user_version = 21;")?;
    let mut memory = file.open(0, Options::default())?;
    let mut told = |folder: &str| -> Result<String> {
        let event = json!({ "cwd": "/srv/atlas", "limbic_project": "atlas", "limbic_folder": folder });
        Ok(memory.limbic().hook("session-start", &event.to_string(), None)?.unwrap_or_default())
    };
    ensure!(told("aaaaaaaaaaaaaaaa/atlas")?.contains("Ask first"), "the first folder");
    let other = told("bbbbbbbbbbbbbbbb/atlas")?;
    ensure!(other.contains("withheld") && !other.contains("Ask first"), "{other}");
    Ok(())
}

#[test]
fn a_memory_that_was_accepted_before_version_24_waits_once_more_when_it_rises() -> Result<()> {
    let file = MemoryFile::new()?;
    let toolsets = ["memory", "domain", "advanced", "explorer"].map(str::to_owned).to_vec();
    let open = |days| file.open(days, Options { toolsets: toolsets.clone(), ..Options::default() });
    let recall = |memory: &mut Native, sessions: std::ops::Range<usize>| {
        for number in sessions {
            let client = "claude-code".to_owned();
            let caller = Caller { kind: CallerKind::Client, client, ..Caller::default() };
            memory.limbic().introduce(&SessionId::from(format!("session {number}").as_str()), caller);
            ask(memory, "memory_recall", &json!({ "query": "push to origin" }))?;
        }
        memory.limbic().finish()?;
        ask(memory, "memory_get", &json!({ "ids": ["a"] }))
    };
    let demote = |memory: &mut Native| {
        let plan = ask(memory, "memory_maintain", &json!({ "actions": ["tiers"] }))?;
        ask(memory, "memory_maintain", &json!({ "dry_run": false, "plan_id": plan["plan_id"] }))
    };
    let mut memory = open(0)?;
    recall(&mut memory, 0..1)?;
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Push to origin", "tier": "l2" }))?;
    recall(&mut memory, 1..7)?;
    ask(&mut memory, "review_inbox", &json!({ "accept": ["a"] }))?;
    drop(memory);
    connect(&file.path)?.execute_batch(
        "DROP TRIGGER accepted_memory_ai; DROP TRIGGER accepted_memory_ad; DROP TRIGGER accepted_memory_au;
         DROP TABLE accepted_memories; PRAGMA user_version = 23;",
    )?;

    let mut memory = open(100)?;
    demote(&mut memory)?;
    let risen = recall(&mut memory, 7..8)?;
    ensure!(risen["memories"][0]["unconfirmed"] == true, "{risen}");
    ask(&mut memory, "review_inbox", &json!({ "accept": ["a"] }))?;
    drop(memory);
    let mut memory = open(200)?;
    demote(&mut memory)?;
    let risen = recall(&mut memory, 8..9)?;
    ensure!(risen["memories"][0]["tier"] == "l1" && risen["memories"][0]["unconfirmed"].is_null(), "{risen}");
    ask(&mut memory, "memory_update", &json!({ "id": "a", "subject": "git" }))?;
    ensure!(file.one::<i64>("SELECT count(*) FROM accepted_memories")? == 0, "its subject has changed");
    Ok(())
}

/// The number of queued texts after the encoder was announced.
fn waiting(memory: &mut Native) -> Result<usize> {
    memory.limbic().store_vectors(&[], "test@1")?;
    Ok(memory.limbic().outstanding()?)
}
