//! Sizes of the shipped modules, raw and compressed.

use anyhow::{Context, Result};
use serde_json::json;

use super::encode::answer;
use super::table::{Outcome, Table};
use crate::tools::Toolbox;

/// The measured files with their target sizes in megabytes after gzip.
const FILES: [(&str, &str, Option<f64>); 4] = [
    ("core", "pkg/core/limbic_core_bg.wasm", Some(1.5)),
    ("encoder", "pkg/encoder/limbic_encoder_bg.wasm", Some(4.0)),
    ("model", "pkg/model/model.onnx", None),
    ("static vectors", "pkg/model/subwords.bin", None),
];

/// Measures raw and gzip sizes.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    let mut table = Table::new("Sizes", &["file", "raw", "gzip -9", "target"]);
    let mut numbers = json!({});
    for (name, file, aim) in FILES {
        let sizes = answer(tools, "node", &["tests/bench/gzip.mjs", file])?;
        let megabytes = |kind: &str| {
            Ok::<f64, anyhow::Error>(sizes[kind].as_f64().context("gzip.mjs prints raw and gzip")? / 1e6)
        };
        let aim = aim.map_or(String::new(), |max: f64| format!("< {max} MB"));
        let cells = [megabytes("raw")?, megabytes("gzip")?].map(|size| format!("{size:.2} MB"));
        table.row([vec![name.to_owned()], cells.to_vec(), vec![aim]].concat());
        numbers[name] = json!({"raw_bytes": sizes["raw"], "gzip_bytes": sizes["gzip"]});
    }
    Ok(Outcome { table, numbers })
}
