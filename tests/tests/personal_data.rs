//! Personal data: taken out of memories before they are stored, where the user wants that.

use anyhow::{Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{BackEnd, START_MILLIS, memory::Native};
use limbic_tools::Options;

fn memory(redact: Option<&str>) -> Result<Native> {
    limbic_vfs::register_vec0();
    let redact = redact.map(str::to_owned);
    Native::with(
        Connection::open_in_memory()?,
        Options { test_clock: Some(START_MILLIS), redact, ..Options::default() },
    )
}

const STORE: &str = r#"{"id": "a", "content": "Write to ada@example.org or call +351 912 345 678", "subject": "ada@example.org",
    "metadata": {"hosts": ["203.0.113.9"]}}"#;

#[test]
fn it_is_taken_out_where_that_is_asked_for() -> Result<()> {
    let mut memory = memory(Some("pii"))?;
    memory.call("memory_store", STORE)?;
    memory.call("memory_update", r#"{"id": "a", "summary": "ada@example.org"}"#)?;
    let (_, answer) = memory.call("memory_get", r#"{"ids": ["a"]}"#)?;
    for gone in ["ada@", "912", "203.0"] {
        ensure!(!answer.contains(gone), "{answer}");
    }
    for left in ["[e-mail]", "[phone]", "[IP address]"] {
        ensure!(answer.contains(left), "{answer}");
    }
    Ok(())
}

#[test]
fn it_stays_otherwise() -> Result<()> {
    let mut memory = memory(None)?;
    let (_, answer) = memory.call("memory_store", STORE)?;
    ensure!(answer.contains("ada@example.org") && answer.contains("203.0.113.9"), "{answer}");
    Ok(())
}
