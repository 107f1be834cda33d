//! Failures as callers read them.

use limbic_core::Error;
use limbic_guard::escape;
use serde_json::json;

use crate::{Options, registry::is_memory_graph};

/// The JSON form of a failure: `{error, code, hint?}`.
#[must_use]
pub fn error_json(error: &Error) -> String {
    error_json_for(error, &Options::default())
}

/// How many characters an error has at most: what is longer repeats much of what the caller gave.
const MAX_CHARS: usize = 2_000;

/// The same, with hints that name tools which these options offer.
pub fn error_json_for(error: &Error, options: &Options) -> String {
    let text = shortened(error.to_string());
    let text = match error {
        // Another server's words, to the byte.
        Error::ReferenceEntityNotFound(_) => text.as_str().into(),
        _ => escape(&text),
    };
    let mut value = json!({ "error": text, "code": error.code() });
    if let Some(hint) = hint(error, options) {
        value["hint"] = escape(&hint).into();
    }
    value.to_string()
}

/// The start and the end of a long text: what an error says stands at both ends of what it repeats.
fn shortened(text: String) -> String {
    let count = text.chars().count();
    if count <= MAX_CHARS {
        return text;
    }
    let start: String = text.chars().take(MAX_CHARS / 2).collect();
    let end: String = text.chars().skip(count - MAX_CHARS / 2).collect();
    format!("{start} [... {} characters left out ...] {end}", count - MAX_CHARS)
}

fn hint(error: &Error, options: &Options) -> Option<String> {
    match error {
        Error::MemoryNotFound(_) if is_memory_graph(options) => {
            Some("recall_memories and search_memory_content return ids".into())
        }
        _ => error.hint(),
    }
}
