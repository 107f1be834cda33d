//! Finding the one Python function that answers a question.

use std::path::Path;

use anyhow::{Result, anyhow};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::data::{Document, Filled, Via, lines};
use super::scores::{Scores, mean, median, score};
use crate::options::ModelChoice;
use limbic_memory::encoder_thread::load;

/// Maximum length of an observation in characters; 0.3 % of the functions are longer and are cut.
const MAX_OBSERVATION_CHARS: usize = 10_000;
/// Number of results per query: higher ranks count as not found.
const DEPTH: usize = 50;
/// [`DEPTH`] of rankings that count every result as used: more than a person looks at would hide the used ones.
const DEPTH_WITH_USE: usize = 10;

#[derive(Deserialize)]
struct Function {
    id: u32,
    code: String,
}

#[derive(Deserialize)]
struct Labelled {
    question: String,
    gold: u32,
}

/// Mean reciprocal rank and recall of each ranking.
pub fn run(
    via: Via,
    data: &Path,
    model: &ModelChoice,
    rankings: &[String],
    keep: Option<&Path>,
) -> Result<Value> {
    let encoder = load(model).map_err(|reason| anyhow!(reason))?;
    let functions: Vec<Function> = lines(&data.join("cosqa-corpus.jsonl"))?;
    let asked: Vec<Labelled> = lines(&data.join("cosqa-dev.jsonl"))?;
    let documents: Vec<Document> = functions
        .iter()
        .map(|function| Document {
            id: function.id.to_string(),
            kind: "function".to_owned(),
            subject: String::new(),
            text: function.code.chars().take(MAX_OBSERVATION_CHARS).collect(),
        })
        .collect();
    let name = if via == Via::Graph { "cosqa" } else { "cosqa-memories" };
    let filled = Filled::new(name, &documents, via, &encoder, keep)?;
    let texts: Vec<_> =
        asked.iter().map(|asked| (asked.question.clone(), vec![asked.gold.to_string()])).collect();
    let questions = filled.read(&texts, &encoder)?;
    let mut rows = Map::new();
    for ranking in rankings {
        let depth = if ranking.starts_with("limbic") { DEPTH_WITH_USE } else { DEPTH };
        let answers = filled.ask(ranking, depth, &questions)?;
        let scores: Vec<Scores> = asked
            .iter()
            .zip(&answers.found)
            .map(|(asked, found)| score(found, &[asked.gold.to_string()]))
            .collect();
        let in_ten = |scores: &Scores| if scores.recall_at_10 > 0.0 { scores.reciprocal_rank } else { 0.0 };
        rows.insert(
            ranking.clone(),
            json!({
                "mrr_at_50": mean(&scores, |scores| scores.reciprocal_rank),
                "mrr_at_10": mean(&scores, in_ten),
                "recall_at_10": mean(&scores, |scores| scores.recall_at_10),
                "search_millis": median(&answers.millis),
            }),
        );
        eprintln!("{ranking}: {}", rows[ranking]);
    }
    Ok(Value::Object(rows))
}
