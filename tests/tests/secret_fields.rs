//! Secrets in fields other than the text of a memory are rejected before they are stored or repeated.

use anyhow::{Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{
    BackEnd, START_MILLIS,
    export_import::import,
    memory::{Native, connect},
    memory_file::MemoryFile,
};
use limbic_tools::Options;
use serde_json::{Value, json};

/// An invented text in the format of a GitHub token.
fn secret() -> String {
    format!("ghp{}q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3W", '_')
}

fn refused(memory: &mut Native, tool: &str, arguments: &Value) -> Result<()> {
    let (is_error, answer) = memory.call(tool, &arguments.to_string())?;
    ensure!(is_error && answer.contains("secret_refused"), "{tool} {arguments}: {answer}");
    ensure!(!answer.contains(&secret()), "{tool} {arguments}: {answer}");
    Ok(())
}

#[test]
fn every_stored_field_is_checked_for_secrets() -> Result<()> {
    let mut memory = Native::in_memory()?;
    memory.call("memory_store", r#"{"id": "a", "content": "One"}"#)?;
    memory.call("memory_store", r#"{"id": "b", "content": "Two"}"#)?;
    let secret = secret();
    let link = json!([{ "targetId": "a" }]);
    for (tool, arguments) in [
        ("memory_store", json!({ "content": "Three", "id": secret })),
        ("memory_store", json!({ "content": "Three", "user_id": secret })),
        ("memory_store", json!({ "content": "Three", "domain": secret })),
        ("memory_store", json!({ "content": "Three", "category": secret })),
        ("memory_store", json!({ "content": "Three", "entities": [secret] })),
        ("memory_store", json!({ "content": "Three", "relationships": { &secret: link } })),
        ("memory_store", json!({ "memories": [{ "content": "Three", "id": secret }] })),
        ("memory_store", json!({ "content": "Three", "metadata": { &secret: 1 } })),
        ("memory_store", json!({ "content": "Three", &secret: 1 })),
        ("memory_update", json!({ "id": "a", "entities": [secret] })),
        ("memory_update", json!({ "id": "a", "subject": "x", "reason": secret })),
        ("memory_invalidate", json!({ "id": "a", "reason": secret })),
        ("memory_forget", json!({ "id": "a", "reason": secret })),
        ("memory_maintain", json!({ "reason": secret })),
        ("memory_link", json!({ "from_id": "a", "to_id": "b", "type": secret })),
        ("memory_link", json!({ "from_id": "a", "to_id": "b", "type": "x", "description": secret })),
        ("create_domain", json!({ "id": secret })),
        ("create_domain", json!({ "id": "c", "name": secret })),
        ("create_domain", json!({ "id": "c", "description": secret })),
    ] {
        refused(&mut memory, tool, &arguments)?;
    }
    let log = memory.limbic().audit(None, None, None, 100).json;
    ensure!(!log.contains(&secret) && !log.contains("forget"), "{log}");
    Ok(())
}

#[test]
fn a_field_that_another_one_makes_a_secret_is_rejected() -> Result<()> {
    let password = "kestrel-99-Blue";
    let mut memory = Native::in_memory_offering(&["all"])?;
    memory
        .call("memory_store", r#"{"id": "a", "content": "See the vault", "subject": "database password"}"#)?;
    memory.call("memory_store", &json!({ "id": "b", "content": password, "subject": "bird" }).to_string())?;
    let observations = json!([{ "entityName": "Wifi password", "contents": [password] }]);
    let entity = |name: &str, entity_type: &str| json!({ "name": name, "entityType": entity_type, "observations": [password] });
    for (tool, arguments) in [
        ("memory_store", json!({ "content": password, "subject": "database password" })),
        ("memory_store", json!({ "memories": [{ "content": password, "subject": "database password" }] })),
        ("memory_store", json!({ "content": password, "tags": ["router", "password"] })),
        ("memory_store", json!({ "content": password, "path": "/wifi/password" })),
        (
            "memory_store",
            json!({ "content": "The key", "summary": password, "subject": "database password" }),
        ),
        ("memory_update", json!({ "id": "a", "content": password })),
        ("memory_update", json!({ "id": "b", "subject": "database password" })),
        ("create_entities", json!({ "entities": [entity("Wifi password", "note")] })),
        ("create_entities", json!({ "entities": [entity("Router", "password")] })),
        ("add_observations", json!({ "observations": observations })),
    ] {
        let (is_error, answer) = memory.call(tool, &arguments.to_string())?;
        ensure!(is_error && answer.contains("secret_refused"), "{tool} {arguments}: {answer}");
        ensure!(!answer.contains(password), "{tool} {arguments}: {answer}");
    }
    for arguments in [
        json!({ "content": "Rotate it every month, and keep it in 1Password", "subject": "database password" }),
        json!({ "content": "argon2id", "subject": "password hashing", "tags": ["password", "hashing"] }),
        json!({ "content": "Store it in the keychain", "tags": ["password", "token", "secret"] }),
    ] {
        let (is_error, answer) = memory.call("memory_store", &arguments.to_string())?;
        ensure!(!is_error, "{arguments}: {answer}");
    }
    let lines = [
        json!({ "record": "export", "format": "limbic", "version": 1 }),
        json!({ "record": "memory", "id": "c", "content": password, "subject": "database password" }),
        json!({ "record": "end", "records": 1 }),
    ];
    let text = lines.map(|line| line.to_string()).join("\n");
    let answer = import(&mut memory, text.as_bytes(), false)?;
    ensure!(answer["skipped"] == 1 && answer["memories_imported"] == 0, "{answer}");
    Ok(())
}

#[test]
fn memory_graph_tools_check_for_secrets() -> Result<()> {
    limbic_vfs::register_vec0();
    let compat = Some("memory-graph".to_owned());
    let options = Options { test_clock: Some(START_MILLIS), compat, ..Options::default() };
    let mut memory = Native::with(Connection::open_in_memory()?, options)?;
    let secret = secret();
    refused(&mut memory, "create_domain", &json!({ "id": "c", "name": "C", "description": secret }))?;
    let references = json!([{ "domain": "general", "nodeId": "a", "description": secret }]);
    refused(&mut memory, "store_memory", &json!({ "content": "One", "domainRefs": references }))
}

#[test]
fn a_memory_with_a_secret_in_its_id_can_be_deleted() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let (_, answer) = memory.call("memory_forget", &json!({ "id": secret() }).to_string())?;
    ensure!(answer.contains("memory_not_found"), "{answer}");
    Ok(())
}

/// The lines as a file.
fn file_of(lines: impl IntoIterator<Item = Value>) -> Vec<u8> {
    lines.into_iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}

/// Imports a file with a secret: its records are left out and named, and these totals are imported.
fn imports_without(memory: &mut Native, file: &[u8], secret: &str, expected: &Value) -> Result<()> {
    let answer = import(memory, file, false)?;
    ensure!(totals(memory)? == *expected, "{answer}");
    ensure!(answer["problems"].to_string().contains("secret"), "{answer}");
    ensure!(!answer.to_string().contains(secret), "{answer}");
    let stored = memory.limbic().export()?;
    ensure!(!stored.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "it is in the database");
    Ok(())
}

/// The number of entities, observations and relations.
fn totals(memory: &mut Native) -> Result<Value> {
    let (_, graph) = memory.call("read_graph", r#"{"limit": 50}"#)?;
    let graph: Value = serde_json::from_str(&graph)?;
    let sum = |name: &str| graph["totals"][name].as_u64().unwrap_or_default();
    Ok(json!([sum("entities"), sum("observations"), sum("relations")]))
}

#[test]
fn an_import_rejects_records_of_the_graph_with_secrets_one_by_one() -> Result<()> {
    let secret = secret();
    let observation = |entity: &str, n: i64, content: &str| json!({ "record": "observation", "entity": entity, "n": n, "content": content });
    let reflection =
        |content: &str| json!({ "record": "reflection", "target_type": "global", "content": content });
    let relation = |kind: &str, to: &str, context: &str| json!({ "record": "relation", "from": "Ada", "relation_type": kind, "to": to, "context": context });
    let export = [
        json!({ "record": "export", "format": "limbic", "version": 1 }),
        json!({ "record": "setting", "key": "note", "value": secret }),
        json!({ "record": "entity", "name": "Ada", "entity_type": "person" }),
        json!({ "record": "entity", "name": "Router", "entity_type": "password" }),
        json!({ "record": "entity", "name": "Wifi password" }),
        json!({ "record": "entity", "name": secret }),
        json!({ "record": "entity", "name": "Bob", "entity_type": secret }),
        json!({ "record": "entity", "name": "Eve", "description": format!("Signs in with {secret}") }),
        observation("Ada", 1, "Prefers tea"),
        observation("Ada", 2, &format!("Deploys with {secret}")),
        observation("Router", 1, "kestrel-99-Blue"),
        observation("Wifi password", 1, "kestrel-99-Blue"),
        observation(&secret, 1, "Is missing"),
        relation("knows", "Router", "since May"),
        relation("uses", "Router", &secret),
        relation(&secret, "Router", ""),
        relation("owns", &secret, ""),
        reflection("All is well"),
        reflection(&format!("All is {secret}")),
        json!({ "record": &secret, "name": "Ada" }),
        json!({ "record": "access", "entity": &secret, "count": 1 }),
        json!({ "record": "end", "records": 20 }),
    ];
    let mut memory = Native::in_memory()?;
    let answer = import(&mut memory, &file_of(export), false)?;
    ensure!(totals(&mut memory)? == json!([3, 1, 1]) && answer["reflections_imported"] == 1, "{answer}");
    let problems = answer["problems"].as_array().map_or(0, Vec::len);
    ensure!(answer["skipped"] == 14 && problems == 14, "{answer}");
    ensure!(!answer.to_string().contains(&secret), "{answer}");
    ensure!(answer["problems"][12] == "line 20: it seems to hold a secret (GitHub token)", "{answer}");
    let stored = memory.limbic().export()?;
    ensure!(!stored.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "it is in the database");
    Ok(())
}

#[test]
fn files_of_other_programs_with_secrets_in_the_graph_are_imported_without_them() -> Result<()> {
    let secret = secret();
    let reference = file_of([
        json!({ "type": "entity", "name": "Ada", "entityType": "person", "observations": ["Prefers tea", &secret] }),
        json!({ "type": "entity", "name": "Wifi password", "entityType": "note", "observations": ["kestrel-99-Blue"] }),
        json!({ "type": "entity", "name": secret, "entityType": "person", "observations": [] }),
        json!({ "type": "relation", "from": "Ada", "to": "Wifi password", "relationType": "knows" }),
        json!({ "type": "relation", "from": "Ada", "to": "Wifi password", "relationType": secret }),
        json!({ "type": "relation", "from": "Ada", "to": secret, "relationType": "knows" }),
    ]);
    let service = file_of([
        json!({ "id": "entities:a", "name": "Ada", "entity_type": "person", "description": "Prefers tea" }),
        json!({ "id": "entities:b", "name": "Bob", "entity_type": "person", "description": secret }),
        json!({ "id": "entities:c", "name": "Eve", "entity_type": "person" }),
        json!({ "in": "entities:a", "out": "entities:c", "relation_type": "knows" }),
        json!({ "in": "entities:a", "out": "entities:c", "relation_type": secret }),
    ]);
    for (file, expected) in [(reference, json!([2, 1, 1])), (service, json!([2, 0, 1]))] {
        let mut memory = Native::in_memory()?;
        imports_without(&mut memory, &file, &secret, &expected)?;
    }
    Ok(())
}

#[test]
fn an_import_rejects_what_the_stored_type_of_an_entity_makes_a_secret() -> Result<()> {
    let password = "kestrel-99-Blue";
    let entity = |entity_type: Option<&str>, observations: &[&str]| json!({ "type": "entity", "name": "Router", "entityType": entity_type, "observations": observations });
    let record = |record: Value| {
        [
            json!({ "record": "export", "format": "limbic", "version": 1 }),
            record,
            json!({ "record": "end", "records": 1 }),
        ]
    };
    let described =
        json!({ "record": "entity", "name": "Router", "entity_type": "note", "description": password });
    let retyped = json!({ "record": "entity", "name": "Router", "entity_type": "password", "updated_at": "2026-01-01 06:00:00" });
    for (stored_first, file) in [
        (None, file_of([entity(Some("password"), &[]), entity(Some("note"), &[password])])),
        (Some(json!({ "entity_type": "password" })), file_of([entity(None, &[password])])),
        (Some(json!({ "entity_type": "password" })), file_of(record(described.clone()))),
        (Some(json!({ "entity_type": "note", "description": password })), file_of(record(retyped))),
    ] {
        let mut memory = Native::in_memory()?;
        let is_described = stored_first.as_ref().is_some_and(|first| !first["description"].is_null());
        if let Some(mut first) = stored_first {
            first["record"] = "entity".into();
            first["name"] = "Router".into();
            import(&mut memory, &file_of(record(first)), false)?;
        }
        let answer = import(&mut memory, &file, false)?;
        ensure!(answer["problems"].to_string().contains("secret"), "{answer}");
        let stored = memory.limbic().export()?;
        let is_stored = stored.windows(password.len()).any(|bytes| bytes == password.as_bytes());
        ensure!(is_stored == is_described, "{answer}");
    }
    // Without a type that says so, it is none.
    let mut memory = Native::in_memory()?;
    let answer = import(&mut memory, &file_of(record(described)), false)?;
    ensure!(answer["entities_imported"] == 1 && answer["skipped"] == 0, "{answer}");
    Ok(())
}

#[test]
fn an_old_memory_that_its_subject_makes_a_secret_can_be_changed_elsewhere() -> Result<()> {
    let password = "kestrel-99-Blue";
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    memory.call("memory_store", &json!({ "id": "a", "content": password, "subject": "bird" }).to_string())?;
    drop(memory);
    // As an earlier version stored it.
    connect(&file.path)?.execute("UPDATE MEMORY_NODES SET subject = 'database password'", [])?;
    let mut memory = file.open(0, Options::default())?;
    for (arguments, is_refused) in [
        (json!({ "id": "a", "summary": "About a bird" }), false),
        (json!({ "id": "a", "content": password }), false),
        (json!({ "id": "a", "subject": "database password" }), false),
        (json!({ "id": "a", "tags": ["bird"] }), false),
        (json!({ "id": "a", "summary": "kestrel-98-Blue" }), true),
        (json!({ "id": "a", "tags": ["bird", "password"] }), true),
        (json!({ "id": "a", "content": "kestrel-98-Blue" }), true),
    ] {
        let (is_error, answer) = memory.call("memory_update", &arguments.to_string())?;
        ensure!(is_error == is_refused, "{arguments}: {answer}");
    }
    Ok(())
}

#[test]
fn an_export_of_the_reference_server_s_tools_is_imported_without_its_secrets() -> Result<()> {
    let secret = secret();
    let of = |compat: Option<&str>, scan_graph| -> Result<Native> {
        let options = Options {
            test_clock: Some(START_MILLIS),
            compat: compat.map(str::to_owned),
            scan_graph,
            ..Options::default()
        };
        Native::with(Connection::open_in_memory()?, options)
    };
    limbic_vfs::register_vec0();
    let mut source = of(Some("server-memory"), false)?;
    let entities = json!([
        { "name": "Ada", "entityType": "person", "observations": [format!("Deploys with {secret}"), "Prefers tea"] },
        { "name": secret, "entityType": "person", "observations": ["Has a strange name"] },
    ]);
    source.call("create_entities", &json!({ "entities": entities }).to_string())?;
    let relations = json!([{ "from": "Ada", "to": secret, "relationType": "knows" }]);
    source.call("create_relations", &json!({ "relations": relations }).to_string())?;
    let mut files = vec![source.limbic().export()?];
    for format in ["limbic", "jsonl", "mcp-memory-v2"] {
        let mut export = Vec::new();
        source.limbic().export_as(format, &mut |chunk| {
            export.extend_from_slice(chunk);
            Ok(())
        })?;
        ensure!(export.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "{format}");
        files.push(export);
    }
    for file in files {
        let mut memory = of(None, false)?;
        imports_without(&mut memory, &file, &secret, &json!([1, 1, 0]))?;
    }
    Ok(())
}

#[test]
fn an_import_rejects_records_with_secrets_one_by_one() -> Result<()> {
    let secret = secret();
    let lines = [
        json!({ "record": "export", "format": "limbic", "version": 1 }),
        json!({ "record": "memory", "id": secret, "content": "One" }),
        json!({ "record": "memory", "id": "a", "content": "Two" }),
        json!({ "record": "memory", "id": "b", "content": "Three" }),
        json!({ "record": "memory_edge", "from": "a", "to": "b", "link_type": secret }),
        json!({ "record": "memory_reference", "from": "a", "domain": "general", "to": "b",
            "target_domain": "general", "description": secret }),
        json!({ "record": "domain", "id": "d", "name": "D", "description": secret }),
        json!({ "record": "search", "id": 1, "at": "2026-01-31 12:00:00", "query": secret, "hash": "0f", "treatment": 1,
            "limit": 10, "found": 0, "engine": "hybrid" }),
        json!({ "record": "end", "records": 7 }),
    ];
    let mut memory = Native::in_memory()?;
    let text = lines.map(|line| line.to_string()).join("\n");
    let answer = import(&mut memory, text.as_bytes(), false)?;
    ensure!(answer["memories_imported"] == 2 && answer["links_imported"] == 0, "{answer}");
    ensure!(answer["skipped"] == 5 && !answer.to_string().contains(&secret), "{answer}");
    Ok(())
}

/// The scan takes its time for each megabyte, and other clients wait for it.
#[test]
fn what_is_too_long_is_refused_before_it_is_scanned() -> Result<()> {
    let mut memory = Native::in_memory_offering(&["memory", "graph"])?;
    let secret = secret();
    let long = format!("{secret} {}", "many words ".repeat(10_000));
    let metadata = json!({ "note": long });
    let too_many = vec![json!(secret); 1001];
    for (tool, arguments, message) in [
        ("memory_store", json!({ "content": long }), "content must have at most 102400 bytes"),
        (
            "memory_store",
            json!({ "content": "x", "metadata": metadata }),
            "metadata must have at most 102400 bytes",
        ),
        (
            "memory_store",
            json!({ "memories": [{ "content": long }] }),
            "content must have at most 102400 bytes",
        ),
        (
            "memory_store",
            json!({ "memories": [{ "content": "x", "summary": long }] }),
            "memories[0].summary must have",
        ),
        ("memory_update", json!({ "id": "a", "reason": long }), "reason must have at most 1000 characters"),
        ("memory_store", json!({ "content": secret, "tags": too_many }), "tags must have at most 100 items"),
        (
            "create_entities",
            json!({ "entities": [{ "name": "a", "observations": [long] }] }),
            "observations[0] must have",
        ),
        (
            "create_entities",
            json!({ "entities": [{ "name": "a", "entity_type": long }] }),
            "entityType must have",
        ),
        (
            "memory_store",
            json!({ "content": "x", "unknown": [long.repeat(150)] }),
            "at most 13000000 bytes together",
        ),
        (
            "create_entities",
            // Short texts take more time for each byte.
            json!({ "entities": vec![json!({ "name": secret, "observations": vec!["a few words"; 1000] }); 100] }),
            "each counts as 128 bytes more",
        ),
    ] {
        let (is_error, answer) = memory.call(tool, &arguments.to_string())?;
        ensure!(is_error && answer.contains(message), "{tool}: {answer}");
        ensure!(!answer.contains(&secret), "{tool}: {answer}");
    }
    // Each word is scanned with the name.
    let words: Vec<String> = (0..900).map(|number| format!("w{number}")).collect();
    let entity = |number| json!({ "name": format!("{number}{}", " name".repeat(99)), "observations": words });
    let entities = json!({ "entities": (0..10).map(entity).collect::<Vec<_>>() });
    let (is_error, answer) = memory.call("create_entities", &entities.to_string())?;
    ensure!(is_error && answer.contains("Too many texts of one word"), "{answer}");
    Ok(())
}
