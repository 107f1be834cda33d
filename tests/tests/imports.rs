//! Imports of old, damaged, unsupported and very large files.

use std::{fs, path::Path};

use anyhow::{Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::transcript::{self, ensure_same};
use limbic_tests::{
    BackEnd,
    export_import::{any_memory, export, import},
    memory::Native,
    memory_file::ask,
};
use serde_json::{Value, json};
use tempfile::tempdir;

/// Versions of the schema of MCP Memory v2: the first has the graph only; later ones add status and kinds, history,
/// access tables, and reflections.
const SCHEMA_VERSIONS: [(&str, &str); 4] = [
    (
        "the graph alone",
        "CREATE TABLE entities (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, entity_type TEXT NOT NULL);
         CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, entity_id INTEGER NOT NULL, content TEXT NOT NULL);
         CREATE TABLE relations (id INTEGER PRIMARY KEY AUTOINCREMENT, from_entity INTEGER, to_entity INTEGER, relation_type TEXT);",
    ),
    (
        "with dates and status",
        "CREATE TABLE entities (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, entity_type TEXT NOT NULL,
             status TEXT NOT NULL DEFAULT 'activo', created_at TEXT DEFAULT '2025-01-01 00:00:00', updated_at TEXT DEFAULT '2025-01-01 00:00:00');
         CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, entity_id INTEGER NOT NULL, content TEXT NOT NULL, created_at TEXT DEFAULT '2025-01-01 00:00:00');
         CREATE TABLE relations (id INTEGER PRIMARY KEY AUTOINCREMENT, from_entity INTEGER, to_entity INTEGER, relation_type TEXT, created_at TEXT DEFAULT '2025-01-01 00:00:00');
         CREATE TABLE entity_access (entity_id INTEGER PRIMARY KEY, access_count INTEGER NOT NULL DEFAULT 1);
         INSERT INTO entity_access VALUES (1, 7);",
    ),
    (
        "with history and use",
        "CREATE TABLE entities (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, entity_type TEXT NOT NULL, status TEXT);
         CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, entity_id INTEGER NOT NULL, content TEXT NOT NULL,
             kind TEXT DEFAULT 'generic', supersedes INTEGER, superseded_at TEXT, created_at TEXT DEFAULT '2025-01-01 00:00:00');
         CREATE TABLE relations (id INTEGER PRIMARY KEY AUTOINCREMENT, from_entity INTEGER, to_entity INTEGER, relation_type TEXT,
             context TEXT, active INTEGER DEFAULT 1, ended_at TEXT, created_at TEXT DEFAULT '2025-01-01 00:00:00');
         CREATE TABLE entity_access (entity_id INTEGER PRIMARY KEY, access_count INTEGER, last_access TEXT);
         CREATE TABLE entity_access_log (entity_id INTEGER, access_date TEXT, access_count INTEGER, PRIMARY KEY (entity_id, access_date));
         CREATE TABLE co_occurrences (entity_a_id INTEGER, entity_b_id INTEGER, co_count INTEGER, last_co TEXT);
         INSERT INTO entity_access VALUES (1, 7, '2025-02-01 00:00:00');
         INSERT INTO entity_access_log VALUES (1, '2025-02-01', 3);
         INSERT INTO co_occurrences VALUES (1, 2, 4, '2025-02-01 00:00:00');",
    ),
    (
        "with reflections",
        "CREATE TABLE entities (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, entity_type TEXT NOT NULL);
         CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, entity_id INTEGER NOT NULL, content TEXT NOT NULL);
         CREATE TABLE relations (id INTEGER PRIMARY KEY AUTOINCREMENT, from_entity INTEGER, to_entity INTEGER, relation_type TEXT);
         CREATE TABLE reflections (id INTEGER PRIMARY KEY AUTOINCREMENT, target_type TEXT NOT NULL, target_id INTEGER,
             author TEXT NOT NULL DEFAULT 'sofia', content TEXT NOT NULL, mood TEXT, created_at TEXT DEFAULT '2025-01-01 00:00:00');
         INSERT INTO reflections (target_type, target_id, content) VALUES ('entity', 2, 'on SQLite'), ('relation', 1, 'on uses'),
             ('session', 77, 'on a session'), ('global', NULL, 'on all'), ('entity', 99, 'on nothing that is there');",
    ),
];

