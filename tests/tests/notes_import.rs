//! Imports of notes and of other assistants' memories: Markdown, basic-memory, mem0, Letta, mcp-memory-service, Claude,
//! ChatGPT.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::transcript::ensure_same;
use limbic_tests::{
    BackEnd,
    export_import::{export, import, with_memories},
    memory::Native,
    memory_file::ask,
    project,
    stdio::Server,
    transcript,
};
use serde_json::{Value, json};
use tempfile::tempdir;

fn sample(name: &str) -> Result<Vec<u8>> {
    let path = project("tests/files/notes").join(name);
    fs::read(&path).with_context(|| path.display().to_string())
}

/// The exported memories, by their texts.
pub fn memories(memory: &mut Native) -> Result<Vec<Value>> {
    records(memory, "memory")
}

pub fn records(memory: &mut Native, kind: &str) -> Result<Vec<Value>> {
    let text = String::from_utf8(export(memory, "limbic")?)?;
    let mut found = Vec::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line)?;
        if record["record"] == kind {
            found.push(record);
        }
    }
    Ok(found)
}

pub fn with_text<'a>(found: &'a [Value], text: &str) -> Result<&'a Value> {
    found
        .iter()
        .find(|memory| memory["content"] == text)
        .with_context(|| format!("{text:?} is not in {found:#?}"))
}

