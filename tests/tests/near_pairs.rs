//! Pairs of texts with equal vectors: a correction is not taken for a duplicate of the text that it corrects.

mod neighbours;
mod unasked;

use anyhow::{Context, Result, bail, ensure};
use limbic_core::model::{
    same_statement::same_statement,
    statements::{Relation, relation},
};
use limbic_encoder::Encoder;
use limbic_protocol::Encoding;
use limbic_tests::transcript::ensure_same;
use limbic_tests::{
    export_import::{export, import},
    memory::Native,
    memory_file::{MemoryFile, ask},
    project,
};
use limbic_tools::Options;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Distinct,
    Same,
    Either,
}

struct Pair {
    older: String,
    newer: String,
    expected: Expected,
}

fn pairs() -> Result<Vec<Pair>> {
    let text = std::fs::read_to_string(project("tests/files/near_pairs.tsv"))?;
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let [_, older, newer, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
                bail!("{line}")
            };
            let expected = match expected {
                "distinct" => Expected::Distinct,
                "same" => Expected::Same,
                "either" => Expected::Either,
                other => bail!("{other} in {line}"),
            };
            Ok(Pair { older: older.into(), newer: newer.into(), expected })
        })
        .collect()
}

/// The first texts of the pairs of `statement_pairs.tsv` that are two statements, and would be linked as one if their
/// vectors were similar.
const TAKEN_FOR_ONE: [&str; 3] =
    ["Encrypt backups", "There is a safe in the key", "Ann is the leader of the team"];

/// A vector determined by a number, far from those of other numbers.
fn vector_of(number: usize) -> Result<Vec<f32>> {
    let task = limbic_protocol::Task::Query { text: format!("{number:04}") };
    match Encoder::test().encode(&[task]).pop() {
        Some(Ok(Encoding::Query { vector, .. })) => Ok(vector),
        other => bail!("{other:?}"),
    }
}

/// A unit vector with a given cosine to the vector of a number.
fn vector_beside(number: usize, cosine: f32) -> Result<Vec<f32>> {
    let (near, other) = (vector_of(number)?, vector_of(number + 1)?);
    let dot: f32 = near.iter().zip(&other).map(|(a, b)| a * b).sum();
    let across: Vec<f32> = near.iter().zip(&other).map(|(a, b)| b - dot * a).collect();
    let length = across.iter().map(|x| x * x).sum::<f32>().sqrt();
    let sine = (1.0 - cosine * cosine).sqrt();
    Ok(near.iter().zip(&across).map(|(a, b)| cosine * a + sine * b / length).collect())
}

/// Drains the embedding queue, giving every text the vector of one number.
fn drain_with_vector_of(memory: &mut Native, number: usize) -> Result<()> {
    drain_with(memory, &vector_of(number)?)
}

fn drain_with(memory: &mut Native, near: &[f32]) -> Result<()> {
    memory.drain_changed(|vector| near.clone_into(vector))
}

fn store(memory: &mut Native, number: usize, fields: &Value) -> Result<Value> {
    let stored = ask(memory, "memory_store", fields)?;
    drain_with_vector_of(memory, number)?;
    Ok(stored)
}

fn stored_pair(memory: &mut Native, number: usize, pair: &Pair) -> Result<()> {
    let subject = format!("pair-{number}");
    let older = json!({ "id": format!("old-{number}"), "content": pair.older, "subject": subject, "confidence": 0.5 });
    let newer = json!({ "id": format!("new-{number}"), "content": pair.newer, "subject": subject });
    store(memory, number, &older)?;
    let stored = store(memory, number, &newer)?;
    if pair.expected == Expected::Distinct {
        ensure!(stored.get("merged_into").is_none(), "{stored}");
    }
    Ok(())
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["memories"].as_array().into_iter().flatten().filter_map(|memory| memory["id"].as_str()).collect()
}

/// The memory of an id in an answer.
fn of<'a>(answer: &'a Value, id: &str) -> Result<&'a Value> {
    let memories = answer["memories"].as_array().context("memories")?;
    memories.iter().find(|memory| memory["id"] == id).with_context(|| format!("{id} is missing in {answer}"))
}

