//! The programs of PostgreSQL, and who may run them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Where Debian and others install the programs of the server, below this folder by version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// Returns the folder of the newest server's programs, if it is installed.
pub fn folder() -> Option<PathBuf> {
    let versions =
        fs::read_dir(VERSIONS).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    let on_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let number = |folder: &Path| {
        folder.parent().and_then(Path::file_name).and_then(|name| name.to_str()?.parse::<u32>().ok())
    };
    let mut found: Vec<PathBuf> = versions.chain(on_path.unwrap_or_default()).collect();
    found.retain(|folder| ["initdb", "pg_ctl", "psql"].iter().all(|program| folder.join(program).is_file()));
    found.sort_by_key(|folder| number(folder));
    found.pop()
}

/// Returns the user and group that run the server, if not this one: it refuses to run as root.
pub fn owner() -> Result<Option<(u32, u32)>> {
    let id = |arguments: &[&str]| -> Result<u32> {
        let output = Command::new("id").args(arguments).output()?;
        String::from_utf8(output.stdout)?.trim().parse().context("id prints a number")
    };
    if id(&["-u"])? != 0 {
        return Ok(None);
    }
    let name = if id(&["-u", "postgres"]).is_ok() { "postgres" } else { "nobody" };
    Ok(Some((id(&["-u", name])?, id(&["-g", name])?)))
}

/// Runs a command; its output is shown if it fails.
pub fn quiet(command: &mut Command) -> Result<()> {
    // A server that is started keeps the outputs open, so they are a file rather than a pipe.
    let output = tempfile::NamedTempFile::new()?;
    let outputs: [File; 2] = [output.reopen()?, output.reopen()?];
    let [standard, error] = outputs;
    let status = command.stdin(Stdio::null()).stdout(standard).stderr(error).status()?;
    if !status.success() {
        bail!("{command:?}: {status}\n{}", fs::read_to_string(output.path())?);
    }
    Ok(())
}
