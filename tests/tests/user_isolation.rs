//! User isolation: no call of a client limited to Ada returns or changes a record of Ben, of no owner or of all users.

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{START_MILLIS, memory::CountingHost, memory_file::ask_by_words};
use limbic_tools::{
    Limbic, Options, SessionId, TOOLS, Toolset, prompts_json, resource_templates_json, resources_json,
    tools_json,
};
use serde_json::{Value, json};

/// Words that occur only in records that do not belong to Ada.
const FOREIGN_WORDS: [&str; 3] = ["zebra", "quagga", "okapi"];

/// Ids of memories that do not belong to Ada.
const FOREIGN_IDS: [&str; 5] = ["ben-1", "ben-2", "ben-3", "ben-4", "nobody-1"];

/// The outcome of a call.
#[derive(Debug)]
struct Outcome {
    is_error: bool,
    text: String,
    value: Value,
}

impl Outcome {
    fn code(&self) -> &str {
        self.value["code"].as_str().unwrap_or_default()
    }
}

/// A memory with records of Ada, of Ben and without an owner.
struct Shared(Limbic);

impl Shared {
    fn new() -> Result<Self> {
        limbic_vfs::register_vec0();
        let host = Box::<CountingHost>::default();
        let options = Options { test_clock: Some(START_MILLIS), ..everyone() };
        let mut shared = Self(Limbic::open(Connection::open_in_memory()?, host, options)?);
        shared.fill()?;
        Ok(shared)
    }

    fn fill(&mut self) -> Result<()> {
        self.ask("create_domain", json!({"id": "atlas"}))?;
        let memories = json!({"memories": [
            {"id": "ada-1", "content": "The harbour tests need a release build", "subject": "tests", "user_id": "ada"},
            {"id": "ada-2", "content": "The harbour is closed on Mondays", "user_id": "ada", "tags": ["harbour"]},
            {"id": "ada-3", "content": "The harbour opens at nine", "user_id": "ada",
                "expires_at": "2026-01-01T00:05:00Z"},
            {"id": "ben-1", "content": "The zebra tests need a harbour build", "subject": "zebra", "user_id": "ben",
                "tags": ["zebra", "harbour"], "summary": "zebra", "path": "/zebra", "source": "zebra.md",
                "metadata": {"zebra": 1}},
            {"id": "ben-2", "content": "The zebra is closed on Mondays", "user_id": "ben", "domain": "atlas"},
            {"id": "ben-3", "content": "The zebra opens at nine", "user_id": "ben"},
            {"id": "ben-4", "content": "The zebra has a harbour", "user_id": "ben", "pinned": true, "tier": "l0",
                "expires_at": "2026-01-01T00:05:00Z"},
            {"id": "nobody-1", "content": "The quagga of the harbour has no owner", "tags": ["quagga"]},
        ]});
        self.ask("memory_store", memories)?;
        for (from, to, kind) in [
            ("ada-1", "ben-1", "supports"),
            ("ben-3", "ada-1", "zebra_link"),
            ("ben-1", "ben-3", "refines"),
            ("ada-1", "ada-2", "supports"),
            ("ada-2", "nobody-1", "refines"),
            ("ben-2", "ada-2", "contradicts"),
            ("ben-4", "ada-2", "contradicts"),
        ] {
            self.ask("memory_link", json!({"from_id": from, "to_id": to, "type": kind}))?;
        }
        self.ask("memory_update", json!({"id": "ben-3", "content": "The zebra opens at ten"}))?;
        self.ask("memory_invalidate", json!({"id": "ben-3", "superseded_by": "ben-1", "reason": "zebra"}))?;
        let entities = json!({"entities": [
            {"name": "Okapi", "entityType": "animal", "observations": ["The okapi lives at the harbour"]},
            {"name": "Harbour", "entityType": "place", "observations": ["has an okapi"]},
        ]});
        self.ask("create_entities", entities)?;
        self.ask("add_reflection", json!({"target_type": "session", "content": "okapi"}))?;
        Ok(())
    }

