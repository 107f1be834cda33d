//! Search of source code through the native server, on questions about public repositories, which are not part of this
//! one: by words, by words and static vectors, as at once after indexing, by vectors, and by words and vectors.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::code::{data_folder, trees};
use super::programs::native;
use super::server::Server;
use super::table::{Outcome, Table};
use crate::mcp::Client;
use crate::project;
use crate::tools::{Toolbox, say};

/// The rows: the signals, the mode of `search_code`, and whether the server has an encoder.
const ROWS: [(&str, &str, bool); 4] = [
    ("words", "words", false),
    ("static", "hybrid", false),
    ("vector", "vector", true),
    ("hybrid", "hybrid", true),
];
/// Results that count for a question.
const COUNTED: usize = 10;
/// Files that count for an issue.
const FIRST_FILES: usize = 5;
/// Number of requested chunks, enough for five different files per issue.
const CHUNKS: usize = 50;
/// Maximum length of a query that the tool accepts, in characters.
const MAX_QUERY_CHARS: usize = 2000;
/// Maximum time to encode a tree.
const MAX_ENCODING_TIME: Duration = Duration::from_secs(1800);

/// A question about a tree, and the files that answer it.
struct Question {
    text: String,
    folder: String,
    files: Vec<String>,
    is_issue: bool,
}

/// Asks every question with every signal.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    let data = data_folder();
    let mut table =
        Table::new("Code search", &["signals", "questions", "nDCG@10", "issues", "file in the first five"]);
    let questions = questions(&data)?;
    if questions.is_empty() {
        table.note(&format!(
            "left out: there are no questions in {}; name its parent folder in LIMBIC_BENCH_DATA",
            data.display()
        ));
        return Ok(Outcome { table, numbers: Value::Null });
    }
    let names: Vec<String> = questions.keys().cloned().collect();
    let archives = trees(tools, &data, &names)?;
    native(tools)?;
    // Kept between runs: a database has the vectors of all chunks that have not changed.
    let folder = project::target().join("bench-code-search");
    fs::create_dir_all(&folder)?;
    let mut gains: BTreeMap<&str, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for (name, questions) in &questions {
        say(&format!("asking about {name}"));
        for has_encoder in [false, true] {
            let mut client = indexed(tools, &folder, &archives, name, has_encoder)?;
            for (row, mode, _) in ROWS.iter().filter(|(_, _, needs_encoder)| *needs_encoder == has_encoder) {
                let (asked, issues) = gains.entry(*row).or_default();
                for question in questions {
                    let found = found(&mut client, name, question, mode)?;
                    if question.is_issue {
                        issues.push(in_the_first(&found, &question.files));
                    } else {
                        asked.push(ndcg(&found, &question.files));
                    }
                }
            }
        }
    }
    let mut numbers = json!({});
    for (row, _, _) in ROWS {
        let (asked, issues) = &gains[row];
        let means = [mean(asked), mean(issues)];
        let [ndcg, first] = means.map(|mean| format!("{mean:.3}"));
        table.row(vec![row.to_owned(), asked.len().to_string(), ndcg, issues.len().to_string(), first]);
        numbers[row] = json!({"ndcg_10": means[0], "issues_first_5": means[1]});
    }
    table.note(
        "goals: static and hybrid .91 and .87; all rows with the rules for source code; static: words and static vectors, \
         as before chunks are encoded",
    );
    Ok(Outcome { table, numbers })
}

/// The questions by the name of their tree.
fn questions(data: &Path) -> Result<BTreeMap<String, Vec<Question>>> {
    let mut all: BTreeMap<String, Vec<Question>> = BTreeMap::new();
    for row in rows(&data.join("search-dev.jsonl"))? {
        let files = row["files"].as_array().into_iter().flatten();
        let root = text(&row["root"]);
        let question = Question {
            text: text(&row["query"]),
            folder: if root == "." { String::new() } else { root },
            files: files.map(|file| text(&file["path"])).collect(),
            is_issue: false,
        };
        all.entry(text(&row["repo"])).or_default().push(question);
    }
    for row in rows(&data.join("issues-dev.jsonl"))? {
        let question = Question {
            text: text(&row["text"]).chars().take(MAX_QUERY_CHARS).collect(),
            folder: String::new(),
            files: row["files"].as_array().into_iter().flatten().map(text).collect(),
            is_issue: true,
        };
        all.entry(text(&row["tree"])).or_default().push(question);
    }
    Ok(all)
}

