//! Clients of one process: each has its own domain, plans and searches; and programs that use the library.

#[path = "sessions/library.rs"]
mod library;

use anyhow::{Context, Result, ensure};
use limbic_code_disk::DiskFiles;
use limbic_core::rusqlite::Connection;
use limbic_tests::{
    START_MILLIS,
    memory::{CountingHost, NoHost, connect},
    memory_file::ask_by_words,
    project,
};
use limbic_tools::{Caller, CallerKind, Limbic, Options, SessionId};
use serde_json::{Value, json};

/// One memory and its clients.
struct Clients(Limbic);

impl Clients {
    fn new() -> Result<Self> {
        limbic_vfs::register_vec0();
        let options = Options {
            toolsets: ["graph", "memory", "domain", "explorer"].map(str::to_owned).to_vec(),
            test_clock: Some(START_MILLIS),
            ..Options::default()
        };
        let host = Box::<CountingHost>::default();
        Ok(Self(Limbic::open(Connection::open_in_memory()?, host, options)?))
    }

    /// Calls a tool as a client. Returns the answer, and whether it is an error.
    fn call(&mut self, client: &str, tool: &str, arguments: &str) -> Result<(bool, Value)> {
        let answer = self.0.enter(&SessionId::from(client)).call(tool, arguments, &[]);
        Ok((answer.is_error, serde_json::from_str(&answer.json)?))
    }

    fn ask(&mut self, client: &str, tool: &str, arguments: &str) -> Result<Value> {
        ask_by_words(self.0.enter(&SessionId::from(client)), tool, &serde_json::from_str(arguments)?)
    }

    fn domain(&mut self, client: &str) -> Result<Value> {
        Ok(self.ask(client, "list_domains", "{}")?["current"].take())
    }
}

