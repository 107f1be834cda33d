//! Names that are added behind the index: the first question about one finds it.

use std::cell::Cell;
use std::fs;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use limbic_code_disk::DiskFiles;
use serde_json::{Value, json};

use crate::support::{ChangingFiles, Server, Workspace};
use crate::{BASE, equals_fresh, search, started};

fn indexed() -> Result<(Workspace, Server)> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    Ok((workspace, server))
}

fn total(server: &mut Server, name: &str) -> Result<Value> {
    Ok(server.ask("search_symbols", &json!({ "query": name }))?["total"].clone())
}

#[test]
fn the_first_question_about_a_new_name_finds_it() -> Result<()> {
    let (workspace, mut server) = indexed()?;
    workspace.write("app/base.py", format!("{BASE}\ndef added():\n    return helper()\n"))?;
    ensure!(search(&mut server, "added")?[0]["file_path"] == "app/base.py");
    workspace.write("lib/fresh.py", "def brand_new():\n    pass\n")?;
    ensure!(total(&mut server, "brand_new")? == 1);
    workspace.write("lib/other.py", "def another():\n    pass\n")?;
    let graph = json!({ "symbol_id": "p:lib/other.py#another", "action": "callers" });
    ensure!(server.ask("symbol_graph", &graph)?["nodes"][0]["name"] == "another");
    workspace.write("lib/line.py", "def by_line():\n    pass\n")?;
    let graph = json!({ "file_path": "lib/line.py", "line": 1, "action": "callers" });
    ensure!(server.ask("symbol_graph", &graph)?["nodes"][0]["name"] == "by_line");
    let status = server.ask("get_index_status", &json!({ "project_id": "p" }))?;
    ensure!(status["pending_files"] == 0 && status["total_files"] == 9, "{status}");
    server.index_pending()?;
    equals_fresh(&workspace, "fresh.db", "after the questions")
}

#[test]
fn a_result_in_the_index_does_not_hide_new_ones() -> Result<()> {
    let (workspace, mut server) = indexed()?;
    workspace.write("lib/more.py", "from app.base import helper\n\ndef more():\n    return helper()\n")?;
    let graph =
        server.ask("symbol_graph", &json!({ "symbol_id": "p:app/base.py#helper", "action": "callers" }))?;
    ensure!(graph["edges"].as_array().is_some_and(|edges| edges.len() == 2), "{graph}");
    workspace.write("lib/helper.py", "def helper_of_all():\n    pass\n")?;
    ensure!(total(&mut server, "helper")? == 2);
    workspace.write("lib/third.py", "def third_helper():\n    return 'help'\n")?;
    let paths = search(&mut server, "helper")?;
    ensure!(paths.iter().any(|hit| hit["file_path"] == "lib/third.py"), "{paths:?}");
    workspace.remove("lib/third.py")?;
    workspace.remove("lib/more.py")?;
    ensure!(total(&mut server, "third_helper")? == 0);
    equals_fresh(&workspace, "fresh.db", "after the questions")
}

#[test]
fn an_answer_whose_files_could_not_all_be_compared_says_so() -> Result<()> {
    let (workspace, mut server) = indexed()?;
    for query in ["helper", "nowhere"] {
        let found = server.ask("search_symbols", &json!({ "query": query }))?;
        ensure!(found["unchecked_seconds"].is_null(), "{found}");
    }
    server.limbic.set_code_files(Box::new(ChangingFiles {
        disk: DiskFiles::below_root(&workspace.project()),
        limit: Some(3),
        has_threads: false,
        walked: || {},
        read: |_: &str| {},
    }));
    for query in ["helper", "nowhere"] {
        let found = server.ask("search_symbols", &json!({ "query": query }))?;
        ensure!(found["unchecked_seconds"].is_number(), "{found}");
    }
    Ok(())
}

#[test]
fn a_work_tree_that_appears_above_a_project_brings_its_rules() -> Result<()> {
    let (workspace, mut server) = indexed()?;
    workspace.write("lib/made.py", "def made():\n    pass\n")?;
    let above = workspace.project().parent().context("a folder above")?.to_owned();
    fs::write(above.join(".gitignore"), "made.py\n")?;
    ensure!(total(&mut server, "made")? == 1, "the rules of a folder that is no work tree do not count");
    fs::create_dir(above.join(".git"))?;
    ensure!(total(&mut server, "made")? == 0);
    fs::remove_dir(above.join(".git"))?;
    ensure!(total(&mut server, "made")? == 1);
    Ok(())
}

