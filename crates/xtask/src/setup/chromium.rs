//! Chromium, for the browser tests of the explorer only.

use std::env;

use anyhow::{Context, Result};

use crate::setup::system;
use crate::tools::Toolbox;

/// The environment variable from which the tests take the program's path.
const VARIABLE: &str = "LIMBIC_CHROMIUM";
const PATHS: [&str; 4] =
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/opt/google/chrome/chrome"];
const BY_HAND: &str = "install Chromium (`apt-get install chromium`), or set LIMBIC_CHROMIUM to its program";

/// Finds Chromium or installs it, and sets `LIMBIC_CHROMIUM`.
pub fn ensure(tools: &mut Toolbox) -> Result<()> {
    let found = match find(tools) {
        Some(program) => program,
        None => {
            system::apt_install(tools, &["chromium"], "a browser for the tests", BY_HAND)?;
            find(tools).context(BY_HAND)?
        }
    };
    tools.set(VARIABLE, found);
    Ok(())
}

fn find(tools: &Toolbox) -> Option<String> {
    let named = env::var(VARIABLE).ok();
    let places = named.into_iter().chain(PATHS.map(str::to_owned));
    places.into_iter().find(|program| tools.ask(program, &["--version"]).is_some())
}
