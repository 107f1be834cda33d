//! Limbic's own export format contains searches with the used results, and the audit log.

use anyhow::{Result, ensure};
use limbic_tests::{
    BackEnd,
    export_import::{export, import},
    memory_file::{MemoryFile, ask, filled, open, search, wait},
};
use limbic_tools::Options;
use serde_json::{Value, json};

/// Queries of the rows that refer to a search or a memory, by names instead of numbers, so that two databases can be
/// compared.
const ROWS: [&str; 4] = [
    "SELECT json_group_array(event_id || ' ' || query_text || ' ' || query_hash || ' ' || timestamp || ' ' || treatment
         || ' ' || k_limit || ' ' || num_results || ' ' || ifnull(duration_ms, '-') || ' ' || engine_used)
     FROM (SELECT * FROM search_events ORDER BY event_id)",
    "SELECT json_group_array(json_array(event_id, entity_name, rank, limbic_score, cosine_sim, importance, temporal,
         cooc_boost, baseline_rank, relevance)) FROM (SELECT * FROM search_results ORDER BY event_id, rank)",
    "SELECT json_group_array(event_id || ' ' || name || ' ' || re_accessed || ' ' || access_delta || ' ' || session_id)
     FROM (SELECT f.*, e.name FROM implicit_feedback AS f JOIN entities AS e ON e.id = f.entity_id
           ORDER BY event_id, name, access_delta)",
    "SELECT json_group_array(json_array(at, action, memory_id, user_id, session_id, reason))
     FROM (SELECT * FROM audit_log WHERE action <> 'import' ORDER BY seq)",
];

fn rows(file: &MemoryFile) -> Result<Vec<String>> {
    ROWS.iter().map(|query| file.one::<String>(query)).collect()
}

#[test]
fn searches_feedback_and_the_audit_log_are_imported_once() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    filled(&mut memory)?;
    for entity in ["Green", "Black"] {
        search(&mut memory, &format!("{entity} tea"))?;
        wait(&mut memory, 5);
        open(&mut memory, entity)?;
    }
    for (id, user) in [("first", json!("ada")), ("second", json!(null))] {
        let note = json!({ "id": id, "content": format!("the {id} note on tea"), "user_id": user });
        ask(&mut memory, "memory_store", &note)?;
    }
    ask(&mut memory, "memory_forget", &json!({ "id": "second", "reason": "it was a test" }))?;
    let exported = export(&mut memory, "limbic")?;
    let text = String::from_utf8_lossy(&exported).into_owned();
    let of = |kind: &str| text.lines().filter(|line| line.contains(&format!(r#""record":"{kind}""#))).count();
    ensure!(of("search") == 2 && of("audit") == 3, "{text}");
    ensure!(text.matches(r#""feedback":"#).count() == 2, "{text}");

    let other = MemoryFile::new()?;
    let mut copy = other.open(1, Options::default())?;
    for round in 0..2 {
        let answer: Value = import(&mut copy, &exported, false)?;
        ensure!(answer["errors"] == 0, "{round}: {answer}");
        ensure!(rows(&other)? == rows(&file)?, "{round}: {:?}\n{:?}", rows(&other)?, rows(&file)?);
    }
    ensure!(export(&mut copy, "limbic")? == exported, "an export of the import differs");
    let newest = copy.limbic().audit(None, None, None, 1).json;
    ensure!(newest.contains(r#""import""#), "{newest}");
    // Another search has the same number: both are kept, and a second import adds nothing.
    let moved = text.replace("Green tea", "Herbal tea").replace(r#""hash":""#, r#""hash":"0"#);
    for _ in 0..2 {
        import(&mut copy, moved.as_bytes(), false)?;
        for table in ["search_events", "search_results", "implicit_feedback"] {
            let count = format!("SELECT count(*) FROM {table}");
            ensure!(other.one::<i64>(&count)? == 2 * file.one::<i64>(&count)?, "{table}");
        }
    }
    let (is_error, report) = copy.call("search_quality_report", "{}")?;
    ensure!(!is_error, "{report}");
    Ok(())
}