/// Imports bytes three times: as a dry run, and twice. Asserts that the dry run reports the same as the first import,
/// and that the second import changes nothing.
pub fn imported(memory: &mut Native, bytes: &[u8], format: &str) -> Result<Value> {
    let before = export(memory, "limbic")?;
    let planned = import(memory, bytes, true)?;
    ensure!(export(memory, "limbic")? == before, "a dry run stored something");
    let first = import(memory, bytes, false)?;
    ensure!(first["format"] == format, "{first}");
    for (field, value) in planned.as_object().context("an object")? {
        ensure!(field == "dry_run" || first[field] == *value, "{field}: {planned} {first}");
    }
    let state = export(memory, "limbic")?;
    let again = import(memory, bytes, false)?;
    let after = export(memory, "limbic")?;
    // The audit log has a line for each import.
    let without_log = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.lines()
            .filter(|line| !line.contains("audit") && !line.contains(r#""record":"end""#))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let (state, after) = (without_log(&state), without_log(&after));
    ensure!(state == after, "{format}: {}", transcript::difference(&state, &after));
    for kind in ["entities", "observations", "relations", "memories", "domains", "links"] {
        ensure!(again[format!("{kind}_imported")] == 0, "{again}");
    }
    Ok(first)
}

pub fn problems(answer: &Value) -> String {
    answer["problems"].to_string()
}

#[test]
fn a_file_of_instructions_becomes_memories_with_the_path_of_their_headings() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let answer = imported(&mut memory, &sample("shop.md")?, "markdown")?;
    let found = memories(&mut memory)?;
    ensure!(answer["memories_imported"] == found.len() && found.len() == 8, "{answer} {found:#?}");
    let test = with_text(&found, "`npm test` runs all tests")?;
    ensure!(test["subject"] == "Commands" && test["path"] == "/Shop/Commands", "{test}");
    with_text(&found, "One web application and one worker. The worker sends mail.")?;
    with_text(&found, "Build: `make fast` for development")?;
    with_text(&found, "Start the database before the tests:\n```sh\ndocker compose up -d db\n```")?;
    let todo = with_text(&found, "Move the worker to its own package")?;
    ensure_same(&todo["tags"], &json!(["todo"]), todo)?;
    let rest =
        found.iter().find(|memory| memory["content"].as_str().is_some_and(|text| text.contains("1. Run")));
    let rest = rest.context("the steps are missing")?["content"].as_str().unwrap_or_default();
    ensure!(rest.contains("Before a release:") && rest.contains("| production |"), "{rest}");
    // Only the item with a secret is rejected, and no reason repeats the secret.
    ensure!(answer["skipped"] == 2 && problems(&answer).contains("secret"), "{answer}");
    ensure!(problems(&answer).contains("names another file"), "{answer}");
    ensure!(
        !answer.to_string().contains("Sunfl0wer") && !format!("{found:?}").contains("Sunfl0wer"),
        "{answer}"
    );
    Ok(())
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_change_nothing() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let text = String::from_utf8(sample("shop.md")?)?;
    import(&mut memory, text.as_bytes(), false)?;
    let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let answer = import(&mut memory, windows.as_bytes(), false)?;
    ensure!(answer["memories_imported"] == 0 && answer["skipped"] == 10, "{answer}");
    Ok(())
}

#[test]
fn front_matter_gives_subject_tags_summary_and_date() -> Result<()> {
    let mut memory = Native::in_memory()?;
    imported(&mut memory, &sample("feedback_tests.md")?, "markdown")?;
    let found = memories(&mut memory)?;
    ensure!(found.len() == 1, "{found:#?}");
    let memory = &found[0];
    ensure!(memory["subject"] == "Real databases in tests", "{memory}");
    ensure!(memory["summary"] == "Tests use a real database, never a mock.", "{memory}");
    ensure_same(&memory["tags"], &json!(["database", "feedback", "testing"]), memory)?;
    ensure!(memory["created_at"] == "2025-03-04T00:00:00.000Z", "{memory}");
    Ok(())
}

#[test]
fn notes_of_basic_memory_become_the_graph() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let answer = imported(&mut memory, &sample("basic-memory/coffee/Brewing.md")?, "basic-memory")?;
    ensure!(answer["observations_imported"] == 4 && answer["relations_imported"] == 3, "{answer}");
    ensure!(answer["skipped"] == 1 && !answer.to_string().contains("Sunfl0wer"), "{answer}");
    let relations = records(&mut memory, "relation")?;
    let has = |from: &str, kind: &str, to: &str| {
        relations.iter().any(|it| it["from"] == from && it["relation_type"] == kind && it["to"] == to)
    };
    ensure!(has("Coffee Brewing Methods", "relates_to", "Coffee Bean Origins"), "{relations:#?}");
    ensure!(has("Coffee Brewing Methods", "links_to", "Tea"), "{relations:#?}");
    let observations = records(&mut memory, "observation")?;
    with_text(&observations, "[preference] Lighter roasts for Ethiopian beans (personal experience)")?;
    with_text(&observations, "Tags: coffee, brewing")?;
    Ok(())
}

#[test]
fn a_folder_of_notes_is_read_on_every_server() -> Result<()> {
    for start in [Server::native_offering, Server::node_offering] {
        let root = tempdir()?;
        let notes = root.path().join("notes");
        let deep = notes.join("a/b/c");
        fs::create_dir_all(&deep)?;
        fs::create_dir_all(notes.join("node_modules/x"))?;
        fs::create_dir_all(notes.join(".hidden"))?;
        for (file, text) in [
            ("a/b/c/deep.md", "# Deep\n- is found\n"),
            ("top.MD", "- stands above\n"),
            ("node_modules/x/README.md", "- of others\n"),
            (".hidden/x.md", "- is hidden\n"),
            ("prose.md", "no structure at all"),
            ("wide.md", "\u{0}"),
            ("package.json", "{\"name\": \"x\"}"),
            ("notes.txt", "- no Markdown by its name\n"),
        ] {
            fs::write(notes.join(file), text)?;
        }
        fs::write(notes.join("utf16.md"), b"\xff\xfe-\0 \0x\0")?;
        let mut server = start(&root.path().join("memory.db"), &["graph", "memory", "domain"])?;
        let answer = ask(&mut server, "migrate", &json!({ "source_path": notes }))?;
        ensure!(answer["format"] == "markdown" && answer["memories_imported"] == 2, "{answer}");
        ensure!(problems(&answer).contains("utf16.md: The file is text in UTF-16"), "{answer}");
        ensure!(answer["skipped"] == 3, "{answer}");
        let again = ask(&mut server, "migrate", &json!({ "source_path": notes }))?;
        ensure!(again["memories_imported"] == 0, "{again}");

        let coffee = project("tests/files/notes/basic-memory");
        let answer = ask(&mut server, "migrate", &json!({ "source_path": coffee }))?;
        ensure!(answer["format"] == "basic-memory" && answer["entities_imported"] == 2, "{answer}");
        // Links name notes by permalink.
        let graph = ask(
            &mut server,
            "open_nodes",
            &json!({ "names": ["Proper Grinding Technique", "Coffee Brewing Methods"] }),
        )?;
        let graph = graph.to_string();
        ensure!(graph.contains("requires") && graph.contains("part_of"), "{graph}");
        server.stop()?;
    }
    Ok(())
}

