//! The search log: its content, its retention, and the report on it.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{
    BackEnd, START_MILLIS,
    memory::{Native, connect},
    memory_file::{MemoryFile, ask, filled, open, search, wait},
};
use limbic_tools::Options;
use serde_json::{Value, json};

#[test]
fn the_report_counts_used_results() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    filled(&mut memory)?;
    for number in 0..40 {
        let found = search(&mut memory, &format!("tea {number}"))?;
        // The third result has the gain 1 / log2(4).
        let third = found["results"][2]["name"].as_str().context("three results")?.to_owned();
        open(&mut memory, &third)?;
        // Otherwise it would count for later searches as well.
        wait(&mut memory, 1800);
    }
    let report = ask(&mut memory, "search_quality_report", &json!({}))?;
    let [limbic, baseline] = [0, 1].map(|arm| report["by_treatment"][arm].clone());
    ensure!(limbic["treatment"] == "limbic" && baseline["treatment"] == "baseline", "{report}");
    let count = |arm: &Value| arm["n"].as_u64().unwrap_or(0);
    ensure!(report["events"] == 40 && count(&limbic) + count(&baseline) == 40, "{report}");
    ensure!(count(&baseline) > 0 && count(&baseline) < 12, "{report}");
    for arm in [&limbic, &baseline] {
        ensure!(arm["ndcg_at_5"] == 0.5 && arm["judged"] == arm["n"], "{report}");
    }
    // A search without used results is counted, but not rated.
    search(&mut memory, "tea")?;
    let report = ask(&mut memory, "search_quality_report", &json!({ "days": 1 }))?;
    ensure!(report["events"] == 41, "{report}");
    drop(memory);
    let mut later = file.open(31, Options::default())?;
    let report = ask(&mut later, "search_quality_report", &json!({}))?;
    ensure!(report["events"] == 0 && report["by_treatment"][0].get("ndcg_at_5").is_none(), "{report}");
    let report = ask(&mut later, "search_quality_report", &json!({ "days": 36500 }))?;
    ensure!(report["events"] == 41, "{report}");
    Ok(())
}

#[test]
fn invalid_days_are_rejected() -> Result<()> {
    let mut memory = Native::in_memory()?;
    for (days, says) in [
        ("-1", "days must be between 0 and 36500, but got -1"),
        ("1e300", "days must be between 0 and 36500, but got 1e+300"),
        ("36500.5", "days must be between 0 and 36500, but got 36500.5"),
        ("\"NaN\"", "days must be a number, but got a string"),
        ("NaN", "The arguments are not valid JSON"),
        ("1e999", "The arguments are not valid JSON"),
    ] {
        let (is_error, answer) = memory.call("search_quality_report", &format!(r#"{{"days": {days}}}"#))?;
        let answer: Value = serde_json::from_str(&answer)?;
        let error = answer["error"].as_str().unwrap_or_default();
        ensure!(is_error && error.starts_with(says), "{days}: {answer}");
    }
    Ok(())
}

#[test]
fn the_log_contains_the_duration_of_a_search() -> Result<()> {
    struct Ticking(std::cell::Cell<i64>);
    impl limbic_core::Host for Ticking {
        fn now_millis(&self) -> i64 {
            self.0.set(self.0.get() + 5);
            self.0.get()
        }
        fn fill_random(&self, buffer: &mut [u8]) {
            buffer.fill(1);
        }
    }
    let file = MemoryFile::new()?;
    let host = Box::new(Ticking(std::cell::Cell::new(START_MILLIS)));
    let mut limbic = limbic_tools::Limbic::open(connect(&file.path)?, host, Options::default())?;
    ensure!(!limbic.call("search_semantic", r#"{"query": "tea"}"#, &[]).is_error);
    limbic.finish()?;
    let took: f64 = file.one("SELECT duration_ms FROM search_events")?;
    ensure!((5.0..1000.0).contains(&took), "{took}");
    Ok(())
}

/// The numbers of searches, results and feedback records in the log.
fn logged(path: &Path) -> Result<[i64; 3]> {
    let connection = connect(path)?;
    let count = |table: &str| {
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))
    };
    Ok([count("search_events")?, count("search_results")?, count("implicit_feedback")?])
}

#[test]
fn old_searches_are_deleted_a_few_at_a_time() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    filled(&mut memory)?;
    for number in 0..12 {
        search(&mut memory, &format!("tea {number}"))?;
        open(&mut memory, "Green")?;
    }
    ensure!(logged(&file.path)? == [12, 36, 12], "{:?}", logged(&file.path)?);
    let days = |days| Options { search_log_days: Some(days), ..Options::default() };
    for (opened, options, left) in [
        (89, Options::default(), [13, 39, 12]),
        (91, days(92), [14, 42, 12]),
        // Each search deletes five, the oldest first.
        (91, Options::default(), [10, 30, 7]),
        (91, Options::default(), [6, 18, 2]),
        (91, Options::default(), [5, 15, 0]),
        (91, Options::default(), [6, 18, 0]),
        (93, days(1), [2, 6, 0]),
    ] {
        let mut memory = file.open(opened, options)?;
        search(&mut memory, "tea")?;
        ensure!(logged(&file.path)? == left, "{left:?} expected, {:?} found", logged(&file.path)?);
    }
    Ok(())
}

#[test]
fn a_disabled_search_log_is_empty() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    filled(&mut memory)?;
    search(&mut memory, "tea")?;
    drop(memory);
    let off = Options { search_log_days: Some(0), ..Options::default() };
    let mut memory = file.open(1, off)?;
    let found = search(&mut memory, "tea")?;
    ensure!(
        found.get("event_id").is_none() && found["results"].as_array().map(Vec::len) == Some(3),
        "{found}"
    );
    open(&mut memory, "Green")?;
    ensure!(logged(&file.path)? == [0, 0, 0], "{:?}", logged(&file.path)?);
    ensure!(file.one::<i64>("SELECT min(access_count) FROM entity_access")? == 2, "use is still counted");
    Ok(())
}

