//! A memory of any size can be read page by page within the budget of an answer.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use limbic_tests::{memory::Native, memory_file::ask_by_words};
use serde_json::{Value, json};

const OBSERVATIONS: usize = 20_000;
/// Maximum number of observations of a call.
const MAX_PER_CALL: usize = 1_000;
const CHARACTERS_PER_TOKEN: usize = 4;

/// Stores, without waiting for embeddings, one entity that fills many pages by itself, and many small ones.
fn fill(memory: &mut Native) -> Result<BTreeSet<String>> {
    let all: Vec<String> = (0..OBSERVATIONS).map(|number| format!("Repetition number {number}")).collect();
    let (large, small) = all.split_at(OBSERVATIONS * 3 / 4);
    ask_by_words(memory.limbic(), "create_entities", &json!({ "entities": [{ "name": "Large" }] }))?;
    for some in large.chunks(MAX_PER_CALL) {
        ask_by_words(memory.limbic(), "add_observations", &json!({ "name": "Large", "observations": some }))?;
    }
    for (number, some) in small.chunks(10).enumerate() {
        let entity = json!({ "name": format!("Small {number}"), "observations": some });
        ask_by_words(memory.limbic(), "create_entities", &json!({ "entities": [entity] }))?;
    }
    Ok(all.into_iter().collect())
}

/// Reads all pages of a tool. Asserts that each is within its budget and not empty.
fn pages(memory: &mut Native, tool: &str, max_tokens: usize, mut arguments: Value) -> Result<Vec<Value>> {
    let mut pages = Vec::new();
    loop {
        let page = ask_by_words(memory.limbic(), tool, &arguments)?;
        let characters = page.to_string().len();
        // The other fields of the answer are outside the budget.
        ensure!(characters < max_tokens * CHARACTERS_PER_TOKEN + 2_000, "a page of {characters} characters");
        ensure!(
            page["entities"].as_array().is_some_and(|entities| !entities.is_empty()),
            "an empty page: {page}"
        );
        let next = page.get("next_cursor").cloned();
        pages.push(page);
        match next {
            Some(cursor) => arguments["cursor"] = cursor,
            None => return Ok(pages),
        }
    }
}

#[test]
fn twenty_thousand_observations_are_read_page_by_page() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let wanted = fill(&mut memory)?;
    let mut seen = BTreeSet::new();
    let arguments = json!({ "detail": "full", "max_tokens": 2_000 });
    for page in pages(&mut memory, "read_graph", 2_000, arguments)? {
        for entity in page["entities"].as_array().context("a list")? {
            for text in entity["observations"].as_array().context("observations")? {
                let text = text.as_str().context("text")?.to_owned();
                ensure!(seen.insert(text.clone()), "shown twice: {text}");
            }
        }
    }
    ensure!(seen == wanted, "{} of {OBSERVATIONS} were shown", seen.len());
    Ok(())
}

#[test]
fn substring_search_pages_through_all_results() -> Result<()> {
    let mut memory = Native::in_memory()?;
    fill(&mut memory)?;
    let mut seen = BTreeSet::new();
    let arguments = json!({ "query": "repetition number", "limit": 20 });
    for page in pages(&mut memory, "search_nodes", 8_000, arguments)? {
        for entity in page["entities"].as_array().context("a list")? {
            let name = entity["name"].as_str().context("a name")?.to_owned();
            ensure!(seen.insert(name.clone()), "shown twice: {name}");
        }
    }
    ensure!(seen.len() == 1 + OBSERVATIONS / 40, "{} entities were found", seen.len());
    Ok(())
}