/// Asserts that each of two memories names the other as a possible contradiction.
fn assert_marked(answer: &Value, one: &str, other: &str) -> Result<()> {
    for (id, named) in [(one, other), (other, one)] {
        ensure_same(&of(answer, id)?["possible_contradiction"], &json!([named]), format!("{id}: {answer}"))?;
    }
    Ok(())
}

#[test]
fn every_pair_is_classified() -> Result<()> {
    let pairs = pairs()?;
    ensure!(pairs.iter().filter(|pair| pair.expected == Expected::Distinct).count() >= 140);
    let wrong: Vec<String> = pairs
        .iter()
        .filter(|pair| pair.expected != Expected::Either)
        .filter(|Pair { older, newer, expected }| {
            let is_same = *expected == Expected::Same;
            let is_found = |one: &str, other: &str| relation(one, other) == Relation::Same;
            let is_strict = is_same && !same_statement(older, newer);
            is_strict || is_found(older, newer) != is_same || is_found(newer, older) != is_same
        })
        .map(|pair| format!("{} / {}: {:?}", pair.older, pair.newer, pair.expected))
        .collect();
    ensure!(wrong.is_empty(), "{wrong:#?}");
    Ok(())
}

/// Pairs on which the rules were tried: most have the words of a transformation that does not apply to them.
#[test]
fn words_decide_how_two_statements_are_related() -> Result<()> {
    let text = std::fs::read_to_string(project("tests/files/statement_pairs.tsv"))?;
    let mut wrong = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [label, one, other] = line.split('\t').collect::<Vec<_>>()[..] else { bail!("{line}") };
        let found = relation(one, other);
        ensure!(relation(other, one) == found, "{line}: another relation in the other order");
        let is_right = match label {
            "paraphrase" => found == Relation::Paraphrase,
            "distinct" if found == Relation::Reworded => TAKEN_FOR_ONE.contains(&one),
            "distinct" => !matches!(found, Relation::Same | Relation::Paraphrase),
            "refined" => found == Relation::Extension,
            "contradicting" => found == Relation::Contradiction,
            "unrelated" => !matches!(
                found,
                Relation::Same | Relation::Paraphrase | Relation::Reworded | Relation::Contradiction
            ),
            _ => bail!("{line}"),
        };
        if !is_right {
            wrong.push(format!("{found:?}: {line}"));
        }
    }
    ensure!(wrong.is_empty(), "{wrong:#?}");
    Ok(())
}

#[test]
fn no_correction_is_hidden() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let mut wrong = Vec::new();
    for (number, pair) in pairs()?.iter().enumerate().filter(|(_, pair)| pair.expected == Expected::Distinct)
    {
        stored_pair(&mut memory, number, pair)?;
        if let Err(error) = is_shown(&mut memory, number, pair) {
            wrong.push(format!("{} / {}: {error}", pair.older, pair.newer));
        }
    }
    ensure!(wrong.is_empty(), "{} pairs: {wrong:#?}", wrong.len());
    Ok(())
}

fn is_shown(memory: &mut Native, number: usize, pair: &Pair) -> Result<()> {
    let (old, new) = (format!("old-{number}"), format!("new-{number}"));
    let subject = format!("pair-{number}");
    for query in [&pair.newer, &pair.older] {
        let asked = json!({ "query": query, "subject": subject, "touch": false });
        let found = ask(memory, "memory_recall", &asked)?;
        ensure!(ids(&found) == [&new, &old], "{:?} for {query}", ids(&found));
        assert_marked(&found, &new, &old)?;
    }
    let known = ask(memory, "memory_get", &json!({ "ids": [old, new] }))?;
    ensure!(of(&known, &old)?["confidence"] == 0.5, "the older one was confirmed");
    assert_marked(&known, &old, &new)
}

#[test]
fn the_same_statement_is_confirmed_and_shown_once() -> Result<()> {
    let mut memory = Native::in_memory()?;
    for (number, pair) in pairs()?.iter().enumerate().filter(|(_, pair)| pair.expected == Expected::Same) {
        stored_pair(&mut memory, number, pair)?;
        let asked = json!({ "query": pair.newer, "subject": format!("pair-{number}"), "touch": false, "detail": "full" });
        let found = ask(&mut memory, "memory_recall", &asked)?;
        let old = format!("old-{number}");
        ensure!(ids(&found) == [old.as_str()], "{} / {}: {found}", pair.older, pair.newer);
        ensure!(found["memories"][0]["confidence"] == 0.6, "{found}");
    }
    Ok(())
}

