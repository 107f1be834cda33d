//! Output of stored text: invisible and bidirectional characters are escaped in answers and stored unchanged.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::params;
use limbic_tests::{BackEnd, START_MILLIS, memory::Native, memory::connect};
use limbic_tools::Options;
use serde_json::{Value, json};

/// Characters that no answer may contain, with their escapes.
const HIDDEN: [(char, &str); 3] =
    [('\u{202E}', "<U+202E>"), ('\u{1B}', "<U+001B>"), ('\u{200B}', "<U+200B>")];

fn hostile(word: &str) -> String {
    HIDDEN.iter().map(|(letter, _)| format!("{word}{letter}")).collect()
}

fn shown(word: &str) -> String {
    HIDDEN.iter().map(|(_, written)| format!("{word}{written}")).collect()
}

fn open(path: &Path, compat: Option<&str>) -> Result<Native> {
    let options =
        Options { test_clock: Some(START_MILLIS), compat: compat.map(Into::into), ..Options::default() };
    Native::with(connect(path)?, options)
}

/// Calls a tool, and returns the parsed answer.
fn answered(memory: &mut Native, tool: &str, arguments: &Value) -> Result<(bool, String)> {
    let (is_error, answer) = memory.call(tool, &arguments.to_string())?;
    Ok((is_error, plain(&answer).with_context(|| format!("{tool} {arguments}"))?))
}

/// Asserts success, and that no hidden character is in the answer, escaped or not.
fn plain(json: &str) -> Result<String> {
    let parsed: Value = serde_json::from_str(json)?;
    let text = parsed.to_string();
    for (letter, _) in HIDDEN {
        let escaped = format!("\\u{:04x}", u32::from(letter));
        ensure!(!text.contains(letter) && !text.contains(&escaped), "{letter:?} is in the answer: {text}");
    }
    Ok(text)
}

fn done(memory: &mut Native, tool: &str, arguments: &Value) -> Result<String> {
    let (is_error, answer) = answered(memory, tool, arguments)?;
    ensure!(!is_error, "{tool} {arguments}: {answer}");
    Ok(answer)
}

/// Stores memories by SQL, as another program does, with hostile ids.
fn foreign(path: &Path) -> Result<()> {
    drop(open(path, None)?);
    let connection = connect(path)?;
    let now = "2025-12-31T00:00:00.000Z";
    let (domain, user) = (hostile("d"), hostile("u"));
    connection.execute(
        "INSERT INTO DOMAINS (id, name, description, created, lastAccess) VALUES (?1, ?2, ?2, ?3, ?3)",
        params![domain, hostile("n"), now],
    )?;
    for (id, domain) in [("a", "general"), ("b", "general"), ("c", domain.as_str())] {
        connection.execute(
            "INSERT INTO MEMORY_NODES (id, domain, content, timestamp, path, content_summary, subject, source, user_id,
                metadata, tier) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'l0')",
            params![
                hostile(id),
                domain,
                hostile("content "),
                now,
                format!("/{}", hostile("p")),
                hostile("short "),
                hostile("s"),
                hostile("o"),
                user,
                json!({ hostile("k"): [hostile("v")] }).to_string(),
            ],
        )?;
        connection
            .execute("INSERT INTO MEMORY_TAGS (nodeId, tag) VALUES (?1, ?2)", [hostile(id), hostile("t")])?;
    }
    connection.execute(
        "INSERT INTO MEMORY_EDGES (id, source, target, type, strength, timestamp, domain)
         VALUES (?1, ?2, ?3, ?4, 0.5, ?5, 'general')",
        params![hostile("e"), hostile("a"), hostile("b"), hostile("y"), now],
    )?;
    connection.execute(
        "INSERT INTO DOMAIN_REFS (nodeId, domain, targetDomain, targetNodeId, description, bidirectional)
         VALUES (?1, 'general', ?2, ?3, ?4, 1)",
        params![hostile("a"), domain, hostile("c"), hostile("f")],
    )?;
    Ok(())
}

