//! Reads the data sets, and fills a database that several rankings query.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use limbic_encoder::Encoder;
use limbic_protocol::EncodingResult;
use limbic_tools::{Limbic, Options};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::phrasings;
use crate::files;
use crate::location::Location;

/// Number of entities per call.
const ENTITIES_PER_CALL: usize = 50;
/// Number of texts per batch.
const BATCH: usize = 64;

/// The ranking by all signals for several phrasings of each query.
const WITH_PHRASINGS: &str = "fusion_phrasings";

/// A fixed clock, so that scores do not depend on the duration of the benchmark.
const CLOCK_MILLIS: i64 = 1_750_000_000_000;

/// Reads a JSONL file.
pub fn lines<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot be read: {}", file.display()))?;
    let read = |line| serde_json::from_str(line).with_context(|| format!("{}: {line}", file.display()));
    text.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

/// An entity to be found, with one observation.
pub struct Document {
    /// Its name, by which it is recognised in an answer.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// The observation.
    pub text: String,
}

/// A database with all documents of a set, copied for each ranking, because searches are logged.
pub struct Filled {
    file: PathBuf,
    /// Removes the folder when dropped, unless it is kept.
    _folder: Option<tempfile::TempDir>,
}

impl Filled {
    /// Fills a database, or opens the kept one.
    pub fn new(name: &str, documents: &[Document], encoder: &Encoder, keep: Option<&Path>) -> Result<Self> {
        let folder = if keep.is_none() { Some(tempfile::tempdir()?) } else { None };
        let place =
            keep.or(folder.as_ref().map(tempfile::TempDir::path)).context("one of the two is there")?;
        fs::create_dir_all(place)?;
        let file = place.join(format!("{name}.db"));
        let filled = Self { file, _folder: folder };
        if filled.file.exists() {
            return Ok(filled);
        }
        // Only a complete file gets the final name.
        let unfinished = filled.file.with_extension("part");
        let _ = fs::remove_file(&unfinished);
        let mut limbic = open(&unfinished, json!({}))?;
        for some in documents.chunks(ENTITIES_PER_CALL) {
            let entities: Vec<Value> = some
                .iter()
                .map(|document| json!({"name": document.id, "entityType": document.kind, "observations": [document.text]}))
                .collect();
            call(&mut limbic, "create_entities", &json!({"entities": entities}), &[])?;
        }
        settle(&mut limbic, encoder)?;
        limbic.close()?;
        fs::rename(&unfinished, &filled.file)?;
        Ok(filled)
    }

    /// Runs every query on a fresh copy. Returns the names found, best first.
    ///
    /// `limbic_cold` keeps no usage between the queries; `limbic_replayed` opens each expected result that was found,
    /// and returns the answers of a second pass over all queries. `fusion_phrasings` asks each query in several
    /// phrasings.
    pub fn ask(&self, ranking: &str, limit: usize, questions: &[Question]) -> Result<Vec<Vec<String>>> {
        let copy = self.file.with_extension("copy");
        fs::copy(&self.file, &copy)?;
        let (options, rounds) = match ranking {
            "limbic_cold" => (json!({"ranking": "limbic", "readOnly": true}), 1),
            "limbic_replayed" => (json!({"ranking": "limbic"}), 2),
            WITH_PHRASINGS => (json!({"ranking": "fusion"}), 1),
            _ => (json!({"ranking": ranking}), 1),
        };
        let mut limbic = open(&copy, options)?;
        let mut answers = Vec::new();
        for _ in 0..rounds {
            answers = Vec::with_capacity(questions.len());
            for question in questions {
                let found = found(&mut limbic, question, limit, ranking == WITH_PHRASINGS)?;
                let wanted: Vec<&String> =
                    found.iter().filter(|name| question.wanted.contains(name)).collect();
                if rounds > 1 && !wanted.is_empty() {
                    call(&mut limbic, "open_nodes", &json!({"names": wanted}), &[])?;
                }
                answers.push(found);
            }
        }
        limbic.close()?;
        fs::remove_file(&copy)?;
        Ok(answers)
    }

    /// Encodes each query and its phrasings once for all rankings, with its expected results.
    pub fn read(&self, asked: &[(String, Vec<String>)], encoder: &Encoder) -> Result<Vec<Question>> {
        let mut limbic = open(&self.file, json!({}))?;
        let questions = asked
            .iter()
            .map(|(text, wanted)| {
                let phrasings = phrasings::of(text);
                let tasks = limbic.texts("search_semantic", &json!({"queries": phrasings}).to_string());
                Question { phrasings, wanted: wanted.clone(), encodings: encoder.encode(&tasks) }
            })
            .collect();
        limbic.close()?;
        Ok(questions)
    }
}

fn found(limbic: &mut Limbic, question: &Question, limit: usize, all_phrasings: bool) -> Result<Vec<String>> {
    let count = if all_phrasings { question.phrasings.len() } else { 1 };
    let queries = &question.phrasings[..count];
    let encodings = question.encodings.get(..count).context("every phrasing has an encoding")?;
    let arguments = json!({"queries": queries, "limit": limit, "max_tokens": 1_000_000});
    let answer = call(limbic, "search_semantic", &arguments, encodings)?;
    ensure!(answer["pending_embeddings"] == json!(0), "embeddings are outstanding: {answer}");
    let results = answer["results"].as_array().context("search_semantic answers with results")?;
    Ok(results.iter().filter_map(|result| result["name"].as_str().map(str::to_owned)).collect())
}

/// A query and its encodings.
pub struct Question {
    /// The query, then other phrasings of it.
    phrasings: Vec<String>,
    /// The names of the expected results.
    wanted: Vec<String>,
    /// Of each phrasing.
    encodings: Vec<EncodingResult>,
}

/// Opens a database for measuring. `options` are those of the tools, as JSON.
pub fn open(file: &Path, mut options: Value) -> Result<Limbic> {
    options["testClock"] = json!(CLOCK_MILLIS);
    let options: Options = serde_json::from_value(options).context("these options are not known")?;
    Ok(files::open(&Location::parse(file, "--db")?, &options, false)?)
}

/// Calls a tool that must succeed.
pub fn call(
    limbic: &mut Limbic,
    tool: &str,
    arguments: &Value,
    encodings: &[EncodingResult],
) -> Result<Value> {
    let answer = limbic.call(tool, &arguments.to_string(), encodings);
    if answer.is_error {
        bail!("{tool} failed: {}", answer.json);
    }
    Ok(serde_json::from_str(&answer.json)?)
}

/// Drains the embedding queue.
pub fn settle(limbic: &mut Limbic, encoder: &Encoder) -> Result<()> {
    let mut outstanding = limbic.store_vectors(&[], encoder.name())?;
    loop {
        let tasks = limbic.pending(BATCH)?;
        if tasks.is_empty() {
            return Ok(());
        }
        let left = limbic.store_vectors(&encoder.encode(&tasks), encoder.name())?;
        ensure!(left < outstanding, "the encoder cannot read what waits");
        outstanding = left;
        eprint!("\r{outstanding} texts to read    ");
        if outstanding == 0 {
            eprintln!();
        }
    }
}
