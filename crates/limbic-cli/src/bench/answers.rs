//! Measures recall within a token budget: the share of a question's evidence within a budget, on LoCoMo's
//! conversations, and prompts for a language model with that context.
//!
//! The budget is `max_tokens` of `memory_recall`, so it includes ids and dates. The prompt is the benchmark's.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use limbic_encoder::Encoder;
use limbic_protocol::EncodingResult;
use limbic_tools::Limbic;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::data::{self, Filled, Via};
use super::locomo::{self, Labelled, Set};
use super::scores::real;
use crate::options::ModelChoice;
use limbic_memory::encoder_thread::load;

/// Maximum number of memories in an answer: more than fit into the largest budget.
const MAX_MEMORIES: usize = 100;

/// The benchmark's file with the answers to its questions.
const ANSWERS: &str = "locomo10.json";

/// Prompts to write for a language model.
pub struct Prompts<'a> {
    /// The file, in which each line is a [`Prompt`].
    pub file: &'a Path,
    /// Budget of the context, in tokens.
    pub budget: usize,
}

/// A question for a language model.
#[derive(Serialize)]
struct Prompt<'a> {
    ranking: &'a str,
    category: &'a str,
    prompt: String,
    /// The expected answer; empty if there is none.
    answer: String,
}

/// For each ranking and category: the mean share of a question's evidence within each budget.
pub fn run(
    data: &Path,
    model: &ModelChoice,
    rankings: &[String],
    budgets: &[usize],
    keep: Option<&Path>,
    prompts: Option<&Prompts<'_>>,
) -> Result<Value> {
    let encoder = load(model).map_err(|reason| anyhow!(reason))?;
    let mut written = match prompts {
        Some(prompts) => Some((BufWriter::new(File::create(prompts.file)?), answers(data)?)),
        None => None,
    };
    let mut shares: BTreeMap<&str, BTreeMap<String, Vec<Vec<f64>>>> = BTreeMap::new();
    let Set { documents, mut asked } = Set::read("locomo", data)?;
    for (number, documents) in &documents {
        let name = locomo::file_name("locomo", Via::Memory, *number);
        let filled = Filled::new(&name, documents, Via::Memory, &encoder, keep)?;
        let questions = asked.remove(number).unwrap_or_default();
        for ranking in rankings {
            let mut limbic = filled.open(ranking)?;
            for question in &questions {
                let mut asking = Asking::new(&mut limbic, &encoder, question);
                let row: Vec<f64> =
                    budgets.iter().map(|budget| asking.evidence(*budget)).collect::<Result<_>>()?;
                let by_category = shares.entry(ranking).or_default();
                by_category.entry("all".to_owned()).or_default().push(row.clone());
                by_category.entry(question.category.clone()).or_default().push(row);
                if let (Some(prompts), Some((file, answers))) = (prompts, &mut written) {
                    let prompt = Prompt {
                        ranking,
                        category: &question.category,
                        prompt: prompt(&asking.contents(prompts.budget)?, question),
                        answer: answers.get(&question.question).cloned().unwrap_or_default(),
                    };
                    writeln!(file, "{}", serde_json::to_string(&prompt)?)?;
                }
            }
            limbic.close()?;
        }
        eprintln!("conversation {number}");
    }
    let mean = |rows: &[Vec<f64>], index: usize| {
        rows.iter().map(|row| row[index]).sum::<f64>() / real(rows.len().max(1))
    };
    let mut all = Map::new();
    for (ranking, by_category) in shares {
        let mut row = Map::new();
        for (category, rows) in by_category {
            let cells: Map<String, Value> = (0..)
                .zip(budgets)
                .map(|(index, budget)| (budget.to_string(), json!(mean(&rows, index))))
                .collect();
            row.insert(category, Value::Object(cells));
        }
        all.insert(ranking.to_owned(), Value::Object(row));
    }
    Ok(Value::Object(all))
}

/// One question to one database.
struct Asking<'a> {
    limbic: &'a mut Limbic,
    question: &'a Labelled,
    encodings: Vec<EncodingResult>,
}

impl<'a> Asking<'a> {
    fn new(limbic: &'a mut Limbic, encoder: &Encoder, question: &'a Labelled) -> Self {
        let tasks = limbic.texts("memory_recall", &json!({"query": question.question}).to_string());
        Self { limbic, question, encodings: encoder.encode(&tasks) }
    }

    /// Returns the share of the evidence among the memories that fit into a budget.
    fn evidence(&mut self, budget: usize) -> Result<f64> {
        let found = self.recall(budget)?;
        let gold = &self.question.evidence;
        let is_there = |id: &&String| found.iter().any(|memory| memory["id"] == **id);
        Ok(real(gold.iter().filter(is_there).count()) / real(gold.len()))
    }

    /// Returns the texts of the memories that fit into a budget, best first.
    fn contents(&mut self, budget: usize) -> Result<Vec<String>> {
        let text = |memory: &Value| memory["content"].as_str().map(str::to_owned);
        Ok(self.recall(budget)?.iter().filter_map(text).collect())
    }

    fn recall(&mut self, budget: usize) -> Result<Vec<Value>> {
        let arguments = json!({
            "query": self.question.question, "limit": MAX_MEMORIES, "max_tokens": budget, "touch": false
        });
        let answer = data::call(self.limbic, "memory_recall", &arguments, &self.encodings)?;
        let found = answer["memories"].as_array();
        Ok(found.context("memory_recall answers with memories")?.clone())
    }
}

/// Returns the benchmark's prompt. For questions that the conversation does not answer, the benchmark expects one of
/// its two phrases, which the prompt names.
fn prompt(contents: &[String], question: &Labelled) -> String {
    let date = if question.category == "temporal" {
        " Use DATE of CONVERSATION to answer with an approximate date."
    } else {
        ""
    };
    format!(
        "{}\n\nBased on the above context, write an answer in the form of a short phrase for the following question. \
         Answer with exact words from the context whenever possible. If the context does not mention it, answer: Not \
         mentioned in the conversation.\n\nQuestion: {}{date} Short answer:",
        contents.join("\n"),
        question.question
    )
}

/// Returns the answers of the benchmark's questions, by question.
fn answers(data: &Path) -> Result<HashMap<String, String>> {
    let file = data.join(ANSWERS);
    let text = fs::read_to_string(&file).with_context(|| {
        format!(
            "the answers to the questions are missing: put LoCoMo's data/{ANSWERS} at {}, or unset LIMBIC_LLM_URL",
            file.display()
        )
    })?;
    let all: Value = serde_json::from_str(&text).with_context(|| format!("not JSON: {}", file.display()))?;
    let questions = all.as_array().into_iter().flatten().flat_map(|one| one["qa"].as_array()).flatten();
    let answer = |question: &Value| match &question["answer"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    Ok(questions
        .filter_map(|question| Some((question["question"].as_str()?.to_owned(), answer(question))))
        .collect())
}
