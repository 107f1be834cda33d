//! The audit log of bulk changes: imports, and the deletion of domains whose memories move.

use anyhow::{Result, ensure};
use limbic_tests::{export_import::export, memory::Native, memory_file::ask};
use limbic_tools::{Caller, CallerKind, EXPORT_FORMATS, SessionId};
use serde_json::{Value, json};
use std::{fmt::Write, fs};
use tempfile::tempdir;

fn lines(memory: &mut Native) -> Result<Vec<Value>> {
    let answer = memory.limbic().audit(None, None, None, 1000);
    Ok(serde_json::from_str(&answer.json)?)
}

fn filled() -> Result<Native> {
    let mut memory = Native::in_memory()?;
    ask(
        &mut memory,
        "create_entities",
        &json!({ "entities": [{ "name": "Ada", "observations": ["drinks tea"] }, { "name": "Ben" }] }),
    )?;
    ask(
        &mut memory,
        "create_relations",
        &json!({ "relations": [{ "from": "Ada", "to": "Ben", "relationType": "knows" }] }),
    )?;
    ask(&mut memory, "memory_store", &json!({ "content": "Ships on Mondays" }))?;
    Ok(memory)
}

#[test]
fn an_import_of_every_format_is_one_line_of_counts() -> Result<()> {
    let folder = tempdir()?;
    let mut source = filled()?;
    for format in EXPORT_FORMATS {
        let path = folder.path().join(format);
        fs::write(&path, export(&mut source, format)?)?;
        let mut memory = Native::in_memory()?;
        let import = |memory: &mut Native, dry_run: bool| {
            ask(memory, "migrate", &json!({ "source_path": path, "dry_run": dry_run }))
        };
        import(&mut memory, true)?;
        ensure!(lines(&mut memory)?.is_empty(), "{format}: a dry run is logged");
        let answer = import(&mut memory, false)?;
        let mut logged = lines(&mut memory)?;
        // Limbic's own format contains the audit lines of its memories.
        logged.retain(|line| format != "limbic" || line["action"] != "store");
        ensure!(logged.len() == 1, "{format}: {logged:?}");
        let line = &logged[0];
        ensure!(line["action"] == "import", "{format}: {logged:?}");
        ensure!(line["memory_id"].is_null() && line["session_id"].is_string(), "{format}: {line}");
        let reason = line["reason"].as_str().unwrap_or_default();
        for (field, word) in [
            ("entities_imported", "entities"),
            ("relations_imported", "relations"),
            ("memories_imported", "memories"),
        ] {
            let count = answer[field].as_u64().unwrap_or_default();
            let says = reason.contains(&format!("{word}: {count}"));
            ensure!(says || count == 0, "{format}: {count} {word}: {reason}");
        }
        let of = answer["format"].as_str().unwrap_or_default();
        ensure!(reason.contains(&format!("of the format {of}, from {}", path.display())), "{reason}");
        ensure!(!reason.contains("tea") && !reason.contains("Mondays"), "{format}: a text: {reason}");
    }
    Ok(())
}

#[test]
fn an_import_of_several_transactions_is_one_line_of_all_of_them() -> Result<()> {
    let mut text = String::new();
    for number in 0..5_000 {
        writeln!(text, r#"{{"type":"entity","name":"n{number}","entityType":"x","observations":[]}}"#)?;
    }
    let folder = tempdir()?;
    let path = folder.path().join("memory.jsonl");
    fs::write(&path, text)?;
    let mut memory = Native::in_memory()?;
    ask(&mut memory, "migrate", &json!({ "source_path": path }))?;
    let logged = lines(&mut memory)?;
    ensure!(logged.len() == 1, "{logged:?}");
    ensure!(logged[0]["reason"].to_string().contains("entities: 5000"), "{logged:?}");
    Ok(())
}

#[test]
fn each_memory_that_moves_with_its_domain_has_a_line() -> Result<()> {
    let mut memory = Native::in_memory_offering(&["memory", "domain"])?;
    ask(&mut memory, "create_domain", &json!({ "id": "atlas" }))?;
    for (id, user) in [("first", json!("ada")), ("second", json!(null))] {
        let note =
            json!({ "id": id, "content": format!("the {id} note"), "domain": "atlas", "user_id": user });
        ask(&mut memory, "memory_store", &note)?;
    }
    ask(&mut memory, "memory_store", &json!({ "id": "other", "content": "stays where it is" }))?;
    ask(&mut memory, "delete_domain", &json!({ "id": "atlas", "move_to": "general" }))?;
    let moved: Vec<Value> = lines(&mut memory)?.into_iter().filter(|line| line["action"] == "move").collect();
    ensure!(moved.len() == 2, "{moved:?}");
    for (line, (id, user)) in moved.iter().zip([("second", json!(null)), ("first", json!("ada"))]) {
        ensure!(line["memory_id"] == id && line["user_id"] == user, "{line}");
        ensure!(line["reason"].to_string().contains("atlas was deleted"), "{line}");
    }
    Ok(())
}

#[test]
fn the_lines_of_one_origin_are_found() -> Result<()> {
    let mut memory = filled()?;
    for client in ["one", "other"] {
        let caller = Caller { kind: CallerKind::Client, client: client.to_owned(), ..Caller::default() };
        memory.limbic().introduce(&SessionId::default(), caller);
        for id in ["a", "b"] {
            let id = format!("{client}-{id}");
            ask(&mut memory, "memory_store", &json!({ "id": id, "content": format!("Sails in {id}") }))?;
        }
    }
    let mut found = |memory_id: Option<&str>, origin: &str| -> Result<Vec<Value>> {
        let answer = memory.limbic().audit(memory_id, None, Some(origin), 1000);
        let lines: Vec<Value> = serde_json::from_str(&answer.json)?;
        Ok(lines.into_iter().map(|line| line["memory_id"].clone()).collect())
    };
    assert_eq!(found(None, "client:one")?, ["one-b", "one-a"]);
    assert_eq!(found(Some("other-a"), "client:other")?, ["other-a"]);
    assert!(found(Some("other-a"), "client:one")?.is_empty());
    assert!(found(None, "client:none")?.is_empty());
    Ok(())
}
