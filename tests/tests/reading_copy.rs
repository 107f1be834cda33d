//! The reading copy in a page of `export --html`: it contains all records, but neither logs nor vectors.

use std::io::Cursor;

use anyhow::{Result, ensure};
use limbic_core::{
    db::{open_checked, wal::WalFile},
    rusqlite::Connection,
};
use limbic_tests::{
    BackEnd,
    memory::{Native, NoHost},
    memory_file::ask_by_words,
};
use limbic_tools::{Limbic, Options};
use serde_json::json;

/// Queries of words of each kind of record, and one that matches nothing. None is similar to the logged query, which
/// has feedback.
const QUESTIONS: [&str; 6] =
    ["lemon", "release march", "Atlas backups", "works on rust", "cellar", "zeppelin"];

/// Tables of logs, of which no row is copied.
const LEFT_BEHIND: [&str; 11] = [
    "search_events",
    "implicit_feedback",
    "search_results",
    "audit_log",
    "embedding_queue",
    "token_vectors",
    "text_vectors",
    "token_frequency",
    "encoder",
    "replaced_states",
    "waiting_links",
];

fn filled() -> Result<Native> {
    let mut memory = Native::in_memory_offering(&["graph", "memory", "domain", "explorer"])?;
    let calls = [
        (
            "create_entities",
            json!({ "entities": [
                { "name": "Ada", "entityType": "Person", "observations": ["Ada drinks tea", "Works on Atlas in rust"] },
                { "name": "Grace", "entityType": "Person", "observations": ["Tea with lemon at five"] },
                { "name": "Atlas", "entityType": "Project", "observations": ["The release was in March", "Written in rust"] },
                { "name": "Cellar", "entityType": "Place", "observations": ["Backups of Atlas lie in the cellar"] },
            ]}),
        ),
        (
            "create_relations",
            json!({ "relations": [
                { "from": "Ada", "to": "Atlas", "relationType": "works_on" },
                { "from": "Ada", "to": "Grace", "relationType": "knows" },
            ]}),
        ),
        ("add_reflection", json!({ "target_type": "global", "author": "sofia", "content": "on all of it" })),
        (
            "add_reflection",
            json!({ "target_type": "entity", "target_id": 1, "author": "sofia", "content": "on Ada" }),
        ),
        ("create_domain", json!({ "id": "code", "name": "Code" })),
        (
            "memory_store",
            json!({ "memories": [
                { "id": "left-out", "content": "Atlas is written in rust", "domain": "code" },
                { "id": "named", "content": "Ada prefers tea", "tags": ["drinks"],
                  "relationships": { "supports": [{ "targetId": "left-out" }] } },
                { "id": "given", "content": "She ships on Mondays", "entities": ["Ada"],
                  "relationships": { "refines": [{ "targetId": "named" }] } },
            ]}),
        ),
        ("search_semantic", json!({ "query": "a private query about tea" })),
        ("open_nodes", json!({ "names": ["Grace"] })),
        ("search_semantic", json!({ "query": "a private query about tea" })),
    ];
    for (tool, arguments) in calls {
        let (is_error, text) = memory.call(tool, &arguments.to_string())?;
        ensure!(!is_error, "{tool}: {text}");
    }
    memory.drain()?;
    Ok(memory)
}

fn copy(memory: &mut Native, types: &[&str]) -> Result<Vec<u8>> {
    let types: Vec<String> = types.iter().map(|name| (*name).to_owned()).collect();
    Ok(memory.limbic().reading_copy(&types)?.database)
}

/// Opens a database read-only, as the page does.
fn read_only(bytes: &[u8]) -> Result<Limbic> {
    let toolsets = ["graph", "memory", "domain", "explorer"].map(str::to_owned).to_vec();
    let options = Options { read_only: true, toolsets, ..Options::default() };
    Ok(Limbic::open(
        open_checked(Cursor::new(bytes), bytes.len(), WalFile::Absent)?,
        Box::new(NoHost),
        options,
    )?)
}

fn count(connection: &Connection, table: &str) -> Result<u64> {
    Ok(connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?)
}

