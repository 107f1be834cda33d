//! The overhead of answers over the texts in them, on the sample memory with all its vectors.
//!
//! The texts of a memory are its content and its subject, as those of an entity are its name and its observations.

use std::{collections::BTreeMap, fs, process::Command};

use anyhow::{Context, Result, ensure};
use limbic_tests::{memory::Native, memory_file::ask, project};
use limbic_tools::{Caller, CallerKind, SessionId};
use serde_json::{Value, json};

/// Characters of answers, and of the stored texts in them.
#[derive(Default)]
struct Measured {
    answer: usize,
    texts: usize,
}

impl Measured {
    fn add(&mut self, answer: &Value, texts: &[&str]) {
        self.answer += answer.to_string().chars().count();
        self.texts += count(answer, "", texts);
    }

    fn ratio(&self) -> usize {
        self.answer * 100 / self.texts.max(1)
    }
}

/// Characters of the fields of memories beside their stored texts, by name; commas, quotation marks and escapes count.
#[derive(Default)]
struct Fields(BTreeMap<String, usize>);

impl Fields {
    fn add(&mut self, answer: &Value, texts: &[&str]) {
        for (name, value) in
            answer["memories"].as_array().into_iter().flatten().filter_map(Value::as_object).flatten()
        {
            let field = json!({ name: value }).to_string().chars().count() - "}".len();
            *self.0.entry(name.clone()).or_default() += field - count(value, name, texts);
        }
    }
}

/// The characters of all texts below one of these names.
fn count(value: &Value, name: &str, texts: &[&str]) -> usize {
    match value {
        Value::String(text) if texts.contains(&name) => text.chars().count(),
        Value::Array(items) => items.iter().map(|item| count(item, name, texts)).sum(),
        Value::Object(fields) => fields.iter().map(|(name, field)| count(field, name, texts)).sum(),
        _ => 0,
    }
}

fn sample() -> Result<Vec<u8>> {
    let node = Command::new("node").arg(project("web/sample/build.mjs")).output()?;
    ensure!(node.status.success(), "the sample: {}", String::from_utf8_lossy(&node.stderr));
    Ok(node.stdout)
}

#[test]
fn answers_are_little_longer_than_their_stored_texts() -> Result<()> {
    let mut memory = Native::in_memory_offering(&["graph", "memory", "domain", "advanced", "explorer"])?;
    let mut file = sample()?;
    let limbic = memory.limbic();
    limbic.introduce(&SessionId::default(), Caller { kind: CallerKind::Cli, ..Caller::default() });
    let imported =
        limbic.call_with_file("migrate", r#"{"source_path": "sample"}"#, &[], &mut file, &mut |_, _| {});
    ensure!(!imported.is_error, "{}", imported.json);
    let questions: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(project("web/sample/questions.json"))?)?;
    let recalled = |question: &Value, detail: &str| {
        let query = &question["question"];
        json!({ "query": query, "domain": "team", "touch": false, "detail": detail })
    };
    let memory_texts = ["content", "subject"];
    let mut unconfirmed = Measured::default();
    for question in &questions {
        unconfirmed.add(&ask(&mut memory, "memory_recall", &recalled(question, "text"))?, &memory_texts);
    }
    // As a user does who has read what was imported.
    let origin = serde_json::from_str::<Value>(&imported.json)?["origin"].clone();
    ask(&mut memory, "review_inbox", &json!({ "trust": [origin] }))?;
    let mut measured: [Measured; 4] = Default::default();
    let mut fields = Fields::default();
    for question in &questions {
        let recall = ask(&mut memory, "memory_recall", &recalled(question, "text"))?;
        ensure!(!recall.to_string().contains("unconfirmed"), "{recall}");
        fields.add(&recall, &memory_texts);
        measured[0].add(&recall, &memory_texts);
        measured[1].add(&ask(&mut memory, "memory_recall", &recalled(question, "full"))?, &memory_texts);
        let found =
            ask(&mut memory, "search_semantic", &json!({ "query": question["question"], "limit": 5 }))?;
        measured[2].add(&found, &["name", "observations"]);
        let opened = ask(&mut memory, "open_nodes", &json!({ "names": [question["finds"]] }))?;
        measured[3].add(&opened, &["name", "observations", "from", "to", "relationType"]);
    }
    let [recall, full, semantic, nodes] = &measured;
    let share = |characters: usize| characters * 1000 / recall.texts;
    let parts = fields.0.iter().map(|(name, &field)| (name.as_str(), share(field)));
    let rows = [
        ("memory_recall", recall),
        ("memory_recall, unconfirmed", &unconfirmed),
        ("memory_recall, full", full),
        ("search_semantic", semantic),
        ("open_nodes", nodes),
    ];
    let text: String = rows
        .iter()
        .map(|(name, measured)| format!("{name}: {} % of its texts\n", measured.ratio()))
        .chain(parts.map(|(name, mille)| {
            format!("memory_recall, {name} without texts: {}.{} %\n", mille / 10, mille % 10)
        }))
        .collect();
    let path = project("tests/expected/tools/answers.txt");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &text)?;
    }
    let known = fs::read_to_string(&path).context("run with UPDATE=1")?;
    ensure!(known == text, "run with UPDATE=1 and review the change:\n{known}\n{text}");
    Ok(())
}
