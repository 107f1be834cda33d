//! Feedback: searches rank results by the use of earlier results.

use anyhow::{Context, Result, ensure};
use limbic_tests::transcript::ensure_same;
use limbic_tests::{
    BackEnd,
    memory::{Native, connect},
    memory_file::{MemoryFile, ask, filled, open, search, wait},
};
use limbic_tools::Options;
use serde_json::{Value, json};

/// Event, name of the entity and delay of each feedback.
fn feedback(file: &MemoryFile) -> Result<Vec<(i64, String, i64)>> {
    let connection = connect(&file.path)?;
    let mut statement = connection.prepare(
        "SELECT f.event_id, e.name, f.access_delta FROM implicit_feedback AS f JOIN entities AS e ON e.id = f.entity_id
         WHERE f.re_accessed = 1 ORDER BY f.feedback_id",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<limbic_core::rusqlite::Result<_>>()?)
}

fn rows(list: &[(i64, &str, i64)]) -> Vec<(i64, String, i64)> {
    list.iter().map(|(event, name, delay)| (*event, (*name).to_owned(), *delay)).collect()
}

#[test]
fn the_query_determines_the_treatment() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    filled(&mut memory)?;
    // Opened after a similar query, so that the order with usage differs from that of relevance.
    search(&mut memory, "tea that is green")?;
    open(&mut memory, "White")?;
    for round in 0..2 {
        for number in 0..100 {
            search(&mut memory, &format!("green tea {number}")).with_context(|| format!("round {round}"))?;
        }
    }
    let questions = "(SELECT query_text, query_hash, sum(treatment) AS treated, count(*) AS times
                      FROM search_events WHERE query_text LIKE 'green tea%' GROUP BY query_hash)";
    let twice: i64 =
        file.one(&format!("SELECT count(*) FROM {questions} WHERE times = 2 AND treated IN (0, 2)"))?;
    ensure!(twice == 100, "only {twice} of 100 questions were treated twice in the same way");
    let baseline: i64 = file.one(&format!("SELECT count(*) FROM {questions} WHERE treated = 0"))?;
    ensure!((4..=20).contains(&baseline), "{baseline} of 100 questions were answered by relevance alone");
    let moved = |treatment: u8| {
        file.one::<i64>(&format!(
            "SELECT count(*) FROM search_results JOIN search_events USING (event_id)
             WHERE treatment = {treatment} AND abs(limbic_score - relevance) > 0.000001"
        ))
    };
    ensure!(moved(0)? == 0, "usage changed scores of the baseline");
    ensure!(moved(1)? > 0, "use changed no score");
    Ok(())
}

#[test]
fn english_statuses_rank_like_the_spanish_words_of_the_format() -> Result<()> {
    let score = |status: &str| -> Result<f64> {
        let mut memory = Native::in_memory()?;
        let entity = json!({ "name": "Cup", "observations": ["green tea"], "status": status });
        ask(&mut memory, "create_entities", &json!({ "entities": [entity] }))?;
        let found = ask(&mut memory, "search_semantic", &json!({ "query": "green tea", "explain": true }))?;
        found["results"][0]["limbic_score"].as_f64().with_context(|| format!("{status}: {found}"))
    };
    let active = score("active")?;
    ensure!(active.total_cmp(&score("activo")?).is_eq(), "active: {active}");
    for (spanish, english) in [("pausado", "paused"), ("completado", "completed"), ("archivado", "archived")]
    {
        let lower = score(english)?;
        ensure!(lower.total_cmp(&score(spanish)?).is_eq() && lower < active, "{english}: {lower}");
    }
    Ok(())
}

#[test]
fn status_is_applied_before_truncation() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let put_aside = (0..4).map(|number| {
        json!({ "name": format!("Old {number}"), "observations": ["green tea"], "status": "archivado" })
    });
    let entities: Vec<Value> = put_aside
        .chain([json!({ "name": "Present", "observations": ["green tea is what we drink at noon"] })])
        .collect();
    ask(&mut memory, "create_entities", &json!({ "entities": entities }))?;
    let found =
        ask(&mut memory, "search_semantic", &json!({ "query": "green tea", "limit": 5, "explain": true }))?;
    ensure!(found["results"][0]["name"] == "Present", "{found}");
    let found = ask(&mut memory, "search_semantic", &json!({ "query": "green tea", "limit": 1 }))?;
    ensure!(found["results"][0]["name"] == "Present", "{found}");
    Ok(())
}

