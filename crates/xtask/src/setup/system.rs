//! Packages of Debian and Ubuntu.

use anyhow::{Context, Result, bail};

use crate::tools::{Toolbox, run, say};

/// Whether apt has an installation candidate of this name.
pub fn apt_offers(tools: &Toolbox, package: &str) -> bool {
    tools.ask("apt-cache", &["policy", package]).is_some_and(|answer| has_candidate(&answer))
}

fn has_candidate(policy: &str) -> bool {
    policy
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Candidate:"))
        .any(|version| !version.trim().is_empty() && version.trim() != "(none)")
}

/// Installs packages, and prints what needs them. The package list is refreshed if the installation fails.
///
/// # Errors
/// When both attempts fail; the context is what to do by hand.
pub fn apt_install(tools: &Toolbox, packages: &[&str], purpose: &str, by_hand: &str) -> Result<()> {
    say(&format!("installing {purpose}: apt-get install {}", packages.join(" ")));
    let command = [&["apt-get", "install", "--yes", "--no-install-recommends"], packages].concat();
    if as_root(tools, &command).is_ok() {
        return Ok(());
    }
    say("the installation failed; trying again with a refreshed package list");
    as_root(tools, &["apt-get", "update"]).context(by_hand.to_owned())?;
    as_root(tools, &command).context(by_hand.to_owned())
}

/// Runs a command as root: directly if this process is root, or else through sudo.
pub fn as_root(tools: &Toolbox, words: &[&str]) -> Result<()> {
    let is_root = tools.ask("id", &["-u"]).as_deref() == Some("0");
    let mut words = words.to_vec();
    if !is_root {
        if tools.ask("sudo", &["--version"]).is_none() {
            bail!("root is required and sudo is not installed; run as root: {}", words.join(" "));
        }
        words.insert(0, "sudo");
    }
    let [program, arguments @ ..] = words.as_slice() else { bail!("the command is empty") };
    run(tools.command(program).args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_candidate_requires_a_version() {
        assert!(has_candidate("clang-19:\n  Installed: (none)\n  Candidate: 1:19.1.7-3\n"));
        assert!(!has_candidate("clang-99:\n  Installed: (none)\n  Candidate: (none)\n"));
        assert!(!has_candidate(""));
    }
}
