//! `cargo xtask new-tool NAME`: the skeleton of a tool.

use anyhow::{Result, bail};

/// Writes `crates/limbic-tools/src/tools/<name>.rs`.
pub fn run(name: &str) -> Result<()> {
    let well_formed = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !well_formed {
        bail!("a tool's name is in snake_case, such as find_duplicates: {name}");
    }
    bail!("there is no tool to take as an example yet")
}
