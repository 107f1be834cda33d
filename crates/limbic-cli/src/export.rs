//! `limbic export`: exports to a file.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use limbic_tools::{DATABASE_FORMATS, EXPORT_FORMATS, Error, Exported, Options};

use crate::options::{Existing, require_one_of};
use crate::target::{self, Replaces, Target};
use limbic_memory::paths;

/// The path that means standard output.
const OUTPUT: &str = "-";

/// The format and the target.
#[derive(Args)]
pub struct ExportOptions {
    /// limbic contains everything; jsonl is the reference server's file; mcp-memory-v2, memory-graph and
    /// persistent-memory are SQLite databases; memory-mcp-server is JSONL of that program; markdown has one bullet per
    /// memory
    #[arg(long, value_name = "FORMAT", default_value = "limbic")]
    format: String,
    /// Only the memories of this user, without the graph, which has no owner
    #[arg(long, value_name = "ID")]
    user: Option<String>,
    /// The file to write; `-` is standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// Writes the file, and reports its contents on standard error. With `--user`, it has only that user's memories,
/// without the graph, which has no owner.
pub fn run(export: &ExportOptions, database: &Existing) -> Result<ExitCode> {
    require_one_of(&export.format, "--format", &EXPORT_FORMATS)?;
    if database.db.is_missing() {
        bail!("the database to export does not exist: {}", database.db);
    }
    let exported = if export.out.as_os_str() == OUTPUT {
        to_output(export, database)?
    } else {
        to_file(export, &paths::expanded(&export.out, "--out")?, database)?
    };
    log!("exported {} records, {} bytes", exported.records, exported.bytes);
    for sentence in exported.note.iter().chain(&exported.warning) {
        log!("{sentence}");
    }
    Ok(ExitCode::SUCCESS)
}

fn to_output(export: &ExportOptions, database: &Existing) -> Result<Exported> {
    if DATABASE_FORMATS.contains(&export.format.as_str()) {
        bail!("a database cannot be written to standard output: name a file with --out");
    }
    // A terminal or a pipe that is read slowly must not block other writers: the export is buffered first.
    let mut file = tempfile::tempfile()?;
    let exported =
        write(export, database, &mut |piece| file.write_all(piece).map_err(|error| target::reason(&error)))?;
    io::Seek::rewind(&mut file)?;
    let mut output = io::stdout().lock();
    io::copy(&mut file, &mut output).and_then(|_| output.flush()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => anyhow::Error::new(error),
        _ => Error::UnwritableTarget(format!("{}: {OUTPUT}", target::reason(&error))).into(),
    })?;
    Ok(exported)
}

fn to_file(export: &ExportOptions, path: &Path, database: &Existing) -> Result<Exported> {
    let unwritable = |reason: String| Error::UnwritableTarget(format!("{reason}: {}", path.display()));
    let replaces = if export.force { Replaces::Files } else { Replaces::Nothing };
    let mut target = Target::create(path, replaces, database.db.file()).map_err(unwritable)?;
    let exported =
        write(export, database, &mut |piece| target.write(piece)).map_err(|error| match error {
            Error::UnwritableTarget(reason) => unwritable(reason),
            other => other,
        })?;
    target.finish().map_err(unwritable)?;
    Ok(exported)
}

fn write(
    export: &ExportOptions,
    database: &Existing,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), String>,
) -> Result<Exported, Error> {
    // Opened for writing if permitted, so that the journal of a killed program is rolled back.
    let metadata = database.db.file().map(fs::metadata);
    let is_locked = metadata.is_some_and(|found| found.is_ok_and(|found| found.permissions().readonly()));
    let options = Options { read_only: is_locked, user: export.user.clone(), ..Options::default() };
    let mut limbic = database.open_to_read(&options)?;
    let exported =
        limbic.export_of(None, &export.format, &mut |piece| sink(piece).map_err(Error::UnwritableTarget))?;
    limbic.close()?;
    Ok(exported)
}