#[test]
fn use_after_a_search_is_recorded_as_feedback() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    filled(&mut memory)?;
    ask(&mut memory, "create_entities", &json!({ "entities": [{ "name": "Cup", "entityType": "Thing" }] }))?;
    let teas = json!({ "query": "tea", "entity_type": "Tea" });
    let search = |memory: &mut Native| -> Result<i64> {
        ask(memory, "search_semantic", &teas)?["event_id"].as_i64().context("the search is not logged")
    };
    let first = search(&mut memory)?;
    ensure!(feedback(&file)?.is_empty());

    // Opened; the search did not find the cup.
    ask(&mut memory, "open_nodes", &json!({ "names": ["Cup", "Green", "Nothing", "Green"] }))?;
    ensure!(feedback(&file)? == rows(&[(first, "Green", 1)]), "{:?}", feedback(&file)?);
    // Extended, in both ways.
    ask(&mut memory, "add_observations", &json!({ "name": "Black", "observations": ["comes from Assam"] }))?;
    ask(&mut memory, "create_entities", &json!({ "entities": [{ "name": "White" }, { "name": "Red" }] }))?;
    ensure!(
        feedback(&file)? == rows(&[(first, "Green", 1), (first, "Black", 2), (first, "White", 3)]),
        "{:?}",
        feedback(&file)?
    );
    // Once for each search.
    open(&mut memory, "Black")?;
    ensure!(feedback(&file)?.len() == 3);
    let second = search(&mut memory)?;
    // Linked at both ends; an existing or invalid relation counts nothing.
    let link =
        |from: &str, to: &str| json!({ "relations": [{ "from": from, "to": to, "relationType": "beside" }] });
    ask(&mut memory, "create_relations", &link("Green", "Nothing"))?;
    ensure!(feedback(&file)?.len() == 3);
    ask(&mut memory, "create_relations", &link("Green", "White"))?;
    ensure!(
        feedback(&file)?[3..] == rows(&[(second, "Green", 2), (second, "White", 2)]),
        "{:?}",
        feedback(&file)?
    );
    // Observations of several entities.
    let several = json!({ "observations": [{ "entityName": "Black", "contents": ["is strong"] }] });
    ask(&mut memory, "add_observations", &several)?;
    ensure!(feedback(&file)?[5..] == rows(&[(second, "Black", 3)]), "{:?}", feedback(&file)?);
    let sessions: i64 =
        file.one("SELECT count(DISTINCT session_id) FROM implicit_feedback WHERE length(session_id) = 32")?;
    ensure!(sessions == 1);
    Ok(())
}

#[test]
fn used_results_rank_above_unused_ones() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let duplicates =
        ["First", "Second"].map(|name| json!({ "name": name, "observations": ["drinks green tea"] }));
    ask(&mut memory, "create_entities", &json!({ "entities": duplicates }))?;
    let best = |memory: &mut Native, question: &str| -> Result<Value> {
        let found = ask(memory, "search_semantic", &json!({ "query": question, "limit": 2 }))?;
        Ok(found["results"][0]["name"].clone())
    };
    ensure!(best(&mut memory, "green tea")? == "First");
    open(&mut memory, "Second")?;
    ensure!(best(&mut memory, "green tea to drink")? == "Second");
    Ok(())
}

#[test]
fn use_after_one_query_does_not_change_another() -> Result<()> {
    let mut memory = Native::in_memory()?;
    filled(&mut memory)?;
    let scores = |memory: &mut Native, question: &str| -> Result<Vec<Value>> {
        let found = search(memory, question)?;
        let results = found["results"].as_array().cloned().unwrap_or_default();
        Ok(results.iter().map(|result| json!([result["name"], result["limbic_score"]])).collect())
    };
    let before = scores(&mut memory, "white tea")?;
    for number in 0..20 {
        search(&mut memory, &format!("black {number}"))?;
        open(&mut memory, "Black")?;
    }
    ensure!(scores(&mut memory, "white tea")? == before, "{before:?}");
    Ok(())
}

#[test]
fn a_failed_call_records_no_feedback() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    filled(&mut memory)?;
    search(&mut memory, "tea")?;
    let facts = json!({ "observations": [{ "entityName": "Black", "contents": ["x"] }, { "entityName": "None", "contents": [] }] });
    ensure!(memory.call("add_observations", &facts.to_string())?.0);
    ensure!(feedback(&file)?.is_empty(), "{:?}", feedback(&file)?);
    Ok(())
}

