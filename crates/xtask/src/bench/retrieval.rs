//! Retrieval quality on public data sets, which are not part of the repository.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Outcome;
use super::encode::answer;
use super::table::Table;
use crate::project;
use crate::tools::Toolbox;

/// The rankings that are set side by side, and their names in the table.
const SIDE_BY_SIDE: [(&str, &str); 7] = [
    ("lexical", "words"),
    ("vector", "vectors"),
    ("rrf", "RRF"),
    ("linear", "linear 0.6"),
    ("late", "late"),
    ("fusion", "all signals"),
    ("fusion_phrasings", "all signals, three phrasings"),
];

/// The sets in this table, with their measure and the parts that have a row each.
const SETS: [(&str, &str, &[&str]); 4] = [
    ("locomo", "ndcg_at_10", &[]),
    ("xquad", "ndcg_at_10", &["en", "es", "de", "zh"]),
    ("apinotes", "ndcg_at_10", &["tensorflow", "huggingface"]),
    ("cosqa", "mrr_at_50", &[]),
];

const CATEGORIES: [&str; 5] = ["single_hop", "multi_hop", "temporal", "open_domain", "adversarial"];

/// Searches through the tools and scores as the data set's README prescribes.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    let data =
        env::var_os("LIMBIC_BENCH_DATA").map_or_else(|| project::path("../shared/bench"), PathBuf::from);
    let mut head = vec!["LoCoMo", "nDCG@10", "recall@5", "recall@10", "hit@5"];
    head.extend(CATEGORIES);
    let mut table = Table::new("Retrieval (macro mean over categories; nDCG@10 of each category)", &head);
    if !data.join("locomo-dev.jsonl").is_file() {
        table.note(&format!(
            "left out: there is no data in {}; name its folder in LIMBIC_BENCH_DATA",
            data.display()
        ));
        return Ok(Outcome { table, numbers: Value::Null });
    }
    let program = project::target().join("release").join("limbic");
    let sets = env::var("LIMBIC_BENCH_SETS").unwrap_or_else(|_| "locomo,xquad,apinotes,cosqa,sts".to_owned());
    let arguments = ["bench", "retrieval", "--data", &data.to_string_lossy(), "--sets", &sets];
    let numbers = answer(tools, &program.to_string_lossy(), &arguments)?;
    let measures = ["ndcg_at_10", "recall_at_5", "recall_at_10", "hit_at_5"];
    for (ranking, scores) in rows(&numbers["locomo"]) {
        let cells = measures.iter().chain(&CATEGORIES).map(|measure| number(&scores[*measure]));
        table.row([vec![ranking], cells.collect::<Result<Vec<_>>>()?].concat());
    }
    for line in side_by_side(&numbers) {
        table.note(&line);
    }
    for (ranking, scores) in rows(&numbers["cosqa"]) {
        let cells = ["mrr_at_50", "mrr_at_10", "recall_at_10"]
            .map(|measure| format!("{measure} {}", scores[measure]));
        table.note(&format!("CoSQA, {ranking}: {}", cells.join(", ")));
    }
    if let Some(spearman) = numbers["sts"]["spearman"].as_f64() {
        table.note(&format!("STS-B, Spearman: {spearman:.4}"));
    }
    table.note(
        "`limbic` is what users get: fusion, then importance, time and co-occurrence, here with one question asked \
         after the other; `limbic_cold` leaves no traces, `limbic_replayed` is the second time that all are asked.",
    );
    Ok(Outcome { table, numbers: json!(numbers) })
}

/// A table of the rankings in Markdown: a row for each set, and for each part of one.
fn side_by_side(numbers: &Value) -> Vec<String> {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let names = SIDE_BY_SIDE.map(|(_, name)| name.to_owned());
    let mut lines = vec![
        row([vec!["Side by side (nDCG@10; CoSQA: MRR)".to_owned()], names.to_vec()].concat()),
        row(vec!["---".to_owned(); SIDE_BY_SIDE.len() + 1]),
    ];
    for (set, measure, parts) in SETS {
        let Some(found) = numbers[set].as_object() else { continue };
        for key in std::iter::once(&measure).chain(parts) {
            let label = if *key == measure { set.to_owned() } else { format!("{set}, {key}") };
            let scores = SIDE_BY_SIDE.map(|(ranking, _)| {
                let score = found.get(ranking).and_then(|scores| scores[*key].as_f64());
                score.map_or_else(String::new, |score| format!("{score:.4}"))
            });
            lines.push(row([vec![label], scores.to_vec()].concat()));
        }
    }
    lines
}

fn rows(set: &Value) -> impl Iterator<Item = (String, &Value)> {
    set.as_object().into_iter().flatten().map(|(name, scores)| (name.clone(), scores))
}

fn number(value: &Value) -> Result<String> {
    value.as_f64().map(|number| format!("{number:.4}")).context("limbic bench retrieval prints every measure")
}
