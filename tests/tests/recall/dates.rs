//! Dates in a question: what happened then counts for more, by the memory's event or the dates in its text.

use anyhow::{Context, Result, ensure};
use limbic_tests::{memory::Native, memory_file::ask};
use serde_json::{Value, json};

use super::store;

/// Returns the relevance of the memory with this id to a question.
fn relevance(memory: &mut Native, question: &str, id: &str) -> Result<f64> {
    let arguments = json!({ "query": question, "explain": true, "touch": false });
    let answer = ask(memory, "memory_recall", &arguments)?;
    let found = answer["memories"].as_array().into_iter().flatten().find(|memory| memory["id"] == id);
    let found = found.with_context(|| format!("{id} was not found: {answer}"))?;
    found["explanation"]["relevance"].as_f64().context("a number")
}

#[test]
fn a_date_in_a_question_lifts_what_happened_then() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let memories: Value = json!([
        { "id": "event", "content": "The harbour gate was painted", "event_time": "2023-05-08T10:00:00Z" },
        { "id": "text", "content": "On 9 May 2023 the lighthouse was sold" },
        { "id": "relative", "content": "The ferry was launched last month", "event_time": "2023-06-20T10:00:00Z" },
        { "id": "later", "content": "The orchard wall was mended", "event_time": "2023-11-02T10:00:00Z" },
    ]);
    store(&mut memory, memories)?;
    for (question, id) in [
        ("what was painted at the harbour", "event"),
        ("what happened to the lighthouse", "text"),
        ("what was launched", "relative"),
    ] {
        let plain = relevance(&mut memory, question, id)?;
        let mut gain =
            |dates: &str| anyhow::Ok(relevance(&mut memory, &format!("{question} {dates}"), id)? - plain);
        // The words of the date are words of the question, too, which lowers its other parts alike.
        let (then, other) = (gain("in May 2023")?, gain("in December 2023")?);
        ensure!(then > other + 0.04, "{question}: {then} then, {other} at another time");
    }
    Ok(())
}

#[test]
fn an_event_in_a_question_lifts_what_happened_on_its_side() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let memories: Value = json!([
        { "id": "event", "content": "The harbour fair was opened", "event_time": "2023-05-08T10:00:00Z" },
        { "id": "early", "content": "The lamp stood in the kitchen", "event_time": "2023-02-01T10:00:00Z" },
        { "id": "late", "content": "The lamp stood in the cellar", "event_time": "2023-09-01T10:00:00Z" },
    ]);
    store(&mut memory, memories)?;
    let mut of = |side: &str, id: &str| {
        relevance(&mut memory, &format!("where stood the lamp {side} the harbour fair was opened"), id)
    };
    let (before, after) = (of("before", "early")?, of("after", "early")?);
    ensure!(before > after + 0.04, "early: {before} before, {after} after");
    let (before, after) = (of("before", "late")?, of("after", "late")?);
    ensure!(after > before + 0.04, "late: {before} before, {after} after");
    Ok(())
}
