//! Replays a history: memories are linked to functions of the first revision, and their states are printed after each
//! later one, one JSON object a line, for `cargo xtask bench code-memories`.
//!
//! Usage: `memory_states WORK_TREE LIMIT REVISION...`. It checks the revisions out.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a program, not the crate")]

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use limbic_code_disk::DiskFiles;
use limbic_core::{Host, rusqlite::Connection};
use limbic_support::success;
use limbic_tools::{Limbic, Options};
use serde_json::{Value, json};

const USAGE: &str = "usage: memory_states WORK_TREE LIMIT REVISION...";

struct FixedHost;

impl Host for FixedHost {
    fn now_millis(&self) -> i64 {
        1_767_225_600_000
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [tree, limit, first, later @ ..] = arguments.as_slice() else { anyhow::bail!(USAGE) };
    let limit: usize = limit.parse().context(USAGE)?;
    limbic_vfs::register_vec0();
    let options = Options { toolsets: vec!["all".into()], code: true, ..Options::default() };
    let mut limbic = Limbic::open(Connection::open_in_memory()?, Box::new(FixedHost), options)?;
    limbic.set_code_files(Box::new(DiskFiles::below_root(tree.as_ref())));

    check_out(tree, first)?;
    index(&mut limbic, tree)?;
    let functions = symbols(&mut limbic)?;
    let step = functions.len().div_ceil(limit.max(1)).max(1);
    let mut linked = Vec::new();
    for (number, symbol) in functions.keys().step_by(step).enumerate() {
        let id = format!("m{number}");
        let content = format!("Note {number} about a function");
        ask(&mut limbic, "memory_store", &json!({ "id": id, "content": content, "symbols": [symbol] }))?;
        linked.push(id);
    }
    for revision in later {
        check_out(tree, revision)?;
        index(&mut limbic, tree)?;
        let now = symbols(&mut limbic)?;
        for id in &linked {
            let answer = ask(&mut limbic, "memory_get", &json!({ "ids": [id] }))?;
            let link = &answer["memories"][0]["symbols"][0];
            let symbol = link["symbol_id"].as_str().context("a linked memory names its symbol")?;
            let state = json!({ "revision": revision, "symbol": symbol, "state": link["state"], "now": link["now"],
                "lines": now.get(symbol) });
            println!("{state}");
        }
    }
    Ok(())
}

/// The lines of the functions and methods of the project, by id.
fn symbols(limbic: &mut Limbic) -> Result<BTreeMap<String, Value>> {
    let mut found = BTreeMap::new();
    for kind in ["function", "method"] {
        let mut cursor = Value::Null;
        loop {
            let mut arguments = json!({ "query": "", "symbol_type": kind, "limit": 100 });
            if !cursor.is_null() {
                arguments["cursor"] = cursor;
            }
            let page = ask(limbic, "search_symbols", &arguments)?;
            for symbol in page["results"].as_array().into_iter().flatten() {
                let id = symbol["symbol_id"].as_str().unwrap_or_default().to_owned();
                found.insert(id, json!([symbol["start_line"], symbol["end_line"]]));
            }
            cursor = page["next_cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
    }
    Ok(found)
}

fn index(limbic: &mut Limbic, tree: &str) -> Result<()> {
    let arguments = json!({ "path": tree, "project_id": "p", "wait": true, "force": true });
    let status = ask(limbic, "index_project", &arguments)?;
    ensure!(status["status"] == "completed", "{status}");
    Ok(())
}

fn ask(limbic: &mut Limbic, tool: &str, arguments: &Value) -> Result<Value> {
    let answer = limbic.call(tool, &arguments.to_string(), &[]);
    limbic.finish()?;
    success(tool, arguments, answer.is_error, &answer.json)
}

fn check_out(tree: &str, revision: &str) -> Result<()> {
    let status =
        Command::new("git").args(["-C", tree, "checkout", "--quiet", "--detach", revision]).status()?;
    ensure!(status.success(), "git cannot check {revision} out");
    Ok(())
}
