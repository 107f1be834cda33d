//! States are those of files that were looked at, and only a link whose original is gone moves.

use std::fs;

use anyhow::{Result, ensure};
use limbic_code_disk::DiskFiles;
use serde_json::json;

use super::{PAY, expect, links, started, state, store};
use crate::support::{Server, connect};

const AT: &str = "shop/pay.py";
const SYMBOL: &str = "shop/pay.py#check_amount";

fn search(server: &mut Server, query: &str) -> Result<Vec<(String, String)>> {
    let found = server.ask("search_code", &json!({ "query": query, "mode": "words" }))?;
    let memories = found["results"].as_array().into_iter().flatten();
    let memories = memories.flat_map(|result| result["memories"].as_array().cloned().unwrap_or_default());
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    Ok(memories.map(|memory| (text(&memory["id"]), text(&memory["state"]))).collect())
}

#[test]
fn a_copy_takes_no_link_from_its_original() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &[SYMBOL])?;
    workspace.write("shop/copy.py", PAY)?;
    server.index(&workspace.project())?;
    expect(&mut server, "m", "copied", ("holds", None))?;
    workspace.write(AT, PAY.replace("> 0", ">= 0"))?;
    expect(&mut server, "m", "the original changed", ("changed", None))?;
    server.index(&workspace.project())?;
    expect(&mut server, "m", "after a sweep", ("changed", None))?;
    workspace.write(AT, PAY)?;
    expect(&mut server, "m", "undone", ("holds", None))?;
    // Only now does the link follow to the only place that is left.
    workspace.remove(AT)?;
    expect(&mut server, "m", "the original deleted", ("moved", Some("p:shop/copy.py#check_amount")))
}

#[test]
fn a_copy_takes_no_link_from_a_renamed_file() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &[SYMBOL])?;
    workspace.write("shop/copy.py", PAY)?;
    server.index(&workspace.project())?;
    fs::rename(workspace.project().join(AT), workspace.project().join("shop/zone.py"))?;
    // The index has the copy, and does not have the new file yet.
    expect(&mut server, "m", "one of two places", ("gone", None))?;
    server.index(&workspace.project())?;
    expect(&mut server, "m", "after a sweep", ("gone", None))?;
    workspace.remove("shop/copy.py")?;
    expect(&mut server, "m", "the only place", ("moved", Some("p:shop/zone.py#check_amount")))?;
    workspace.write("shop/copy.py", PAY)?;
    workspace.write("shop/zone.py", PAY.replace("> 0", "> 1"))?;
    server.index(&workspace.project())?;
    expect(&mut server, "m", "moved, copied and changed", ("changed", Some("p:shop/zone.py#check_amount")))
}

#[test]
fn code_of_a_file_that_cannot_be_parsed_is_not_gone() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &[SYMBOL])?;
    workspace.write(AT, "def check_amount(amount:\n    ((return amount > 0\n\nclass Order(\n")?;
    let (now, _) = state(&mut server, "m")?;
    ensure!(now == "unknown" || now == "changed", "a text that is being written: {now}");
    workspace
        .write(AT, format!("x = ((((\n{}", PAY.replace("check_amount", "verify").replace("> 0", "< 5")))?;
    expect(&mut server, "m", "syntax errors", ("unknown", None))?;
    workspace.write(AT, "x = 1\n")?;
    expect(&mut server, "m", "deleted", ("gone", None))?;
    workspace.write(AT, format!("{PAY}x = \"\0\"\n"))?;
    expect(&mut server, "m", "a binary file", ("unknown", None))?;
    workspace.write(AT, PAY)?;
    expect(&mut server, "m", "restored", ("holds", None))
}

#[test]
fn code_of_a_file_that_is_no_longer_indexed_is_not_gone() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &[SYMBOL])?;
    workspace.write(".memoryignore", "pay.py\n")?;
    server.index(&workspace.project())?;
    expect(&mut server, "m", "excluded", ("unknown", None))?;
    workspace.remove(AT)?;
    expect(&mut server, "m", "deleted", ("gone", None))
}

#[test]
fn states_are_unknown_where_the_files_cannot_be_reached() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &[SYMBOL])?;
    store(&mut server, "n", "Totals are rounded", &["Order.total"])?;
    workspace.write(AT, PAY.replace("> 0", ">= 0"))?;
    expect(&mut server, "m", "changed", ("changed", None))?;
    let elsewhere = workspace.project().with_file_name("elsewhere");
    fs::create_dir(&elsewhere)?;
    server.limbic.set_code_files(Box::new(DiskFiles::below_root(&elsewhere)));
    for id in ["m", "n"] {
        expect(&mut server, id, "another root", ("unknown", None))?;
    }
    let states = search(&mut server, "check_amount")?;
    ensure!(states == [("m".into(), "unknown".into()), ("n".into(), "unknown".into())], "{states:?}");
    // Neither is a caveat of a recalled memory.
    let recalled = server.ask("memory_recall", &json!({ "query": "amounts" }))?;
    ensure!(recalled["memories"][0]["symbols"].is_null(), "{recalled}");
    Ok(())
}

#[test]
fn a_server_without_the_code_index_omits_states() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &[SYMBOL])?;
    workspace.write(AT, PAY.replace("> 0", ">= 0"))?;
    expect(&mut server, "m", "changed", ("changed", None))?;
    drop(server);
    let mut server = workspace.open_without_code("one.db", 2)?;
    for arguments in [json!({ "query": "amounts" }), json!({ "query": "amounts", "detail": "full" })] {
        let memory = server.ask("memory_recall", &arguments)?["memories"][0].clone();
        let is_full = arguments.get("detail").is_some();
        let wanted =
            if is_full { json!([{ "symbol_id": "p:shop/pay.py#check_amount" }]) } else { json!(null) };
        ensure!(memory["symbols"] == wanted, "{memory}");
    }
    ensure!(links(&mut server, "m").is_err(), "no state");
    Ok(())
}

#[test]
fn answers_about_code_look_at_the_files_of_the_memories_that_they_name() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "n", "Totals are rounded", &["Order.total"])?;
    // `show` calls the linked symbol, which is in a file without a result.
    workspace.write(AT, PAY.replace("check_amount(1)", "check_amount(2)"))?;
    let graph = json!({ "symbol_id": "p:shop/web.py#show", "action": "definition" });
    let graph = server.ask("symbol_graph", &graph)?;
    ensure!(graph["memories"][0]["state"] == "changed", "{graph}");
    workspace.write(AT, PAY)?;
    let states = search(&mut server, "show")?;
    ensure!(states == [("n".into(), "holds".into())], "{states:?}");
    // While another server writes, and where nothing can be stored.
    let other = connect(&workspace.project().with_file_name("one.db"))?;
    other.execute_batch("BEGIN IMMEDIATE")?;
    workspace.write(AT, PAY.replace("check_amount(1)", "check_amount(2)"))?;
    let states = search(&mut server, "show")?;
    ensure!(states == [("n".into(), "unknown".into())], "{states:?}");
    other.execute_batch("ROLLBACK")?;
    drop((server, other));
    let mut reader = workspace.open_read_only("one.db", 2)?;
    expect(&mut reader, "n", "a change that cannot be stored", ("unknown", None))?;
    let states = search(&mut reader, "show")?;
    ensure!(states == [("n".into(), "unknown".into())], "{states:?}");
    Ok(())
}
