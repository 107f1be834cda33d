//! Confidence of recall on answerable and unanswerable questions.
//!
//! Memories are the turns of a conversation, or functions. Unanswerable questions are those about another conversation,
//! or about other functions. Questions that ask about one speaker what the other has said are counted separately: all
//! their words occur, but no answer. Without a model, recall is a keyword search.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use limbic_encoder::Encoder;
use limbic_tools::Limbic;
use serde_json::{Map, Value, json};

use super::data::{self, lines};
use super::scores::real;
use crate::options::ModelChoice;
use limbic_memory::encoder_thread::load;

/// Number of memories per call.
const PER_CALL: usize = 500;
/// Number of functions stored, including half of those with a question.
const FUNCTIONS: usize = 1_000;
/// Maximum size of a function in bytes.
const MAX_BYTES: usize = 1_500;
/// Floors that are compared.
const FLOORS: [f64; 13] = [0.30, 0.33, 0.36, 0.38, 0.40, 0.42, 0.44, 0.46, 0.48, 0.50, 0.53, 0.56, 0.60];

/// For each set and floor: the shares of questions with and without an answer whose best relevance is below it.
pub fn run(data: &Path, model: &ModelChoice, keep: &Path) -> Result<Value> {
    let encoder = match model {
        ModelChoice::None => None,
        model => Some(load(model).map_err(|reason| anyhow!(reason))?),
    };
    let mut rows = Map::new();
    rows.insert("locomo".into(), conversations(data, encoder.as_ref(), keep)?);
    rows.insert("cosqa".into(), functions(data, encoder.as_ref(), keep)?);
    Ok(Value::Object(rows))
}

fn conversations(data: &Path, encoder: Option<&Encoder>, keep: &Path) -> Result<Value> {
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
    let (mut own, mut others, mut adversarial) = (Vec::new(), Vec::new(), Vec::new());
    for (index, number) in numbers.iter().enumerate() {
        let texts: Vec<String> = of(*number, "turn")
            .into_iter()
            .map(|turn| format!("{}: {}", text(turn, "speaker"), text(turn, "text")))
            .collect();
        let mut limbic = filled(&format!("memories-locomo-{number}"), &texts, encoder, keep)?;
        for question in of(*number, "question") {
            let asked = best(&mut limbic, encoder, text(question, "question"))?;
            if question["category"] == "adversarial" { &mut adversarial } else { &mut own }.push(asked);
        }
        let other = numbers[(index + 1) % numbers.len()];
        for question in of(other, "question") {
            others.push(best(&mut limbic, encoder, text(question, "question"))?);
        }
        limbic.close()?;
        eprintln!("conversation {number}");
    }
    let mut found = summary(&own, &others);
    found["adversarial"] = shares(&adversarial);
    Ok(found)
}

fn functions(data: &Path, encoder: Option<&Encoder>, keep: &Path) -> Result<Value> {
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
        kept.iter().map(|function| text(function, "code").chars().take(MAX_BYTES).collect()).collect();
    let mut limbic = filled("memories-cosqa", &texts, encoder, keep)?;
    let mut all = |questions: &[Value]| -> Result<Vec<Best>> {
        questions.iter().map(|asked| best(&mut limbic, encoder, text(asked, "question"))).collect()
    };
    // Includes a function that answers questions of both halves.
    let unanswered: Vec<Value> =
        unanswered.iter().filter(|asked| !is_answer(answered, &asked["gold"])).cloned().collect();
    let (own, others) = (all(answered)?, all(&unanswered)?);
    limbic.close()?;
    Ok(summary(&own, &others))
}

fn text<'a>(line: &'a Value, field: &str) -> &'a str {
    line[field].as_str().unwrap_or_default()
}

fn filled(name: &str, texts: &[String], encoder: Option<&Encoder>, keep: &Path) -> Result<Limbic> {
    std::fs::create_dir_all(keep)?;
    let by = if encoder.is_some() { "" } else { "-words" };
    let file = keep.join(format!("{name}{by}.db"));
    if !file.exists() {
        let unfinished = file.with_extension("part");
        let _ = std::fs::remove_file(&unfinished);
        let mut limbic = data::open(&unfinished, json!({}))?;
        for some in texts.chunks(PER_CALL) {
            let memories: Vec<Value> = some.iter().map(|text| json!({"content": text})).collect();
            data::call(&mut limbic, "memory_store", &json!({"memories": memories}), &[])?;
        }
        if let Some(encoder) = encoder {
            data::drain_queue(&mut limbic, encoder)?;
        }
        limbic.close()?;
        std::fs::rename(&unfinished, &file)?;
    }
    data::open(&file, json!({}))
}

/// The result of a recall.
struct Best {
    /// The highest relevance of a memory alone, which decides about confidence.
    relevance: f64,
    confident: bool,
}

fn best(limbic: &mut Limbic, encoder: Option<&Encoder>, question: &str) -> Result<Best> {
    let arguments = json!({"query": question, "explain": true, "touch": false});
    let encodings =
        encoder.map(|encoder| encoder.encode(&limbic.texts("memory_recall", &arguments.to_string())));
    let answer = data::call(limbic, "memory_recall", &arguments, &encodings.unwrap_or_default())?;
    let found = answer["memories"].as_array().context("memory_recall answers with memories")?;
    let relevance = found.iter().filter_map(|memory| {
        let explanation = &memory["explanation"];
        explanation["alone"].as_f64().or_else(|| explanation["relevance"].as_f64())
    });
    Ok(Best { relevance: relevance.fold(0.0, f64::max), confident: answer["confident"] == true })
}

fn summary(own: &[Best], others: &[Best]) -> Value {
    let below = |all: &[Best], floor: f64| share(all, |best| best.relevance < floor);
    let rows: Vec<Value> = FLOORS
        .iter()
        .map(|floor| json!({"floor": floor, "answered_below": below(own, *floor), "unanswered_below": below(others, *floor)}))
        .collect();
    json!({"answered": shares(own), "unanswered": shares(others), "floors": rows})
}

/// Returns the number of questions, and the share without confidence.
fn shares(all: &[Best]) -> Value {
    json!({"questions": all.len(), "not_confident": share(all, |best| !best.confident)})
}

fn share(all: &[Best], counts: impl Fn(&Best) -> bool) -> f64 {
    real(all.iter().filter(|best| counts(best)).count()) / real(all.len())
}
