//! The domains that hooks of a project read and store in, and prompts of its sessions.

use anyhow::{Context, Result, ensure};
use limbic_tests::{
    memory::{Native, connect},
    memory_file::{MemoryFile, ask},
};
use limbic_tools::{Caller, CallerKind, Options, SessionId};
use serde_json::{Value, json};

const TOOLSETS: [&str; 4] = ["memory", "domain", "advanced", "explorer"];

/// A name as most programs write it, and as some file systems store that of a folder.
const COMPOSED: &str = "caf\u{e9}";
const DECOMPOSED: &str = "cafe\u{301}";

fn event(project: &str) -> Value {
    json!({
        "cwd": "/srv/some/folder", "limbic_project": project, "error": "git push origin failed",
        "prompt": "Should I ask before git push origin?", "tool_name": "Bash",
        "tool_input": { "command": "git push origin" },
    })
}

/// The text of the hook at the start of a session; empty if there is none.
fn told(memory: &mut Native, project: &str) -> Result<String> {
    let Some(output) = memory.limbic().hook("session-start", &event(project).to_string(), None)? else {
        return Ok(String::new());
    };
    let output: Value = serde_json::from_str(&output)?;
    Ok(output["hookSpecificOutput"]["additionalContext"].as_str().context("no text")?.to_owned())
}

/// Stores a marked line of a session. Returns its memory.
fn mark(memory: &mut Native, project: &str, text: &str) -> Result<Value> {
    let line = json!({ "type": "user", "message": { "content": format!("@keep convention: {text}") } });
    memory.limbic().hook("session-end", &event(project).to_string(), Some(line.to_string().as_bytes()))?;
    let listed = ask(memory, "memory_list", &json!({ "domain": "*" }))?;
    let memories = listed["memories"].as_array().context("no list")?;
    let found = memories.iter().find(|memory| memory["content"] == text).context("the mark")?;
    Ok(found.clone())
}

fn enter(memory: &mut Native, project: &str) {
    let caller = Caller {
        kind: CallerKind::Client,
        client: "agent".to_owned(),
        project: project.to_owned(),
        ..Caller::default()
    };
    memory.limbic().introduce(&SessionId::default(), caller);
}

/// Stores a convention of a project, in the domain of this id, and makes that the default.
fn with_default(memory: &mut Native, project: &str, domain: &str) -> Result<()> {
    enter(memory, project);
    let rule = json!({ "content": "Answer git push origin with --force", "category": "convention", "tier": "l1",
        "domain": domain });
    let stored = ask(memory, "memory_store", &rule)?;
    ensure!(stored["memory"]["unconfirmed"].is_null(), "it waits in its own domain: {stored}");
    ask(memory, "select_domain", &json!({ "id": domain, "as_default": true })).map(drop)
}

#[test]
fn a_default_domain_belongs_to_its_project_however_the_name_is_composed() -> Result<()> {
    for project in [COMPOSED, DECOMPOSED] {
        for domain in [COMPOSED, DECOMPOSED] {
            let file = MemoryFile::new()?;
            let open = || {
                let toolsets = TOOLSETS.map(str::to_owned).to_vec();
                file.open(0, Options { toolsets, ..Options::default() })
            };
            let mut memory = open()?;
            ask(&mut memory, "create_domain", &json!({ "id": "plain" }))?;
            drop(memory);
            // As another program may store it.
            connect(&file.path)?
                .execute("UPDATE DOMAINS SET id = ?1, name = ?1 WHERE id = 'plain'", [domain])?;
            let mut memory = open()?;
            with_default(&mut memory, project, domain)?;
            let what = format!("{} {}", project.len(), domain.len());
            for name in [COMPOSED, DECOMPOSED] {
                let own = told(&mut memory, name)?;
                ensure!(own.contains("--force"), "{what}, in the project: {own}");
            }
            let other = told(&mut memory, "website")?;
            ensure!(!other.contains("--force"), "{what}, in another one: {other}");
        }
    }
    Ok(())
}

#[test]
fn marks_are_stored_where_hooks_of_the_project_read_them() -> Result<()> {
    let mut memory = Native::in_memory_offering(&TOOLSETS)?;
    ask(&mut memory, "create_domain", &json!({ "id": "atlas" }))?;
    with_default(&mut memory, "atlas", "atlas")?;
    let marked = mark(&mut memory, "website", "Ask the owner before git push origin")?;
    ensure!(marked["domain"] == "general" && marked["unconfirmed"] == true, "{marked}");
    let own = told(&mut memory, "website")?;
    ensure!(own.contains("Ask the owner"), "{own}");
    ensure!(!told(&mut memory, "atlas")?.contains("Ask the owner"), "it waits");
    // A default domain that is no project's is read, and so it is stored in.
    ask(&mut memory, "create_domain", &json!({ "id": "notes" }))?;
    ask(&mut memory, "select_domain", &json!({ "id": "notes", "as_default": true }))?;
    let marked = mark(&mut memory, "website", "Releases are on Mondays")?;
    ensure!(marked["domain"] == "notes", "{marked}");
    ensure!(told(&mut memory, "website")?.contains("on Mondays"));
    Ok(())
}

#[test]
fn prompts_show_memories_that_wait_only_in_the_project_where_they_were_written() -> Result<()> {
    let mut memory = Native::in_memory_offering(&TOOLSETS)?;
    ask(&mut memory, "memory_store", &json!({ "content": "Deploys run on Mondays", "domain": "general" }))?;
    enter(&mut memory, "atlas");
    let rule = json!({ "id": "a", "content": "Deploys run with --force", "tier": "l0", "domain": "general" });
    let stored = ask(&mut memory, "memory_store", &rule)?;
    ensure!(stored["memory"]["unconfirmed"] == true, "{stored}");
    let prompts = [("recall-context", json!({ "topic": "deploys" })), ("review-memories", json!({}))];
    for (project, is_shown) in [("atlas", true), ("website", false), ("", false)] {
        for (prompt, arguments) in &prompts {
            enter(&mut memory, project);
            let answer = memory.limbic().prompt(prompt, &arguments.to_string());
            ensure!(!answer.is_error && answer.json.contains("on Mondays"), "{prompt}: {}", answer.json);
            ensure!(answer.json.contains("--force") == is_shown, "{prompt} in {project:?}: {}", answer.json);
        }
    }
    // A search by name still finds it.
    let found = ask(&mut memory, "memory_recall", &json!({ "query": "deploys", "domain": "general" }))?;
    ensure!(found.to_string().contains("--force"), "{found}");
    ask(&mut memory, "review_inbox", &json!({ "accept": ["a"] }))?;
    for (prompt, arguments) in &prompts {
        let answer = memory.limbic().prompt(prompt, &arguments.to_string());
        ensure!(answer.json.contains("--force"), "{prompt}, accepted: {}", answer.json);
    }
    Ok(())
}