const GRAPH: &str = "INSERT INTO entities (name, entity_type) VALUES ('Atlas', 'Proyecto'), ('SQLite', 'Sistema');
     INSERT INTO observations (entity_id, content) VALUES (1, 'Ships on Mondays'), (1, 'Keeps its data in one file'), (2, 'Fits in one file');
     INSERT INTO relations (from_entity, to_entity, relation_type) VALUES (1, 2, 'uses');";

#[test]
fn databases_of_every_schema_version_are_merged_once() -> Result<()> {
    for (age, schema) in SCHEMA_VERSIONS {
        let folder = tempdir()?;
        let path = folder.path().join("old.db");
        Connection::open(&path)?.execute_batch(&format!("{schema}{GRAPH}"))?;
        let bytes = fs::read(&path)?;
        // Row numbers differ from those of the source.
        let mut memory = Native::in_memory()?;
        memory.call("create_entities", r#"{"entities": [{"name": "Here before"}, {"name": "SQLite"}]}"#)?;
        let answer = import(&mut memory, &bytes, false)?;
        ensure!(answer["observations_imported"] == 3 && answer["relations_imported"] == 1, "{age}: {answer}");
        let before = String::from_utf8(export(&mut memory, "limbic")?)?;
        let again = import(&mut memory, &bytes, false)?;
        ensure!(again["observations_imported"] == 0 && again["relations_imported"] == 0, "{age}: {again}");
        ensure!(again["reflections_imported"] == 0, "{age}: {again}");
        let after = String::from_utf8(export(&mut memory, "limbic")?)?;
        ensure!(before == after, "{age}: {}", transcript::difference(&before, &after));
        match age {
            "with history and use" => {
                for line in [
                    r#"{"record":"access","entity":"Atlas","count":7,"last":"2025-02-01 00:00:00"}"#,
                    r#"{"record":"access_day","entity":"Atlas","day":"2025-02-01","count":3}"#,
                    r#"{"record":"co_occurrence","a":"SQLite","b":"Atlas","count":4,"last":"2025-02-01 00:00:00"}"#,
                ] {
                    ensure!(after.contains(line), "{line} is not in {after}");
                }
            }
            "with reflections" => {
                ensure!(answer["reflections_imported"] == 4 && answer["skipped"] == 1, "{answer}");
                ensure!(
                    answer["problems"][0].as_str().is_some_and(|told| told.starts_with("reflection 5: ")),
                    "{answer}"
                );
                for part in [
                    r#""entity":"SQLite","author":"sofia","content":"on SQLite""#,
                    r#""session":77"#,
                    r#""relation_type":"uses","to":"SQLite","author""#,
                ] {
                    ensure!(after.contains(part), "{part} is not in {after}");
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Asserts that an import fails with this code and these words, and leaves the memory unchanged.
fn refused(memory: &mut Native, bytes: &[u8], code: &str, words: &str) -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("source");
    fs::write(&path, bytes)?;
    let before = export(memory, "limbic")?;
    for dry_run in [true, false] {
        let arguments = json!({ "source_path": path, "dry_run": dry_run }).to_string();
        let (is_error, answer) = memory.call("migrate", &arguments)?;
        let answer: Value = serde_json::from_str(&answer)?;
        ensure!(is_error && answer["code"] == code, "{words}: {answer}");
        ensure!(
            answer["error"].as_str().is_some_and(|error| error.contains(words)),
            "{words:?} is not in {answer}"
        );
        ensure!(export(memory, "limbic")? == before, "{words}: the memory has changed");
    }
    Ok(())
}

#[test]
fn unknown_formats_are_rejected_and_change_nothing() -> Result<()> {
    let folder = tempdir()?;
    let mut memory = any_memory(&folder.path().join("memory.db"), 2)?;
    let other = folder.path().join("other.db");
    Connection::open(&other)?
        .execute_batch("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x');")?;
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";
    let zip = b"PK\x03\x04\x14\0\0\0\x08\0\n\n\n{\"type\":\"no\"}";
    let unknown = "source_unknown";
    refused(&mut memory, b"", unknown, "empty")?;
    refused(&mut memory, b"\n \n", unknown, "empty")?;
    refused(&mut memory, png, unknown, "Unknown file format")?;
    refused(&mut memory, zip, unknown, "a ZIP archive: unpack it")?;
    refused(&mut memory, b"{\"entities\": 1,\n \"relations\": []}\n", unknown, "Unknown file format")?;
    refused(&mut memory, b"[{\"type\":\"entity\",\"label\":\"in a list\"}]", unknown, "Unknown file format")?;
    refused(&mut memory, &fs::read(&other)?, unknown, "no table entities")?;
    refused(&mut memory, b"SQLite format 3\0", unknown, "damaged")?;
    refused(
        &mut memory,
        br#"{"record":"export","format":"limbic","version":2}"#,
        unknown,
        "newest limbic-memory",
    )?;
    refused(&mut memory, br#"{"record":"entity","name":"Ada"}"#, unknown, "without its first line")
}

#[test]
fn a_damaged_database_is_rejected_completely() -> Result<()> {
    let folder = tempdir()?;
    let mut source = any_memory(&folder.path().join("source.db"), 1)?;
    for round in 0..40 {
        let arguments =
            json!({ "entities": [{ "name": format!("large {round}"), "observations": ["x".repeat(3000)] }] });
        source.call("create_entities", &arguments.to_string())?;
    }
    let whole = export(&mut source, "mcp-memory-v2")?;
    let mut memory = Native::in_memory()?;
    let half = whole.len() / 2;
    refused(&mut memory, &whole[..half], "source_unknown", "damaged")?;
    // A page in the middle of the observations is overwritten: those before it could be read.
    let path = folder.path().join("whole.db");
    fs::write(&path, &whole)?;
    let page: usize = Connection::open(&path)?.query_row(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'observations'",
        [],
        |row| row.get(0),
    )?;
    let mut torn = whole.clone();
    torn[(page - 1) * 4096..page * 4096].fill(0x5a);
    refused(&mut memory, &torn, "source_unknown", "damaged")?;
    // A reader that uses the index would skip an observation that the index lacks.
    let connection = Connection::open(&path)?;
    connection.execute_batch(
        "PRAGMA writable_schema = ON; CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name LIKE 'idx_obs_%';
         DELETE FROM sqlite_schema WHERE name LIKE 'idx_obs_%';",
    )?;
    drop(connection);
    let connection = Connection::open(&path)?;
    connection.execute_batch(
        "PRAGMA writable_schema = ON; INSERT INTO observations (entity_id, content) SELECT min(id), 'hidden' FROM entities;
         INSERT INTO sqlite_schema SELECT * FROM kept;",
    )?;
    drop(connection);
    refused(&mut memory, &fs::read(&path)?, "source_unknown", "damaged")?;
    ensure!(import(&mut memory, &whole, false)?["skipped"] == 0);
    Ok(())
}

#[test]
fn a_truncated_file_is_imported_and_reported() -> Result<()> {
    let folder = tempdir()?;
    let mut source = any_memory(&folder.path().join("source.db"), 4)?;
    let jsonl = export(&mut source, "jsonl")?;
    let mut memory = Native::in_memory()?;
    let cut = import(&mut memory, &jsonl[..jsonl.len() - 5], false)?;
    ensure!(cut["skipped"] == 1 && cut["problems"].to_string().contains("EOF"), "{cut}");
    let whole = import(&mut memory, &jsonl, false)?;
    ensure!(whole["relations_imported"] == 1 && whole["observations_imported"] == 0, "{whole}");
    ensure!(export(&mut memory, "jsonl")? == jsonl);

    let limbic = export(&mut source, "limbic")?;
    let mut memory = Native::in_memory()?;
    for length in [limbic.len() / 3, limbic.len() / 2, limbic.len() * 3 / 4] {
        let cut = import(&mut memory, &limbic[..length], false)?;
        ensure!(cut["problems"].to_string().contains("cut off"), "{cut}");
    }
    let whole = import(&mut memory, &limbic, false)?;
    ensure_same(&whole["problems"], &json!([]), &whole)?;
    ensure!(export(&mut memory, "limbic")? == limbic, "running it again does not complete it");
    Ok(())
}

#[test]
fn damaged_lines_are_reported_and_the_rest_is_stored() -> Result<()> {
    let long = "x".repeat(10_001);
    let entity = |name: &str, texts: &[&str]| {
        json!({ "type": "entity", "name": name, "entityType": "person", "observations": texts }).to_string()
    };
    let lines = [
        "this line is damaged".to_owned(),
        r#"{"type":"relation","from":"Ada","to":"Bob","relationType":"knows"}"#.to_owned(),
        entity("Ada", &["kept", &long, "kept too", "", "has a \0 inside"]),
        entity("Bob", &[]),
        entity(&"n".repeat(501), &[]),
        entity("", &[]),
        r#"{"type":"relation","from":"Ada","to":"Bob","relationType":""}"#.to_owned(),
        r#"{"type":"entity","name":"\ud800","entityType":"half a pair"}"#.to_owned(),
        r#"{"type":"entity","name":"Bob","entityType":"other","observations":["second line"]}"#.to_owned(),
    ];
    let mut memory = Native::in_memory()?;
    let answer = import(&mut memory, lines.join("\r\n").as_bytes(), false)?;
    ensure!(answer["entities_imported"] == 3 && answer["observations_imported"] == 3, "{answer}");
    ensure!(answer["relations_imported"] == 1 && answer["skipped"] == 8, "{answer}");
    let told = answer["problems"].to_string();
    for place in [
        "line 1: ",
        "line 3: an observation must have at most 10000",
        "line 3: an observation contains a NUL",
        "line 5: ",
        "line 6: a name must not be empty",
        "line 7: a relation type must not be empty",
        "line 8: ",
    ] {
        ensure!(told.contains(place), "{place:?} is not in {told}");
    }
    let (_, graph) = memory.call("read_graph", r#"{"detail": "full"}"#)?;
    ensure!(graph.contains(r#""kept","kept too"]"#) && graph.contains("second line"), "{graph}");

    let records = [
        r#"{"record":"export","format":"limbic","version":1,"unknown field":1}"#,
        r#"{"record":"observation","entity":"Nobody","content":"x"}"#,
        r#"{"record":"spaceship","name":"of a later version"}"#,
        r#"{"record":"entity"}"#,
        r#"{"record":"entity","name":"Ada","created_at":"a Tuesday"}"#,
        r#"{"record":"observation","entity":"Ada","n":2,"content":"newer","supersedes":1}"#,
        r#"{"record":"observation","entity":"Ada","n":1,"content":"older","superseded_at":"2026-01-01 00:00:00"}"#,
        r#"{"record":"access_day","entity":"Ada","day":"Tuesday","count":1}"#,
        r#"{"record":"relation","from":"Ada","relation_type":"is","to":"Nobody"}"#,
        r#"{"record":"end","records":8}"#,
    ];
    let mut memory = Native::in_memory()?;
    let answer = import(&mut memory, records.join("\n").as_bytes(), false)?;
    ensure!(answer["entities_imported"] == 1 && answer["observations_imported"] == 2, "{answer}");
    ensure!(answer["skipped"] == 5, "{answer}");
    for (number, part) in
        [(2, "Nobody"), (3, "spaceship"), (4, "missing field"), (8, "Tuesday"), (9, "Nobody")]
    {
        ensure!(
            answer["problems"].as_array().into_iter().flatten().any(|problem| problem
                .as_str()
                .is_some_and(|told| told.starts_with(&format!("line {number}: ")) && told.contains(part))),
            "line {number} is not reported in {answer}"
        );
    }
    let (_, opened) =
        memory.call("open_nodes", r#"{"names": ["Ada"], "detail": "full", "include_superseded": true}"#)?;
    let opened: Value = serde_json::from_str(&opened)?;
    let texts = &opened["entities"][0]["observations"];
    ensure!(texts[0]["content"] == "newer" && texts[0]["supersedes"] == texts[1]["id"], "{opened}");
    Ok(())
}

#[test]
fn a_file_that_cannot_be_read_to_its_end_is_an_error() -> Result<()> {
    struct Torn(Vec<u8>);
    impl limbic_tools::Source for Torn {
        fn size(&self) -> u64 {
            u64::try_from(self.0.len()).unwrap_or_default()
        }
        fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, String> {
            match offset + u64::try_from(buffer.len()).unwrap_or(u64::MAX) {
                0..300_000 => self.0.read_at(buffer, offset),
                _ => Err("the disk cannot be read".to_owned()),
            }
        }
    }
    let line =
        json!({ "type": "entity", "name": "Ada", "entityType": "x", "observations": ["y".repeat(9000)] });
    let mut memory = Native::in_memory()?;
    let text = format!("{line}\n").repeat(100).into_bytes();
    let mut database = b"SQLite format 3\0".to_vec();
    database.resize(1_000_000, 0);
    for bytes in [text, database] {
        let answer = memory.limbic().call_with_file(
            "migrate",
            r#"{"source_path": "some file"}"#,
            &[],
            &mut Torn(bytes),
            &mut |_, _| {},
        );
        ensure!(answer.is_error && answer.json.contains("source_unreadable"), "{}", answer.json);
        ensure!(answer.json.contains("the disk cannot be read): some file"), "{}", answer.json);
    }
    Ok(())
}

#[test]
fn progress_is_reported_to_the_end() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let mut text = Vec::new();
    for number in 0..5000 {
        text.extend(
            format!("{{\"type\":\"entity\",\"name\":\"entity {number}\",\"entityType\":\"x\"}}\n").bytes(),
        );
    }
    for dry_run in [true, false] {
        let mut told: Vec<(u64, u64)> = Vec::new();
        let arguments = json!({ "source_path": "x", "dry_run": dry_run }).to_string();
        let mut note = |done, total| told.push((done, total));
        memory.limbic().call_with_file("migrate", &arguments, &[], &mut text.clone(), &mut note);
        ensure!(told.len() > 4, "{told:?}");
        ensure!(told.is_sorted() && told.iter().all(|(done, total)| done <= total), "{told:?}");
        ensure!(told.last().is_some_and(|(done, total)| done == total), "{told:?}");
    }
    Ok(())
}

/// The peak resident memory of a process, in bytes.
#[cfg(target_os = "linux")]
fn peak_bytes(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    Ok(line.trim().trim_end_matches(" kB").trim().parse::<u64>()? * 1024)
}

/// Writes a file of the reference server of about this many bytes. Returns its number of entities.
#[cfg(target_os = "linux")]
fn large_file(path: &Path, bytes: u64) -> Result<u64> {
    use std::io::Write;
    let mut file = std::io::BufWriter::new(fs::File::create(path)?);
    let mut written = 0;
    let mut entities = 0;
    while written < bytes {
        let filler = "some words that fill it up ".repeat(36);
        let observations: Vec<String> =
            (0..20).map(|part| format!("observation {part} of entity {entities}: {filler}")).collect();
        let name = format!("entity {entities}");
        let line =
            json!({ "type": "entity", "name": name, "entityType": "Generic", "observations": observations });
        let line = format!("{line}\n");
        file.write_all(line.as_bytes())?;
        written += u64::try_from(line.len())?;
        entities += 1;
    }
    for entity in 1..entities {
        writeln!(
            file,
            r#"{{"type":"relation","from":"entity 0","to":"entity {entity}","relationType":"precedes"}}"#
        )?;
    }
    file.flush()?;
    Ok(entities)
}

/// An import of 200 MB must take at most 500 MB of memory. The test imports 40 MB: enough to fail if the whole file
/// were held in memory. LIMBIC_TEST_IMPORT_MB sets another size.
#[test]
#[cfg(target_os = "linux")]
fn an_enormous_file_needs_little_memory() -> Result<()> {
    use limbic_tests::stdio::Server;
    let megabytes: u64 =
        std::env::var("LIMBIC_TEST_IMPORT_MB").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let folder = tempdir()?;
    let path = folder.path().join("large.jsonl");
    let entities = large_file(&path, megabytes * 1_000_000)?;
    let arguments = json!({ "source_path": path }).to_string();
    for (name, start, most) in [
        ("native", Server::native_alone as fn(&Path) -> Result<Server>, 125),
        ("node", Server::node_alone, 240),
    ] {
        let mut server = start(&folder.path().join(format!("{name}.db")))?;
        let before = peak_bytes(server.pid())?;
        let begun = std::time::Instant::now();
        let (is_error, answer) = server.call("migrate", &arguments)?;
        let answer: Value = serde_json::from_str(&answer)?;
        let peak = peak_bytes(server.pid())?;
        println!(
            "{name}: {megabytes} MB in {:.1?}, {} MB before, {} MB at most",
            begun.elapsed(),
            before / 1_000_000,
            peak / 1_000_000
        );
        ensure!(!is_error && answer["entities_imported"] == entities && answer["skipped"] == 0, "{answer}");
        ensure!(answer["relations_imported"] == entities - 1, "{answer}");
        ensure!(server.notices("notifications/progress") > 2, "{name}: no progress was reported");
        ensure!(
            peak < most * 1_000_000,
            "{name}: {} MB at most, {} MB before",
            peak / 1_000_000,
            before / 1_000_000
        );
        server.stop()?;
    }
    Ok(())
}

#[test]
fn equal_texts_of_two_users_are_two_memories() -> Result<()> {
    let line = |user: &str, moment: &str| {
        let mut line = json!({ "content": "Likes tea", "memory_type": "semantic", "ingestion_time": moment });
        if !user.is_empty() {
            line["user_id"] = user.into();
        }
        line.to_string() + "\n"
    };
    let lines = line("", "2024-01-01T00:00:00Z")
        + &line("ada", "2025-01-01T00:00:00Z")
        + &line("bob", "2025-02-01T00:00:00Z");
    let mut memory = Native::in_memory()?;
    // An earlier version gave the memory of a user the id of one without.
    let earlier = json!({ "content": "Likes coffee", "memory_type": "semantic", "user_id": "ada" });
    let id = format!("imported-{:016x}", limbic_core::model::text::content_hash("Likes coffee"));
    ask(&mut memory, "memory_store", &json!({ "id": id, "content": "Likes coffee", "user_id": "ada" }))?;
    for (stored, skipped) in [(3, 1), (0, 4)] {
        let answer = import(&mut memory, (lines.clone() + &earlier.to_string()).as_bytes(), false)?;
        ensure!(answer["memories_imported"] == stored && answer["skipped"] == skipped, "{answer}");
    }
    for user in ["ada", "bob"] {
        let listed = ask(&mut memory, "memory_list", &json!({ "user_id": user }))?;
        ensure!(listed["memories"].to_string().contains("Likes tea"), "{user}: {listed}");
    }
    let listed = ask(&mut memory, "memory_list", &json!({}))?;
    ensure!(listed["total"] == 4, "{listed}");
    Ok(())
}

#[test]
fn ids_that_tools_refuse_are_not_imported() -> Result<()> {
    let record =
        |id: &str, user: &str| json!({ "record": "memory", "id": id, "content": "x", "user_id": user });
    let (long, longest) = ("i".repeat(201), "i".repeat(200));
    let records = [
        record("a\u{200b}b", "ada"),
        record("a\nb", "ada"),
        record(&long, "ada"),
        record("b", "a\u{202e}da"),
        record("c", &long),
        record(&longest, &longest),
    ];
    let head = json!({ "record": "export", "format": "limbic", "version": 1 });
    let end = json!({ "record": "end", "records": records.len() });
    let lines: Vec<String> =
        [&head].into_iter().chain(&records).chain([&end]).map(Value::to_string).collect();
    let mut memory = Native::in_memory()?;
    let answer = import(&mut memory, (lines.join("\n") + "\n").as_bytes(), false)?;
    ensure!(answer["memories_imported"] == 1 && answer["skipped"] == 5, "{answer}");
    let listed = ask(&mut memory, "memory_list", &json!({}))?;
    ensure!(listed["total"] == 1, "{listed}");
    let found = ask(&mut memory, "memory_get", &json!({ "ids": [longest] }))?;
    ensure!(found["memories"][0]["user_id"] == longest.as_str(), "{found}");
    Ok(())
}
