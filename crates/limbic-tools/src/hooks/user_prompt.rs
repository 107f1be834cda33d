//! The hook for a prompt of the user: memories that answer it, within a budget.

use limbic_core::Result;
use limbic_protocol::EncodingResult;
use serde_json::{Value, json};

use super::{
    event::Event,
    project_domains::domains_of,
    recalled::{Occasion, memories, of_user, with_corrections},
};
use crate::{
    Limbic,
    framing::{framed, item},
};

/// Maximum length of the memories in characters: about five hundred tokens.
const MAX_CHARS: usize = 2_000;

/// Maximum number of memories.
const MAX_MEMORIES: usize = 5;

/// Minimum confidence after decay.
const MIN_CONFIDENCE: f64 = 0.3;

/// Returns the memories of confident recalls for the prompt, with possible contradictions, the project's domain first.
/// No access is recorded, because the client did not ask for them. `encodings` are those of the question, or empty.
pub fn run(limbic: &mut Limbic, event: &Event, encodings: &[EncodingResult]) -> Result<Option<String>> {
    let Some(question) = event.prompt_question() else { return Ok(None) };
    let mut found = Vec::new();
    for domain in domains_of(limbic, event)? {
        let arguments = json!({ "query": question, "domain": domain, "limit": MAX_MEMORIES, "touch": false });
        let arguments = of_user(limbic, arguments);
        let answer = limbic.ask_encoded("memory_recall", &arguments, encodings)?;
        if answer["confident"] == true {
            let is_trusted =
                |memory: &&Value| memory["effective_confidence"].as_f64() >= Some(MIN_CONFIDENCE);
            found.extend(memories(&answer).filter(is_trusted).cloned());
        }
    }
    let (mut items, mut length) = (Vec::new(), 0);
    for memory in &with_corrections(limbic, event, Occasion::Question, found)? {
        let item = item(memory);
        let item_length = item.to_string().chars().count();
        if items.len() < MAX_MEMORIES && length + item_length <= MAX_CHARS {
            length += item_length;
            items.push(item);
        }
    }
    let head = "Memories that may help with this prompt.";
    Ok((!items.is_empty()).then(|| framed(limbic.memory.database().host(), head, &items)))
}
