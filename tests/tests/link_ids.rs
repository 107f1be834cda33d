//! Links of other memories whose joined ids and types are the same text.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use limbic_tests::{
    export_import::{export, import},
    memory::{Native, connect},
    memory_file::{MemoryFile, ask},
};
use limbic_tools::Options;
use serde_json::{Value, json};

/// The memories of two users. The ids of `a`, `b-c` and `a-b`, `c` are one text when they are joined.
fn two_users(memory: &mut Native) -> Result<()> {
    for (user, id, content) in [
        ("ada", "a", "The lamp in the hall is broken"),
        ("ada", "b-c", "Ada sells tea"),
        ("bob", "a-b", "Rivers flood in May"),
        ("bob", "c", "Bob keeps seven bees"),
    ] {
        ask(memory, "memory_store", &json!({ "id": id, "content": content, "user_id": user }))?;
    }
    Ok(())
}

fn edges(memory: &mut Native, id: &str) -> Result<Value> {
    Ok(ask(memory, "memory_get", &json!({ "ids": [id] }))?["memories"][0]["edges"].clone())
}

/// Source, target and type of each edge in a file, and the number of different ids.
fn rows(file: &MemoryFile) -> Result<(BTreeSet<[String; 3]>, usize)> {
    let connection = connect(&file.path)?;
    let mut statement = connection.prepare("SELECT source, target, type, id FROM MEMORY_EDGES")?;
    let rows: Vec<([String; 3], String)> = statement
        .query_map([], |row| Ok(([row.get(0)?, row.get(1)?, row.get(2)?], row.get(3)?)))?
        .collect::<Result<_, _>>()?;
    let ids: BTreeSet<&String> = rows.iter().map(|(_, id)| id).collect();
    let count = ids.len();
    Ok((rows.into_iter().map(|(edge, _)| edge).collect(), count))
}

fn edge(from: &str, to: &str, link_type: &str) -> [String; 3] {
    [from, to, link_type].map(str::to_owned)
}

#[test]
fn a_link_does_not_change_that_of_another_user() -> Result<()> {
    let mut memory = Native::in_memory()?;
    two_users(&mut memory)?;
    let link = |from: &str, to: &str, strength: f64, user: &str| json!({ "from_id": from, "to_id": to, "type": "knows", "strength": strength, "user_id": user });
    for strength in [0.25, 0.5] {
        let of_ada = ask(&mut memory, "memory_link", &link("a", "b-c", 0.75, "ada"))?;
        let of_bob = ask(&mut memory, "memory_link", &link("a-b", "c", strength, "bob"))?;
        for (answer, source, target, strength) in
            [(&of_ada, "a", "b-c", 0.75), (&of_bob, "a-b", "c", strength)]
        {
            let expected =
                json!({ "source": source, "target": target, "type": "knows", "strength": strength });
            ensure!(answer["edge"] == expected, "{answer}");
            ensure!(edges(&mut memory, source)? == json!([expected]), "{source}");
        }
    }
    // Another split of the same text, with hyphens in the type.
    let other = json!({ "from_id": "a-b", "to_id": "c", "type": "knows-2" });
    ask(&mut memory, "memory_link", &other)?;
    ask(&mut memory, "memory_link", &json!({ "from_id": "a", "to_id": "b-c", "type": "knows-2" }))?;
    ensure!(edges(&mut memory, "a")?.as_array().map(Vec::len) == Some(2));
    ask(
        &mut memory,
        "memory_link",
        &json!({ "from_id": "a", "to_id": "b-c", "type": "knows", "remove": true }),
    )?;
    ensure!(edges(&mut memory, "a-b")?.as_array().map(Vec::len) == Some(2));
    Ok(())
}

#[test]
fn references_that_become_links_lose_none() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    two_users(&mut memory)?;
    ask(&mut memory, "create_domain", &json!({ "id": "atlas" }))?;
    for id in ["b-c", "c"] {
        ask(&mut memory, "memory_update", &json!({ "id": id, "domain": "atlas" }))?;
    }
    for (from, to) in [("a", "b-c"), ("a-b", "c")] {
        ask(&mut memory, "memory_link", &json!({ "from_id": from, "to_id": to, "type": "knows" }))?;
    }
    for id in ["b-c", "c"] {
        ask(&mut memory, "memory_update", &json!({ "id": id, "domain": "general" }))?;
    }
    let expected = BTreeSet::from([edge("a", "b-c", "knows"), edge("a-b", "c", "knows")]);
    assert_eq!(rows(&file)?, (expected, 2));
    Ok(())
}

#[test]
fn links_are_exported_and_imported_with_ids_that_are_taken() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    two_users(&mut memory)?;
    for (from, to) in [("a", "b-c"), ("a-b", "c")] {
        ask(&mut memory, "memory_link", &json!({ "from_id": from, "to_id": to, "type": "knows" }))?;
    }
    let exported = export(&mut memory, "limbic")?;
    let other = MemoryFile::new()?;
    let mut copy = other.open(0, Options::default())?;
    two_users(&mut copy)?;
    // Here, the joined text is the id of the other link.
    ask(&mut copy, "memory_link", &json!({ "from_id": "a-b", "to_id": "c", "type": "knows" }))?;
    for expected in [1, 0] {
        let answer = import(&mut copy, exported.as_ref(), false)?;
        ensure!(answer["problems"] == json!([]) && answer["links_imported"] == expected, "{answer}");
    }
    assert_eq!(rows(&other)?, rows(&file)?);
    Ok(())
}

#[test]
fn a_repeated_link_updates_one_with_another_id() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    two_users(&mut memory)?;
    let link =
        |strength: f64| json!({ "from_id": "a", "to_id": "b-c", "type": "knows", "strength": strength });
    ask(&mut memory, "memory_link", &link(1.0))?;
    connect(&file.path)?.execute("UPDATE MEMORY_EDGES SET id = 'of another program'", [])?;
    ask(&mut memory, "memory_link", &link(0.5))?;
    let found = edges(&mut memory, "a")?;
    let found = found.as_array().context("edges")?;
    ensure!(found.len() == 1 && found[0]["strength"] == 0.5, "{found:?}");
    Ok(())
}
