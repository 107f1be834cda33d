//! Decay and maintenance of memories, with a test clock.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use limbic_tests::transcript::ensure_same;
use limbic_tests::{
    BackEnd, START_MILLIS,
    memory::{Native, connect},
    memory_file::ask,
};
use limbic_tools::Options;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

const DAY_MILLIS: i64 = 86_400_000;

/// A database that is opened again on other days.
struct Diary(TempDir);

impl Diary {
    fn new() -> Result<Self> {
        Ok(Self(tempdir()?))
    }

    fn path(&self) -> std::path::PathBuf {
        self.0.path().join("memory.db")
    }

    /// Opens the memory `days` days after the first.
    fn on_day(&self, day: i64) -> Result<Native> {
        at(&self.path(), START_MILLIS + day * DAY_MILLIS)
    }

    /// Runs SQL, as another program does.
    fn sql(&self, statement: &str) -> Result<()> {
        Ok(connect(&self.path())?.execute_batch(statement)?)
    }
}

fn at(path: &Path, millis: i64) -> Result<Native> {
    Native::with(connect(path)?, Options { test_clock: Some(millis), ..Options::default() })
}

fn store(memory: &mut Native, id: &str, fields: &Value) -> Result<()> {
    let mut arguments = json!({ "id": id, "content": format!("What {id} says") });
    for (key, value) in fields.as_object().into_iter().flatten() {
        arguments[key] = value.clone();
    }
    ask(memory, "memory_store", &arguments).map(drop)
}

fn get(memory: &mut Native, id: &str) -> Result<Value> {
    Ok(ask(memory, "memory_get", &json!({ "ids": [id] }))?["memories"][0].clone())
}

/// The plan's lines as `action id change from to`, and its id.
fn plan(memory: &mut Native, actions: &[&str]) -> Result<(Vec<String>, Value)> {
    let answer = ask(memory, "memory_maintain", &json!({ "actions": actions }))?;
    Ok((lines(&answer), answer["plan_id"].clone()))
}

fn lines(answer: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let line = |it: &Value| ["action", "id", "change", "from", "to"].map(|key| text(&it[key])).join(" ");
    answer["plan"].as_array().into_iter().flatten().map(line).collect()
}

fn apply(memory: &mut Native, plan_id: &Value) -> Result<Value> {
    ask(memory, "memory_maintain", &json!({ "plan_id": plan_id, "dry_run": false }))
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().with_context(|| format!("{value} is not a number"))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.001
}

#[test]
fn storing_decay_does_not_change_confidence() -> Result<()> {
    let diary = Diary::new()?;
    store(&mut diary.on_day(0)?, "event", &json!({ "memory_type": "episodic", "confidence": 0.8 }))?;
    let mut memory = diary.on_day(30)?;
    let before = get(&mut memory, "event")?;
    ensure!(
        near(number(&before["confidence"])?, 0.8) && near(number(&before["effective_confidence"])?, 0.4),
        "{before}"
    );
    let (lines, plan_id) = plan(&mut memory, &["decay"])?;
    ensure!(lines.len() == 1 && lines[0].starts_with("decay event confidence 0.8 0.4"), "{lines:?}");
    apply(&mut memory, &plan_id)?;
    let after = get(&mut memory, "event")?;
    ensure!(
        near(number(&after["confidence"])?, 0.4) && near(number(&after["effective_confidence"])?, 0.4),
        "{after}"
    );
    ensure!(plan(&mut memory, &["decay"])?.0.is_empty());
    drop(memory);
    let later = get(&mut diary.on_day(60)?, "event")?;
    ensure!(near(number(&later["effective_confidence"])?, 0.2), "{later}");
    Ok(())
}

