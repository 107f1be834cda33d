//! Memories that are linked to code: their states follow the files, and answers about code name them.

mod certain;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use limbic_code_disk::DiskFiles;
use limbic_tools::Limbic;
use serde_json::{Value, json};

use crate::support::{self, Server, Workspace};

const PAY: &str = "def check_amount(amount):\n    # Cents.\n    return amount > 0\n\n\nclass Order:\n    \
     def total(self):\n        return check_amount(1)\n";

fn started() -> Result<(Workspace, Server)> {
    let workspace = Workspace::new()?;
    workspace.write("shop/pay.py", PAY)?;
    workspace
        .write("shop/web.py", "from shop.pay import Order\n\n\ndef show():\n    return Order().total()\n")?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    Ok((workspace, server))
}

fn store(server: &mut Server, id: &str, content: &str, symbols: &[&str]) -> Result<Value> {
    let answer = server.ask("memory_store", &json!({ "id": id, "content": content, "symbols": symbols }))?;
    Ok(answer["memory"]["symbols"].clone())
}

/// The symbols of a memory with their states.
fn links(server: &mut Server, id: &str) -> Result<Vec<(String, String, Option<String>)>> {
    let answer = server.ask("memory_get", &json!({ "ids": [id] }))?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    answer["memories"][0]["symbols"]
        .as_array()
        .unwrap_or(&Vec::new())
        .iter()
        .map(|link| {
            let symbol = text(&link["symbol_id"]).context("symbol_id")?;
            Ok((symbol, text(&link["state"]).context("state")?, text(&link["now"])))
        })
        .collect()
}

fn state(server: &mut Server, id: &str) -> Result<(String, Option<String>)> {
    let mut links = links(server, id)?;
    ensure!(links.len() == 1, "{links:?}");
    let (_, state, now) = links.remove(0);
    Ok((state, now))
}

fn expect(server: &mut Server, id: &str, step: &str, wanted: (&str, Option<&str>)) -> Result<()> {
    let (state, now) = state(server, id)?;
    ensure!((state.as_str(), now.as_deref()) == wanted, "{step}: {state} {now:?}, not {wanted:?}");
    Ok(())
}

#[test]
fn names_between_back_ticks_and_given_symbols_are_linked() -> Result<()> {
    let (workspace, mut server) = started()?;
    let found =
        store(&mut server, "text", "`check_amount()` takes cents, see `Order::total`; not `nothing`", &[])?;
    let ids: Vec<&str> =
        found.as_array().into_iter().flatten().filter_map(|it| it["symbol_id"].as_str()).collect();
    ensure!(ids == ["p:shop/pay.py#Order.total", "p:shop/pay.py#check_amount"], "{found}");
    for name in ["p:shop/pay.py#Order.total", "shop/pay.py#Order.total", "Order.total"] {
        let found = store(&mut server, name, &format!("Totals are in cents ({name})"), &[name])?;
        ensure!(found[0]["symbol_id"] == "p:shop/pay.py#Order.total", "{name}: {found}");
    }
    let missing = json!({ "content": "Another", "symbols": ["shop/pay.py#missing"] });
    let refused = server.refused("memory_store", &missing)?;
    ensure!(refused.contains("symbol_not_found") && refused.contains("search_symbols"), "{refused}");
    // Nothing of the refused call is stored.
    let stored = server.ask("memory_list", &json!({ "limit": 50 }))?;
    ensure!(stored["total"] == 4, "{stored}");

    // An ambiguous name is linked neither from a text nor from an argument, until it names one symbol.
    workspace.write("shop/more.py", "class Bill:\n    def total(self):\n        return 2\n")?;
    server.index(&workspace.project())?;
    let found = store(&mut server, "two", "`total` is rounded", &[])?;
    ensure!(found.is_null(), "{found}");
    let refused = server.refused("memory_store", &json!({ "content": "Rounded", "symbols": ["total"] }))?;
    ensure!(refused.contains("p:shop/more.py#Bill.total, p:shop/pay.py#Order.total"), "{refused}");
    Ok(())
}

