//! Chromium, for the tests of the explorer. Nothing else needs it.

use std::env;

use anyhow::{Context, Result};

use crate::setup::system;
use crate::tools::{Toolbox, say};

/// Where the tests look for it.
const VARIABLE: &str = "LIMBIC_CHROMIUM";
const PLACES: [&str; 4] =
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/opt/google/chrome/chrome"];
const BY_HAND: &str =
    "install Chromium (`apt-get install chromium`), or name the program of one in LIMBIC_CHROMIUM";

/// Finds Chromium, or installs it, and lets the tests know of it.
pub fn ensure(tools: &mut Toolbox) -> Result<()> {
    let found = match find(tools) {
        Some(program) => program,
        None => {
            say("installing a browser for the tests: apt-get install chromium");
            let install = ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"];
            if system::as_root(tools, &install).is_err() {
                say("that failed; once more with a fresh list of packages");
                system::as_root(tools, &["apt-get", "update"]).context(BY_HAND)?;
                system::as_root(tools, &install).context(BY_HAND)?;
            }
            find(tools).context(BY_HAND)?
        }
    };
    tools.set(VARIABLE, found);
    Ok(())
}

fn find(tools: &Toolbox) -> Option<String> {
    let named = env::var(VARIABLE).ok();
    let places = named.into_iter().chain(PLACES.map(str::to_owned));
    places.into_iter().find(|program| tools.ask(program, &["--version"]).is_some())
}
