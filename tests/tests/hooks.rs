//! Hooks and prompts ask the tools: what fails there keeps its kind, and is not swallowed.

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{BackEnd, START_MILLIS, memory::Native};
use limbic_tools::Options;

const TRANSCRIPT: &str = r#"{"type": "user", "message": {"content": "@keep Tests need --release"}}"#;

fn memory(read_only: bool) -> Result<Native> {
    limbic_vfs::register_vec0();
    let options = Options { test_clock: Some(START_MILLIS), ..Options::default() };
    if !read_only {
        return Native::with(Connection::open_in_memory()?, options);
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    Native::with(limbic_tests::memory::connect(&path)?, options.clone())?;
    Native::with(limbic_tests::memory::connect(&path)?, Options { read_only, ..options })
}

#[test]
fn a_prompt_tells_what_is_wrong_with_its_arguments() -> Result<()> {
    let mut memory = memory(false)?;
    for prompt in ["recall-context", "review-memories"] {
        let answer = memory.limbic().prompt(prompt, r#"{"domain": "nowhere"}"#);
        ensure!(answer.is_error && answer.json.contains("domain_not_found"), "{prompt}: {}", answer.json);
    }
    Ok(())
}

#[test]
fn what_was_marked_and_cannot_be_written_is_told() -> Result<()> {
    let mut memory = memory(true)?;
    let error = memory
        .limbic()
        .hook("session-end", "{}", Some(TRANSCRIPT.as_bytes()))
        .err()
        .context("nothing was said of a memory that is open for reading only")?;
    ensure!(error.code() == "read_only", "{error}");
    Ok(())
}

#[test]
fn what_was_marked_and_may_not_be_stored_keeps_nothing_else_out() -> Result<()> {
    let mut memory = memory(false)?;
    let long = "x".repeat(200_000);
    let lines = [
        r#"{"type": "user", "message": {"content": "@keep password=Tr0ub4dor&3xKq9"}}"#.to_owned(),
        format!(r#"{{"type": "user", "message": {{"content": "@keep {long}"}}}}"#),
        TRANSCRIPT.to_owned(),
    ];
    memory.limbic().hook("session-end", "{}", Some(lines.join("\n").as_bytes()))?;
    let (_, answer) = memory.call("memory_list", "{}")?;
    ensure!(answer.contains("Tests need --release") && answer.contains("\"total\":1"), "{answer}");
    Ok(())
}

#[test]
fn a_hint_names_no_types_of_links_of_another_user() -> Result<()> {
    let mut memory = memory(false)?;
    memory.call("memory_store", r#"{"id": "a", "content": "One", "user_id": "bob"}"#)?;
    let linked =
        r#"{"content": "Two", "user_id": "bob", "relationships": {"bobs_own": [{"targetId": "a"}]}}"#;
    memory.call("memory_store", linked)?;
    for (tool, start) in [("memory_recall", r#""query": "one""#), ("memory_traverse", r#""max_depth": 1"#)] {
        let arguments = format!(r#"{{{start}, "relation_types": ["bobs"], "user_id": "ada"}}"#);
        let (is_error, answer) = memory.call(tool, &arguments)?;
        ensure!(is_error && !answer.contains("bobs_own"), "{tool}: {answer}");
    }
    Ok(())
}