    /// Limits later calls to Ada, or to no user.
    fn limit(&mut self, user: Option<&str>) {
        self.0.set_access(Options { user: user.map(str::to_owned), ..everyone() });
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Outcome> {
        let answer = self.0.call(tool, &arguments.to_string(), &[]);
        self.0.finish()?;
        Ok(Outcome {
            is_error: answer.is_error,
            value: serde_json::from_str(&answer.json)?,
            text: answer.json,
        })
    }

    fn ask(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        let answer = ask_by_words(&mut self.0, tool, &arguments)?;
        self.0.finish()?;
        Ok(answer)
    }

    /// The records that do not belong to Ada, with their access counts, as the lines of a full export that name none of
    /// her memories.
    fn foreign_state(&mut self) -> Result<Vec<String>> {
        self.limit(None);
        let mut bytes = Vec::new();
        self.0.export_as("limbic", &mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        self.limit(Some("ada"));
        let text = String::from_utf8(bytes)?;
        let is_of_ada = |line: &str| line.contains("\"ada") || line.contains("\"limbic\":");
        // The last line counts the records of all.
        let is_count = |line: &str| line.contains("\"record\":\"end\"");
        // A domain's time of the last write is not part of what a user stores.
        let is_kept = |line: &&str| {
            !is_of_ada(line) && !is_count(line) && !line.contains("domain\",") && !line.contains("current")
        };
        Ok(text.lines().filter(is_kept).map(str::to_owned).collect())
    }

    /// Calls a tool as Ada. Asserts that the answer contains no record of others, and that none has changed.
    fn as_ada(&mut self, tool: &str, arguments: &Value) -> Result<Outcome> {
        let before = self.foreign_state()?;
        ensure!(
            before.iter().any(|line| line.contains("zebra"))
                && before.iter().any(|line| line.contains("quagga"))
        );
        let question = self.0.confirmation(tool, &arguments.to_string());
        shows_nothing_foreign(&question.unwrap_or_default(), arguments).context("the question")?;
        let outcome = self.call(tool, arguments)?;
        shows_nothing_foreign(&outcome.text, arguments)?;
        let after = self.foreign_state()?;
        let changed: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
        ensure!(
            before == after,
            "changed: {changed:?}, {} lines before, {} after",
            before.len(),
            after.len()
        );
        Ok(outcome)
    }
}

fn everyone() -> Options {
    let toolsets = ["all", "more", "explorer"].map(str::to_owned).to_vec();
    Options { toolsets, ..Options::default() }
}

/// Asserts that a text contains no words and ids of others, apart from ids in the arguments.
fn shows_nothing_foreign(text: &str, arguments: &Value) -> Result<()> {
    let (folded, given) = (text.to_lowercase(), arguments.to_string().to_lowercase());
    for word in FOREIGN_WORDS.iter().chain(&FOREIGN_IDS) {
        ensure!(!folded.contains(word) || given.contains(word), "{arguments} shows {word}: {text}");
    }
    Ok(())
}

/// Attempts to reach records of others, for each tool that Ada may call, with the code of the expected error, if any.
fn attempts() -> Vec<(&'static str, Value, Option<&'static str>)> {
    let mut attempts = vec![
        (
            "memory_store",
            json!({"content": "A new one", "relationships": {"supports": [{"targetId": "ben-1"}]}}),
            Some("memory_not_found"),
        ),
        (
            "memory_store",
            json!({"content": "A new one", "relationships": {"supersedes": [{"targetId": "nobody-1"}]}}),
            Some("memory_not_found"),
        ),
        ("memory_store", json!({"content": "Another", "id": "ben-1"}), Some("conflict")),
        (
            "memory_store",
            json!({"content": "The zebra tests need a harbour build", "subject": "zebra"}),
            None,
        ),
        ("memory_store", json!({"content": "About the harbour", "entities": ["Harbour"]}), Some("forbidden")),
        (
            "memory_store",
            json!({"memories": [{"content": "One"}, {"content": "Two", "user_id": "ben"}]}),
            Some("forbidden"),
        ),
        ("memory_store", json!({"memories": [{"content": "One", "entities": ["Okapi"]}]}), Some("forbidden")),
        ("memory_store", json!({"content": "About code", "symbols": ["total"]}), Some("forbidden")),
        ("memory_store", json!({"memories": [{"content": "One", "symbols": ["total"]}]}), Some("forbidden")),
        ("memory_recall", json!({"query": "harbour", "include_code": true}), Some("forbidden")),
        ("memory_store", json!({"memories": [{"content": "The quagga of the harbour has no owner"}]}), None),
        ("memory_get", json!({"ids": FOREIGN_IDS}), None),
        ("memory_get", json!({"ids": ["ada-1", "ada-2"]}), None),
        ("memory_update", json!({"id": "ben-1", "content": "Mine"}), Some("memory_not_found")),
        ("memory_update", json!({"id": "nobody-1", "content": "Mine"}), Some("memory_not_found")),
        ("memory_update", json!({"id": "ada-1", "user_id": ""}), Some("forbidden")),
        (
            "memory_update",
            json!({"id": "ada-1", "relationships": {"contradicts": [{"targetId": "ben-1"}]}}),
            Some("memory_not_found"),
        ),
        ("memory_update", json!({"id": "ada-1", "entities": ["Okapi"]}), Some("forbidden")),
        ("memory_update", json!({"id": "ada-1", "symbols": ["total"]}), Some("forbidden")),
        ("memory_invalidate", json!({"id": "ben-1"}), Some("memory_not_found")),
        ("memory_invalidate", json!({"id": "ada-1", "superseded_by": "ben-1"}), Some("memory_not_found")),
        ("memory_forget", json!({"id": "ben-2"}), Some("memory_not_found")),
        ("memory_forget", json!({"id": "nobody-1", "cascade": true}), Some("memory_not_found")),
        (
            "memory_link",
            json!({"from_id": "ada-1", "to_id": "ben-2", "type": "supersedes"}),
            Some("memory_not_found"),
        ),
        (
            "memory_link",
            json!({"from_id": "ben-1", "to_id": "ada-1", "type": "contradicts"}),
            Some("memory_not_found"),
        ),
        (
            "memory_link",
            json!({"from_id": "ada-1", "to_id": "ben-1", "type": "supports", "remove": true}),
            Some("memory_not_found"),
        ),
        ("memory_traverse", json!({"start_id": "ben-1"}), Some("memory_not_found")),
        (
            "memory_traverse",
            json!({"start_id": "ada-1", "max_depth": 5, "follow_domains": true, "include_expired": true}),
            None,
        ),
        ("memory_traverse", json!({"domain": "atlas"}), None),
        ("memory_diagram", json!({"start_id": "nobody-1"}), Some("memory_not_found")),
        ("memory_diagram", json!({"start_id": "ada-2", "max_depth": 5, "follow_domains": true}), None),
        ("memory_maintain", json!({}), None),
        ("memory_maintain", json!({"origin": "client:limbic-tests"}), None),
        ("list_domains", json!({}), None),
        ("create_domain", json!({"id": "borealis"}), None),
        ("select_domain", json!({"id": "atlas"}), None),
        ("select_domain", json!({"id": "general", "as_default": true}), Some("forbidden")),
        ("delete_domain", json!({"id": "atlas", "move_to": "general"}), Some("forbidden")),
        ("more_tools", json!({}), None),
        ("more_tools", json!({"name": "create_entities"}), Some("unknown_tool")),
        ("more_tools", json!({"name": "read_graph", "arguments": {}}), Some("forbidden")),
        (
            "more_tools",
            json!({"name": "query_sql", "arguments": {"sql": "SELECT content FROM MEMORY_NODES"}}),
            Some("forbidden"),
        ),
        (
            "more_tools",
            json!({"name": "memory_forget", "arguments": {"id": "ben-1"}}),
            Some("memory_not_found"),
        ),
        ("more_tools", json!({"name": "memory_list", "arguments": {"user_id": "ben"}}), Some("forbidden")),
    ];
    for arguments in [
        json!({"query": "zebra", "domain": "*"}),
        json!({"query": "the harbour", "domain": "*", "detail": "full", "explain": true, "include_contradicted": true}),
        json!({"query": "the harbour", "include_expired": true, "as_of": "2026-01-01T00:01:00Z"}),
        json!({"query": "harbour", "strategy": "content", "domain": "*", "include_expired": true}),
        json!({"strategy": "recent", "domain": "*", "include_expired": true, "limit": 100}),
        json!({"strategy": "tag", "tags": ["harbour"], "domain": "*"}),
        json!({"strategy": "path", "path": "/", "domain": "*", "include_contradicted": true}),
        json!({"strategy": "related", "start_id": "ada-1", "domain": "*"}),
        json!({"domain": "*", "limit": 100}),
    ] {
        attempts.push(("memory_recall", arguments, None));
    }
    attempts.push((
        "memory_recall",
        json!({"strategy": "related", "start_id": "ben-1"}),
        Some("memory_not_found"),
    ));
    attempts.push((
        "memory_recall",
        json!({"query": "x", "relation_types": ["no_such_type"]}),
        Some("invalid_argument"),
    ));
    for arguments in [
        json!({"domain": "*", "limit": 1000, "include_expired": true}),
        json!({"domain": "*", "as_of": "2026-01-01T00:00:30Z", "include_expired": true}),
        json!({"domain": "*", "sort": "access", "cursor": "access.i0.9"}),
        json!({"domain": "*", "tier": "l0"}),
    ] {
        attempts.push(("memory_list", arguments, None));
    }
    attempts
}

#[test]
fn no_tool_reaches_records_of_others() -> Result<()> {
    for (tool, arguments, code) in attempts() {
        let mut shared = Shared::new()?;
        shared.limit(Some("ada"));
        let outcome = shared.as_ada(tool, &arguments).with_context(|| format!("{tool} {arguments}"))?;
        ensure!(
            outcome.is_error == code.is_some() && outcome.code() == code.unwrap_or_default(),
            "{tool} {arguments}: {}",
            outcome.text
        );
    }
    Ok(())
}

#[test]
fn scores_and_times_tell_a_user_nothing_of_others() -> Result<()> {
    let recall = json!({"query": "the harbour", "domain": "*", "explain": true});
    let is_scored = |found: &Value, field: &str| {
        let memories = found["memories"].as_array();
        memories.is_some_and(|list| list.iter().any(|memory| memory.get(field).is_some()))
    };
    let mut shared = Shared::new()?;
    let (found, domains) =
        (shared.ask("memory_recall", recall.clone())?, shared.ask("list_domains", json!({}))?);
    shared.limit(Some("ada"));
    let of_ada = shared.ask("memory_recall", recall)?;
    ensure!(of_ada["memories"].as_array().is_some_and(|list| !list.is_empty()), "{of_ada}");
    for field in ["score", "vector_score", "bm25_score", "ppr_score", "explanation"] {
        ensure!(is_scored(&found, field) && !is_scored(&of_ada, field), "{field}: {of_ada}");
    }
    let of_ada = shared.ask("list_domains", json!({}))?;
    for index in 0..2 {
        ensure!(domains["domains"][index]["last_access"].is_string(), "{domains}");
        ensure!(of_ada["domains"][index].get("last_access").is_none(), "{of_ada}");
    }
    Ok(())
}

#[test]
fn every_tool_is_attempted_and_accepts_a_user() -> Result<()> {
    for tool in TOOLS.iter().filter(|tool| tool.toolset == Toolset::Memory) {
        let arguments = &(tool.input)().as_value()["properties"];
        ensure!(arguments.get("user_id").is_some(), "{} takes no user_id", tool.name);
    }
    let tried = attempts();
    for tool in TOOLS.iter().filter(|tool| tool.has_users()) {
        ensure!(tried.iter().any(|(name, _, _)| *name == tool.name), "{} is not tried", tool.name);
    }
    Ok(())
}

#[test]
fn tools_for_records_without_owners_are_neither_offered_nor_called() -> Result<()> {
    let mut shared = Shared::new()?;
    shared.limit(Some("ada"));
    let offered = tools_json(&Options { user: Some("ada".into()), code: true, ..everyone() });
    let offered: Vec<Value> = serde_json::from_str(&offered)?;
    for tool in TOOLS.iter().filter(|tool| !tool.has_users()) {
        ensure!(!offered.iter().any(|other| other["name"] == tool.name), "{} is offered", tool.name);
        let example: Value = serde_json::from_str(tool.example)?;
        for (name, arguments) in
            [(tool.name, example.clone()), ("more_tools", json!({"name": tool.name, "arguments": example}))]
        {
            let outcome = shared.as_ada(name, &arguments).with_context(|| tool.name)?;
            // This program reads no source code.
            let is_of_code = tool.toolset == Toolset::Code || tool.needs_code;
            let code = if is_of_code { "unknown_tool" } else { "forbidden" };
            ensure!(outcome.is_error && outcome.code() == code, "{}: {}", tool.name, outcome.text);
        }
    }
    Ok(())
}

#[test]
fn an_argument_that_names_another_user_is_refused() -> Result<()> {
    let mut shared = Shared::new()?;
    shared.limit(Some("ada"));
    for tool in TOOLS.iter().filter(|tool| tool.toolset == Toolset::Memory) {
        for other in ["ben", "Ada"] {
            let mut arguments: Value = serde_json::from_str(tool.example)?;
            arguments["user_id"] = other.into();
            let outcome = shared.as_ada(tool.name, &arguments).with_context(|| tool.name)?;
            ensure!(
                outcome.is_error && outcome.code() == "forbidden",
                "{} as {other}: {}",
                tool.name,
                outcome.text
            );
            ensure!(outcome.text.contains("ada") && outcome.text.contains("--user"), "{}", outcome.text);
        }
    }
    Ok(())
}

#[test]
fn stored_records_belong_to_the_user() -> Result<()> {
    let mut shared = Shared::new()?;
    shared.limit(Some("ada"));
    shared.ask("memory_store", json!({"id": "one", "content": "Boats sail at dawn"}))?;
    shared.ask("memory_store", json!({"memories": [{"id": "two", "content": "Boats return at dusk"}]}))?;
    shared.ask("memory_update", json!({"id": "one", "content": "Boats sail at six"}))?;
    let found = shared.ask("memory_recall", json!({"query": "boats", "detail": "full"}))?;
    let found = found["memories"].as_array().context("memories")?;
    ensure!(found.len() == 2 && found.iter().all(|memory| memory["user_id"] == "ada"), "{found:?}");
    ensure!(shared.ask("memory_get", json!({"ids": ["ada-1"]}))?["memories"][0]["id"] == "ada-1");
    let listed = shared.ask("memory_list", json!({"domain": "*", "include_expired": true}))?;
    ensure!(listed["total"] == 5, "{listed}");
    let domains = shared.ask("list_domains", json!({}))?;
    ensure!(domains["domains"][0]["memories"] == 0 && domains["domains"][1]["memories"] == 5, "{domains}");
    Ok(())
}

#[test]
fn a_plan_is_applied_only_for_the_user_it_was_made_for() -> Result<()> {
    let mut shared = Shared::new()?;
    // Beyond the expiry of a memory of Ada and one of Ben.
    for _ in 0..400 {
        shared.ask("list_domains", json!({}))?;
    }
    let plan_of_all = shared.ask("memory_maintain", json!({"actions": ["expire"]}))?;
    shared.limit(Some("ada"));
    let plan_id = &plan_of_all["plan_id"];
    ensure!(plan_id.is_string(), "{plan_of_all}");
    let outcome = shared.as_ada("memory_maintain", &json!({"dry_run": false, "plan_id": plan_id}))?;
    ensure!(outcome.code() == "invalid_argument", "a plan for all memories was applied: {}", outcome.text);
    let plan = shared.as_ada("memory_maintain", &json!({"actions": ["expire"]}))?.value;
    ensure!(
        plan["plan"].as_array().is_some_and(|lines| lines.len() == 1) && plan["plan"][0]["id"] == "ada-3",
        "{plan}"
    );
    let done =
        shared.as_ada("memory_maintain", &json!({"dry_run": false, "plan_id": plan["plan_id"]}))?.value;
    ensure!(done["applied"] == true && done["plan"][0]["id"] == "ada-3", "{done}");
    Ok(())
}

#[test]
fn prompts_completions_and_resources_keep_to_the_user() -> Result<()> {
    let mut shared = Shared::new()?;
    let options = Options { user: Some("ada".into()), ..everyone() };
    ensure!(resources_json(&options) == "[]" && resource_templates_json(&options) == "[]");
    ensure!(!prompts_json(&options).contains("user_id"), "{}", prompts_json(&options));
    shared.limit(Some("ada"));
    let nothing = json!({});
    for (name, arguments) in [
        ("recall-context", r#"{"domain": "*"}"#),
        ("recall-context", r#"{"domain": "*", "topic": "harbour", "user_id": "ada"}"#),
        ("review-memories", r#"{"domain": "*"}"#),
    ] {
        let prompt = shared.0.prompt(name, arguments);
        ensure!(!prompt.is_error && prompt.json.contains("harbour"), "{}", prompt.json);
        shows_nothing_foreign(&prompt.json, &nothing)?;
    }
    for name in ["recall-context", "save-session", "review-memories"] {
        let prompt = shared.0.prompt(name, r#"{"user_id": "ben"}"#);
        ensure!(prompt.is_error && prompt.json.contains("forbidden"), "{name}: {}", prompt.json);
    }
    for (template, part, begun, known) in [
        ("prompt:recall-context", "tag", "", ""),
        ("prompt:recall-context", "entity", "", ""),
        ("prompt:recall-context", "domain", "", ""),
        ("prompt:recall-context", "category", "", r#"{"domain": "*"}"#),
        ("memory://entity/{name}", "name", "", ""),
    ] {
        let found = shared.0.complete(template, part, begun, known);
        ensure!(!found.is_error, "{}", found.json);
        shows_nothing_foreign(&found.json, &nothing)?;
        ensure!(!found.json.contains("atlas") && !found.json.contains("Harbour"), "{part}: {}", found.json);
    }
    let found = shared.0.complete("prompt:recall-context", "tag", "", r#"{"user_id": "ben"}"#);
    ensure!(found.is_error && found.json.contains("forbidden"), "{}", found.json);
    let listed: Vec<Value> = serde_json::from_str(&resources_json(&everyone()))?;
    ensure!(listed.len() == 2);
    for resource in &listed {
        let read = shared.0.read_resource(resource["uri"].as_str().context("uri")?);
        ensure!(read.is_error && read.json.contains("forbidden"), "{}", read.json);
    }
    Ok(())
}

#[test]
fn exports_the_audit_log_and_hooks_keep_to_the_user() -> Result<()> {
    let mut shared = Shared::new()?;
    shared.limit(Some("ada"));
    let nothing = json!({});
    for format in ["limbic", "memory-mcp-server"] {
        let mut bytes = Vec::new();
        shared.0.export_as(format, &mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        let text = String::from_utf8(bytes)?;
        ensure!(text.contains("harbour is closed"), "{text}");
        shows_nothing_foreign(&text, &nothing)?;
    }
    ensure!(shared.0.export_of(Some("ben"), "limbic", &mut |_| Ok(())).is_err());
    ensure!(shared.0.export_as("jsonl", &mut |_| Ok(())).is_err(), "the graph was exported");
    ensure!(
        shared.0.export().is_err() && shared.0.reading_copy(&[]).is_err(),
        "the whole database was exported"
    );
    let lines = shared.0.audit(None, None, None, 1000);
    ensure!(!lines.is_error && lines.json.contains("ada-1"), "{}", lines.json);
    shows_nothing_foreign(&lines.json, &nothing)?;
    ensure!(
        shared.0.audit(None, Some("ben"), None, 10).is_error
            && shared.0.audit(Some("ben-1"), None, None, 10).json == "[]"
    );
    shared.0.enter(&SessionId::from("hook"));
    for (hook, event) in [
        ("session-start", json!({"cwd": "/srv/atlas", "session_id": "s"})),
        (
            "user-prompt-submit",
            json!({"cwd": "/srv/atlas", "session_id": "s", "prompt": "When is the harbour closed?"}),
        ),
    ] {
        let told = shared.0.hook(hook, &event.to_string(), None)?.unwrap_or_default();
        shows_nothing_foreign(&told, &nothing)?;
    }
    Ok(())
}

#[test]
fn tools_without_users_are_refused_at_the_start() -> Result<()> {
    limbic_vfs::register_vec0();
    let named = |name: &str| vec![name.to_owned()];
    for (options, word) in [
        (Options { compat: Some("server-memory".into()), ..Options::default() }, "compat"),
        (Options { compat: Some("memory-graph".into()), ..Options::default() }, "compat"),
        (Options { toolsets: named("graph"), ..Options::default() }, "graph"),
        (Options { toolsets: named("explorer"), ..Options::default() }, "explorer"),
    ] {
        let options = Options { user: Some("ada".into()), ..options };
        let opened = Limbic::open(Connection::open_in_memory()?, Box::<CountingHost>::default(), options);
        let error = opened.err().context("it was opened")?.to_string();
        ensure!(error.contains(word) && error.contains("ada"), "{error}");
    }
    Ok(())
}
