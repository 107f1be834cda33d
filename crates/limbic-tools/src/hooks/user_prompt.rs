//! The hook for a prompt of the user: memories that answer it, within a budget.

use limbic_core::Result;
use serde_json::json;

use super::{domains_of, event::Event, line, memories, of_user};
use crate::Limbic;

/// Maximum length of the text in characters: about five hundred tokens.
const BUDGET: usize = 2_000;

/// Maximum number of memories.
const MOST: usize = 5;

/// Minimum confidence after decay.
const LEAST_CONFIDENCE: f64 = 0.3;

/// Returns the memories of confident recalls for the prompt, the project's domain first. They are offered unasked, so
/// that they do not count as used.
pub fn run(limbic: &mut Limbic, event: &Event) -> Result<Option<String>> {
    let Some(question) = event.prompt_question() else { return Ok(None) };
    let mut text = String::new();
    let mut count = 0;
    for domain in domains_of(limbic, event)? {
        let arguments = json!({ "query": question, "domain": domain, "limit": MOST, "touch": false });
        let answer = limbic.ask("memory_recall", &of_user(limbic, arguments))?;
        if answer["confident"] != true {
            continue;
        }
        for memory in memories(&answer) {
            let is_trusted = memory["effective_confidence"].as_f64() >= Some(LEAST_CONFIDENCE);
            let line = line(memory);
            let fits = text.chars().count() + line.chars().count() <= BUDGET;
            if count < MOST && is_trusted && fits {
                text.push_str(&line);
                count += 1;
            }
        }
    }
    Ok((count > 0).then(|| format!("Memories that may help with this prompt, ids in brackets:\n{text}")))
}
