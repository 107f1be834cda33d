//! Memories that another origin states again: a confirmation neither passes the review nor asks for one.

use anyhow::{Result, ensure};
use limbic_tests::memory_file::ask;
use limbic_tools::CallerKind;
use serde_json::json;

use super::{hook_output, introduce, memory};

#[test]
fn a_mark_of_another_project_confirms_a_memory_without_letting_hooks_select_it() -> Result<()> {
    let mut memory = memory()?;
    let plain = json!({ "id": "a", "content": "git push needs --force", "subject": "atlas" });
    ask(&mut memory, "memory_store", &plain)?;
    let transcript =
        br#"{"type": "user", "message": {"content": "@keep convention: git push needs --force"}}"#;
    let event = r#"{"cwd": "/srv/atlas"}"#;
    memory.limbic().hook("session-end", event, Some(transcript.as_slice()))?;
    let confirmed = ask(&mut memory, "memory_list", &json!({}))?;
    ensure!(confirmed["memories"].as_array().map(Vec::len) == Some(1), "it was not confirmed: {confirmed}");
    let elsewhere = hook_output(&mut memory, "pre-tool-use", "argus")?;
    ensure!(elsewhere.is_empty(), "{elsewhere}");
    Ok(())
}

#[test]
fn a_rule_of_a_person_that_a_client_states_again_stays_shown() -> Result<()> {
    let mut memory = memory()?;
    introduce(&mut memory, CallerKind::Explorer, "");
    ask(&mut memory, "memory_store", &json!({ "id": "rule", "content": "Run the tests", "pinned": true }))?;
    introduce(&mut memory, CallerKind::Client, "claude-code");
    let again = json!({
        "content": "Run the tests", "category": "convention", "summary": "Tests", "pinned": true, "tags": ["ci"]
    });
    let stored = ask(&mut memory, "memory_store", &again)?;
    ensure!(stored["merged_into"] == "rule" && stored["memory"]["unconfirmed"].is_null(), "{stored}");
    ensure!(stored["memory"]["tags"] == json!(["ci"]), "{stored}");
    let elsewhere = hook_output(&mut memory, "session-start", "argus")?;
    ensure!(elsewhere.contains("Run the tests"), "{elsewhere}");
    Ok(())
}
