//! Where things are.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

/// The project's top folder.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("xtask lies two folders below the top").to_path_buf()
}

/// A path below the top folder.
pub fn path(relative: &str) -> PathBuf {
    root().join(relative)
}

/// Cargo's output folder.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| path("target"), |folder| root().join(folder))
}

/// The native binary `name` of the development build.
pub fn binary(name: &str) -> PathBuf {
    target().join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

/// The bundled Node server.
pub fn node_main() -> PathBuf {
    path("node/dist/main.js")
}

/// What is worth keeping between clones: the downloaded model, tools, the sample database.
///
/// `LIMBIC_CACHE`, else `limbic` in `XDG_CACHE_HOME` or in the user's cache folder.
pub fn cache() -> Result<PathBuf> {
    let folder = match env::var_os("LIMBIC_CACHE") {
        Some(folder) => root().join(folder),
        None => user_cache()?.join("limbic"),
    };
    fs::create_dir_all(&folder).with_context(|| {
        format!("make a folder for downloads elsewhere and name it in LIMBIC_CACHE: {}", folder.display())
    })?;
    Ok(folder)
}

fn user_cache() -> Result<PathBuf> {
    let from = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    from("XDG_CACHE_HOME")
        .or_else(|| from("HOME").map(|home| home.join(".cache")))
        .or_else(|| from("LOCALAPPDATA"))
        .context("no home folder is known: name a folder for downloads in LIMBIC_CACHE")
}

/// When a file was last written; `None` when there is none.
pub fn written(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|data| data.modified()).ok()
}

/// Whether `output` is there and no older than any of `inputs`.
pub fn is_current(output: &Path, inputs: &[PathBuf]) -> bool {
    let Some(made) = written(output) else { return false };
    inputs.iter().all(|input| written(input).is_none_or(|changed| changed <= made))
}

/// Every file below a folder, in the order of their paths; hidden ones and `node_modules` left out.
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
