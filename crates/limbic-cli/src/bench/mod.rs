//! `limbic bench`: in-process benchmarks. `cargo xtask bench` compares the results with others.
//!
//! Results are JSON on standard output, progress goes to standard error.

mod answers;
mod confidence;
mod cosqa;
mod data;
mod encode;
mod fill;
mod fill_memories;
mod locomo;
#[cfg(feature = "postgres")]
mod pages;
mod pairs;
mod phrasings;
mod scores;
mod search;
mod sts;
mod token_f1;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde_json::{Map, Value};

use crate::options::ModelOptions;
use answers::Prompts;
use data::Via;

/// The rankings that are compared: each signal alone, mixtures, all signals for several phrasings of a query
/// (`fusion_phrasings`), and the usage boost on an unused memory, on one that is queried once per question, on one
/// where the expected results are opened as well, and on one where all queries are then repeated.
const RANKINGS: [&str; 12] = [
    "lexical",
    "vector",
    "rrf",
    "linear",
    "late",
    "fusion",
    "fusion_phrasings",
    "limbic_cold",
    "limbic",
    "limbic_opened",
    "limbic_replayed",
    "limbic_daily",
];

/// The benchmark.
#[derive(Subcommand)]
pub enum Bench {
    /// Measure retrieval quality on public data sets
    Retrieval {
        /// Folder of the data sets
        #[arg(long, value_name = "DIR")]
        data: PathBuf,
        /// Data sets: locomo, xquad, apinotes, sts, cosqa; with -memories behind it, a set is stored as memories
        /// instead of entities
        #[arg(long, value_delimiter = ',', default_values = ["locomo", "sts"])]
        sets: Vec<String>,
        /// Rankings to compare
        #[arg(long, value_delimiter = ',', default_values = RANKINGS)]
        rankings: Vec<String>,
        /// Keep the filled databases in this folder and reuse them
        #[arg(long, value_name = "DIR")]
        keep: Option<PathBuf>,
        #[command(flatten)]
        model: ModelOptions,
    },
    /// Measure the evidence within the first tokens of what recall returns, on LoCoMo
    Answers {
        /// Folder of the data sets
        #[arg(long, value_name = "DIR")]
        data: PathBuf,
        /// Rankings to compare
        #[arg(long, value_delimiter = ',', default_values = ["lexical", "vector", "limbic"])]
        rankings: Vec<String>,
        /// Budgets, in tokens of four characters
        #[arg(long, value_delimiter = ',', default_values_t = [1_000, 2_000, 4_000])]
        budgets: Vec<usize>,
        /// Write a prompt for each question and ranking to this file, one JSON object per line
        #[arg(long, value_name = "FILE")]
        prompts: Option<PathBuf>,
        /// Budget of a prompt's context, in tokens
        #[arg(long, default_value_t = 1_000)]
        prompt_budget: usize,
        /// Keep the filled databases in this folder and reuse them
        #[arg(long, value_name = "DIR")]
        keep: Option<PathBuf>,
        #[command(flatten)]
        model: ModelOptions,
    },
    /// Measure precision and recall of near-duplicates and possible contradictions
    Pairs {
        /// Labelled pairs: on each line label, older and newer text, with tabs between
        #[arg(long, value_name = "FILE")]
        pairs: PathBuf,
        #[command(flatten)]
        model: ModelOptions,
    },
    /// Score a language model's answers by token F1
    ScoreAnswers {
        /// The prompts with the model's answers as `prediction`
        #[arg(long, value_name = "FILE")]
        answers: PathBuf,
    },
    /// Measure the time of a search in this process, without encoding the query
    Search {
        /// A database created by `fill`
        #[arg(long)]
        db: PathBuf,
        /// Number of searches
        #[arg(long, default_value_t = 100)]
        searches: usize,
    },
    /// Measure the confidence of recall on answerable and unanswerable questions
    Confidence {
        /// Folder of the data sets
        #[arg(long, value_name = "DIR")]
        data: PathBuf,
        /// Keep the filled databases in this folder and reuse them
        #[arg(long, value_name = "DIR")]
        keep: PathBuf,
        #[command(flatten)]
        model: ModelOptions,
    },
    /// Measure the encoder's time for texts of these lengths
    Encode {
        /// Numbers of tokens, markers included
        #[arg(long, value_delimiter = ',', default_values_t = [8, 32, 128, 256])]
        tokens: Vec<usize>,
        #[command(flatten)]
        model: ModelOptions,
    },
    /// Fill a database with made-up entities and their test embeddings
    Fill {
        /// The database file
        #[arg(long)]
        db: PathBuf,
        /// Number of entities
        #[arg(long)]
        entities: usize,
        /// Leave out the embeddings: their texts stay in the queue
        #[arg(long)]
        no_embeddings: bool,
    },
    /// Fill a database with made-up memories and their test embeddings
    FillMemories {
        /// The database file
        #[arg(long)]
        db: PathBuf,
        /// Number of memories
        #[arg(long)]
        memories: usize,
    },
    /// Measure the bytes and round trips of calls on a simulated store, by the size of a page and of the cache
    #[cfg(feature = "postgres")]
    Pages {
        /// A database created by `fill-memories`
        #[arg(long)]
        db: PathBuf,
        /// Sizes of a page in kilobytes
        #[arg(long, value_delimiter = ',', default_values_t = [4, 8, 16])]
        page_kilobytes: Vec<usize>,
        /// Sizes of the cache, as in an address
        #[arg(long, value_delimiter = ',', default_values = ["256MB"])]
        caches: Vec<String>,
        /// Times of a round trip in microseconds
        #[arg(long, value_delimiter = ',', default_values_t = [0, 2_000])]
        trip_micros: Vec<u64>,
    },
}

