//! After random calls, tables whose consistency no constraint ensures are consistent.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use limbic_core::{
    Engine, Error, Transaction,
    db::{RowChanges, wal::WalFile},
    rusqlite::Connection,
    store::graph::text_cache::{Folding, TextCache},
};
use limbic_protocol::SplitMix64;
use limbic_tests::{
    BackEnd,
    memory::{Native, NoHost, connect},
};
use serde_json::{Value, json};
use tempfile::tempdir;

/// Invariants: each query must find no row.
const RULES: &[(&str, &str)] = &[
    ("every entity is in the full-text index", "SELECT id FROM entities EXCEPT SELECT rowid FROM entity_fts"),
    ("rows of the full-text index belong to an entity", "SELECT rowid FROM entity_fts EXCEPT SELECT id FROM entities"),
    ("stemmed words belong to an entity", "SELECT rowid FROM entity_words EXCEPT SELECT id FROM entities"),
    ("every entity has a vector", "SELECT id FROM entities EXCEPT SELECT rowid FROM entity_embeddings"),
    ("vectors belong to an entity", "SELECT rowid FROM entity_embeddings EXCEPT SELECT id FROM entities"),
    (
        "every current observation has tokens",
        "SELECT id FROM observations WHERE superseded_at IS NULL EXCEPT SELECT id FROM token_vectors WHERE kind = 1",
    ),
    (
        "tokens belong to a current observation",
        "SELECT id FROM token_vectors WHERE kind = 1 EXCEPT SELECT id FROM observations WHERE superseded_at IS NULL",
    ),
    (
        "full text is that of the current observations",
        "SELECT e.id FROM entities AS e JOIN entity_fts AS f ON f.rowid = e.id WHERE f.obs_text IS NOT coalesce(
             (SELECT group_concat(content, ' | ' ORDER BY id) FROM observations
              WHERE entity_id = e.id AND superseded_at IS NULL), '')",
    ),
    (
        "every reflection has its words",
        "SELECT id, content FROM reflections EXCEPT SELECT rowid, content FROM reflection_fts",
    ),
    (
        "words belong to a reflection",
        "SELECT rowid, content FROM reflection_fts EXCEPT SELECT id, content FROM reflections",
    ),
    (
        "every reflection has a vector",
        "SELECT id FROM reflections EXCEPT SELECT rowid FROM reflection_embeddings",
    ),
    (
        "vectors belong to a reflection",
        "SELECT rowid FROM reflection_embeddings EXCEPT SELECT id FROM reflections",
    ),
    (
        "every reflection has tokens",
        "SELECT id FROM reflections EXCEPT SELECT id FROM token_vectors WHERE kind = 2",
    ),
    (
        "tokens belong to a reflection",
        "SELECT id FROM token_vectors WHERE kind = 2 EXCEPT SELECT id FROM reflections",
    ),
    (
        "the two copies of a reflection's vector are equal",
        "SELECT e.rowid FROM reflection_embeddings AS e JOIN text_vectors AS v ON v.kind = 2 AND v.id = e.rowid
         WHERE e.embedding IS NOT v.vector",
    ),
    (
        "the subject of a reflection exists",
        "SELECT id FROM reflections WHERE target_type = 'entity' AND target_id NOT IN (SELECT id FROM entities)
             OR target_type = 'relation' AND target_id NOT IN (SELECT id FROM relations)",
    ),
    ("tokens have a sentence vector", "SELECT key FROM token_vectors EXCEPT SELECT key FROM text_vectors"),
    ("sentence vectors have tokens", "SELECT key FROM text_vectors EXCEPT SELECT key FROM token_vectors"),
    ("nothing waits", "SELECT id FROM embedding_queue"),
    (
        "the stored number of texts is correct",
        "SELECT kind FROM token_frequency AS f WHERE token = -1 AND texts <>
             (SELECT count(*) FROM token_vectors WHERE kind = f.kind)",
    ),
    ("no document frequency is negative", "SELECT token FROM token_frequency WHERE texts < 0"),
    (
        "the vector log lists the rows that have vectors",
        "SELECT kind, id FROM vector_log EXCEPT SELECT 0, rowid FROM entity_embeddings
             EXCEPT SELECT kind, id FROM token_vectors",
    ),
    (
        "superseded observations belong to the entity of their successor",
        "SELECT newer.id FROM observations AS newer JOIN observations AS older ON older.id = newer.supersedes
         WHERE older.entity_id <> newer.entity_id",
    ),
    (
        "only current observations are flagged",
        "SELECT id FROM observations WHERE similarity_flag <> 0 AND superseded_at IS NOT NULL",
    ),
    ("every memory has a number", "SELECT id FROM MEMORY_NODES EXCEPT SELECT id FROM memory_numbers"),
    ("numbers belong to a memory", "SELECT id FROM memory_numbers EXCEPT SELECT id FROM MEMORY_NODES"),
    (
        "every memory is in the full-text index",
        "SELECT m.id FROM MEMORY_NODES AS m LEFT JOIN memory_content_fts AS f ON f.id = m.id
         WHERE f.content IS NOT m.content OR f.content_summary IS NOT m.content_summary OR f.path IS NOT m.path
             OR f.domain IS NOT m.domain
             OR f.tags IS NOT (SELECT group_concat(tag, ' ') FROM MEMORY_TAGS WHERE nodeId = m.id)",
    ),
    (
        "words belong to one memory",
        "SELECT id FROM memory_content_fts GROUP BY id
         HAVING count(*) > 1 OR id NOT IN (SELECT id FROM MEMORY_NODES)",
    ),
    ("every memory has a vector", "SELECT number FROM memory_numbers EXCEPT SELECT rowid FROM memory_embeddings"),
    ("vectors belong to a memory", "SELECT rowid FROM memory_embeddings EXCEPT SELECT number FROM memory_numbers"),
    (
        "every memory has tokens",
        "SELECT number FROM memory_numbers EXCEPT SELECT id FROM token_vectors WHERE kind = 3",
    ),
    (
        "tokens belong to a memory",
        "SELECT id FROM token_vectors WHERE kind = 3 EXCEPT SELECT number FROM memory_numbers",
    ),
    (
        "the two copies of a memory's vector are equal",
        "SELECT e.rowid FROM memory_embeddings AS e JOIN text_vectors AS v ON v.kind = 3 AND v.id = e.rowid
         WHERE e.embedding IS NOT v.vector",
    ),
    (
        "edges stay within a domain",
        "SELECT e.id FROM MEMORY_EDGES AS e LEFT JOIN MEMORY_NODES AS s ON s.id = e.source
             LEFT JOIN MEMORY_NODES AS t ON t.id = e.target
         WHERE s.domain IS NOT e.domain OR t.domain IS NOT e.domain",
    ),
    (
        "references lead from one domain to another",
        "SELECT r.nodeId FROM DOMAIN_REFS AS r LEFT JOIN MEMORY_NODES AS s ON s.id = r.nodeId
             LEFT JOIN MEMORY_NODES AS t ON t.id = r.targetNodeId
         WHERE s.domain IS NOT r.domain OR t.domain IS NOT r.targetDomain OR r.domain = r.targetDomain",
    ),
    (
        "entities that a text mentions are linked",
        "SELECT m.id, e.id FROM MEMORY_NODES AS m JOIN entities AS e ON ' ' || m.content || ' ' LIKE '% ' || e.name || ' %'
         EXCEPT SELECT memory_id, entity_id FROM memory_entities",
    ),
    (
        "derived mentions occur in the text",
        "SELECT m.id, e.id FROM memory_entities AS g JOIN MEMORY_NODES AS m ON m.id = g.memory_id
             JOIN entities AS e ON e.id = g.entity_id
         WHERE NOT g.given AND ' ' || m.content || ' ' NOT LIKE '% ' || e.name || ' %'",
    ),
    (
        "the successor of a memory exists",
        "SELECT id FROM MEMORY_NODES WHERE superseded_by NOT IN (SELECT id FROM MEMORY_NODES)",
    ),
    (
        "the last stored memory exists",
        "SELECT lastMemoryId FROM PERSISTENCE WHERE lastMemoryId IS NOT NULL EXCEPT SELECT id FROM MEMORY_NODES",
    ),
    ("there is one current domain", "SELECT 1 WHERE (SELECT count(*) FROM PERSISTENCE) <> 1"),
    (
        "the origin of a record exists",
        "SELECT origin FROM (SELECT origin FROM entities UNION SELECT origin FROM observations
             UNION SELECT origin FROM relations UNION SELECT origin FROM reflections UNION SELECT origin FROM MEMORY_NODES)
         WHERE origin IS NOT NULL EXCEPT SELECT id FROM origins",
    ),
    ("foreign keys hold", "SELECT * FROM pragma_foreign_key_check"),
];

