//! Limbic's tools accept the arguments that the documentation of the replaced systems gives for theirs.

use anyhow::{Result, ensure};
use limbic_tests::{BackEnd, memory::Native, transcript::ensure_same};
use serde_json::{Value, json};

/// Documented calls: their place, the tool, its arguments. They cover every documented argument name of a tool that
/// Limbic has, and every other accepted form.
const DOCUMENTED: &[(&str, &str, &str)] = &[
    (
        "seed 1, EntityInput",
        "create_entities",
        r#"{"entities": [{"name": "Atlas", "entityType": "Project", "observations": ["Stack: Rust", "Ships weekly"], "status": "activo"}, {"name": "SQLite"}]}"#,
    ),
    (
        "seed 1, RelationInput by alias",
        "create_relations",
        r#"{"relations": [{"from": "Atlas", "to": "SQLite", "relationType": "uses", "context": "for its storage"}]}"#,
    ),
    (
        "seed 1, RelationInput by field name",
        "create_relations",
        r#"{"relations": [{"from_entity": "Atlas", "to_entity": "SQLite", "relationType": "depends_on", "context": "for its storage"}]}"#,
    ),
    ("seed 2", "add_observations", r#"{"name": "Atlas", "observations": ["Accent color: teal"]}"#),
    ("seed 2", "delete_observations", r#"{"name": "Atlas", "observations": ["Accent color: teal"]}"#),
    ("seed 2", "search_nodes", r#"{"query": "rust"}"#),
    ("seed 2", "open_nodes", r#"{"names": ["Atlas", "SQLite"]}"#),
    ("seed 2", "search_semantic", r#"{"query": "web framework", "limit": 5}"#),
    ("seed 2", "analyze_entity_split", r#"{"entity_name": "Atlas"}"#),
    ("seed 2", "propose_entity_split_tool", r#"{"entity_name": "Atlas"}"#),
    (
        "seed 2",
        "execute_entity_split_tool",
        r#"{"entity_name": "Atlas", "approved_splits": [{"name": "Atlas - Stack", "entity_type": "Project", "observations": ["Stack: Rust"]}], "parent_entity_name": "Atlas"}"#,
    ),
    ("seed 2", "find_split_candidates", "{}"),
    (
        "seed 2",
        "find_duplicate_observations",
        r#"{"entity_name": "Atlas", "threshold": 0.85, "containment_threshold": 0.7}"#,
    ),
    ("seed 2", "consolidation_report", r#"{"stale_days": 90.0}"#),
    ("seed 2", "end_relation", r#"{"relation_id": 1}"#),
    (
        "seed 2",
        "add_reflection",
        r#"{"target_type": "entity", "target_id": 1, "content": "The core decision.", "author": "nolan", "mood": "insight"}"#,
    ),
    (
        "seed 2",
        "search_reflections",
        r#"{"query": "decisions", "author": "nolan", "mood": "insight", "target_type": "entity", "limit": 5}"#,
    ),
    (
        "seed 2",
        "delete_relations",
        r#"{"relations": [{"from": "Atlas", "to": "SQLite", "relationType": "uses"}]}"#,
    ),
    (
        "seed 2, same format as create_relations",
        "delete_relations",
        r#"{"relations": [{"from_entity": "Atlas", "to_entity": "SQLite", "relationType": "depends_on"}]}"#,
    ),
    ("seed 2", "delete_entities", r#"{"entityNames": ["SQLite"]}"#),
    (
        "seed 4",
        "memory_store",
        r#"{"category": "convention", "subject": "testing", "content": "Run tests/run-tests.ps1 before merge.", "source": "docs/CONTRIBUTING.md"}"#,
    ),
    (
        "seed 4, a stable id, expiry and pinning",
        "memory_store",
        r#"{"id": "stable", "category": "fact", "subject": "error-kb", "content": "Restore may fail.", "source": "PostToolUse", "confidence": 0.9, "expires_at": "2099-01-01", "tier": "l2", "pinned": true}"#,
    ),
    (
        "seed 4",
        "memory_recall",
        r#"{"subject": "testing", "category": "convention", "query": "run tests before merge"}"#,
    ),
    ("seed 4, preloading", "memory_recall", r#"{"subject": "testing"}"#),
    (
        "seed 4",
        "memory_update",
        r#"{"id": "stable", "content": "Restore fails until the feed is refreshed."}"#,
    ),
    ("seed 4", "memory_list", r#"{"limit": 10, "category": "fact"}"#),
    ("seed 4", "memory_forget", r#"{"id": "stable"}"#),
    (
        "seed 5, the fields of Memory",
        "memory_store",
        r#"{"id": "five", "content": "The office is in Lisbon", "memory_type": "semantic", "user_id": "ada", "metadata": {"floor": 3}, "event_time": "2025-12-01T00:00:00Z", "valid_from": "2025-12-01T00:00:00Z", "importance_score": 2.5}"#,
    ),
    ("seed 5, the fields of Memory", "memory_update", r#"{"id": "five", "importance_score": 1.5}"#),
    (
        "seed 5, the fields of Entity",
        "create_entities",
        r#"{"entities": [{"name": "Lisbon", "entity_type": "concept"}, {"name": "Office"}]}"#,
    ),
    (
        "seed 5, the fields of Relation",
        "create_relations",
        r#"{"relations": [{"from_entity": "Office", "to_entity": "Lisbon", "relation_type": "located_in", "weight": 0.5}]}"#,
    ),
];

#[test]
fn every_documented_call_is_accepted() -> Result<()> {
    let mut memory = Native::in_memory_offering(&["all"])?;
    for (document, tool, arguments) in DOCUMENTED {
        let (is_error, answer) = memory.call(tool, arguments)?;
        ensure!(!is_error && !answer.contains("\"error\""), "{document}: {tool} {arguments} gives {answer}");
    }
    Ok(())
}

#[test]
fn aliases_call_the_tool_they_stand_for() -> Result<()> {
    let mut memory = Native::in_memory_offering(&["all"])?;
    for (_, tool, arguments) in DOCUMENTED.iter().filter(|(document, _, _)| document.starts_with("seed 5")) {
        memory.call(tool, arguments)?;
    }
    let ask = |memory: &mut Native, tool: &str, arguments: Value| -> Result<Value> {
        Ok(serde_json::from_str(&memory.call(tool, &arguments.to_string())?.1)?)
    };
    let stored = ask(&mut memory, "memory_get", json!({ "ids": ["five"] }))?;
    ensure!(stored["memories"][0]["importance"] == 1.5, "{stored}");
    let opened = ask(&mut memory, "open_nodes", json!({ "names": ["Lisbon"] }))?;
    ensure!(opened["entities"][0]["entityType"] == "concept", "{opened}");
    let relation = json!({ "from": "Office", "to": "Lisbon", "relationType": "located_in" });
    ensure_same(&opened["relations"][0], &relation, &opened)
}
