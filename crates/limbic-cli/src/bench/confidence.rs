//! How often recall is confident: of questions that the memories answer, and of those that they do not.
//!
//! Memories are the turns of a conversation, or functions. The questions that they do not answer are those about another
//! conversation, or about other functions.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use limbic_encoder::Encoder;
use limbic_tools::Limbic;
use serde_json::{Map, Value, json};

use super::data::{self, lines};
use super::scores::real;
use crate::encoder_thread::load;
use crate::options::ModelChoice;

/// How many memories are stored by one call.
const PER_CALL: usize = 500;
/// How many functions are kept, half of those that are asked about among them.
const FUNCTIONS: usize = 1_000;
/// The most bytes of a function.
const LONGEST: usize = 1_500;
/// Floors that are compared.
const FLOORS: [f64; 13] = [0.30, 0.33, 0.36, 0.38, 0.40, 0.42, 0.44, 0.46, 0.48, 0.50, 0.53, 0.56, 0.60];

/// For each set and floor: the shares of questions with and without an answer whose best relevance is below it.
pub fn run(data: &Path, model: &ModelChoice, keep: &Path) -> Result<Value> {
    let encoder = load(model).map_err(|reason| anyhow!(reason))?;
    let mut rows = Map::new();
    rows.insert("locomo".into(), conversations(data, &encoder, keep)?);
    rows.insert("cosqa".into(), functions(data, &encoder, keep)?);
    Ok(Value::Object(rows))
}

fn conversations(data: &Path, encoder: &Encoder, keep: &Path) -> Result<Value> {
    let all: Vec<Value> = lines(&data.join("locomo-dev.jsonl"))?;
    let of = |number: u64, kind: &str| -> Vec<&Value> {
        all.iter().filter(|line| line["conversation"] == number && line["type"] == kind).collect()
    };
    let numbers: Vec<u64> = {
        let mut numbers: Vec<u64> = all.iter().filter_map(|line| line["conversation"].as_u64()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for (place, number) in numbers.iter().enumerate() {
        let texts: Vec<String> = of(*number, "turn")
            .into_iter()
            .map(|turn| format!("{}: {}", text(turn, "speaker"), text(turn, "text")))
            .collect();
        let mut limbic = filled(&format!("memories-locomo-{number}"), &texts, encoder, keep)?;
        let asked = of(*number, "question").into_iter().filter(|line| line["category"] != "adversarial");
        for question in asked {
            own.push(relevance(&mut limbic, encoder, text(question, "question"))?);
        }
        let other = numbers[(place + 1) % numbers.len()];
        for question in of(other, "question") {
            others.push(relevance(&mut limbic, encoder, text(question, "question"))?);
        }
        limbic.close()?;
        eprintln!("conversation {number}");
    }
    Ok(summary(&own, &others))
}

fn functions(data: &Path, encoder: &Encoder, keep: &Path) -> Result<Value> {
    let corpus: Vec<Value> = lines(&data.join("cosqa-corpus.jsonl"))?;
    let asked: Vec<Value> = lines(&data.join("cosqa-dev.jsonl"))?;
    let (answered, unanswered) = asked.split_at(asked.len() / 2);
    let is_answer = |questions: &[Value], id: &Value| questions.iter().any(|asked| asked["gold"] == *id);
    let mut kept: Vec<&Value> =
        corpus.iter().filter(|function| is_answer(answered, &function["id"])).collect();
    kept.extend(
        corpus.iter().filter(|function| !is_answer(&asked, &function["id"])).take(FUNCTIONS - kept.len()),
    );
    let texts: Vec<String> =
        kept.iter().map(|function| text(function, "code").chars().take(LONGEST).collect()).collect();
    let mut limbic = filled("memories-cosqa", &texts, encoder, keep)?;
    let mut best = |questions: &[Value]| -> Result<Vec<f64>> {
        questions.iter().map(|asked| relevance(&mut limbic, encoder, text(asked, "question"))).collect()
    };
    // A function that answers questions of both halves is there.
    let unanswered: Vec<Value> =
        unanswered.iter().filter(|asked| !is_answer(answered, &asked["gold"])).cloned().collect();
    let (own, others) = (best(answered)?, best(&unanswered)?);
    limbic.close()?;
    Ok(summary(&own, &others))
}

fn text<'a>(line: &'a Value, field: &str) -> &'a str {
    line[field].as_str().unwrap_or_default()
}

fn filled(name: &str, texts: &[String], encoder: &Encoder, keep: &Path) -> Result<Limbic> {
    std::fs::create_dir_all(keep)?;
    let file = keep.join(format!("{name}.db"));
    if !file.exists() {
        let unfinished = file.with_extension("part");
        let _ = std::fs::remove_file(&unfinished);
        let mut limbic = data::open(&unfinished, json!({}))?;
        for some in texts.chunks(PER_CALL) {
            let memories: Vec<Value> = some.iter().map(|text| json!({"content": text})).collect();
            data::call(&mut limbic, "memory_store", &json!({"memories": memories}), &[])?;
        }
        data::settle(&mut limbic, encoder)?;
        limbic.close()?;
        std::fs::rename(&unfinished, &file)?;
    }
    data::open(&file, json!({}))
}

/// The relevance of what is found first.
fn relevance(limbic: &mut Limbic, encoder: &Encoder, question: &str) -> Result<f64> {
    let arguments = json!({"query": question, "explain": true, "touch": false});
    let encodings = encoder.encode(&limbic.texts("memory_recall", &arguments.to_string()));
    let answer = data::call(limbic, "memory_recall", &arguments, &encodings)?;
    let found = answer["memories"].as_array().context("memory_recall answers with memories")?;
    Ok(found.iter().filter_map(|memory| memory["explanation"]["relevance"].as_f64()).fold(0.0, f64::max))
}

fn summary(own: &[f64], others: &[f64]) -> Value {
    let below = |all: &[f64], floor: f64| {
        real(all.iter().filter(|relevance| **relevance < floor).count()) / real(all.len())
    };
    let rows: Vec<Value> = FLOORS
        .iter()
        .map(|floor| json!({"floor": floor, "answered_below": below(own, *floor), "unanswered_below": below(others, *floor)}))
        .collect();
    json!({"answered": own.len(), "unanswered": others.len(), "floors": rows})
}
