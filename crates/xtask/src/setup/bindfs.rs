//! bindfs, a file system in user space, for the tests of databases on one.

use anyhow::Result;

use crate::setup::system;
use crate::tools::{Toolbox, say};

/// The environment variable with which tests fail rather than skip what needs bindfs.
const VARIABLE: &str = "LIMBIC_TEST_REQUIRE_BINDFS";
const BY_HAND: &str = "install bindfs (`apt-get install bindfs`)";

/// Finds bindfs or installs it where apt does that, and has its tests fail if it is missing. Elsewhere they say that
/// they are skipped.
pub fn ensure(tools: &mut Toolbox) -> Result<()> {
    if tools.ask("bindfs", &["--version"]).is_none() {
        if tools.ask("apt-get", &["--version"]).is_none() {
            say("the tests of databases on a FUSE mount are skipped: bindfs is not installed");
            return Ok(());
        }
        system::apt_install(tools, &["bindfs"], "a file system for the tests", BY_HAND)?;
    }
    tools.set(VARIABLE, "1");
    Ok(())
}
