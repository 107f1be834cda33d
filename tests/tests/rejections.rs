//! Rejections in the inbox: no hook shows a text that was rejected, and memories that existed get their states back.

mod ends;
mod imports;
mod removed_links;
mod sequences;
mod waiting_links;

use anyhow::{Context, Result, ensure};
use limbic_tests::{
    memory::{Native, connect},
    memory_file::{MemoryFile, ask},
    transcript::ensure_same,
};
use limbic_tools::{Caller, CallerKind, Options, SessionId};
use serde_json::json;

pub(crate) fn enter(memory: &mut Native, kind: CallerKind, project: &str) {
    let caller =
        Caller { kind, client: "other".to_owned(), project: project.to_owned(), ..Caller::default() };
    memory.limbic().introduce(&SessionId::default(), caller);
}

fn hook_output(memory: &mut Native, hook: &str, project: &str) -> Result<String> {
    let event = json!({ "cwd": format!("/srv/{project}"), "tool_input": { "command": "git push origin" } });
    Ok(memory.limbic().hook(hook, &event.to_string(), None)?.unwrap_or_default())
}

#[test]
fn a_rejected_change_is_shown_by_no_hook() -> Result<()> {
    for (what, more, uses) in [
        ("hot", json!({ "subject": "pushes" }), 10),
        ("subject of a project", json!({ "subject": "argus" }), 0),
        ("pinned", json!({ "pinned": true, "tier": "l0" }), 0),
        ("convention", json!({ "category": "convention", "tier": "l1" }), 0),
    ] {
        let mut memory = Native::in_memory_offering(&["memory", "domain", "explorer"])?;
        ask(&mut memory, "create_domain", &json!({ "id": "argus", "description": "a project" }))?;
        enter(&mut memory, CallerKind::Explorer, "");
        let mut stored = json!({ "id": "a", "content": "Ask before git push origin", "domain": "general" });
        stored.as_object_mut().context("an object")?.extend(more.as_object().context("fields")?.clone());
        ask(&mut memory, "memory_store", &stored)?;
        for _ in 0..uses {
            ask(&mut memory, "memory_recall", &json!({ "query": "git push origin", "domain": "general" }))?;
        }
        memory.limbic().finish()?;
        let told = hook_output(&mut memory, "session-start", "argus")?;
        ensure!(told.contains("Ask before"), "{what}: {told}");
        let before = ask(&mut memory, "explore_memory", &json!({ "id": "a" }))?;

        enter(&mut memory, CallerKind::Client, "atlas");
        ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "git push origin with --force" }))?;
        enter(&mut memory, CallerKind::Explorer, "");
        let answer = ask(&mut memory, "review_inbox", &json!({ "reject": ["a"] }))?;
        ensure_same(&answer["restored"], &json!(["a"]), &answer)?;
        let after = ask(&mut memory, "explore_memory", &json!({ "id": "a" }))?;
        for field in ["content", "subject", "category", "tier", "heat", "pinned", "access_count"] {
            ensure!(after["memory"][field] == before["memory"][field], "{what}, {field}: {after}");
        }
        for hook in ["session-start", "pre-tool-use"] {
            let told = hook_output(&mut memory, hook, "argus")?;
            ensure!(!told.contains("--force"), "{what}, {hook}: {told}");
        }
        let told = hook_output(&mut memory, "session-start", "argus")?;
        ensure!(told.contains("Ask before"), "{what}: {told}");
    }
    Ok(())
}

#[test]
fn a_rejected_change_whose_state_before_was_not_kept_loses_its_rank() -> Result<()> {
    let file = MemoryFile::new()?;
    let toolsets = ["memory", "domain", "explorer"].map(str::to_owned).to_vec();
    let open = || file.open(0, Options { toolsets: toolsets.clone(), ..Options::default() });
    let mut memory = open()?;
    ask(&mut memory, "create_domain", &json!({ "id": "argus", "description": "a project" }))?;
    enter(&mut memory, CallerKind::Explorer, "");
    let stored = json!({ "id": "a", "content": "Ask before git push origin", "category": "convention",
        "tier": "l1", "subject": "argus" });
    ask(&mut memory, "memory_store", &stored)?;
    enter(&mut memory, CallerKind::Client, "atlas");
    ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "git push origin with --force" }))?;
    drop(memory);
    // As of version 25.
    connect(&file.path)?
        .execute_batch("DROP TABLE replaced_states; DROP TABLE waiting_links; PRAGMA user_version = 25;")?;

    let mut memory = open()?;
    enter(&mut memory, CallerKind::Explorer, "");
    let answer = ask(&mut memory, "review_inbox", &json!({ "reject": ["a"] }))?;
    ensure_same(&answer["demoted"], &json!(["a"]), &answer)?;
    for hook in ["session-start", "pre-tool-use"] {
        let told = hook_output(&mut memory, hook, "argus")?;
        ensure!(!told.contains("--force"), "{hook}: {told}");
    }
    let found = ask(&mut memory, "memory_get", &json!({ "ids": ["a"] }))?;
    let kept = &found["memories"][0];
    ensure!(kept["heat"] == "cold" && kept["tier"] == "l4" && kept["subject"].is_null(), "{found}");
    Ok(())
}