/// Each query must find a row: otherwise the random calls did not cover a case.
const SEEN: &[(&str, &str)] = &[
    ("memories", "SELECT 1 FROM MEMORY_NODES"),
    ("memories outside the first domain", "SELECT 1 FROM MEMORY_NODES WHERE domain <> 'general'"),
    ("tags", "SELECT 1 FROM MEMORY_TAGS"),
    ("edges", "SELECT 1 FROM MEMORY_EDGES"),
    ("references", "SELECT 1 FROM DOMAIN_REFS"),
    ("mentions given", "SELECT 1 FROM memory_entities WHERE given"),
    ("mentions found", "SELECT 1 FROM memory_entities WHERE NOT given"),
    ("history", "SELECT 1 FROM memory_history"),
    ("superseded memories", "SELECT 1 FROM MEMORY_NODES WHERE superseded_by IS NOT NULL"),
    ("forgotten memories", "SELECT 1 FROM audit_log WHERE action = 'forget'"),
    ("moved memories", "SELECT 1 FROM DOMAIN_REFS WHERE description IN ('supports', 'supersedes')"),
];

/// Requires that all invariants hold.
pub(crate) fn require_consistent(connection: &Connection, when: &str) -> Result<()> {
    for (rule, query) in RULES {
        let broken = connection.prepare(query)?.query([])?.next()?.is_some();
        ensure!(!broken, "{when}: violated: {rule}");
    }
    Ok(())
}

