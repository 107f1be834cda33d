//! Data sets of texts and questions with evidence: conversations (LoCoMo), paragraphs in several languages (XQuAD),
//! notes as JSON (APIBench). Each conversation of a set is one database.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, anyhow};
use limbic_encoder::Encoder;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::data::{Document, Filled, Question, Via, lines};
use super::scores::{Scores, mean, median, score};
use crate::options::ModelChoice;
use limbic_memory::encoder_thread::load;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Turn(Turn),
    Doc(Doc),
    Question(Labelled),
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

/// A text to store.
#[derive(Deserialize)]
struct Doc {
    conversation: u32,
    id: String,
    text: String,
    subject: String,
}

/// A question.
#[derive(Deserialize)]
pub struct Labelled {
    /// The conversation, or part of the set, that it is about.
    pub conversation: u32,
    /// Its text.
    pub question: String,
    /// Its category.
    pub category: String,
    /// The names of the documents that answer it: at least one.
    pub evidence: Vec<String>,
}

/// The documents and questions of a set, by conversation.
#[derive(Default)]
pub struct Set {
    /// The documents, in the order of the conversation.
    pub documents: BTreeMap<u32, Vec<Document>>,
    /// The questions, in the order of the file.
    pub asked: BTreeMap<u32, Vec<Labelled>>,
}

impl Set {
    /// Reads `NAME-dev.jsonl`.
    pub fn read(name: &str, data: &Path) -> Result<Self> {
        let mut set = Self::default();
        for line in lines(&data.join(format!("{name}-dev.jsonl")))? {
            match line {
                Line::Turn(turn) => {
                    let text = dated(&turn);
                    let document =
                        Document { id: turn.id, kind: "turn".to_owned(), subject: turn.speaker, text };
                    set.documents.entry(turn.conversation).or_default().push(document);
                }
                Line::Doc(doc) => {
                    let document = Document {
                        id: doc.id,
                        kind: doc.subject.clone(),
                        subject: doc.subject,
                        text: doc.text,
                    };
                    set.documents.entry(doc.conversation).or_default().push(document);
                }
                Line::Question(question) => {
                    set.asked.entry(question.conversation).or_default().push(question);
                }
            }
        }
        Ok(set)
    }
}

struct Conversation {
    filled: Filled,
    asked: Vec<Labelled>,
    questions: Vec<Question>,
}

/// Scores of each ranking: the mean over categories, and each category's nDCG@10.
pub fn run(
    set: &str,
    via: Via,
    data: &Path,
    model: &ModelChoice,
    rankings: &[String],
    keep: Option<&Path>,
) -> Result<Value> {
    let encoder = load(model).map_err(|reason| anyhow!(reason))?;
    let Set { documents, asked } = Set::read(set, data)?;
    let conversations = prepare((set, via), &documents, asked, &encoder, keep)?;
    let mut rows = Map::new();
    for ranking in rankings {
        let mut by_category: BTreeMap<&str, Vec<Scores>> = BTreeMap::new();
        let mut millis = Vec::new();
        for conversation in &conversations {
            let answers = conversation.filled.ask(ranking, 10, &conversation.questions)?;
            for (asked, found) in conversation.asked.iter().zip(&answers.found) {
                by_category.entry(&asked.category).or_default().push(score(found, &asked.evidence));
            }
            millis.extend(answers.millis);
        }
        let mut row = summary(&by_category);
        row["search_millis"] = json!(median(&millis));
        rows.insert(ranking.clone(), row);
        eprintln!("{ranking}: {}", rows[ranking]);
    }
    Ok(Value::Object(rows))
}

fn prepare(
    (set, via): (&str, Via),
    documents: &BTreeMap<u32, Vec<Document>>,
    mut asked: BTreeMap<u32, Vec<Labelled>>,
    encoder: &Encoder,
    keep: Option<&Path>,
) -> Result<Vec<Conversation>> {
    let mut conversations = Vec::new();
    for (number, documents) in documents {
        eprintln!("{set}, conversation {number}");
        let filled = Filled::new(&file_name(set, via, *number), documents, via, encoder, keep)?;
        let asked = asked.remove(number).unwrap_or_default();
        let texts: Vec<_> =
            asked.iter().map(|asked| (asked.question.clone(), asked.evidence.clone())).collect();
        let questions = filled.read(&texts, encoder)?;
        conversations.push(Conversation { filled, asked, questions });
    }
    Ok(conversations)
}

/// The name of the database of a conversation.
pub fn file_name(set: &str, via: Via, number: u32) -> String {
    match via {
        Via::Graph => format!("{set}-{number}"),
        Via::Memory => format!("{set}-memories-{number}"),
    }
}

/// The text of a turn for the comparison of memories.
fn dated(turn: &Turn) -> String {
    let statement = format!("{} {} said, \"{}\"", turn.date, turn.speaker, turn.text);
    match &turn.caption {
        None => statement,
        Some(caption) => {
            let shared = [Some(caption.as_str()), turn.image_query.as_deref()];
            let shared: Vec<&str> = shared.into_iter().flatten().collect();
            format!("{statement} and shared {}", shared.join(" "))
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
