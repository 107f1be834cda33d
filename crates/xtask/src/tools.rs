//! Running other programs.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::project;

/// How programs are run: from the top folder, with the settings that set-up found.
#[derive(Clone)]
pub struct Toolbox {
    environment: Vec<(String, OsString)>,
}

impl Toolbox {
    /// Programs as this machine has them.
    pub fn new() -> Self {
        Self { environment: Vec::new() }
    }

    /// Lets every program see `name` in its environment.
    pub fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.environment.push((name.to_owned(), value.into()));
    }

    /// Looks for programs in these folders first.
    pub fn prefer(&mut self, folders: &[PathBuf]) {
        let known = env::var_os("PATH").unwrap_or_default();
        let all = folders.iter().cloned().chain(env::split_paths(&known));
        self.set("PATH", env::join_paths(all).unwrap_or(known));
    }

    /// A program to run in the top folder.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(find(program.as_ref()));
        command.current_dir(project::root());
        // Cargo's own variables for this crate would make the inner cargo build things anew.
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR" {
                command.env_remove(name);
            }
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a program to its end, its output going to the terminal.
    pub fn run(&self, program: &str, arguments: &[&str]) -> Result<()> {
        run(self.command(program).args(arguments))
    }

    /// What a program prints, or `None` when it is not there or fails.
    pub fn ask(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let output = self.command(program).args(arguments).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

/// On Windows npm and npx are scripts, which are only found by their full name.
fn find(program: &OsStr) -> OsString {
    match program.to_str() {
        Some(name @ ("npm" | "npx")) if cfg!(windows) => format!("{name}.cmd").into(),
        _ => program.to_owned(),
    }
}

/// Runs a command to its end, its output going to the terminal.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("could not be started: {}", shown(command)))?;
    if !status.success() {
        bail!("failed ({status}): {}", shown(command));
    }
    Ok(())
}

/// Runs a command, gives each line of its output to `see` and passes it on. Whether the command succeeded.
pub fn watch(command: &mut Command, mut see: impl FnMut(&str)) -> Result<bool> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("could not be started: {}", shown(command)))?;
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

/// A command as one would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).display().to_string();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Says what is being done.
pub fn say(what: &str) {
    println!("==> {what}");
}
