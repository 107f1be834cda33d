//! `limbic key` and `--encrypt`: encrypts a database, and shows or replaces its key.

mod keychain;
mod source;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Subcommand;
use limbic_encryption::{Encrypted, Key, Keys, encrypt, recovery_phrase};
use limbic_vfs::{Host, StdHost};

use crate::host::SystemHost;
use crate::location::Location;
use crate::{options, output};

use source::Source;
pub use source::{of_database, seems_encrypted};

/// What to do.
#[derive(Subcommand)]
pub enum KeyAction {
    /// Encrypt a database, by a copy that replaces it, or create an encrypted one; shows the recovery phrase
    Encrypt(KeyOptions),
    /// Encrypt the database with a new random key; shows the new recovery phrase
    Rotate(KeyOptions),
    /// Show the recovery phrase, which opens the database as LIMBIC_KEY
    Export(KeyOptions),
}

/// The database.
#[derive(clap::Args)]
pub struct KeyOptions {
    /// Database file [env: LIMBIC_DB] [default: limbic/memory.db in the data folder]
    #[arg(long, value_name = "PATH")]
    db: Option<PathBuf>,
    /// Accept a database on a network or shared disk that one machine at a time uses [env: LIMBIC_SHARED_DISK]
    #[arg(long)]
    shared_disk: bool,
}

/// What [`encrypt_file`] has done.
struct Outcome {
    key: Key,
    message: String,
}

/// Runs the command. The recovery phrase alone goes to standard output.
pub fn run(action: KeyAction) -> Result<ExitCode> {
    let (KeyAction::Encrypt(options) | KeyAction::Rotate(options) | KeyAction::Export(options)) = &action;
    let accepts_shared_disk = options.shared_disk || options::switch("LIMBIC_SHARED_DISK")?;
    let location = options::database(options.db.clone())?;
    let database =
        location.file().with_context(|| format!("{location} is not a file, and cannot be encrypted"))?;
    let outcome = match action {
        KeyAction::Encrypt(_) => encrypt_file(database, accepts_shared_disk)?.with_context(|| {
            format!("{location} is already encrypted; limbic key rotate gives it another key")
        })?,
        KeyAction::Rotate(_) => rotate(database, accepts_shared_disk)?,
        KeyAction::Export(_) => {
            let key = of_database(database)?
                .with_context(|| format!("{location} is not encrypted, or has no key here"))?;
            Outcome {
                key,
                message: "this phrase opens the database: keep it where the database is not".to_owned(),
            }
        }
    };
    eprintln!("limbic: {}", outcome.message);
    output::line(&recovery_phrase(&outcome.key))?;
    Ok(ExitCode::SUCCESS)
}

/// Encrypts the database of a server unless it is encrypted. The recovery phrase is shown at a terminal only.
pub fn prepare(location: &Location, accepts_shared_disk: bool) -> Result<()> {
    use std::io::IsTerminal;

    let database = location.file().with_context(|| format!("--encrypt needs a file, but got {location}"))?;
    let Some(outcome) = encrypt_file(database, accepts_shared_disk)? else { return Ok(()) };
    eprintln!("limbic: {}", outcome.message);
    match std::io::stderr().is_terminal() {
        true => eprintln!("limbic: recovery phrase: {}", recovery_phrase(&outcome.key)),
        false => eprintln!("limbic: limbic key export shows its recovery phrase"),
    }
    Ok(())
}

/// Encrypts a database, or creates an encrypted one. `None` if it is encrypted already.
fn encrypt_file(database: &Path, accepts_shared_disk: bool) -> Result<Option<Outcome>> {
    if seems_encrypted(database) {
        // A wrong key is reported when the database is opened.
        return Ok(None);
    }
    let source = Source::of_environment()?;
    let path = database.to_str().context("the path of the database is not Unicode")?;
    // The keychain knows the database by its path without links. Opening the file reports why this fails.
    let _ = StdHost.create_folder(limbic_vfs::folder_of(path));
    let found = source.read(database)?;
    let is_known = found.is_some();
    let key = found.unwrap_or_else(random_key);
    if !is_known {
        source.store(database, &key, false)?;
    }
    let keys = Keys { old: None, new: &key };
    let message = match encrypt(&StdHost, Box::new(SystemHost), path, keys, accepts_shared_disk)? {
        Encrypted::New => "created an encrypted database; keep its recovery phrase".to_owned(),
        Encrypted::Replaced(content) => format!(
            "encrypted {} rows of {} tables, and overwrote the original; keep the recovery phrase",
            content.rows, content.tables
        ),
    };
    Ok(Some(Outcome { key, message }))
}

fn rotate(database: &Path, accepts_shared_disk: bool) -> Result<Outcome> {
    if !seems_encrypted(database) {
        bail!("{} is not encrypted: limbic key encrypt does that", database.display());
    }
    let source = Source::of_environment()?;
    let old = source.read(database)?.context("the present key is missing: set LIMBIC_KEY_FILE")?;
    let key = random_key();
    let path = database.to_str().context("the path of the database is not Unicode")?;
    source.store(database, &key, true)?;
    let keys = Keys { old: Some(old), new: &key };
    if let Err(error) = encrypt(&StdHost, Box::new(SystemHost), path, keys, accepts_shared_disk) {
        source.discard(database);
        return Err(error.into());
    }
    source.promote(database, &key)?;
    let message = "the database has a new key, and the old recovery phrase no longer opens it".to_owned();
    Ok(Outcome { key, message })
}

fn random_key() -> Key {
    let mut bytes = [0; Key::BYTES];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    Key::new(bytes)
}