fn some_name(random: &mut SplitMix64) -> String {
    format!("entity {}", random.below(8))
}

fn some_text(random: &mut SplitMix64) -> String {
    let words = ["cat", "dog", "tea", "rust", "café", "deploy"];
    (0..=random.below(4)).map(|_| random.one_of(&words)).collect::<Vec<_>>().join(" ")
}

#[test]
fn random_calls_keep_all_tables_consistent() -> Result<()> {
    let mut targets = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for seed in 1..=12 {
        if seed > 4 && targets.len() == 3 && seen.len() == SEEN.len() {
            break;
        }
        let folder = tempdir()?;
        let path = folder.path().join("memory.db");
        let mut memory = Native::open(&path)?;
        let mut random = SplitMix64::new(seed);
        let mut splits = 0;
        for domain in ["one", "two"] {
            memory.call("create_domain", &json!({ "id": domain }).to_string())?;
        }
        for _ in 0..240 {
            if random.below(10) == 0 {
                splits += u32::from(split(&mut memory, &mut random)?);
                continue;
            }
            let (tool, arguments) = match random.below(5) {
                0 | 1 => any_memory_call(&mut random),
                _ => any_call(&mut random),
            };
            memory.call(tool, &arguments.to_string())?;
        }
        ensure!(splits > 0, "seed {seed}: no split succeeded");
        memory.drain()?;
        flags_are_those_of_duplicates(&mut memory)?;
        drop(memory);
        let connection = Connection::open(&path)?;
        require_consistent(&connection, &format!("seed {seed}"))?;
        for (what, query) in SEEN {
            if connection.prepare(query)?.exists([])? {
                seen.insert(*what);
            }
        }
        let mut found = connection.prepare("SELECT DISTINCT target_type FROM reflections ORDER BY 1")?;
        for target in found.query_map([], |row| row.get::<_, String>(0))? {
            targets.insert(target?);
        }
    }
    for (what, _) in SEEN {
        ensure!(seen.contains(what), "the calls made no {what}");
    }
    ensure!(targets.len() == 3, "only {targets:?} have reflections");
    Ok(())
}