#[test]
fn new_text_and_symbols_replace_the_links() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "`check_amount` takes cents", &["Order.total"])?;
    server.ask("memory_update", &json!({ "id": "m", "content": "`show` prints cents" }))?;
    let ids = |found: Vec<(String, String, Option<String>)>| {
        found.into_iter().map(|(symbol, state, _)| format!("{symbol} {state}")).collect::<Vec<_>>()
    };
    let found = ids(links(&mut server, "m")?);
    ensure!(found == ["p:shop/pay.py#Order.total holds", "p:shop/web.py#show holds"], "{found:?}");
    // Symbols that are given again are taken as they are now.
    workspace.write("shop/pay.py", PAY.replace("check_amount(1)", "check_amount(2)"))?;
    let found = ids(links(&mut server, "m")?);
    ensure!(found[0] == "p:shop/pay.py#Order.total changed", "{found:?}");
    server.ask("memory_update", &json!({ "id": "m", "symbols": ["Order.total"] }))?;
    let found = ids(links(&mut server, "m")?);
    ensure!(found == ["p:shop/pay.py#Order.total holds", "p:shop/web.py#show holds"], "{found:?}");
    server.ask("memory_update", &json!({ "id": "m", "symbols": [], "content": "Prints cents" }))?;
    ensure!(links(&mut server, "m")?.is_empty(), "links are left");
    server.ask("memory_update", &json!({ "id": "m", "symbols": ["show"] }))?;
    server.ask("memory_forget", &json!({ "id": "m" }))?;
    let rows: i64 = support::connect(&workspace.project().with_file_name("one.db"))?.query_row(
        "SELECT count(*) FROM memory_symbols",
        [],
        |row| row.get(0),
    )?;
    ensure!(rows == 0, "{rows} links of a forgotten memory are left");
    Ok(())
}

#[test]
fn the_state_of_a_link_follows_the_code() -> Result<()> {
    let (workspace, mut server) = started()?;
    let at = "shop/pay.py";
    store(&mut server, "m", "Amounts are cents", &["shop/pay.py#check_amount"])?;
    expect(&mut server, "m", "linked", ("holds", None))?;
    // The files are checked when a call is answered: none of these steps indexes.
    workspace.write(at, format!("# Payments.\n{}", PAY.replace("# Cents.", "# Always cents.")))?;
    expect(&mut server, "m", "comments and lines", ("holds", None))?;
    workspace.write(at, PAY.replace("> 0", ">= 0"))?;
    expect(&mut server, "m", "another condition", ("changed", None))?;
    workspace.write(at, PAY)?;
    expect(&mut server, "m", "the change undone", ("holds", None))?;
    workspace.write(at, PAY.replace("check_amount", "check"))?;
    expect(&mut server, "m", "renamed", ("moved", Some("p:shop/pay.py#check")))?;
    workspace.write(at, PAY)?;
    expect(&mut server, "m", "renamed back", ("holds", None))?;

    let (function, rest) = PAY.split_once("\n\n\n").context("two definitions")?;
    workspace.write(at, rest)?;
    workspace.write("shop/amounts.py", function)?;
    server.index(&workspace.project())?;
    let there = Some("p:shop/amounts.py#check_amount");
    expect(&mut server, "m", "moved to another file", ("moved", there))?;
    workspace.write("shop/amounts.py", function.replace("> 0", "> 1"))?;
    expect(&mut server, "m", "moved and changed", ("changed", there))?;
    workspace.write("shop/amounts.py", function)?;
    expect(&mut server, "m", "moved and changed back", ("moved", there))?;
    workspace.remove("shop/amounts.py")?;
    expect(&mut server, "m", "deleted", ("gone", None))?;
    workspace.write(at, PAY)?;
    expect(&mut server, "m", "restored", ("holds", None))?;

    server.ask("delete_project", &json!({ "project_id": "p" }))?;
    expect(&mut server, "m", "the index deleted", ("unknown", None))?;
    workspace.write(at, PAY.replace("> 0", ">= 0"))?;
    server.index(&workspace.project())?;
    expect(&mut server, "m", "indexed again", ("changed", None))?;
    workspace.write(at, PAY)?;
    server.ask(
        "index_project",
        &json!({ "path": workspace.project(), "project_id": "p", "force": true, "wait": true }),
    )?;
    expect(&mut server, "m", "a full sweep", ("holds", None))
}

