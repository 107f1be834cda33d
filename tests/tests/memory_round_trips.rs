//! Imports and exports of other programs' memories: round trips, unchanged source files, reports of invalid rows, and
//! user isolation.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::transcript::ensure_same;
use limbic_tests::{
    BackEnd,
    export_import::{database_rows, export, import, with_memories},
    memory::Native,
    memory_file::ask,
    transcript,
};
use limbic_tools::DATABASE_FORMATS;
use serde_json::{Value, json};
use tempfile::tempdir;

const SEEDS: std::ops::Range<u64> = 1..5;

#[test]
fn numbers_in_metadata_come_back_as_they_were_given() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let metadata =
        json!({ "lat": 0.493_193_539_303_640_85, "long": 5e-324, "most": 1.797_693_134_862_315_7e308 });
    let stored = json!({ "id": "a", "content": "A place", "metadata": metadata }).to_string();
    ensure!(stored.contains("0.49319353930364085"), "{stored}");
    memory.call("memory_store", &stored)?;
    let (_, answer) = memory.call("memory_get", r#"{"ids": ["a"]}"#)?;
    ensure!(answer.contains("0.49319353930364085"), "{answer}");
    let answer: Value = serde_json::from_str(&answer)?;
    ensure_same(&answer["memories"][0]["metadata"], &metadata, &answer)
}

/// An export in a comparable form: text unchanged, a database as its rows.
fn comparable(memory: &mut Native, format: &str) -> Result<(Vec<u8>, String)> {
    let bytes = export(memory, format)?;
    let text = if DATABASE_FORMATS.contains(&format) {
        let folder = tempdir()?;
        let path = folder.path().join("export.db");
        fs::write(&path, &bytes)?;
        database_rows(&path)?.join("\n")
    } else {
        String::from_utf8(bytes.clone())?
    };
    Ok((bytes, text))
}

#[test]
fn every_format_round_trips_its_contents() -> Result<()> {
    for seed in SEEDS {
        let folder = tempdir()?;
        let mut memory = with_memories(&folder.path().join("memory.db"), seed)?;
        for format in ["memory-graph", "persistent-memory", "memory-mcp-server"] {
            let (bytes, first) = comparable(&mut memory, format)?;
            ensure!(first.contains("anchored anew"), "{format}: {first}");
            let mut copy = Native::in_memory_later(3)?;
            let answer = import(&mut copy, &bytes, false)?;
            ensure!(answer["format"] == format && answer["skipped"] == 0, "{format}: {answer}");
            ensure!(answer["memories_imported"].as_u64().is_some_and(|count| count > 2), "{answer}");
            let (_, second) = comparable(&mut copy, format)?;
            ensure!(first == second, "{format}, seed {seed}: {}", transcript::difference(&first, &second));
        }
    }
    Ok(())
}