/// Measures and prints one JSON object.
pub fn run(what: Bench) -> Result<ExitCode> {
    let result = match what {
        Bench::Retrieval { data, sets, rankings, keep, model } => {
            let encoder = model.resolve()?;
            let mut all = Map::new();
            for set in &sets {
                let (name, via) = match set.strip_suffix("-memories") {
                    Some(name) => (name, Via::Memory),
                    None => (set.as_str(), Via::Graph),
                };
                let scores = match (name, via) {
                    ("locomo" | "xquad" | "apinotes", _) => {
                        locomo::run(name, via, &data, &encoder, &rankings, keep.as_deref())?
                    }
                    ("cosqa", _) => cosqa::run(via, &data, &encoder, &rankings, keep.as_deref())?,
                    ("sts", Via::Graph) => sts::run(&data, &encoder)?,
                    _ => anyhow::bail!(
                        "the sets are locomo, xquad, apinotes and cosqa, each also with -memories, and sts: {set}"
                    ),
                };
                all.insert(set.clone(), scores);
            }
            Value::Object(all)
        }
        Bench::Answers { data, rankings, budgets, prompts, prompt_budget, keep, model } => {
            let prompts = prompts.as_deref().map(|file| Prompts { file, budget: prompt_budget });
            let model = model.resolve()?;
            answers::run(&data, &model, &rankings, &budgets, keep.as_deref(), prompts.as_ref())?
        }
        Bench::Pairs { pairs, model } => pairs::run(&pairs, &model.resolve()?)?,
        Bench::ScoreAnswers { answers } => token_f1::run(&answers)?,
        Bench::Search { db, searches } => search::run(&db, searches)?,
        Bench::Confidence { data, keep, model } => confidence::run(&data, &model.resolve()?, &keep)?,
        Bench::Encode { tokens, model } => encode::run(&tokens, &model.resolve()?)?,
        Bench::Fill { db, entities, no_embeddings } => fill::run(&db, entities, !no_embeddings)?,
        Bench::FillMemories { db, memories } => fill_memories::run(&db, memories)?,
        #[cfg(feature = "postgres")]
        Bench::Pages { db, page_kilobytes, caches, trip_micros } => {
            pages::run(&db, &pages::Plan { page_kilobytes, caches, trip_micros })?
        }
    };
    println!("{result}");
    Ok(ExitCode::SUCCESS)
}
