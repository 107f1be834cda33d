//! The hook at the end of a session: stores marked lines.
//!
//! A mark is a line of the user or the assistant that begins with `@keep`: `@keep Tests need --release`. A category
//! may follow, with a colon: `@keep decision: One file per tool`.

use std::collections::BTreeSet;

use limbic_core::{Error, Result, model::memory_words::Category};
use serde_json::{Value, json};

use super::{event::Event, home, of_user};
use crate::Limbic;

const MARK: &str = "@keep";

/// Maximum number of memories per session.
const MOST: usize = 100;

/// Stores the marked lines of a transcript in the project's domain, with the project as subject. Duplicates confirm
/// the existing memory.
///
/// # Errors
/// [`Error::MarksRefused`] if some marks are refused; the others are stored. Errors of the database.
pub fn keep(limbic: &mut Limbic, event: &Event, transcript: &[u8]) -> Result<()> {
    let project = event.project().unwrap_or_default();
    let domain = home(limbic, event)?;
    let mut seen = BTreeSet::new();
    let mut refused = Vec::new();
    for (category, text) in marks(transcript) {
        if !seen.insert(text.clone()) {
            continue;
        }
        if seen.len() > MOST {
            refused.push(format!("only the first {MOST} marks of a session are stored"));
            break;
        }
        let memory = json!({
            "content": text, "category": category, "subject": project, "domain": domain, "source": "session_end",
        });
        let memory = of_user(limbic, memory);
        match limbic.ask("memory_store", &memory) {
            Ok(_) => {}
            // One that cannot be stored must not keep the others from being stored.
            Err(Error::SecretRefused(kind)) => {
                refused.push(format!("mark {} may contain a secret ({kind})", seen.len()));
            }
            Err(error @ Error::InvalidArgument { .. }) => {
                refused.push(format!("mark {}: {error}", seen.len()));
            }
            Err(error) => return Err(error),
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(Error::MarksRefused(refused.join("; "))) }
}

/// Returns the marked lines of a transcript, with their categories.
fn marks(transcript: &[u8]) -> Vec<(&'static str, String)> {
    String::from_utf8_lossy(transcript)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|entry| entry["type"] == "user" || entry["type"] == "assistant")
        .flat_map(|entry| texts(&entry["message"]["content"]))
        .flat_map(|text| text.lines().filter_map(mark).collect::<Vec<_>>())
        .collect()
}

/// Returns the texts of a message, without tool inputs and results.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts
            .iter()
            .filter(|part| part["type"] == "text")
            .filter_map(|part| part["text"].as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}

fn mark(line: &str) -> Option<(&'static str, String)> {
    let text = line.trim().strip_prefix(MARK)?;
    let text = text.strip_prefix(':').unwrap_or(text);
    if !text.starts_with(char::is_whitespace) {
        return None;
    }
    let text = text.trim();
    let named = text.split_once(':').and_then(|(word, rest)| {
        let word = word.trim().to_lowercase();
        let category = Category::WORDS.iter().copied().find(|category| *category == word)?;
        Some((category, rest.trim().to_owned()))
    });
    let (category, text) = named.unwrap_or_else(|| ("fact", text.to_owned()));
    (!text.is_empty()).then_some((category, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_lines_of_messages_are_stored() {
        let transcript = [
            r#"{"type": "user", "message": {"content": "Hello\n@keep Tests need --release\nno @keep here"}}"#,
            r#"{"type": "assistant", "message": {"content": [{"type": "text", "text": "  @keep decision: One file per tool"}, {"type": "tool_use", "input": {"text": "@keep not this"}}]}}"#,
            r#"{"type": "system", "message": {"content": "@keep nor this"}}"#,
            "garbage",
            r#"{"type": "user", "message": {"content": "@keeper of the house\n@keep\n@keep: Note: the colon is part of it"}}"#,
        ]
        .join("\n");
        assert_eq!(
            marks(transcript.as_bytes()),
            [
                ("fact", "Tests need --release".to_owned()),
                ("decision", "One file per tool".to_owned()),
                ("fact", "Note: the colon is part of it".to_owned()),
            ]
        );
    }
}
