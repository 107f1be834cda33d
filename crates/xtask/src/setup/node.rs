//! Node and npm, which the user installs.

use anyhow::{Result, bail};

use crate::tools::Toolbox;

/// The oldest major version of Node that is supported.
const MIN_MAJOR: u32 = 20;

/// Checks that Node is installed and recent enough.
///
/// # Errors
/// When Node or npm is missing, or Node is older than version 20.
pub fn check(tools: &Toolbox) -> Result<()> {
    let by_hand =
        "install Node 20 or later: https://nodejs.org, or your system's packages `nodejs` and `npm`";
    let Some(version) = tools.ask("node", &["--version"]) else {
        bail!("Node is missing; {by_hand}");
    };
    if major(&version).is_none_or(|major| major < MIN_MAJOR) {
        bail!("Node is too old ({version}); {by_hand}");
    }
    if tools.ask("npm", &["--version"]).is_none() {
        bail!("npm is missing; {by_hand}");
    }
    Ok(())
}

fn major(version: &str) -> Option<u32> {
    version.trim_start_matches('v').split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn major_parses_the_number_before_the_first_dot() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert_eq!(major("v8.0.0"), Some(8));
        assert_eq!(major("nonsense"), None);
    }
}
