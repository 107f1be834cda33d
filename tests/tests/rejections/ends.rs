//! Ends of memories that wait, by others, and a rejection after them.

use anyhow::{Result, ensure};
use limbic_tests::{memory::Native, memory_file::ask, transcript::ensure_same};
use limbic_tools::CallerKind;
use serde_json::{Value, json};

use super::{
    enter,
    imports::{edge, get, import, import_file, memory, reject, shown, state},
};

/// A memory `a`, changed by an import, and two more.
fn changed() -> Result<Native> {
    let mut memory = memory()?;
    for (id, content) in [("a", "Ships on Mondays"), ("b", "Deploys have a garden"), ("c", "Tea is at five")]
    {
        ask(&mut memory, "memory_store", &json!({ "id": id, "content": content }))?;
    }
    import(&mut memory, &[state("a", "Ships on Tuesdays", 6)])?;
    Ok(memory)
}

fn end(memory: &mut Native) -> Result<Value> {
    let found = get(memory, "a")?;
    Ok(json!([found["valid_until"], found["superseded_by"], found["invalidation_reason"]]))
}

#[test]
fn a_memory_that_was_superseded_while_it_waited_stays_ended() -> Result<()> {
    for kind in [CallerKind::Cli, CallerKind::Client] {
        let mut memory = changed()?;
        enter(&mut memory, kind, "atlas");
        ask(&mut memory, "memory_link", &json!({ "from_id": "b", "to_id": "a", "type": "supersedes" }))?;
        enter(&mut memory, CallerKind::Cli, "");
        let before = end(&mut memory)?;
        ensure!(before[1] == "b", "{before}");
        reject(&mut memory, "a")?;
        ensure_same(&end(&mut memory)?, &before, "the end")?;
        ensure!(get(&mut memory, "a")?["content"] == "Ships on Mondays");
        ensure!(shown(&mut memory)? == ["b", "c"]);
        let link = json!({ "from_id": "b", "to_id": "a", "type": "supersedes", "remove": true });
        ask(&mut memory, "memory_link", &link)?;
        ensure!(shown(&mut memory)? == ["a", "b", "c"]);
    }
    Ok(())
}

#[test]
fn an_end_that_a_person_decided_stays_with_its_reason() -> Result<()> {
    let mut memory = changed()?;
    ask(&mut memory, "memory_invalidate", &json!({ "id": "a", "reason": "no ships" }))?;
    let before = end(&mut memory)?;
    ensure!(before[2] == "no ships", "{before}");
    reject(&mut memory, "a")?;
    ensure_same(&end(&mut memory)?, &before, "the end")?;
    ensure!(get(&mut memory, "a")?["content"] == "Ships on Mondays" && shown(&mut memory)? == ["b", "c"]);
    Ok(())
}

#[test]
fn an_end_stays_that_was_decided_between_two_changes() -> Result<()> {
    let mut memory = changed()?;
    ask(&mut memory, "memory_invalidate", &json!({ "id": "a", "superseded_by": "b", "reason": "no ships" }))?;
    let before = end(&mut memory)?;
    import_file(&mut memory, "/notes/other.limbic.jsonl", &[state("a", "Ships on Fridays", 7)])?;
    for _ in 0..2 {
        reject(&mut memory, "a")?;
        ensure_same(&end(&mut memory)?, &before, "the end")?;
    }
    ensure!(shown(&mut memory)? == ["b", "c"]);
    Ok(())
}

#[test]
fn an_imported_link_ends_no_memory_when_a_change_is_rejected() -> Result<()> {
    let mut memory = changed()?;
    import_file(&mut memory, "/notes/other.limbic.jsonl", &[edge("b", "supersedes", "a")])?;
    ensure!(shown(&mut memory)? == ["a", "b", "c"]);
    reject(&mut memory, "a")?;
    ensure!(shown(&mut memory)? == ["a", "b", "c"], "{}", get(&mut memory, "a")?);
    Ok(())
}

#[test]
fn a_client_that_changes_what_waits_for_an_import_hides_nothing_after_the_rejection() -> Result<()> {
    let mut memory = changed()?;
    enter(&mut memory, CallerKind::Client, "atlas");
    let links = json!({ "supersedes": [{ "targetId": "b" }] });
    let changed = json!({ "id": "a", "content": "Ships never", "tier": "l0", "relationships": links });
    ask(&mut memory, "memory_update", &changed)?;
    ensure!(shown(&mut memory)? == ["a", "c"]);
    enter(&mut memory, CallerKind::Explorer, "");
    reject(&mut memory, "a")?;
    ensure!(shown(&mut memory)? == ["a", "b", "c"], "{}", get(&mut memory, "b")?);
    Ok(())
}
