//! Running other programs.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::project;

/// Runs programs from the root of the repository, with the environment that set-up determined.
#[derive(Clone)]
pub struct Toolbox {
    environment: Vec<(String, OsString)>,
}

impl Toolbox {
    /// Runs programs with the inherited environment.
    pub fn new() -> Self {
        Self { environment: Vec::new() }
    }

    /// Sets an environment variable for every program.
    pub fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.environment.push((name.to_owned(), value.into()));
    }

    /// The value that [`Toolbox::set`] gave a variable.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        let set = self.environment.iter().rev().find(|(known, _)| known == name);
        set.map(|(_, value)| value.as_os_str())
    }

    /// Puts these folders in front of `PATH`.
    pub fn prefer(&mut self, folders: &[PathBuf]) {
        let known = env::var_os("PATH").unwrap_or_default();
        let all = folders.iter().cloned().chain(env::split_paths(&known));
        self.set("PATH", env::join_paths(all).unwrap_or(known));
    }

    /// A command that runs in the root of the repository.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(find(program.as_ref()));
        command.current_dir(project::root());
        // Cargo's variables for this crate would make an inner cargo rebuild build scripts that read them.
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR" {
                command.env_remove(name);
            }
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a program with inherited output and waits for it.
    ///
    /// # Errors
    /// When it cannot be started or exits with a failure.
    pub fn run(&self, program: &str, arguments: &[&str]) -> Result<()> {
        run(self.command(program).args(arguments))
    }

    /// The trimmed standard output of a program, or `None` if it cannot be started or fails.
    pub fn ask(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let output = self.command(program).args(arguments).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// The folder with the source of a package that the workspace depends on.
    pub fn folder_of_package(&self, name: &str) -> Result<PathBuf> {
        let text =
            self.ask("cargo", &["metadata", "--format-version", "1"]).context("cargo metadata failed")?;
        let metadata: Value = serde_json::from_str(&text).context("cargo metadata has not printed JSON")?;
        let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
        let package = packages.iter().find(|package| package["name"] == name);
        let manifest = package.and_then(|package| package["manifest_path"].as_str());
        let manifest = manifest.with_context(|| format!("{name} is not a dependency of the workspace"))?;
        Ok(Path::new(manifest).with_file_name(""))
    }
}

/// On Windows, npm and npx are scripts and are found by their full name only.
fn find(program: &OsStr) -> OsString {
    match program.to_str() {
        Some(name @ ("npm" | "npx")) if cfg!(windows) => format!("{name}.cmd").into(),
        _ => program.to_owned(),
    }
}

/// Runs a command with inherited output and waits for it.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", shown(command)))?;
    if !status.success() {
        bail!("failed ({status}): {}", shown(command));
    }
    Ok(())
}

/// Runs a command, passes each line of its standard output to `see` and prints it. Returns whether the command
/// succeeded.
pub fn watch(command: &mut Command, mut see: impl FnMut(&str)) -> Result<bool> {
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {}", shown(command)))?;
    let output = child.stdout.take().expect("stdout was piped");
    let mut terminal = io::stdout().lock();
    let mut reader = BufReader::new(output);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        terminal.write_all(&line)?;
        terminal.flush()?;
        see(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(child.wait()?.success())
}

/// The command line, for messages.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).display().to_string();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Prints the name of a step.
pub fn say(what: &str) {
    println!("==> {what}");
}
