use std::path::Path;

use limbic_memory::{Failure, Options};
use serde::Deserialize;
use serde_json::{Value, json};

/// The part of an answer that this program reads.
#[derive(Deserialize)]
struct Recalled {
    memories: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    content: String,
}

/// Stores a convention, and returns the texts that a question about it finds.
pub fn ask_about_deploys(path: &Path) -> Result<Vec<String>, Failure> {
    // Keyword search only; with a sentence model, search compares meanings as well.
    let memory = Options::new().without_model().open(path)?;
    memory
        .memory_store::<Value>(json!({ "content": "Deploys run on Tuesdays", "category": "convention" }))?;
    let found: Recalled = memory.memory_recall(json!({ "query": "when do deploys run?" }))?;
    if let Err(failure) = memory.memory_get::<Value>(json!({ "ids": ["unknown"] })) {
        // The code is stable; the message says what was wrong.
        assert_eq!(failure.code, "memory_not_found");
    }
    memory.close()?;
    Ok(found.memories.into_iter().map(|found| found.content).collect())
}
