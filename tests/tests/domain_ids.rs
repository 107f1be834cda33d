//! Ids of domains in imports and in databases of earlier versions.

use anyhow::{Result, ensure};
use limbic_tests::{
    memory::{Native, connect},
    memory_file::ask,
};
use serde_json::{Value, json};

fn import(memory: &mut Native, text: &str) -> Result<Value> {
    let mut bytes = text.as_bytes().to_vec();
    let answer = memory.limbic().call_with_file(
        "migrate",
        r#"{"source_path": "x.jsonl"}"#,
        &[],
        &mut bytes,
        &mut |_, _| {},
    );
    ensure!(!answer.is_error, "{}", answer.json);
    Ok(serde_json::from_str(&answer.json)?)
}

fn ids(memory: &mut Native) -> Result<Vec<String>> {
    let listed = ask(memory, "list_domains", &json!({}))?;
    let domains = listed["domains"].as_array().cloned().unwrap_or_default();
    Ok(domains.iter().filter_map(|domain| domain["id"].as_str()).map(Into::into).collect())
}

#[test]
fn an_import_validates_domain_ids_as_tools_do() -> Result<()> {
    let mut memory = Native::in_memory()?;
    let lines = r#"{"record":"export","format":"limbic","version":1}
{"record":"domain","id":"general","name":"General"}
{"record":"domain","id":" work ","name":"Work"}
{"record":"domain","id":"cafe\u0301","name":"Café"}
{"record":"domain","id":"  ","name":"Blank"}
{"record":"domain","id":"a\tb","name":"Tab"}
{"record":"domain","id":" * ","name":"All"}
{"record":"memory","id":"m1","content":"One","domain":" work "}
{"record":"memory","id":"m2","content":"Two","domain":"work"}
{"record":"memory","id":"m3","content":"Three","domain":"caf\u00e9"}
{"record":"current_domain","domain":"work\n"}
{"record":"end","records":10}
"#;
    let report = import(&mut memory, lines)?;
    assert_eq!(ids(&mut memory)?, ["café", "general", "work"]);
    ensure!(report["skipped"] == 3, "the blank id, the tab and the star are refused: {report}");
    let found = ask(&mut memory, "memory_list", &json!({ "domain": "work" }))?;
    ensure!(found["total"] == 2, "{found}");
    ensure!(ask(&mut memory, "memory_list", &json!({ "domain": "café" }))?["total"] == 1);
    import(&mut memory, lines)?;
    assert_eq!(ids(&mut memory)?, ["café", "general", "work"]);
    Ok(())
}

#[test]
fn a_domain_with_an_id_of_an_earlier_version_can_be_selected_and_deleted() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.db");
    let mut memory = Native::open(&path)?;
    ask(&mut memory, "create_domain", &json!({ "id": "work" }))?;
    connect(&path)?.execute_batch(
        "INSERT INTO DOMAINS (id, name, created, lastAccess) SELECT '  ', 'Blank', created, lastAccess FROM DOMAINS WHERE id = 'general';
         INSERT INTO DOMAINS (id, name, created, lastAccess) SELECT ' work', 'Work', created, lastAccess FROM DOMAINS WHERE id = 'general';",
    )?;
    ask(&mut memory, "memory_store", &json!({ "id": "m1", "content": "One", "domain": " work" }))?;
    ask(&mut memory, "memory_store", &json!({ "id": "m2", "content": "Two", "domain": "work " }))?;
    ask(&mut memory, "memory_store", &json!({ "id": "m3", "content": "Three", "domain": "  " }))?;
    for (given, id) in [(" work", "m1"), ("work", "m2"), ("  ", "m3")] {
        let listed = ask(&mut memory, "memory_list", &json!({ "domain": given }))?;
        ensure!(listed["memories"][0]["id"] == id && listed["total"] == 1, "{given:?}: {listed}");
    }
    for given in [" work", "  "] {
        ask(&mut memory, "delete_domain", &json!({ "id": given, "move_to": "work" }))?;
    }
    assert_eq!(ids(&mut memory)?, ["general", "work"]);
    ensure!(ask(&mut memory, "memory_list", &json!({ "domain": "work" }))?["total"] == 3);
    Ok(())
}
