//! The hooks around a tool call: memories of the file and conventions before it, known fixes after a failure.

use limbic_core::{Result, model::memory_words::ERROR_SUBJECT};
use serde_json::{Value, json};

use super::{
    event::Event,
    file_memories,
    project_domains::domains_of,
    recalled::{Occasion, memories, of_user, with_corrections},
};
use crate::{
    Limbic,
    framing::{framed, item},
};

/// Maximum number of memories.
const MAX_MEMORIES: usize = 3;

/// Returns the memories linked to the code of the file that the tool reads or changes, and, unless it only reads, the
/// conventions that match its input.
pub fn before(limbic: &mut Limbic, event: &Event) -> Result<Option<String>> {
    let linked = file_memories::of(limbic, event, MAX_MEMORIES)?;
    let linked: Vec<Value> =
        with_corrections(limbic, event, Occasion::Unasked, linked)?.iter().map(item).collect();
    let of_file = framed_if_any(
        limbic,
        "Memories linked to this file's code, each with the state of that code.",
        &linked,
    );
    if event.only_reads() {
        return Ok(of_file);
    }
    let conventions = json!({ "category": "convention" });
    let mut found = recall(limbic, event, Occasion::Unasked, &event.input_questions(), &conventions)?;
    found.retain(|memory| linked.iter().all(|known| known["id"] != memory["id"]));
    let matching = framed_if_any(limbic, "Conventions that may apply to this call.", &found);
    let texts: Vec<String> = of_file.into_iter().chain(matching).collect();
    Ok((!texts.is_empty()).then(|| texts.concat()))
}

/// Returns memories that match the tool's failure and input, first those with the subject [`ERROR_SUBJECT`].
pub fn after(limbic: &mut Limbic, event: &Event) -> Result<Option<String>> {
    let Some(mut questions) = event.failure_questions() else { return Ok(None) };
    questions.extend(event.input_questions());
    let with_codes = [event.failure_codes(), questions.clone()].concat();
    let mut found =
        recall(limbic, event, Occasion::Question, &with_codes, &json!({ "subject": ERROR_SUBJECT }))?;
    if found.is_empty() {
        found = recall(limbic, event, Occasion::Question, &questions, &json!({}))?;
    }
    Ok(framed_if_any(limbic, "Memories about this error.", &found))
}

/// Returns the memories of confident recalls, with what may correct them: query by query, the project's domain first.
fn recall(
    limbic: &mut Limbic,
    event: &Event,
    occasion: Occasion,
    questions: &[String],
    filter: &Value,
) -> Result<Vec<Value>> {
    let mut found: Vec<Value> = Vec::new();
    let domains = domains_of(limbic, event)?;
    for question in questions {
        for domain in &domains {
            if found.len() >= MAX_MEMORIES {
                break;
            }
            let mut arguments = filter.clone();
            arguments["query"] = question.as_str().into();
            arguments["domain"] = domain.as_str().into();
            arguments["limit"] = (MAX_MEMORIES - found.len()).into();
            let answer = limbic.ask("memory_recall", &of_user(limbic, arguments))?;
            if answer["confident"] == true {
                let is_other = |memory: &&Value| found.iter().all(|known| known["id"] != memory["id"]);
                let others: Vec<Value> = memories(&answer).filter(is_other).cloned().collect();
                found.extend(others);
            }
        }
    }
    found.truncate(MAX_MEMORIES);
    Ok(with_corrections(limbic, event, occasion, found)?.iter().map(item).collect())
}

fn framed_if_any(limbic: &Limbic, head: &str, found: &[Value]) -> Option<String> {
    (!found.is_empty()).then(|| framed(limbic.memory.database().host(), head, found))
}
