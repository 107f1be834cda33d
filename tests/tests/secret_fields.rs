//! Secrets in fields other than the text of a memory are rejected before they are stored or repeated.

use anyhow::{Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{BackEnd, START_MILLIS, export_import::import, memory::Native};
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
    let log = memory.limbic().audit(None, None, 100).json;
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
