//! Measures recall within a token budget: the evidence in it, and a language model's answers from it.

use std::env;
use std::fs::{self, File};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::encode::answer;
use super::programs::native;
use super::retrieval;
use super::table::{Outcome, Table};
use crate::project;
use crate::tools::{Toolbox, say};

const CATEGORIES: [(&str, &str); 6] = [
    ("single_hop", "single-hop"),
    ("multi_hop", "multi-hop"),
    ("temporal", "temporal"),
    ("open_domain", "open-domain"),
    ("adversarial", "adversarial"),
    ("all", "all"),
];

/// The rankings of recall that are compared, and their names in the table.
const RANKINGS: [(&str, &str); 3] = [("lexical", "words"), ("vector", "vectors"), ("limbic", "all signals")];

/// The budgets of an answer, in tokens.
const BUDGETS: [&str; 3] = ["1000", "2000", "4000"];

/// Measures the evidence within each budget. With LIMBIC_LLM_URL, asks that OpenAI-compatible endpoint every question
/// with the memories of the smallest budget, and scores its answers.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    let head: Vec<&str> =
        ["evidence within", "tokens"].into_iter().chain(CATEGORIES.map(|it| it.1)).collect();
    let mut table =
        Table::new("Share of a question's evidence in an answer of recall (LoCoMo as memories)", &head);
    let data = retrieval::data();
    if !data.join("locomo-dev.jsonl").is_file() {
        table.note(&retrieval::without_data(&data));
        return Ok(Outcome { table, numbers: Value::Null });
    }
    native(tools)?;
    let program = project::target().join("release").join("limbic");
    let program = program.to_string_lossy();
    let data = data.to_string_lossy();
    let asks = env::var_os("LIMBIC_LLM_URL").is_some();
    let prompts = project::target().join("bench-prompts.jsonl");
    let file = prompts.to_string_lossy();
    let mut arguments = vec!["bench", "answers", "--data", &data];
    if asks {
        arguments.extend(["--prompts", &file, "--prompt-budget", BUDGETS[0]]);
    }
    let mut numbers = json!({ "evidence": answer(tools, &program, &arguments)? });
    for (ranking, name) in RANKINGS {
        for budget in BUDGETS {
            let cells = CATEGORIES.map(|(key, _)| share(&numbers["evidence"][ranking][key][budget]));
            table.row([vec![name.to_owned(), budget.to_owned()], cells.to_vec()].concat());
        }
    }
    if asks {
        say("asking the language model at LIMBIC_LLM_URL");
        let answers = project::target().join("bench-answers.jsonl");
        let status = tools
            .command("node")
            .args(["tests/bench/answers.mjs", &file])
            .stdout(File::create(&answers).context("cannot write the answers")?)
            .status()?;
        ensure!(status.success(), "the language model was not asked: see the message above");
        numbers["f1"] =
            answer(tools, &program, &["bench", "score-answers", "--answers", &answers.to_string_lossy()])?;
        for (ranking, name) in RANKINGS {
            let cells = CATEGORIES.map(|(key, _)| share(&numbers["f1"][ranking][key]));
            table.row([vec![format!("answers, F1: {name}"), BUDGETS[0].to_owned()], cells.to_vec()].concat());
        }
        fs::remove_file(&prompts)?;
    } else {
        table.note("answers of a language model: set LIMBIC_LLM_URL, and LIMBIC_LLM_MODEL and LIMBIC_LLM_KEY as needed");
    }
    Ok(Outcome { table, numbers })
}

fn share(value: &Value) -> String {
    value.as_f64().map_or_else(String::new, |share| format!("{share:.3}"))
}