#[test]
fn a_definition_with_another_name_in_its_file_is_followed() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are in cents", &["shop/pay.py#check_amount"])?;
    let renamed = PAY.replace("check_amount", "verify_amount");
    let verify = "p:shop/pay.py#verify_amount";
    workspace.write("shop/pay.py", &renamed)?;
    expect(&mut server, "m", "renamed", ("moved", Some(verify)))?;
    workspace.write("shop/pay.py", renamed.replace("> 0", ">= 0"))?;
    expect(&mut server, "m", "renamed and then changed", ("changed", Some(verify)))?;
    workspace.write("shop/pay.py", renamed.replace("> 0", ">= 0").replace("verify_", "test_"))?;
    expect(&mut server, "m", "changed and then renamed", ("changed", Some("p:shop/pay.py#test_amount")))?;
    workspace.write("shop/pay.py", &renamed)?;
    expect(&mut server, "m", "changed and renamed at once", ("moved", Some(verify)))?;
    workspace.write("shop/pay.py", PAY)?;
    expect(&mut server, "m", "undone", ("holds", None))?;
    let twice = format!("{renamed}\n\n{}", renamed.replace("verify_", "test_"));
    workspace.write("shop/pay.py", twice)?;
    expect(&mut server, "m", "two of the same text", ("gone", None))?;
    workspace.write("shop/pay.py", PAY)?;
    expect(&mut server, "m", "and undone", ("holds", None))
}

#[test]
fn a_method_of_a_small_type_with_another_name_is_followed_but_no_constant() -> Result<()> {
    let (workspace, mut server) = started()?;
    let order = "LIMIT = 3\n\nclass Order:\n    def total(self):\n        return sum(self.lines)\n\n    def tax(self):\n        return 2\n";
    workspace.write("shop/order.py", order)?;
    store(&mut server, "m", "Totals are without tax", &["shop/order.py#Order.total"])?;
    store(&mut server, "n", "Three orders a day", &["shop/order.py#LIMIT"])?;
    workspace.write("shop/order.py", order.replace("total", "net").replace("LIMIT", "RETRIES"))?;
    expect(&mut server, "m", "renamed", ("moved", Some("p:shop/order.py#Order.net")))?;
    expect(&mut server, "n", "a constant of the same value", ("gone", None))
}

#[test]
fn code_in_a_renamed_file_is_found_by_the_first_question() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &["shop/pay.py#check_amount"])?;
    let rename =
        |from: &str, to: &str| std::fs::rename(workspace.project().join(from), workspace.project().join(to));
    rename("shop/pay.py", "shop/billing.py")?;
    expect(&mut server, "m", "renamed", ("moved", Some("p:shop/billing.py#check_amount")))?;
    rename("shop", "store")?;
    expect(&mut server, "m", "its folder renamed", ("moved", Some("p:store/billing.py#check_amount")))?;
    rename("store", "shop")?;
    rename("shop/billing.py", "shop/pay.py")?;
    expect(&mut server, "m", "renamed back", ("holds", None))
}

