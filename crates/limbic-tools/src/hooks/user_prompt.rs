//! The hook for a prompt of the user: memories that answer it, within a budget.

use limbic_core::Result;
use serde_json::json;

use super::{domains_of, event::Event, memories, of_user};
use crate::{
    Limbic,
    framing::{framed, item},
};

/// Maximum length of the memories in characters: about five hundred tokens.
const BUDGET: usize = 2_000;

/// Maximum number of memories.
const MOST: usize = 5;

/// Minimum confidence after decay.
const LEAST_CONFIDENCE: f64 = 0.3;

/// Returns the memories of confident recalls for the prompt, the project's domain first. They are offered unasked, so
/// that they do not count as used.
pub fn run(limbic: &mut Limbic, event: &Event) -> Result<Option<String>> {
    let Some(question) = event.prompt_question() else { return Ok(None) };
    let (mut told, mut length) = (Vec::new(), 0);
    for domain in domains_of(limbic, event)? {
        let arguments = json!({ "query": question, "domain": domain, "limit": MOST, "touch": false });
        let answer = limbic.ask("memory_recall", &of_user(limbic, arguments))?;
        if answer["confident"] != true {
            continue;
        }
        for memory in memories(&answer) {
            let is_trusted = memory["effective_confidence"].as_f64() >= Some(LEAST_CONFIDENCE);
            let item = item(memory);
            let item_length = item.to_string().chars().count();
            if told.len() < MOST && is_trusted && length + item_length <= BUDGET {
                length += item_length;
                told.push(item);
            }
        }
    }
    let head = "Memories that may help with this prompt.";
    Ok((!told.is_empty()).then(|| framed(limbic.memory.host(), head, &told)))
}
