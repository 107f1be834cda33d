//! Answers with default arguments fit in a context window, however large the memory is.

use anyhow::{Context, Result, ensure};
use limbic_tests::{memory::Native, memory_file::ask_by_words};
use serde_json::{Value, json};

/// Maximum size of an answer to an agent with default arguments, in bytes: 8,000 tokens of four characters, and a
/// quarter more for fields outside the budget.
const MAX_AGENT_BYTES: usize = 40_000;
/// Maximum size of a resource, in bytes: 50,000 tokens, as many for indentation, and a quarter more.
const MAX_RESOURCE_BYTES: usize = 500_000;
/// Maximum size of an answer to a page with default arguments, in bytes.
const MAX_PAGE_BYTES: usize = 5_000_000;
/// Maximum size of the answer to a small write, in bytes.
const MAX_WRITE_BYTES: usize = 6_000;

/// Maximum number of items in a call.
const MAX_PER_CALL: usize = 1_000;
const LARGE_OBSERVATIONS: usize = 20_000;

/// Calls a tool without waiting for embeddings.
fn run(memory: &mut Native, tool: &str, arguments: &Value) -> Result<(bool, String)> {
    let answer = memory.limbic().call(tool, &arguments.to_string(), &[]);
    memory.limbic().finish()?;
    Ok((answer.is_error, answer.json))
}

/// A text of about 200 characters; each tenth repeats the text before it in capitals.
fn fact(number: usize) -> String {
    if number % 10 == 9 {
        return fact(number - 1).to_uppercase();
    }
    let room = ["harbour", "archive", "kitchen", "workshop", "garden", "library", "office"][number % 7];
    let filling = "what was agreed there is kept until the next review of the plan ".repeat(2);
    format!("Fact {number} about the {room}: {filling}, and its {room} number is {number}")
}

/// Stores a large entity, a hub with thousands of relations, hundreds of entities that need a split, reflections, and
/// memories with a hub, a long history and many domains.
fn fill(memory: &mut Native) -> Result<()> {
    ask_by_words(
        memory.limbic(),
        "create_entities",
        &json!({ "entities": [{ "name": "Large" }, { "name": "Hub", "entityType": "Place" }] }),
    )?;
    let facts: Vec<String> = (0..LARGE_OBSERVATIONS).map(fact).collect();
    for some in facts.chunks(MAX_PER_CALL) {
        ask_by_words(memory.limbic(), "add_observations", &json!({ "name": "Large", "observations": some }))?;
    }
    let small: Vec<Value> = (0..2 * MAX_PER_CALL)
        .map(|number| {
            let count = if number % 20 == 0 { 40 } else { 2 };
            let observations: Vec<String> = (0..count).map(|one| fact(number * 100 + one)).collect();
            json!({ "name": format!("Entity {number} of the large memory"), "entityType": format!("Type {}", number % 300), "observations": observations })
        })
        .collect();
    let relations: Vec<Value> = (0..small.len())
        .map(|number| {
            json!({ "from": "Hub", "to": format!("Entity {number} of the large memory"), "relationType": format!("relation type {}", number % 50), "context": fact(number) })
        })
        .collect();
    for (some, links) in small.chunks(MAX_PER_CALL / 2).zip(relations.chunks(MAX_PER_CALL / 2)) {
        ask_by_words(memory.limbic(), "create_entities", &json!({ "entities": some }))?;
        ask_by_words(memory.limbic(), "create_relations", &json!({ "relations": links }))?;
    }
    for number in 0..300 {
        ask_by_words(
            memory.limbic(),
            "add_reflection",
            &json!({ "target_type": "entity", "target_id": 2, "content": fact(number) }),
        )?;
    }
    fill_memories(memory)
}

