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
    let sets = env::var("LIMBIC_BENCH_SETS").unwrap_or_else(|_| "locomo,sts".to_owned());
    let arguments = ["bench", "retrieval", "--data", &data.to_string_lossy(), "--sets", &sets];
    let numbers = answer(tools, &program.to_string_lossy(), &arguments)?;
    let measures = ["ndcg_at_10", "recall_at_5", "recall_at_10", "hit_at_5"];
    for (ranking, scores) in rows(&numbers["locomo"]) {
        let cells = measures.iter().chain(&CATEGORIES).map(|measure| number(&scores[*measure]));
        table.row([vec![ranking], cells.collect::<Result<Vec<_>>>()?].concat());
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

fn rows(set: &Value) -> impl Iterator<Item = (String, &Value)> {
    set.as_object().into_iter().flatten().map(|(name, scores)| (name.clone(), scores))
}

fn number(value: &Value) -> Result<String> {
    value.as_f64().map(|number| format!("{number:.4}")).context("limbic bench retrieval prints every measure")
}