#[test]
fn memories_are_pruned_a_month_after_they_decayed() -> Result<()> {
    let diary = Diary::new()?;
    // From 0.1 to the floor of 0.05 it is one half-life.
    store(&mut diary.on_day(0)?, "event", &json!({ "memory_type": "episodic", "confidence": 0.1 }))?;
    ensure!(plan(&mut diary.on_day(59)?, &["prune"])?.0.is_empty());
    let mut memory = diary.on_day(61)?;
    let (lines, plan_id) = plan(&mut memory, &["prune"])?;
    ensure!(lines == ["prune event delete - -"], "{lines:?}");
    ensure!(!get(&mut memory, "event")?.is_null(), "a dry run deleted it");
    let answer = apply(&mut memory, &plan_id)?;
    ensure!(answer["applied"] == true && answer["plan"][0]["start"] == "What event says", "{answer}");
    ensure!(get(&mut memory, "event")?.is_null());
    Ok(())
}

#[test]
fn used_memories_are_skipped_by_a_plan() -> Result<()> {
    let diary = Diary::new()?;
    store(&mut diary.on_day(0)?, "a", &json!({ "memory_type": "episodic", "confidence": 0.1 }))?;
    store(&mut diary.on_day(0)?, "b", &json!({ "memory_type": "episodic", "confidence": 0.1 }))?;
    let mut memory = diary.on_day(90)?;
    let (lines, plan_id) = plan(&mut memory, &["prune", "expire"])?;
    ensure!(lines.len() == 2, "{lines:?}");
    ask(&mut memory, "memory_update", &json!({ "id": "a", "content": "It matters after all" }))?;
    store(&mut memory, "c", &json!({ "memory_type": "episodic", "confidence": 0.01 }))?;
    let answer = apply(&mut memory, &plan_id)?;
    ensure_same(&answer["passed_over"], &json!(["a"]), &answer)?;
    ensure!(answer["plan"][0]["id"] == "b", "{answer}");
    ensure!(!get(&mut memory, "a")?.is_null() && get(&mut memory, "b")?.is_null());
    ensure!(!get(&mut memory, "c")?.is_null(), "a memory that no dry run listed was deleted");
    Ok(())
}

#[test]
fn changed_or_used_memories_are_skipped_even_if_still_due() -> Result<()> {
    let diary = Diary::new()?;
    let mut memory = diary.on_day(0)?;
    for id in ["rewritten", "used", "by_sql", "left"] {
        store(&mut memory, id, &json!({ "expires_at": "2026-01-05" }))?;
    }
    let mut memory = diary.on_day(10)?;
    let (lines, plan_id) = plan(&mut memory, &["expire"])?;
    ensure!(lines.len() == 4, "{lines:?}");
    ask(&mut memory, "memory_update", &json!({ "id": "rewritten", "content": "The only copy of the plan" }))?;
    let question = json!({ "query": "What used says", "include_expired": true, "limit": 1 });
    ensure!(ask(&mut memory, "memory_recall", &question)?["memories"][0]["id"] == "used");
    diary.sql("UPDATE MEMORY_NODES SET content = 'Written by another program' WHERE id = 'by_sql'")?;
    let answer = apply(&mut memory, &plan_id)?;
    ensure_same(&answer["passed_over"], &json!(["rewritten", "used", "by_sql"]), &answer)?;
    ensure!(get(&mut memory, "left")?.is_null() && !get(&mut memory, "rewritten")?.is_null());
    Ok(())
}

#[test]
fn maintenance_for_one_user_does_not_change_others() -> Result<()> {
    let diary = Diary::new()?;
    for user in ["ada", "bob"] {
        store(&mut diary.on_day(0)?, user, &json!({ "expires_at": "2026-01-05", "user_id": user }))?;
    }
    let mut memory = diary.on_day(10)?;
    let plan = ask(&mut memory, "memory_maintain", &json!({ "user_id": "ada" }))?;
    assert_eq!(lines(&plan), ["expire ada delete - -"]);
    let both = json!({ "user_id": "ada", "plan_id": plan["plan_id"], "dry_run": false });
    ensure!(memory.call("memory_maintain", &both.to_string())?.1.contains("in a dry run only"));
    apply(&mut memory, &plan["plan_id"])?;
    ensure!(get(&mut memory, "ada")?.is_null() && !get(&mut memory, "bob")?.is_null());
    Ok(())
}