#[test]
fn exports_of_other_assistants_are_recognised_by_their_content() -> Result<()> {
    for (file, format, count, skipped) in [
        ("more/mem0.json", "mem0", 2, 2),
        ("more/agent.af", "letta", 4, 0),
        ("more/memory-service.json", "mcp-memory-service", 1, 1),
        ("more/claude-memories.json", "claude", 4, 0),
        ("more/export.txt", "memory-list", 3, 0),
        ("more/chatgpt.txt", "memory-list", 3, 0),
    ] {
        let mut memory = Native::in_memory()?;
        let answer = imported(&mut memory, &sample(file)?, format).context(file)?;
        ensure!(answer["memories_imported"] == count && answer["skipped"] == skipped, "{file}: {answer}");
        ensure!(!answer.to_string().contains("Sunfl0wer"), "{file}: {answer}");
        let found = memories(&mut memory)?;
        match file {
            "more/mem0.json" => {
                let memory = with_text(&found, "Prefers morning meetings")?;
                ensure!(memory["id"] == "892db2ae-06d9-49e5-8b3e-585ef9b85b8e", "{memory}");
                ensure!(
                    memory["user_id"] == "arjun" && memory["tags"] == json!(["preferences", "work"]),
                    "{memory}"
                );
                ensure!(memory["created_at"] == "2024-07-20T08:30:36.275Z", "{memory}");
            }
            "more/agent.af" => {
                let memory = with_text(&found, "Likes tea")?;
                ensure!(memory["subject"] == "human" && memory["path"] == "/Sam/human", "{memory}");
                ensure!(with_text(&found, "Atlas ships on Mondays")?["id"] == "passage-1");
            }
            "more/memory-service.json" => {
                let memory = &found[0];
                ensure!(memory["category"] == "decision" && memory["id"] == "5f0c1f6a", "{memory}");
                ensure!(memory["created_at"] == "2024-12-31T23:59:59.250Z", "{memory}");
            }
            "more/claude-memories.json" => {
                ensure!(with_text(&found, "Metric units")?["subject"] == "Preferences");
                ensure!(with_text(&found, "Plan the release.")?["path"] == "/project 0190-p/Purpose");
            }
            "more/export.txt" => {
                let memory = with_text(&found, "Always answer in British English")?;
                ensure!(memory["created_at"] == "2024-05-01T00:00:00.000Z", "{memory}");
            }
            _ => {
                with_text(&found, "Prefers concise answers.")?;
            }
        }
    }
    Ok(())
}

#[test]
fn lists_of_texts_and_of_objects_are_memories() -> Result<()> {
    for text in [
        r#"["Likes green tea", "Lives in Bern"]"#,
        r#"{"memories": [{"content": "Likes green tea", "enabled": true, "created_at": "2025-01-01T00:00:00Z"}, {"text": "Lives in Bern"}]}"#,
        r#"[{"memory": "Likes green tea"}, {"memory": "Lives in Bern"}]"#,
    ] {
        let mut memory = Native::in_memory()?;
        let answer = import(&mut memory, text.as_bytes(), false)?;
        ensure!(answer["memories_imported"] == 2, "{text}: {answer}");
    }
    Ok(())
}