#[test]
fn memories_are_escaped_for_output() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    foreign(&path)?;
    let mut memory = open(&path, None)?;
    let start = hostile("a");
    let got = done(&mut memory, "memory_get", &json!({ "ids": [start] }))?;
    for word in ["a", "b", "content ", "p", "short ", "s", "o", "u", "k", "v", "t", "y", "f", "d"] {
        ensure!(got.contains(&shown(word)), "{word} is not shown: {got}");
    }
    for detail in ["minimal", "standard", "comprehensive"] {
        done(&mut memory, "memory_traverse", &json!({ "start_id": start, "detail": detail }))?;
    }
    done(&mut memory, "memory_diagram", &json!({ "start_id": start }))?;
    done(&mut memory, "memory_list", &json!({ "domain": "*" }))?;
    done(&mut memory, "memory_recall", &json!({ "query": "content", "domain": "*" }))?;
    done(&mut memory, "memory_maintain", &json!({}))?;
    done(&mut memory, "list_domains", &json!({}))?;
    for (tool, arguments) in [
        ("memory_get", json!({ "ids": [hostile("x")] })),
        ("memory_update", json!({ "id": hostile("x"), "content": "y" })),
        ("memory_list", json!({ "domain": hostile("x") })),
        ("memory_traverse", json!({ "start_id": start, "relation_types": [hostile("x")] })),
        ("open_nodes", json!({ "names": [hostile("x")] })),
        ("delete_observations", json!({ "name": hostile("x"), "observations": ["x"] })),
    ] {
        answered(&mut memory, tool, &arguments)?;
    }
    let told = memory.limbic().hook("session-start", "{}", None)?.context("the hook is silent")?;
    ensure!(plain(&told)?.contains(&shown("a")), "{told}");
    for answer in [
        memory.limbic().prompt("recall-context", "{}"),
        memory.limbic().complete("prompt:recall-context", "tag", "", ""),
        memory.limbic().complete("prompt:recall-context", "domain", "", ""),
        memory.limbic().audit(None, None, None, 10),
        memory.limbic().read_resource("memory://stats"),
    ] {
        plain(&answer.json)?;
    }
    drop(memory);
    let kept: String =
        connect(&path)?
            .query_row("SELECT content FROM MEMORY_NODES WHERE id = ?1", [start], |row| row.get(0))?;
    assert_eq!(kept, hostile("content "));
    Ok(())
}

#[test]
fn memory_graph_tools_escape_output() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    foreign(&path)?;
    let mut memory = open(&path, Some("memory-graph"))?;
    let start = hostile("a");
    for (tool, arguments) in [
        ("recall_memories", json!({ "maxNodes": 9, "strategy": "recent" })),
        ("recall_memories", json!({ "maxNodes": 9, "strategy": "related", "startNodeId": start })),
        ("search_memory_content", json!({ "query": "content" })),
        ("traverse_memories", json!({ "startNodeId": start, "resolutionDepth": "comprehensive" })),
        ("generate_mermaid_graph", json!({ "startNodeId": start, "contentFormat": { "includeId": true } })),
        ("edit_memory", json!({ "id": start, "path": "/x" })),
        ("list_domains", json!({})),
    ] {
        done(&mut memory, tool, &arguments)?;
    }
    answered(&mut memory, "forget_memory", &json!({ "id": hostile("x") }))?;
    Ok(())
}

#[test]
fn ids_that_need_escaping_are_rejected() -> Result<()> {
    let mut memory = Native::in_memory()?;
    done(&mut memory, "memory_store", &json!({ "id": "a", "content": "One" }))?;
    for bad in [hostile("a"), "a\nb".into(), "a\tb".into()] {
        for (tool, arguments) in [
            ("memory_store", json!({ "content": "Two", "id": bad })),
            ("memory_store", json!({ "content": "Two", "user_id": bad })),
            ("memory_store", json!({ "memories": [{ "content": "Two", "id": bad }] })),
            ("memory_update", json!({ "id": "a", "user_id": bad })),
            ("create_domain", json!({ "id": bad })),
        ] {
            let (is_error, answer) = answered(&mut memory, tool, &arguments)?;
            ensure!(is_error && answer.contains("invalid_argument"), "{tool} {arguments}: {answer}");
        }
    }
    let listed = done(&mut memory, "memory_list", &json!({ "domain": "*" }))?;
    ensure!(listed.contains("\"total\":1"), "{listed}");
    Ok(())
}