#[test]
fn each_client_works_in_its_own_domain() -> Result<()> {
    let mut clients = Clients::new()?;
    clients.ask("ada", "create_domain", r#"{"id": "work"}"#)?;
    clients.ask("bob", "list_domains", "{}")?;
    clients.ask("ada", "select_domain", r#"{"id": "work"}"#)?;
    clients.ask("bob", "memory_store", r#"{"id": "b", "content": "Bob stays where he was"}"#)?;
    clients.ask("ada", "memory_store", r#"{"id": "a", "content": "Ada has moved"}"#)?;
    let stored = clients.ask("cem", "memory_get", r#"{"ids": ["a", "b"]}"#)?;
    ensure!(stored["memories"][0]["domain"] == "work", "{stored}");
    ensure!(stored["memories"][1]["domain"] == "general", "{stored}");
    ensure!(clients.domain("cem")? == "general", "a later client is in Ada's domain");
    clients.0.end_session(&SessionId::from("ada"));
    ensure!(clients.domain("ada")? == "general", "an ended session was continued");
    Ok(())
}

#[test]
fn later_sessions_begin_in_the_default_domain() -> Result<()> {
    let mut clients = Clients::new()?;
    clients.ask("ada", "create_domain", r#"{"id": "work"}"#)?;
    ensure!(clients.domain("bob")? == "general");
    clients.ask("ada", "select_domain", r#"{"id": "work", "as_default": true}"#)?;
    ensure!(clients.domain("cem")? == "work");
    ensure!(clients.domain("bob")? == "general", "an earlier client was moved");
    Ok(())
}

#[test]
fn a_store_after_the_selected_domain_was_deleted_is_refused() -> Result<()> {
    let mut clients = Clients::new()?;
    clients.ask("ada", "create_domain", r#"{"id": "work"}"#)?;
    clients.ask("ada", "select_domain", r#"{"id": "work"}"#)?;
    clients.ask("bob", "delete_domain", r#"{"id": "work"}"#)?;
    for (tool, arguments) in [
        ("memory_store", r#"{"content": "Ada prefers tea"}"#),
        ("memory_recall", r#"{"query": "tea"}"#),
        ("memory_store", r#"{"content": "Ada prefers tea"}"#),
    ] {
        let (is_error, answer) = clients.call("ada", tool, arguments)?;
        ensure!(is_error && answer["code"] == "domain_not_found", "{tool}: {answer}");
        ensure!(answer["error"] == "The selected domain was deleted: work", "{tool}: {answer}");
        ensure!(
            answer["hint"].as_str().is_some_and(|hint| hint.contains("select_domain")),
            "{tool}: {answer}"
        );
    }
    ensure!(clients.domain("ada")? == "work", "the session is in another domain");
    clients.ask("ada", "memory_store", r#"{"id": "a", "content": "Tea at four", "domain": "general"}"#)?;
    clients.ask("ada", "select_domain", r#"{"id": "general"}"#)?;
    clients.ask("ada", "memory_store", r#"{"id": "b", "content": "Ada prefers tea"}"#)?;
    Ok(())
}

#[test]
fn a_session_that_selected_no_domain_follows_the_default() -> Result<()> {
    let mut clients = Clients::new()?;
    clients.ask("bob", "create_domain", r#"{"id": "work"}"#)?;
    ensure!(clients.domain("ada")? == "general");
    clients.ask("bob", "select_domain", r#"{"id": "work", "as_default": true}"#)?;
    clients.ask("bob", "delete_domain", r#"{"id": "general"}"#)?;
    clients.ask("ada", "memory_store", r#"{"id": "a", "content": "Ada prefers tea"}"#)?;
    ensure!(clients.domain("ada")? == "work");
    Ok(())
}

#[test]
fn a_session_continues_in_its_domain_with_another_instance() -> Result<()> {
    let mut clients = Clients::new()?;
    clients.ask("ada", "create_domain", r#"{"id": "work"}"#)?;
    clients.0.enter(&SessionId::from("ada")).resume_domain("work");
    ensure!(clients.domain("ada")? == "work" && clients.domain("bob")? == "general");
    ensure!(clients.0.enter(&SessionId::from("ada")).selected_domain().as_deref() == Some("work"));
    Ok(())
}

#[test]
fn a_plan_is_applied_only_by_the_client_that_was_shown_it() -> Result<()> {
    let mut clients = Clients::new()?;
    let expires = r#"{"id": "x", "content": "Over", "expires_at": "2026-01-01T00:00:05Z"}"#;
    clients.ask("ada", "memory_store", expires)?;
    // Each call takes a second.
    for _ in 0..5 {
        clients.domain("ada")?;
    }
    let plan = clients.ask("ada", "memory_maintain", r#"{"actions": ["expire"]}"#)?;
    let plan_id = plan["plan_id"].as_str().context("nothing is due")?;
    let apply = format!(r#"{{"dry_run": false, "plan_id": "{plan_id}"}}"#);
    let (is_error, answer) = clients.call("bob", "memory_maintain", &apply)?;
    ensure!(is_error && answer["code"] == "invalid_argument", "Bob applied Ada's plan: {answer}");
    let done = clients.ask("ada", "memory_maintain", &apply)?;
    ensure!(done["applied"] == true && done["plan"][0]["id"] == "x", "{done}");
    Ok(())
}

#[test]
fn feedback_belongs_to_the_client_that_searched() -> Result<()> {
    let mut clients = Clients::new()?;
    let ada = r#"{"entities": [{"name": "Ada", "entityType": "Person", "observations": ["Ada climbs in Lisbon"]}]}"#;
    clients.ask("ada", "create_entities", ada)?;
    let found = clients.ask("ada", "search_semantic", r#"{"query": "climbs in Lisbon"}"#)?;
    ensure!(found.to_string().contains("Ada"), "{found}");
    let uses = r#"{"sql": "SELECT count(*), count(DISTINCT session_id) FROM implicit_feedback"}"#;
    let opened = r#"{"names": ["Ada"]}"#;
    clients.ask("bob", "open_nodes", opened)?;
    let report = clients.ask("bob", "query_sql", uses)?;
    ensure!(report["rows"][0][0] == 0, "Bob's access counts for Ada's search: {report}");
    clients.ask("ada", "open_nodes", opened)?;
    let report = clients.ask("ada", "query_sql", uses)?;
    ensure!(report["rows"][0][0] == 1, "Ada's access does not count for her search: {report}");
    Ok(())
}

#[test]
fn a_read_only_session_selects_its_domain_and_lists_due_maintenance() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let options = Options { test_clock: Some(START_MILLIS), ..Options::default() };
    let open =
        |options| Ok::<_, anyhow::Error>(Clients(Limbic::open(connect(&path)?, Box::new(NoHost), options)?));
    let mut writer = open(options.clone())?;
    writer.ask("ada", "create_domain", r#"{"id": "work"}"#)?;
    let expires = r#"{"id": "x", "content": "Over", "expires_at": "2026-01-01T00:00:30Z"}"#;
    writer.ask("ada", "memory_store", expires)?;
    writer.0.close()?;
    let mut reader = open(Options { read_only: true, test_clock: Some(START_MILLIS + 60_000), ..options })?;
    reader.ask("bob", "select_domain", r#"{"id": "work"}"#)?;
    ensure!(reader.domain("bob")? == "work" && reader.domain("cem")? == "general");
    let plan = reader.ask("bob", "memory_maintain", r#"{"actions": ["expire"]}"#)?;
    let plan_id = plan["plan_id"].as_str().context("nothing is due")?;
    let apply = format!(r#"{{"dry_run": false, "plan_id": "{plan_id}"}}"#);
    let default = r#"{"id": "work", "as_default": true}"#;
    // A plan that could not be applied can be applied later.
    for (tool, arguments) in
        [("memory_maintain", apply.as_str()), ("memory_maintain", &apply), ("select_domain", default)]
    {
        let (is_error, answer) = reader.call("bob", tool, arguments)?;
        ensure!(is_error && answer["code"] == "read_only", "{tool}: {answer}");
    }
    Ok(())
}

/// A client of a writable memory may only read, such as one with a read-only token.
#[test]
fn a_read_only_client_of_a_writable_memory_stores_nothing() -> Result<()> {
    let mut clients = Clients::new()?;
    clients.ask("ada", "create_domain", r#"{"id": "work"}"#)?;
    let expires = r#"{"id": "x", "content": "Over", "expires_at": "2026-01-01T00:00:05Z"}"#;
    clients.ask("ada", "memory_store", expires)?;
    for _ in 0..5 {
        clients.domain("ada")?;
    }
    let toolsets = ["memory", "domain"].map(str::to_owned).to_vec();
    let writing = Options { toolsets, ..Options::default() };
    clients.0.set_access(Options { read_only: true, ..writing.clone() });
    let plan = clients.ask("bob", "memory_maintain", r#"{"actions": ["expire"]}"#)?;
    let plan_id = plan["plan_id"].as_str().context("nothing is due")?;
    let apply = format!(r#"{{"dry_run": false, "plan_id": "{plan_id}"}}"#);
    let default = r#"{"id": "work", "as_default": true}"#;
    for (tool, arguments) in [("memory_maintain", apply.as_str()), ("select_domain", default)] {
        let (is_error, answer) = clients.call("bob", tool, arguments)?;
        ensure!(is_error && answer["code"] == "read_only", "{tool}: {answer}");
    }
    clients.ask("bob", "select_domain", r#"{"id": "work"}"#)?;
    ensure!(clients.domain("bob")? == "work", "the session's own domain");
    clients.0.set_access(writing);
    ensure!(clients.domain("cem")? == "general", "a read-only client changed the default");
    clients.ask("cem", "memory_get", r#"{"ids": ["x"]}"#)?;
    clients.ask("ada", "select_domain", default)?;
    ensure!(clients.domain("dan")? == "work", "a writing client is refused after a reading one");
    Ok(())
}

/// With the tools of Memory Graph, the selected domain is stored, and so is what index_project finds.
#[test]
fn a_read_only_client_stores_nothing_with_other_tools() -> Result<()> {
    for (compat, tool, arguments, is_refused) in [
        ("memory-graph", "select_domain", r#"{"id": "work"}"#, false),
        ("memory-mcp-server", "project_info", r#"{"action": "index", "path": "."}"#, true),
    ] {
        limbic_vfs::register_vec0();
        let options = Options {
            compat: Some(compat.to_owned()),
            code: true,
            test_clock: Some(START_MILLIS),
            ..Options::default()
        };
        let limbic =
            Limbic::open(Connection::open_in_memory()?, Box::<CountingHost>::default(), options.clone())?;
        let mut clients = Clients(limbic);
        clients.0.set_code_files(Box::new(DiskFiles::below_root(&project("tests/files"))));
        clients.ask("ada", "create_domain", r#"{"id": "work", "name": "Work", "description": "Jobs"}"#)?;
        clients.0.set_access(Options { read_only: true, ..options.clone() });
        let (is_error, answer) = clients.call("bob", tool, arguments)?;
        ensure!(is_error == is_refused, "{tool}: {answer}");
        ensure!(!is_error || answer["code"] == "read_only", "{tool}: {answer}");
        clients.0.set_access(options);
        let (_, domains) = clients.call("cem", "list_domains", "{}")?;
        ensure!(domains["currentDomain"] != "work" && domains["current"] != "work", "{domains}");
        let (_, projects) = clients.call("cem", "project_info", r#"{"action": "list"}"#)?;
        ensure!(projects["projects"].as_array().is_none_or(Vec::is_empty), "{projects}");
    }
    Ok(())
}

#[test]
fn a_stateless_client_names_its_domain_with_each_call() -> Result<()> {
    let mut clients = Clients::new()?;
    clients.ask("one", "create_domain", r#"{"id": "work"}"#)?;
    let one = SessionId::from("one");
    clients.0.enter_stateless(&one);
    let (is_error, refused) = clients.call("one", "select_domain", r#"{"id": "work"}"#)?;
    ensure!(is_error && refused["code"] == "invalid_argument", "{refused}");
    // A client of any version of the protocol may have no session on a server, even one that was given an id.
    ensure!(!refused.to_string().contains("version"), "{refused}");
    ensure!(clients.domain("one")? == "general");
    clients.ask("one", "memory_store", r#"{"content": "Deploys run on Tuesdays", "domain": "work"}"#)?;
    ensure!(clients.domain("one")? == "general");
    // A default that another client sets applies at once: no earlier default was kept.
    clients.ask("two", "select_domain", r#"{"id": "work", "as_default": true}"#)?;
    ensure!(clients.domain("one")? == "work");
    Ok(())
}

#[test]
fn deletions_are_described_before_confirmation() -> Result<()> {
    let mut clients = Clients::new()?;
    let mut store = |content: &str| -> Result<String> {
        let stored = clients.ask("one", "memory_store", &format!(r#"{{"content": {content:?}}}"#))?;
        Ok(stored["memory"]["id"].as_str().context("an id")?.to_owned())
    };
    let (id, other) = (store("Deploys run on Tuesdays")?, store("They need a review")?);
    clients.ask(
        "one",
        "memory_link",
        &format!(r#"{{"from_id": "{other}", "to_id": "{id}", "type": "supports"}}"#),
    )?;
    for domain in ["work", "empty"] {
        clients.ask("one", "create_domain", &json!({ "id": domain }).to_string())?;
    }
    let caller = Caller { kind: CallerKind::Client, client: "one".into(), ..Caller::default() };
    clients.0.introduce(&SessionId::from("one"), caller);
    clients.ask("one", "memory_store", r#"{"content": "Lunch is at noon", "domain": "work"}"#)?;
    let plan = clients.ask("one", "memory_maintain", r#"{"origin": "client:one"}"#)?["plan_id"].take();
    ensure!(plan.is_string(), "{plan}");
    let mut question = |tool: &str, arguments: &str| clients.0.confirmation(tool, arguments);
    let forget = question("memory_forget", &format!(r#"{{"id": "{id}"}}"#)).context("a question")?;
    ensure!(forget.contains("\"Deploys run on Tuesdays\"") && !forget.contains("other"), "{forget}");
    let cascade = question("memory_forget", &format!(r#"{{"id": "{id}", "cascade": true}}"#));
    ensure!(cascade.is_some_and(|text| text.contains("Another memory that depends on it")));
    let through = format!(r#"{{"name": "memory_forget", "arguments": {{"id": "{id}"}}}}"#);
    ensure!(question("more_tools", &through).is_none(), "a tool that is not offered");
    let delete =
        question("delete_domain", r#"{"id": "work", "move_to": "general"}"#).context("a question")?;
    ensure!(delete.contains("Its memories (1) move to \"general\""), "{delete}");
    ensure!(question("delete_domain", r#"{"id": "empty"}"#).is_some());
    ensure!(question("memory_maintain", &format!(r#"{{"dry_run": false, "plan_id": {plan}}}"#)).is_some());
    let secret = format!(r#"{{"id": "{id}", "reason": "AKIA{}"}}"#, "QYLPMN5HFIQR7XYA");
    for (tool, arguments) in [
        ("memory_forget", r#"{"id": "nothing"}"#),
        ("memory_forget", "{}"),
        ("memory_maintain", "{}"),
        ("memory_forget", &secret),
        ("memory_maintain", r#"{"dry_run": false, "plan_id": "nothing"}"#),
        ("memory_maintain", &format!(r#"{{"dry_run": false, "plan_id": {plan}, "origin": "client:one"}}"#)),
        ("memory_maintain", &format!(r#"{{"dry_run": false, "plan_id": {plan}, "user_id": "ada"}}"#)),
        ("memory_maintain", &format!(r#"{{"plan_id": {plan}}}"#)),
        ("delete_domain", r#"{"id": "nothing", "move_to": "general"}"#),
        ("delete_domain", r#"{"id": "work", "move_to": "nothing"}"#),
        ("delete_domain", r#"{"id": "work", "move_to": "work"}"#),
        ("delete_domain", r#"{"id": "work"}"#),
        ("delete_domain", r#"{"id": "general", "move_to": "work"}"#),
        ("memory_get", r#"{"ids": ["a"]}"#),
        ("no_tool", "{}"),
    ] {
        ensure!(question(tool, arguments).is_none(), "{tool} {arguments}");
    }
    Ok(())
}
