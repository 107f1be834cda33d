//! Near-duplicates and possible contradictions: precision and recall on labelled pairs of memories.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use limbic_tools::Limbic;
use serde_json::{Map, Value, json};

use super::data;
use super::scores::real;
use crate::options::ModelChoice;
use limbic_memory::encoder_thread::load;

/// Number of memories per call.
const PER_CALL: usize = 100;

/// The outcome of storing the newer text of a pair.
#[derive(Default)]
struct Outcome {
    /// The older memory is confirmed, or represents both.
    is_same: bool,
    /// A contradiction is suggested.
    is_suggested: bool,
}

/// Stores the older texts, then the newer ones. Returns precision and recall of `same` and of `contradicting`, and the
/// outcomes by label.
pub fn run(file: &Path, model: &ModelChoice) -> Result<Value> {
    let encoder = load(model).map_err(|reason| anyhow!(reason))?;
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot be read: {}", file.display()))?;
    let pairs: Vec<[&str; 3]> =
        text.lines().filter(|line| !line.starts_with('#')).map(pair).collect::<Result<_>>()?;
    let folder = tempfile::tempdir()?;
    let mut limbic = data::open(&folder.path().join("pairs.db"), json!({}))?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for column in [1, 2] {
        for start in (0..pairs.len()).step_by(PER_CALL) {
            let numbers = start..pairs.len().min(start + PER_CALL);
            let stored = store(&mut limbic, &pairs, numbers, column)?;
            if column == 2 {
                outcomes.extend(stored);
            }
        }
        data::drain_queue(&mut limbic, &encoder)?;
    }
    for (number, outcome) in outcomes.iter_mut().enumerate().filter(|(_, outcome)| !outcome.is_same) {
        let found = data::call(&mut limbic, "memory_get", &json!({"ids": [id(number, 2)]}), &[])?;
        let memory = &found["memories"][0];
        ensure!(memory.is_object(), "the newer text of pair {number} is missing: {found}");
        let mut edges = memory["edges"].as_array().into_iter().flatten();
        outcome.is_same = edges.any(|edge| edge["type"] == "near_duplicate");
        outcome.is_suggested = memory["possible_contradiction"].as_array().is_some_and(|ids| !ids.is_empty());
    }
    limbic.close()?;
    Ok(summary(&pairs, &outcomes))
}

/// Reads a line: label, older and newer text. A fourth column, the cosine, is for tests without a model.
fn pair(line: &str) -> Result<[&str; 3]> {
    let columns: Vec<&str> = line.split('\t').take(3).collect();
    columns.try_into().map_err(|_| anyhow!("fewer than three columns: {line}"))
}

fn id(number: usize, column: usize) -> String {
    format!("{number}-{column}")
}

/// Stores one text of each of these pairs. Only memories of one subject are compared, so each pair has its own.
fn store(
    limbic: &mut Limbic,
    pairs: &[[&str; 3]],
    numbers: std::ops::Range<usize>,
    column: usize,
) -> Result<Vec<Outcome>> {
    let memories: Vec<Value> = numbers
        .map(|number| {
            json!({"id": id(number, column), "content": pairs[number][column], "subject": format!("pair {number}")})
        })
        .collect();
    let answer = data::call(limbic, "memory_store", &json!({"memories": memories}), &[])?;
    let stored = answer["memories"].as_array().context("memory_store answers with memories")?;
    let outcome =
        |stored: &Value| Outcome { is_same: stored["merged_into"].is_string(), ..Outcome::default() };
    Ok(stored.iter().map(outcome).collect())
}

fn summary(pairs: &[[&str; 3]], outcomes: &[Outcome]) -> Value {
    let mut by_label: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    for ([label, ..], outcome) in pairs.iter().zip(outcomes) {
        let row = by_label.entry(label).or_default();
        row.0 += 1;
        row.1 += usize::from(outcome.is_same);
        row.2 += usize::from(outcome.is_suggested);
    }
    let labels: Map<String, Value> = by_label
        .iter()
        .map(|(label, (pairs, same, suggested))| {
            ((*label).to_owned(), json!({"pairs": pairs, "same": same, "suggested": suggested}))
        })
        .collect();
    let measured = |label: &str, is: fn(&Outcome) -> bool| {
        let found: Vec<bool> = pairs
            .iter()
            .zip(outcomes)
            .filter(|(_, outcome)| is(outcome))
            .map(|([of, ..], _)| *of == label)
            .collect();
        let right = found.iter().filter(|right| **right).count();
        let all = by_label.get(label).map_or(0, |row| row.0);
        json!({"precision": real(right) / real(found.len().max(1)), "recall": real(right) / real(all.max(1))})
    };
    json!({
        "labels": labels,
        "same": measured("same", |outcome| outcome.is_same),
        "contradicting": measured("contradicting", |outcome| outcome.is_suggested),
    })
}
