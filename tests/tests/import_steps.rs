//! Imports in steps: what other calls see in between, and what remains of an interrupted import.

use anyhow::{Context, Result, ensure};
use limbic_tests::{BackEnd, export_import::export, memory::Native, memory_file::ask};
use limbic_tools::{FileCall, SessionId, Source};
use serde_json::{Value, json};

/// More entities than two steps store.
const MANY: usize = 5_000;

fn entities(count: usize) -> Vec<u8> {
    let line =
        |number| format!("{{\"type\":\"entity\",\"name\":\"entity {number}\",\"entityType\":\"x\"}}\n");
    (0..count).map(line).collect::<String>().into_bytes()
}

fn call(session: &str, dry_run: bool, file: impl Source + 'static) -> FileCall {
    let arguments = json!({ "source_path": "some file", "dry_run": dry_run }).to_string();
    FileCall::new(SessionId::from(session), "migrate", &arguments, Box::new(file))
}

fn stored(memory: &mut Native) -> Result<u64> {
    let (_, graph) = memory.call("read_graph", r#"{"limit": 1}"#)?;
    let graph: Value = serde_json::from_str(&graph)?;
    Ok(graph["totals"]["entities"].as_u64().unwrap_or_default())
}

/// Runs steps until there is an answer. Returns the number of steps, and the answer.
fn run_all_steps(memory: &mut Native, call: &mut FileCall) -> Result<(usize, Value)> {
    for steps in 1.. {
        if let Some(answer) = memory.limbic().step(call, &mut |_, _| {}) {
            return Ok((steps, serde_json::from_str(&answer.json)?));
        }
    }
    unreachable!("every import ends")
}

#[test]
fn other_calls_see_stored_batches_and_may_write() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let mut import = call("one", false, entities(MANY));
    ensure!(memory.limbic().step(&mut import, &mut |_, _| {}).is_none());
    let before = stored(&mut memory)?;
    ensure!(before > 0 && before < MANY as u64, "{before}");
    // Another session creates an entity of a later batch.
    memory.limbic().enter(&SessionId::from("two"));
    let last = format!("entity {}", MANY - 1);
    let written = json!({ "entities": [{ "name": last, "observations": ["mine"] }] }).to_string();
    ensure!(!memory.call("create_entities", &written)?.0);
    let (_, answer) = run_all_steps(&mut memory, &mut import)?;
    ensure!(answer["entities_imported"] == MANY && answer["errors"] == 0, "{answer}");
    ensure!(stored(&mut memory)? == MANY as u64);
    let (_, kept) = memory.call("open_nodes", &json!({ "names": [last] }).to_string())?;
    ensure!(kept.contains("mine"), "{kept}");
    Ok(())
}

#[test]
fn two_imports_may_be_interleaved() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let mut calls = [call("one", false, entities(MANY)), call("two", false, entities(MANY))];
    let mut answers = Vec::new();
    while answers.len() < 2 {
        for call in &mut calls {
            answers.extend(memory.limbic().step(call, &mut |_, _| {}));
        }
    }
    ensure!(answers.iter().all(|answer| !answer.is_error), "{answers:?}");
    ensure!(stored(&mut memory)? == MANY as u64);
    Ok(())
}

/// A graph with many entities and relations, and an entity with many observations.
fn graph() -> Vec<u8> {
    let mut lines = entities(MANY);
    let facts: Vec<String> = (0..MANY).map(|number| format!("fact {number}")).collect();
    let mut add = |line: Value| lines.extend(format!("{line}\n").into_bytes());
    add(json!({ "type": "entity", "name": "large", "entityType": "x", "observations": facts }));
    for number in 1..MANY {
        let (from, to) = (format!("entity {number}"), format!("entity {}", number - 1));
        add(json!({ "type": "relation", "from": from, "to": to, "relationType": "after" }));
    }
    lines
}

