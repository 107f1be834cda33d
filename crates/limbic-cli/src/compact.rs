//! `limbic compact`: rebuilds a database.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::options::Settings;
use limbic_memory::files;

/// Compacts the database, and reports its size before and after on standard error.
pub fn run(settings: &Settings) -> Result<ExitCode> {
    if settings.db.is_missing() {
        bail!("there is no database to compact: {}", settings.db);
    }
    let mut limbic = files::open(&settings.db, &settings.tools, settings.accepts_shared_disk)?;
    let compacted = limbic.compact()?;
    limbic.close()?;
    eprintln!("limbic: compacted {} bytes to {}", compacted.bytes_before, compacted.bytes_after);
    Ok(ExitCode::SUCCESS)
}