/// Splits an entity by some of its observations. Returns whether the split succeeded: the new name may exist already.
fn split(memory: &mut Native, random: &mut SplitMix64) -> Result<bool> {
    let name = some_name(random);
    let mut texts = observations(memory, &name)?;
    texts.truncate(usize::try_from(1 + random.below(3))?);
    let texts: Vec<&Value> = texts.iter().map(|observation| &observation["content"]).collect();
    let part = json!({ "name": some_name(random), "entity_type": "Part", "observations": texts });
    let arguments = json!({ "entity_name": name, "approved_splits": [part] });
    let (is_error, _) = memory.call("execute_entity_split", &arguments.to_string())?;
    Ok(!is_error)
}

/// The complete current observations of an entity; empty if it does not exist.
fn observations(memory: &mut Native, name: &str) -> Result<Vec<Value>> {
    let (_, answer) = memory.call("open_nodes", &json!({ "names": [name], "detail": "full" }).to_string())?;
    let answer: Value = serde_json::from_str(&answer)?;
    Ok(answer["entities"][0]["observations"].as_array().cloned().unwrap_or_default())
}

fn flags_are_those_of_duplicates(memory: &mut Native) -> Result<()> {
    for number in 0..8 {
        let name = format!("entity {number}");
        let flagged: BTreeSet<Option<i64>> = observations(memory, &name)?
            .iter()
            .filter(|observation| observation["similarity_flag"] == 1)
            .map(|observation| observation["id"].as_i64())
            .collect();
        let (_, answer) =
            memory.call("find_duplicate_observations", &json!({ "entity_name": name }).to_string())?;
        let answer: Value = serde_json::from_str(&answer)?;
        let joined: BTreeSet<Option<i64>> = answer["clusters"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|cluster| cluster.as_array().into_iter().flatten().map(Value::as_i64))
            .collect();
        ensure!(flagged == joined, "{name}: {flagged:?} are flagged, {joined:?} are duplicates");
    }
    Ok(())
}

fn any_call(random: &mut SplitMix64) -> (&'static str, serde_json::Value) {
    match random.below(16) {
        0..=2 => (
            "create_entities",
            json!({ "entities": [{ "name": some_name(random), "observations": [some_text(random), some_text(random)] }] }),
        ),
        3 | 4 => {
            ("add_observations", json!({ "name": some_name(random), "observations": [some_text(random)] }))
        }
        5 => (
            "add_observations",
            json!({ "name": some_name(random), "observations": [some_text(random)], "supersedes": random.below(40) }),
        ),
        6 => {
            ("delete_observations", json!({ "name": some_name(random), "observations": [some_text(random)] }))
        }
        7 | 8 => (
            "create_relations",
            json!({ "relations": [{ "from": some_name(random), "to": some_name(random), "relationType": "knows" }] }),
        ),
        9 => (
            "delete_relations",
            json!({ "relations": [{ "from": some_name(random), "to": some_name(random), "relationType": "knows" }] }),
        ),
        10..=13 => {
            let target = ["entity", "relation", "global"][usize::try_from(random.below(3)).unwrap_or(0)];
            let id = (target != "global").then(|| 1 + random.below(10));
            (
                "add_reflection",
                json!({ "target_type": target, "target_id": id, "content": some_text(random) }),
            )
        }
        14 => ("delete_entities", json!({ "entityNames": [some_name(random)] })),
        _ => ("search_semantic", json!({ "query": some_text(random), "limit": 5 })),
    }
}