#[test]
fn a_database_is_stored_in_steps() -> Result<()> {
    let mut source = Native::in_memory()?;
    let (_, filled) = run_all_steps(&mut source, &mut call("", false, graph()))?;
    ensure!(filled["errors"] == 0 && filled["observations_imported"] == MANY, "{filled}");
    let bytes = export(&mut source, "mcp-memory-v2")?;

    let mut memory = Native::in_memory()?;
    let mut import = call("one", false, bytes.clone());
    ensure!(memory.limbic().step(&mut import, &mut |_, _| {}).is_none());
    let before = stored(&mut memory)?;
    ensure!(before > 0 && before < MANY as u64, "{before}");
    let (steps, answer) = run_all_steps(&mut memory, &mut import)?;
    ensure!(steps > 3, "{steps}");
    ensure!(answer["errors"] == 0 && answer["skipped"] == 0, "{answer}");
    ensure!(answer["observations_imported"] == MANY && answer["relations_imported"] == MANY - 1, "{answer}");
    ensure!(export(&mut source, "jsonl")? == export(&mut memory, "jsonl")?, "the copy differs");
    let (_, again) = run_all_steps(&mut memory, &mut call("", false, bytes))?;
    ensure!(again["observations_imported"] == 0 && again["errors"] == 0, "{again}");
    Ok(())
}

/// A file of Memory Graph: each memory is linked to the previous one, and some have references to another domain.
fn memories() -> Vec<u8> {
    let node = |number: usize| {
        let references = if number % 100 == 1 {
            json!([{ "domain": "other", "nodeId": format!("m{}", number - 1), "description": "see" }])
        } else {
            json!([])
        };
        let id = format!("m{number}");
        (
            id.clone(),
            json!({ "id": id, "content": format!("fact {number}"), "timestamp": "2025-01-01T00:00:00.000Z",
            "tags": [], "domainRefs": references }),
        )
    };
    let edge = |number: usize| {
        json!({ "source": format!("m{number}"), "target": format!("m{}", number - 1), "type": "relates_to",
            "strength": 1.0, "timestamp": "2025-01-01T00:00:00.000Z" })
    };
    let nodes: serde_json::Map<String, Value> = (0..MANY).map(node).collect();
    let edges: Vec<Value> = (1..MANY).map(edge).collect();
    json!({ "nodes": nodes, "edges": edges }).to_string().into_bytes()
}

#[test]
fn files_of_memory_graph_are_stored_in_steps() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let mut import = call("one", false, memories());
    ensure!(memory.limbic().step(&mut import, &mut |_, _| {}).is_none());
    let listed = ask(&mut memory, "memory_list", &json!({ "limit": 1 }))?;
    let before = listed["total"].as_u64().unwrap_or_default();
    ensure!(before > 0 && before < MANY as u64, "{listed}");
    let stopped = memory.limbic().interrupt(import);
    ensure!(stopped.json.contains(&format!("is kept (memories: {before}")), "{}", stopped.json);
    let (steps, answer) = run_all_steps(&mut memory, &mut call("", false, memories()))?;
    ensure!(steps > 3, "{steps}");
    ensure!(answer["errors"] == 0 && answer["links_imported"].as_u64() >= Some(MANY as u64 - 1), "{answer}");
    let listed = ask(&mut memory, "memory_list", &json!({ "limit": 1 }))?;
    ensure!(listed["total"] == MANY, "{listed}");
    let mut whole = Native::in_memory()?;
    let (_, dry) = run_all_steps(&mut whole, &mut call("", true, memories()))?;
    let (_, real) = run_all_steps(&mut whole, &mut call("", false, memories()))?;
    for count in ["memories_imported", "links_imported", "errors", "skipped"] {
        ensure!(dry[count] == real[count], "{count}: {dry} {real}");
    }
    Ok(())
}

#[test]
fn a_short_file_and_a_dry_run_take_one_step() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let (steps, answer) = run_all_steps(&mut memory, &mut call("", true, entities(MANY)))?;
    ensure!(steps == 1 && answer["entities_imported"] == MANY, "{steps}: {answer}");
    ensure!(stored(&mut memory)? == 0);
    let (steps, answer) = run_all_steps(&mut memory, &mut call("", false, entities(1500)))?;
    ensure!(steps == 1 && answer["entities_imported"] == 1500, "{steps}: {answer}");
    Ok(())
}

/// A file during whose reading another server stores an entity.
struct Meanwhile<'a> {
    lines: Vec<u8>,
    other: &'a mut Native,
    answer: Option<(bool, String)>,
}

impl Source for Meanwhile<'_> {
    fn size(&self) -> u64 {
        self.lines.size()
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, String> {
        if offset > self.size() / 2 && self.answer.is_none() {
            let written = json!({ "entities": [{ "name": "meanwhile" }] }).to_string();
            self.answer =
                Some(self.other.call("create_entities", &written).map_err(|error| error.to_string())?);
        }
        self.lines.read_at(buffer, offset)
    }
}

