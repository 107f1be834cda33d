//! Reads data sets, and fills the database that the rankings query.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use limbic_encoder::Encoder;
use limbic_protocol::EncodingResult;
use limbic_tools::{Caller, CallerKind, Limbic, Options, SessionId};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::phrasings;
use limbic_memory::files;
use limbic_memory::location::Location;

/// Number of entities or memories per call.
const DOCUMENTS_PER_CALL: usize = 50;
/// Number of texts per batch.
const BATCH: usize = 64;

/// A line of progress is printed after this many texts.
const PER_LINE: usize = 10_000;

/// The ranking by all signals for several phrasings of each query.
const WITH_PHRASINGS: &str = "fusion_phrasings";

/// The ranking with use, a day between the queries.
const DAILY: &str = "limbic_daily";

/// A fixed clock, so that scores do not depend on the duration of the benchmark.
const CLOCK_MILLIS: i64 = 1_750_000_000_000;

/// The milliseconds of a day.
const DAY_MILLIS: i64 = 86_400_000;

/// Reads a JSONL file.
pub fn lines<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot be read: {}", file.display()))?;
    let read = |line| serde_json::from_str(line).with_context(|| format!("{}: {line}", file.display()));
    text.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

/// A text to be found.
pub struct Document {
    /// Its name, by which it is recognised in an answer.
    pub id: String,
    /// The type of the entity.
    pub kind: String,
    /// The subject of the memory.
    pub subject: String,
    /// The observation, or the memory.
    pub text: String,
}

/// How documents are stored and found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// As entities with one observation each: `create_entities`, `search_semantic`.
    Graph,
    /// As memories: `memory_store`, `memory_recall`.
    Memory,
}

impl Via {
    /// The tool that finds documents.
    fn search(self) -> &'static str {
        match self {
            Self::Graph => "search_semantic",
            Self::Memory => "memory_recall",
        }
    }

    /// Stores documents.
    fn store(self, limbic: &mut Limbic, documents: &[Document]) -> Result<()> {
        let entity = |document: &Document| json!({"name": document.id, "entityType": document.kind, "observations": [document.text]});
        let memory = |document: &Document| json!({"id": document.id, "source": document.id, "subject": document.subject, "content": document.text});
        let (tool, arguments) = match self {
            Self::Graph => {
                ("create_entities", json!({"entities": documents.iter().map(entity).collect::<Vec<_>>()}))
            }
            Self::Memory => {
                ("memory_store", json!({"memories": documents.iter().map(memory).collect::<Vec<_>>()}))
            }
        };
        call(limbic, tool, &arguments, &[])?;
        Ok(())
    }

    /// Opens found documents, as a client does that uses them.
    fn open(self, limbic: &mut Limbic, names: &[&String]) -> Result<()> {
        let (tool, arguments) = match self {
            Self::Graph => ("open_nodes", json!({"names": names})),
            Self::Memory => ("memory_get", json!({"ids": names})),
        };
        call(limbic, tool, &arguments, &[])?;
        Ok(())
    }
}

/// A database with all documents of a set, copied for each ranking, because searches are logged.
pub struct Filled {
    file: PathBuf,
    via: Via,
    /// Removes the folder when dropped, unless it is kept.
    _folder: Option<tempfile::TempDir>,
}

impl Filled {
    /// Fills a database, or opens the kept one.
    pub fn new(
        name: &str,
        documents: &[Document],
        via: Via,
        encoder: &Encoder,
        keep: Option<&Path>,
    ) -> Result<Self> {
        let folder = if keep.is_none() { Some(tempfile::tempdir()?) } else { None };
        let place =
            keep.or(folder.as_ref().map(tempfile::TempDir::path)).context("one of the two is there")?;
        fs::create_dir_all(place)?;
        let file = place.join(format!("{name}.db"));
        let filled = Self { file, via, _folder: folder };
        if filled.file.exists() {
            return Ok(filled);
        }
        // Only a complete file gets the final name.
        let unfinished = filled.file.with_extension("part");
        let _ = fs::remove_file(&unfinished);
        let mut limbic = open(&unfinished, json!({}))?;
        let caller = Caller { kind: CallerKind::Client, client: "bench".to_owned(), ..Caller::default() };
        limbic.introduce(&SessionId::default(), caller);
        for some in documents.chunks(DOCUMENTS_PER_CALL) {
            via.store(&mut limbic, some)?;
        }
        drain_queue(&mut limbic, encoder)?;
        limbic.close()?;
        fs::rename(&unfinished, &filled.file)?;
        Ok(filled)
    }

