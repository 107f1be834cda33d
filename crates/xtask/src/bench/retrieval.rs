//! Retrieval quality on public data sets, which are not part of the repository.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::encode::answer;
use super::table::{Outcome, Table};
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
const SETS: [(&str, &str, &[&str]); 8] = [
    ("locomo", "ndcg_at_10", &[]),
    ("locomo-memories", "ndcg_at_10", &[]),
    ("xquad", "ndcg_at_10", LANGUAGES),
    ("xquad-memories", "ndcg_at_10", LANGUAGES),
    ("apinotes", "ndcg_at_10", LIBRARIES),
    ("apinotes-memories", "ndcg_at_10", LIBRARIES),
    ("cosqa", "mrr_at_50", &[]),
    ("cosqa-memories", "mrr_at_50", &[]),
];

/// The parts of XQuAD.
const LANGUAGES: &[&str] = &["en", "es", "de", "zh"];

/// The parts of APIBench.
const LIBRARIES: &[&str] = &["tensorflow", "huggingface"];

/// The rankings that show the effect of use, and their names in the table.
const USE: [(&str, &str); 5] = [
    ("limbic_cold", "relevance and age"),
    ("limbic", "in sequence, nothing opened"),
    ("limbic_opened", "in sequence, opened"),
    ("limbic_replayed", "all a second time"),
    ("limbic_daily", "opened, a day between two"),
];

/// The sets of all kinds, each as entities and as memories, and the sentences of STS-B.
const ALL: &str =
    "locomo,locomo-memories,xquad,xquad-memories,apinotes,apinotes-memories,cosqa,cosqa-memories,sts";

const CATEGORIES: [&str; 5] = ["single_hop", "multi_hop", "temporal", "open_domain", "adversarial"];

/// Searches through the tools and scores as the data set's README prescribes.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    let data = data();
    let mut head = vec!["LoCoMo", "nDCG@10", "recall@5", "recall@10", "hit@5"];
    head.extend(CATEGORIES);
    let mut table = Table::new("Retrieval (macro mean over categories; nDCG@10 of each category)", &head);
    if !data.join("locomo-dev.jsonl").is_file() {
        table.note(&without_data(&data));
        return Ok(Outcome { table, numbers: Value::Null });
    }
    let program = project::target().join("release").join("limbic");
    let sets = env::var("LIMBIC_BENCH_SETS").unwrap_or_else(|_| ALL.to_owned());
    let arguments = ["bench", "retrieval", "--data", &data.to_string_lossy(), "--sets", &sets];
    let numbers = answer(tools, &program.to_string_lossy(), &arguments)?;
    let measures = ["ndcg_at_10", "recall_at_5", "recall_at_10", "hit_at_5"];
    for (ranking, scores) in rows(&numbers["locomo"]) {
        let cells = measures.iter().chain(&CATEGORIES).map(|measure| number(&scores[*measure]));
        table.row([vec![ranking], cells.collect::<Result<Vec<_>>>()?].concat());
    }
    for line in side_by_side("Side by side (nDCG@10; CoSQA: MRR)", &numbers, &SIDE_BY_SIDE, |measure| measure)
    {
        table.note(&line);
    }
    // With use, ten results are asked for.
    let in_ten = |measure| if measure == "mrr_at_50" { "mrr_at_10" } else { measure };
    for line in side_by_side("Use (nDCG@10; CoSQA: MRR@10)", &numbers, &USE, in_ten) {
        table.note(&line);
    }
    table.note("Median time of a search without encoding the query, in milliseconds");
    for (set, ..) in SETS.iter().filter(|(set, ..)| numbers[set].is_object()) {
        let cells = SIDE_BY_SIDE.iter().filter_map(|(ranking, name)| {
            Some(format!("{name} {:.1}", numbers[set][*ranking]["search_millis"].as_f64()?))
        });
        table.note(&format!("{set}: {}", cells.collect::<Vec<_>>().join(", ")));
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
         after the other; `limbic_cold` leaves no traces, `limbic_opened` opens what was wanted, `limbic_replayed` is \
         the second time that all are asked.",
    );
    Ok(Outcome { table, numbers: json!(numbers) })
}

/// The folder of the data sets.
pub fn data() -> PathBuf {
    env::var_os("LIMBIC_BENCH_DATA").map_or_else(|| project::path("../shared/bench"), PathBuf::from)
}

/// The note of a table without data.
pub fn without_data(data: &Path) -> String {
    format!("left out: there is no data in {}; name its folder in LIMBIC_BENCH_DATA", data.display())
}

/// A table of some rankings in Markdown: a row for each set, and for each part of one. `as_measured` returns the
/// measure that stands for that of the set.
fn side_by_side<'a>(
    title: &str,
    numbers: &Value,
    rankings: &[(&str, &str)],
    as_measured: impl Fn(&'a str) -> &'a str,
) -> Vec<String> {
    let row = |first: &str, cells: Vec<String>| format!("| {first} | {} |", cells.join(" | "));
    let mut lines = vec![
        row(title, rankings.iter().map(|(_, name)| (*name).to_owned()).collect()),
        row("---", vec!["---".to_owned(); rankings.len()]),
    ];
    for (set, measure, parts) in SETS {
        let Some(found) = numbers[set].as_object() else { continue };
        for part in std::iter::once(None).chain(parts.iter().map(Some)) {
            let (label, key) = match part {
                None => (set.to_owned(), as_measured(measure)),
                Some(part) => (format!("{set}, {part}"), *part),
            };
            let score = |(ranking, _): &(&str, &str)| {
                let score = found.get(*ranking).and_then(|scores| scores[key].as_f64());
                score.map_or_else(String::new, |score| format!("{score:.4}"))
            };
            lines.push(row(&label, rankings.iter().map(score).collect()));
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
