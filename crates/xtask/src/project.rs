//! Paths of the project, and comparisons of modification times.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("xtask is two levels below the root").to_path_buf()
}

/// A path relative to the root of the repository.
pub fn path(relative: &str) -> PathBuf {
    root().join(relative)
}

/// Cargo's target folder: `CARGO_TARGET_DIR`, or `target`.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| path("target"), |folder| root().join(folder))
}

/// The native binary `name` of the dev profile.
pub fn binary(name: &str) -> PathBuf {
    target().join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

/// The entry point of the bundled Node server.
pub fn node_main() -> PathBuf {
    path("node/dist/main.js")
}

/// The program that `limbic-memory hook install` has hooks start.
pub fn node_hook() -> PathBuf {
    path("node/dist/hook.cjs")
}

/// The cache folder, shared between clones: the downloaded model, tools, the sample database.
///
/// `LIMBIC_CACHE`, or else `limbic` in `XDG_CACHE_HOME` or in the user's cache folder. Created if it is missing.
pub fn cache() -> Result<PathBuf> {
    let folder = match env::var_os("LIMBIC_CACHE") {
        Some(folder) => root().join(folder),
        None => user_cache()?.join("limbic"),
    };
    fs::create_dir_all(&folder).with_context(|| {
        format!("cannot create the cache folder {}; set LIMBIC_CACHE to a writable folder", folder.display())
    })?;
    Ok(folder)
}

fn user_cache() -> Result<PathBuf> {
    let from = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    from("XDG_CACHE_HOME")
        .or_else(|| from("HOME").map(|home| home.join(".cache")))
        .or_else(|| from("LOCALAPPDATA"))
        .context("the home folder is unknown: set LIMBIC_CACHE to a writable folder")
}

/// The modification time of a file; `None` if it does not exist.
pub fn written(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|data| data.modified()).ok()
}

/// Whether `output` exists and is at least as new as every existing input.
pub fn is_current(output: &Path, inputs: &[PathBuf]) -> bool {
    let Some(made) = written(output) else { return false };
    inputs.iter().all(|input| written(input).is_none_or(|changed| changed <= made))
}

/// All files below a folder, sorted by path, without hidden ones and `node_modules`.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') || name == "node_modules" {
            continue;
        }
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}
