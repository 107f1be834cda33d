//! Shared by the tests of this crate: transcripts, and the back ends they run on.

pub mod export_import;
pub mod fuzz;
pub mod history;
pub mod memory;
pub mod memory_file;
pub mod sentence_models;
pub mod stdio;
pub mod transcript;

use std::path::{Path, PathBuf};

/// A path below the project's root.
#[must_use]
pub fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).join(path)
}

/// The names in a folder, sorted.
///
/// # Errors
/// If the folder cannot be read.
pub fn names(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// The start time of every transcript: 2026-01-01 00:00:00 UTC, in milliseconds.
pub const START_MILLIS: i64 = 1_767_225_600_000;

/// A program or library that runs tools.
pub trait BackEnd {
    /// Runs a tool on arguments in JSON. Returns whether it failed, and the answer in JSON.
    ///
    /// # Errors
    /// When the back end itself breaks.
    fn call(&mut self, tool: &str, arguments: &str) -> anyhow::Result<(bool, String)>;
}
