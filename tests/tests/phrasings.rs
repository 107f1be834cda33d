//! Several phrasings of a query in one call: each result has the score of the phrasing that it matches best.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use limbic_encoder::Encoder;
use limbic_tests::{
    memory::Native,
    memory_file::{MemoryFile, ask, ask_by_words, filled, open},
};
use limbic_tools::{Limbic, Options};
use serde_json::{Value, json};

const PHRASINGS: [&str; 2] = ["when does the ferry leave?", "who feeds the parrot?"];
const UNKNOWN: &str = "zebra crossing";

fn store(memory: &mut Native) -> Result<()> {
    let memories = json!({ "memories": [
        { "content": "The ferry does leave at nine", "id": "ferry" },
        { "content": "Marta feeds the parrot at noon", "id": "parrot" },
        { "content": "The printer on the second floor jams", "id": "printer" },
    ] });
    ask(memory, "memory_store", &memories)?;
    memory.drain()
}

/// The relevance and the best phrasing of each result, by id or name.
fn relevance(answer: &Value, results: &str, key: &str) -> BTreeMap<String, (f64, Option<String>)> {
    let of = |result: &Value| {
        let explanation = &result["explanation"];
        let phrasing = explanation["query"].as_str().map(str::to_owned);
        let relevance = explanation["relevance"].as_f64()?;
        Some((result[key].as_str()?.to_owned(), (relevance, phrasing)))
    };
    answer[results].as_array().into_iter().flatten().filter_map(of).collect()
}

/// Asserts that the relevance with all phrasings is the maximum over the single phrasings.
fn assert_maximum(results: &str, key: &str, mut ask: impl FnMut(Value) -> Result<Value>) -> Result<()> {
    let mut alone = Vec::new();
    for phrasing in PHRASINGS {
        let found = relevance(&ask(json!({ "query": phrasing }))?, results, key);
        ensure!(found.values().all(|(_, query)| query.is_none()), "one phrasing is named: {found:?}");
        alone.push((phrasing, found));
    }
    let both = relevance(&ask(json!({ "queries": PHRASINGS }))?, results, key);
    ensure!(both.len() >= 2, "{both:?}");
    let mut best = Vec::new();
    for (name, (relevance, query)) in &both {
        let of = |found: &BTreeMap<String, (f64, Option<String>)>| found.get(name).map_or(0.0, |it| it.0);
        let most = alone.iter().map(|(_, found)| of(found)).fold(0.0, f64::max);
        ensure!((relevance - most).abs() < 1e-9, "{name}: {relevance} is not {most}");
        let query = query.as_deref().with_context(|| format!("{name} has no phrasing"))?;
        let named = alone.iter().find(|(phrasing, _)| *phrasing == query).context("a phrasing")?;
        ensure!((of(&named.1) - most).abs() < 1e-9, "{name} does not match {query:?} best");
        best.push(query);
    }
    ensure!(PHRASINGS.iter().all(|phrasing| best.contains(phrasing)), "a phrasing had no effect: {both:?}");
    // `query` is one of the phrasings, in any position.
    let split = ask(json!({ "queries": [PHRASINGS[1]], "query": PHRASINGS[0] }))?;
    ensure!(relevance(&split, results, key) == both, "{split}");
    Ok(())
}

#[test]
fn the_relevance_of_a_memory_is_the_maximum() -> Result<()> {
    let mut memory = Native::in_memory()?;
    store(&mut memory)?;
    assert_maximum("memories", "id", |mut arguments| {
        arguments["explain"] = true.into();
        arguments["touch"] = false.into();
        ask(&mut memory, "memory_recall", &arguments)
    })?;
    // A shell without an encoder compares words.
    let limbic = memory.limbic();
    assert_maximum("memories", "id", |mut arguments| {
        arguments["explain"] = true.into();
        arguments["touch"] = false.into();
        let found = ask_by_words(limbic, "memory_recall", &arguments)?;
        ensure!(found["mode"] == "lexical", "{found}");
        Ok(found)
    })
}

#[test]
fn the_relevance_of_an_entity_is_the_maximum() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let entities = json!({ "entities": [
        { "name": "Ferry", "observations": ["The ferry does leave at nine"] },
        { "name": "Parrot", "observations": ["Marta feeds the parrot at noon"] },
        { "name": "Printer", "observations": ["The printer on the second floor jams"] },
    ] });
    ask(&mut memory, "create_entities", &entities)?;
    memory.drain()?;
    assert_maximum("results", "name", |mut arguments| {
        arguments["explain"] = true.into();
        let found = ask(&mut memory, "search_semantic", &arguments)?;
        ensure!(found["mode"] == "hybrid", "{found}");
        Ok(found)
    })
}

