//! After any calls in any order, the tables that SQLite does not keep in step are in step.

use anyhow::{Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{BackEnd, memory::Native};
use serde_json::json;
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
    ("nothing waits", "SELECT id FROM embedding_queue"),
    (
        "the number of texts is right",
        "SELECT texts FROM token_frequency WHERE kind = 1 AND token = -1 AND texts <>
             (SELECT count(*) FROM token_vectors WHERE kind = 1)",
    ),
    ("no token stands in fewer texts than none", "SELECT token FROM token_frequency WHERE texts < 0"),
    (
        "the log of vectors knows the rows that have some",
        "SELECT kind, id FROM vector_log EXCEPT SELECT 0, rowid FROM entity_embeddings
             EXCEPT SELECT kind, id FROM token_vectors",
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
    for seed in 1..=4 {
        let folder = tempdir()?;
        let path = folder.path().join("memory.db");
        let mut memory = Native::open(&path)?;
        let mut random = Random(seed);
        for _ in 0..150 {
            let (tool, arguments) = any_call(&mut random);
            memory.call(tool, &arguments.to_string())?;
        }
        memory.settle()?;
        drop(memory);
        let connection = Connection::open(&path)?;
        for (rule, query) in RULES {
            let broken = connection.prepare(query)?.query([])?.next()?.is_some();
            ensure!(!broken, "seed {seed}: {rule}: no longer true");
        }
    }
    Ok(())
}

fn any_call(random: &mut Random) -> (&'static str, serde_json::Value) {
    match random.below(10) {
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
        7 => (
            "create_relations",
            json!({ "relations": [{ "from": random.name(), "to": random.name(), "relationType": "knows" }] }),
        ),
        8 => ("delete_entities", json!({ "entityNames": [random.name()] })),
        _ => ("search_semantic", json!({ "query": random.text(), "limit": 5 })),
    }
}
