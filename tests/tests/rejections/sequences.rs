//! Several changes of one memory that wait, and rejections between them.

use anyhow::{Result, ensure};
use limbic_tests::{memory::Native, memory_file::ask};
use limbic_tools::CallerKind;
use serde_json::json;

use super::{
    enter,
    imports::{edge, get, import, import_file, memory, reject, shown, state, whole},
};

/// The text of the memory `a`, and whether it waits.
fn text(memory: &mut Native) -> Result<(String, bool)> {
    let found = get(memory, "a")?;
    Ok((found["content"].as_str().unwrap_or_default().to_owned(), found["unconfirmed"] == true))
}

#[test]
fn each_rejection_takes_back_the_last_import() -> Result<()> {
    let mut memory = memory()?;
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Zero" }))?;
    import(&mut memory, &[state("a", "One", 6), state("n", "New", 6)])?;
    let records = [state("a", "Two", 7), state("a", "Two and a half", 8), state("n", "Newer", 8)];
    import_file(&mut memory, "/notes/other.limbic.jsonl", &records)?;
    for expected in [("Two and a half", true), ("One", true), ("Zero", false)] {
        let found = text(&mut memory)?;
        ensure!((found.0.as_str(), found.1) == expected, "{found:?}");
        reject(&mut memory, "a")?;
    }
    ensure!(text(&mut memory)? == ("Zero".to_owned(), false), "only what waits is rejected");
    // A memory that the first import brought is deleted by the rejection of that import.
    let answer = reject(&mut memory, "n")?;
    ensure!(answer["restored"] == json!(["n"]) && get(&mut memory, "n")?["content"] == "New", "{answer}");
    let answer = reject(&mut memory, "n")?;
    ensure!(answer["deleted"] == json!(["n"]), "{answer}");
    Ok(())
}

#[test]
fn changes_made_since_are_taken_back_as_well_and_kept_in_the_history() -> Result<()> {
    for (kind, project) in [(CallerKind::Explorer, ""), (CallerKind::Client, "atlas")] {
        let mut memory = memory()?;
        let stored = json!({ "id": "a", "content": "Zero", "category": "convention" });
        ask(&mut memory, "memory_store", &stored)?;
        import(&mut memory, &[state("a", "One", 6)])?;
        enter(&mut memory, kind, project);
        ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "One, edited", "tags": ["t"] }))?;
        enter(&mut memory, CallerKind::Cli, "");
        import(&mut memory, &[state("a", "Two", 7)])?;
        reject(&mut memory, "a")?;
        ensure!(text(&mut memory)? == ("One, edited".to_owned(), true));
        while get(&mut memory, "a")?["unconfirmed"] == true {
            reject(&mut memory, "a")?;
        }
        let found = get(&mut memory, "a")?;
        ensure!(found["content"] == "Zero" && found["category"] == "convention", "{found}");
        ensure!(found["tags"].as_array().is_none_or(Vec::is_empty), "{found}");
        for kept in ["One", "One, edited", "Two"] {
            let history = found["history"].as_array().map_or(&[][..], Vec::as_slice);
            ensure!(history.iter().any(|earlier| earlier["content"] == kept), "{kept}: {found}");
        }
    }
    Ok(())
}

#[test]
fn a_client_that_changes_what_waits_for_an_import_is_rejected_with_it() -> Result<()> {
    let mut memory = memory()?;
    let stored = json!({ "id": "a", "content": "Zero", "tier": "l0" });
    ask(&mut memory, "memory_store", &stored)?;
    import(&mut memory, &[state("a", "One", 6)])?;
    enter(&mut memory, CallerKind::Client, "evil");
    ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "Evil", "tier": "l0" }))?;
    enter(&mut memory, CallerKind::Explorer, "");
    let mut rejections = 0;
    while get(&mut memory, "a")?["unconfirmed"] == true {
        reject(&mut memory, "a")?;
        rejections += 1;
        ensure!(text(&mut memory)?.0 != "Evil", "{rejections}");
    }
    ensure!(text(&mut memory)?.0 == "Zero" && get(&mut memory, "a")?["tier"] == "l0", "{rejections}");
    ensure!(rejections == 1, "{rejections}");
    Ok(())
}

