//! Exports as other systems write them, in all their versions, and dirty ones: what cannot be taken is reported.

use std::fs;

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::transcript::ensure_same;
use limbic_tests::{BackEnd, export_import::import, memory::Native, memory_file::ask};
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::notes_import::{imported, memories, problems, records, with_text};

/// Imports a document into an empty memory. Returns the memory and the answer.
fn read(bytes: &[u8], format: &str) -> Result<(Native, Value)> {
    let mut memory = Native::in_memory()?;
    let answer = imported(&mut memory, bytes, format)
        .with_context(|| String::from_utf8_lossy(&bytes[..bytes.len().min(300)]).into_owned())?;
    Ok((memory, answer))
}

fn read_json(document: &Value, format: &str) -> Result<(Native, Value)> {
    read(document.to_string().as_bytes(), format)
}

/// The sentence with which a file is refused.
fn refusal(bytes: &[u8]) -> Result<String> {
    let folder = tempdir()?;
    let path = folder.path().join("source");
    fs::write(&path, bytes)?;
    let (is_error, answer) =
        Native::in_memory()?.call("migrate", &json!({ "source_path": path }).to_string())?;
    ensure!(is_error && answer.contains("source_unknown"), "{answer}");
    Ok(answer)
}

#[test]
fn tags_of_any_form_are_kept() -> Result<()> {
    for (tags, expected) in [
        (
            json!(["a", 2024, 1.5, true, null, { "id": 7, "name": "named" }]),
            json!(["1.5", "2024", "a", "named", "true"]),
        ),
        (json!("a, 7"), json!(["7", "a"])),
        (json!("[\"a, b\", 7]"), json!(["7", "a, b"])),
        (json!(7), json!(["7"])),
    ] {
        let (mut memory, answer) =
            read_json(&json!([{ "memory": "Likes green tea", "tags": tags }]), "mem0")?;
        let found = memories(&mut memory)?;
        ensure_same(&found[0]["tags"], &expected, &answer)?;
        ensure_same(&answer["problems"], &json!([]), &answer)?;
    }
    let (_, answer) = read_json(&json!([{ "memory": "Likes green tea", "tags": ["a", ["b"], {}] }]), "mem0")?;
    ensure!(problems(&answer).contains("element 1: 2 of its tags cannot be read"), "{answer}");
    ensure!(answer["memories_imported"] == 1, "{answer}");
    Ok(())
}

#[test]
fn the_indentation_of_a_text_is_kept() -> Result<()> {
    let code = "    def f():\n        return 1";
    for (document, format) in [
        (json!([{ "memory": format!("\n{code}\n\n") }]), "mem0"),
        (json!([code, "Likes green tea"]), "memory-list"),
        (json!({ "passages": [{ "id": "p", "text": code, "agent_id": "a" }] }), "letta"),
    ] {
        let (mut memory, _) = read_json(&document, format)?;
        with_text(&memories(&mut memory)?, code)?;
    }
    Ok(())
}

#[test]
fn a_text_that_is_not_stored_is_reported_with_later_use() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let state = |text: &str, used: u32| {
        let head = json!({ "record": "export", "format": "limbic", "version": 1 });
        let record = json!({
            "record": "memory", "id": "a", "domain": "general", "content": text, "tags": [text],
            "created_at": "2025-01-01T00:00:00.000Z", "last_accessed": format!("2025-01-0{used}T00:00:00.000Z"),
        });
        let end = json!({ "record": "end", "records": 1 });
        format!("{head}\n{record}\n{end}\n")
    };
    imported(&mut memory, state("Likes tea", 1).as_bytes(), "limbic")?;
    let answer = imported(&mut memory, state("Likes coffee", 2).as_bytes(), "limbic")?;
    ensure!(answer["memories_imported"] == 1, "{answer}");
    ensure!(problems(&answer).contains("line 2: its text differs"), "{answer}");
    // Nor are tags lost without a word.
    let other = state("Likes tea", 3).replace("[\"Likes tea\"]", "[\"drinks\"]");
    let answer = imported(&mut memory, other.as_bytes(), "limbic")?;
    ensure!(problems(&answer).contains("line 2: its list of tags differs"), "{answer}");
    let answer = imported(&mut memory, state("Likes tea", 3).as_bytes(), "limbic")?;
    ensure_same(&answer["problems"], &json!([]), &answer)?;
    Ok(())
}