#[test]
fn links_hold_when_another_version_gives_unchanged_code_another_shape() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &["shop/pay.py#check_amount"])?;
    store(&mut server, "n", "Orders have one amount", &["shop/pay.py#Order"])?;
    workspace.write("shop/pay.py", PAY.replace("(1)", "(2)"))?;
    server.index(&workspace.project())?;
    expect(&mut server, "n", "before", ("changed", None))?;
    // As if version 9 had stored everything, the last one whose shapes do not name their version.
    support::connect(&workspace.database("one.db"))?.execute_batch(
        "UPDATE code_files SET facts_version = 9;
         UPDATE code_symbols SET shape_hash = shape_hash / 2;
         UPDATE memory_symbols SET shape_hash = shape_hash / 2;",
    )?;
    server.index(&workspace.project())?;
    expect(&mut server, "m", "unchanged", ("holds", None))?;
    expect(&mut server, "n", "changed before", ("changed", None))?;
    workspace.write("shop/pay.py", PAY.replace("(1)", "(3)"))?;
    expect(&mut server, "n", "changed again", ("changed", None))
}

#[test]
fn links_of_another_version_that_nothing_can_be_compared_with_are_unknown() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &["shop/pay.py#check_amount"])?;
    store(&mut server, "n", "Orders have one amount", &["shop/pay.py#Order.total"])?;
    server.ask("delete_project", &json!({ "project_id": "p" }))?;
    // As if they had been linked by another version.
    support::connect(&workspace.database("one.db"))?
        .execute_batch("UPDATE memory_symbols SET shape_hash = (shape_hash & ~255) | 99;")?;
    workspace.write("shop/pay.py", PAY.replace("total", "sum"))?;
    server.index(&workspace.project())?;
    expect(&mut server, "m", "unchanged", ("unknown", None))?;
    expect(&mut server, "n", "no longer there", ("gone", None))?;
    // Stated again, it is compared again.
    store(&mut server, "m", "Amounts are cents", &["shop/pay.py#check_amount"])?;
    expect(&mut server, "m", "stated again", ("holds", None))?;
    workspace.write("shop/pay.py", PAY.replace("> 0", ">= 0"))?;
    expect(&mut server, "m", "changed", ("changed", None))
}

#[test]
fn a_watched_rename_is_followed_by_the_first_question() -> Result<()> {
    let (workspace, mut server) = started()?;
    let project = workspace.project();
    server
        .ask("index_project", &json!({ "path": project, "project_id": "p", "wait": true, "watch": true }))?;
    store(&mut server, "m", "Amounts are cents", &["shop/pay.py#check_amount"])?;
    std::fs::rename(project.join("shop/pay.py"), project.join("shop/billing.py"))?;
    let changed = ["shop/pay.py".to_owned(), "shop/billing.py".to_owned()];
    server.limbic.files_changed(&project.to_string_lossy(), &changed)?;
    expect(&mut server, "m", "renamed", ("moved", Some("p:shop/billing.py#check_amount")))
}

#[test]
fn a_hook_shows_the_memories_of_a_file_that_was_renamed() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &["shop/pay.py#check_amount"])?;
    let file = workspace.project().join("shop/billing.py");
    std::fs::rename(workspace.project().join("shop/pay.py"), &file)?;
    let event = json!({
        "cwd": workspace.project(), "tool_name": "Edit", "tool_input": { "file_path": file },
    });
    let told = server.limbic.hook("pre-tool-use", &event.to_string(), None)?.unwrap_or_default();
    ensure!(told.contains("Amounts are cents"), "{told}");
    Ok(())
}

#[test]
fn a_shape_that_was_not_unique_is_not_followed() -> Result<()> {
    let (workspace, mut server) = started()?;
    workspace.write("shop/other.py", "def check_amount(amount):\n    return amount > 0\n")?;
    server.index(&workspace.project())?;
    store(&mut server, "m", "Amounts are cents", &["shop/pay.py#check_amount"])?;
    workspace.write("shop/pay.py", PAY.replace("> 0", "> 1"))?;
    expect(&mut server, "m", "changed beside a copy", ("changed", None))?;
    workspace.remove("shop/pay.py")?;
    server.index(&workspace.project())?;
    expect(&mut server, "m", "deleted beside a copy", ("gone", None))
}