#[test]
fn others_write_during_a_dry_run() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let (mut memory, mut other) = (Native::open(&path)?, Native::open(&path)?);
    let known = json!({ "entities": [{ "name": "entity 7" }] }).to_string();
    ensure!(!memory.call("create_entities", &known)?.0);
    let mut file = Meanwhile { lines: entities(MANY), other: &mut other, answer: None };
    let arguments = json!({ "source_path": "some file", "dry_run": true }).to_string();
    let answer = memory.limbic().call_with_file("migrate", &arguments, &[], &mut file, &mut |_, _| {});
    let answer: Value = serde_json::from_str(&answer.json)?;
    ensure!(answer["entities_imported"] == MANY, "{answer}");
    let (is_error, written) = file.answer.context("nothing was written meanwhile")?;
    ensure!(!is_error, "{written}");
    ensure!(stored(&mut memory)? == 2);
    Ok(())
}

#[test]
fn steps_give_the_answer_of_a_single_call() -> Result<()> {
    let mut file = entities(MANY);
    file.extend(b"no JSON\n{\"type\":\"relation\",\"from\":\"entity 1\",\"to\":\"entity 2\",\"relationType\":\"near\"}\n");
    let (_, in_steps) = run_all_steps(&mut Native::in_memory()?, &mut call("", false, file.clone()))?;
    let arguments = json!({ "source_path": "some file" }).to_string();
    let mut memory = Native::in_memory()?;
    let at_once = memory.limbic().call_with_file("migrate", &arguments, &[], &mut file, &mut |_, _| {});
    ensure!(in_steps == serde_json::from_str::<Value>(&at_once.json)?, "{in_steps}\n{}", at_once.json);
    ensure!(in_steps["relations_imported"] == 1 && in_steps["skipped"] == 1, "{in_steps}");
    Ok(())
}

/// A file that cannot be read beyond an offset.
struct Torn(Vec<u8>, u64);

impl Source for Torn {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, String> {
        if offset >= self.1 {
            Err("the disk cannot be read".to_owned())
        } else {
            self.0.read_at(buffer, offset)
        }
    }
}

#[test]
fn a_failed_import_reports_what_is_stored_and_can_be_completed() -> Result<()> {
    let line = |number| json!({ "type": "entity", "name": format!("entity {number}"), "entityType": "x", "observations": ["y".repeat(9000)] });
    let file: Vec<u8> = (0..600).flat_map(|number| format!("{}\n", line(number)).into_bytes()).collect();
    let mut memory = Native::in_memory()?;
    let arguments = json!({ "source_path": "some file" }).to_string();
    let mut torn = Torn(file.clone(), 4_000_000);
    let failed = memory.limbic().call_with_file("migrate", &arguments, &[], &mut torn, &mut |_, _| {});
    let kept = stored(&mut memory)?;
    ensure!(failed.is_error && kept > 0 && kept < 600, "{kept}: {}", failed.json);
    let error: Value = serde_json::from_str(&failed.json)?;
    let text = error["error"].as_str().unwrap_or_default();
    ensure!(
        error["code"] == "source_unreadable" && text.contains("the disk cannot be read): some file"),
        "{text}"
    );
    ensure!(text.contains(&format!("is kept (entities: {kept}, observations: {kept})")), "{kept}: {text}");
    ensure!(text.contains("run it again"), "{text}");
    let (_, answer) = run_all_steps(&mut memory, &mut call("", false, file))?;
    ensure!(answer["observations_imported"] == 600 - kept && stored(&mut memory)? == 600, "{answer}");
    Ok(())
}

#[test]
fn a_cancelled_import_reports_what_is_stored() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let import = call("one", false, entities(MANY));
    let answer = memory.limbic().interrupt(import);
    ensure!(answer.is_error && answer.json.contains("The import stored nothing"), "{}", answer.json);
    let mut import = call("one", false, entities(MANY));
    ensure!(memory.limbic().step(&mut import, &mut |_, _| {}).is_none());
    let answer = memory.limbic().interrupt(import);
    let kept = stored(&mut memory)?;
    ensure!(answer.json.contains(r#""code":"import_interrupted""#), "{}", answer.json);
    ensure!(answer.json.contains(&format!("is kept (entities: {kept})")), "{kept}: {}", answer.json);
    Ok(())
}
