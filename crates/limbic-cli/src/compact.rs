//! `limbic compact`: rebuilds a database.

use std::process::ExitCode;

use anyhow::Result;
use limbic_tools::Options;

use crate::options::{Existing, require_writable};

/// Compacts the database, and reports its size before and after on standard error.
pub fn run(database: &Existing) -> Result<ExitCode> {
    require_writable("compact")?;
    database.require()?;
    let mut limbic = database.open(&Options::default())?;
    let compacted = limbic.compact()?;
    limbic.close()?;
    eprintln!("limbic: compacted {} bytes to {}", compacted.bytes_before, compacted.bytes_after);
    Ok(ExitCode::SUCCESS)
}
