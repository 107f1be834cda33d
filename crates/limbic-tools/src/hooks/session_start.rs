//! At the start of a session: the memories that matter for its project, within a budget.

use std::collections::BTreeSet;

use limbic_core::Result;
use serde_json::{Value, json};

use super::{event::Event, line, memories};
use crate::Limbic;

/// The most characters: about a thousand tokens.
const BUDGET: usize = 4_000;

/// The most memories of each group.
const MOST: usize = 20;

/// What a session is told: what always holds (`l0`), what proved itself (`l1`), what is used most, what was said of the
/// project, and the latest decisions. A domain of the project's name comes in place of the current one.
pub fn run(limbic: &mut Limbic, event: &Event) -> Result<Option<String>> {
    let project = event.project().unwrap_or_default().to_owned();
    let domains = limbic.ask("list_domains", &json!({}))?;
    let known =
        domains["domains"].as_array().into_iter().flatten().any(|domain| domain["id"] == project.as_str());
    let domain = if known { Value::from(project.as_str()) } else { domains["current"].clone() };
    let groups = [
        ("memory_list", json!({ "domain": "*", "tier": "l0", "sort": "confidence", "limit": MOST })),
        ("memory_list", json!({ "domain": domain, "tier": "l1", "sort": "confidence", "limit": MOST })),
        ("memory_list", json!({ "domain": domain, "heat": "hot", "sort": "access", "limit": MOST })),
        ("memory_recall", json!({ "domain": "*", "subject": project, "limit": MOST, "touch": false })),
        ("memory_list", json!({ "domain": domain, "category": "decision", "limit": MOST })),
    ];
    let mut seen = BTreeSet::new();
    let mut text = String::new();
    for (tool, arguments) in groups {
        if arguments["subject"] == "" {
            continue;
        }
        let answer = limbic.ask(tool, &arguments)?;
        for memory in memories(&answer) {
            let line = line(memory);
            if seen.insert(memory["id"].to_string()) && text.chars().count() + line.chars().count() <= BUDGET
            {
                text.push_str(&line);
            }
        }
    }
    Ok((!text.is_empty()).then(|| {
        format!("What is remembered for this session (memory_recall finds more; the id stands in brackets):\n{text}")
    }))
}
