//! `limbic bench`: in-process benchmarks. `cargo xtask bench` compares the results with others.
//!
//! Results are JSON on standard output, progress goes to standard error.

mod confidence;
mod cosqa;
mod data;
mod encode;
mod fill;
mod fill_memories;
mod locomo;
mod phrasings;
mod scores;
mod search;
mod sts;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde_json::{Map, Value};

use crate::options::ModelOptions;

/// The rankings that are compared: each signal alone, mixtures, all signals for several phrasings of a query
/// (`fusion_phrasings`), and the usage boost on an unused memory, on one that is queried once per question, and on one
/// where all queries are repeated.
const RANKINGS: [&str; 10] = [
    "lexical",
    "vector",
    "rrf",
    "linear",
    "late",
    "fusion",
    "fusion_phrasings",
    "limbic_cold",
    "limbic",
    "limbic_replayed",
];

/// The benchmark.
#[derive(Subcommand)]
pub enum Bench {
    /// Measure retrieval quality on public data sets
    Retrieval {
        /// Folder of the data sets
        #[arg(long, value_name = "DIR")]
        data: PathBuf,
        /// Data sets: locomo, xquad, apinotes, sts, cosqa
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
}

/// Measures and prints one JSON object.
pub fn run(what: Bench) -> Result<ExitCode> {
    let result = match what {
        Bench::Retrieval { data, sets, rankings, keep, model } => {
            let encoder = model.resolve()?;
            let mut all = Map::new();
            for set in &sets {
                let scores = match set.as_str() {
                    "locomo" | "xquad" | "apinotes" => {
                        locomo::run(set, &data, &encoder, &rankings, keep.as_deref())?
                    }
                    "cosqa" => cosqa::run(&data, &encoder, &rankings, keep.as_deref())?,
                    "sts" => sts::run(&data, &encoder)?,
                    _ => anyhow::bail!("the sets are locomo, xquad, apinotes, sts and cosqa: {set}"),
                };
                all.insert(set.clone(), scores);
            }
            Value::Object(all)
        }
        Bench::Search { db, searches } => search::run(&db, searches)?,
        Bench::Confidence { data, keep, model } => confidence::run(&data, &model.resolve()?, &keep)?,
        Bench::Encode { tokens, model } => encode::run(&tokens, &model.resolve()?)?,
        Bench::Fill { db, entities } => fill::run(&db, entities)?,
        Bench::FillMemories { db, memories } => fill_memories::run(&db, memories)?,
    };
    println!("{result}");
    Ok(ExitCode::SUCCESS)
}