/// A server whose clock is an hour ahead, so that it trusts the times of files, and for which a walk takes long.
fn with_slow_walks(workspace: &Workspace) -> Result<Server> {
    let now = SystemTime::now() + Duration::from_secs(3600);
    let millis = now.duration_since(SystemTime::UNIX_EPOCH)?.as_millis();
    let clock = Rc::new(Cell::new(i64::try_from(millis)?));
    let mut server = workspace.open_at("one.db", &clock)?;
    server.limbic.set_code_files(Box::new(ChangingFiles {
        disk: DiskFiles::below_root(&workspace.project()),
        limit: None,
        has_threads: false,
        walked: move || clock.set(clock.get() + 5_000),
        read: |_: &str| {},
    }));
    server.index(&workspace.project())?;
    Ok(server)
}

fn callers_of_helper(server: &mut Server) -> Result<Vec<Value>> {
    let callers = json!({ "symbol_id": "p:app/base.py#helper", "action": "callers" });
    let graph = server.ask("symbol_graph", &callers)?;
    ensure!(graph["pending_files"] == 0 && graph["unchecked_seconds"].is_null(), "{graph}");
    let edges = graph["edges"].as_array().context("edges")?;
    Ok(edges.iter().map(|edge| edge["file_path"].clone()).collect())
}

#[test]
fn results_of_other_files_are_current_although_walks_are_slow() -> Result<()> {
    let workspace = started()?;
    let mut server = with_slow_walks(&workspace)?;
    ensure!(callers_of_helper(&mut server)? == ["app/base.py"]);
    let calling = "from app.base import helper\n\ndef main():\n    return helper()\n";
    workspace.write("main.py", calling)?;
    ensure!(callers_of_helper(&mut server)? == ["app/base.py", "main.py"], "a changed file");
    workspace.write("lib/more.py", calling)?;
    ensure!(callers_of_helper(&mut server)? == ["app/base.py", "lib/more.py", "main.py"], "a new folder");
    workspace.write("lib/again.py", calling)?;
    ensure!(callers_of_helper(&mut server)?.len() == 4, "a new file");
    fs::rename(workspace.project().join("lib"), workspace.project().join("out"))?;
    ensure!(callers_of_helper(&mut server)? == ["app/base.py", "main.py", "out/again.py", "out/more.py"]);
    workspace.write(".gitignore", "out/\n")?;
    ensure!(callers_of_helper(&mut server)? == ["app/base.py", "main.py"], "an ignore rule");
    workspace.write("main.py", "def helper_of_main():\n    pass\n")?;
    ensure!(total(&mut server, "helper")? == 2);
    let paths = search(&mut server, "helper")?;
    ensure!(paths.iter().any(|hit| hit["file_path"] == "main.py"), "{paths:?}");
    workspace.remove("main.py")?;
    workspace.write("main.py", "def third_helper():\n    pass\n")?;
    ensure!(total(&mut server, "helper")? == 2 && total(&mut server, "third_helper")? == 1, "replaced");
    equals_fresh(&workspace, "fresh.db", "after the questions")
}

#[test]
fn files_of_a_work_tree_around_the_project_are_compared_too() -> Result<()> {
    let workspace = started()?;
    let root = workspace.project();
    fs::create_dir_all(root.with_file_name(".git"))?;
    let mut server = with_slow_walks(&workspace)?;
    ensure!(total(&mut server, "main")? == 1);
    fs::write(root.with_file_name(".gitignore"), "main.py\n")?;
    ensure!(total(&mut server, "main")? == 0);
    Ok(())
}

#[test]
fn a_memory_is_linked_to_a_symbol_of_a_new_file() -> Result<()> {
    let (workspace, mut server) = indexed()?;
    workspace.write("lib/fresh.py", "def brand_new():\n    pass\n")?;
    let stored = server.ask(
        "memory_store",
        &json!({ "content": "The import starts there", "symbols": ["lib/fresh.py#brand_new"] }),
    )?;
    ensure!(stored.to_string().contains("p:lib/fresh.py#brand_new"), "{stored}");
    Ok(())
}