#[test]
fn use_after_half_an_hour_records_no_feedback() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    filled(&mut memory)?;
    let event = search(&mut memory, "tea")?["event_id"].as_i64().context("the search is not logged")?;
    wait(&mut memory, 1799);
    open(&mut memory, "Green")?;
    ensure!(feedback(&file)? == rows(&[(event, "Green", 1800)]), "{:?}", feedback(&file)?);
    open(&mut memory, "Black")?;
    ensure!(feedback(&file)?.len() == 1, "{:?}", feedback(&file)?);
    Ok(())
}

#[test]
fn feedback_is_recorded_for_searches_of_the_same_session() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut first = file.open(0, Options::default())?;
    filled(&mut first)?;
    search(&mut first, "tea")?;
    let mut second = file.open(0, Options::default())?;
    open(&mut second, "Green")?;
    ensure!(feedback(&file)?.is_empty(), "{:?}", feedback(&file)?);
    open(&mut first, "Green")?;
    ensure!(feedback(&file)?.len() == 1);
    Ok(())
}

/// Runs fifty searches, and opens `wanted` after each. Black is a little more relevant each time, and White accessed
/// often.
fn fifty_searches(file: &MemoryFile, memory: &mut Native, wanted: &str) -> Result<()> {
    for number in 0..49 {
        search(memory, &format!("tea {number}"))?;
        open(memory, wanted)?;
    }
    ensure!(ask(memory, "search_quality_report", &json!({}))?.get("tuned_at").is_none());
    search(memory, "tea 49")?;
    connect(&file.path)?.execute_batch(
        "UPDATE search_results SET temporal = 1, cooc_boost = 0,
             importance = iif(entity_name = 'White', 1, 0),
             relevance = CASE entity_name WHEN 'Black' THEN 0.7 WHEN 'White' THEN 0.665 ELSE 0.1 END",
    )?;
    open(memory, wanted)?;
    Ok(())
}

#[test]
fn feedback_tunes_the_weights_and_searches_use_them() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    filled(&mut memory)?;
    fifty_searches(&file, &mut memory, "White")?;
    let report = ask(&mut memory, "search_quality_report", &json!({}))?;
    // A tenth of the way from 0.5 to 0.7, the smallest weight that ranks White first.
    ensure_same(&report["parameters"], &json!({ "beta": 0.52, "gamma": 0.01 }), &report)?;
    ensure!(report["tuned_at"] == "2026-01-01T00:01:42.000Z", "{report}");
    ensure!(file.one::<i64>("SELECT count(*) FROM db_metadata WHERE key LIKE 'limbic.%'")? == 4);

    let event = search(&mut memory, "which tea is good?")?["event_id"].clone();
    let connection = connect(&file.path)?;
    let mut statement = connection.prepare(&format!(
        "SELECT treatment, limbic_score, relevance, importance, temporal, cooc_boost
         FROM search_results JOIN search_events USING (event_id) WHERE event_id = {event}"
    ))?;
    let mut results = statement.query([])?;
    let mut differences = 0;
    while let Some(row) = results.next()? {
        ensure!(row.get::<_, i64>(0)? == 1, "this query belongs to the baseline: use another");
        let [score, relevance, importance, temporal, together] =
            [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get::<_, f64>(5)?];
        let with = |beta: f64| {
            relevance * ((1.0 + beta * importance) * temporal * (1.0 + 0.01 * together)).powf(0.1)
        };
        ensure!((score - with(0.52)).abs() < 1e-6, "{score} is not {}", with(0.52));
        differences += u32::from((score - with(0.5)).abs() > 1e-4);
    }
    ensure!(differences > 0, "the weights made no difference");
    Ok(())
}

#[test]
fn feedback_for_first_ranks_changes_no_weight() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    filled(&mut memory)?;
    fifty_searches(&file, &mut memory, "Black")?;
    let report = ask(&mut memory, "search_quality_report", &json!({}))?;
    ensure_same(&report["parameters"], &json!({ "beta": 0.5, "gamma": 0.01 }), &report)?;
    ensure!(report["tuned_at"].is_string(), "{report}");
    Ok(())
}

#[test]
fn invalid_weights_are_not_used() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    connect(&file.path)?.execute_batch(
        "INSERT INTO db_metadata (key, value) VALUES ('limbic.beta', 'NaN'), ('limbic.gamma', '1e300')",
    )?;
    let report = ask(&mut memory, "search_quality_report", &json!({}))?;
    ensure_same(&report["parameters"], &json!({ "beta": 0.5, "gamma": 0.01 }), &report)?;
    Ok(())
}
