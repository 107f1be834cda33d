//! `cargo xtask ready`: every check that a change must pass before it is merged.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::code_module;
use crate::core_module;
use crate::r#gen;
use crate::project;
use crate::setup::{self, cargo_deny};
use crate::test::{self, WASM_ONLY};
use crate::tools::{self, Toolbox, say};

/// Checks formatting, lints, documentation, licences, generated files and all tests. Needs a working tree without
/// changes, and fails when the checks have altered a file.
///
/// `without_tests` leaves the tests out; documentation examples are run all the same.
pub fn run(without_tests: bool) -> Result<()> {
    clean("commit or stash your changes first, so that files altered by the checks can be distinguished")?;
    let mut tools = setup::run()?;
    cargo_deny::ensure(&mut tools, &project::cache()?)?;
    formatting(&tools)?;
    lints(&tools)?;
    say("cargo deny check licenses bans sources");
    tools.run("cargo-deny", &["check", "licenses", "bans", "sources"])?;
    documentation(&tools)?;
    if !without_tests && test::run() != ExitCode::SUCCESS {
        bail!("not ready: tests failed");
    }
    // Writes pkg/ and the tables of the READMEs; whether they were current shows in the diff afterwards.
    r#gen::run(&tools, false)?;
    clean("not ready: the checks altered files; review and commit them")?;
    say("ready");
    Ok(())
}

fn formatting(tools: &Toolbox) -> Result<()> {
    say("cargo fmt --check");
    tools.run("cargo", &["fmt", "--all", "--check"])?;
    say("Biome: formatting of TypeScript, JavaScript and CSS");
    tools::run(
        tools.command("npm").args(["run", "--silent", "format:check"]).current_dir(project::path("web")),
    )
}

fn lints(tools: &Toolbox) -> Result<()> {
    say("cargo clippy, native");
    let native = ["clippy", "--quiet", "--workspace", "--all-targets"];
    let strict = ["--", "--deny", "warnings"];
    tools.run("cargo", &[native.as_slice(), &WASM_ONLY, &strict].concat())?;
    say("Biome: lints of TypeScript, JavaScript and CSS");
    tools::run(tools.command("npm").args(["run", "--silent", "lint"]).current_dir(project::path("web")))?;
    say("cargo clippy, wasm");
    let mut modules = vec![
        ("limbic-wasm-core".to_owned(), core_module::toolbox(tools)?),
        ("limbic-wasm-encoder".to_owned(), tools.clone()),
    ];
    for name in code_module::MODULES {
        modules.push((format!("limbic-wasm-{name}"), code_module::toolbox(tools, name)?));
    }
    for (package, tools) in modules {
        let wasm = [
            "clippy",
            "--quiet",
            "--package",
            package.as_str(),
            "--target",
            "wasm32-unknown-unknown",
            "--profile",
            "wasm",
        ];
        tools.run("cargo", &[wasm.as_slice(), &strict].concat())?;
    }
    Ok(())
}

fn documentation(tools: &Toolbox) -> Result<()> {
    say("cargo doc");
    let mut strict = tools.clone();
    strict.set("RUSTDOCFLAGS", "--deny warnings");
    let workspace = [&["--workspace"], WASM_ONLY.as_slice()].concat();
    strict.run("cargo", &[&["doc", "--quiet", "--no-deps"], workspace.as_slice()].concat())?;
    say("cargo test --doc");
    tools.run("cargo", &[&["test", "--quiet", "--doc"], workspace.as_slice()].concat())
}

fn clean(otherwise: &str) -> Result<()> {
    let Some(changes) = Toolbox::new().ask("git", &["status", "--porcelain"]) else {
        bail!("not a git repository");
    };
    if !changes.is_empty() {
        bail!("{otherwise}:\n{changes}");
    }
    Ok(())
}