#[test]
fn texts_that_differ_in_one_word_are_near_at_a_lower_cosine() -> Result<()> {
    let mut memory = Native::in_memory()?;
    // The first three cosines are those of the packaged model.
    for (number, (older, newer, cosine, is_marked)) in [
        ("The cache must be on", "The cache must be off", 0.945, true),
        ("The service listens on port 8080", "The service listens on port 8081", 0.888, true),
        ("The proposal was accepted", "The proposal was rejected", 0.841, true),
        ("The cache must be on", "Every cache entry should be kept", 0.945, false),
        ("The cache must be on", "The cache must be off", 0.45, false),
    ]
    .into_iter()
    .enumerate()
    {
        let subject = format!("pair-{number}");
        for (id, content, cosine) in [("old", older, 1.0), ("new", newer, cosine)] {
            let stored = json!({ "id": format!("{id}-{number}"), "content": content, "subject": subject });
            ask(&mut memory, "memory_store", &stored)?;
            drain_with(&mut memory, &vector_beside(10 * number, cosine)?)?;
        }
        let asked = json!({ "query": older, "subject": subject, "touch": false });
        let found = ask(&mut memory, "memory_recall", &asked)?;
        let (old, new) = (format!("old-{number}"), format!("new-{number}"));
        if is_marked {
            ensure!(ids(&found) == [&new, &old], "{older} / {newer}: {found}");
            assert_marked(&found, &new, &old)?;
        } else {
            ensure!(!found.to_string().contains("possible_contradiction"), "{older} / {newer}: {found}");
        }
    }
    Ok(())
}

#[test]
fn of_equal_scores_the_newer_memory_comes_first() -> Result<()> {
    let mut memory = Native::in_memory()?;
    for (id, content) in [("old", "Alice reports to Bob"), ("new", "Bob reports to Alice")] {
        ask(&mut memory, "memory_store", &json!({ "id": id, "content": content }))?;
    }
    let found = ask(&mut memory, "memory_recall", &json!({ "query": "who reports to whom, Alice or Bob?" }))?;
    ensure!(ids(&found) == ["new", "old"], "{found}");
    Ok(())
}

fn on_and_off(memory: &mut Native) -> Result<()> {
    store(memory, 1, &json!({ "id": "on", "content": "The cache must be on", "confidence": 0.5 }))?;
    store(memory, 1, &json!({ "id": "off", "content": "The cache must be off" })).map(drop)
}

fn cache(memory: &mut Native, limit: usize) -> Result<Value> {
    ask(memory, "memory_recall", &json!({ "query": "the cache must be on", "limit": limit, "touch": false }))
}

fn open_pairs(memory: &mut Native) -> Result<Vec<(String, String)>> {
    let asked = json!({ "kind": "links", "filter": { "type": "possible_contradiction" }, "status": "link" });
    let listed = ask(memory, "explore_records", &asked)?;
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let rows = listed["rows"].as_array().context("rows")?;
    ensure!(listed["total"] == rows.len(), "{listed}");
    Ok(rows.iter().map(|row| (text(row, "from_id"), text(row, "to_id"))).collect())
}

#[test]
fn a_pair_is_listed_until_it_is_decided() -> Result<()> {
    let link = |kind: &str| json!({ "from_id": "off", "to_id": "on", "type": kind });
    let pair = vec![("off".to_owned(), "on".to_owned())];
    for kind in ["supersedes", "contradicts", "refines"] {
        let mut memory = Native::in_memory_offering(&["memory", "explorer"])?;
        on_and_off(&mut memory)?;
        ensure!(open_pairs(&mut memory)? == pair, "{kind}");
        ensure!(ids(&cache(&mut memory, 1)?) == ["off"], "the newer one comes first");
        ask(&mut memory, "memory_link", &link(kind))?;
        ensure!(open_pairs(&mut memory)?.is_empty(), "{kind}");
        let mut back = link(kind);
        back["remove"] = true.into();
        ask(&mut memory, "memory_link", &back)?;
        ensure!(open_pairs(&mut memory)? == pair, "{kind} was taken back");
    }
    Ok(())
}

