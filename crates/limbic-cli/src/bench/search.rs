//! The time of a search in this process.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use limbic_encoder::Encoder;
use serde_json::{Value, json};

use super::{data, fill};

/// The first searches load vectors and pages into memory and are not counted.
const UNCOUNTED: usize = 3;

/// Returns the median and the 95th percentile of `search_semantic`, in milliseconds, in a database of `limbic bench
/// fill`.
pub fn run(db: &Path, searches: usize) -> Result<Value> {
    let mut limbic = data::open(db, json!({}))?;
    let encoder = Encoder::test();
    let mut millis = Vec::with_capacity(searches);
    for number in 0..searches + UNCOUNTED {
        let arguments = json!({"query": fill::question(number), "limit": 10});
        let encodings = encoder.encode(&limbic.texts("search_semantic", &arguments.to_string()));
        let start = Instant::now();
        data::call(&mut limbic, "search_semantic", &arguments, &encodings)?;
        if number >= UNCOUNTED {
            millis.push(start.elapsed().as_secs_f64() * 1000.0);
        }
        limbic.finish()?;
    }
    limbic.close()?;
    millis.sort_by(f64::total_cmp);
    let at = |percent: usize| millis.get((searches * percent / 100).min(searches.saturating_sub(1)));
    Ok(json!({"best_millis": at(0), "median_millis": at(50), "p95_millis": at(95)}))
}
