//! The context of memories: what was stored beside a memory counts for it, unless it is another user's, in another
//! domain, of another time, or the neighbours are on different subjects.

use anyhow::{Context, Result, ensure};
use limbic_tests::{memory::Native, memory_file::ask};
use serde_json::{Map, Value, json};

use super::store;

const QUESTION: &str = "who mended the canoe in Lisbon?";

/// Subjects of conversations; the turns of each have these words in common.
const SUBJECTS: [&str; 6] = [
    "sailing harbour wind rope",
    "baking oven flour dough",
    "garden roses spade soil",
    "chess openings clock board",
    "violin lessons bow strings",
    "winter skiing slope snow",
];

/// The number of turns of a conversation.
const TURNS: usize = 6;

/// The turns of all conversations. In the first two, the canoe is mended, in the middle: memories `beside` and `far`.
fn turns() -> Vec<Value> {
    let mut turns = Vec::new();
    for (subject, words) in SUBJECTS.iter().enumerate() {
        for turn in 0..TURNS {
            let own = format!("a{subject}{turn} b{turn}{subject} c{subject}{turn}");
            turns.push(json!({ "content": format!("{words} {own}") }));
            if subject < 2 && turn == TURNS / 2 {
                let id = ["beside", "far"][subject];
                turns.push(json!({ "id": id, "content": format!("{words}: Marta mended the canoe") }));
            }
        }
    }
    turns
}

/// The memory that states where the canoe was mended.
fn place() -> Value {
    json!({ "id": "place", "content": "sailing harbour wind rope: they arrived in Lisbon" })
}

fn with(mut memory: Value, fields: &Value) -> Value {
    for (key, value) in fields.as_object().into_iter().flatten() {
        memory[key] = value.clone();
    }
    memory
}

/// Inserts the place before the memory `beside`, or before all memories.
fn with_place(mut turns: Vec<Value>, place: Value, is_beside: bool) -> Vec<Value> {
    let beside = turns.iter().position(|turn| turn["id"] == "beside").unwrap_or_default();
    turns.insert(if is_beside { beside } else { 0 }, place);
    turns
}

/// Stores memories and asks the question. Returns the explanations of the results with a name, by that.
fn explained(memories: Vec<Value>, filter: &Value) -> Result<Map<String, Value>> {
    let mut memory = Native::in_memory()?;
    ask(&mut memory, "create_domain", &json!({ "id": "other" }))?;
    store(&mut memory, memories.into())?;
    let question = json!({ "query": QUESTION, "limit": 100, "explain": true, "touch": false });
    let answer = ask(&mut memory, "memory_recall", &with(question, filter))?;
    let results = answer["memories"].as_array().context("a list")?;
    let named = results.iter().filter_map(|result| {
        let id = result["id"].as_str().filter(|id| id.len() < 10)?;
        Some((id.to_owned(), result["explanation"].clone()))
    });
    Ok(named.collect())
}

fn relevance(explained: &Map<String, Value>, id: &str) -> Result<f64> {
    let explanation = explained.get(id).with_context(|| format!("{id} was not found: {explained:?}"))?;
    explanation["relevance"].as_f64().context("a number")
}

#[test]
fn a_memory_is_found_by_what_was_stored_before_it() -> Result<()> {
    for filter in [json!({}), json!({ "domain": "*" })] {
        let found = explained(with_place(turns(), place(), true), &filter)?;
        let (beside, far) = (relevance(&found, "beside")?, relevance(&found, "far")?);
        ensure!(beside > far + 0.05, "{beside} beside it, {far} far from it");
        // `alone` has no context, so it decides about confidence as before.
        let alone = |id: &str| found[id]["alone"].as_f64().context("context changed it");
        ensure!((alone("beside")? - alone("far")?).abs() < 0.05 && alone("beside")? < beside, "{found:?}");
    }
    Ok(())
}

