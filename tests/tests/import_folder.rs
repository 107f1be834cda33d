//! Memory Graph's JSON folder, imported in one call by the native server and by the Node server.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use limbic_tests::transcript::ensure_same;
use limbic_tests::{BackEnd, memory_file::ask, stdio::Server};
use serde_json::{Value, json};
use tempfile::tempdir;

/// The memories of a domain.
fn domain(id: &str, name: &str) -> Value {
    json!({ "id": id, "name": name, "created": "2025-01-01T00:00:00.000Z", "lastAccess": "2025-01-02T00:00:00.000Z" })
}

/// Files to import. `archive.json` precedes the domains by name, and refers to a memory of a later file.
fn files() -> [(&'static str, Value); 5] {
    let at = "2025-01-03T00:00:00.000Z";
    [
        ("domains.json", json!({ "work": domain("work", "Work"), "archive": domain("archive", "Archive") })),
        (
            "memories/archive.json",
            json!({ "nodes": { "a1": { "id": "a1", "content": "Moved to the cellar", "timestamp": at,
                "domainRefs": [{ "domain": "work", "nodeId": "w1", "description": "came from", "bidirectional": false }] } },
                "edges": [{ "source": "a1", "target": "w2", "type": "refines", "strength": 0.7, "timestamp": at }] }),
        ),
        (
            "memories/work.json",
            json!({ "nodes": {
                "w1": { "id": "w1", "content": "Deploys on Mondays", "timestamp": at, "path": "/ops", "tags": ["ops"] },
                "w2": { "id": "w2", "content": "Rolls back at night", "timestamp": at },
                "w3": { "id": "w3", "timestamp": "has no content" } }, "edges": [] }),
        ),
        ("package.json", json!({ "name": "is none of these", "private": true })),
        ("persistence.json", json!({ "currentDomain": "work", "lastAccess": at, "lastMemoryId": "w1" })),
    ]
}

fn write(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder.join("memories"))?;
    for (name, value) in files() {
        fs::write(folder.join(name), serde_json::to_string_pretty(&value)?)?;
    }
    fs::write(folder.join("notes.txt"), "no JSON")?;
    Ok(())
}

fn on_both_servers(test: impl Fn(&mut Server, &Path) -> Result<()>) -> Result<()> {
    for start in [Server::native_offering, Server::node_offering] {
        let root = tempdir()?;
        let mut server = start(&root.path().join("memory.db"), &["graph", "memory", "domain"])?;
        test(&mut server, root.path())?;
        server.stop()?;
    }
    Ok(())
}

#[test]
fn links_to_memories_of_later_files_are_imported() -> Result<()> {
    on_both_servers(|server, root| {
        let folder = root.join("memory-graph");
        write(&folder)?;
        let dry_run = ask(server, "migrate", &json!({ "source_path": folder, "dry_run": true }))?;
        let listed = ask(server, "memory_list", &json!({ "domain": "*" }))?;
        ensure_same(&listed["memories"], &json!([]), format!("a dry run stored something: {listed}"))?;
        let mut imported = ask(server, "migrate", &json!({ "source_path": folder }))?;
        let counted = json!({ "format": "memory-graph", "memories_imported": 3, "domains_imported": 2,
            "links_imported": 2, "errors": 0, "skipped": 2 });
        for (field, expected) in counted.as_object().context("an object")? {
            ensure!(imported[field] == *expected, "{field} is not {expected}: {imported}");
        }
        let problems = imported["problems"].to_string();
        ensure!(problems.contains("memories/work.json: node w3: missing field"), "{problems}");
        ensure!(problems.contains("package.json: not a file of Memory Graph"), "{problems}");
        imported["dry_run"] = true.into();
        let origin = imported.as_object_mut().and_then(|fields| fields.remove("origin"));
        ensure!(origin.is_some(), "imported memories have an origin");
        ensure!(imported == dry_run, "the dry run reported something else: {dry_run}");

        let domains = ask(server, "list_domains", &json!({}))?;
        ensure!(domains.to_string().contains(r#""name":"Archive""#), "{domains}");
        let got = ask(server, "memory_get", &json!({ "ids": ["a1"] }))?.to_string();
        // Memory Graph stores links to another domain as references.
        ensure!(got.contains("came from") && got.contains(r#""description":"refines""#), "{got}");

        let again = ask(server, "migrate", &json!({ "source_path": folder }))?;
        ensure!(again["domains_imported"] == 0 && again["links_imported"] == 0, "{again}");
        ensure!(again["memories_imported"] == 0, "{again}");
        Ok(())
    })
}

#[test]
fn the_folder_of_memories_alone_names_its_domains() -> Result<()> {
    on_both_servers(|server, root| {
        write(root)?;
        let answer = ask(server, "migrate", &json!({ "source_path": root.join("memories") }))?;
        ensure!(answer["domains_imported"] == 2 && answer["memories_imported"] == 3, "{answer}");
        let listed = ask(server, "memory_list", &json!({ "domain": "work" }))?;
        ensure!(listed["memories"].as_array().is_some_and(|found| found.len() == 2), "{listed}");
        Ok(())
    })
}

#[test]
fn another_folder_is_rejected_with_a_hint() -> Result<()> {
    on_both_servers(|server, root| {
        let folder = root.join("other");
        fs::create_dir(&folder)?;
        for content in [None, Some("{}"), Some("no JSON")] {
            if let Some(content) = content {
                fs::write(folder.join("some.json"), content)?;
            }
            let (is_error, answer) = server.call("migrate", &json!({ "source_path": folder }).to_string())?;
            let answer: Value = serde_json::from_str(&answer)?;
            ensure!(is_error && answer["code"] == "source_unknown", "{answer}");
            let message = answer["error"].as_str().unwrap_or_default();
            ensure!(message.contains("domains.json") && message.contains("folder"), "{message}");
        }
        Ok(())
    })
}

#[test]
fn a_folder_with_other_content_is_told_what_is_wrong_in_it() -> Result<()> {
    let root = tempdir()?;
    let folder = root.path().join("other");
    fs::create_dir_all(folder.join("memories"))?;
    fs::write(folder.join("domains.json"), "[1, 2]")?;
    fs::write(folder.join("memories/work.json"), r#"{"nodes": 7}"#)?;
    let mut server = Server::native_offering(&root.path().join("memory.db"), &["graph", "memory", "domain"])?;
    let (is_error, answer) = server.call("migrate", &json!({ "source_path": folder }).to_string())?;
    ensure!(is_error && answer.contains("Unknown content of domains.json"), "{answer}");
    server.stop()?;
    Ok(())
}