    /// Runs every query on a fresh copy.
    ///
    /// `limbic_cold` keeps no usage between the queries; `limbic_opened` opens each expected result that was found;
    /// `limbic_replayed` does so as well, and returns the answers of a second pass over all queries. `limbic_daily`
    /// does so with a day between the queries, so that what is not found ages. `fusion_phrasings` asks each query in
    /// several phrasings.
    pub fn ask(&self, ranking: &str, limit: usize, questions: &[Question]) -> Result<Answers> {
        let copy = self.file.with_extension("copy");
        fs::copy(&self.file, &copy)?;
        let (options, rounds, opens) = match ranking {
            "limbic_cold" => (json!({"ranking": "limbic", "readOnly": true}), 1, false),
            "limbic_opened" | DAILY => (json!({"ranking": "limbic"}), 1, true),
            "limbic_replayed" => (json!({"ranking": "limbic"}), 2, true),
            WITH_PHRASINGS => (json!({"ranking": "fusion"}), 1, false),
            _ => (json!({"ranking": ranking}), 1, false),
        };
        let mut limbic = open(&copy, options.clone())?;
        let mut answers = Answers::default();
        for _ in 0..rounds {
            answers = Answers::default();
            for (question, day) in questions.iter().zip(1..) {
                if ranking == DAILY {
                    limbic.close()?;
                    limbic = open_at(&copy, options.clone(), CLOCK_MILLIS + day * DAY_MILLIS)?;
                }
                let start = Instant::now();
                let found = self.found(&mut limbic, question, limit, ranking == WITH_PHRASINGS)?;
                answers.millis.push(start.elapsed().as_secs_f64() * 1000.0);
                let wanted: Vec<&String> =
                    found.iter().filter(|name| question.wanted.contains(name)).collect();
                if opens && !wanted.is_empty() {
                    self.via.open(&mut limbic, &wanted)?;
                }
                answers.found.push(found);
            }
        }
        limbic.close()?;
        fs::remove_file(&copy)?;
        Ok(answers)
    }

    /// Opens the database for queries that leave no traces.
    pub fn open(&self, ranking: &str) -> Result<Limbic> {
        open(&self.file, json!({"ranking": ranking, "readOnly": true}))
    }

    /// Encodes each query and its phrasings once for all rankings, with its expected results.
    pub fn read(&self, asked: &[(String, Vec<String>)], encoder: &Encoder) -> Result<Vec<Question>> {
        let mut limbic = open(&self.file, json!({}))?;
        let questions = asked
            .iter()
            .map(|(text, wanted)| {
                let phrasings = phrasings::of(text);
                let tasks = limbic.texts(self.via.search(), &json!({"queries": phrasings}).to_string());
                Question { phrasings, wanted: wanted.clone(), encodings: encoder.encode(&tasks) }
            })
            .collect();
        limbic.close()?;
        Ok(questions)
    }

    fn found(
        &self,
        limbic: &mut Limbic,
        question: &Question,
        limit: usize,
        all_phrasings: bool,
    ) -> Result<Vec<String>> {
        let count = if all_phrasings { question.phrasings.len() } else { 1 };
        let queries = &question.phrasings[..count];
        let encodings = question.encodings.get(..count).context("every phrasing has an encoding")?;
        let arguments = json!({"queries": queries, "limit": limit, "max_tokens": 1_000_000});
        let answer = call(limbic, self.via.search(), &arguments, encodings)?;
        // memory_recall names a count above 0 only.
        let outstanding = answer["pending_embeddings"].as_u64().unwrap_or(0);
        ensure!(outstanding == 0, "embeddings are outstanding: {answer}");
        let (list, name) = match self.via {
            Via::Graph => ("results", "name"),
            Via::Memory => ("memories", "id"),
        };
        let results = answer[list].as_array().context("a search answers with a list")?;
        Ok(results.iter().filter_map(|result| result[name].as_str().map(str::to_owned)).collect())
    }
}

/// The answers to all queries, in their order.
#[derive(Default)]
pub struct Answers {
    /// The names found, best first.
    pub found: Vec<Vec<String>>,
    /// The time of each search without encoding the query, in milliseconds.
    pub millis: Vec<f64>,
}

/// A query and its encodings.
pub struct Question {
    /// The query, then other phrasings of it.
    phrasings: Vec<String>,
    /// The names of the expected results.
    wanted: Vec<String>,
    /// The encoding of each phrasing.
    encodings: Vec<EncodingResult>,
}

/// Opens a database for measuring. `options` are those of the tools, as JSON.
pub fn open(file: &Path, options: Value) -> Result<Limbic> {
    open_at(file, options, CLOCK_MILLIS)
}

/// Opens a database for measuring, at a time in Unix milliseconds.
fn open_at(file: &Path, mut options: Value, clock_millis: i64) -> Result<Limbic> {
    options["testClock"] = json!(clock_millis);
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
pub fn drain_queue(limbic: &mut Limbic, encoder: &Encoder) -> Result<()> {
    let mut outstanding = limbic.store_vectors(&[], encoder.name())?;
    loop {
        let tasks = limbic.pending(BATCH)?;
        if tasks.is_empty() {
            return Ok(());
        }
        let left = limbic.store_vectors(&encoder.encode(&tasks), encoder.name())?;
        ensure!(left < outstanding, "the encoder cannot read what waits");
        if left / PER_LINE < outstanding / PER_LINE {
            eprintln!("{left} texts to read");
        }
        outstanding = left;
    }
}