#[test]
fn memories_of_others_and_of_other_times_are_no_context() -> Result<()> {
    let (ada, bob) = (json!({ "user_id": "ada" }), json!({ "user_id": "bob" }));
    let all_domains = json!({ "domain": "*" });
    let (old, new) =
        (json!({ "event_time": "2025-03-01T10:00:00Z" }), json!({ "event_time": "2025-03-01T13:00:00Z" }));
    let cases = [
        ("another user", &ada, &bob, &all_domains, false),
        ("another user, filtered", &ada, &bob, &ada, false),
        ("another domain", &json!({}), &json!({ "domain": "other" }), &all_domains, false),
        ("another time", &new, &old, &all_domains, false),
        ("the same user", &ada, &ada, &ada, true),
        ("the same time", &old, &old, &all_domains, true),
    ];
    for (label, all, of_place, filter, is_context) in cases {
        let stored = |is_beside| {
            let turns = turns().into_iter().map(|turn| with(turn, all)).collect();
            explained(with_place(turns, with(place(), of_place), is_beside), filter)
        };
        let (mut beside, mut elsewhere) = (stored(true)?, stored(false)?);
        let has_grown = relevance(&beside, "beside")? > relevance(&elsewhere, "beside")? + 0.05;
        ensure!(has_grown == is_context, "{label}: {beside:?}, elsewhere {elsewhere:?}");
        if !is_context {
            // Its own context is another one here and there.
            beside.remove("place");
            elsewhere.remove("place");
            ensure!(beside == elsewhere, "{label}: {beside:?}, elsewhere {elsewhere:?}");
        }
    }
    Ok(())
}

#[test]
fn memories_that_others_store_at_the_same_time_do_not_separate_neighbours() -> Result<()> {
    let mut memories = Vec::new();
    for (number, turn) in with_place(turns(), place(), true).into_iter().enumerate() {
        memories.push(with(turn, &json!({ "user_id": "ada" })));
        for other in 0..10 {
            let content = format!("market d{number}{other} e{other}{number} f{number}{other}");
            memories.push(json!({ "content": content, "user_id": format!("user {other}") }));
        }
    }
    let found = explained(memories, &json!({ "user_id": "ada" }))?;
    ensure!(relevance(&found, "beside")? > relevance(&found, "far")? + 0.05, "{found:?}");
    Ok(())
}

#[test]
fn memories_that_the_filter_does_not_admit_do_not_separate_neighbours() -> Result<()> {
    let cases = [
        (json!({ "user_id": "ada" }), json!({ "user_id": "bob" }), 60),
        (json!({ "category": "decision" }), json!({ "category": "convention" }), 20),
    ];
    for (own, others, count) in cases {
        let stored = |are_between: bool| {
            let turns = with_place(turns(), place(), true);
            let mut memories: Vec<Value> = turns.into_iter().map(|turn| with(turn, &own)).collect();
            let beside = memories.iter().position(|turn| turn["id"] == "beside").unwrap_or_default();
            let first = if are_between { beside } else { 0 };
            let strangers = (0..count).map(|number| {
                with(json!({ "content": format!("market d{number} e{number} f{number}") }), &others)
            });
            memories.splice(first..first, strangers);
            explained(memories, &own)
        };
        let (between, elsewhere) = (stored(true)?, stored(false)?);
        ensure!(relevance(&between, "beside")? > relevance(&between, "far")? + 0.05, "{others}: {between:?}");
        ensure!(between == elsewhere, "{others}: {between:?}, elsewhere {elsewhere:?}");
    }
    Ok(())
}

#[test]
fn unrelated_memories_have_no_context() -> Result<()> {
    // The same turns, of all conversations in turn.
    let (mut columns, mut rows) = (vec![Vec::new(); TURNS + 2], Vec::new());
    let conversations = with_place(turns(), place(), true);
    for words in SUBJECTS {
        let of = conversations
            .iter()
            .filter(|turn| turn["content"].as_str().is_some_and(|it| it.starts_with(words)));
        of.zip(&mut columns).for_each(|(turn, column)| column.push(turn.clone()));
    }
    columns.into_iter().for_each(|column| rows.extend(column));
    ensure!(rows.len() == conversations.len(), "a turn is missing");
    let found = explained(rows, &json!({}))?;
    ensure!(found.len() == 3, "{found:?}");
    for (id, explanation) in found {
        ensure!(explanation["alone"].is_null(), "{id} has context: {explanation}");
    }
    Ok(())
}

