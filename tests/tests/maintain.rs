//! Maintenance without embeddings, and of an old memory.

use anyhow::{Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::transcript::ensure_same;
use limbic_tests::{BackEnd, memory::Native, memory_file::ask_by_words};
use serde_json::{Value, json};
use tempfile::tempdir;

#[test]
fn without_vectors_duplicates_are_found_by_words() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let facts = ["Deploy: on Café!", "deploy on café", "We deploy on Café Fridays, never Mondays", "Tea"];
    ask_by_words(
        memory.limbic(),
        "create_entities",
        &json!({ "entities": [{ "name": "Atlas", "observations": facts }] }),
    )?;
    let asked = json!({ "entity_name": "Atlas" });
    let found = ask_by_words(memory.limbic(), "find_duplicate_observations", &asked)?;
    ensure!(found["mode"] == "lexical", "{found}");
    ensure_same(&found["clusters"], &json!([[1, 2, 3]]), &found)?;
    ensure!(found["duplicate_pairs"][0]["match_type"] == "exact", "{found}");
    memory.drain()?;
    let found = ask_by_words(memory.limbic(), "find_duplicate_observations", &asked)?;
    ensure!(found["mode"] == "hybrid", "{found}");
    Ok(())
}

#[test]
fn topics_are_found_by_words_without_vectors() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let facts: Vec<String> = (0..11)
        .flat_map(|n| [format!("Vercel deploy number {n} done"), format!("SQLite schema draft {n} read")])
        .collect();
    ask_by_words(
        memory.limbic(),
        "create_entities",
        &json!({ "entities": [{ "name": "Atlas", "observations": facts }] }),
    )?;
    let found = ask_by_words(memory.limbic(), "propose_entity_split", &json!({ "entity_name": "Atlas" }))?;
    let splits = found["proposal"]["suggested_splits"].as_array().cloned().unwrap_or_default();
    ensure!(splits.len() == 2, "{found}");
    ensure!(splits.iter().all(|split| split["observations"].as_array().map(Vec::len) == Some(11)), "{found}");
    // A proposal can be executed unchanged.
    let approved = json!({ "entity_name": "Atlas", "approved_splits": splits });
    let done = ask_by_words(memory.limbic(), "execute_entity_split", &approved)?;
    ensure!(done["result"]["original_observations_remaining"] == 0, "{done}");
    ensure!(done["result"]["relations_created"] == 4, "{done}");
    Ok(())
}

#[test]
fn long_lists_are_truncated_with_their_totals() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let entities: Vec<Value> = (0..60)
        .map(|n| {
            let facts: Vec<String> = (0..31).map(|fact| format!("fact {fact} of entity {n}")).collect();
            json!({ "name": format!("entity {n}"), "observations": facts })
        })
        .collect();
    ask_by_words(memory.limbic(), "create_entities", &json!({ "entities": entities }))?;
    let report = ask_by_words(memory.limbic(), "consolidation_report", &json!({}))?;
    ensure!(report["summary"]["large_entities_count"] == 60, "{}", report["summary"]);
    ensure!(report["summary"]["stale_entities_count"] == 60, "{}", report["summary"]);
    for list in ["large_entities", "stale_entities"] {
        ensure!(report[list].as_array().map(Vec::len) == Some(50), "{list} is not cut");
    }
    Ok(())
}

#[test]
fn entities_without_recent_hits_are_stale() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    let mut memory = Native::open(&path)?;
    memory.call("create_entities", r#"{"entities": [{"name": "Old", "observations": ["tea"]}, {"name": "Used", "observations": ["rust"]}, {"name": "Put aside", "observations": ["ink"], "status": "archived"}, {"name": "Guardado", "observations": ["ink"], "status": "archivado"}]}"#)?;
    drop(memory);
    Connection::open(&path)?.execute_batch(
        "INSERT INTO entity_access (entity_id, access_count, last_access) VALUES
             (1, 2, '2025-08-09 00:00:00'), (2, 3, '2025-08-09 00:00:00')",
    )?;
    let mut memory = Native::open(&path)?;
    let report = ask_by_words(memory.limbic(), "consolidation_report", &json!({}))?;
    let stale = json!([{
        "entity_name": "Old", "entity_type": "Generic", "last_accessed_days_ago": 145, "access_count": 2,
        "observation_count": 1
    }]);
    ensure!(report["stale_entities"] == stale, "{report}");
    let report = ask_by_words(memory.limbic(), "consolidation_report", &json!({ "stale_days": 145.5 }))?;
    ensure!(report["summary"]["stale_entities_count"] == 0, "{report}");
    Ok(())
}

#[test]
fn a_flag_waits_for_both_vectors() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let facts = ["Deploy on Friday morning", "Deploy on Friday morning!"];
    ask_by_words(
        memory.limbic(),
        "create_entities",
        &json!({ "entities": [{ "name": "Atlas", "observations": facts }] }),
    )?;
    let flagged = |memory: &mut Native| -> Result<Value> {
        Ok(ask_by_words(memory.limbic(), "consolidation_report", &json!({}))?["summary"]["flagged_observations_count"].clone())
    };
    ensure!(flagged(&mut memory)? == 0);
    memory.drain()?;
    ensure!(flagged(&mut memory)? == 2);
    ask_by_words(
        memory.limbic(),
        "delete_observations",
        &json!({ "name": "Atlas", "observations": [facts[0]] }),
    )?;
    ensure!(flagged(&mut memory)? == 0);
    Ok(())
}
