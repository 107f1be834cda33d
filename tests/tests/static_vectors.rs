//! Static vectors: chunks without a sentence vector are ranked by them and by words.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use limbic_code_disk::DiskFiles;
use limbic_tests::{BackEnd, memory::Native, memory_file::ask_by_words, project};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// Two chunks with the same word of [`QUERY`]. Without static vectors the first one by its path is the first.
const FILES: [(&str, &str); 2] =
    [("a.py", "def check(color):\n    return color\n"), ("b.py", "def check(login):\n    return login\n")];
const QUERY: &str = "check the password";

/// Subwords with their vectors: `login` is near to `password`.
const SUBWORDS: [(&str, [i8; 2]); 3] = [("color", [0, 100]), ("login", [100, 10]), ("password", [100, 0])];

/// The bytes of a table of [`SUBWORDS`].
fn table() -> Vec<u8> {
    let mut bytes = b"limbic subwords 1\n\x03\0\0\0\x02\0\0\0".to_vec();
    // Weights and scales.
    bytes.extend([1.0_f32; 6].iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(SUBWORDS.iter().flat_map(|(_, vector)| vector.map(i8::cast_unsigned)));
    bytes.extend(SUBWORDS.iter().flat_map(|(word, _)| format!("{word}\n").into_bytes()));
    bytes
}

/// A memory with an indexed project, of which nothing is encoded, and the folder of the project.
struct Project {
    folder: TempDir,
    memory: Native,
}

impl Project {
    /// Indexes [`FILES`], and uses the table at a path.
    fn new(table: impl FnOnce(&Path) -> PathBuf) -> Result<Self> {
        let folder = tempdir()?;
        for (name, text) in FILES {
            fs::write(folder.path().join(name), text)?;
        }
        let mut memory = Native::in_memory_offering(&["code"])?;
        let files = DiskFiles::below_root(folder.path()).with_subwords(table(folder.path()));
        memory.limbic().set_code_files(Box::new(files));
        let mut project = Self { folder, memory };
        let indexed = project.ask("index_project", &json!({ "path": ".", "wait": true }))?;
        ensure!(indexed["status"] == "completed", "{indexed}");
        Ok(project)
    }

    /// The answer of a call without encodings.
    fn ask(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        ask_by_words(self.memory.limbic(), tool, arguments)
    }

    fn search(&mut self, mode: &str) -> Result<Value> {
        self.ask("search_code", &json!({ "query": QUERY, "mode": mode, "explain": true }))
    }
}

/// The paths of the results, each with its static vector.
fn found(answer: &Value) -> Result<Vec<(&str, Option<f64>)>> {
    let results = answer["results"].as_array().with_context(|| answer.to_string())?;
    let static_vector = |hit: &Value| hit["explanation"]["static_vector"].as_f64();
    Ok(results
        .iter()
        .map(|hit| (hit["file_path"].as_str().unwrap_or_default(), static_vector(hit)))
        .collect())
}

fn written(folder: &Path, bytes: &[u8]) -> PathBuf {
    let file = folder.join("subwords.bin");
    fs::write(&file, bytes).expect("the folder was just made");
    file
}

#[test]
fn of_equal_words_the_chunk_with_the_nearer_static_vector_is_first() -> Result<()> {
    let mut project = Project::new(|folder| written(folder, &table()))?;
    for mode in ["hybrid", "vector"] {
        let answer = project.search(mode)?;
        let found = found(&answer)?;
        let [("b.py", Some(near)), ("a.py", Some(far))] = found[..] else {
            anyhow::bail!("{mode}: {answer}")
        };
        ensure!(near > 0.5 && far < 0.1, "{mode}: {answer}");
    }
    let answer = project.search("words")?;
    ensure!(found(&answer)? == [("a.py", None), ("b.py", None)], "{answer}");
    Ok(())
}

#[test]
fn without_a_table_chunks_are_ranked_by_words() -> Result<()> {
    let mut project = Project::new(|folder| folder.join("there is none"))?;
    let by_words = project.search("words")?;
    ensure!(found(&by_words)? == [("a.py", None), ("b.py", None)], "{by_words}");
    ensure!(project.search("hybrid")?["results"] == by_words["results"], "{by_words}");
    Ok(())
}

#[test]
fn chunks_with_a_sentence_vector_have_no_static_one() -> Result<()> {
    let mut project = Project::new(|folder| written(folder, &table()))?;
    let arguments = json!({ "query": QUERY, "explain": true }).to_string();
    // Encodes all chunks before, and the query.
    let (_, answer) = project.memory.call("search_code", &arguments)?;
    let answer: Value = serde_json::from_str(&answer)?;
    ensure!(found(&answer)?.iter().all(|(_, static_vector)| static_vector.is_none()), "{answer}");
    ensure!(answer["results"][0]["explanation"]["vector"].is_number(), "{answer}");
    Ok(())
}

#[test]
fn a_damaged_table_is_reported_and_words_are_still_searched() -> Result<()> {
    let whole = table();
    let mut project = Project::new(|folder| written(folder, &whole[..whole.len() - 1]))?;
    let refused = project.search("hybrid").expect_err("the table is damaged").to_string();
    ensure!(refused.contains("static_vectors_unreadable"), "{refused}");
    ensure!(refused.contains("install Limbic again"), "{refused}");
    ensure!(found(&project.search("words")?)?.len() == 2, "words need no table");
    written(project.folder.path(), &whole);
    ensure!(found(&project.search("hybrid")?)?.len() == 2, "it is read again");
    Ok(())
}

#[test]
fn the_packaged_table_knows_that_a_login_needs_a_password() -> Result<()> {
    let table = project("pkg/model/subwords.bin");
    ensure!(table.is_file(), "pkg/model/subwords.bin is missing; run `cargo xtask setup` first");
    let mut project = Project::new(|_| table)?;
    let answer = project.search("hybrid")?;
    let found = found(&answer)?;
    let [("b.py", Some(near)), ("a.py", Some(far))] = found[..] else { anyhow::bail!("{answer}") };
    ensure!(near > far, "{answer}");
    Ok(())
}
