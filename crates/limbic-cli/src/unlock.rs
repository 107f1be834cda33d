//! `limbic unlock`: removes locks of ended programs that Limbic cannot recognise as ended.

use std::{path::Path, process::ExitCode, sync::Arc};

use anyhow::{Context, Result, ensure};
use limbic_vfs::{Host, StdHost};

use crate::{options, output};

/// The exit code when nothing was removed for lack of a confirmation.
const UNCONFIRMED: u8 = 1;

/// The options of `limbic unlock`.
#[derive(clap::Args)]
pub struct UnlockOptions {
    /// Database file [env: LIMBIC_DB] [default: limbic/memory.db in the data folder]
    #[arg(long, value_name = "PATH")]
    db: Option<std::path::PathBuf>,
    /// Remove the locks; without it they are only shown
    #[arg(long)]
    yes: bool,
}

/// Lists the programs that have the database open, and removes the lock files of those not known to be running.
pub fn run(options: UnlockOptions) -> Result<ExitCode> {
    let location = options::database(options.db)?;
    let path = location.file().with_context(|| {
        format!("{location} has no lock files: PostgreSQL releases the locks of a server that has ended")
    })?;
    let path = path.to_str().context("the path of the database is not Unicode")?;
    ensure!(exists(path), "there is no database and there are no lock files at {path}");
    let path = StdHost.real_path(path).with_context(|| format!("the folder of {path} cannot be read"))?;
    let unlocked = limbic_vfs::unlock(Arc::new(StdHost), &path, options.yes)
        .with_context(|| format!("the lock files of {path} cannot be read or removed"))?;
    let mut report = unlocked.report;
    if unlocked.needs_confirmation {
        report.push_str("Run the command again with --yes to remove them.\n");
    }
    output::line(report.trim_end())?;
    Ok(if unlocked.needs_confirmation { ExitCode::from(UNCONFIRMED) } else { ExitCode::SUCCESS })
}

/// Whether a database is at a path, or the lock files of one that was removed.
fn exists(path: &str) -> bool {
    [path.to_owned(), format!("{path}-locks")].iter().any(|path| Path::new(path).exists())
}
