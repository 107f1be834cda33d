//! An export reports how many of its records contain credentials.

use anyhow::{Result, ensure};
use limbic_tests::{BackEnd, START_MILLIS, memory::Native};
use limbic_tools::{EXPORT_FORMATS, Options};
use serde_json::json;
use tempfile::tempdir;

#[test]
fn an_export_reports_how_many_records_contain_credentials() -> Result<()> {
    limbic_vfs::register_vec0();
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    let compat = Some("server-memory".to_owned());
    let options = Options { test_clock: Some(START_MILLIS), compat, ..Options::default() };
    let mut memory = Native::with(limbic_core::rusqlite::Connection::open(&path)?, options)?;
    let entities = json!({ "entities": [
        { "name": "Ada", "entityType": "person", "observations": ["password=q8ZrT2kLmP0vXw", "Lives in Porto"] },
        { "name": "db token: q8ZrT2kLmP0vXw4NbY7c", "entityType": "service", "observations": ["Port 5432"] },
    ]});
    let warnings = |memory: &mut Native| -> Result<Vec<(&str, Option<String>)>> {
        EXPORT_FORMATS
            .into_iter()
            .map(|format| Ok((format, memory.limbic().export_as(format, &mut |_| Ok(()))?.warning)))
            .collect()
    };
    ensure!(
        warnings(&mut memory)?.iter().all(|(_, warning)| warning.is_none()),
        "an empty memory has no secrets"
    );
    let (is_error, answer) = memory.call("create_entities", &entities.to_string())?;
    ensure!(!is_error, "{answer}");
    for (format, warning) in warnings(&mut memory)? {
        let has_graph = !["memory-graph", "persistent-memory", "memory-mcp-server"].contains(&format);
        ensure!(warning.is_some() == has_graph, "{format}: {warning:?}");
        let Some(warning) = warning else { continue };
        // The observations of the second entity name it.
        ensure!(warning.contains("entity 1, observation 2"), "{format}: {warning}");
        ensure!(!warning.contains("q8ZrT2kLmP0vXw"), "{format}: the warning repeats a secret");
    }
    let page = |types: &[&str], memory: &mut Native| -> Result<Option<String>> {
        let types: Vec<String> = types.iter().map(|name| (*name).to_owned()).collect();
        Ok(memory.limbic().reading_copy(&types)?.warning)
    };
    let warning = page(&[], &mut memory)?.unwrap_or_default();
    ensure!(warning.contains("entity 1, observation 2"), "page: {warning}");
    let of_people = page(&["person"], &mut memory)?.unwrap_or_default();
    ensure!(of_people.contains("1 record contains") && of_people.contains("(observation 1)"), "{of_people}");
    ensure!(page(&["place"], &mut memory).is_err(), "there is no such type");
    Ok(())
}
