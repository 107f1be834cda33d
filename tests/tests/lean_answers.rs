//! The overhead of answers over the texts in them, on the sample memory with all its vectors.
//!
//! The texts of a memory are its content and its subject, as those of an entity are its name and its observations.

use std::{fs, process::Command};

use anyhow::{Context, Result, ensure};
use limbic_tests::{memory::Native, memory_file::ask, project};
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
    let mut memory = Native::in_memory()?;
    let mut file = sample()?;
    let limbic = memory.limbic();
    let imported =
        limbic.call_with_file("migrate", r#"{"source_path": "sample"}"#, &[], &mut file, &mut |_, _| {});
    ensure!(!imported.is_error, "{}", imported.json);
    let questions: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(project("web/sample/questions.json"))?)?;
    let mut measured: Vec<Measured> = (0..4).map(|_| Measured::default()).collect();
    for question in questions.iter().take(40) {
        let recall = json!({ "query": question["question"], "domain": "team", "touch": false });
        measured[0].add(&ask(&mut memory, "memory_recall", &recall)?, &["content", "subject"]);
        let full =
            json!({ "query": question["question"], "domain": "team", "touch": false, "detail": "full" });
        measured[1].add(&ask(&mut memory, "memory_recall", &full)?, &["content", "subject"]);
        let found =
            ask(&mut memory, "search_semantic", &json!({ "query": question["question"], "limit": 5 }))?;
        measured[2].add(&found, &["name", "observations"]);
        let opened = ask(&mut memory, "open_nodes", &json!({ "names": [question["finds"]] }))?;
        measured[3].add(&opened, &["name", "observations", "from", "to", "relationType"]);
    }
    let names = ["memory_recall", "memory_recall, full", "search_semantic", "open_nodes"];
    let text: String = names
        .iter()
        .zip(&measured)
        .map(|(name, measured)| format!("{name}: {} % of its texts\n", measured.ratio()))
        .collect();
    let path = project("tests/expected/tools/answers.txt");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &text)?;
    }
    let known = fs::read_to_string(&path).context("run with UPDATE=1")?;
    ensure!(known == text, "run with UPDATE=1 and review the change:\n{known}\n{text}");
    Ok(())
}