#[test]
fn a_private_log_contains_no_query() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options { private_log: true, ..Options::default() })?;
    filled(&mut memory)?;
    search(&mut memory, "a secret wish for tea")?;
    open(&mut memory, "Green")?;
    ensure!(file.one::<String>("SELECT query_text FROM search_events")?.is_empty());
    ensure!(file.one::<i64>("SELECT length(query_hash) FROM search_events")? == 16);
    ensure!(logged(&file.path)? == [1, 3, 1], "{:?}", logged(&file.path)?);
    drop(memory);
    let bytes = std::fs::read(&file.path)?;
    ensure!(!bytes.windows(6).any(|part| part == b"secret"), "the file holds the question");
    Ok(())
}

#[test]
fn a_question_with_a_credential_is_logged_without_its_text() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    filled(&mut memory)?;
    search(&mut memory, "tea with the password T4mbourine#88")?;
    search(&mut memory, "tea with milk")?;
    let phrasings = json!({ "queries": ["tea", "the pin of my card is 4821"] });
    ask(&mut memory, "search_semantic", &phrasings)?;
    drop(memory);
    ensure!(
        file.one::<String>("SELECT group_concat(query_text, '|') FROM search_events")?
            == "|tea with milk|tea"
    );
    // Nor a hash of it, which anyone could compare with those of all codes.
    let hashes: String = file.one("SELECT group_concat(query_hash, ' ') FROM search_events")?;
    for text in ["tea with the password T4mbourine#88", "tea\nthe pin of my card is 4821"] {
        let hash = format!("{:016x}", limbic_protocol::fnv1a(text.bytes()));
        ensure!(!hashes.contains(&hash), "{text}: {hashes}");
    }
    let hash = format!("{:016x}", limbic_protocol::fnv1a("tea with milk".bytes()));
    ensure!(hashes.contains(&hash), "{hashes}");
    let bytes = std::fs::read(&file.path)?;
    ensure!(!bytes.windows(10).any(|part| part == b"T4mbourine"), "the file holds the credential");
    Ok(())
}

#[test]
fn a_read_only_database_records_nothing() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    filled(&mut memory)?;
    memory.drain()?;
    drop(memory);
    let before = std::fs::read(&file.path)?;
    let mut memory = file.open(1, Options { read_only: true, ..Options::default() })?;
    let found = search(&mut memory, "tea")?;
    ensure!(found.get("event_id").is_none() && !found["results"].to_string().is_empty(), "{found}");
    open(&mut memory, "Green")?;
    ask(&mut memory, "search_quality_report", &json!({}))?;
    drop(memory);
    ensure!(std::fs::read(&file.path)? == before, "the file was changed");
    Ok(())
}

#[test]
fn a_log_of_the_previous_version_is_continued() -> Result<()> {
    let file = MemoryFile::new()?;
    limbic_vfs::register_vec0();
    let connection = Connection::open(&file.path)?;
    for migration in ["0001_mcp_memory_v2", "0002_limbic"] {
        let path = limbic_tests::project(&format!("crates/limbic-core/src/db/migrations/{migration}.sql"));
        connection.execute_batch(&std::fs::read_to_string(path)?)?;
    }
    connection.execute_batch(
        "PRAGMA application_id = 0x4C4D4243; PRAGMA user_version = 2;
         INSERT INTO search_events VALUES (1, 'tea', 'aa', '2026-01-01 00:00:00', 1, 10, 1, NULL, 'lexical');
         INSERT INTO search_results VALUES (1, 1, 1, 'Green', 1, 0.5, NULL, 0, 1, 0, 1);
         INSERT INTO implicit_feedback VALUES (1, 1, 1, 1, 3, NULL);",
    )?;
    drop(connection);
    let mut memory = file.open(0, Options::default())?;
    let report = ask(&mut memory, "search_quality_report", &json!({}))?;
    // Searches logged without relevance are counted, but not rated.
    ensure!(report["by_treatment"][0]["n"] == 1, "{report}");
    ensure!(report["by_treatment"][0]["judged"] == 0, "{report}");
    filled(&mut memory)?;
    ensure!(search(&mut memory, "tea")?["event_id"].as_i64() > Some(1));
    Ok(())
}