#[test]
fn only_plans_of_a_dry_run_are_applied() -> Result<()> {
    let mut memory = Native::in_memory()?;
    for (arguments, told) in [
        (json!({ "dry_run": false }), "plan_id is missing"),
        (json!({ "dry_run": false, "plan_id": "0123456789abcdef" }), "must name a plan"),
        (json!({ "plan_id": "0123456789abcdef" }), "with dry_run false"),
        (
            json!({ "dry_run": false, "plan_id": "0123456789abcdef", "actions": ["decay"] }),
            "actions, user_id and origin are accepted in a dry run only",
        ),
        (json!({ "actions": ["shred"] }), "must be one of"),
        (json!({ "limit": 0 }), "between 1 and"),
    ] {
        let (is_error, answer) = memory.call("memory_maintain", &arguments.to_string())?;
        ensure!(is_error && answer.contains(told), "{arguments}: {answer}");
    }
    let empty = ask(&mut memory, "memory_maintain", &json!({}))?;
    ensure_same(&empty, &json!({ "plan": [], "applied": false }), &empty)?;
    Ok(())
}

#[test]
fn a_plan_is_applied_once() -> Result<()> {
    let diary = Diary::new()?;
    store(&mut diary.on_day(0)?, "a", &json!({ "expires_at": "2026-01-05" }))?;
    let mut memory = diary.on_day(10)?;
    let (lines, plan_id) = plan(&mut memory, &["expire"])?;
    ensure!(lines == ["expire a delete - -"], "{lines:?}");
    apply(&mut memory, &plan_id)?;
    let (is_error, answer) =
        memory.call("memory_maintain", &json!({ "plan_id": plan_id, "dry_run": false }).to_string())?;
    ensure!(is_error && answer.contains("must name a plan"), "{answer}");
    Ok(())
}

#[test]
fn pinned_memories_are_never_deleted() -> Result<()> {
    let diary = Diary::new()?;
    let mut memory = diary.on_day(0)?;
    let fields =
        json!({ "pinned": true, "memory_type": "episodic", "confidence": 0.06, "expires_at": "2026-02-01" });
    store(&mut memory, "rule", &fields)?;
    store(
        &mut memory,
        "other",
        &json!({ "confidence": 0.9, "relationships": { "contradicts": [{ "targetId": "rule" }] } }),
    )?;
    drop(memory);
    diary.sql("UPDATE MEMORY_NODES SET tier = 'l1' WHERE id = 'rule'")?;
    let mut memory = diary.on_day(1000)?;
    let (lines, _) = plan(&mut memory, &["expire", "prune", "contradictions", "tiers", "decay"])?;
    ensure!(lines.iter().all(|line| !line.contains("rule")) && !lines.is_empty(), "{lines:?}");
    let rule = get(&mut memory, "rule")?;
    ensure!(rule["effective_confidence"] == rule["confidence"] && rule["tier"] == "l1", "{rule}");
    Ok(())
}

#[test]
fn of_a_contradiction_the_one_stated_last_is_kept() -> Result<()> {
    let diary = Diary::new()?;
    let mut memory = diary.on_day(0)?;
    store(&mut memory, "old", &json!({}))?;
    store(&mut memory, "sure", &json!({ "confidence": 0.9 }))?;
    store(
        &mut memory,
        "unsure",
        &json!({ "confidence": 0.4, "relationships": { "contradicts": [{ "targetId": "sure" }] } }),
    )?;
    drop(memory);
    let mut memory = diary.on_day(3)?;
    store(
        &mut memory,
        "new",
        &json!({ "confidence": 0.2, "relationships": { "contradicts": [{ "targetId": "old" }] } }),
    )?;
    let (lines, plan_id) = plan(&mut memory, &["contradictions"])?;
    ensure!(
        lines == ["contradictions old superseded_by - new", "contradictions sure superseded_by - unsure"],
        "{lines:?}"
    );
    apply(&mut memory, &plan_id)?;
    ensure!(get(&mut memory, "old")?["superseded_by"] == "new");
    ensure!(plan(&mut memory, &["contradictions"])?.0.is_empty());
    drop(memory);
    ensure!(plan(&mut diary.on_day(89)?, &["prune"])?.0.is_empty());
    let (lines, _) = plan(&mut diary.on_day(94)?, &["prune"])?;
    ensure!(lines == ["prune old delete - -", "prune sure delete - -"], "{lines:?}");
    Ok(())
}

