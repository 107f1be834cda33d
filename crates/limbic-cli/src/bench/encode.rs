//! The time the encoder takes for texts of given lengths.

use std::time::Instant;

use anyhow::{Result, anyhow};
use serde_json::{Map, Value, json};

use crate::options::ModelChoice;
use limbic_memory::encoder_thread::load;

const ROUNDS: usize = 9;

/// Returns a text of this number of tokens, including the two markers: this word is one token of BERT's vocabulary.
fn text(tokens: usize) -> String {
    vec!["river"; tokens.saturating_sub(2)].join(" ")
}

/// The median milliseconds for each number of tokens.
pub fn run(lengths: &[usize], model: &ModelChoice) -> Result<Value> {
    let encoder = load(model).map_err(|reason| anyhow!(reason))?;
    let mut rows = Map::new();
    for length in lengths {
        let text = text(*length);
        let mut millis = Vec::with_capacity(ROUNDS);
        for round in 0..=ROUNDS {
            let start = Instant::now();
            encoder.sentence(&text).map_err(|reason| anyhow!(reason))?;
            // The first warms up.
            if round > 0 {
                millis.push(start.elapsed().as_secs_f64() * 1000.0);
            }
        }
        millis.sort_by(f64::total_cmp);
        rows.insert(length.to_string(), json!({"median_millis": millis[ROUNDS / 2]}));
    }
    Ok(Value::Object(rows))
}