#[test]
fn a_dismissed_pair_stays_dismissed_until_a_text_changes() -> Result<()> {
    let mut memory = Native::in_memory_offering(&["memory", "explorer"])?;
    on_and_off(&mut memory)?;
    let dismiss =
        json!({ "from_id": "off", "to_id": "on", "type": "possible_contradiction", "remove": true });
    ensure!(ask(&mut memory, "memory_link", &dismiss)?["removed"] == true);
    let is_unmarked = |memory: &mut Native| -> Result<()> {
        let found = cache(memory, 10)?;
        ensure!(ids(&found).len() == 2 && !found.to_string().contains("possible_contradiction"), "{found}");
        let known = ask(memory, "memory_get", &json!({ "ids": ["on"] }))?;
        ensure!(known["memories"][0].get("edges").is_none(), "{known}");
        ensure!(open_pairs(memory)?.is_empty());
        Ok(())
    };
    is_unmarked(&mut memory)?;
    ensure!(ask(&mut memory, "memory_link", &dismiss)?["removed"] == false, "it is dismissed once");
    // Embedded again with another encoder, the texts are equally near.
    memory.limbic().store_vectors(&[], "another@1")?;
    drain_with_vector_of(&mut memory, 2)?;
    memory.limbic().store_vectors(&[], Encoder::test().name())?;
    drain_with_vector_of(&mut memory, 1)?;
    is_unmarked(&mut memory)?;
    ask(&mut memory, "memory_update", &json!({ "id": "off", "content": "The cache must be away" }))?;
    drain_with_vector_of(&mut memory, 1)?;
    ensure!(open_pairs(&mut memory)? == [("off".to_owned(), "on".to_owned())]);
    Ok(())
}

#[test]
fn the_latest_statement_is_first() -> Result<()> {
    let mut memory = Native::in_memory_offering(&["memory", "explorer"])?;
    on_and_off(&mut memory)?;
    let again = ask(&mut memory, "memory_store", &json!({ "content": "the cache must be on" }))?;
    ensure!(again["merged_into"] == "on", "{again}");
    ensure!(ids(&cache(&mut memory, 10)?) == ["on", "off"], "the statement was stored again");
    ensure!(open_pairs(&mut memory)? == [("on".to_owned(), "off".to_owned())]);
    ask(&mut memory, "memory_update", &json!({ "id": "off", "content": "The cache must be off at night" }))?;
    drain_with_vector_of(&mut memory, 1)?;
    ensure!(ids(&cache(&mut memory, 10)?) == ["off", "on"], "it has another text");
    Ok(())
}

#[test]
fn a_statement_is_as_new_as_its_latest_wording() -> Result<()> {
    let rule = json!({ "id": "rule", "content": "Do not deploy on Fridays", "confidence": 0.5 });
    let change = json!({ "id": "change", "content": "Deploy on Fridays" });
    let wording = json!({ "id": "wording", "content": "Don't deploy on Fridays" });
    let asked = json!({ "query": "deploy on Fridays", "touch": false });
    let is_newest = |memory: &mut Native, ids_expected: [&str; 2]| -> Result<()> {
        let found = ask(memory, "memory_recall", &asked)?;
        ensure!(ids(&found) == ids_expected, "{found}");
        assert_marked_in_recall(&found)?;
        let [newer, older] = ids_expected.map(str::to_owned);
        let open = open_pairs(memory)?;
        ensure!(open.contains(&(newer, older)), "{open:?}");
        Ok(())
    };
    // Stored again in other words.
    let mut memory = Native::in_memory_offering(&["memory", "explorer"])?;
    for stored in [&rule, &change, &wording] {
        store(&mut memory, 1, stored)?;
    }
    is_newest(&mut memory, ["rule", "change"])?;
    // The hidden wording is stored again.
    ask(&mut memory, "memory_store", &json!({ "content": "deploy on Fridays" }))?;
    is_newest(&mut memory, ["change", "rule"])?;
    let again = ask(&mut memory, "memory_store", &json!({ "content": "don't deploy on Fridays" }))?;
    ensure!(again["merged_into"] == "wording", "{again}");
    is_newest(&mut memory, ["rule", "change"])?;
    // Two wordings before the change; the first one is stored again.
    let mut memory = Native::in_memory_offering(&["memory", "explorer"])?;
    for stored in [&rule, &wording, &change] {
        store(&mut memory, 1, stored)?;
    }
    is_newest(&mut memory, ["change", "rule"])?;
    let again = ask(&mut memory, "memory_store", &json!({ "content": "do not deploy on Fridays" }))?;
    ensure!(again["merged_into"] == "rule", "{again}");
    is_newest(&mut memory, ["rule", "change"])
}