fn any_memory_call(random: &mut SplitMix64) -> (&'static str, Value) {
    let id = format!("m {}", random.below(9));
    let target = format!("m {}", random.below(9));
    let domain = ["general", "one", "two"][usize::try_from(random.below(3)).unwrap_or(0)];
    let content = match random.below(3) {
        0 => some_text(random),
        _ => format!("{} {}", some_text(random), some_name(random)),
    };
    let link = ["supports", "supersedes", "refines"][usize::try_from(random.below(3)).unwrap_or(0)];
    let links = json!({ link: [{ "targetId": target, "strength": 0.5 }] });
    let mut fields = json!({ "id": id, "content": content });
    for (field, value) in [
        ("domain", json!(domain)),
        ("tags", json!(["t", some_text(random)])),
        ("summary", json!("in short")),
        ("path", json!("a/b")),
        ("relationships", links),
        ("entities", json!([some_name(random)])),
        ("subject", json!("s")),
    ] {
        if random.below(3) == 0 {
            fields[field] = value;
        }
    }
    match random.below(20) {
        0..=7 => ("memory_store", fields),
        8..=11 => ("memory_update", fields),
        12 => ("memory_update", json!({ "id": id, "domain": domain })),
        13 | 14 => ("memory_forget", json!({ "id": id, "cascade": random.below(2) == 0 })),
        15 => ("memory_invalidate", json!({ "id": id, "superseded_by": target })),
        16 => ("memory_invalidate", json!({ "id": id, "reason": "over" })),
        17 => ("select_domain", json!({ "id": domain })),
        18 => ("delete_domain", json!({ "id": "two", "move_to": "one" })),
        _ => ("create_domain", json!({ "id": "two" })),
    }
}

/// Statements that change the texts of entities; `?1` and `?2` are random row numbers, `?3` is a random text.
const TEXT_CHANGES: [&str; 8] = [
    "INSERT OR IGNORE INTO entities (name, entity_type) VALUES (?3 || ' ' || ?1, 'Type ' || ?2)",
    "INSERT INTO observations (entity_id, content) SELECT id, ?3 || ' ' || ?2 FROM entities WHERE id = ?1",
    "INSERT INTO observations (entity_id, content) SELECT id, ?3 || ?2 FROM entities WHERE id > ?1",
    "UPDATE OR IGNORE entities SET name = ?3 || ?2 WHERE id = ?1",
    "UPDATE observations SET superseded_at = CASE WHEN id % 2 THEN '2026-01-01 00:00:00' END
     WHERE id BETWEEN ?1 AND ?2 AND ?3 <> ''",
    "UPDATE observations SET entity_id = (SELECT id FROM entities WHERE id >= ?1 ORDER BY id)
     WHERE id = ?2 AND EXISTS (SELECT 1 FROM entities WHERE id >= ?1) AND ?3 <> ''",
    "DELETE FROM entities WHERE id = ?1 AND ?2 % 3 = 0 AND ?3 <> ''",
    "DELETE FROM observations WHERE id = ?1 AND ?2 > 0 AND ?3 <> ''",
];

fn change_texts(tx: &Transaction<'_>, random: &mut SplitMix64) -> limbic_core::Result<()> {
    for _ in 0..=random.below(3) {
        let rows = (1 + random.below(30), 1 + random.below(60));
        let text = random.one_of(&["Café Österreich", "DEPLOY", "I\u{307}stanbul", "ﬀ tea", "cafe\u{301}"]);
        tx.execute(random.one_of(&TEXT_CHANGES), (rows.0, rows.1, text))?;
    }
    Ok(())
}

/// Searches with the engine's copy of the texts and with a new one.
fn require_current_texts(engine: &mut Engine, random: &mut SplitMix64, after: &str) -> Result<()> {
    let folding = if random.below(8) == 0 { Folding::LowerCase } else { Folding::Composed };
    engine.read_with_texts(|tx, texts| {
        for query in ["é", "e\u{301}", "deploy", "1", "type 2", "i\u{307}", "TEA3", ""] {
            let expected = TextCache::new(RowChanges::default()).containing(tx, folding, query)?;
            let found = texts.containing(tx, folding, query)?;
            assert_eq!(found, expected, "{query:?} after {after}");
        }
        Ok(())
    })?;
    Ok(())
}

