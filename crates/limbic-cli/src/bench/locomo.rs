//! Recall from long conversations, through the tools of the graph.

use std::collections::{BTreeMap, BTreeSet};
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
pub fn run(data: &Path, model: &ModelChoice, rankings: &[String], keep: Option<&Path>) -> Result<Value> {
    let encoder = load(model).map_err(|reason| anyhow!(reason))?;
    let (mut turns, mut asked) = (Vec::new(), Vec::new());
    for line in lines(&data.join("locomo-dev.jsonl"))? {
        match line {
            Line::Turn(turn) => turns.push(turn),
            Line::Question(question) => asked.push(question),
        }
    }
    let conversations = prepare(&turns, asked, &encoder, keep)?;
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
    turns: &[Turn],
    asked: Vec<Asked>,
    encoder: &Encoder,
    keep: Option<&Path>,
) -> Result<Vec<Conversation>> {
    let mut by_conversation: BTreeMap<u32, Vec<Asked>> = BTreeMap::new();
    for question in asked {
        by_conversation.entry(question.conversation).or_default().push(question);
    }
    let numbers: BTreeSet<u32> = turns.iter().map(|turn| turn.conversation).collect();
    let mut conversations = Vec::new();
    for number in numbers {
        eprintln!("conversation {number}");
        let own = turns.iter().filter(|turn| turn.conversation == number);
        let documents: Vec<Document> =
            own.map(|turn| Document { id: turn.id.clone(), kind: "turn", text: dated(turn) }).collect();
        let filled = Filled::new(&format!("locomo-{number}"), &documents, encoder, keep)?;
        let asked = by_conversation.remove(&number).unwrap_or_default();
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