#[test]
fn memories_of_mem0_with_a_role_are_no_conversation() -> Result<()> {
    let one = r#"{"id": "1", "memory": "Likes tea", "role": "user", "actor_id": null}"#;
    for text in [format!("[{one}]"), format!(r#"{{"results": [{one}]}}"#)] {
        let mut memory = Native::in_memory()?;
        let answer = imported(&mut memory, text.as_bytes(), "mem0")?;
        ensure!(answer["memories_imported"] == 1, "{text}: {answer}");
        with_text(&memories(&mut memory)?, "Likes tea")?;
    }
    let mut memory = Native::in_memory()?;
    let messages = br#"[{"role": "user", "content": "Hello"}]"#;
    ensure!(
        import(&mut memory, messages, false).is_err_and(|error| error.to_string().contains("conversations"))
    );
    Ok(())
}

/// A database of mcp-memory-service, without its vectors.
fn memory_service(path: &Path) -> Result<()> {
    let connection = Connection::open(path)?;
    connection.execute_batch(
        "CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT, content_hash TEXT UNIQUE NOT NULL,
             content TEXT NOT NULL, tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL,
             created_at_iso TEXT, updated_at_iso TEXT, deleted_at REAL DEFAULT NULL);
         CREATE INDEX idx_memory_type ON memories(memory_type);
         CREATE INDEX idx_deleted_at ON memories(deleted_at);
         CREATE TABLE memory_graph (source_hash TEXT NOT NULL, target_hash TEXT NOT NULL, similarity REAL NOT NULL,
             connection_types TEXT NOT NULL, metadata TEXT, created_at REAL NOT NULL, relationship_type TEXT DEFAULT 'related',
             PRIMARY KEY (source_hash, target_hash));
         INSERT INTO memories (content_hash, content, tags, memory_type, metadata, created_at, updated_at, created_at_iso, deleted_at) VALUES
             ('h1', 'Deploys need two approvals', 'ops, release', 'decision', '{\"source\": \"meeting\"}', 1735689599.25, 1735689600, NULL, NULL),
             ('h2', 'The worker sends mail', '', 'note', '{}', 1735689599, 1735689600, '2024-12-31T23:59:59Z', NULL),
             ('h3', 'Was deleted', NULL, NULL, NULL, 1735689599, 1735689600, NULL, 1735689700),
             ('h4', 'the staging admin password is Sunfl0wer!', NULL, NULL, NULL, 1735689599, 1735689600, NULL, NULL);
         INSERT INTO memory_graph VALUES ('h1', 'h2', 0.5, '[]', NULL, 1735689700, 'supports'), ('h1', 'h3', 0.5, '[]', NULL, 1735689700, NULL);",
    )?;
    Ok(())
}

#[test]
fn a_database_of_mcp_memory_service_is_imported_with_its_links() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("sqlite_vec.db");
    memory_service(&path)?;
    let mut memory = Native::in_memory()?;
    let answer = imported(&mut memory, &fs::read(&path)?, "mcp-memory-service")?;
    ensure!(answer["memories_imported"] == 2 && answer["links_imported"] == 1, "{answer}");
    ensure!(answer["skipped"] == 2 && !answer.to_string().contains("Sunfl0wer"), "{answer}");
    let found = memories(&mut memory)?;
    let first = with_text(&found, "Deploys need two approvals")?;
    ensure!(first["category"] == "decision", "{first}");
    ensure_same(&first["tags"], &json!(["ops", "release"]), first)?;
    ensure!(first["created_at"] == "2024-12-31T23:59:59.250Z" && first["metadata"].is_string(), "{first}");
    ensure!(with_text(&found, "The worker sends mail")?.get("metadata").is_none());
    Ok(())
}