#[test]
fn a_text_that_is_not_stored_is_reported() -> Result<()> {
    let dated = |text: &str| json!([{ "id": "1", "memory": text, "created_at": "2025-01-01T00:00:00Z" }]);
    let undated = |text: &str| json!([{ "id": "1", "memory": text }]);
    for (first, second, reason) in [
        (dated("Likes tea"), dated("Likes coffee"), "neither is later"),
        (undated("Likes tea"), undated("Likes coffee"), "it states no time"),
        (dated("Likes tea"), undated("Likes coffee"), "it states no time"),
    ] {
        let mut memory = Native::in_memory()?;
        imported(&mut memory, first.to_string().as_bytes(), "mem0")?;
        let answer = imported(&mut memory, second.to_string().as_bytes(), "mem0")?;
        ensure!(answer["skipped"] == 1 && problems(&answer).contains(reason), "{answer}");
        with_text(&memories(&mut memory)?, "Likes tea")?;
        // A text that is stored is no problem: nor is one that the memory had before.
        let answer = imported(&mut memory, first.to_string().as_bytes(), "mem0")?;
        ensure_same(&answer["problems"], &json!([]), &answer)?;
        ask(&mut memory, "memory_update", &json!({ "id": "1", "content": "Likes water" }))?;
        let answer = imported(&mut memory, first.to_string().as_bytes(), "mem0")?;
        ensure_same(&answer["problems"], &json!([]), &answer)?;
    }
    // Twice in one file.
    let twice = json!([dated("Likes tea")[0], dated("Likes coffee")[0]]);
    let (_, answer) = read_json(&twice, "mem0")?;
    ensure!(problems(&answer).contains("element 2: its text differs"), "{answer}");
    Ok(())
}

#[test]
fn every_answer_of_mem0_is_read() -> Result<()> {
    let item = json!({
        "id": "892db2ae", "memory": "Likes tea", "hash": "1f", "user_id": 7, "agent_id": "cook", "run_id": null,
        "metadata": { "a": { "b": [1] } }, "categories": ["food"], "created_at": "2025-01-01T00:00:00-08:00",
        "updated_at": null, "expiration_date": null, "structured_attributes": { "day": 1 }, "score": null
    });
    for document in [
        json!([item]),
        json!({ "results": [item] }),
        json!({ "count": 1, "next": null, "previous": null, "results": [item] }),
        json!({ "memories": [item] }),
        json!({ "kind": "mem0_export", "records": [item] }),
        json!({ "data": { "memories": [item] } }),
        item.clone(),
    ] {
        let (mut memory, answer) = read_json(&document, "mem0")?;
        ensure!(answer["memories_imported"] == 1 && answer["skipped"] == 0, "{answer}");
        let found = memories(&mut memory)?;
        let found = with_text(&found, "Likes tea")?;
        ensure!(found["user_id"] == "7" && found["created_at"] == "2025-01-01T08:00:00.000Z", "{found}");
        let metadata: Value = serde_json::from_str(found["metadata"].as_str().unwrap_or_default())?;
        ensure_same(&metadata, &json!({ "a": { "b": [1] }, "agent_id": "cook" }), found)?;
    }
    let graph =
        json!({ "results": [item], "relations": [{ "source": "a", "relationship": "b", "target": "c" }] });
    let (_, answer) = read_json(&graph, "mem0")?;
    ensure!(answer["skipped"] == 1 && problems(&answer).contains("relation 1: mem0's graph"), "{answer}");
    // An owner that cannot be read does not make a memory everybody's.
    let (_, answer) = read_json(&json!([{ "memory": "Likes tea", "user_id": { "name": "ada" } }]), "mem0")?;
    ensure!(answer["skipped"] == 1 && problems(&answer).contains("user_id"), "{answer}");
    Ok(())
}