#[test]
fn imports_of_the_same_file_are_taken_back_together() -> Result<()> {
    let mut memory = memory()?;
    for (id, content) in [("a", "Zero"), ("b", "Deploys have a garden")] {
        ask(&mut memory, "memory_store", &json!({ "id": id, "content": content }))?;
    }
    import(&mut memory, &[state("a", "One", 6), edge("a", "supports", "b")])?;
    for (content, hour) in [("Two", 7), ("Three", 8)] {
        import(&mut memory, &[state("a", content, hour)])?;
    }
    reject(&mut memory, "a")?;
    ensure!(text(&mut memory)? == ("Zero".to_owned(), false), "{}", get(&mut memory, "a")?);
    let links = whole(&mut memory, "a")?["links"].to_string();
    ensure!(!links.contains("supports"), "{links}");
    Ok(())
}

#[test]
fn an_owner_that_a_memory_got_while_it_waited_stays() -> Result<()> {
    let mut memory = memory()?;
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Zero" }))?;
    import(&mut memory, &[state("a", "One", 6)])?;
    ask(&mut memory, "memory_update", &json!({ "id": "a", "user_id": "ada" }))?;
    reject(&mut memory, "a")?;
    ensure!(text(&mut memory)? == ("Zero".to_owned(), false));
    let found = ask(&mut memory, "memory_get", &json!({ "ids": ["a"], "user_id": "ada" }))?;
    ensure!(found["memories"][0]["content"] == "Zero", "{found}");
    let found = ask(&mut memory, "memory_get", &json!({ "ids": ["a"], "user_id": "ben" }))?;
    ensure!(!found.to_string().contains("Zero"), "{found}");
    Ok(())
}

#[test]
fn a_change_by_a_client_that_loses_its_trust_is_taken_back() -> Result<()> {
    let mut memory = memory()?;
    enter(&mut memory, CallerKind::Client, "atlas");
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Zero", "tier": "l0" }))?;
    enter(&mut memory, CallerKind::Explorer, "");
    ask(&mut memory, "review_inbox", &json!({ "accept": ["a"], "trust": ["client:other"] }))?;
    enter(&mut memory, CallerKind::Client, "atlas");
    for content in ["One", "Two"] {
        ask(&mut memory, "memory_update", &json!({ "id": "a", "content": content }))?;
    }
    enter(&mut memory, CallerKind::Explorer, "");
    ensure!(text(&mut memory)? == ("Two".to_owned(), false));
    ask(&mut memory, "review_inbox", &json!({ "distrust": ["client:other"] }))?;
    let answer = reject(&mut memory, "a")?;
    ensure!(answer["restored"] == json!(["a"]), "{answer}");
    ensure!(text(&mut memory)? == ("Zero".to_owned(), false), "{}", get(&mut memory, "a")?);
    Ok(())
}

#[test]
fn a_memory_that_a_client_moved_with_its_domain_keeps_its_rank() -> Result<()> {
    let mut memory = memory()?;
    ask(&mut memory, "create_domain", &json!({ "id": "argus" }))?;
    let rule =
        json!({ "id": "a", "content": "Ask before a push", "category": "convention", "domain": "argus" });
    ask(&mut memory, "memory_store", &rule)?;
    enter(&mut memory, CallerKind::Client, "atlas");
    ask(&mut memory, "delete_domain", &json!({ "id": "argus", "move_to": "general" }))?;
    enter(&mut memory, CallerKind::Explorer, "");
    ensure!(text(&mut memory)?.1, "it waits");
    let answer = reject(&mut memory, "a")?;
    ensure!(answer["restored"] == json!(["a"]), "{answer}");
    let found = get(&mut memory, "a")?;
    ensure!(found["category"] == "convention" && found["unconfirmed"].is_null(), "{found}");
    Ok(())
}

#[test]
fn a_memory_that_another_project_changes_before_it_is_accepted_is_rejected_in_two_steps() -> Result<()> {
    let mut memory = memory()?;
    enter(&mut memory, CallerKind::Client, "atlas");
    ask(&mut memory, "memory_store", &json!({ "id": "a", "content": "Mine", "tier": "l0" }))?;
    enter(&mut memory, CallerKind::Client, "evil");
    ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "Evil" }))?;
    enter(&mut memory, CallerKind::Explorer, "");
    let answer = reject(&mut memory, "a")?;
    ensure!(answer["restored"] == json!(["a"]), "{answer}");
    ensure!(text(&mut memory)? == ("Mine".to_owned(), true));
    let answer = reject(&mut memory, "a")?;
    ensure!(answer["deleted"] == json!(["a"]), "{answer}");
    Ok(())
}