#[test]
fn an_escaped_name_of_the_graph_is_accepted_as_a_key() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let mut memory = open(&path, None)?;
    let entity = |name: &str| json!({ "name": hostile(name), "entityType": hostile("t"), "observations": [hostile("o"), hostile("q")] });
    done(&mut memory, "create_entities", &json!({ "entities": [entity("a"), entity("b")] }))?;
    let related = |from: String, to: String, kind: String| json!({ "relations": [{ "from": from, "to": to, "relationType": kind }] });
    done(&mut memory, "create_relations", &related(hostile("a"), shown("b"), hostile("r")))?;
    for (tool, arguments) in [
        ("read_graph", json!({ "detail": "full" })),
        ("search_nodes", json!({ "query": "o" })),
        ("search_semantic", json!({ "query": "o", "explain": true })),
        ("open_nodes", json!({ "names": [shown("a")], "detail": "full" })),
        ("graph_neighbors", json!({ "name": shown("a") })),
        ("find_duplicate_observations", json!({ "entity_name": shown("a"), "threshold": 0.1 })),
    ] {
        let answer = done(&mut memory, tool, &arguments)?;
        ensure!(answer.contains(&shown("a")), "{tool}: {answer}");
    }
    let whole = memory.limbic().read_resource("memory://knowledge-graph");
    ensure!(plain(&whole.json)?.contains(&shown("a")), "{}", whole.json);
    let uri = format!("memory://entity/{}", shown("a").replace('<', "%3C").replace('>', "%3E"));
    let one = memory.limbic().read_resource(&uri);
    ensure!(!one.is_error && plain(&one.json)?.contains(&shown("o")), "{}", one.json);
    let named = memory.limbic().complete("memory://entity/{name}", "name", "a", "");
    ensure!(plain(&named.json)?.contains(&shown("a")), "{}", named.json);

    let again = json!({ "entities": [{ "name": shown("a"), "entityType": "again" }] });
    let merged = done(&mut memory, "create_entities", &again)?;
    ensure!(merged.contains("\"created\":[]"), "an escaped name created another entity: {merged}");
    let left = done(
        &mut memory,
        "delete_observations",
        &json!({ "name": shown("a"), "observations": [shown("o")] }),
    )?;
    ensure!(!left.contains(&shown("o")) && left.contains(&shown("q")), "{left}");
    let split = json!({ "entity_name": shown("b"), "approved_splits": [{ "name": "part", "entity_type": "t", "observations": [shown("q")] }] });
    done(&mut memory, "execute_entity_split", &split)?;
    let deleted = done(&mut memory, "delete_relations", &related(shown("a"), shown("b"), shown("r")))?;
    ensure!(!deleted.contains("errors"), "{deleted}");
    drop(memory);

    let connection = connect(&path)?;
    let kept: Vec<String> = connection
        .prepare("SELECT content FROM observations ORDER BY id")?
        .query_map([], |row| row.get(0))?
        .collect::<limbic_core::rusqlite::Result<_>>()?;
    assert_eq!(kept, [hostile("q"), hostile("o"), hostile("q")]);
    drop(connection);
    let mut reference = open(&path, Some("server-memory"))?;
    let (_, answer) = reference.call("read_graph", "{}")?;
    let answer: Value = serde_json::from_str(&answer)?;
    ensure!(
        answer.to_string().contains(&Value::from(hostile("q")).to_string()),
        "the reference changes nothing: {answer}"
    );
    Ok(())
}

#[test]
fn a_text_stored_in_escaped_form_is_preferred() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let texts = json!({ "entities": [{ "name": "a", "observations": [hostile("o"), shown("o")] }] });
    done(&mut memory, "create_entities", &texts)?;
    let gone = json!({ "name": "a", "observations": [shown("o")] });
    let left = done(&mut memory, "delete_observations", &gone)?;
    ensure!(left.matches(&shown("o")).count() == 1, "{left}");
    let left = done(&mut memory, "delete_observations", &gone)?;
    ensure!(!left.contains(&shown("o")), "{left}");
    Ok(())
}

#[test]
fn fields_that_look_equal_are_all_returned() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let stored = json!({ "content": "Two fields", "metadata": { "a\u{202E}": 1, "a<U+202E>": 2 } });
    let (is_error, answer) = answered(&mut memory, "memory_store", &stored)?;
    let answer: Value = serde_json::from_str(&answer)?;
    let fields = &answer["memory"]["metadata"];
    ensure!(!is_error && fields.as_object().is_some_and(|fields| fields.len() == 2), "{answer}");
    Ok(())
}

#[test]
fn a_program_reads_texts_as_they_are_stored() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    foreign(&path)?;
    let options = Options { test_clock: Some(START_MILLIS), as_stored: true, ..Options::default() };
    let mut memory = Native::with(connect(&path)?, options.clone())?;
    let id = hostile("a");
    for (tool, arguments) in [
        ("memory_get", json!({ "ids": [id] })),
        ("memory_list", json!({ "domain": "*" })),
        ("memory_recall", json!({ "query": "content", "domain": "*", "detail": "full" })),
        ("memory_update", json!({ "id": id, "importance": 2 })),
    ] {
        let (is_error, answer) = memory.call(tool, &arguments.to_string())?;
        let answer: Value = serde_json::from_str(&answer)?;
        ensure!(!is_error, "{tool}: {answer}");
        let one = match answer["memories"].as_array() {
            Some(all) => all.iter().find(|one| one["id"] == *id).context("it is not in the answer")?,
            None => &answer["memory"],
        };
        assert_eq!(one["content"], hostile("content "), "{tool}");
        assert_eq!(one["metadata"], json!({ hostile("k"): [hostile("v")] }), "{tool}");
    }
    memory.limbic().set_access(Options { as_stored: false, ..options });
    plain(&memory.call("memory_list", r#"{"domain": "*"}"#)?.1)?;
    Ok(())
}