fn rows(file: &Path) -> Result<Vec<Value>> {
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let content = fs::read_to_string(file)?;
    let rows = content.lines().filter(|line| !line.is_empty()).map(serde_json::from_str);
    rows.collect::<Result<_, _>>().with_context(|| format!("{} is not JSON by line", file.display()))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A server that has indexed a tree and, if it has an encoder, encoded it.
fn indexed(tools: &Toolbox, folder: &Path, archives: &Path, name: &str, has_encoder: bool) -> Result<Client> {
    let tree = folder.join(name);
    if !tree.exists() {
        let unpacked = folder.join(format!("{name}.part"));
        fs::create_dir_all(&unpacked)?;
        let archive = archives.join(format!("{name}.tar.gz"));
        tools.run("tar", &["-xzf", &archive.to_string_lossy(), "-C", &unpacked.to_string_lossy()])?;
        fs::rename(&unpacked, &tree)?;
    }
    let root = folder.to_string_lossy();
    let mut extra = vec!["--toolsets", "all", "--code-root", &root];
    if !has_encoder {
        extra.push("--no-model");
    }
    let mut client = Server::Native.start(tools, &folder.join(format!("{name}.db")), &extra)?;
    client.call("index_project", json!({"path": tree, "project_id": name, "wait": true}))?;
    if !has_encoder {
        return Ok(client);
    }
    let start = Instant::now();
    loop {
        let status = client.call("get_index_status", json!({"project_id": name}))?;
        // Until the model is loaded, a search by vectors is one by words.
        let probe = json!({"query": "main", "project_id": name, "mode": "vector", "explain": true});
        let answer = client.call("search_code", probe)?;
        let has_vectors = answer["results"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|hit| hit["explanation"]["vector"].is_number());
        if status["pending_embeddings"] == json!(0) && has_vectors {
            return Ok(client);
        }
        if start.elapsed() > MAX_ENCODING_TIME {
            bail!("chunks of {name} are still not encoded after half an hour: {status}");
        }
        thread::sleep(Duration::from_millis(500));
    }
}

/// The files of the results, in order, once for each chunk of a file.
fn found(client: &mut Client, name: &str, question: &Question, mode: &str) -> Result<Vec<String>> {
    let limit = if question.is_issue { CHUNKS } else { COUNTED };
    let mut arguments = json!({
        "query": question.text, "project_id": name, "mode": mode, "limit": limit, "max_tokens": 1_000_000,
    });
    if !question.folder.is_empty() {
        arguments["path_prefix"] = json!(question.folder);
    }
    let answer = client.call("search_code", arguments)?;
    Ok(answer["results"].as_array().into_iter().flatten().map(|hit| text(&hit["file_path"])).collect())
}

/// nDCG@10 with the same gain for all files: a file counts at the first of its results.
fn ndcg(found: &[String], files: &[String]) -> f64 {
    let gain = |rank: usize| 1.0 / (u32::try_from(rank).map_or(f64::INFINITY, f64::from) + 2.0).log2();
    let ranks = files.iter().filter_map(|file| found.iter().take(COUNTED).position(|it| it == file));
    let best: f64 = (0..files.len().min(COUNTED)).map(gain).sum();
    if best > 0.0 { ranks.map(gain).sum::<f64>() / best } else { 0.0 }
}

/// 1 if one of the files is among the first five different ones.
fn in_the_first(found: &[String], files: &[String]) -> f64 {
    let mut seen = BTreeSet::new();
    let distinct = found.iter().filter(|file| seen.insert(file.as_str()));
    if distinct.take(FIRST_FILES).any(|file| files.contains(file)) { 1.0 } else { 0.0 }
}

fn mean(values: &[f64]) -> f64 {
    let count = u32::try_from(values.len()).map_or(f64::NAN, f64::from);
    values.iter().sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_file_counts_at_the_first_of_its_results() {
        let found = files(&["a", "a", "b"]);
        assert!((ndcg(&found, &files(&["a"])) - 1.0).abs() < 1e-9);
        assert!((ndcg(&found, &files(&["b"])) - 0.5).abs() < 1e-9);
        assert!(ndcg(&found, &files(&["c"])).abs() < 1e-9);
    }

    #[test]
    fn only_the_first_five_different_files_count_for_an_issue() {
        let found = files(&["a", "a", "b", "c", "d", "e", "f"]);
        assert!((in_the_first(&found, &files(&["e"])) - 1.0).abs() < 1e-9);
        assert!(in_the_first(&found, &files(&["f"])).abs() < 1e-9);
    }
}
