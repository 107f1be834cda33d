//! `limbic encode`: prints the vectors of sentences.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};

use crate::options::ModelChoice;
use limbic_memory::encoder_thread::load;

/// Reads standard input line by line and prints a vector for each, empty lines included.
pub fn run(choice: &ModelChoice) -> Result<ExitCode> {
    let encoder = load(choice).map_err(|reason| anyhow!(reason))?;
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line.context("each line must be UTF-8 text")?;
        let vector = encoder.sentence(&line).map_err(|reason| anyhow!("{reason}: {line}"))?;
        let written = writeln!(output, "{}", serde_json::to_string(&vector)?).and_then(|()| output.flush());
        if written.is_err() {
            // The reader of the vectors has closed the pipe.
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}