#[test]
fn recall_gives_the_state_of_each_link_and_filters_nothing() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &["Order.total"])?;
    store(&mut server, "n", "Amounts are shown", &["show"])?;
    workspace.write("shop/pay.py", PAY.replace("check_amount(1)", "check_amount(2)"))?;
    let recalled = server.ask("memory_recall", &json!({ "query": "amounts" }))?;
    let memories = recalled["memories"].as_array().context("memories")?;
    ensure!(memories.len() == 2, "{recalled}");
    for memory in memories {
        let wanted = if memory["id"] == "m" {
            json!([{ "symbol_id": "p:shop/pay.py#Order.total", "state": "changed" }])
        } else {
            Value::Null
        };
        ensure!(memory["symbols"] == wanted, "{memory}");
    }
    Ok(())
}

#[test]
fn answers_about_code_name_its_memories() -> Result<()> {
    let (_place, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &["check_amount"])?;
    store(&mut server, "n", "Totals are rounded", &["Order.total"])?;
    let ada = json!({ "content": "Ada's note", "user_id": "ada", "symbols": ["check_amount"] });
    server.ask("memory_store", &ada)?;
    let names = |list: &Value| -> Vec<String> {
        let ids = list.as_array().into_iter().flatten();
        ids.map(|it| format!("{} {}", it["id"].as_str().unwrap_or("?"), it["state"].as_str().unwrap_or("?")))
            .collect()
    };
    let graph = |server: &mut Server, id: &str| -> Result<Vec<String>> {
        let answer = server.ask("symbol_graph", &json!({ "symbol_id": id, "action": "callers" }))?;
        Ok(names(&answer["memories"]))
    };
    ensure!(
        graph(&mut server, "p:shop/pay.py#check_amount")? == ["m holds", "n holds"],
        "the symbol's own first"
    );
    ensure!(graph(&mut server, "p:shop/pay.py#Order.total")? == ["n holds", "m holds"], "its file's after");
    ensure!(graph(&mut server, "p:shop/web.py#show")? == ["n holds"], "what it calls");
    let found =
        server.ask("search_code", &json!({ "query": "check_amount", "mode": "words", "limit": 10 }))?;
    let named: Vec<String> =
        found["results"].as_array().into_iter().flatten().flat_map(|it| names(&it["memories"])).collect();
    ensure!(named == ["m holds", "n holds"], "each once: {found}");
    // More than three are not named.
    for number in 0..5 {
        store(&mut server, &format!("x{number}"), &format!("Note {number} about the page"), &["show"])?;
    }
    ensure!(graph(&mut server, "p:shop/web.py#show")?.len() == 3, "three at most");
    server.ask("memory_invalidate", &json!({ "id": "m", "reason": "old" }))?;
    ensure!(graph(&mut server, "p:shop/pay.py#check_amount")? == ["n holds"], "ended memories are left out");
    Ok(())
}