#[test]
fn a_backup_of_openmemory_is_read() -> Result<()> {
    let item = |id: &str, text: &str, state: &str| {
        json!({
            "id": id, "user_id": "u-1", "app_id": "app-1", "content": text, "metadata": {}, "state": state,
            "created_at": "2025-01-01T00:00:00+00:00", "updated_at": "2025-01-02T00:00:00+00:00",
            "archived_at": null, "deleted_at": null, "category_ids": ["c-1", "c-2"]
        })
    };
    let backup = json!({
        "user": { "id": "u-1", "user_id": "ada", "name": null },
        "apps": [{ "id": "app-1", "name": "cursor" }],
        "categories": [{ "id": "c-1", "name": "food" }],
        "memories": [item("1", "Likes tea", "active"), item("2", "Likes coffee", "archived"), item("3", "", "active")],
        "memory_categories": [], "status_history": [], "access_controls": [], "export_meta": { "version": "1" }
    });
    let (mut memory, answer) = read_json(&backup, "mem0")?;
    ensure!(answer["memories_imported"] == 1 && answer["skipped"] == 2, "{answer}");
    ensure!(problems(&answer).contains("archived") && problems(&answer).contains("no text"), "{answer}");
    let found = memories(&mut memory)?;
    ensure!(found[0]["id"] == "1" && found[0]["user_id"] == "ada", "{found:?}");
    ensure_same(&found[0]["tags"], &json!(["c-2", "food"]), &found[0])?;

    // The same memories one to a line, and a line that is damaged.
    let line = |id: &str, text: &str, state: &str| {
        json!({ "id": id, "content": text, "metadata": {}, "created_at": "2025-01-01T00:00:00+00:00",
            "updated_at": null, "state": state, "app": "cursor", "categories": ["food"] })
    };
    let lines = format!(
        "\u{feff}{}\r\n\r\n{{\"id\": \r\n{}\r\n{}\r\n",
        line("1", "Likes tea", "active"),
        line("2", "Likes coffee", "deleted"),
        line("3", "Has a dog", "active")
    );
    let (mut memory, answer) = read(lines.as_bytes(), "mem0")?;
    ensure!(answer["memories_imported"] == 2 && answer["skipped"] == 2, "{answer}");
    ensure!(problems(&answer).contains("line 3: it is no JSON"), "{answer}");
    ensure!(with_text(&memories(&mut memory)?, "Has a dog")?["id"] == "3");
    let messages =
        b"{\"type\": \"user\", \"message\": {\"role\": \"user\"}}\n{\"type\": \"user\", \"message\": {}}\n";
    ensure!(refusal(messages)?.contains("conversations, not memories"));
    ensure!(refusal(b"{\"content\": \"Likes tea\"}")?.contains("Unknown file format"));
    Ok(())
}