#[test]
fn an_expired_memory_neither_hides_nor_prunes_others() -> Result<()> {
    let diary = Diary::new()?;
    let mut memory = diary.on_day(0)?;
    store(&mut memory, "church", &json!({ "content": "The bus stops at the church" }))?;
    let for_now = json!({ "content": "During the works the bus stops at the mill", "expires_at": "2026-01-20",
        "relationships": { "contradicts": [{ "targetId": "church" }] } });
    store(&mut memory, "mill", &for_now)?;
    let recall = |memory: &mut Native, moment: Value| -> Result<Vec<String>> {
        let mut arguments = json!({ "query": "Where does the bus stop?", "touch": false });
        if !moment.is_null() {
            arguments["as_of"] = moment;
        }
        let answer = ask(memory, "memory_recall", &arguments)?;
        let ids = answer["memories"].as_array().into_iter().flatten();
        Ok(ids.map(|it| it["id"].as_str().unwrap_or_default().to_owned()).collect())
    };
    assert_eq!(recall(&mut memory, Value::Null)?, ["mill"]);
    let mut memory = diary.on_day(100)?;
    assert_eq!(recall(&mut memory, Value::Null)?, ["church"]);
    assert_eq!(recall(&mut memory, json!("2026-01-10"))?, ["mill"]);
    let (lines, _) = plan(&mut memory, &["prune", "expire", "contradictions"])?;
    assert_eq!(lines, ["expire mill delete - -"]);
    Ok(())
}

#[test]
fn successors_are_kept_for_three_months() -> Result<()> {
    let diary = Diary::new()?;
    let mut memory = diary.on_day(0)?;
    store(&mut memory, "first", &json!({}))?;
    store(&mut memory, "second", &json!({}))?;
    ask(&mut memory, "memory_invalidate", &json!({ "id": "first", "superseded_by": "second" }))?;
    drop(memory);
    ensure!(plan(&mut diary.on_day(89)?, &["prune"])?.0.is_empty());
    ensure!(plan(&mut diary.on_day(91)?, &["prune"])?.0 == ["prune first delete - -"]);
    Ok(())
}

#[test]
fn tiers_and_heat_follow_access_counts_also_of_other_programs() -> Result<()> {
    let diary = Diary::new()?;
    let mut memory = diary.on_day(0)?;
    for id in ["l1", "l2", "l4"] {
        store(&mut memory, id, &json!({ "tier": id }))?;
    }
    drop(memory);
    diary.sql("UPDATE MEMORY_NODES SET access_count = 12 WHERE id = 'l4'")?;
    let mut memory = diary.on_day(59)?;
    let (lines, plan_id) = plan(&mut memory, &["tiers"])?;
    ensure!(lines == ["tiers l4 tier l4 l2", "tiers l4 heat cold hot"], "{lines:?}");
    apply(&mut memory, &plan_id)?;
    let risen = get(&mut memory, "l4")?;
    ensure!(risen["tier"] == "l2" && risen["heat"] == "hot", "{risen}");
    drop(memory);
    let mut memory = diary.on_day(61)?;
    let (lines, plan_id) = plan(&mut memory, &["tiers"])?;
    ensure!(lines == ["tiers l2 tier l2 l4", "tiers l4 tier l2 l4"], "{lines:?}");
    apply(&mut memory, &plan_id)?;
    // A tier that was lowered is not raised again by earlier accesses.
    let (lines, _) = plan(&mut memory, &["tiers"])?;
    ensure!(lines.is_empty(), "{lines:?}");
    drop(memory);
    let (lines, _) = plan(&mut diary.on_day(91)?, &["tiers"])?;
    ensure!(lines.contains(&"tiers l1 tier l1 l2".to_owned()), "{lines:?}");
    Ok(())
}

