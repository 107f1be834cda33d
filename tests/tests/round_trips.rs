//! Round trips: random memories are exported in every format and imported into empty and other memories.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{
    BackEnd,
    export_import::{any_memory, export, import, later, with_memories},
    memory::Native,
    memory_file::MemoryFile,
    project, transcript,
};
use limbic_tools::Options;
use serde_json::Value;
use tempfile::tempdir;

const SEEDS: std::ops::Range<u64> = 1..5;
const FORMATS: [&str; 6] =
    ["limbic", "mcp-memory-v2", "jsonl", "memory-graph", "persistent-memory", "memory-mcp-server"];

/// The first line in which two exports differ.
fn first_difference(left: &[u8], right: &[u8]) -> String {
    transcript::difference(&text(left), &text(right))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_limbic_format_is_lossless() -> Result<()> {
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let mut fields = BTreeSet::new();
    for seed in SEEDS {
        let folder = tempdir()?;
        let mut memory = with_memories(&folder.path().join("memory.db"), seed)?;
        let first = export(&mut memory, "limbic")?;
        // Created long after the export: its first domain is younger than the imported records.
        let file = MemoryFile::new()?;
        let mut copy = file.open(1000, Options::default())?;
        let answer = import(&mut copy, &first, false)?;
        ensure!(answer["skipped"] == 0, "seed {seed}: {answer}");
        let second = export(&mut copy, "limbic")?;
        ensure!(first == second, "seed {seed}: {}", first_difference(&first, &second));
        for line in text(&first).lines() {
            let record: Value = serde_json::from_str(line)?;
            let kind = record["record"].as_str().context("a record has a kind")?.to_owned();
            for (field, _) in record.as_object().into_iter().flatten() {
                fields.insert(format!("{kind}.{field}"));
            }
            let target = record["target_type"].as_str().map(|target| format!("reflection on {target}"));
            *kinds.entry(target.unwrap_or(kind)).or_default() += 1;
        }
    }
    for seen in [
        "setting",
        "entity",
        "observation",
        "relation",
        "reflection on entity",
        "reflection on relation",
        "reflection on session",
        "reflection on global",
        "access",
        "access_day",
        "co_occurrence",
        "search",
        "audit",
        "domain",
        "memory",
        "memory_edge",
        "memory_reference",
        "memory_mention",
        "memory_history",
        "memory_session",
        "memory_symbol",
        "current_domain",
    ] {
        ensure!(kinds.get(seen).is_some_and(|count| *count > 0), "no {seen} among {kinds:?}");
    }
    for seen in [
        "entity.description",
        "entity.user_id",
        "observation.supersedes",
        "observation.superseded_at",
        "relation.ended_at",
        "domain.description",
        "memory.subject",
        "memory.source",
        "memory.path",
        "memory.tags",
        "memory.summary",
        "memory.summary_at",
        "memory.pinned",
        "memory.last_accessed",
        "memory.promotion_count",
        "memory.last_promoted_at",
        "memory.updated_at",
        "memory.valid_until",
        "memory.invalidation_reason",
        "memory.superseded_by",
        "memory.expires_at",
        "memory.user_id",
        "memory.metadata",
        "memory_symbol.moved_symbol",
        "current_domain.last_memory",
    ] {
        ensure!(fields.contains(seen), "no {seen} among {fields:?}");
    }
    Ok(())
}

#[test]
fn a_database_of_mcp_memory_v2_keeps_the_graph() -> Result<()> {
    for seed in SEEDS {
        let folder = tempdir()?;
        let mut memory = any_memory(&folder.path().join("memory.db"), seed)?;
        let database = export(&mut memory, "mcp-memory-v2")?;
        let mut copy = Native::in_memory()?;
        let answer = import(&mut copy, &database, false)?;
        ensure!(answer["format"] == "mcp-memory-v2" && answer["skipped"] == 0, "{answer}");
        let (before, after) =
            (holdable(&export(&mut memory, "limbic")?)?, holdable(&export(&mut copy, "limbic")?)?);
        transcript::ensure_same(&after.into(), &before.into(), format!("seed {seed}"))?;
    }
    Ok(())
}

/// The records that MCP Memory v2 can hold, without the logs, which its export omits.
fn holdable(bytes: &[u8]) -> Result<Vec<Value>> {
    let mut records = Vec::new();
    for line in text(bytes).lines() {
        let mut record: Value = serde_json::from_str(line)?;
        for field in ["description", "user_id", "weight", "valid_from", "records"] {
            if let Some(fields) = record.as_object_mut() {
                fields.shift_remove(field);
            }
        }
        if !["setting", "search", "audit"].contains(&record["record"].as_str().unwrap_or_default()) {
            records.push(record);
        }
    }
    Ok(records)
}

#[test]
fn a_file_of_the_reference_server_keeps_the_fields_of_its_format() -> Result<()> {
    for seed in SEEDS {
        let folder = tempdir()?;
        let mut memory = any_memory(&folder.path().join("memory.db"), seed)?;
        let first = export(&mut memory, "jsonl")?;
        let mut copy = Native::in_memory()?;
        let answer = import(&mut copy, &first, false)?;
        ensure!(answer["format"] == "server-memory" && answer["skipped"] == 0, "{answer}");
        let second = export(&mut copy, "jsonl")?;
        ensure!(first == second, "seed {seed}: {}", first_difference(&first, &second));
        let arguments = r#"{"detail": "full", "max_tokens": 100000}"#;
        let (before, after) = (memory.call("read_graph", arguments)?, copy.call("read_graph", arguments)?);
        ensure!(before == after, "seed {seed}: {}", transcript::json_diff(&before.1, &after.1));
    }
    Ok(())
}

#[test]
fn a_second_import_changes_nothing_and_a_dry_run_reports_the_changes() -> Result<()> {
    let mut imported = BTreeSet::new();
    for seed in SEEDS {
        let folder = tempdir()?;
        let mut source = with_memories(&folder.path().join("source.db"), seed)?;
        let first = folder.path().join("memory.db");
        drop(with_memories(&first, seed + 100)?);
        for format in FORMATS {
            let bytes = export(&mut source, format)?;
            let path = folder.path().join(format);
            std::fs::copy(&first, &path)?;
            let mut memory = later(&path)?;
            for round in 0..2 {
                // Contradictions are found when texts are embedded, which the next call would do.
                memory.drain()?;
                let state = export(&mut memory, "limbic")?;
                let mut dry_run = import(&mut memory, &bytes, true)?;
                ensure!(dry_run["dry_run"] == true);
                ensure!(export(&mut memory, "limbic")? == state, "{format}: a dry run changed something");
                let done = import(&mut memory, &bytes, false)?;
                dry_run["dry_run"] = false.into();
                transcript::ensure_same(
                    &dry_run,
                    &done,
                    format!("{format}: the dry run differs from the import"),
                )?;
                let after = export(&mut memory, "limbic")?;
                if round == 0 {
                    if after != state {
                        imported.insert(format);
                    }
                    is_consistent(&path)?;
                } else {
                    ensure!(after == state, "{format}, seed {seed}: {}", first_difference(&state, &after));
                    for count in [
                        "observations_imported",
                        "relations_imported",
                        "reflections_imported",
                        "memories_imported",
                        "domains_imported",
                        "links_imported",
                    ] {
                        ensure!(done[count] == 0, "{format}: {done}");
                    }
                }
            }
        }
    }
    ensure!(imported == BTreeSet::from(FORMATS), "only of these, something was imported: {imported:?}");
    Ok(())
}

/// Asserts that derived rows exist or are queued.
fn is_consistent(path: &std::path::Path) -> Result<()> {
    let connection = Connection::open(path)?;
    for (rule, query) in [
        (
            "the full-text index contains the current observations",
            "SELECT e.id FROM entities AS e LEFT JOIN entity_fts AS f ON f.rowid = e.id WHERE f.obs_text IS NOT coalesce(
                 (SELECT group_concat(content, ' | ' ORDER BY id) FROM observations
                  WHERE entity_id = e.id AND superseded_at IS NULL), '')",
        ),
        (
            "current observations have tokens or wait for them",
            "SELECT id FROM observations WHERE superseded_at IS NULL EXCEPT SELECT id FROM token_vectors WHERE kind = 1
             EXCEPT SELECT id FROM embedding_queue WHERE kind = 1",
        ),
        (
            "superseded observations have none",
            "SELECT o.id FROM observations AS o JOIN token_vectors AS v ON v.kind = 1 AND v.id = o.id
             WHERE o.superseded_at IS NOT NULL",
        ),
        (
            "reflections have words",
            "SELECT id, content FROM reflections EXCEPT SELECT rowid, content FROM reflection_fts",
        ),
        (
            "memories have their words",
            "SELECT m.id FROM MEMORY_NODES AS m LEFT JOIN memory_content_fts AS f ON f.id = m.id
             WHERE f.content IS NOT m.content OR f.path IS NOT m.path OR f.domain IS NOT m.domain
                 OR f.tags IS NOT (SELECT group_concat(tag, ' ') FROM MEMORY_TAGS WHERE nodeId = m.id)",
        ),
        (
            "memories have tokens or wait for them",
            "SELECT number FROM memory_numbers EXCEPT SELECT id FROM token_vectors WHERE kind = 3
             EXCEPT SELECT id FROM embedding_queue WHERE kind = 3",
        ),
        (
            "edges stay within a domain",
            "SELECT e.id FROM MEMORY_EDGES AS e JOIN MEMORY_NODES AS s ON s.id = e.source
             JOIN MEMORY_NODES AS t ON t.id = e.target WHERE s.domain <> e.domain OR t.domain <> e.domain",
        ),
        (
            "references lead from one domain to another",
            "SELECT r.nodeId FROM DOMAIN_REFS AS r JOIN MEMORY_NODES AS s ON s.id = r.nodeId
             JOIN MEMORY_NODES AS t ON t.id = r.targetNodeId
             WHERE s.domain <> r.domain OR t.domain <> r.targetDomain OR r.domain = r.targetDomain",
        ),
        ("foreign keys hold", "SELECT 1 FROM pragma_foreign_key_check"),
    ] {
        ensure!(connection.prepare(query)?.query([])?.next()?.is_none(), "{rule}: no longer true");
    }
    Ok(())
}

