//! Encoding time: Limbic's encoder in WebAssembly and natively, and onnxruntime-web with the same model.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::peers;
use super::table::{Outcome, Table, millis, ratio};
use crate::project;
use crate::tools::Toolbox;

const LENGTHS: [usize; 4] = [8, 32, 128, 256];

/// One thread each, the WebAssembly ones in turn within one process.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    let lengths = LENGTHS.map(|length| length.to_string()).join(",");
    let peers = peers::folder(tools)?;
    let wasm = answer(tools, "node", &["tests/bench/encode.mjs", &peers.to_string_lossy(), &lengths])?;
    let native = project::target().join("release").join("limbic");
    let native = answer(tools, &native.to_string_lossy(), &["bench", "encode", "--tokens", &lengths])?;
    let mut table = Table::new(
        "Encoder, one thread, one text",
        &["tokens", "limbic", "onnxruntime-web", "limbic : onnxruntime-web", "limbic native"],
    );
    let mut numbers = json!({});
    for length in LENGTHS.map(|length| length.to_string()) {
        let time = |value: &Value| {
            value.as_f64().with_context(|| format!("no time was measured for {length} tokens"))
        };
        let ours = time(&wasm["limbic"][&length])?;
        let theirs = time(&wasm["onnxruntime"][&length])?;
        let native = time(&native[&length]["median_millis"])?;
        table.row(vec![length.clone(), millis(ours), millis(theirs), ratio(ours, theirs), millis(native)]);
        numbers[length] =
            json!({"node_millis": ours, "onnxruntime_web_millis": theirs, "native_millis": native});
    }
    let loads =
        [&wasm["load"]["limbic"], &wasm["load"]["onnxruntime"]].map(|load| load.as_f64().unwrap_or(f64::NAN));
    table.row(vec![
        "load".to_owned(),
        millis(loads[0]),
        millis(loads[1]),
        ratio(loads[0], loads[1]),
        String::new(),
    ]);
    numbers["load"] = json!({"node_millis": loads[0], "onnxruntime_web_millis": loads[1]});
    Ok(Outcome { table, numbers })
}

/// The JSON that a program prints.
pub fn answer(tools: &Toolbox, program: &str, arguments: &[&str]) -> Result<Value> {
    let output = tools.command(program).args(arguments).stderr(std::process::Stdio::inherit()).output()?;
    anyhow::ensure!(output.status.success(), "failed: {program} {}", arguments.join(" "));
    Ok(serde_json::from_slice(&output.stdout)?)
}