#[test]
fn the_explorer_lists_memories_whose_code_changed() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &["check_amount", "show"])?;
    store(&mut server, "n", "Totals are rounded", &["Order.total"])?;
    store(&mut server, "o", "The page shows totals", &["show"])?;
    let listed = |server: &mut Server| -> Result<(Vec<String>, Value)> {
        let answer = server.ask("explore_code_memories", &json!({}))?;
        let line = |it: &Value| {
            format!("{} {} {}", it["id"], it["symbols"][0]["symbol_id"], it["symbols"][0]["state"])
        };
        let lines = answer["memories"].as_array().into_iter().flatten();
        Ok((lines.map(|it| line(it).replace('"', "")).collect(), answer))
    };
    let (lines, answer) = listed(&mut server)?;
    ensure!(lines.is_empty() && answer["links"] == 4 && answer["holding"] == 4, "{answer}");
    workspace.write("shop/pay.py", PAY.split_once("\n\n\n").context("two")?.0.replace("> 0", "> 1"))?;
    let (lines, answer) = listed(&mut server)?;
    ensure!(
        lines == ["m p:shop/pay.py#check_amount changed", "n p:shop/pay.py#Order.total gone"],
        "{answer}"
    );
    ensure!(answer["total"] == 2 && answer["holding"] == 2, "{answer}");
    let page = server.ask("explore_code_memories", &json!({ "limit": 1 }))?;
    ensure!(page["memories"][0]["id"] == "m" && page["total"] == 2, "{page}");
    let asked = json!({ "limit": 1, "cursor": page["next_cursor"] });
    let page = server.ask("explore_code_memories", &asked)?;
    ensure!(page["memories"][0]["id"] == "n" && page["total"] == 2, "{page}");
    ensure!(page["next_cursor"].is_null(), "{page}");
    server.ask("memory_update", &json!({ "id": "m", "symbols": ["check_amount"] }))?;
    let (lines, answer) = listed(&mut server)?;
    ensure!(lines == ["n p:shop/pay.py#Order.total gone"], "confirmed: {answer}");
    server.ask("memory_invalidate", &json!({ "id": "n" }))?;
    let (lines, answer) = listed(&mut server)?;
    ensure!(lines.is_empty() && answer["total"] == 0, "no longer valid: {answer}");
    Ok(())
}

#[test]
fn recall_merges_memories_and_code_by_rank() -> Result<()> {
    let (_place, mut server) = started()?;
    server.ask("memory_store", &json!({ "content": "The amount is checked in cents" }))?;
    server.ask("memory_store", &json!({ "content": "An amount below one is refused" }))?;
    let ask = json!({ "query": "amount", "include_code": true, "limit": 3 });
    let recalled = server.ask("memory_recall", &ask)?;
    let results = recalled["memories"].as_array().context("memories")?;
    let sources: Vec<&str> = results.iter().filter_map(|it| it["source"].as_str()).collect();
    ensure!(sources == ["memory", "code", "memory"], "{recalled}");
    ensure!(results[1]["symbol_id"] == "p:shop/pay.py#check_amount", "{recalled}");
    for (arguments, why) in [
        (json!({ "query": "a", "project_id": "p" }), "project_id needs include_code"),
        (json!({ "query": "a", "language": "python" }), "language needs include_code"),
        (json!({ "include_code": true }), "needs query"),
        (json!({ "query": "a", "include_code": true, "as_of": "2026-01-01" }), "as_of"),
        (json!({ "query": "a", "include_code": true, "project_id": "q" }), "Project not found"),
    ] {
        let refused = server.refused("memory_recall", &arguments)?;
        ensure!(refused.contains(why), "{arguments}: {refused}");
    }
    let go = json!({ "query": "amount", "include_code": true, "project_id": "p", "language": "go" });
    let recalled = server.ask("memory_recall", &go)?;
    let results = recalled["memories"].as_array().context("memories")?;
    ensure!(!results.is_empty() && results.iter().all(|it| it["source"] == "memory"), "{recalled}");
    Ok(())
}

/// What the hook before a tool shows of a file.
fn shown(limbic: &mut Limbic, tool: &str, file: &Path) -> Result<Option<Value>> {
    let event = json!({ "cwd": file.parent(), "tool_name": tool, "tool_input": { "file_path": file } });
    let Some(answer) = limbic.hook("pre-tool-use", &event.to_string(), None)? else {
        return Ok(None);
    };
    let answer: Value = serde_json::from_str(&answer)?;
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().context("text")?;
    let lines = text.lines().skip_while(|line| !line.starts_with("<memories ")).skip(1);
    let json: Vec<&str> = lines.take_while(|line| !line.starts_with("</memories ")).collect();
    Ok(Some(serde_json::from_str(&json.join("\n"))?))
}

