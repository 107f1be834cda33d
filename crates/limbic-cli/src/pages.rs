//! `limbic pages`: moves a memory between a database file and PostgreSQL.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use limbic_pages::{Address, CopyError, postgres::PostgresStore};
use limbic_tools::Options;
use limbic_vfs::{Reader, StdHost};

use crate::location::Location;
use crate::target::Target;
use crate::{files, options, paths};

/// What to do.
#[derive(Subcommand)]
pub enum Pages {
    /// Write a memory in PostgreSQL into a new database file
    Export {
        #[command(flatten)]
        store: StoreOptions,
        /// Replace an existing file
        #[arg(long)]
        force: bool,
        /// The file to write
        file: PathBuf,
    },
    /// Store a database file as a new memory in PostgreSQL; the file stays as it is
    Import {
        #[command(flatten)]
        store: StoreOptions,
        /// The database file to read
        file: PathBuf,
    },
}

/// The memory in PostgreSQL.
#[derive(Args)]
pub struct StoreOptions {
    /// The memory: postgres://user@host/database?memory=name [env: LIMBIC_DB]
    #[arg(long, value_name = "ADDRESS")]
    db: Option<PathBuf>,
}

impl StoreOptions {
    fn resolve(self) -> Result<Box<Address>> {
        match options::database(self.db)? {
            Location::Store(address) => Ok(address),
            Location::File(_) => {
                bail!("--db must be the address of a memory: postgres://user@host/database?memory=name")
            }
        }
    }
}

/// Runs the command, and reports what was copied on standard error.
pub fn run(what: Pages) -> Result<ExitCode> {
    match what {
        Pages::Export { store, force, file } => {
            export(&*store.resolve()?, &paths::expanded(&file, "FILE")?, force)?
        }
        Pages::Import { store, file } => import(&*store.resolve()?, &paths::expanded(&file, "FILE")?)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn export(address: &Address, path: &Path, replaces: bool) -> Result<()> {
    let told = |reason: String| anyhow::anyhow!("the file cannot be written: {reason}: {}", path.display());
    let mut store = PostgresStore::open(address, true)?;
    let mut target = Target::create(path, replaces, None).map_err(told)?;
    let bytes = limbic_pages::export(&mut store, &mut |piece| target.write(piece))?;
    target.finish().map_err(told)?;
    eprintln!("limbic: exported {bytes} bytes of {address} to {}", path.display());
    Ok(())
}

fn import(address: &Address, path: &Path) -> Result<()> {
    if !path.is_file() {
        bail!("there is no database file to import: {}", path.display());
    }
    let file = Location::File(path.to_owned());
    // Upgrades it, and rolls back the journal of a killed program.
    files::open(&file, &Options::default(), false)?.close()?;
    // No other program writes to it while it is read.
    let connection = files::connect(&file, true, false)?;
    connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")?;
    let name = path.to_str().context("the path of the file is not Unicode")?;
    let (mut reader, _) = Reader::open(&StdHost, name)?;
    let mut store = PostgresStore::open(address, false)?;
    let bytes = limbic_pages::import(&mut store, &mut reader).map_err(|error| match error {
        CopyError::NotEmpty => anyhow::anyhow!("{error} ({address})"),
        other => other.into(),
    })?;
    connection.execute_batch("COMMIT")?;
    eprintln!("limbic: imported {bytes} bytes of {} into {address}", path.display());
    Ok(())
}