fn fill_memories(memory: &mut Native) -> Result<()> {
    for number in 0..400 {
        let domain = json!({ "id": format!("domain {number}"), "description": fact(number) });
        ask_by_words(memory.limbic(), "create_domain", &domain)?;
    }
    let subjects = ["testing", "auth", "deployment"];
    let memories: Vec<Value> = (0..2 * MAX_PER_CALL)
        .map(|number| {
            json!({ "id": format!("m{number}"), "content": format!("{} {number}", fact(number)), "subject": subjects[number % 3],
                "pinned": number % 10 == 0, "tags": ["harbour", "plan"],
                "relationships": if number == 0 { json!({}) } else { json!({ "supports": [{ "targetId": "m0" }] }) } })
        })
        .collect();
    for some in memories.chunks(MAX_PER_CALL) {
        ask_by_words(memory.limbic(), "memory_store", &json!({ "memories": some }))?;
    }
    for number in 0..200 {
        ask_by_words(
            memory.limbic(),
            "memory_update",
            &json!({ "id": "m0", "content": format!("Version {number}: {}", fact(number)) }),
        )?;
    }
    Ok(())
}

/// Every tool that reads, with its required arguments; `true` for tools of pages.
fn reads() -> Vec<(&'static str, Value, bool)> {
    let ids: Vec<String> = (0..MAX_PER_CALL).map(|number| format!("m{number}")).collect();
    let names: Vec<String> =
        (0..MAX_PER_CALL).map(|number| format!("Entity {number} of the large memory")).collect();
    let entity = json!({ "entity_name": "Large" });
    let split = json!({ "entity_name": "Entity 0 of the large memory" });
    let harbour = json!({ "query": "harbour" });
    vec![
        ("read_graph", json!({}), false),
        ("read_graph", json!({ "detail": "full", "limit": 1000 }), false),
        ("search_nodes", harbour.clone(), false),
        ("search_nodes", json!({ "query": "Hub" }), false),
        ("search_nodes", json!({ "query": "of the large memory", "limit": 1000 }), false),
        ("open_nodes", json!({ "names": ["Large"] }), false),
        ("open_nodes", json!({ "names": ["Hub"], "detail": "full" }), false),
        ("search_semantic", harbour.clone(), false),
        ("search_semantic", json!({ "query": "harbour", "limit": 100, "explain": true }), false),
        ("analyze_entity_split", entity.clone(), false),
        ("propose_entity_split", entity.clone(), false),
        ("propose_entity_split", split, false),
        ("find_split_candidates", json!({}), false),
        ("find_split_candidates", json!({ "limit": 1000 }), false),
        ("find_duplicate_observations", entity, false),
        ("consolidation_report", json!({}), false),
        ("consolidation_report", json!({ "stale_days": 0 }), false),
        ("search_reflections", harbour.clone(), false),
        ("search_reflections", json!({ "query": "harbour", "limit": 100 }), false),
        ("search_quality_report", json!({}), false),
        ("graph_neighbors", json!({ "name": "Hub" }), false),
        ("graph_neighbors", json!({ "name": "Hub", "limit": 1000, "depth": 3 }), false),
        ("graph_communities", json!({ "limit": 1000, "names_max": 1000 }), false),
        ("memory_recall", harbour.clone(), false),
        ("memory_recall", json!({ "query": "harbour", "limit": 100, "explain": true }), false),
        ("memory_recall", json!({ "strategy": "recent", "limit": 100 }), false),
        ("memory_get", json!({ "ids": ["m0"] }), false),
        ("memory_get", json!({ "ids": ids }), false),
        ("memory_list", json!({ "limit": 1000 }), false),
        ("memory_traverse", json!({ "start_id": "m0" }), false),
        (
            "memory_traverse",
            json!({ "start_id": "m0", "max_nodes_per_domain": 1000, "detail": "comprehensive" }),
            false,
        ),
        ("memory_diagram", json!({ "start_id": "m0", "max_label": 500 }), false),
        ("memory_maintain", json!({}), false),
        ("list_domains", json!({}), false),
        ("explore_graph", json!({}), true),
        ("explore_graph", json!({ "names": names, "depth": 2 }), true),
        ("explore_records", json!({ "kind": "observations" }), true),
        ("explore_entity", json!({ "name": "Large" }), true),
        ("explore_memory", json!({ "id": "m0" }), true),
        ("explore_timeline", json!({ "buckets": 1000 }), true),
        ("explore_events", json!({}), true),
        ("explore_stats", json!({}), true),
        ("query_sql", json!({ "sql": "SELECT * FROM observations" }), true),
        ("explore_schema", json!({}), true),
    ]
}

