//! Lists whose rows change between two pages: no other row is skipped or repeated.

use anyhow::{Context, Result, ensure};
use limbic_tests::{
    BackEnd,
    memory::Native,
    memory_file::{MemoryFile, ask},
};
use limbic_tools::Options;
use serde_json::{Value, json};

const COUNT: usize = 10;

/// A memory with ten memories, and other numbers in another order.
fn filled() -> Result<(MemoryFile, Native)> {
    let file = MemoryFile::new()?;
    let toolsets = vec!["memory".into(), "explorer".into()];
    let mut memory = file.open(0, Options { toolsets, ..Options::default() })?;
    for number in 0..COUNT {
        let stored = json!({
            "id": format!("m{number}"), "content": format!("Note {number} of the log"),
            "confidence": 0.1 + 0.3 * (number % 3) as f64, "tags": ["log"],
        });
        ask(&mut memory, "memory_store", &stored)?;
    }
    Ok((file, memory))
}

/// The ids of all pages with two rows each; before each further page, the rows of the last one are deleted and others
/// are stored.
fn pages(memory: &mut Native, tool: &str, rows: &str, request: &mut Value) -> Result<Vec<String>> {
    let mut seen: Vec<String> = Vec::new();
    loop {
        let page = ask(memory, tool, request)?;
        let found: Vec<String> = page[rows]
            .as_array()
            .context("rows")?
            .iter()
            .map(|row| row["id"].as_str().map(str::to_owned).context("an id"))
            .collect::<Result<_>>()?;
        ensure!(!found.is_empty(), "{page}");
        for id in found.iter().filter(|id| id.len() == 2) {
            ask(memory, "memory_forget", &json!({ "id": id }))?;
            let new = json!({ "id": format!("new-{id}"), "content": format!("Instead of {id}"), "confidence": 1.0 });
            ask(memory, "memory_store", &new)?;
        }
        seen.extend(found.into_iter().filter(|id| id.len() == 2));
        let next = page["next_cursor"].clone();
        if next.is_null() {
            return Ok(seen);
        }
        request["cursor"] = next;
    }
}

fn sorted(mut ids: Vec<String>) -> Vec<String> {
    ids.sort();
    ids
}

#[test]
fn no_memory_is_skipped_or_repeated_when_others_are_deleted() -> Result<()> {
    let all: Vec<String> = (0..COUNT).map(|number| format!("m{number}")).collect();
    for sort in ["recency", "confidence", "access"] {
        let (_file, mut memory) = filled()?;
        let mut request = json!({ "limit": 2, "sort": sort });
        assert_eq!(sorted(pages(&mut memory, "memory_list", "memories", &mut request)?), all, "{sort}");
    }
    for (sort, descending) in
        [("id", false), ("id", true), ("confidence", true), ("last_accessed", false), ("created_at", true)]
    {
        let (_file, mut memory) = filled()?;
        let mut request = json!({ "kind": "memories", "limit": 2, "sort": sort, "descending": descending });
        let found = pages(&mut memory, "explore_records", "rows", &mut request)?;
        assert_eq!(sorted(found), all, "{sort} {descending}");
    }
    Ok(())
}

#[test]
fn a_cursor_of_another_list_is_refused() -> Result<()> {
    let (_file, mut memory) = filled()?;
    let of_list = ask(&mut memory, "memory_list", &json!({ "limit": 2 }))?["next_cursor"].clone();
    let asked = json!({ "kind": "memories", "limit": 2 });
    let of_records = ask(&mut memory, "explore_records", &asked)?["next_cursor"].clone();
    ensure!(of_list.is_string() && of_records.is_string(), "{of_list} {of_records}");
    for (tool, arguments, expected) in [
        ("memory_list", json!({ "cursor": "2" }), "absent for the first, but got \\\"2\\\""),
        ("memory_list", json!({ "cursor": of_records }), "absent for the first"),
        ("memory_list", json!({ "cursor": of_list, "sort": "access" }), "the same sort, access, or absent"),
        ("explore_records", json!({ "kind": "memories", "cursor": of_list }), "absent for the first"),
        (
            "explore_records",
            json!({ "kind": "links", "cursor": of_records }),
            "the same kind, sort and descending",
        ),
        (
            "explore_records",
            json!({ "kind": "memories", "descending": true, "cursor": of_records }),
            "the same kind, sort and descending",
        ),
        ("explore_inbox", json!({ "cursor": of_records }), "absent for the first"),
        ("explore_inbox", json!({ "cursor": "x.y" }), "absent for the first"),
    ] {
        let (is_error, answer) = memory.call(tool, &arguments.to_string())?;
        ensure!(
            is_error && answer.contains("invalid_argument") && answer.contains(expected),
            "{tool}: {answer}"
        );
    }
    Ok(())
}