/// Asserts that the first two memories of an answer name each other as possible contradictions.
fn assert_marked_in_recall(answer: &Value) -> Result<()> {
    let found = ids(answer);
    for (id, named) in [(found[0], found[1]), (found[1], found[0])] {
        let near = of(answer, id)?["possible_contradiction"].as_array().context("possible_contradiction")?;
        ensure!(near.contains(&json!(named)), "{id}: {answer}");
    }
    Ok(())
}

#[test]
fn edges_between_different_texts_hide_nothing() -> Result<()> {
    let file = MemoryFile::new()?;
    let options = Options { toolsets: vec!["memory".into(), "explorer".into()], ..Options::default() };
    let mut memory = file.open(0, options.clone())?;
    on_and_off(&mut memory)?;
    drop(memory);
    limbic_tests::memory::connect(&file.path)?.execute_batch(
        "UPDATE MEMORY_EDGES SET type = 'near_duplicate', id = 'off-on-near_duplicate'
             WHERE type = 'possible_contradiction' OR type = 'near_duplicate'",
    )?;
    let mut memory = file.open(1, options)?;
    let found = cache(&mut memory, 10)?;
    ensure!(ids(&found) == ["off", "on"], "{found}");
    assert_marked(&found, "off", "on")
}

#[test]
fn a_pinned_memory_is_not_hidden_by_its_duplicate() -> Result<()> {
    let mut memory = Native::in_memory()?;
    store(&mut memory, 1, &json!({ "id": "old", "content": "Keep two backups" }))?;
    store(&mut memory, 1, &json!({ "id": "rule", "content": "Keep 2 backups", "pinned": true }))?;
    let found = ask(&mut memory, "memory_recall", &json!({ "query": "backups", "touch": false }))?;
    ensure!(ids(&found).contains(&"rule"), "{found}");
    Ok(())
}

#[test]
fn similar_observations_are_only_suggested() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let texts: std::collections::BTreeSet<String> = pairs()?
        .into_iter()
        .filter(|pair| pair.expected == Expected::Distinct)
        .flat_map(|pair| [pair.older, pair.newer])
        .collect();
    let entity = json!({ "name": "Atlas", "entityType": "Project", "observations": texts });
    ask(&mut memory, "create_entities", &json!({ "entities": [entity] }))?;
    memory.drain()?;
    let found = ask(
        &mut memory,
        "find_duplicate_observations",
        &json!({ "entity_name": "Atlas", "threshold": 0.8 }),
    )?;
    ensure!(!found["duplicate_pairs"].as_array().context("pairs")?.is_empty(), "{found}");
    ask(&mut memory, "consolidation_report", &json!({}))?;
    let opened = ask(
        &mut memory,
        "open_nodes",
        &json!({ "names": ["Atlas"], "detail": "full", "max_tokens": 100_000 }),
    )?;
    let kept = opened["entities"][0]["observations"].as_array().context("observations")?;
    ensure!(kept.len() == texts.len(), "{} of {} remain", kept.len(), texts.len());
    ensure!(kept.iter().all(|kept| kept["superseded_at"].is_null()), "{opened}");
    Ok(())
}