#[test]
fn dates_are_read_in_the_forms_of_other_programs() -> Result<()> {
    for (fields, expected) in [
        (r#""createdAt": "2025-01-02T03:04:05.000Z""#, "2025-01-02T03:04:05.000Z"),
        (r#""created_at": 1735689599250"#, "2024-12-31T23:59:59.250Z"),
        (r#""created_at": "2024-05-01 10:00:00 +0200""#, "2024-05-01T08:00:00.000Z"),
        (r#""created_at": "2024-05-01 10:00:00 UTC""#, "2024-05-01T10:00:00.000Z"),
        (r#""date": "2025-01""#, "2025-01-01T00:00:00.000Z"),
    ] {
        let mut memory = Native::in_memory()?;
        let text = format!(r#"[{{"id": "1", "memory": "Likes tea", {fields}}}]"#);
        imported(&mut memory, text.as_bytes(), "mem0")?;
        let found = memories(&mut memory)?;
        ensure!(found[0]["created_at"] == expected, "{text}: {}", found[0]);
    }
    let mut memory = Native::in_memory()?;
    imported(&mut memory, b"[2025-01] - Likes tea\n[2025-02] - Has a dog\n", "memory-list")?;
    let found = memories(&mut memory)?;
    ensure!(with_text(&found, "Has a dog")?["created_at"] == "2025-02-01T00:00:00.000Z", "{found:?}");
    Ok(())
}

#[test]
fn memories_of_mem0_keep_their_expiry() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let text = br#"[{"id": "1", "memory": "On holiday", "expiration_date": "2025-05-31"},
        {"id": "2", "memory": "Likes tea", "expiration_date": null}]"#;
    imported(&mut memory, text, "mem0")?;
    let found = memories(&mut memory)?;
    let ends = with_text(&found, "On holiday")?;
    ensure!(ends["expires_at"] == "2025-05-31T00:00:00.000Z", "{ends}");
    ensure!(with_text(&found, "Likes tea")?.get("expires_at").is_none());
    Ok(())
}

#[test]
fn a_description_in_the_front_matter_is_kept() -> Result<()> {
    let front = "---\nname: releases\ndescription: How releases are made\n---\n";
    for (body, texts) in [("", 1), ("- Tag it\n", 1), ("- Tag it\n- Push it\n", 3)] {
        let mut memory = Native::in_memory()?;
        imported(&mut memory, format!("{front}{body}").as_bytes(), "markdown")?;
        let found = memories(&mut memory)?;
        ensure!(found.len() == texts, "{body}: {found:?}");
        let is_kept = |memory: &Value| {
            memory["content"] == "How releases are made" || memory["summary"] == "How releases are made"
        };
        ensure!(found.iter().any(is_kept), "{body}: {found:?}");
    }
    Ok(())
}

#[test]
fn blocks_of_letta_keep_their_lines() -> Result<()> {
    let mut memory = Native::in_memory()?;
    imported(&mut memory, br#"{"blocks": [{"label": "human", "value": "Name: Sam\nLikes tea"}]}"#, "letta")?;
    with_text(&memories(&mut memory)?, "Name: Sam\nLikes tea")?;
    Ok(())
}

#[test]
fn superseded_memories_of_mcp_memory_service_are_imported_as_ended() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("sqlite_vec.db");
    memory_service(&path)?;
    Connection::open(&path)?.execute_batch(
        "ALTER TABLE memories ADD COLUMN superseded_by TEXT;
         ALTER TABLE memories ADD COLUMN confidence REAL DEFAULT 1.0;
         UPDATE memories SET superseded_by = 'h1', confidence = 0.5 WHERE content_hash = 'h2';
         UPDATE memories SET superseded_by = '' WHERE content_hash = 'h1';",
    )?;
    let export = br#"{"export_metadata": {}, "memories": [
        {"content": "Deploys need two approvals", "content_hash": "h1", "created_at": 1735689599, "metadata": {}},
        {"content": "The worker sends mail", "content_hash": "h2", "created_at": 1735689599, "updated_at": 1735689600,
         "metadata": {"superseded_by": "h1"}}]}"#;
    for (file, confidence) in [(fs::read(&path)?, 0.5), (export.to_vec(), 1.0)] {
        let mut memory = Native::in_memory()?;
        imported(&mut memory, &file, "mcp-memory-service")?;
        let found = memories(&mut memory)?;
        let old = with_text(&found, "The worker sends mail")?;
        ensure!(old["superseded_by"] == "h1" && old["valid_until"] == "2025-01-01T00:00:00.000Z", "{old}");
        ensure!(old["confidence"].as_f64().unwrap_or(1.0) == confidence, "{old}");
        let new = with_text(&found, "Deploys need two approvals")?;
        ensure!(new.get("superseded_by").is_none() && new.get("valid_until").is_none(), "{new}");
        let (_, listed) =
            memory.call("memory_recall", r#"{"query": "sends mail", "strategy": "content"}"#)?;
        ensure!(!listed.contains("worker"), "{listed}");
    }
    Ok(())
}

#[test]
fn imported_memories_name_their_file_and_wait_for_review() -> Result<()> {
    let root = tempdir()?;
    let mut server = Server::native_offering(&root.path().join("memory.db"), &["graph", "memory", "domain"])?;
    let file = project("tests/files/notes/shop.md");
    let answer = ask(&mut server, "migrate", &json!({ "source_path": file }))?;
    let origin = answer["origin"].as_str().unwrap_or_default().to_owned();
    ensure!(origin.starts_with("import:shop.md#"), "{answer}");
    let listed = ask(&mut server, "memory_list", &json!({ "origin": origin }))?;
    ensure!(listed["memories"].as_array().is_some_and(|found| found.len() == 8), "{listed}");
    server.stop()?;
    Ok(())
}

#[test]
fn no_reason_repeats_a_secret() -> Result<()> {
    let secret = "the staging admin password is Sunfl0wer!";
    for text in [
        format!("# {secret}\n- plain\n"),
        format!("---\ntitle: {secret}\npermalink: x\n---\n- [a] b\n- uses [[Tea]]\n"),
        format!("---\npermalink: x\n---\n- uses [[{secret}]]\n"),
        format!("---\ntags: [{secret}]\n---\n- plain\n"),
        format!(
            "---\nlimbic: memories\nversion: 1\n---\n\n- x\n  <!-- limbic {{\"id\":\"a\",\"importance\":\"{secret}\"}} -->\n"
        ),
        format!(r#"[{{"memory": "plain", "metadata": {{"note": "{secret}"}}}}]"#),
        format!(r#"[{{"memory": "plain", "tags": 1, "user_id": ["{secret}"]}}]"#),
    ] {
        let mut memory = Native::in_memory()?;
        let answer = import(&mut memory, text.as_bytes(), false)?;
        ensure!(answer["skipped"].as_u64().is_some_and(|count| count > 0), "{text}: {answer}");
        ensure!(!answer.to_string().contains("Sunfl0wer"), "{text}: {answer}");
        let stored = String::from_utf8(export(&mut memory, "limbic")?)?;
        ensure!(!stored.contains("Sunfl0wer"), "{text}: {stored}");
    }
    Ok(())
}

#[test]
fn a_stored_statement_is_not_stored_again() -> Result<()> {
    let mut memory = Native::in_memory()?;
    ask(&mut memory, "memory_store", &json!({ "content": "Use tabs", "subject": "Conventions" }))?;
    let answer =
        import(&mut memory, b"## Conventions\n- use tabs\n- Use two spaces\n## Other\n- Use tabs\n", false)?;
    ensure!(answer["memories_imported"] == 2 && answer["skipped"] == 1, "{answer}");
    Ok(())
}

fn refused(bytes: &[u8], words: &str) -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("shop.md");
    fs::write(&path, bytes)?;
    let mut memory = Native::in_memory()?;
    let before = export(&mut memory, "limbic")?;
    let (is_error, answer) = memory.call("migrate", &json!({ "source_path": path }).to_string())?;
    ensure!(is_error && answer.contains("source_unknown") && answer.contains(words), "{words}: {answer}");
    ensure!(export(&mut memory, "limbic")? == before, "{words}: something was stored");
    Ok(())
}

#[test]
fn a_file_without_memories_is_rejected_with_a_reason() -> Result<()> {
    let conversations = r#"[{"title": "Chat", "mapping": {}}, {"title": "Other", "mapping": {}}]"#;
    refused(conversations.as_bytes(), "conversations, not memories")?;
    refused(br#"[{"role": "user", "content": "hello"}]"#, "conversations, not memories")?;
    refused(br#"{"conversations": []}"#, "conversations, not memories")?;
    refused(b"\xff\xfe#\0 \0x\0", "UTF-16")?;
    refused(b"Just prose, although the file is named CLAUDE.md.", "Unknown file format")?;
    refused(b"# Broken \xff\xfe bytes\n- x\n", "not in UTF-8")?;
    refused(b"# Caf\xe9\n- Gr\xfc\xdfe\n", "not in UTF-8")?;
    refused(b"# Zero\n- \0\n", "Unknown file format")?;
    refused(br#"["one", "two"]"#, "Unknown file format")?;
    refused(format!("# Large\n{}", "- a bullet\n".repeat(1_000_000)).as_bytes(), "must have at most")?;
    refused("- b\n".repeat(60_000).as_bytes(), "more than 50000 memories")?;
    let many = format!("[{}{{\"memory\": \"x\"}}]", "{\"memory\": \"x\"},".repeat(60_000));
    refused(many.as_bytes(), "more than 50000 elements")?;
    refused(format!("{{\"memories\": {many}}}").as_bytes(), "more than 50000 elements")?;
    refused(b"[{\"memory\": \"x\"},\n{\"memory\": \"y", "at line 2: it is cut off")?;
    let large = format!("{{\"results\": [\n\"{}\"]}}", "x".repeat(64 << 20));
    refused(large.as_bytes(), "must have at most 67108864 bytes")?;
    refused(format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)).as_bytes(), "Unknown file format")?;
    Ok(())
}

#[test]
fn a_text_that_quotes_another_format_is_stored_as_text() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let text = "# Format\n\n```json\n{\"type\":\"entity\",\"name\":\"Ada\",\"observations\":[]}\n```\n";
    let answer = import(&mut memory, text.as_bytes(), false)?;
    ensure!(answer["format"] == "markdown" && answer["memories_imported"] == 1, "{answer}");
    // Also a line of a JSON document.
    let list = "[\n{\"id\": \"a\", \"memory\": \"Likes tea\"},\n{\"id\": \"b\", \"memory\": \"Has a dog\", \"content\": \"x\", \"memory_type\": \"y\"}\n]";
    let answer = import(&mut memory, list.as_bytes(), false)?;
    ensure!(answer["format"] == "mem0" && answer["memories_imported"] == 2, "{answer}");
    Ok(())
}

#[test]
fn deep_and_long_markdown_is_read_in_full() -> Result<()> {
    let deep: String = (0..1_000).map(|depth| format!("{}- level {depth}\n", "  ".repeat(depth))).collect();
    let bombs = "---\na: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: *b\nname: Kept\n---\n- one\n";
    let long = format!("- {}\n", "word ".repeat(50_000));
    for (text, most) in [(deep.as_str(), 200), (bombs, 1), (long.as_str(), 40)] {
        let mut memory = Native::in_memory()?;
        let answer = import(&mut memory, text.as_bytes(), false)?;
        let count = answer["memories_imported"].as_u64().unwrap_or_default();
        ensure!((1..=most).contains(&count), "{answer}");
    }
    let mut memory = Native::in_memory()?;
    let answer = import(&mut memory, bombs.as_bytes(), false)?;
    ensure!(problems(&answer).contains("front matter, line 2: anchors"), "{answer}");
    Ok(())
}

#[test]
fn exported_markdown_round_trips() -> Result<()> {
    for seed in 1..4 {
        let folder = tempdir()?;
        let mut memory = with_memories(&folder.path().join("memory.db"), seed)?;
        let first = String::from_utf8(export(&mut memory, "markdown")?)?;
        ensure!(first.contains("anchored anew") && first.contains("\n# elsewhere\n"), "{first}");
        // Into the same memory: nothing changes.
        let before = export(&mut memory, "markdown")?;
        let answer = import(&mut memory, first.as_bytes(), false)?;
        ensure!(answer["format"] == "markdown" && answer["memories_imported"] == 0, "{answer}");
        ensure_same(&answer["problems"], &json!([]), &answer)?;
        ensure!(export(&mut memory, "markdown")? == before, "the import changed something");
        // Into an empty memory, with CRLF line ends: the same text.
        let mut copy = Native::in_memory_later(3)?;
        let windows = first.replace('\n', "\r\n");
        let answer = import(&mut copy, windows.as_bytes(), false)?;
        ensure_same(&answer["problems"], &json!([]), &answer)?;
        let second = String::from_utf8(export(&mut copy, "markdown")?)?;
        ensure!(first == second, "seed {seed}: {}", transcript::difference(&first, &second));
    }
    Ok(())
}

#[test]
fn an_edited_bullet_changes_only_its_memory() -> Result<()> {
    let mut memory = Native::in_memory()?;
    for (id, text) in [("a", "Ships on Mondays"), ("b", "Rolls back at night")] {
        ask(&mut memory, "memory_store", &json!({ "id": id, "content": text, "subject": "release" }))?;
    }
    let text = String::from_utf8(export(&mut memory, "markdown")?)?;
    // Changes after the export are kept.
    ask(&mut memory, "memory_update", &json!({ "id": "b", "content": "Rolls back at noon" }))?;
    let edited = text.replace("Mondays", "Tuesdays") + "\n- Tags are signed\n";
    let answer = import(&mut memory, edited.as_bytes(), false)?;
    ensure!(answer["memories_imported"] == 2, "{answer}");
    let found = memories(&mut memory)?;
    ensure!(found.len() == 3, "{found:#?}");
    ensure!(with_text(&found, "Ships on Tuesdays")?["id"] == "a");
    ensure!(with_text(&found, "Rolls back at noon")?["id"] == "b");
    ensure!(with_text(&found, "Tags are signed")?["subject"] == "release");
    let again = import(&mut memory, edited.as_bytes(), false)?;
    ensure!(again["memories_imported"] == 0, "{again}");
    Ok(())
}

#[test]
fn lines_that_name_files_are_reported_wherever_they_are() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let text = "# Style\n\nWrite plain English.\n@docs/style.md\nIn short\nsentences.\n\n- Terse\n  @docs/terse.md\n\
        - Tools:\n  - @docs/tools.md\n- Ask @ada in doubt\n";
    let answer = imported(&mut memory, text.as_bytes(), "markdown")?;
    ensure!(problems(&answer).matches("names another file").count() == 3, "{answer}");
    let mut stored: Vec<Value> =
        memories(&mut memory)?.iter().map(|memory| memory["content"].clone()).collect();
    stored.sort_by_key(Value::to_string);
    let expected = json!(["Ask @ada in doubt", "In short sentences.", "Terse", "Write plain English."]);
    ensure_same(&json!(stored), &expected, &answer)
}
