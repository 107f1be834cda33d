//! A panic anywhere in a call leaves the database as it was before the call or as it is after it, and locks nothing.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::rc::Rc;

use anyhow::{Result, ensure};
use limbic_core::{Error, Host};
use limbic_tests::{START_MILLIS, memory::connect};
use limbic_tools::{FileCall, Limbic, Options, SessionId};
use serde_json::{Value, json};
use tempfile::tempdir;

/// More readings of the clock or of random bytes than a call makes.
const MAX_READINGS: u32 = 200;

/// A host that panics when the core has asked it for so much.
struct Panicking {
    left: Rc<Cell<u32>>,
    random: Cell<u8>,
}

impl Panicking {
    fn count(&self) {
        // The clock is first asked within a transaction; ids are made between its statements.
        assert!(self.left.get() > 0, "a panic on purpose");
        self.left.set(self.left.get() - 1);
    }
}

impl Host for Panicking {
    fn now_millis(&self) -> i64 {
        self.count();
        START_MILLIS
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        self.count();
        for byte in buffer {
            self.random.set(self.random.get().wrapping_add(1));
            *byte = self.random.get();
        }
    }
}

/// Opens a memory. Returns it with the number of readings that it has left.
fn open(path: &Path) -> Result<(Limbic, Rc<Cell<u32>>)> {
    let left = Rc::new(Cell::new(u32::MAX));
    let host = Panicking { left: left.clone(), random: Cell::default() };
    let options = Options { toolsets: vec!["all".into()], ..Options::default() };
    Ok((Limbic::open(connect(path)?, Box::new(host), options)?, left))
}

fn call(limbic: &mut Limbic, tool: &str, arguments: &str) -> Result<String> {
    let answer = limbic.call(tool, arguments, &[]);
    limbic.finish()?;
    ensure!(!answer.is_error, "{tool}: {}", answer.json);
    Ok(answer.json)
}

/// Everything in a database.
fn exported(limbic: &mut Limbic) -> Result<String> {
    let mut bytes = Vec::new();
    limbic.export_as("limbic", &mut |part| {
        bytes.extend_from_slice(part);
        Ok(())
    })?;
    Ok(String::from_utf8(bytes)?)
}

#[test]
fn a_call_that_panics_is_stored_whole_or_not_at_all() -> Result<()> {
    const SAMPLE: [(&str, &str); 2] = [
        ("memory_store", r#"{"content": "Deploys run on Tuesdays", "id": "deploys", "tags": ["ops"]}"#),
        (
            "create_entities",
            r#"{"entities": [{"name": "Ada", "observations": ["writes code", "likes tea"]}]}"#,
        ),
    ];
    for (tool, arguments) in [
        (
            "memory_store",
            r#"{"memories": [{"content": "Reviews need two people",
                "relationships": {"supports": [{"targetId": "deploys"}]}},
                {"content": "Ada reviews", "entities": ["Ada"]}]}"#,
        ),
        ("memory_update", r#"{"id": "deploys", "content": "Deploys run on Fridays", "tags": ["ops", "ci"]}"#),
        ("memory_forget", r#"{"id": "deploys"}"#),
        (
            "create_entities",
            r#"{"entities": [{"name": "Grace", "observations": ["writes compilers"]},
                {"name": "Ada", "observations": ["is a countess"]}]}"#,
        ),
        ("delete_entities", r#"{"entityNames": ["Ada"]}"#),
    ] {
        let mut states = Vec::new();
        let mut has_ended = false;
        for readings in 0..MAX_READINGS {
            let folder = tempdir()?;
            let path = folder.path().join("memory.db");
            let (mut limbic, left) = open(&path)?;
            for (tool, arguments) in SAMPLE {
                call(&mut limbic, tool, arguments)?;
            }
            if states.is_empty() {
                states.push(exported(&mut limbic)?);
            }
            left.set(readings);
            let called = catch_unwind(AssertUnwindSafe(|| call(&mut limbic, tool, arguments)));
            left.set(u32::MAX);
            drop(limbic);
            let (mut limbic, _) = open(&path)?;
            let state = exported(&mut limbic)?;
            if let Ok(called) = called {
                called?;
                has_ended = true;
                // Each earlier state was that before the call or this one.
                ensure!(states.len() == 1 || states[1] == state, "{tool}: another state than {state}");
                break;
            }
            if !states.contains(&state) {
                ensure!(states.len() == 1, "{tool} was half stored after {readings} readings: {state}");
                states.push(state);
            }
            let checked = limbic.check_integrity()?;
            ensure!(checked.findings.is_empty(), "{tool} after {readings} readings: {checked:?}");
            call(&mut limbic, "memory_store", r#"{"content": "The office closes at six", "id": "office"}"#)?;
        }
        ensure!(has_ended, "{tool} reads more often than {MAX_READINGS} times");
    }
    Ok(())
}

#[test]
fn an_import_that_panics_says_what_it_has_stored_and_is_completed_by_another() -> Result<()> {
    let line = |number| json!({ "type": "entity", "name": format!("entity {number}"), "entityType": "x" });
    let lines: String = (0..5_000).map(|number| format!("{}\n", line(number))).collect();
    let arguments = json!({ "source_path": "some file" }).to_string();
    let import = || {
        let file = Box::new(lines.clone().into_bytes());
        FileCall::new(SessionId::default(), "migrate", &arguments, file)
    };
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    let (mut limbic, mut left) = open(&path)?;
    for (steps, expected) in
        [(0, None), (1, Some("is kept (entities: 2000)")), (2, Some("is kept (entities: 4000)"))]
    {
        let mut call = import();
        for _ in 0..steps {
            ensure!(limbic.step(&mut call, &mut |_, _| {}).is_none());
        }
        left.set(0);
        let stepped = catch_unwind(AssertUnwindSafe(|| limbic.step(&mut call, &mut |_, _| {})));
        left.set(u32::MAX);
        ensure!(stepped.is_err(), "{steps}: no panic");
        let error = call.failed(Error::Panicked).to_string();
        ensure!(expected.is_none_or(|text| error.contains(text)), "{steps}: {error}");
        ensure!(expected.is_some() || error == Error::Panicked.to_string(), "{error}");
        drop(limbic);
        (limbic, left) = open(&path)?;
    }
    let mut call = import();
    let answer = loop {
        if let Some(answer) = limbic.step(&mut call, &mut |_, _| {}) {
            break answer;
        }
    };
    let answer: Value = serde_json::from_str(&answer.json)?;
    ensure!(answer["errors"] == 0 && answer["entities_imported"] == 5_000, "{answer}");
    drop(call);
    let graph: Value = serde_json::from_str(&self::call(&mut limbic, "read_graph", r#"{"limit": 1}"#)?)?;
    ensure!(graph["totals"]["entities"] == 5_000, "{}", graph["totals"]);
    Ok(())
}