#[test]
fn recall_is_confident_if_one_phrasing_is_answered() -> Result<()> {
    let mut memory = Native::in_memory()?;
    store(&mut memory)?;
    let words = |limbic: &mut Limbic, queries: &[&str]| {
        ask_by_words(limbic, "memory_recall", &json!({ "queries": queries, "touch": false }))
    };
    for (queries, confident) in [(&[UNKNOWN][..], false), (&[UNKNOWN, PHRASINGS[0]], true)] {
        let found = ask(&mut memory, "memory_recall", &json!({ "queries": queries, "touch": false }))?;
        let expected = if confident { Value::Null } else { false.into() };
        ensure!(found["confident"] == expected && found["mode"].is_null(), "{queries:?}: {found}");
        let found = words(memory.limbic(), queries)?;
        ensure!(found["confident"] == expected && found["mode"] == "lexical", "{queries:?}: {found}");
    }
    Ok(())
}

#[test]
fn every_phrasing_is_encoded_once_and_in_order() -> Result<()> {
    let mut memory = Native::in_memory()?;
    store(&mut memory)?;
    let limbic = memory.limbic();
    let arguments = json!({ "queries": [PHRASINGS[1], PHRASINGS[0], PHRASINGS[1]], "query": PHRASINGS[0] });
    for tool in ["memory_recall", "search_semantic"] {
        let texts = limbic.texts(tool, &arguments.to_string());
        ensure!(texts == limbic.texts(tool, &json!({ "queries": PHRASINGS }).to_string()), "{texts:?}");
        ensure!(texts.len() == 2, "{texts:?}");
    }
    // Encodings of fewer phrasings than there are, as from a shell that knows `query` only: words are compared.
    let question =
        json!({ "query": PHRASINGS[0], "queries": [PHRASINGS[1]], "detail": "full", "touch": false })
            .to_string();
    let one = Encoder::test().encode(&limbic.texts("memory_recall", &question)[..1]);
    let answer: Value = serde_json::from_str(&limbic.call("memory_recall", &question, &one).json)?;
    ensure!(answer["mode"] == "lexical" && answer["confident"] == true, "{answer}");
    Ok(())
}

#[test]
fn a_recall_in_several_phrasings_is_one_use() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    store(&mut memory)?;
    ask(&mut memory, "memory_recall", &json!({ "queries": PHRASINGS }))?;
    memory.limbic().finish()?;
    ensure!(file.one::<i64>("SELECT max(access_count) FROM memory_nodes")? == 1, "counted for each phrasing");
    Ok(())
}

#[test]
fn the_log_names_the_first_phrasing_and_use_counts_for_each() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    filled(&mut memory)?;
    ask(&mut memory, "search_semantic", &json!({ "queries": ["green tea", "leaves"] }))?;
    open(&mut memory, "Green")?;
    ensure!(file.one::<i64>("SELECT count(*) FROM search_events")? == 1, "one call is one search");
    ensure!(file.one::<String>("SELECT query_text FROM search_events")? == "green tea", "the first phrasing");
    let importance = |memory: &mut Native, queries: &[&str]| -> Result<f64> {
        let arguments = json!({ "queries": queries, "detail": "full" });
        let found = ask(memory, "search_semantic", &arguments)?;
        let green = found["results"].as_array().into_iter().flatten().find(|it| it["name"] == "Green");
        green.and_then(|it| it["scoring"]["importance"].as_f64()).context("Green is found")
    };
    ensure!(importance(&mut memory, &["who is good?"])? == 0.0, "an unlike question");
    ensure!(importance(&mut memory, &["who is good?", "green tea"])? >= 1.0, "a like phrasing");
    Ok(())
}

#[test]
fn every_phrasing_is_limited_to_the_user() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    let memories = json!({ "memories": [
        { "content": "The ferry does leave at nine", "id": "adas", "user_id": "ada" },
        { "content": "Bob feeds the parrot", "id": "bobs", "user_id": "bob" },
    ] });
    ask(&mut memory, "memory_store", &memories)?;
    drop(memory);
    let mut limited = file.open(1, Options { user: Some("ada".into()), ..Options::default() })?;
    let found = ask(&mut limited, "memory_recall", &json!({ "queries": PHRASINGS }))?;
    let ids: Vec<&Value> = found["memories"].as_array().into_iter().flatten().map(|it| &it["id"]).collect();
    ensure!(ids == ["adas"], "{found}");
    Ok(())
}