#[test]
fn a_memory_that_a_link_leads_to_has_its_context() -> Result<()> {
    let mut memories = turns();
    // More than words and vectors give candidates.
    memories.extend(
        (0..250).map(
            |number| json!({ "content": format!("the canoe was mended g{number} h{number} i{number}") }),
        ),
    );
    let supported = json!({ "supports": [{ "targetId": "beside", "strength": 1.0 }] });
    memories.push(
        json!({ "id": "before", "content": "chess openings clock board: zebra Lisbon canoe mended who" }),
    );
    memories
        .push(json!({ "id": "linked", "content": "chess openings clock board", "relationships": supported }));
    let found = explained(memories, &json!({}))?;
    let linked = found.get("linked").with_context(|| format!("{found:?}"))?;
    ensure!(linked["relevance"].as_f64() > linked["alone"].as_f64(), "{linked}");
    Ok(())
}

/// The turns, with one that asks or states something before the memory `beside`, which replies to it if it asks.
fn with_sentence(mark: char) -> Vec<Value> {
    let sentence = format!("sailing harbour wind rope: who mended the canoe in Lisbon{mark}");
    with_place(turns(), json!({ "id": "asks", "content": sentence }), true)
}

/// What asks is rarely the answer, and what follows a question often is.
fn ensure_questions_count(asked: &Map<String, Value>, stated: &Map<String, Value>) -> Result<()> {
    let change = |id: &str| anyhow::Ok(relevance(asked, id)? - relevance(stated, id)?);
    ensure!(change("asks")? < -0.05, "the question: {asked:?}, as a statement {stated:?}");
    ensure!(change("beside")? > 0.02, "the reply: {asked:?}, after a statement {stated:?}");
    ensure!(change("far")?.abs() < 1e-9, "elsewhere: {asked:?}, without a question {stated:?}");
    Ok(())
}

#[test]
fn a_memory_that_asks_counts_less_and_its_reply_more() -> Result<()> {
    let explained = |mark| explained(with_sentence(mark), &json!({}));
    let (asked, stated) = (explained('?')?, explained('.')?);
    ensure_questions_count(&asked, &stated)?;
    // Confidence is decided by a memory alone, so a question does not change it.
    let alone =
        |found: &Map<String, Value>| found["asks"]["alone"].as_f64().or(found["asks"]["relevance"].as_f64());
    ensure!(alone(&asked) == alone(&stated), "{asked:?}, as a statement {stated:?}");
    Ok(())
}

#[test]
fn an_observation_that_asks_counts_less_and_its_reply_more() -> Result<()> {
    let explained = |mark| -> Result<Map<String, Value>> {
        let mut memory = Native::in_memory()?;
        let entity = |(number, turn): (usize, Value)| {
            let name = turn["id"].as_str().map_or_else(|| format!("turn number {number}"), str::to_owned);
            json!({ "name": name, "entityType": "turn", "observations": [turn["content"]] })
        };
        let entities: Vec<Value> = with_sentence(mark).into_iter().enumerate().map(entity).collect();
        ask(&mut memory, "create_entities", &json!({ "entities": entities }))?;
        let question = json!({ "query": QUESTION, "limit": 100, "explain": true });
        let answer = ask(&mut memory, "search_semantic", &question)?;
        let results = answer["results"].as_array().context("a list")?;
        let named =
            |result: &Value| Some((result["name"].as_str()?.to_owned(), result["explanation"].clone()));
        Ok(results.iter().filter_map(named).collect())
    };
    ensure_questions_count(&explained('?')?, &explained('.')?)
}
