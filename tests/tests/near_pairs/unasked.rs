//! Which memories hooks show beside one that they may correct, in a session that did not ask.

use anyhow::{Result, ensure};
use limbic_tests::{memory::Native, memory_file::ask};
use limbic_tools::{Caller, CallerKind, SessionId};
use serde_json::{Value, json};

use super::{drain_with_vector_of, hook_memories, store};

const RULE: &str = "Deploys must use blue runners";
/// Corrects the rule, perhaps.
const TEXT: &str = "Deploys must use green runners";
const UNRELATED: &str = "Ovens are cleaned on Monday";

/// A kind of caller, and the project that it works in; empty if it is in none.
type Writer = (CallerKind, &'static str);

const HERE: Writer = (CallerKind::Client, "atlas");
const ELSEWHERE: Writer = (CallerKind::Client, "argus");
const NOWHERE: Writer = (CallerKind::Client, "");
const PERSON: Writer = (CallerKind::Explorer, "");

/// How the text comes to be, and whether hooks show it without a question.
struct Case {
    writer: Writer,
    /// Writes the text in place of an unrelated one.
    editor: Option<Writer>,
    category: &'static str,
    /// What a person decides in the inbox.
    decision: Value,
    is_shown: bool,
}

fn plain(writer: Writer, is_shown: bool) -> Case {
    Case { writer, editor: None, category: "fact", decision: Value::Null, is_shown }
}

fn edited(writer: Writer, editor: Writer, is_shown: bool) -> Case {
    Case { editor: Some(editor), ..plain(writer, is_shown) }
}

fn enter(memory: &mut Native, (kind, project): Writer) {
    let caller =
        Caller { kind, client: "other".to_owned(), project: project.to_owned(), ..Caller::default() };
    memory.limbic().introduce(&SessionId::default(), caller);
}

#[test]
fn a_plain_memory_from_elsewhere_does_not_correct_a_confirmed_one_unasked() -> Result<()> {
    let trusted = json!({ "trust": ["client:other"] });
    let accepted = json!({ "accept": ["text"] });
    let convention = |decision: &Value, is_shown| Case {
        category: "convention",
        decision: decision.clone(),
        ..plain(ELSEWHERE, is_shown)
    };
    for (number, case) in [
        plain(HERE, true),
        plain(PERSON, true),
        plain(NOWHERE, false),
        plain(ELSEWHERE, false),
        Case { decision: trusted.clone(), ..plain(ELSEWHERE, true) },
        edited(HERE, HERE, true),
        edited(HERE, PERSON, true),
        edited(HERE, ELSEWHERE, false),
        edited(ELSEWHERE, HERE, false),
        Case { decision: trusted, ..edited(HERE, ELSEWHERE, true) },
        convention(&accepted, true),
    ]
    .into_iter()
    .enumerate()
    {
        let mut memory = Native::in_memory_offering(&["memory", "domain", "explorer"])?;
        let domain = json!({ "id": "atlas", "name": "atlas", "description": "a project" });
        ask(&mut memory, "create_domain", &domain)?;
        enter(&mut memory, HERE);
        let rule = json!({ "id": "rule", "content": RULE, "category": "convention", "tier": "l1", "domain": "atlas" });
        store(&mut memory, 1, &rule)?;
        enter(&mut memory, case.writer);
        let text = if case.editor.is_some() { UNRELATED } else { TEXT };
        let fields = json!({ "id": "text", "content": text, "domain": "atlas", "category": case.category });
        store(&mut memory, 1, &fields)?;
        if let Some(editor) = case.editor {
            enter(&mut memory, editor);
            ask(&mut memory, "memory_update", &json!({ "id": "text", "content": TEXT }))?;
            drain_with_vector_of(&mut memory, 1)?;
        }
        enter(&mut memory, PERSON);
        if !case.decision.is_null() {
            ask(&mut memory, "review_inbox", &case.decision)?;
        }
        assert_shown(&mut memory, case.is_shown, number)?;
    }
    Ok(())
}

/// Asserts whether hooks show the text beside the rule, in a session of the project that did not ask. Where a prompt
/// asks for both, it is always shown.
fn assert_shown(memory: &mut Native, is_shown: bool, case: usize) -> Result<()> {
    let start = json!({ "cwd": "/srv/atlas" });
    let command = json!({ "cwd": "/srv/atlas", "tool_input": { "command": "deploys use blue runners" } });
    let prompt = json!({ "cwd": "/srv/atlas", "prompt": "which runners must deploys use, blue runners?" });
    for (hook, event, expected) in [
        ("session-start", start, is_shown),
        ("pre-tool-use", command, is_shown),
        ("user-prompt-submit", prompt, true),
    ] {
        let found = hook_memories(memory, hook, &event)?;
        let shows = |id: &str| found.iter().any(|memory| memory["id"] == id);
        ensure!(shows("rule") && shows("text") == expected, "{hook}, case {case}: {found:?}");
    }
    Ok(())
}