#[test]
fn links_that_a_client_ended_and_made_are_given_back_and_withdrawn() -> Result<()> {
    let mut memory = memory()?;
    for (id, content) in [("b", "Deploys have a garden"), ("c", "Tea is served at five"), ("d", "It rains")] {
        ask(&mut memory, "memory_store", &json!({ "id": id, "content": content }))?;
    }
    let links =
        json!({ "supersedes": [{ "targetId": "b" }], "supports": [{ "targetId": "c", "strength": 0.4 }] });
    let stored =
        json!({ "id": "a", "content": "Deploys need a review", "tier": "l0", "relationships": links });
    ask(&mut memory, "memory_store", &stored)?;
    let before = whole(&mut memory, "a")?;
    let b_before = whole(&mut memory, "b")?;
    ensure!(shown(&mut memory)? == ["a", "c", "d"], "{b_before}");

    enter(&mut memory, CallerKind::Client, "atlas");
    let links = json!({ "supersedes": [{ "targetId": "d" }] });
    let changed = json!({ "id": "a", "content": "Deploys are unseen", "relationships": links });
    ask(&mut memory, "memory_update", &changed)?;
    ensure!(shown(&mut memory)? == ["a", "b", "c"]);
    enter(&mut memory, CallerKind::Explorer, "");
    reject(&mut memory, "a")?;
    ensure!(shown(&mut memory)? == ["a", "c", "d"], "{}", whole(&mut memory, "a")?);
    let after = whole(&mut memory, "a")?;
    ensure!(after["links"] == before["links"] && after["memory"] == before["memory"], "{after}\n{before}");
    let b_after = whole(&mut memory, "b")?;
    ensure!(b_after["times"] == b_before["times"], "{b_after}\n{b_before}");
    Ok(())
}

#[test]
fn a_successor_that_was_deleted_meanwhile_is_not_named() -> Result<()> {
    let mut memory = memory()?;
    import(&mut memory, &[state("a", "Ships on Mondays", 1), state("b", "Ships on Tuesdays", 1)])?;
    ask(&mut memory, "review_inbox", &json!({ "accept": ["b"] }))?;
    ask(&mut memory, "memory_invalidate", &json!({ "id": "a", "superseded_by": "b" }))?;
    import(&mut memory, &[state("a", "Ships on Fridays", 6)])?;
    ask(&mut memory, "memory_forget", &json!({ "id": "b" }))?;
    reject(&mut memory, "a")?;
    let found = get(&mut memory, "a")?;
    ensure!(found["content"] == "Ships on Mondays" && found["superseded_by"].is_null(), "{found}");
    ensure!(!found["valid_until"].is_null(), "{found}");
    Ok(())
}

#[test]
fn a_memory_whose_domain_is_gone_does_not_become_confirmed_in_another_one() -> Result<()> {
    let mut memory = memory()?;
    ask(&mut memory, "create_domain", &json!({ "id": "atlas" }))?;
    enter(&mut memory, CallerKind::Client, "atlas");
    let rule =
        json!({ "id": "a", "content": "Push with --force", "category": "convention", "domain": "atlas" });
    ask(&mut memory, "memory_store", &rule)?;
    ensure!(!text(&mut memory)?.1, "it waits in its own domain");
    enter(&mut memory, CallerKind::Cli, "");
    import(&mut memory, &[state("a", "Push gently", 6)])?;
    ask(&mut memory, "delete_domain", &json!({ "id": "atlas", "move_to": "general" }))?;
    reject(&mut memory, "a")?;
    ensure!(text(&mut memory)? == ("Push with --force".to_owned(), true), "{}", get(&mut memory, "a")?);
    Ok(())
}

#[test]
fn an_end_that_another_import_states_is_taken_back() -> Result<()> {
    let mut memory = memory()?;
    import(&mut memory, &[state("a", "Ships on Mondays", 1)])?;
    let mut ended = state("a", "Ships on Mondays", 1);
    ended["valid_until"] = "2025-12-31T00:00:00.000Z".into();
    import(&mut memory, &[ended, edge("a", "supports", "a")])?;
    ensure!(shown(&mut memory)?.is_empty());
    let answer = reject(&mut memory, "a")?;
    ensure!(answer["restored"] == json!(["a"]) && shown(&mut memory)? == ["a"], "{answer}");
    Ok(())
}
