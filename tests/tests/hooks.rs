//! Hooks and prompts call tools: their errors keep their kind and are not swallowed.

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{BackEnd, START_MILLIS, memory::Native, memory_file::MemoryFile};
use limbic_tools::{Options, prompts_json};
use serde_json::{Value, json};

const TRANSCRIPT: &str = r#"{"type": "user", "message": {"content": "@keep Tests need --release"}}"#;

/// A memory of Ada and Bob, limited to no user.
fn memory_of_two() -> Result<Native> {
    let mut memory = memory()?;
    memory.call("create_domain", r#"{"id": "attic"}"#)?;
    memory.call("create_entities", r#"{"entities": [{"name": "Atlas"}, {"name": "Argus"}]}"#)?;
    for (user, id, word, about) in [("ada", "a", "violet", "Atlas"), ("bob", "b", "vermilion", "Argus")] {
        for category in ["convention", "decision"] {
            let stored = json!({
                "id": format!("{id}-{category}"), "user_id": user, "category": category, "tier": "l0",
                "content": format!("{about}: paint in {word} for a {category}"), "tags": [word],
                "domain": if user == "ada" { "general" } else { "attic" },
            });
            let (is_error, answer) = memory.call("memory_store", &stored.to_string())?;
            ensure!(!is_error, "{answer}");
        }
    }
    Ok(memory)
}

fn memory() -> Result<Native> {
    limbic_vfs::register_vec0();
    let options = Options { test_clock: Some(START_MILLIS), ..Options::default() };
    Native::with(Connection::open_in_memory()?, options)
}

#[test]
fn a_prompt_reports_invalid_arguments() -> Result<()> {
    let mut memory = memory()?;
    for prompt in ["recall-context", "review-memories"] {
        let answer = memory.limbic().prompt(prompt, r#"{"domain": "nowhere"}"#);
        ensure!(answer.is_error && answer.json.contains("domain_not_found"), "{prompt}: {}", answer.json);
    }
    Ok(())
}

#[test]
fn prompts_without_memories_ask_for_no_use_of_them() -> Result<()> {
    let mut memory = memory()?;
    for (prompt, expected) in [
        ("recall-context", "There are no memories of this yet: continue without them."),
        ("review-memories", "There are no memories to review yet: tell the user."),
    ] {
        let answer: Value = serde_json::from_str(&memory.limbic().prompt(prompt, "{}").json)?;
        ensure!(answer["messages"][0]["content"]["text"] == json!(expected), "{prompt}: {answer}");
    }
    Ok(())
}

#[test]
fn prompts_of_a_read_only_memory_name_no_tool_that_writes() -> Result<()> {
    let names = |read_only| -> Result<Vec<String>> {
        let listed: Vec<Value> =
            serde_json::from_str(&prompts_json(&Options { read_only, ..Options::default() }))?;
        Ok(listed.iter().filter_map(|prompt| prompt["name"].as_str().map(str::to_owned)).collect())
    };
    ensure!(names(false)? == ["recall-context", "save-session", "review-memories"], "{:?}", names(false)?);
    ensure!(names(true)? == ["recall-context"], "{:?}", names(true)?);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    limbic_vfs::register_vec0();
    for read_only in [false, true] {
        let options = Options { test_clock: Some(START_MILLIS), read_only, ..Options::default() };
        let mut memory = Native::with(Connection::open(&path)?, options)?;
        if !read_only {
            memory.call("memory_store", r#"{"content": "Atlas ships on Mondays"}"#)?;
        }
        let prompt = memory.limbic().prompt("recall-context", "{}").json;
        ensure!(prompt.contains("Atlas ships on Mondays"), "{prompt}");
        ensure!(prompt.contains("memory_update") != read_only, "{prompt}");
    }
    Ok(())
}

#[test]
fn marks_that_cannot_be_stored_are_reported() -> Result<()> {
    let file = MemoryFile::new()?;
    let options = Options { test_clock: Some(START_MILLIS), ..Options::default() };
    drop(file.open(0, options.clone())?);
    let mut memory = file.open(1, Options { read_only: true, ..options })?;
    let error = memory
        .limbic()
        .hook("session-end", "{}", Some(TRANSCRIPT.as_bytes()))
        .err()
        .context("the read-only memory is not reported")?;
    ensure!(error.code() == "read_only", "{error}");
    Ok(())
}

#[test]
fn a_rejected_mark_does_not_stop_the_others() -> Result<()> {
    let mut memory = memory()?;
    let long = "x".repeat(200_000);
    let lines = [
        r#"{"type": "user", "message": {"content": "@keep password=Tr0ub4dor&3xKq9"}}"#.to_owned(),
        format!(r#"{{"type": "user", "message": {{"content": "@keep {long}"}}}}"#),
        TRANSCRIPT.to_owned(),
    ];
    let error = memory
        .limbic()
        .hook("session-end", "{}", Some(lines.join("\n").as_bytes()))
        .err()
        .context("the omitted mark is not reported")?;
    let message = error.to_string();
    ensure!(
        error.code() == "marks_refused" && message.contains("mark 1 may") && message.contains("mark 2:"),
        "{message}"
    );
    ensure!(!message.contains("Tr0ub4dor"), "{message}");
    let (_, answer) = memory.call("memory_list", "{}")?;
    ensure!(answer.contains("Tests need --release") && answer.contains("\"total\":1"), "{answer}");
    Ok(())
}

#[test]
fn a_hint_names_no_types_of_links_of_another_user() -> Result<()> {
    let mut memory = memory()?;
    memory.call("memory_store", r#"{"id": "a", "content": "One", "user_id": "bob"}"#)?;
    let linked =
        r#"{"content": "Two", "user_id": "bob", "relationships": {"bobs_own": [{"targetId": "a"}]}}"#;
    memory.call("memory_store", linked)?;
    for (tool, start) in [("memory_recall", r#""query": "one""#), ("memory_traverse", r#""max_depth": 1"#)] {
        let arguments = format!(r#"{{{start}, "relation_types": ["bobs"], "user_id": "ada"}}"#);
        let (is_error, answer) = memory.call(tool, &arguments)?;
        ensure!(is_error && !answer.contains("bobs_own"), "{tool}: {answer}");
    }
    Ok(())
}

#[test]
fn invalid_hook_input_is_rejected() -> Result<()> {
    let mut memory = memory()?;
    for input in ["[]", r#"{"session_id": 5}"#, "null", r#"{"transcript_path": {}}"#] {
        let refused = memory.limbic().hook("session-start", input, None).is_err();
        ensure!(refused, "{input} was accepted as the input of a host");
    }
    Ok(())
}

#[test]
fn hooks_for_a_user_read_and_store_only_that_users_memories() -> Result<()> {
    let mut memory = memory_of_two()?;
    memory.limbic().set_access(Options { user: Some("ada".into()), ..Options::default() });
    for (hook, input) in [
        ("session-start", json!({ "cwd": "/srv/atlas" })),
        (
            "pre-tool-use",
            json!({ "tool_name": "Bash", "tool_input": { "command": "paint violet or vermilion" } }),
        ),
        ("post-tool-use", json!({ "tool_name": "Bash", "error": "paint violet or vermilion" })),
        ("user-prompt-submit", json!({ "prompt": "shall we paint in violet or vermilion?" })),
    ] {
        let hook_output = memory.limbic().hook(hook, &input.to_string(), None)?.unwrap_or_default();
        ensure!(
            hook_output.contains("violet") && !hook_output.contains("vermilion"),
            "{hook}: {hook_output}"
        );
        if hook == "session-start" {
            ensure!(
                hook_output.contains("memory_recall with user_id \\\"ada\\\" finds more"),
                "{hook_output}"
            );
        }
    }
    memory.limbic().hook("session-end", "{}", Some(TRANSCRIPT.as_bytes()))?;
    let (_, answer) = memory.call("memory_list", r#"{"user_id": "ada"}"#)?;
    ensure!(answer.contains("Tests need --release"), "{answer}");
    Ok(())
}

/// Returns a hook's output for the host; empty if there is none.
fn hook_output(memory: &mut Native, hook: &str, event: &Value) -> Result<String> {
    Ok(memory.limbic().hook(hook, &event.to_string(), None)?.unwrap_or_default())
}

fn store(memory: &mut Native, stored: &Value) -> Result<()> {
    let (is_error, answer) = memory.call("memory_store", &stored.to_string())?;
    ensure!(!is_error, "{answer}");
    Ok(())
}

#[test]
fn after_a_failure_the_command_is_part_of_the_query() -> Result<()> {
    let mut memory = memory()?;
    // The example in the specification.
    let example = json!({
        "category": "fact", "subject": "error-kb", "source": "PostToolUse:powershell",
        "content": "dotnet restore may fail until private feed auth is refreshed.",
    });
    store(&mut memory, &example)?;
    store(&mut memory, &json!({ "content": "Release 1 ships with the exit survey" }))?;
    store(&mut memory, &json!({ "content": "NU1301 means that the feed is down", "subject": "error-kb" }))?;
    let after = |memory: &mut Native, command: &str, error: &str| {
        let input = json!({ "command": command });
        hook_output(
            memory,
            "post-tool-use",
            &json!({ "tool_name": "Bash", "tool_input": input, "error": error }),
        )
    };
    for command in ["dotnet restore", "cd app && dotnet restore 2>&1 | tail -5"] {
        let found = after(&mut memory, command, "Exit code 1")?;
        ensure!(found.contains("until private feed auth"), "{command}: {found}");
        ensure!(!found.contains("Release 1"), "{command}: {found}");
    }
    let silent = after(&mut memory, "ls 1", "Exit code 1")?;
    ensure!(silent.is_empty(), "a number or an exit code has matched: {silent}");
    let by_code = after(&mut memory, "make", "Exit code 1\nerror NU1301: Unable to load the service index")?;
    ensure!(by_code.contains("the feed is down"), "{by_code}");
    Ok(())
}

#[test]
fn hooks_return_valid_memories_of_the_project_s_and_the_shared_domain() -> Result<()> {
    let mut memory = memory()?;
    for id in ["atlas", "board"] {
        memory.call("create_domain", &json!({ "id": id }).to_string())?;
    }
    for (domain, word) in [("atlas", "violet"), ("general", "green"), ("board", "vermilion")] {
        for (category, tier) in [("convention", "l0"), ("decision", "l4")] {
            let content = format!("Paint the {category} in {word}");
            let stored = json!({ "content": content, "category": category, "tier": tier, "domain": domain });
            store(&mut memory, &stored)?;
        }
        let about =
            json!({ "content": format!("{word} is its color"), "subject": "atlas", "domain": domain });
        store(&mut memory, &about)?;
    }
    for (id, word, confidence) in [("lost", "beige", 0.9), ("won", "azure", 0.3)] {
        let content = format!("Paint the roof in {word}");
        store(
            &mut memory,
            &json!({
                "id": id, "content": content, "category": "convention", "tier": "l0", "domain": "atlas",
                "confidence": confidence,
            }),
        )?;
    }
    let (is_error, answer) =
        memory.call("memory_link", r#"{"from_id": "won", "to_id": "lost", "type": "contradicts"}"#)?;
    ensure!(!is_error, "{answer}");
    let command = json!({ "command": "paint convention; paint decision; paint roof" });
    let event =
        json!({ "cwd": "/srv/atlas", "tool_name": "Bash", "tool_input": command, "error": "no paint" });
    for hook in ["session-start", "pre-tool-use", "post-tool-use"] {
        let found = hook_output(&mut memory, hook, &event)?;
        ensure!(found.contains("violet"), "{hook}: {found}");
        ensure!(!found.contains("vermilion"), "{hook} returns a memory of another domain: {found}");
        ensure!(!found.contains("beige"), "{hook} returns a superseded memory: {found}");
    }
    let started = hook_output(&mut memory, "session-start", &event)?;
    ensure!(started.contains("green") && started.contains("azure"), "{started}");
    memory.limbic().hook("session-end", &event.to_string(), Some(TRANSCRIPT.as_bytes()))?;
    let (_, kept) = memory.call("memory_list", r#"{"domain": "atlas"}"#)?;
    ensure!(kept.contains("Tests need --release"), "{kept}");
    Ok(())
}

#[test]
fn a_hook_finds_the_domain_of_a_folder_in_another_spelling() -> Result<()> {
    let mut memory = memory()?;
    for (domain, folder) in [("Caf\u{e9}", "Cafe\u{301}"), ("atlas", " atlas ")] {
        memory.call("create_domain", &json!({ "id": domain }).to_string())?;
        store(&mut memory, &json!({ "content": format!("Of {domain}"), "tier": "l0", "domain": domain }))?;
        let event = json!({ "cwd": format!("/srv/ada/{folder}") });
        let text = hook_output(&mut memory, "session-start", &event)?;
        ensure!(text.contains(&format!("Of {domain}")), "{domain}: {text}");
        let marked = TRANSCRIPT.replace("Tests", &format!("Tests of {domain}"));
        memory.limbic().hook("session-end", &event.to_string(), Some(marked.as_bytes()))?;
        let (_, listed) = memory.call("memory_list", &json!({ "domain": domain }).to_string())?;
        ensure!(listed.contains("Tests of"), "{domain}: {listed}");
    }
    Ok(())
}

#[test]
fn hooks_count_the_host_s_sessions() -> Result<()> {
    limbic_vfs::register_vec0();
    let toolsets = ["memory", "explorer"].map(str::to_owned).to_vec();
    let options = Options { test_clock: Some(START_MILLIS), toolsets, ..Options::default() };
    let mut memory = Native::with(Connection::open_in_memory()?, options)?;
    store(&mut memory, &json!({ "content": "Push with care", "category": "convention" }))?;
    for session in ["first", "first", "second", "first"] {
        let command = json!({ "command": "push with care" });
        let event = json!({ "session_id": session, "tool_name": "Bash", "tool_input": command });
        ensure!(hook_output(&mut memory, "pre-tool-use", &event)?.contains("Push with care"));
        memory.limbic().finish()?;
    }
    let counted = r#"{"sql": "SELECT count(*), min(length(session_id)) FROM memory_sessions"}"#;
    let (_, answer) = memory.call("query_sql", counted)?;
    ensure!(answer.contains("[2,32]"), "{answer}");
    Ok(())
}

#[test]
fn prompts_for_a_user_contain_only_that_users_memories() -> Result<()> {
    let mut memory = memory_of_two()?;
    let mut text = |name: &str, arguments: &str| -> Result<String> {
        let answer = memory.limbic().prompt(name, arguments);
        ensure!(!answer.is_error, "{}", answer.json);
        Ok(answer.json)
    };
    for name in ["recall-context", "review-memories"] {
        let hook_output = text(name, r#"{"user_id": "ada", "domain": "*"}"#)?;
        ensure!(
            hook_output.contains("violet") && !hook_output.contains("vermilion"),
            "{name}: {hook_output}"
        );
        let hook_output = text(name, r#"{"domain": "*"}"#)?;
        ensure!(hook_output.contains("vermilion"), "{name}: {hook_output}");
    }
    let hook_output = text("save-session", r#"{"user_id": "ada", "domain": "attic"}"#)?;
    let hook_output: Value = serde_json::from_str(&hook_output)?;
    let hook_output = hook_output["messages"][0]["content"]["text"].as_str().unwrap_or_default();
    ensure!(
        hook_output.contains(r#"user_id "ada""#) && hook_output.contains(r#"domain "attic""#),
        "{hook_output}"
    );
    Ok(())
}

#[test]
fn completions_come_from_the_memories_of_the_domain_and_the_user() -> Result<()> {
    let mut memory = memory_of_two()?;
    memory.call(
        "memory_store",
        r#"{"content": "Keep it", "user_id": "ada", "tags": ["vivid"], "domain": "attic"}"#,
    )?;
    let mut completed = |argument: &str, known: &str| -> Result<Vec<String>> {
        let answer = memory.limbic().complete("prompt:recall-context", argument, "", known);
        let found: Value = serde_json::from_str(&answer.json)?;
        ensure!(
            found["total"].as_u64() == found["values"].as_array().map(|words| words.len() as u64),
            "{found}"
        );
        Ok(serde_json::from_value(found["values"].clone())?)
    };
    for (argument, known, wanted) in [
        ("tag", "", "vermilion violet vivid"),
        ("tag", r#"{"user_id": "ada"}"#, "violet vivid"),
        ("tag", r#"{"user_id": "ada", "domain": "general"}"#, "violet"),
        ("tag", r#"{"domain": "attic"}"#, "vermilion vivid"),
        ("tag", r#"{"domain": "*", "user_id": "", "topic": "x"}"#, "vermilion violet vivid"),
        ("tag", r#"{"user_id": "nobody"}"#, ""),
        ("domain", "{}", "attic general"),
        ("domain", r#"{"user_id": "bob", "domain": "general"}"#, "attic"),
        ("category", "", "fact preference decision convention"),
        ("category", r#"{"user_id": "bob"}"#, "convention decision"),
        ("entity", "", "Argus Atlas"),
        ("entity", r#"{"user_id": "ada"}"#, "Atlas"),
        ("user_id", "", ""),
    ] {
        ensure!(
            completed(argument, known)?.join(" ") == wanted,
            "{argument} {known}: {:?}",
            completed(argument, known)?
        );
    }
    Ok(())
}

#[test]
fn links_of_a_users_memory_name_no_other_user() -> Result<()> {
    let mut memory = memory_of_two()?;
    let linked = [
        json!({ "from_id": "a-decision", "to_id": "a-convention", "type": "supports" }),
        json!({ "from_id": "b-decision", "to_id": "a-decision", "type": "supports" }),
        json!({ "from_id": "a-decision", "to_id": "stray", "type": "supports" }),
        json!({ "from_id": "theirs", "to_id": "a-decision", "type": "supersedes" }),
    ];
    memory.call("memory_store", r#"{"id": "stray", "content": "Nobody's"}"#)?;
    memory.call("memory_store", r#"{"id": "theirs", "content": "Bob's own", "user_id": "bob"}"#)?;
    for link in linked {
        let (is_error, answer) = memory.call("memory_link", &link.to_string())?;
        ensure!(!is_error, "{answer}");
    }
    let (_, all) = memory.call("memory_get", r#"{"ids": ["a-decision"]}"#)?;
    for id in ["a-convention", "b-decision", "stray", "theirs"] {
        ensure!(all.contains(&format!("\"{id}\"")), "{id}: {all}");
    }
    let (_, walled) = memory.call("memory_get", r#"{"ids": ["a-decision"], "user_id": "ada"}"#)?;
    ensure!(walled.contains("\"a-convention\""), "{walled}");
    for id in ["b-decision", "stray", "theirs"] {
        ensure!(!walled.contains(&format!("\"{id}\"")), "{id}: {walled}");
    }
    Ok(())
}

#[test]
fn a_prompt_gets_confident_memories_within_a_budget() -> Result<()> {
    let mut memory = memory()?;
    memory.call("create_domain", r#"{"id": "atlas"}"#)?;
    for number in 0..8 {
        let filling = "as was agreed with everybody who has to live with the result of it, ".repeat(6);
        let stored = json!({ "id": format!("deploy-{number}"), "domain": "atlas", "confidence": 0.9,
            "content": format!("Deploys of part {number} run on Tuesdays, {filling} and number {number}") });
        memory.call("memory_store", &stored.to_string())?;
    }
    let old = r#"{"id": "old", "content": "Deploys on Tuesdays need two people", "domain": "atlas", "confidence": 0.1}"#;
    memory.call("memory_store", old)?;
    let ask = |memory: &mut Native, prompt: &str| {
        let event = json!({ "cwd": "/srv/worktree", "limbic_project": "atlas", "prompt": prompt });
        memory.limbic().hook("user-prompt-submit", &event.to_string(), None)
    };
    let hook_output = ask(&mut memory, "When do deploys run, on Tuesdays?")?.context("nothing was said")?;
    let hook_output: Value = serde_json::from_str(&hook_output)?;
    ensure!(hook_output["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit", "{hook_output}");
    let text = hook_output["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
    ensure!(text.contains("Tuesdays") && !text.contains("\"old\"") && text.chars().count() < 2_500, "{text}");
    for prompt in ["", "...", "How large is the moon of Neptune?"] {
        let hook_output = ask(&mut memory, prompt)?;
        ensure!(hook_output.is_none(), "{prompt}: {hook_output:?}");
    }
    let (_, answer) = memory.call("memory_get", r#"{"ids": ["deploy-0"]}"#)?;
    ensure!(answer.contains(r#""access_count":0"#), "a memory in a prompt counts as accessed: {answer}");
    Ok(())
}

#[test]
fn an_encoded_prompt_is_compared_by_meaning() -> Result<()> {
    let mut memory = memory()?;
    for content in ["Deploys run on Tuesdays", "The cats of the harbour sleep in boats", "Use tabs"] {
        memory.call("memory_store", &json!({ "content": content }).to_string())?;
    }
    memory.drain()?;
    let event = json!({ "prompt": "deployments tuesday" }).to_string();
    let texts = memory.limbic().hook_texts("user-prompt-submit", &event);
    ensure!(texts.len() == 1, "{texts:?}");
    let encodings = memory.encoder().encode(&texts);
    let by_words = memory.limbic().hook("user-prompt-submit", &event, None)?;
    ensure!(by_words.is_none(), "{by_words:?}");
    let by_meaning = memory.limbic().encoded_hook("user-prompt-submit", &event, None, &encodings)?;
    ensure!(by_meaning.as_ref().is_some_and(|text| text.contains("Deploys run")), "{by_meaning:?}");
    for (hook, input) in
        [("session-start", event.as_str()), ("user-prompt-submit", "{}"), ("user-prompt-submit", "[]")]
    {
        let texts = memory.limbic().hook_texts(hook, input);
        ensure!(texts.is_empty(), "{hook} {input}: {texts:?}");
    }
    Ok(())
}