#[test]
fn files_that_no_step_has_read_yet_are_counted() -> Result<()> {
    let (workspace, mut server) = indexed()?;
    for number in 0..450 {
        workspace.write(&format!("f{number}.py"), format!("def f{number}():\n    pass\n"))?;
    }
    let found = server.ask("search_symbols", &json!({ "query": "nowhere" }))?;
    ensure!(found["total"] == 0 && found["pending_files"] == 250, "{found}");
    server.index_pending()?;
    let found = server.ask("search_symbols", &json!({ "query": "nowhere" }))?;
    ensure!(found["pending_files"] == 0, "{found}");
    equals_fresh(&workspace, "fresh.db", "after the next steps")
}

#[test]
fn ignore_rules_and_patterns_apply_to_new_files() -> Result<()> {
    let workspace = started()?;
    workspace.write(".gitignore", "made/\n")?;
    let mut server = workspace.open("one.db", 1)?;
    let arguments =
        json!({ "path": workspace.project(), "project_id": "p", "wait": true, "exclude": ["*.tmp.py"] });
    server.ask("index_project", &arguments)?;
    for path in ["made/a.py", "b.tmp.py"] {
        workspace.write(path, "def hidden():\n    pass\n")?;
        let callers = json!({ "symbol_id": format!("p:{path}#hidden"), "action": "callers" });
        server.refused("symbol_graph", &callers)?;
    }
    ensure!(total(&mut server, "hidden")? == 0);
    workspace.write(".gitignore", "app/\n")?;
    ensure!(total(&mut server, "main")? == 1 && total(&mut server, "greet")? == 0, "a rule is added");
    Ok(())
}

#[test]
fn a_full_disk_is_an_error_only_where_the_answer_would_lack_something() -> Result<()> {
    let (workspace, server) = indexed()?;
    drop(server);
    for number in 0..100 {
        workspace.write(&format!("f{number}.py"), format!("def f{number}():\n    pass\n"))?;
    }
    let mut server = workspace.open_nearly_full("one.db", 1, 1)?;
    ensure!(total(&mut server, "helper")? == 1);
    let error = server.refused("search_symbols", &json!({ "query": "f7" }))?;
    ensure!(error.contains("disk_full"), "{error}");
    Ok(())
}

#[test]
fn a_folder_that_is_gone_takes_nothing_from_the_answers() -> Result<()> {
    let (workspace, mut server) = indexed()?;
    fs::rename(workspace.project(), workspace.project().with_file_name("away"))?;
    ensure!(total(&mut server, "nowhere")? == 0 && total(&mut server, "helper")? == 1);
    let status = server.ask("get_index_status", &json!({ "project_id": "p" }))?;
    status["total_files"].as_u64().filter(|files| *files == 6).context("files")?;
    Ok(())
}

#[test]
fn a_read_only_server_answers_from_the_index() -> Result<()> {
    let (workspace, server) = indexed()?;
    drop(server);
    let before = workspace.rows("one.db")?;
    workspace.write("lib/fresh.py", "def brand_new():\n    pass\n")?;
    let mut server = workspace.open_read_only("one.db", 2)?;
    ensure!(total(&mut server, "brand_new")? == 0);
    let found = server.ask("search_symbols", &json!({ "query": "helper" }))?;
    ensure!(found["total"] == 1 && found["unchecked_seconds"].is_number(), "{found}");
    server
        .refused("symbol_graph", &json!({ "symbol_id": "p:lib/fresh.py#brand_new", "action": "callers" }))?;
    ensure!(workspace.rows("one.db")? == before);
    Ok(())
}

#[test]
fn a_search_under_its_original_name_tells_what_it_omits() -> Result<()> {
    let workspace = Workspace::new()?;
    let body = "    amount = amount + 1  # one more, and some words\n".repeat(40);
    for number in 0..50 {
        workspace.write(&format!("f{number}.py"), format!("def add_{number}(amount):\n{body}"))?;
    }
    workspace.open("one.db", 1)?.index(&workspace.project())?;
    let mut server = workspace.open_compatible("one.db", "memory-mcp-server")?;
    let answer =
        server.ask("recall_code", &json!({ "query": "amount", "limit": 50, "vectorWeight": 0.0 }))?;
    let (count, omitted) = (answer["count"].as_u64(), answer["omitted"].as_u64());
    ensure!(
        count.zip(omitted).is_some_and(|(count, omitted)| omitted > 0 && count + omitted == 50),
        "{answer}"
    );
    Ok(())
}