#[test]
fn the_audit_log_contains_actions_and_reasons_and_no_texts() -> Result<()> {
    let diary = Diary::new()?;
    let mut memory = diary.on_day(0)?;
    store(&mut memory, "a", &json!({ "memory_type": "episodic", "confidence": 0.1, "user_id": "ada" }))?;
    store(&mut memory, "b", &json!({}))?;
    store(&mut memory, "c", &json!({ "pinned": true }))?;
    for id in ["b", "c"] {
        ask(&mut memory, "memory_update", &json!({ "id": id, "subject": "x", "reason": "A better word" }))?;
    }
    ask(&mut memory, "memory_invalidate", &json!({ "id": "b", "reason": "No longer so" }))?;
    ask(&mut memory, "memory_forget", &json!({ "id": "b", "reason": "Asked for" }))?;
    drop(memory);
    let mut memory = diary.on_day(100)?;
    let (_, plan_id) = plan(&mut memory, &["prune"])?;
    let arguments = json!({ "plan_id": plan_id, "dry_run": false, "reason": "Spring clean" });
    ask(&mut memory, "memory_maintain", &arguments)?;
    drop(memory);
    let connection = connect(&diary.path())?;
    let mut statement =
        connection.prepare("SELECT action, memory_id, user_id, reason FROM audit_log ORDER BY seq")?;
    let rows: Vec<String> = statement
        .query_map([], |row| {
            let text = |index| row.get::<_, Option<String>>(index).map(|text| text.unwrap_or("-".into()));
            Ok([text(0)?, text(1)?, text(2)?, text(3)?].join(" | "))
        })?
        .collect::<limbic_core::rusqlite::Result<_>>()?;
    ensure!(
        rows == [
            "store | a | ada | -",
            "store | b | - | -",
            "store | c | - | -",
            // The earlier reasons of a forgotten memory may repeat its text.
            "update | b | - | -",
            "update | c | - | A better word",
            "invalidate | b | - | -",
            "forget | b | - | Asked for",
            "forget | a | ada | Spring clean: Its confidence has been at the minimum for 70 days",
        ],
        "{rows:#?}"
    );
    Ok(())
}

#[test]
fn a_plan_names_no_deleted_memory_as_successor() -> Result<()> {
    let diary = Diary::new()?;
    let mut memory = diary.on_day(0)?;
    store(&mut memory, "old", &json!({ "content": "The gate is red", "event_time": "2020-01-01" }))?;
    let doubtful = json!({
        "content": "The gate is blue", "event_time": "2021-01-01", "confidence": 0.05,
        "relationships": { "contradicts": [{ "targetId": "old" }] },
    });
    store(&mut memory, "new", &doubtful)?;
    drop(memory);
    let mut memory = diary.on_day(40)?;
    let (lines, plan_id) = plan(&mut memory, &["prune", "contradictions"])?;
    ensure!(lines == ["contradictions old superseded_by - new"], "{lines:?}");
    ask(&mut memory, "memory_forget", &json!({ "id": "new" }))?;
    apply(&mut memory, &plan_id)?;
    let kept = get(&mut memory, "old")?;
    ensure!(kept["superseded_by"].is_null(), "{kept}");
    let (lines, _) = plan(&mut memory, &["prune", "contradictions"])?;
    ensure!(lines.is_empty(), "{lines:?}");
    Ok(())
}

#[test]
fn a_memory_that_hides_another_is_pruned_after_it() -> Result<()> {
    let diary = Diary::new()?;
    let mut memory = diary.on_day(0)?;
    store(&mut memory, "wrong", &json!({ "content": "The gate is red" }))?;
    let doubtful = json!({
        "content": "The gate is blue", "confidence": 0.05, "relationships": { "contradicts": [{ "targetId": "wrong" }] },
    });
    store(&mut memory, "right", &doubtful)?;
    drop(memory);
    ensure!(plan(&mut diary.on_day(80)?, &["prune"])?.0.is_empty());
    let mut memory = diary.on_day(400)?;
    for expected in ["prune wrong delete - -", "prune right delete - -"] {
        let (lines, plan_id) = plan(&mut memory, &["prune"])?;
        ensure!(lines == [expected], "{lines:?}");
        apply(&mut memory, &plan_id)?;
    }
    Ok(())
}