#[test]
fn the_graph_of_the_reference_server_is_read_from_one_document() -> Result<()> {
    let entities = json!([
        { "name": "Ada", "entityType": "person", "observations": ["Likes tea", "Says \"yes\"\nand no"] },
        { "name": "ada", "entityType": "user", "observations": [] },
        { "name": "Ada", "entityType": "person", "observations": ["Has a dog"] },
        { "name": "Eve", "observations": 5 }
    ]);
    let relations = json!([
        { "from": "Ada", "to": "ada", "relationType": "is" },
        { "from": "Ada", "to": "Bob", "relationType": "knows" }
    ]);
    let typed = |kind: &str, items: &Value| {
        let items = items.as_array().into_iter().flatten().cloned();
        items
            .map(|mut item| {
                item["type"] = kind.into();
                item
            })
            .collect::<Vec<_>>()
    };
    let list = json!([typed("entity", &entities), typed("relation", &relations)].concat());
    let object = json!({ "entities": entities, "relations": relations });
    for document in [serde_json::to_string_pretty(&object)?, object.to_string(), list.to_string()] {
        let mut memory = Native::in_memory()?;
        let planned = import(&mut memory, document.as_bytes(), true)?;
        ensure!(planned["format"] == "server-memory" && planned["observations_imported"] == 3, "{planned}");
        let answer = import(&mut memory, document.as_bytes(), false)?;
        ensure!(answer["observations_imported"] == 3 && answer["relations_imported"] == 1, "{answer}");
        ensure!(
            problems(&answer).contains("record 4: ") && problems(&answer).contains("record 6: "),
            "{answer}"
        );
        ensure!(records(&mut memory, "entity")?.len() == 2, "{answer}");
        with_text(&records(&mut memory, "observation")?, "Says \"yes\"\nand no")?;
    }
    // The first line of mcp-knowledge-graph is no record.
    let marked =
        "{\"type\":\"_aim\",\"source\":\"mcp-knowledge-graph\"}\n{\"type\":\"entity\",\"name\":\"Ada\"}\n";
    let marked = import(&mut Native::in_memory()?, marked.as_bytes(), false)?;
    ensure!(marked["entities_imported"] == 1 && marked["problems"] == json!([]), "{marked}");
    let empty = import(&mut Native::in_memory()?, br#"{"entities": [], "relations": []}"#, false)?;
    ensure!(empty["format"] == "server-memory" && empty["skipped"] == 0, "{empty}");
    Ok(())
}

#[test]
fn other_lists_beside_a_graph_are_read_or_reported() -> Result<()> {
    let item = json!({ "id": "1", "memory": "Likes tea", "created_at": "2025-01-01T00:00:00Z" });
    for document in [
        json!({ "entities": [], "memories": [item] }),
        json!({ "entities": [], "relations": [], "results": [item] }),
    ] {
        let (_, answer) = read_json(&document, "mem0")?;
        ensure!(answer["memories_imported"] == 1, "{answer}");
    }
    let both =
        json!({ "entities": [{ "name": "Ada", "entityType": "person" }], "memories": [item], "tags": [] });
    let answer = import(&mut Native::in_memory()?, both.to_string().as_bytes(), false)?;
    ensure!(answer["format"] == "server-memory", "{answer}");
    ensure!(answer["entities_imported"] == 1 && answer["skipped"] == 1, "{answer}");
    ensure!(problems(&answer).contains("the list memories: 1 elements are left out"), "{answer}");
    Ok(())
}

#[test]
fn sizes_of_memory_are_no_memories_of_mem0() -> Result<()> {
    for text in [
        r#"{"memory": "512m", "cpus": 2}"#,
        "{\"memory\": \"512m\", \"cpus\": 2}\n{\"memory\": \"1g\", \"id\": 2}\n",
        "{\n  \"resources\":\n    {\"memory\": \"2Gi\"}\n}\n",
        // A line like one of mem0's, of a document that is none.
        "{\n  \"first\":\n{\"id\": \"1\", \"memory\": \"2Gi\", \"created_at\": \"2025-01-01\"}\n}\n",
        "{\n  \"user\":\n{\"role\": \"admin\"}\n}\n",
    ] {
        let answer = refusal(text.as_bytes())?;
        ensure!(answer.contains("Unknown file format"), "{text}: {answer}");
    }
    let line =
        |id: &str, text: &str| json!({ "id": id, "memory": text, "created_at": "2025-01-01T00:00:00Z" });
    let (first, second) = (line("1", "Likes tea"), line("2", "Has a dog"));
    for lines in [
        format!("{first}\n{second}\n"),
        format!("{{\"version\": 1}}\n{first}\n{second}\n"),
        format!("{first}\n{{\n{{\n{second}\n"),
        "{\"memory\": \"Likes tea\", \"user_id\": \"ada\"}\n{\"memory\": \"Has a dog\", \"user_id\": \"ada\"}\n".to_owned(),
    ] {
        let (_, answer) = read(lines.as_bytes(), "mem0")?;
        ensure!(answer["memories_imported"] == 2, "{lines}: {answer}");
    }
    Ok(())
}

#[test]
fn each_definition_of_a_link_becomes_a_memory_once() -> Result<()> {
    let texts = |markdown: &str| -> Result<Vec<String>> {
        let (mut memory, _) = read(markdown.as_bytes(), "markdown")?;
        Ok(memories(&mut memory)?.iter().map(|found| found["content"].to_string()).collect())
    };
    let found = texts("# List\n\n- [todo]: milk\n- [Todo]: eggs\n- bread\n")?.join(" ");
    ensure!(["milk", "eggs", "bread"].iter().all(|word| found.matches(word).count() == 1), "{found}");
    for markdown in [
        "# List\n\n> [one]: /first\n> and more text\n\n1. [two]: /second\n2. go on\n",
        "1. [one]: /first\n2. [two]: /second\n",
    ] {
        let found = texts(markdown)?.join(" ");
        ensure!(["/first", "/second"].iter().all(|word| found.matches(word).count() == 1), "{found}");
    }
    Ok(())
}

#[test]
fn all_parts_of_claudes_export_are_read() -> Result<()> {
    let account = json!({
        "conversations_memory": "- Likes tea", "account_uuid": "0190",
        "project_memories": { "p1": "- Ships on Mondays", "p2": 5 },
        "memory_files": [{ "path": "/people/ada.md", "content": "# Ada\n- Has a dog" }, "plain text here", { "path": "x" }]
    });
    for document in [json!([account]), account.clone()] {
        let (mut memory, answer) = read_json(&document, "claude")?;
        ensure!(answer["memories_imported"] == 4 && answer["skipped"] == 2, "{answer}");
        ensure!(problems(&answer).contains("project p2: expected a text"), "{answer}");
        ensure!(problems(&answer).contains("memory file 3: it has no text"), "{answer}");
        let found = memories(&mut memory)?;
        ensure!(with_text(&found, "Has a dog")?["path"] == "/people/ada.md/Ada", "{found:?}");
    }
    let (_, answer) = read_json(&json!({ "project_memories": { "p1": "- Ships on Mondays" } }), "claude")?;
    ensure!(answer["memories_imported"] == 1, "{answer}");
    Ok(())
}

#[test]
fn what_is_no_memory_of_an_agent_of_letta_is_counted() -> Result<()> {
    let agent = json!({
        "id": "agent-0", "name": "Sam", "block_ids": ["block-0"],
        "memory_blocks": [{ "label": "persona", "value": "Speaks plainly" }],
        "messages": [{ "role": "user", "content": "hello" }, { "role": "assistant", "content": "hello" }]
    });
    let file = json!({
        "agents": [agent, 5], "groups": [], "files": [], "sources": [], "tools": [], "mcp_servers": [],
        "blocks": [{ "id": "block-0", "label": "human", "value": "Likes tea", "limit": 20000, "read_only": false,
            "description": null, "metadata": {} }]
    });
    let (mut memory, answer) = read_json(&file, "letta")?;
    ensure!(answer["memories_imported"] == 2 && answer["skipped"] == 2, "{answer}");
    ensure!(problems(&answer).contains("agent 1: 2 messages"), "{answer}");
    ensure!(problems(&answer).contains("agent 2: expected a text or an object"), "{answer}");
    let found = memories(&mut memory)?;
    ensure!(with_text(&found, "Speaks plainly")?["path"] == "/Sam/persona", "{found:?}");
    Ok(())
}

#[test]
fn flags_and_types_of_any_form_are_read() -> Result<()> {
    let items = json!([
        { "content": "Likes green tea", "enabled": 1, "deleted_at": 0, "is_deleted": "false", "state": "California" },
        { "content": "Was deleted once", "is_deleted": 1 },
        { "content": "Was deleted twice", "deleted": "true" },
        { "content": "Was disabled", "enabled": "false" },
        { "content": "Has odd metadata", "metadata": [1], "label": "a", "value": 5 }
    ]);
    let (mut memory, answer) = read_json(&items, "memory-list")?;
    ensure!(answer["memories_imported"] == 2 && answer["skipped"] == 3, "{answer}");
    ensure!(problems(&answer).contains("element 5: its metadata are left out"), "{answer}");
    with_text(&memories(&mut memory)?, "Likes green tea")?;
    // Valid JSON, but half of a pair of surrogates, and deeper than the parser goes.
    for metadata in [r#"{"a": "\ud800"}"#.to_owned(), format!("{}{}", "[".repeat(200), "]".repeat(200))] {
        let document = format!(r#"[{{"memory": "Likes tea", "metadata": {metadata}}}]"#);
        let (_, answer) = read(document.as_bytes(), "mem0")?;
        ensure!(answer["memories_imported"] == 1, "{answer}");
        ensure!(
            problems(&answer).contains("element 1: its metadata are left out: they are nested"),
            "{answer}"
        );
    }
    let text = json!([{ "memory": "Likes tea", "metadata": "{\"a\": 1}" }]);
    let (mut memory, answer) = read_json(&text, "mem0")?;
    ensure_same(&answer["problems"], &json!([]), &answer)?;
    ensure!(memories(&mut memory)?[0]["metadata"] == r#"{"a":1}"#, "{answer}");
    Ok(())
}

#[test]
fn a_date_that_cannot_be_read_is_reported() -> Result<()> {
    for (date, expected) in [
        (json!("2024-05-01 10:00:00.123456+00"), Some("2024-05-01T10:00:00.123Z")),
        (json!("Wed, 01 May 2024 10:00:00 +0200"), Some("2024-05-01T08:00:00.000Z")),
        (json!("2024/05/01"), Some("2024-05-01T00:00:00.000Z")),
        (json!("20240501T100000Z"), Some("2024-05-01T10:00:00.000Z")),
        (json!("May 1, 2024"), Some("2024-05-01T00:00:00.000Z")),
        (json!("May 1, 2024 10:30 PM PST"), Some("2024-05-01T00:00:00.000Z")),
        (json!("Date: May 1, 2024 10:30 PM"), Some("2024-05-01T22:30:00.000Z")),
        (json!("20240501120000"), Some("2024-05-01T12:00:00.000Z")),
        (json!(20_240_501_120_000_u64), Some("2024-05-01T12:00:00.000Z")),
        (json!("20241301120000"), None),
        (json!("1735689599.25"), Some("2024-12-31T23:59:59.250Z")),
        (json!(1_735_689_599_250_000_000_u64), Some("2024-12-31T23:59:59.250Z")),
        (json!("01/05/2024"), None),
        (json!("some day"), None),
        (json!(-1), None),
        (json!([2024]), None),
    ] {
        let document = json!([{ "id": "1", "memory": "Likes tea", "created_at": date }]);
        let (mut memory, answer) = read_json(&document, "mem0")?;
        ensure!(answer["memories_imported"] == 1, "{answer}");
        match expected {
            Some(time) => {
                ensure!(
                    memories(&mut memory)?[0]["created_at"] == time,
                    "{date}: {:?}",
                    memories(&mut memory)?
                );
                ensure_same(&answer["problems"], &json!([]), &answer)?;
            }
            None => {
                ensure!(problems(&answer).contains("element 1: its date cannot be read"), "{date}: {answer}")
            }
        }
    }
    // Once for a file, not for each of its statements.
    let (_, answer) = read(b"---\ndate: some day\n---\n- one\n- two\n", "markdown")?;
    ensure!(problems(&answer).matches("cannot be read").count() == 1, "{answer}");
    Ok(())
}

#[test]
fn comments_are_reported_and_long_headings_kept() -> Result<()> {
    let heading = format!("Always {}", "run the tests, and then ".repeat(30)).trim_end().to_owned();
    let text = format!("# {heading}\n\n<!-- Never push. -->\n\n- one\n\n<!-- a\nb -->\n");
    let (mut memory, answer) = read(text.as_bytes(), "markdown")?;
    ensure!(answer["memories_imported"] == 2 && answer["skipped"] == 1, "{answer}");
    ensure!(problems(&answer).contains("2 HTML comments are left out"), "{answer}");
    with_text(&memories(&mut memory)?, &heading)?;
    Ok(())
}

#[test]
fn what_is_cut_is_reported() -> Result<()> {
    let heading = "long ".repeat(42);
    let (_, answer) = read(format!("# {heading}\n- one\n").as_bytes(), "markdown")?;
    ensure!(problems(&answer).contains("its subject is cut to 200 characters"), "{answer}");
    let tags: Vec<String> = (0..120).map(|number| format!("{number}{}", "x".repeat(number))).collect();
    let (_, answer) = read_json(&json!([{ "memory": "Likes tea", "tags": tags }]), "mem0")?;
    ensure!(problems(&answer).contains("tags are cut to 100 characters"), "{answer}");
    ensure!(problems(&answer).contains("20 of its 120 tags are left out"), "{answer}");
    Ok(())
}

#[test]
fn files_of_other_kinds_are_refused_with_what_to_do() -> Result<()> {
    for (bytes, words) in [
        (&b"PK\x03\x04\x14\x00\x00\x00\x08\x00"[..], "a ZIP archive: unpack it"),
        (&b"\x1f\x8b\x08\x00\x00\x00"[..], "gzip: unpack it"),
        (&b"%PDF-1.7\n- a\n"[..], "a PDF"),
        (&b"\xef\xbb\xbf \n<!DOCTYPE HTML>\n<html>\n\n- a\n</html>"[..], "a page of HTML"),
        (&b"<html lang=\"en\">\n# x\n"[..], "a page of HTML"),
        (&b"#\0 \0x\0\n\0-\0 \0y\0"[..], "UTF-16"),
        (&b"\0#\0 \0x\0\n\0-\0 \0y"[..], "UTF-16"),
    ] {
        let answer = refusal(bytes)?;
        ensure!(answer.contains(words), "{words}: {answer}");
    }
    Ok(())
}

#[test]
fn a_byte_order_mark_does_not_hide_memory_graph() -> Result<()> {
    let file = json!({
        "nodes": { "a": { "id": "a", "content": "Likes tea", "timestamp": "2025-01-01T00:00:00Z" } }, "edges": []
    });
    let (_, answer) = read(format!("\u{feff}{file}").as_bytes(), "memory-graph")?;
    ensure!(answer["memories_imported"] == 1, "{answer}");
    Ok(())
}

#[test]
fn databases_of_all_versions_of_mcp_memory_service_are_read() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("sqlite_vec.db");
    Connection::open(&path)?.execute_batch(
        "CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT, content TEXT, tags TEXT, memory_type TEXT,
             metadata TEXT, created_at REAL, updated_at REAL, created_at_iso TEXT, updated_at_iso TEXT);
         INSERT INTO memories (content_hash, content, tags, created_at, created_at_iso) VALUES
             ('h1', 'In local time', '[\"a, b\", 7, null]', 1735689599.25, '2025-01-01T07:59:59Z'),
             ('h2', 'In milliseconds', '7, x', 1735689599250, NULL),
             ('h3', 'As a text', '[draft] x', '2024-12-31T23:59:59Z', NULL),
             ('h4', 'Of another form', '', NULL, '2024-12-31T23:59:59Z'),
             ('h5', 'Without tags', '[]', 1735689599, NULL),
             ('h6', 'With a missing tag', ' [null]', 1735689599, NULL),
             ('h7', 'With a blank before', ' [\"a, b\"]', 1735689599, NULL);",
    )?;
    let (mut memory, answer) = read(&fs::read(&path)?, "mcp-memory-service")?;
    ensure!(answer["memories_imported"] == 7, "{answer}");
    let found = memories(&mut memory)?;
    for (text, tags, millis) in [
        ("In local time", json!(["7", "a, b"]), 250),
        ("In milliseconds", json!(["7", "x"]), 250),
        ("As a text", json!(["[draft] x"]), 0),
        ("Of another form", Value::Null, 0),
        ("Without tags", Value::Null, 0),
        ("With a missing tag", Value::Null, 0),
        ("With a blank before", json!(["a, b"]), 0),
    ] {
        let memory = with_text(&found, text)?;
        ensure_same(&memory["tags"], &tags, memory)?;
        ensure!(memory["created_at"] == format!("2024-12-31T23:59:59.{millis:03}Z"), "{memory}");
    }
    // The same in its JSON, as its stored form and as its export.
    let stored = json!({ "export_metadata": {}, "memories": [{
        "content": "In local time", "content_hash": "h1", "tags_str": "a,7", "type": "decision",
        "created_at": 1_735_689_599.25, "created_at_iso": "2025-01-01T07:59:59Z", "metadata": {} }] });
    let (mut memory, _) = read_json(&stored, "mcp-memory-service")?;
    let found = memories(&mut memory)?;
    ensure_same(&found[0]["tags"], &json!(["7", "a"]), &found[0])?;
    ensure!(found[0]["created_at"] == "2024-12-31T23:59:59.250Z", "{found:?}");
    ensure!(found[0]["category"] == "decision", "{found:?}");
    Ok(())
}

#[test]
fn further_fields_of_a_front_matter_are_kept() -> Result<()> {
    let front = "---\nname: x\nstatus: open\nrelated: [a, b]\nmetadata:\n  node: n\n---\n- one\n- two\n";
    let (mut memory, answer) = read(front.as_bytes(), "markdown")?;
    ensure_same(&answer["problems"], &json!([]), &answer)?;
    for found in memories(&mut memory)? {
        let metadata: Value = serde_json::from_str(found["metadata"].as_str().unwrap_or_default())?;
        ensure_same(
            &metadata,
            &json!({ "metadata.node": "n", "related": ["a", "b"], "status": "open" }),
            &found,
        )?;
    }
    let secret = "---\nname: x\nkey: the admin password is Sunfl0wer!\nstatus: open\n---\n- one\n- two\n";
    let (mut memory, answer) = read(secret.as_bytes(), "markdown")?;
    ensure!(answer["memories_imported"] == 2 && answer["skipped"] == 1, "{answer}");
    ensure!(!answer.to_string().contains("Sunfl0wer"), "{answer}");
    ensure!(memories(&mut memory)?[0]["metadata"] == r#"{"status":"open"}"#);

    let note = "---\ntitle: Plan\npermalink: plan\nstatus: open\ncreated: 2025-03-04\nmodified: 2025-03-05T10:00:00+02:00\n\
        aliases: [The plan]\n---\n- [ ] Write it\n- [x] Read it\n- uses [[Tea]] (a) and [[Milk]] (b)\n- extends [[The plan]]\n";
    let (mut memory, answer) = read(note.as_bytes(), "basic-memory")?;
    ensure_same(&answer["problems"], &json!([]), &answer)?;
    let observations = records(&mut memory, "observation")?;
    for text in ["[ ] Write it", "[x] Read it", "status: open", "uses [[Tea]] (a) and [[Milk]] (b)"] {
        with_text(&observations, text)?;
    }
    let links: Vec<Value> = records(&mut memory, "relation")?.iter().map(|link| link["to"].clone()).collect();
    ensure!(["Tea", "Milk", "Plan"].iter().all(|name| links.contains(&json!(name))), "{links:?}");
    let entities = records(&mut memory, "entity")?;
    let plan = entities.iter().find(|entity| entity["name"] == "Plan").context("the note")?;
    ensure!(
        plan["created_at"] == "2025-03-04 00:00:00" && plan["updated_at"] == "2025-03-05 08:00:00",
        "{plan}"
    );
    Ok(())
}
