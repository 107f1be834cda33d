//! Links that wait with a change: which are withdrawn with it, and links to code.

use anyhow::{Result, ensure};
use limbic_tests::{
    memory::{Native, connect},
    memory_file::{MemoryFile, ask},
};
use limbic_tools::{CallerKind, Options};
use serde_json::{Value, json};

use super::{
    enter,
    imports::{TOOLSETS, import, memory, reject, state, whole},
};

fn open(file: &MemoryFile) -> Result<Native> {
    let toolsets = TOOLSETS.map(str::to_owned).to_vec();
    let mut memory = file.open(0, Options { toolsets, ..Options::default() })?;
    enter(&mut memory, CallerKind::Cli, "");
    Ok(memory)
}

#[test]
fn a_link_to_code_that_has_changed_is_given_back_as_changed() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = open(&file)?;
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Zero", "tier": "l0" }))?;
    drop(memory);
    connect(&file.path)?.execute_batch(
        "INSERT INTO memory_symbols (memory_id, project_id, file_path, qualified_name, shape_hash, is_unique, given)
         VALUES ('a', 'p', 'x.rs', 'one', 0x1003, 0, 1), ('a', 'p', 'x.rs', 'two', 0x1003, 0, 1);",
    )?;
    let mut memory = open(&file)?;
    enter(&mut memory, CallerKind::Client, "atlas");
    ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "One" }))?;
    drop(memory);
    // As if the change had linked both again, the second one after another release had formed the shapes anew.
    connect(&file.path)?.execute_batch(
        "UPDATE memory_symbols SET shape_hash = 0x2003, is_unique = 1 WHERE qualified_name = 'one';
         UPDATE memory_symbols SET shape_hash = 0x2004, is_unique = 1 WHERE qualified_name = 'two';",
    )?;
    let mut memory = open(&file)?;
    reject(&mut memory, "a")?;
    drop(memory);
    for (name, expected) in [("one", 0x1003_i64 * 2), ("two", 0x2004_i64 * 2 + 1)] {
        let query =
            format!("SELECT shape_hash * 2 + is_unique FROM memory_symbols WHERE qualified_name = '{name}'");
        ensure!(file.one::<i64>(&query)? == expected, "{name}");
    }
    Ok(())
}

#[test]
fn links_that_a_client_states_twice_or_adds_later_are_withdrawn() -> Result<()> {
    for domain in ["general", "argus"] {
        for has_import in [false, true] {
            let mut memory = memory()?;
            ask(&mut memory, "create_domain", &json!({ "id": "argus" }))?;
            ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Zero", "tier": "l0" }))?;
            for (id, content) in [("b", "Deploys have a garden"), ("c", "Tea is at five"), ("d", "It rains")]
            {
                let stored = json!({ "id": id, "content": content, "domain": domain });
                ask(&mut memory, "memory_store", &stored)?;
            }
            if has_import {
                import(&mut memory, &[state("a", "Half", 6)])?;
            }
            let before = whole(&mut memory, "a")?["links"].clone();
            enter(&mut memory, CallerKind::Client, "atlas");
            let links = |ids: &[&str]| -> Value {
                let links: Vec<_> = ids.iter().map(|id| json!({ "targetId": id })).collect();
                json!({ "supports": links })
            };
            let mut change =
                json!({ "id": "a", "content": "One", "tier": "l0", "relationships": links(&["b", "d"]) });
            ask(&mut memory, "memory_update", &change)?;
            change = json!({ "id": "a", "relationships": links(&["b", "c", "d"]) });
            ask(&mut memory, "memory_update", &change)?;
            // What a person states again stays.
            enter(&mut memory, CallerKind::Explorer, "");
            let link = json!({ "from_id": "a", "to_id": "d", "type": "supports", "description": "supports" });
            ask(&mut memory, "memory_link", &link)?;
            reject(&mut memory, "a")?;
            let found = whole(&mut memory, "a")?;
            ensure!(found["memory"]["content"] == "Zero", "{found}");
            let links = found["links"].to_string() + &found["references"].to_string();
            for gone in ["garden", "Tea"] {
                ensure!(!links.contains(gone), "{domain} {has_import}: {links}, {before}");
            }
            ensure!(links.contains("rains") || links.contains("\"d\""), "{domain} {has_import}: {found}");
        }
    }
    Ok(())
}

#[test]
fn a_reference_that_a_person_describes_stays() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = open(&file)?;
    ask(&mut memory, "create_domain", &json!({ "id": "argus" }))?;
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Zero" }))?;
    for (id, content) in [("b", "Tea is at five"), ("c", "It rains")] {
        ask(&mut memory, "memory_store", &json!({ "id": id, "content": content, "domain": "argus" }))?;
    }
    let reference = |to: &str| {
        json!({ "record": "memory_reference", "from": "a", "domain": "general", "to": to,
            "target_domain": "argus", "description": "as of May", "bidirectional": true })
    };
    import(&mut memory, &[state("a", "One", 6), reference("b"), reference("c")])?;
    drop(memory);
    ensure!(file.one::<i64>("SELECT count(*) FROM waiting_links")? == 2);
    let mut memory = open(&file)?;
    let link = json!({ "from_id": "a", "to_id": "b", "type": "related", "description": "as of June" });
    ask(&mut memory, "memory_link", &link)?;
    reject(&mut memory, "a")?;
    drop(memory);
    ensure!(file.one::<String>("SELECT group_concat(description) FROM DOMAIN_REFS")? == "as of June");
    ensure!(file.one::<i64>("SELECT count(*) FROM waiting_links")? == 0);
    Ok(())
}
