//! Data sets of texts and questions with evidence: conversations (LoCoMo), paragraphs in several languages (XQuAD),
//! notes as JSON (APIBench). Each conversation of a set is one database, which is queried with the tools of the graph.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, anyhow};
use limbic_encoder::Encoder;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::data::{Document, Filled, Question, lines};
use super::scores::{Scores, mean, score};
use crate::encoder_thread::load;
use crate::options::ModelChoice;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Turn(Turn),
    Doc(Doc),
    Question(Asked),
}

#[derive(Deserialize)]
struct Turn {
    conversation: u32,
    id: String,
    date: String,
    speaker: String,
    text: String,
    caption: Option<String>,
    image_query: Option<String>,
}

/// A text that is stored unchanged.
#[derive(Deserialize)]
struct Doc {
    conversation: u32,
    id: String,
    text: String,
    subject: String,
}

#[derive(Deserialize)]
struct Asked {
    conversation: u32,
    question: String,
    category: String,
    evidence: Vec<String>,
}

struct Conversation {
    filled: Filled,
    asked: Vec<Asked>,
    questions: Vec<Question>,
}

/// Scores of each ranking: the mean over categories, and each category's nDCG@10.
pub fn run(
    set: &str,
    data: &Path,
    model: &ModelChoice,
    rankings: &[String],
    keep: Option<&Path>,
) -> Result<Value> {
    let encoder = load(model).map_err(|reason| anyhow!(reason))?;
    let mut documents: BTreeMap<u32, Vec<Document>> = BTreeMap::new();
    let mut asked: BTreeMap<u32, Vec<Asked>> = BTreeMap::new();
    for line in lines(&data.join(format!("{set}-dev.jsonl")))? {
        match line {
            Line::Turn(turn) => {
                let document = Document { text: dated(&turn), id: turn.id, kind: "turn".to_owned() };
                documents.entry(turn.conversation).or_default().push(document);
            }
            Line::Doc(doc) => {
                let document = Document { id: doc.id, kind: doc.subject, text: doc.text };
                documents.entry(doc.conversation).or_default().push(document);
            }
            Line::Question(question) => asked.entry(question.conversation).or_default().push(question),
        }
    }
    let conversations = prepare(set, &documents, asked, &encoder, keep)?;
    let mut rows = Map::new();
    for ranking in rankings {
        let mut by_category: BTreeMap<&str, Vec<Scores>> = BTreeMap::new();
        for conversation in &conversations {
            let answers = conversation.filled.ask(ranking, 10, &conversation.questions)?;
            for (asked, found) in conversation.asked.iter().zip(&answers) {
                by_category.entry(&asked.category).or_default().push(score(found, &asked.evidence));
            }
        }
        rows.insert(ranking.clone(), summary(&by_category));
        eprintln!("{ranking}: {}", rows[ranking]);
    }
    Ok(Value::Object(rows))
}

fn prepare(
    set: &str,
    documents: &BTreeMap<u32, Vec<Document>>,
    mut asked: BTreeMap<u32, Vec<Asked>>,
    encoder: &Encoder,
    keep: Option<&Path>,
) -> Result<Vec<Conversation>> {
    let mut conversations = Vec::new();
    for (number, documents) in documents {
        eprintln!("{set}, conversation {number}");
        let filled = Filled::new(&format!("{set}-{number}"), documents, encoder, keep)?;
        let asked = asked.remove(number).unwrap_or_default();
        let texts: Vec<_> =
            asked.iter().map(|asked| (asked.question.clone(), asked.evidence.clone())).collect();
        let questions = filled.read(&texts, encoder)?;
        conversations.push(Conversation { filled, asked, questions });
    }
    Ok(conversations)
}

/// The text of a turn for the comparison of memories.
fn dated(turn: &Turn) -> String {
    let said = format!("{} {} said, \"{}\"", turn.date, turn.speaker, turn.text);
    match &turn.caption {
        None => said,
        Some(caption) => {
            let shared = [Some(caption.as_str()), turn.image_query.as_deref()];
            let shared: Vec<&str> = shared.into_iter().flatten().collect();
            format!("{said} and shared {}", shared.join(" "))
        }
    }
}

fn summary(by_category: &BTreeMap<&str, Vec<Scores>>) -> Value {
    let macro_mean = |measure: fn(&Scores) -> f64| {
        let means: Vec<f64> = by_category.values().map(|scores| mean(scores, measure)).collect();
        means.iter().sum::<f64>() / super::scores::real(means.len())
    };
    let mut row = json!({
        "ndcg_at_10": macro_mean(|scores| scores.ndcg_at_10),
        "recall_at_5": macro_mean(|scores| scores.recall_at_5),
        "recall_at_10": macro_mean(|scores| scores.recall_at_10),
        "hit_at_5": macro_mean(|scores| scores.hit_at_5),
    });
    for (category, scores) in by_category {
        row[*category] = json!(mean(scores, |scores| scores.ndcg_at_10));
    }
    row
}
