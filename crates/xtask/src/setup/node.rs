//! Node and npm, which are the user's to install.

use anyhow::{Result, bail};

use crate::tools::Toolbox;

/// The oldest Node that works.
const OLDEST: u32 = 20;

/// Checks that Node is there and new enough.
pub fn check(tools: &Toolbox) -> Result<()> {
    let by_hand =
        "install Node 20 or later: https://nodejs.org, or your system's packages `nodejs` and `npm`";
    let Some(version) = tools.ask("node", &["--version"]) else {
        bail!("Node is missing; {by_hand}");
    };
    if major(&version).is_none_or(|major| major < OLDEST) {
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
    fn the_major_version_is_what_stands_before_the_first_dot() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert_eq!(major("v8.0.0"), Some(8));
        assert_eq!(major("nonsense"), None);
    }
}
