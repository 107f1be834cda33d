//! PostgreSQL, for the tests of memories in it only.

use std::fs;

use anyhow::Result;

use crate::setup::system;
use crate::tools::{Toolbox, say};

/// The environment variable with which tests fail rather than skip what needs PostgreSQL.
const VARIABLE: &str = "LIMBIC_TEST_REQUIRE_POSTGRES";
/// Where Debian installs the programs of the server, below this folder by version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// The instruction for systems where it cannot be installed.
pub const BY_HAND: &str = "install PostgreSQL (`apt-get install postgresql`)";

/// Finds PostgreSQL or installs it where apt does that, and has its tests fail if it is missing. Elsewhere the tests
/// that need it say that they are skipped.
pub fn ensure(tools: &mut Toolbox) -> Result<()> {
    if !is_installed(tools) {
        if tools.ask("apt-get", &["--version"]).is_none() {
            say("the tests of memories in PostgreSQL are skipped: it is not installed");
            return Ok(());
        }
        system::apt_install(tools, &["postgresql"], "a database server for the tests", BY_HAND)?;
    }
    tools.set(VARIABLE, "1");
    Ok(())
}

fn is_installed(tools: &Toolbox) -> bool {
    let below = fs::read_dir(VERSIONS).into_iter().flatten().flatten();
    below.into_iter().any(|version| version.path().join("bin/initdb").is_file())
        || tools.ask("initdb", &["--version"]).is_some()
}