#[test]
fn importing_an_older_export_of_the_same_memory_loses_nothing() -> Result<()> {
    let folder = tempdir()?;
    let mut memory = any_memory(&folder.path().join("memory.db"), 5)?;
    let old = export(&mut memory, "limbic")?;
    for (tool, arguments) in [
        (
            "create_entities",
            r#"{"entities": [{"name": "Ada", "entityType": "later", "observations": ["first", "second"]}]}"#,
        ),
        ("create_entities", r#"{"entities": [{"name": "Bob"}]}"#),
        ("create_relations", r#"{"relations": [{"from": "Ada", "to": "Bob", "relationType": "met"}]}"#),
    ] {
        ensure!(!memory.call(tool, arguments)?.0);
    }
    let between = export(&mut memory, "limbic")?;
    let ended = r#"{"relations": [{"from": "Bob", "to": "Ada", "relationType": "met"}]}"#;
    let (_, answer) = memory.call("create_relations", ended)?;
    let answer: Value = serde_json::from_str(&answer)?;
    let (_, opened) = memory.call("open_nodes", r#"{"names": ["Ada"], "detail": "full"}"#)?;
    let opened: Value = serde_json::from_str(&opened)?;
    let second = opened["entities"][0]["observations"]
        .as_array()
        .and_then(|all| all.iter().find(|known| known["content"] == "second"))
        .context("it was added")?["id"]
        .clone();
    let change = serde_json::json!({ "name": "Ada", "observations": ["third"], "supersedes": second });
    ensure!(!memory.call("add_observations", &change.to_string())?.0);
    let end = serde_json::json!({ "relation_id": answer["relations"][0]["id"] });
    ensure!(!memory.call("end_relation", &end.to_string())?.0);
    let latest = export(&mut memory, "limbic")?;
    for older in [&old, &between] {
        import(&mut memory, older, false)?;
        let after = export(&mut memory, "limbic")?;
        ensure!(after == latest, "{}", first_difference(&latest, &after));
    }
    // The other way round: later changes are taken over, row by row.
    let mut behind = Native::in_memory_later(3)?;
    import(&mut behind, &between, false)?;
    let answer = import(&mut behind, &latest, false)?;
    ensure!(answer["observations_imported"] == 1 && answer["relations_imported"] == 1, "{answer}");
    let after = export(&mut behind, "limbic")?;
    ensure!(after == latest, "{}", first_difference(&latest, &after));
    Ok(())
}

#[test]
fn the_exported_database_has_exactly_the_statements_of_the_original() -> Result<()> {
    let folder = tempdir()?;
    let mut memory = any_memory(&folder.path().join("memory.db"), 3)?;
    memory.drain()?;
    let path = folder.path().join("export.db");
    std::fs::write(&path, export(&mut memory, "mcp-memory-v2")?)?;
    let connection = Connection::open(&path)?;
    let mut found = BTreeSet::new();
    let mut statement = connection.prepare(
        "SELECT sql FROM sqlite_schema AS s WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' AND NOT EXISTS (
             SELECT 1 FROM sqlite_schema AS v WHERE v.sql LIKE 'CREATE VIRTUAL TABLE%' AND s.name GLOB v.name || '_*')",
    )?;
    for sql in statement.query_map([], |row| row.get::<_, String>(0))? {
        found.insert(sql?);
    }
    let seed =
        std::fs::read_to_string(project("crates/limbic-core/src/db/migrations/0001_mcp_memory_v2.sql"))?;
    let seed: String = seed.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n");
    let wanted: BTreeSet<String> = seed
        .split(';')
        .map(|sql| sql.trim().replace("IF NOT EXISTS ", ""))
        .filter(|sql| !sql.is_empty())
        .collect();
    ensure!(wanted.len() == 29, "the seed has {} statements", wanted.len());
    ensure!(found == wanted, "{:#?}", found.symmetric_difference(&wanted).collect::<Vec<_>>());

    let one = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, String>(0));
    ensure!(one("PRAGMA integrity_check")? == "ok");
    ensure!(one("SELECT value FROM db_metadata WHERE key = 'embedding_model'")? == "test@1");
    let ours = Connection::open(folder.path().join("memory.db"))?;
    for table in ["entity_embeddings", "reflection_embeddings"] {
        let sql = format!("SELECT group_concat(rowid || hex(embedding), ',' ORDER BY rowid) FROM {table}");
        ensure!(
            one(&sql)? == ours.query_row(&sql, [], |row| row.get::<_, String>(0))?,
            "{table} first_difference"
        );
    }
    ensure!(one("SELECT count(*) || '' FROM search_events")? == "0", "the export contains search events");
    ensure!(one("SELECT count(*) || '' FROM entity_fts WHERE entity_fts MATCH 'chained'")? == "1");
    Ok(())
}

#[test]
fn without_an_encoder_the_export_names_no_embedding_model() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let source = br#"{"type":"entity","name":"Ada","entityType":"person","observations":["tea"]}"#.to_vec();
    // With an undrained queue there is neither an encoder nor a vector.
    let mut file = source;
    memory.limbic().call_with_file("migrate", r#"{"source_path": "x"}"#, &[], &mut file, &mut |_, _| {});
    let folder = tempdir()?;
    let path = folder.path().join("export.db");
    let mut bytes = Vec::new();
    let exported = memory.limbic().export_as("mcp-memory-v2", &mut |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    })?;
    ensure!(exported.note.is_some_and(|note| note.starts_with("0 of 1 entities")));
    std::fs::write(&path, bytes)?;
    let named: i64 =
        Connection::open(&path)?.query_row("SELECT count(*) FROM db_metadata", [], |row| row.get(0))?;
    ensure!(named == 0);
    Ok(())
}
