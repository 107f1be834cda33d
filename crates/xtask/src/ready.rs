//! `cargo xtask ready`: everything that must hold before a change is handed on.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::r#gen;
use crate::setup;
use crate::test::{self, WASM_ONLY};
use crate::tools::{Toolbox, say};

/// Starts and ends on a clean diff, and runs formatting, lints, generated files and all tests in between.
pub fn run() -> Result<()> {
    clean("commit or stash your change first, so that what these checks alter can be told from it")?;
    let tools = setup::run()?;
    say("cargo fmt --check");
    tools.run("cargo", &["fmt", "--all", "--check"])?;
    say("cargo clippy, native");
    let native = ["clippy", "--quiet", "--workspace", "--all-targets"];
    let strict = ["--", "--deny", "warnings"];
    tools.run("cargo", &[native.as_slice(), &WASM_ONLY, &strict].concat())?;
    say("cargo clippy, wasm");
    for package in ["limbic-wasm-core", "limbic-wasm-encoder"] {
        let wasm = [
            "clippy",
            "--quiet",
            "--package",
            package,
            "--target",
            "wasm32-unknown-unknown",
            "--profile",
            "wasm",
        ];
        tools.run("cargo", &[wasm.as_slice(), &strict].concat())?;
    }
    // The tests write what is generated; whether the README was current shows in the diff afterwards.
    if test::run() != ExitCode::SUCCESS {
        bail!("not ready: tests failed");
    }
    r#gen::run(&tools, true)?;
    clean("not ready: the checks altered files; look at them and commit them")?;
    say("ready");
    Ok(())
}

fn clean(otherwise: &str) -> Result<()> {
    let Some(changes) = Toolbox::new().ask("git", &["status", "--porcelain"]) else {
        bail!("this is no git repository");
    };
    if !changes.is_empty() {
        bail!("{otherwise}:\n{changes}");
    }
    Ok(())
}