#[test]
fn a_hook_that_cannot_read_the_file_does_not_say_that_its_code_is_unchanged() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &["check_amount"])?;
    drop(server);
    let state = |root: &Path| -> Result<Value> {
        let mut server = workspace.open("one.db", 1)?;
        server.limbic.set_code_files(Box::new(DiskFiles::below_root(root)));
        let items = shown(&mut server.limbic, "Edit", &workspace.project().join("shop/pay.py"))?;
        Ok(items.context("items")?[0]["symbols"][0]["state"].clone())
    };
    let elsewhere = workspace.project().join("shop");
    ensure!(state(&workspace.project())? == "holds" && state(&elsewhere)? == "unknown");
    workspace.write("shop/pay.py", PAY.replace("> 0", ">= 0"))?;
    ensure!(state(&elsewhere)? == "unknown" && state(&workspace.project())? == "changed");
    ensure!(state(&elsewhere)? == "unknown", "what the index has may be outdated");
    let mut server = workspace.open_without_code("one.db", 1)?;
    let items = shown(&mut server.limbic, "Edit", &workspace.project().join("shop/pay.py"))?;
    let symbols = &items.context("items")?[0]["symbols"];
    ensure!(*symbols == json!([{ "symbol_id": "p:shop/pay.py#check_amount" }]), "{symbols}");
    Ok(())
}

#[test]
fn hooks_before_file_tools_show_the_memories_of_the_file() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are cents", &["check_amount"])?;
    store(&mut server, "n", "Totals are rounded", &["Order.total"])?;
    let file = workspace.project().join("shop/pay.py");
    workspace.write("shop/pay.py", PAY.replace("> 0", ">= 0"))?;
    let shown = |server: &mut Server, tool: &str, file: &Path| shown(&mut server.limbic, tool, file);
    for tool in ["Read", "Edit"] {
        let items = shown(&mut server, tool, &file)?.context(tool.to_owned())?;
        ensure!(items.as_array().map(Vec::len) == Some(2), "{items}");
        let changed = json!([{ "symbol_id": "p:shop/pay.py#check_amount", "state": "changed" }]);
        ensure!(items[0]["id"] == "m" && items[0]["symbols"] == changed, "what changed comes first: {items}");
        ensure!(items[1]["symbols"][0]["state"] == "holds", "{items}");
    }
    ensure!(shown(&mut server, "Read", &workspace.project().join("shop/web.py"))?.is_none(), "another file");
    ensure!(shown(&mut server, "Bash", &file)?.is_none(), "another tool");
    ensure!(shown(&mut server, "Read", &workspace.project().with_file_name("pay.py"))?.is_none(), "outside");
    Ok(())
}

#[test]
fn the_state_of_code_that_could_not_be_read_again_is_unknown() -> Result<()> {
    let (workspace, mut server) = started()?;
    store(&mut server, "m", "Amounts are in cents", &["check_amount"])?;
    store(&mut server, "w", "Orders are shown", &["show"])?;
    expect(&mut server, "m", "before", ("holds", None))?;
    let other = support::connect(&workspace.project().with_file_name("one.db"))?;
    other.execute_batch("BEGIN IMMEDIATE")?;
    workspace.write("shop/pay.py", PAY.replace("amount > 0", "amount > 9"))?;
    expect(&mut server, "m", "while another server writes", ("unknown", None))?;
    expect(&mut server, "w", "a file that has not changed", ("holds", None))?;
    let explored = server.ask("explore_code_memories", &json!({}))?;
    ensure!(explored["total"] == 0 && explored["holding"] == 1, "{explored}");
    other.execute_batch("ROLLBACK")?;
    expect(&mut server, "m", "afterwards", ("changed", None))
}