#[test]
fn importing_an_older_export_of_the_same_memory_loses_nothing() -> Result<()> {
    let folder = tempdir()?;
    let mut memory = with_memories(&folder.path().join("memory.db"), 5)?;
    let old = export(&mut memory, "limbic")?;
    for (tool, arguments) in [
        ("memory_store", json!({ "id": "new", "content": "new here", "domain": "elsewhere" })),
        (
            "memory_update",
            json!({ "id": "near", "content": "nearer", "tags": ["c"], "path": "/p", "domain": "of 5" }),
        ),
        ("memory_update", json!({ "id": "far", "relationships": { "refines": [{ "targetId": "near" }] } })),
        ("memory_invalidate", json!({ "id": "anchor", "reason": "gone", "superseded_by": "new" })),
    ] {
        ask(&mut memory, tool, &arguments)?;
    }
    let latest = String::from_utf8(export(&mut memory, "limbic")?)?;
    import(&mut memory, &old, false)?;
    let after = String::from_utf8(export(&mut memory, "limbic")?)?;
    let kept = |text: &str| {
        let lines = text.lines().filter(|line| line.contains(r#""record":"memory""#));
        lines.map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    ensure!(kept(&after) == kept(&latest), "{}", transcript::difference(&kept(&latest), &kept(&after)));

    // The other way round: later changes are taken over.
    let mut behind = Native::in_memory_later(3)?;
    import(&mut behind, &old, false)?;
    let answer = import(&mut behind, latest.as_bytes(), false)?;
    ensure_same(&answer["problems"], &json!([]), &answer)?;
    let after = String::from_utf8(export(&mut behind, "limbic")?)?;
    ensure!(kept(&after) == kept(&latest), "{}", transcript::difference(&kept(&latest), &kept(&after)));
    let words = behind.call("memory_get", r#"{"ids": ["near"]}"#)?.1;
    ensure!(words.contains("nearer") && words.contains(r#""c""#), "{words}");
    Ok(())
}

#[test]
fn an_export_for_one_user_contains_nothing_of_another() -> Result<()> {
    let mut memory = Native::in_memory()?;
    ask(
        &mut memory,
        "create_entities",
        &json!({ "entities": [{ "name": "Hers", "observations": ["graph text"] }] }),
    )?;
    ask(&mut memory, "create_domain", &json!({ "id": "bobs-place", "description": "bobs-place too" }))?;
    for (id, user, domain) in
        [("alice-1", "alice", "general"), ("bob-1", "bob's", "bobs-place"), ("none-1", "", "general")]
    {
        let mut fields = json!({
            "id": id, "content": format!("text of {id}"), "tags": [format!("tag-{id}")], "domain": domain,
            "summary": format!("summary of {id}"), "source": format!("source of {id}"), "metadata": { "m": id }
        });
        if !user.is_empty() {
            fields["user_id"] = user.into();
        }
        ask(&mut memory, "memory_store", &fields)?;
    }
    ask(
        &mut memory,
        "memory_store",
        &json!({ "id": "alice-2", "content": "text of alice-2", "user_id": "alice" }),
    )?;
    for other in ["bob-1", "none-1"] {
        let link = json!({ "from_id": "alice-2", "to_id": other, "type": "supports" });
        ask(&mut memory, "memory_link", &link)?;
    }
    ask(&mut memory, "memory_update", &json!({ "id": "bob-1", "content": "text of bob-1 again" }))?;
    ask(&mut memory, "memory_invalidate", &json!({ "id": "alice-2", "superseded_by": "none-1" }))?;
    for format in ["limbic", "memory-graph", "persistent-memory", "memory-mcp-server", "markdown"] {
        for (user, own, others) in
            [("alice", "alice-1", ["bob", "none-1"]), ("bob's", "bob-1", ["alice", "none-1"])]
        {
            let mut bytes = Vec::new();
            memory.limbic().export_of(Some(user), format, &mut |piece| {
                bytes.extend_from_slice(piece);
                Ok(())
            })?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            ensure!(text.contains(&format!("text of {own}")), "{format}: {own} is missing");
            for other in others.into_iter().chain(["graph text", "Hers"]) {
                ensure!(!text.contains(other), "{format}: an export for {user} contains {other}: {text}");
            }
            let mut copy = Native::in_memory()?;
            let answer = import(&mut copy, &bytes, false)?;
            ensure!(answer["skipped"] == 0 && answer["entities_imported"] == 0, "{format}: {answer}");
        }
        let mut bytes = Vec::new();
        memory.limbic().export_of(Some("nobody"), format, &mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        ensure!(!String::from_utf8_lossy(&bytes).contains("text of"), "{format}: nobody has memories");
    }
    for format in ["jsonl", "mcp-memory-v2"] {
        let refused = memory.limbic().export_of(Some("alice"), format, &mut |_| Ok(()));
        ensure!(refused.is_err_and(|error| error.code() == "invalid_argument"), "{format} was not refused");
    }
    Ok(())
}

/// Imports a file twice. Returns both answers, and asserts that the file is unchanged.
fn twice(memory: &mut Native, path: &Path) -> Result<[Value; 2]> {
    let before = fs::read(path)?;
    let first = ask(memory, "migrate", &json!({ "source_path": path }))?;
    let state = export(memory, "limbic")?;
    let second = ask(memory, "migrate", &json!({ "source_path": path }))?;
    ensure!(export(memory, "limbic")? == state, "the second import of {} changed something", path.display());
    ensure!(second["memories_imported"] == 0 && second["links_imported"] == 0, "{second}");
    ensure!(fs::read(path)? == before, "{} was changed", path.display());
    Ok([first, second])
}

fn problems_are(answer: &Value, parts: &[&str]) -> Result<()> {
    let told = answer["problems"].as_array().context("problems are a list")?;
    ensure!(told.len() == parts.len(), "{} problems expected: {answer}", parts.len());
    for part in parts {
        ensure!(
            told.iter().any(|one| one.as_str().is_some_and(|one| one.contains(part))),
            "{part:?}: {answer}"
        );
    }
    Ok(())
}

#[test]
fn a_database_of_memory_graph_is_imported_without_its_invalid_rows() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("graph.db");
    let connection = Connection::open(&path)?;
    connection.execute_batch(
        "PRAGMA foreign_keys = OFF;
         CREATE TABLE DOMAINS (id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT, created TEXT NOT NULL, lastAccess TEXT NOT NULL);
         CREATE TABLE PERSISTENCE (id INTEGER PRIMARY KEY CHECK (id = 1), currentDomain TEXT NOT NULL, lastAccess TEXT NOT NULL, lastMemoryId TEXT);
         CREATE TABLE MEMORY_NODES (id TEXT PRIMARY KEY, domain TEXT NOT NULL, content TEXT NOT NULL, timestamp TEXT NOT NULL,
             path TEXT DEFAULT '/', content_summary TEXT, summary_timestamp TEXT);
         CREATE TABLE MEMORY_TAGS (nodeId TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (nodeId, tag));
         CREATE TABLE MEMORY_EDGES (id TEXT PRIMARY KEY, source TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL,
             strength REAL NOT NULL, timestamp TEXT NOT NULL, domain TEXT NOT NULL);
         CREATE TABLE DOMAIN_REFS (nodeId TEXT NOT NULL, domain TEXT NOT NULL, targetDomain TEXT NOT NULL, targetNodeId TEXT NOT NULL,
             description TEXT, bidirectional INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (nodeId, targetDomain, targetNodeId));
         INSERT INTO DOMAINS VALUES ('work', 'Work', NULL, '2025-01-01T00:00:00.000Z', '2025-02-01T00:00:00.000Z'),
             ('home', 'Home', 'At home', '2025-01-02T00:00:00.000Z', '2025-02-02T00:00:00.000Z');
         INSERT INTO PERSISTENCE VALUES (1, 'home', '2025-02-02T00:00:00.000Z', 'h1');
         INSERT INTO MEMORY_NODES VALUES ('w1', 'work', 'Deploys on Mondays', '2025-01-03T00:00:00.000Z', '/ops', 'Mondays', '2025-01-04T00:00:00.000Z'),
             ('w2', 'work', 'Rolls back on Tuesdays', '2025-01-03 10:00:00', NULL, NULL, NULL),
             ('h1', 'home', 'Waters the plants', '2025-01-05T00:00:00+02:00', '/', NULL, NULL),
             ('bad1', 'nowhere', 'Belongs nowhere', '2025-01-03T00:00:00.000Z', '/', NULL, NULL),
             ('bad2', 'work', '', '2025-01-03T00:00:00.000Z', '/', NULL, NULL),
             (NULL, 'work', 'has no id', '2025-01-03T00:00:00.000Z', '/', NULL, NULL);
         INSERT INTO MEMORY_TAGS VALUES ('w1', 'ops'), ('w1', 'deploy'), ('gone', 'x');
         INSERT INTO MEMORY_EDGES VALUES ('w1-w2-supports', 'w1', 'w2', 'supports', 0.5, '2025-01-06T00:00:00.000Z', 'work'),
             ('w1-gone-supports', 'w1', 'gone', 'supports', 0.5, '2025-01-06T00:00:00.000Z', 'work'),
             ('w2-w1-strong', 'w2', 'w1', 'strong', 7.0, '2025-01-06T00:00:00.000Z', 'work');
         INSERT INTO DOMAIN_REFS VALUES ('w1', 'work', 'home', 'h1', 'see also', 1), ('w1', 'work', 'nowhere', 'x', NULL, 0);",
    )?;
    drop(connection);
    let mut memory = Native::in_memory()?;
    let [answer, _] = twice(&mut memory, &path)?;
    ensure!(answer["format"] == "memory-graph", "{answer}");
    ensure!(answer["memories_imported"] == 3 && answer["domains_imported"] == 2, "{answer}");
    ensure!(answer["links_imported"] == 2, "{answer}");
    problems_are(
        &answer,
        &[
            "memory 4: Domain not found: nowhere",
            "memory 5: a memory's content must not be empty",
            "memory 6: a memory's id must not be empty",
            "memory_edge 2: Memory not found: gone",
            "memory_edge 3: a strength must be a number from 0 to 1, but got 7",
            "memory_reference 2: Domain not found: nowhere",
        ],
    )?;
    let domains = ask(&mut memory, "list_domains", &json!({}))?;
    ensure!(domains["domains"].as_array().map(Vec::len) == Some(2), "{domains}");
    let listed = ask(&mut memory, "memory_list", &json!({}))?;
    ensure!(listed["memories"][0]["id"] == "h1", "the current domain was imported: {listed}");
    ensure!(listed["memories"][0]["created_at"] == "2025-01-04T22:00:00.000Z", "{listed}");
    let got = ask(&mut memory, "memory_get", &json!({ "ids": ["w1"] }))?.to_string();
    for part in [r#""tags":["deploy","ops"]"#, r#""path":"/ops""#, "Mondays", "see also", r#""strength":0.5"#]
    {
        ensure!(got.contains(part), "{part} is not in {got}");
    }
    Ok(())
}

#[test]
fn a_database_of_the_persistent_memory_specification_is_imported_without_its_invalid_rows() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memories.db");
    Connection::open(&path)?.execute_batch(
        "CREATE TABLE memories (id TEXT PRIMARY KEY, category TEXT NOT NULL, subject TEXT NOT NULL, content TEXT NOT NULL,
             source TEXT, confidence REAL DEFAULT 1.0, created_at TEXT NOT NULL, last_accessed TEXT, access_count INTEGER DEFAULT 0,
             expires_at TEXT, tier TEXT DEFAULT 'l4', heat TEXT DEFAULT 'cold', pinned INTEGER DEFAULT 0,
             promotion_count INTEGER DEFAULT 0, last_promoted_at TEXT);
         CREATE TABLE memory_relations (from_id TEXT NOT NULL, to_id TEXT NOT NULL, relation_type TEXT, PRIMARY KEY (from_id, to_id));
         INSERT INTO memories (id, category, subject, content, source, confidence, created_at, last_accessed, access_count, tier, heat, pinned)
             VALUES ('p1', 'convention', 'testing', 'Run the tests before merge', 'docs', 0.8, '2025-01-01T00:00:00Z', '2025-03-01T00:00:00Z', 12, 'l1', 'hot', 1);
         INSERT INTO memories (id, category, subject, content, created_at) VALUES
             ('p2', 'fact', 'testing', 'Tests take four minutes', '2025-01-02'),
             ('b1', 'rumour', 'x', 'Of no known category', '2025-01-02T00:00:00Z'),
             ('b2', 'fact', 'x', 'NUL ' || char(0) || ' inside', '2025-01-02T00:00:00Z');
         INSERT INTO memories (id, category, subject, content, created_at, confidence, access_count) VALUES
             ('b3', 'fact', 'x', 'Too sure', '2025-01-02T00:00:00Z', 1.5, 0),
             ('b4', 'fact', 'x', 'Counted wrong', '2025-01-02T00:00:00Z', 1.0, -1);
         INSERT INTO memory_relations VALUES ('p2', 'p1', 'supports'), ('p1', 'p2', NULL), ('p1', 'b1', 'refines'), ('p1', 'p1', 'refines');",
    )?;
    let mut memory = Native::in_memory()?;
    let [answer, _] = twice(&mut memory, &path)?;
    ensure!(answer["format"] == "persistent-memory", "{answer}");
    ensure!(answer["memories_imported"] == 2 && answer["links_imported"] == 2, "{answer}");
    problems_are(
        &answer,
        &[
            r#"memory 3: a category must be one of fact, preference, decision, convention, but got "rumour""#,
            "memory 4: a memory's content contains a NUL",
            "memory 5: a confidence must be a number from 0 to 1, but got 1.5",
            "memory 6: a count must be a whole number",
            "memory_edge 3: Memory not found: b1",
            "memory_edge 4: A memory cannot be linked to itself",
        ],
    )?;
    let got = ask(&mut memory, "memory_get", &json!({ "ids": ["p1"] }))?.to_string();
    for part in [
        r#""access_count":12"#,
        r#""tier":"l1""#,
        r#""heat":"hot""#,
        r#""pinned":true"#,
        r#""confidence":0.8"#,
        r#""last_accessed":"2025-03-01T00:00:00.000Z""#,
        "related",
    ] {
        ensure!(got.contains(part), "{part} is not in {got}");
    }
    Ok(())
}

#[test]
fn lines_of_memory_mcp_server_are_imported_with_their_graph() -> Result<()> {
    let lines = [
        r#"{"id":"relations:1","in":"entities:⟨a-da⟩","out":{"tb":"entities","id":{"String":"atlas"}},"relation_type":"works_on","weight":0.5,"valid_from":"2025-01-01T00:00:00Z"}"#,
        r#"{"id":{"tb":"memories","id":{"String":"s1"}},"content":"Ada ships Atlas","memory_type":"episodic","user_id":"ada","metadata":{"n":1},"event_time":"2025-01-01T00:00:00.123456789Z","ingestion_time":"2025-01-02T00:00:00Z","valid_from":"2025-01-01T00:00:00Z","importance_score":2.5}"#,
        r#"{"id":"memories:⟨s-2⟩","content":"No longer so","memory_type":"semantic","event_time":"2025-01-01T00:00:00Z","ingestion_time":"2025-01-01T00:00:00Z","valid_from":"2025-01-01T00:00:00Z","valid_until":"2025-02-01T00:00:00Z","importance_score":1.0,"invalidation_reason":"moved"}"#,
        r#"{"content":"Has no id","memory_type":"procedural"}"#,
        r#"{"id":"entities:⟨a-da⟩","name":"Ada","entity_type":"person","description":"An engineer","created_at":"2025-01-01T00:00:00Z"}"#,
        r#"{"id":"entities:atlas","name":"Atlas","entity_type":"project"}"#,
        r#"{"id":"memories:b1","content":"Unknown type","memory_type":"dream"}"#,
        r#"{"id":"memories:b2","content":"Too important","importance_score":11}"#,
        r#"{"in":"entities:atlas","out":"entities:gone","relation_type":"uses"}"#,
        r#"{"neither":"nor"}"#,
        r#"{"content": 5}"#,
    ];
    let folder = tempdir()?;
    let path = folder.path().join("export.jsonl");
    fs::write(&path, lines.join("\n"))?;
    let mut memory = Native::in_memory()?;
    let [answer, _] = twice(&mut memory, &path)?;
    ensure!(answer["format"] == "memory-mcp-server" && answer["memories_imported"] == 3, "{answer}");
    ensure!(answer["entities_imported"] == 2 && answer["relations_imported"] == 1, "{answer}");
    problems_are(
        &answer,
        &["line 7: ", "line 8: ", "line 9: Entity not found: gone", "line 10: ", "line 11: "],
    )?;
    let got = ask(&mut memory, "memory_get", &json!({ "ids": ["s1", "s-2"] }))?.to_string();
    for part in [
        r#""event_time":"2025-01-01T00:00:00.123Z""#,
        r#""user_id":"ada""#,
        r#""metadata":{"n":1}"#,
        r#""importance":2.5"#,
        r#""invalidation_reason":"moved""#,
        r#""valid_until":"2025-02-01T00:00:00.000Z""#,
        r#""entities":["Ada","Atlas"]"#,
    ] {
        ensure!(got.contains(part), "{part} is not in {got}");
    }
    let graph = ask(&mut memory, "read_graph", &json!({}))?.to_string();
    ensure!(graph.contains("works_on"), "{graph}");
    Ok(())
}

#[test]
fn the_files_of_memory_graphs_folder_are_imported_one_by_one() -> Result<()> {
    let folder = tempdir()?;
    fs::create_dir(folder.path().join("memories"))?;
    let write = |name: &str, value: &Value| -> Result<std::path::PathBuf> {
        let path = folder.path().join(name);
        fs::write(&path, serde_json::to_string_pretty(value)?)?;
        Ok(path)
    };
    let domains = write(
        "domains.json",
        &json!({
            "work": { "id": "work", "name": "Work", "description": "", "created": "2025-01-01T00:00:00.000Z", "lastAccess": "2025-01-02T00:00:00.000Z" },
            "home": { "id": "home", "name": "Home", "created": "2025-01-01T00:00:00.000Z", "lastAccess": "2025-01-02T00:00:00.000Z" }
        }),
    )?;
    let state = write(
        "persistence.json",
        &json!({ "currentDomain": "home", "lastAccess": "2025-01-02T00:00:00.000Z", "lastMemoryId": "h1" }),
    )?;
    let home = write(
        "memories/home.json",
        &json!({ "nodes": { "h1": { "id": "h1", "content": "Waters the plants", "timestamp": "2025-01-03T00:00:00.000Z" } }, "edges": [] }),
    )?;
    let work = write(
        "memories/work.json",
        &json!({
            "nodes": {
                "w1": { "id": "w1", "content": "Deploys on Mondays", "timestamp": "2025-01-03T00:00:00.000Z", "path": "/ops", "tags": ["ops"],
                    "content_summary": "Mondays", "domainRefs": [{ "domain": "home", "nodeId": "h1", "description": "see also", "bidirectional": true }] },
                "w2": { "id": "w2", "content": "Rolls back", "timestamp": "2025-01-03T00:00:00.000Z" },
                "w3": { "id": "w3", "timestamp": "has no content" }
            },
            "edges": [
                { "source": "w1", "target": "w2", "type": "relates_to", "strength": 0.8, "timestamp": "2025-01-04T00:00:00.000Z" },
                { "source": "w1", "target": "w3", "type": "relates_to", "strength": 0.8, "timestamp": "2025-01-04T00:00:00.000Z" }
            ]
        }),
    )?;
    let mut memory = Native::in_memory()?;
    let [answer, _] = twice(&mut memory, &home)?;
    ensure!(answer["domains_imported"] == 1 && answer["memories_imported"] == 1, "{answer}");
    let [answer, _] = twice(&mut memory, &domains)?;
    ensure!(answer["format"] == "memory-graph" && answer["domains_imported"] == 1, "{answer}");
    let [answer, _] = twice(&mut memory, &work)?;
    ensure!(answer["memories_imported"] == 2 && answer["links_imported"] == 2, "{answer}");
    problems_are(&answer, &["node w3: missing field", "edge 2: Memory not found: w3"])?;
    twice(&mut memory, &state)?;
    let listed = ask(&mut memory, "list_domains", &json!({}))?.to_string();
    ensure!(listed.contains(r#""name":"Home""#) && listed.contains(r#""name":"Work""#), "{listed}");
    let got = ask(&mut memory, "memory_get", &json!({ "ids": ["w1"] }))?.to_string();
    ensure!(got.contains("see also") && got.contains(r#""tags":["ops"]"#) && got.contains("0.8"), "{got}");
    Ok(())
}
