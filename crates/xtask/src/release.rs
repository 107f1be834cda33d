//! `cargo xtask release`: packs, validates and tests the files of a release.

use anyhow::Result;

use crate::{build, project, sbom, tools::say};

/// Builds, then writes `node/release` with the npm package, the bundle for desktop clients, the registry's entry
/// and the bill of materials.
///
/// # Errors
/// When the build fails, when a manifest is invalid, and when a packed server does not work.
pub fn run() -> Result<()> {
    let tools = build::run()?;
    say("packing and testing the npm package and the bundle");
    let script = project::path("node/release.mjs");
    tools.run("node", &[&script.to_string_lossy()])?;
    sbom::run()?;
    say("node/release is complete");
    Ok(())
}
