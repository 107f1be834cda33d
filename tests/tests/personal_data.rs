//! Redaction: personal data is removed from memories before they are stored, if enabled.

use anyhow::{Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{
    BackEnd, START_MILLIS,
    export_import::{export, import},
    memory::Native,
};
use limbic_tools::{EXPORT_FORMATS, Options};
use serde_json::json;

fn memory(redact: Option<&str>) -> Result<Native> {
    limbic_vfs::register_vec0();
    let redact = redact.map(str::to_owned);
    Native::with(
        Connection::open_in_memory()?,
        Options { test_clock: Some(START_MILLIS), redact, ..Options::default() },
    )
}

const STORE: &str = r#"{"id": "a", "content": "Write to ada@example.org or call +351 912 345 678", "subject": "ada@example.org",
    "tags": ["ada@example.org"], "metadata": {"hosts": ["203.0.113.9"], "ada@example.org": 4242424242424242}}"#;

/// Asserts that none of the personal data in [`STORE`] is stored.
fn assert_redacted(text: &str) -> bool {
    !["ada@", "912", "203.0", "42424"].iter().any(|part| text.contains(part))
}

#[test]
fn personal_data_is_removed_if_enabled() -> Result<()> {
    let mut memory = memory(Some("pii"))?;
    memory.call("memory_store", STORE)?;
    memory.call("memory_update", r#"{"id": "a", "summary": "ada@example.org"}"#)?;
    let (_, answer) = memory.call("memory_get", r#"{"ids": ["a"]}"#)?;
    ensure!(assert_redacted(&answer), "{answer}");
    for left in ["[e-mail]", "[phone]", "[IP address]", "[card]"] {
        ensure!(answer.contains(left), "{answer}");
    }
    Ok(())
}

#[test]
fn personal_data_is_kept_by_default() -> Result<()> {
    let mut memory = memory(None)?;
    let (_, answer) = memory.call("memory_store", STORE)?;
    ensure!(answer.contains("ada@example.org") && answer.contains("203.0.113.9"), "{answer}");
    Ok(())
}

#[test]
fn personal_data_is_removed_from_reasons_and_purposes() -> Result<()> {
    let mut memory = memory(Some("pii"))?;
    for id in ["a", "b", "c"] {
        memory.call("memory_store", &json!({ "id": id, "content": format!("Memory {id}") }).to_string())?;
    }
    memory.call("create_domain", r#"{"id": "other"}"#)?;
    memory.call("memory_store", r#"{"id": "e", "content": "Memory e", "domain": "other"}"#)?;
    let reason = "Asked by ada@example.org from 203.0.113.9";
    let link = json!({ "from_id": "a", "to_id": "e", "type": "refines", "description": reason });
    let (_, linked) = memory.call("memory_link", &link.to_string())?;
    ensure!(assert_redacted(&linked) && linked.contains("[e-mail]"), "{linked}");
    memory.call("memory_update", &json!({ "id": "a", "subject": "x", "reason": reason }).to_string())?;
    memory.call("memory_invalidate", &json!({ "id": "b", "reason": reason }).to_string())?;
    memory.call("memory_forget", &json!({ "id": "c", "reason": reason }).to_string())?;
    let log = memory.limbic().audit(None, None, None, 100).json;
    ensure!(assert_redacted(&log), "{log}");
    ensure!(log.matches("Asked by [e-mail] from [IP address]").count() == 3, "{log}");
    Ok(())
}

#[test]
fn personal_data_is_removed_from_imports() -> Result<()> {
    let mut source = memory(None)?;
    source.call("memory_store", STORE)?;
    source.call(
        "memory_update",
        r#"{"id": "a", "content": "Write to ada@example.org, no longer to +351 912 345 678"}"#,
    )?;
    for format in ["limbic", "memory-graph", "persistent-memory", "memory-mcp-server", "markdown"] {
        ensure!(EXPORT_FORMATS.contains(&format), "{format}");
        let bytes = export(&mut source, format)?;
        let mut target = memory(Some("pii"))?;
        for _ in 0..2 {
            let answer = import(&mut target, &bytes, false)?;
            ensure!(answer["skipped"] == 0 || answer["memories_imported"] == 0, "{format}: {answer}");
        }
        let text = String::from_utf8(export(&mut target, "limbic")?)?;
        ensure!(assert_redacted(&text) && text.contains("Write to [e-mail]"), "{format}: {text}");
        ensure!(text.matches("\"record\":\"memory\"").count() == 1, "{format}: {text}");
    }
    Ok(())
}

#[test]
fn personal_data_is_removed_from_a_file_of_memory_graph() -> Result<()> {
    let file = json!({ "nodes": { "a": { "id": "a", "content": "Ask ada@example.org", "tags": ["ada@example.org"],
        "timestamp": "2026-01-01T00:00:00Z", "path": "/203.0.113.9", "content_summary": "+351 912 345 678" } },
        "edges": [] });
    let mut target = memory(Some("pii"))?;
    let answer = import(&mut target, file.to_string().as_bytes(), false)?;
    ensure!(answer["memories_imported"] == 1, "{answer}");
    let text = String::from_utf8(export(&mut target, "limbic")?)?;
    ensure!(assert_redacted(&text) && text.contains("Ask [e-mail]"), "{text}");
    Ok(())
}

#[test]
fn an_unknown_value_of_redact_is_rejected() -> Result<()> {
    let Err(error) = memory(Some("foo")) else { anyhow::bail!("the memory opened without redaction") };
    ensure!(error.to_string().contains("foo"), "{error}");
    Ok(())
}
