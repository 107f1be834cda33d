//! wasm-pack, and wasm-bindgen in the version of the crate wasm-bindgen.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::project;
use crate::tools::{self, Toolbox, say};

const WASM_PACK: &str = "0.15.1";

/// Finds both tools or installs them into the cache folder.
pub fn ensure(tools: &mut Toolbox, cache: &Path) -> Result<()> {
    let version = locked_version("wasm-bindgen")?;
    let home = cache.join("tools");
    if bindgen_version(tools).as_deref() != Some(&version) || !has_pack(tools) {
        tools.prefer(&[home.join("bin"), cargo_bin()]);
    }
    if !has_pack(tools) {
        say(&format!("installing wasm-pack {WASM_PACK}: cargo install wasm-pack (about a minute)"));
        install(tools, &home, &["--locked", "wasm-pack", "--version", WASM_PACK])
            .with_context(|| format!("by hand: `cargo install --locked wasm-pack --version {WASM_PACK}`"))?;
    }
    if bindgen_version(tools).as_deref() != Some(&version) {
        say(&format!("installing wasm-bindgen {version}: cargo install wasm-bindgen-cli (about a minute)"));
        let bindgen = ["wasm-bindgen-cli", "--version", &version];
        locked_if_possible(|more| install(tools, &home, &[more, &bindgen[..]].concat()))
            .with_context(|| format!("by hand: `cargo install wasm-bindgen-cli --version {version}`"))?;
    }
    Ok(())
}

fn has_pack(tools: &Toolbox) -> bool {
    tools.ask("wasm-pack", &["--version"]).is_some()
}

fn bindgen_version(tools: &Toolbox) -> Option<String> {
    let answer = tools.ask("wasm-bindgen", &["--version"])?;
    answer.split_whitespace().nth(1).map(str::to_owned)
}

/// Installs a tool with the versions of its published lock file. Where the registry does not have all of them, cargo
/// ends before it compiles, and the tool gets the newest versions: the lock file of wasm-bindgen-cli 0.2.130 names a
/// version of webpki-roots that is not everywhere.
fn locked_if_possible(install: impl Fn(&[&str]) -> Result<()>) -> Result<()> {
    install(&["--locked"]).or_else(|error| {
        say(&format!(
            "not with the versions of its lock file ({error:#}): trying again with the newest ones"
        ));
        install(&[])
    })
}

/// Runs `cargo install` without optimization and debug information: a tool runs for seconds, and optimizing it takes
/// minutes.
pub(super) fn install(tools: &Toolbox, home: &Path, what: &[&str]) -> Result<()> {
    let home = home.to_str().context("the cache folder's path is not UTF-8; set LIMBIC_CACHE to another")?;
    let mut install = tools.command("cargo");
    install.args(["install", "--debug", "--quiet", "--force", "--root", home]).args(what);
    tools::run(install.env("CARGO_PROFILE_DEV_DEBUG", "0"))
}

pub(super) fn cargo_bin() -> PathBuf {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let user = env::var_os("HOME").or_else(|| env::var_os("USERPROFILE")).map(PathBuf::from);
    home.or_else(|| user.map(|user| user.join(".cargo"))).unwrap_or_default().join("bin")
}

fn locked_version(package: &str) -> Result<String> {
    let lock = fs::read_to_string(project::path("Cargo.lock")).context("cannot read Cargo.lock")?;
    version_in(&lock, package).with_context(|| format!("Cargo.lock has no package {package}"))
}

fn version_in(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"').map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_versions_are_installed_only_where_the_locked_ones_are_missing() {
        for (works, expected) in
            [(&["--locked"][..], vec![true]), (&[][..], vec![true, false]), (&["no"][..], vec![true, false])]
        {
            let tried = std::cell::RefCell::new(Vec::new());
            let installed = locked_if_possible(|more| {
                tried.borrow_mut().push(more == ["--locked"]);
                if more == works { Ok(()) } else { anyhow::bail!("a version is missing") }
            });
            assert_eq!((installed.is_ok(), tried.into_inner()), (works != ["no"], expected));
        }
    }

    #[test]
    fn version_in_finds_the_version_of_the_exact_name() {
        let lock = "[[package]]\nname = \"wasm-bindgen-shared\"\nversion = \"9.9.9\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(version_in(lock, "absent"), None);
    }
}