#[test]
fn dismissed_contradictions_survive_an_export() -> Result<()> {
    let mut memory = Native::in_memory_offering(&["memory", "explorer"])?;
    on_and_off(&mut memory)?;
    store(&mut memory, 2, &json!({ "id": "a", "content": "Alice reports to Bob", "tags": ["team"] }))?;
    store(&mut memory, 2, &json!({ "id": "b", "content": "Bob reports to Alice" }))?;
    let dismiss =
        json!({ "from_id": "off", "to_id": "on", "type": "possible_contradiction", "remove": true });
    ask(&mut memory, "memory_link", &dismiss)?;
    ask(&mut memory, "memory_update", &json!({ "id": "a", "tags": ["people"], "category": "decision" }))?;
    let bytes = export(&mut memory, "limbic")?;
    let mut copy = Native::in_memory_offering(&["memory", "explorer", "graph"])?;
    let answer = import(&mut copy, &bytes, false)?;
    ensure!(answer["skipped"] == 0, "{answer}");
    ensure!(open_pairs(&mut copy)? == [("b".to_owned(), "a".to_owned())]);
    let known = ask(&mut copy, "memory_get", &json!({ "ids": ["a"] }))?["memories"][0]["history"].clone();
    ensure_same(&known[0]["tags"], &json!(["team"]), &known)?;
    ensure!(known[0]["category"] == "fact", "{known}");
    let again = String::from_utf8(export(&mut copy, "limbic")?)?;
    let first = String::from_utf8(bytes)?;
    for record in ["memory_edge", "memory_history"] {
        let lines = |text: &str| -> Vec<String> {
            text.lines().filter(|line| line.contains(&format!("\"{record}\""))).map(str::to_owned).collect()
        };
        ensure!(!lines(&first).is_empty() && lines(&first) == lines(&again), "{record}: {again}");
    }
    Ok(())
}

#[test]
fn without_a_query_the_newer_one_comes_first() -> Result<()> {
    let mut memory = Native::in_memory()?;
    on_and_off(&mut memory)?;
    ask(&mut memory, "memory_update", &json!({ "id": "on", "importance": 9, "confidence": 1 }))?;
    let found = ask(&mut memory, "memory_recall", &json!({ "touch": false, "detail": "full" }))?;
    ensure!(ids(&found) == ["off", "on"], "{found}");
    let scores: Vec<f64> =
        (0..2).map(|index| found["memories"][index]["score"].as_f64().unwrap_or_default()).collect();
    ensure!(scores[0] > scores[1], "{found}");
    Ok(())
}

/// The memories in the output of a hook.
fn hook_memories(memory: &mut Native, hook: &str, event: &Value) -> Result<Vec<Value>> {
    let answer =
        memory.limbic().hook(hook, &event.to_string(), None)?.context("nothing was hook_memories")?;
    let answer: Value = serde_json::from_str(&answer)?;
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().context("context")?;
    let (start, end) = (text.find("\n[").context("start")?, text.rfind("]\n").context("end")?);
    Ok(serde_json::from_str(&text[start..=end])?)
}

#[test]
fn hooks_return_the_correction_before_the_older_text() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let old = json!({ "id": "old", "content": "Deploys must use blue runners", "category": "convention", "tier": "l0" });
    // Neither the tier nor the category is one that hooks return.
    let new = json!({ "id": "new", "content": "Deploys must use green runners", "confidence": 0.4 });
    for stored in [&old, &new] {
        store(&mut memory, 1, stored)?;
    }
    ask(
        &mut memory,
        "memory_store",
        &json!({ "id": "other", "content": "Reviews take a day", "tier": "l0" }),
    )?;
    drain_with_vector_of(&mut memory, 5)?;
    let input = json!({ "tool_input": { "command": "deploys use blue runners" } });
    let prompt = json!({ "prompt": "which runners must deploys use, blue runners?" });
    for (hook, event) in
        [("session-start", json!({})), ("pre-tool-use", input), ("user-prompt-submit", prompt)]
    {
        let found = hook_memories(&mut memory, hook, &event)?;
        let position = |id: &str| found.iter().position(|memory| memory["id"] == id);
        ensure!(position("new").is_some() && position("new") < position("old"), "{hook}: {found:?}");
        for (id, named) in [("old", "new"), ("new", "old")] {
            let marked = found
                .iter()
                .any(|memory| memory["id"] == id && memory["possible_contradiction"] == json!([named]));
            ensure!(marked, "{hook}: {found:?}");
        }
    }
    // A decided pair is not reported again.
    ask(&mut memory, "memory_link", &json!({ "from_id": "new", "to_id": "old", "type": "supersedes" }))?;
    let found = hook_memories(&mut memory, "session-start", &json!({}))?;
    ensure!(found.iter().any(|memory| memory["id"] == "other"), "{found:?}");
    ensure!(
        found.iter().all(|memory| memory["id"] != "old" && memory.get("possible_contradiction").is_none()),
        "{found:?}"
    );
    Ok(())
}
