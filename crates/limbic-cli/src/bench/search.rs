//! The time of a search in this process.

use std::time::Instant;

use anyhow::Result;
use limbic_encoder::Encoder;
use serde_json::{Map, Value, json};

use super::{data, fill};

const QUESTIONS: usize = 60;

/// Milliseconds of `search_semantic` at each size: median and the slowest of a hundred.
pub fn run(sizes: &[usize]) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let mut limbic = data::open(&folder.path().join("search.db"), json!({}))?;
    let encoder = Encoder::test();
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    let mut filled = 0;
    let mut rows = Map::new();
    for size in sizes {
        fill::add(&mut limbic, filled, size)?;
        filled = size;
        let mut millis = Vec::with_capacity(QUESTIONS);
        // The first questions bring the vectors into memory and are not counted.
        for number in 0..QUESTIONS + 3 {
            let arguments = json!({"query": fill::question(number), "limit": 10});
            let encodings = encoder.encode(&limbic.texts("search_semantic", &arguments.to_string()));
            let start = Instant::now();
            data::call(&mut limbic, "search_semantic", &arguments, &encodings)?;
            if number >= 3 {
                millis.push(start.elapsed().as_secs_f64() * 1000.0);
            }
        }
        millis.sort_by(f64::total_cmp);
        rows.insert(
            size.to_string(),
            json!({"median_millis": millis[QUESTIONS / 2], "p95_millis": millis[QUESTIONS * 95 / 100]}),
        );
    }
    limbic.close()?;
    Ok(Value::Object(rows))
}
