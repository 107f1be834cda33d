//! PostgreSQL, for the tests of memories in it only.

use std::{fs, path::Path};

use anyhow::Result;

use crate::setup::system;
use crate::tools::{Toolbox, say};

/// The environment variable with which tests fail rather than skip what needs PostgreSQL.
const VARIABLE: &str = "LIMBIC_TEST_REQUIRE_POSTGRES";
/// As [`VARIABLE`], for what needs PgBouncer.
const POOLER_VARIABLE: &str = "LIMBIC_TEST_REQUIRE_PGBOUNCER";
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

/// As [`ensure`], for the pooler PgBouncer.
pub fn ensure_pooler(tools: &mut Toolbox) -> Result<()> {
    // Users have no /usr/sbin in their PATH on Debian.
    let is_installed =
        Path::new("/usr/sbin/pgbouncer").is_file() || tools.ask("pgbouncer", &["--version"]).is_some();
    if !is_installed {
        if tools.ask("apt-get", &["--version"]).is_none() {
            say("the tests of poolers in front of PostgreSQL are skipped: PgBouncer is not installed");
            return Ok(());
        }
        let by_hand = "install PgBouncer (`apt-get install pgbouncer`)";
        system::apt_install(tools, &["pgbouncer"], "a pooler for the tests", by_hand)?;
    }
    tools.set(POOLER_VARIABLE, "1");
    Ok(())
}

fn is_installed(tools: &Toolbox) -> bool {
    let below = fs::read_dir(VERSIONS).into_iter().flatten().flatten();
    below.into_iter().any(|version| version.path().join("bin/initdb").is_file())
        || tools.ask("initdb", &["--version"]).is_some()
}
