//! `limbic check`: checks a database for damage.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Result, bail};
use limbic_tools::{Error, Options};

use crate::options::Existing;

/// Checks the database. Findings go to standard output, a line each, the summary to standard error. The exit code is 1
/// if there are findings.
pub fn run(database: &Existing) -> Result<ExitCode> {
    database.require()?;
    let mut limbic = match database.open(&Options { read_only: true, ..Options::default() }) {
        // A check opens it for reading only, and would have to upgrade it.
        Err(Error::ReadOnly) if database.db.file().is_none() => {
            bail!("the memory is empty or of an earlier version: check it again after a server has opened it")
        }
        Err(Error::ReadOnly) => bail!(
            "the database is of an earlier version, or in WAL mode: check a copy of it that a server has opened"
        ),
        opened => opened?,
    };
    let integrity = limbic.check_integrity()?;
    limbic.close()?;
    let mut output = io::stdout().lock();
    for finding in &integrity.findings {
        writeln!(output, "{finding}")?;
    }
    if integrity.findings.is_empty() {
        log!("no damage found in {} pages", integrity.pages);
        return Ok(ExitCode::SUCCESS);
    }
    log!(
        "the database is damaged. Keep a copy of it; then restore a backup, or export what can still be read: \
        limbic export --format limbic --out rescued.limbic.jsonl"
    );
    Ok(ExitCode::FAILURE)
}
