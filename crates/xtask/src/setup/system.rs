//! Debian's and Ubuntu's packages.

use anyhow::{Result, bail};

use crate::tools::{Toolbox, run};

/// Whether apt can install a package of this name.
pub fn apt_offers(tools: &Toolbox, package: &str) -> bool {
    tools.ask("apt-cache", &["policy", package]).is_some_and(|answer| has_candidate(&answer))
}

fn has_candidate(policy: &str) -> bool {
    policy
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Candidate:"))
        .any(|version| !version.trim().is_empty() && version.trim() != "(none)")
}

/// Runs a command as root: directly when we are, else through sudo.
pub fn as_root(tools: &Toolbox, words: &[&str]) -> Result<()> {
    let is_root = tools.ask("id", &["-u"]).as_deref() == Some("0");
    let mut words = words.to_vec();
    if !is_root {
        if tools.ask("sudo", &["--version"]).is_none() {
            bail!("this needs root, and there is no sudo; as root: {}", words.join(" "));
        }
        words.insert(0, "sudo");
    }
    let [program, arguments @ ..] = words.as_slice() else { bail!("there is nothing to run") };
    run(tools.command(program).args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_offered_when_it_has_a_candidate() {
        assert!(has_candidate("clang-19:\n  Installed: (none)\n  Candidate: 1:19.1.7-3\n"));
        assert!(!has_candidate("clang-99:\n  Installed: (none)\n  Candidate: (none)\n"));
        assert!(!has_candidate(""));
    }
}
