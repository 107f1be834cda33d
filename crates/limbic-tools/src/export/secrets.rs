//! Counts records with credentials, as a warning for the person who passes an export on.

use std::collections::BTreeMap;

use limbic_core::{Error, Result, Transaction};
use serde_json::Value;

use crate::{records, secret_check};

/// Kinds of records whose texts each format contains; other formats contain all.
const GRAPH: [&str; 4] = ["entity", "observation", "relation", "reflection"];
const MEMORIES: [&str; 2] = ["memory", "domain"];

/// Returns a sentence with the number of records, by kind, whose texts the secret scan would refuse; `None` without
/// such records. If a format contains some kinds of records only, other kinds are not counted.
pub fn warning(tx: &Transaction<'_>, user: Option<&str>, format: &str) -> Result<Option<String>> {
    let kinds: Option<&[&str]> = match format {
        "jsonl" => Some(&GRAPH[..3]),
        "mcp-memory-v2" => Some(&GRAPH),
        "memory-graph" | "persistent-memory" | "memory-mcp-server" => Some(&MEMORIES),
        _ => None,
    };
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    records::write_all(tx, user, &mut |line| {
        let record: Value =
            serde_json::from_slice(line).map_err(|error| Error::Internal(error.to_string()))?;
        let kind = record["record"].as_str().unwrap_or_default();
        if kinds.is_none_or(|kinds| kinds.contains(&kind)) && secret_check::holds_secret(&record) {
            *counts.entry(kind.to_owned()).or_default() += 1;
        }
        Ok(())
    })?;
    let total: u64 = counts.values().sum();
    let records = if total == 1 { "1 record contains" } else { &format!("{total} records contain") };
    let by_kind: Vec<String> = counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    Ok((total > 0).then(|| {
        format!(
            "Warning: {records} what looks like a credential ({}); review the export before you pass it on",
            by_kind.join(", ")
        )
    }))
}