#[test]
fn cached_texts_equal_the_database_after_every_change() -> Result<()> {
    let folder = tempdir()?;
    let path = folder.path().join("memory.db");
    let mut engine = Engine::open(connect(&path)?, Box::new(NoHost), false)?;
    let mut other = Engine::open(connect(&path)?, Box::new(NoHost), false)?;
    let mut random = SplitMix64::new(19);
    for _ in 0..120 {
        let after = match random.below(10) {
            0 => {
                other.write(|tx| change_texts(tx, &mut random))?;
                "changes by another connection"
            }
            1 => {
                engine.dry_run(|tx| change_texts(tx, &mut random))?;
                "a dry run"
            }
            2 => {
                let failed = engine.write(|tx| change_texts(tx, &mut random).and(Err::<(), _>(Error::Busy)));
                ensure!(failed.is_err(), "the transaction was committed");
                "a failed transaction"
            }
            3 => {
                engine.write(|tx| {
                    change_texts(tx, &mut random)?;
                    tx.execute_batch("SAVEPOINT part")?;
                    change_texts(tx, &mut random)?;
                    Ok(tx.execute_batch("ROLLBACK TO part; RELEASE part")?)
                })?;
                "a savepoint that was rolled back"
            }
            4 => {
                engine.database_mut().compact()?;
                "compaction"
            }
            _ => {
                engine.write(|tx| change_texts(tx, &mut random))?;
                "changes"
            }
        };
        if random.below(3) > 0 {
            require_current_texts(&mut engine, &mut random, after)?;
        }
    }
    let file = engine.database_mut().export()?;
    let mut in_memory = Engine::open(Connection::open_in_memory()?, Box::new(NoHost), false)?;
    for engine in [&mut engine, &mut in_memory] {
        require_current_texts(engine, &mut random, "opening")?;
        engine.import(file.as_slice(), file.len(), WalFile::Absent)?;
        require_current_texts(engine, &mut random, "an import")?;
        engine.write(|tx| change_texts(tx, &mut random))?;
        require_current_texts(engine, &mut random, "changes of what was imported")?;
    }
    Ok(())
}

/// The recorded row numbers of entities and of observations.
fn taken(changes: &RowChanges) -> Option<(Vec<i64>, Vec<i64>)> {
    let rows = changes.take()?;
    Some((rows.entities.into_iter().collect(), rows.observations.into_iter().collect()))
}

#[test]
fn only_changed_rows_are_recorded() -> Result<()> {
    let folder = tempdir()?;
    let mut engine = Engine::open(connect(&folder.path().join("memory.db"))?, Box::new(NoHost), false)?;
    let changes = engine.database().row_changes();
    let mut run = |sql: &str| engine.write(|tx| Ok(tx.execute_batch(sql)?));
    run("INSERT INTO entities (id, name) VALUES (1, 'a'), (2, 'b');
         INSERT INTO observations (id, entity_id, content) VALUES (10, 1, 'x'), (11, 2, 'y'), (12, 1, 'z')")?;
    assert_eq!(taken(&changes), None, "before the first use, any row may have changed");
    run("INSERT INTO observations (id, entity_id, content) VALUES (13, 2, 'x');
         UPDATE entities SET name = 'c' WHERE id = 2;
         INSERT INTO relations (id, from_entity, to_entity, relation_type) VALUES (7, 1, 2, 'r')")?;
    assert_eq!(taken(&changes), Some((vec![2], vec![13])));
    run("DELETE FROM entities WHERE id = 1")?;
    assert_eq!(taken(&changes), Some((vec![1], vec![10, 12])), "with the rows that cascade");
    run("SAVEPOINT part; DELETE FROM observations WHERE id = 11; ROLLBACK TO part; RELEASE part")?;
    assert_eq!(taken(&changes), Some((vec![], vec![11])));
    assert_eq!(taken(&changes), Some((vec![], vec![])));
    run("WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n LIMIT 5000)
         INSERT INTO entities (id, name) SELECT i, i FROM n")?;
    assert_eq!(taken(&changes), None, "many rows are not recorded one by one");
    Ok(())
}
