//! After any calls in any order, the tables that SQLite does not keep in step are in step.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{BackEnd, memory::Native};
use serde_json::{Value, json};
use tempfile::tempdir;

/// Each query must find nothing.
const RULES: &[(&str, &str)] = &[
    ("every entity has its words", "SELECT id FROM entities EXCEPT SELECT rowid FROM entity_fts"),
    ("words belong to an entity", "SELECT rowid FROM entity_fts EXCEPT SELECT id FROM entities"),
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
        "both vectors of a reflection are the same",
        "SELECT e.rowid FROM reflection_embeddings AS e JOIN text_vectors AS v ON v.kind = 2 AND v.id = e.rowid
         WHERE e.embedding IS NOT v.vector",
    ),
    (
        "what a reflection is about is there",
        "SELECT id FROM reflections WHERE target_type = 'entity' AND target_id NOT IN (SELECT id FROM entities)
             OR target_type = 'relation' AND target_id NOT IN (SELECT id FROM relations)",
    ),
    ("tokens have a sentence vector", "SELECT key FROM token_vectors EXCEPT SELECT key FROM text_vectors"),
    ("sentence vectors have tokens", "SELECT key FROM text_vectors EXCEPT SELECT key FROM token_vectors"),
    ("nothing waits", "SELECT id FROM embedding_queue"),
    (
        "the number of texts is right",
        "SELECT kind FROM token_frequency AS f WHERE token = -1 AND texts <>
             (SELECT count(*) FROM token_vectors WHERE kind = f.kind)",
    ),
    ("no token stands in fewer texts than none", "SELECT token FROM token_frequency WHERE texts < 0"),
    (
        "the log of vectors knows the rows that have some",
        "SELECT kind, id FROM vector_log EXCEPT SELECT 0, rowid FROM entity_embeddings
             EXCEPT SELECT kind, id FROM token_vectors",
    ),
    (
        "history stays with its entity",
        "SELECT newer.id FROM observations AS newer JOIN observations AS older ON older.id = newer.supersedes
         WHERE older.entity_id <> newer.entity_id",
    ),
    (
        "only current observations are flagged",
        "SELECT id FROM observations WHERE similarity_flag <> 0 AND superseded_at IS NOT NULL",
    ),
    ("foreign keys hold", "SELECT * FROM pragma_foreign_key_check"),
];

/// A small generator: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn name(&mut self) -> String {
        format!("entity {}", self.below(8))
    }

    fn text(&mut self) -> String {
        let words = ["cat", "dog", "tea", "rust", "café", "deploy"];
        (0..=self.below(4))
            .map(|_| words[usize::try_from(self.below(6)).unwrap_or(0)])
            .collect::<Vec<_>>()
            .join(" ")
    }
}

#[test]
fn random_calls_leave_all_tables_in_step() -> Result<()> {
    let mut targets = BTreeSet::new();
    for seed in 1..=4 {
        let folder = tempdir()?;
        let path = folder.path().join("memory.db");
        let mut memory = Native::open(&path)?;
        let mut random = Random(seed);
        let mut splits = 0;
        for _ in 0..150 {
            if random.below(10) == 0 {
                splits += u32::from(split(&mut memory, &mut random)?);
                continue;
            }
            let (tool, arguments) = any_call(&mut random);
            memory.call(tool, &arguments.to_string())?;
        }
        ensure!(splits > 0, "seed {seed}: no split succeeded");
        memory.settle()?;
        flags_are_those_of_duplicates(&mut memory)?;
        drop(memory);
        let connection = Connection::open(&path)?;
        for (rule, query) in RULES {
            let broken = connection.prepare(query)?.query([])?.next()?.is_some();
            ensure!(!broken, "seed {seed}: {rule}: no longer true");
        }
        let mut found = connection.prepare("SELECT DISTINCT target_type FROM reflections ORDER BY 1")?;
        for target in found.query_map([], |row| row.get::<_, String>(0))? {
            targets.insert(target?);
        }
    }
    ensure!(targets.len() == 3, "reflections were left only on {targets:?}: the rules saw too little");
    Ok(())
}

/// Splits an entity by observations that it has. Answers whether that succeeded: the new name may be taken.
fn split(memory: &mut Native, random: &mut Random) -> Result<bool> {
    let name = random.name();
    let mut texts = observations(memory, &name)?;
    texts.truncate(usize::try_from(1 + random.below(3))?);
    let texts: Vec<&Value> = texts.iter().map(|observation| &observation["content"]).collect();
    let part = json!({ "name": random.name(), "entity_type": "Part", "observations": texts });
    let arguments = json!({ "entity_name": name, "approved_splits": [part] });
    let (is_error, _) = memory.call("execute_entity_split", &arguments.to_string())?;
    Ok(!is_error)
}

/// The current observations of an entity in full; none when it does not exist.
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

fn any_call(random: &mut Random) -> (&'static str, serde_json::Value) {
    match random.below(16) {
        0..=2 => (
            "create_entities",
            json!({ "entities": [{ "name": random.name(), "observations": [random.text(), random.text()] }] }),
        ),
        3 | 4 => ("add_observations", json!({ "name": random.name(), "observations": [random.text()] })),
        5 => (
            "add_observations",
            json!({ "name": random.name(), "observations": [random.text()], "supersedes": random.below(40) }),
        ),
        6 => ("delete_observations", json!({ "name": random.name(), "observations": [random.text()] })),
        7 | 8 => (
            "create_relations",
            json!({ "relations": [{ "from": random.name(), "to": random.name(), "relationType": "knows" }] }),
        ),
        9 => (
            "delete_relations",
            json!({ "relations": [{ "from": random.name(), "to": random.name(), "relationType": "knows" }] }),
        ),
        10..=13 => {
            let target = ["entity", "relation", "global"][usize::try_from(random.below(3)).unwrap_or(0)];
            let id = (target != "global").then(|| 1 + random.below(10));
            ("add_reflection", json!({ "target_type": target, "target_id": id, "content": random.text() }))
        }
        14 => ("delete_entities", json!({ "entityNames": [random.name()] })),
        _ => ("search_semantic", json!({ "query": random.text(), "limit": 5 })),
    }
}
