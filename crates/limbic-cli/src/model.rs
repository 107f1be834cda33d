//! `limbic model`: describes the model in a folder.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use clap::Subcommand;
use limbic_encoder::Encoder;

use crate::{options, output};
use limbic_memory::encoder_thread::load_from;
use limbic_memory::paths;

/// Lengths of the texts that are timed, in words.
const WORDS: [usize; 2] = [12, 200];

/// Minimum time over which the encoding of a text is averaged.
const MIN_TIME: Duration = Duration::from_millis(500);

/// The actions of `limbic model`.
#[derive(Subcommand)]
pub enum Action {
    /// Load the model in a folder, and print its properties, settings and speed
    #[command(
        after_help = "The folder has model.onnx (or onnx/model.onnx) and tokenizer.json, and the files that \
        sentence-transformers stores: config.json, modules.json, 1_Pooling/config.json, \
        config_sentence_transformers.json. A limbic.json overrides them, for example {\"pooling\": \"mean\", \
        \"query_prefix\": \"query: \", \"passage_prefix\": \"passage: \", \"dimensions\": 256, \"max_tokens\": 512}."
    )]
    Check {
        /// The folder
        folder: PathBuf,
        /// Truncate vectors to their first N dimensions, as Matryoshka models allow [env: LIMBIC_MODEL_DIMENSIONS]
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        model_dimensions: Option<String>,
    },
}

/// Runs the action.
pub fn run(action: Action) -> Result<ExitCode> {
    let Action::Check { folder, model_dimensions } = action;
    let folder = paths::expanded(&folder, "the folder")?;
    let dimensions = options::dimensions_or_variable(model_dimensions)?;
    let started = Instant::now();
    let encoder = load_from(&folder, dimensions).map_err(|reason| anyhow!(reason))?;
    let loaded = started.elapsed();
    let description = encoder.describe().map_err(|reason| anyhow!(reason))?;
    let mut report = description.map(|it| it.to_string()).unwrap_or_default();
    let mut speed = vec![format!("loaded in {} ms", loaded.as_millis())];
    for words in WORDS {
        speed.push(format!("{words} words in {:.1} ms", millis(&encoder, words)?));
    }
    report.push_str(&format!("{:<12} {}", "speed", speed.join(", ")));
    output::line(&report)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the mean time to encode a text of this many words, in milliseconds.
fn millis(encoder: &Encoder, words: usize) -> Result<f64> {
    let text = vec!["lighthouse"; words].join(" ");
    let read = || encoder.sentence(&text).map_err(|reason| anyhow!(reason));
    read()?;
    let started = Instant::now();
    let mut count = 0_u32;
    while count == 0 || started.elapsed() < MIN_TIME {
        read()?;
        count += 1;
    }
    Ok(started.elapsed().as_secs_f64() * 1000.0 / f64::from(count))
}