#[test]
fn answers_of_a_large_memory_have_a_maximum_size() -> Result<()> {
    let mut memory = Native::in_memory_offering(&["all", "explorer"])?;
    fill(&mut memory)?;
    let mut too_large = Vec::new();
    for (tool, arguments, is_for_pages) in reads() {
        let (is_error, answer) = run(&mut memory, tool, &arguments)?;
        let short: String = arguments.to_string().chars().take(80).collect();
        ensure!(!is_error, "{tool} {short}: {answer}");
        let most = if is_for_pages { MAX_PAGE_BYTES } else { MAX_AGENT_BYTES };
        if answer.len() > most {
            too_large.push(format!("{tool} {short}: {} bytes, at most {most} expected", answer.len()));
        }
    }
    for uri in ["memory://knowledge-graph", "memory://stats", "memory://entity/Large", "memory://entity/Hub"]
    {
        let bytes = memory.limbic().read_resource(uri).json.len();
        if bytes > MAX_RESOURCE_BYTES {
            too_large.push(format!("{uri}: {bytes} bytes, at most {MAX_RESOURCE_BYTES} expected"));
        }
    }
    for prompt in ["recall-context", "save-session", "review-memories"] {
        let bytes = memory.limbic().prompt(prompt, "{}").json.len();
        if bytes > MAX_AGENT_BYTES {
            too_large.push(format!("prompt {prompt}: {bytes} bytes, at most {MAX_AGENT_BYTES} expected"));
        }
    }
    ensure!(too_large.is_empty(), "{}", too_large.join("\n"));
    answers_to_writes_are_short(&mut memory)
}

/// Small changes of large records.
fn answers_to_writes_are_short(memory: &mut Native) -> Result<()> {
    let writes = [
        ("add_observations", json!({ "name": "Large", "observations": ["One more"] })),
        ("add_observations", json!({ "name": "Large", "observations": ["And another"], "supersedes": 1 })),
        (
            "create_entities",
            json!({ "entities": [{ "name": "Large", "observations": ["Said in passing"] }] }),
        ),
        ("create_entities", json!({ "entities": [{ "name": "Large", "status": "pausado" }] })),
        ("delete_observations", json!({ "name": "Large", "observations": ["One more"] })),
        (
            "create_relations",
            json!({ "relations": [{ "from": "Hub", "to": "Large", "relationType": "has" }] }),
        ),
        (
            "delete_relations",
            json!({ "relations": [{ "from": "Hub", "to": "Large", "relationType": "has" }] }),
        ),
        ("memory_update", json!({ "id": "m0", "tags": ["plan"] })),
        (
            "memory_store",
            json!({ "id": "long", "content": "long ".repeat(20_000), "metadata": { "notes": "long ".repeat(10_000) } }),
        ),
        ("memory_update", json!({ "id": "long", "tags": ["plan"] })),
        ("memory_invalidate", json!({ "id": "long" })),
        ("memory_link", json!({ "from_id": "m1", "to_id": "m2", "type": "refines" })),
        ("memory_invalidate", json!({ "id": "m0" })),
        ("delete_entities", json!({ "entityNames": ["Large"] })),
    ];
    for (tool, arguments) in writes {
        let answer = ask_by_words(memory.limbic(), tool, &arguments)?.to_string();
        ensure!(
            answer.len() <= MAX_WRITE_BYTES,
            "{tool} {arguments} answers with {} bytes: {answer}",
            answer.len()
        );
        if tool == "create_entities" && arguments.to_string().contains("Said in passing") {
            ensure!(answer.contains("Said in passing"), "the added records are not shown: {answer}");
        }
    }
    Ok(())
}