#[test]
fn a_search_by_words_ranks_in_the_copy_as_in_the_original() -> Result<()> {
    let mut memory = filled()?;
    let mut original = read_only(&memory.limbic().export()?)?;
    let mut copied = read_only(&copy(&mut memory, &[])?)?;
    for query in QUESTIONS {
        for tool in ["search_semantic", "memory_recall"] {
            let arguments = json!({ "query": query });
            let found = ask_by_words(&mut original, tool, &arguments)?;
            assert_eq!(ask_by_words(&mut copied, tool, &arguments)?, found, "{tool} {query}");
        }
    }
    let tea = ask_by_words(&mut copied, "search_semantic", &json!({ "query": "tea" }))?;
    assert_eq!(tea["results"].as_array().map(Vec::len), Some(2), "{tea}");
    Ok(())
}

#[test]
fn a_reading_copy_gives_the_same_answers() -> Result<()> {
    let mut memory = filled()?;
    let mut original = read_only(&memory.limbic().export()?)?;
    let mut copied = read_only(&copy(&mut memory, &[])?)?;
    let calls = [
        ("explore_graph", json!({ "show": "all" })),
        ("explore_records", json!({ "kind": "memories" })),
        ("explore_records", json!({ "kind": "observations" })),
        ("explore_records", json!({ "kind": "relations" })),
        ("explore_records", json!({ "kind": "reflections" })),
        ("explore_records", json!({ "kind": "links" })),
        ("list_domains", json!({})),
    ];
    for (tool, arguments) in calls {
        let seen = ask_by_words(&mut original, tool, &arguments)?;
        assert_eq!(ask_by_words(&mut copied, tool, &arguments)?, seen, "{tool} {arguments}");
    }
    Ok(())
}

#[test]
fn a_reading_copy_has_no_vectors_queries_and_audit_log() -> Result<()> {
    let mut memory = filled()?;
    let bytes = memory.limbic().export()?;
    let original = open_checked(Cursor::new(&bytes[..]), bytes.len(), WalFile::Absent)?;
    for table in ["search_events", "audit_log", "text_vectors"] {
        assert!(count(&original, table)? > 0, "the original has rows in {table}");
    }
    let bytes = copy(&mut memory, &[])?;
    let copied = open_checked(Cursor::new(&bytes[..]), bytes.len(), WalFile::Absent)?;
    for table in LEFT_BEHIND {
        assert_eq!(count(&copied, table)?, 0, "{table}");
    }
    assert!(!holds(&bytes, "a question of mine"));
    Ok(())
}

#[test]
fn a_copy_of_types_contains_nothing_else() -> Result<()> {
    let mut memory = filled()?;
    let bytes = copy(&mut memory, &["Person"])?;
    for left in ["Atlas is written", "March", "cellar", "on all of it", "left-out", "works_on", "Code"] {
        assert!(!holds(&bytes, left), "{left}");
    }
    let copied = open_checked(Cursor::new(&bytes[..]), bytes.len(), WalFile::Absent)?;
    let expected = [
        ("entities", 2),
        ("relations", 1),
        ("reflections", 1),
        ("MEMORY_NODES", 2),
        ("MEMORY_EDGES", 1),
        ("memory_entities", 2),
        ("DOMAINS", 1),
    ];
    for (table, rows) in expected {
        assert_eq!(count(&copied, table)?, rows, "{table}");
    }
    let mut people = read_only(&bytes)?;
    let found = ask_by_words(&mut people, "search_semantic", &json!({ "query": "tea" }))?;
    assert_eq!(found["results"].as_array().map(Vec::len), Some(2), "{found}");
    let mut places = read_only(&copy(&mut memory, &["Place"])?)?;
    let domains = ask_by_words(&mut places, "list_domains", &json!({}))?;
    assert_eq!(domains["domains"][0]["id"], "general", "without a selected memory the first domain exists");
    Ok(())
}

#[test]
fn an_unknown_type_is_rejected() -> Result<()> {
    let mut memory = filled()?;
    let error = memory.limbic().reading_copy(&["Persom".to_owned()]).expect_err("there is no such type");
    assert!(
        error.to_string().contains("no entity of type \"Persom\" (there are: Person, Place, Project)"),
        "{error}"
    );
    Ok(())
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
