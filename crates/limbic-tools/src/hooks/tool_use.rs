//! Around a tool: the conventions for what it is about to do, and after a failure what helped before.

use limbic_core::Result;
use serde_json::{Value, json};

use super::{event::Event, line, memories, of_user};
use crate::Limbic;

/// The most memories that are told.
const MOST: usize = 3;

/// Where what helped against errors is kept.
const ERRORS: &str = "error-kb";

/// Before a tool runs: conventions that speak of what it gets.
pub fn before(limbic: &mut Limbic, event: &Event) -> Result<Option<String>> {
    let query = format!("{} {}", event.tool_name, event.input_words());
    let found = recall(limbic, json!({ "query": query.trim(), "category": "convention" }))?;
    Ok(told("Conventions that may concern this call:\n", &found))
}

/// After a tool has failed: what is known of such errors, first from the subject `error-kb`.
pub fn after(limbic: &mut Limbic, event: &Event) -> Result<Option<String>> {
    let Some(failure) = event.failure() else { return Ok(None) };
    let query = format!("{} {failure}", event.tool_name);
    let mut found = recall(limbic, json!({ "query": query.trim(), "subject": ERRORS }))?;
    if found.is_empty() {
        found = recall(limbic, json!({ "query": query.trim() }))?;
    }
    Ok(told("What is remembered of such an error:\n", &found))
}

/// What a recall is sure of, as lines.
fn recall(limbic: &mut Limbic, mut arguments: Value) -> Result<Vec<String>> {
    if arguments["query"] == "" {
        return Ok(Vec::new());
    }
    arguments["domain"] = "*".into();
    arguments["limit"] = MOST.into();
    let answer = limbic.ask("memory_recall", &of_user(limbic, arguments))?;
    if answer["confident"] == false {
        return Ok(Vec::new());
    }
    Ok(memories(&answer).map(line).collect())
}

fn told(head: &str, lines: &[String]) -> Option<String> {
    (!lines.is_empty()).then(|| format!("{head}{}", lines.concat()))
}