#[test]
fn omitted_results_are_on_the_next_page() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let entities: Vec<Value> = (0..60)
        .map(|number| json!({ "name": format!("Place {number}"), "observations": [fact(number), fact(number + 1000)] }))
        .collect();
    ask_by_words(memory.limbic(), "create_entities", &json!({ "entities": entities }))?;
    let question = json!({ "query": "what was agreed there", "limit": 50, "max_tokens": 500 });
    let whole = ask_by_words(
        memory.limbic(),
        "search_semantic",
        &json!({ "query": "what was agreed there", "limit": 50, "max_tokens": 100_000 }),
    )?;
    let whole = whole["results"].as_array().context("results")?.len();
    let mut seen = std::collections::BTreeSet::new();
    let mut arguments = question;
    loop {
        let page = ask_by_words(memory.limbic(), "search_semantic", &arguments)?;
        ensure!(page.to_string().len() < 500 * 4 + 500, "a page of {} bytes", page.to_string().len());
        let results = page["results"].as_array().context("results")?;
        ensure!(!results.is_empty(), "an empty page: {page}");
        for result in results {
            ensure!(seen.insert(result["name"].to_string()), "shown twice: {}", result["name"]);
        }
        let omitted = page["results_omitted"].as_u64().unwrap_or(0);
        ensure!((omitted > 0) == page["next_cursor"].is_string(), "{page}");
        ensure!(usize::try_from(omitted)? + seen.len() == whole, "{omitted} omitted, {} shown", seen.len());
        ensure!(page["event_id"].is_number() == arguments.get("cursor").is_none(), "{page}");
        match page.get("next_cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    ensure!(seen.len() == whole && whole == 50, "{} of {whole} were shown", seen.len());
    Ok(())
}

#[test]
fn relations_of_a_search_keep_its_budget() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let spokes: Vec<Value> = (0..500).map(|number| json!({ "name": format!("Spoke {number}") })).collect();
    ask_by_words(memory.limbic(), "create_entities", &json!({ "entities": spokes }))?;
    ask_by_words(
        memory.limbic(),
        "create_entities",
        &json!({ "entities": [{ "name": "Wheel 1" }, { "name": "Wheel 2" }] }),
    )?;
    let relations: Vec<Value> = (0..500)
        .map(|number| json!({ "from": "Wheel 1", "to": format!("Spoke {number}"), "relationType": "holds" }))
        .collect();
    ask_by_words(memory.limbic(), "create_relations", &json!({ "relations": relations }))?;
    let first =
        ask_by_words(memory.limbic(), "search_nodes", &json!({ "query": "wheel", "max_tokens": 1000 }))?;
    let shown = first["relations"].as_array().context("relations")?.len();
    ensure!(first.to_string().len() < 5_000 && shown > 20, "{first}");
    ensure!(first["relations_omitted"] == 500 - shown, "{first}");
    let cursor = &first["next_cursor"];
    let second = ask_by_words(
        memory.limbic(),
        "search_nodes",
        &json!({ "query": "wheel", "max_tokens": 1000, "cursor": cursor }),
    )?;
    ensure!(second["entities"][0]["name"] == "Wheel 2" && second.get("next_cursor").is_none(), "{second}");
    Ok(())
}

#[test]
fn large_fields_beside_several_memories_are_refused() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let several: Vec<Value> = (0..MAX_PER_CALL).map(|number| json!({ "content": fact(number) })).collect();
    let arguments = json!({ "memories": several, "metadata": { "notes": "n".repeat(100_000) } });
    let (is_error, answer) = run(&mut memory, "memory_store", &arguments)?;
    ensure!(is_error && answer.contains("The fields beside memories have about"), "{answer}");
    Ok(())
}
