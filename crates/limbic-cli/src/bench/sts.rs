//! Semantic textual similarity.

use std::path::Path;

use anyhow::{Result, anyhow};
use serde::Deserialize;
use serde_json::{Value, json};

use super::data::lines;
use super::scores::spearman;
use crate::options::ModelChoice;
use limbic_memory::encoder_thread::load;

#[derive(Deserialize)]
struct Pair {
    s1: String,
    s2: String,
    score: f64,
}

/// Returns Spearman's correlation between cosines and human judgements.
pub fn run(data: &Path, model: &ModelChoice) -> Result<Value> {
    let encoder = load(model).map_err(|reason| anyhow!(reason))?;
    let pairs: Vec<Pair> = lines(&data.join("sts-dev.jsonl"))?;
    let mut cosines = Vec::with_capacity(pairs.len());
    for pair in &pairs {
        let read = |text: &str| encoder.sentence(text).map_err(|reason| anyhow!("{reason}: {text}"));
        let (one, other) = (read(&pair.s1)?, read(&pair.s2)?);
        cosines.push(one.iter().zip(&other).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum());
    }
    let judged: Vec<f64> = pairs.iter().map(|pair| pair.score).collect();
    Ok(json!({"spearman": spearman(&cosines, &judged)}))
}
