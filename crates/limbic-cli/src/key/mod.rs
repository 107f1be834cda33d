//! `limbic key` and `--encrypt`: encrypts a database, and shows or replaces its key.

mod key_file;
mod keychain;
mod source;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Subcommand;
use limbic_encryption::{Encrypted, Key, Unfinished, encrypt, opens, recovery_phrase};
use limbic_vfs::{Host, StdHost};

use crate::host::SystemHost;
use crate::location::Location;
use crate::{in_use, options, output};

pub use key_file::{NEXT, OLD};
use source::Source;
pub use source::{file_of_environment, is_not_plain, of_database};

/// The exit code if the database has the key that is shown, and something else is left to do.
const UNFINISHED: u8 = 2;

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

/// What was done, and with which key the database opens now.
struct Outcome {
    key: Key,
    message: String,
    is_finished: bool,
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
        KeyAction::Export(_) => export(database)?,
    };
    eprintln!("limbic: {}", outcome.message);
    output::line(&recovery_phrase(&outcome.key))?;
    Ok(if outcome.is_finished { ExitCode::SUCCESS } else { ExitCode::from(UNFINISHED) })
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
    if is_not_plain(database) {
        // A wrong key is reported when the database is opened.
        return Ok(None);
    }
    in_use::require_free(database)?;
    let source = Source::of_environment()?;
    let path = unicode(database)?;
    let mut chosen = None;
    let mut choose = || {
        let found = source.read(database)?;
        let is_known = found.is_some();
        let key = found.unwrap_or_else(random_key);
        if !is_known {
            source.store(database, &key)?;
        }
        chosen = Some(key.clone());
        Ok(key)
    };
    let done = encrypt(&StdHost, Box::new(SystemHost), path, None, &mut choose, accepts_shared_disk);
    let (done, key) = match (done, chosen) {
        // Another program was faster.
        (Err(_), None) if is_not_plain(database) => return Ok(None),
        (done, key) => (done?, key.context("no key was chosen")?),
    };
    let (message, unfinished) = match done {
        Encrypted::New => ("created an encrypted database".to_owned(), None),
        Encrypted::Replaced { content, unfinished } => {
            let end = if unfinished.is_none() { ", and overwrote the original" } else { "" };
            (format!("encrypted {} rows of {} tables{end}", content.rows, content.tables), unfinished)
        }
    };
    Ok(Some(Outcome {
        key,
        message: format!("{message}{}; keep the recovery phrase", unfinished_suffix(unfinished.as_ref())),
        is_finished: unfinished.is_none(),
    }))
}

/// Encrypts a database with another key, or finishes what was interrupted. A next key that an earlier run has stored is
/// used rather than replaced: it may be the key of this database, or of another one that shares the key file.
fn rotate(database: &Path, accepts_shared_disk: bool) -> Result<Outcome> {
    if !is_not_plain(database) {
        bail!("{} is not encrypted: limbic key encrypt does that", database.display());
    }
    in_use::require_free(database)?;
    let source = Source::of_environment()?;
    let old = source.read(database)?.context("the present key is missing: set LIMBIC_KEY_FILE")?;
    let path = unicode(database)?;
    if !opens(&StdHost, path, &old)?
        && let Some(next) = source.next(database)?
        && opens(&StdHost, path, &next)?
    {
        StdHost.sync_folder(limbic_vfs::folder_of(path)).context("the folder cannot be synced")?;
        return Ok(promoted(&source, database, next, None));
    }
    let mut chosen = None;
    let mut choose = || {
        let key = next_key(&source, database, &old)?;
        chosen = Some(key.clone());
        Ok(key)
    };
    let present = Some(old.clone());
    let done = encrypt(&StdHost, Box::new(SystemHost), path, present, &mut choose, accepts_shared_disk);
    let Some(key) = chosen else {
        done?;
        bail!("no key was chosen")
    };
    let place = source.next_place(database);
    let unfinished = match done {
        Err(error) => bail!("{error}. The next limbic key rotate uses the new key, which is in {place}"),
        Ok(Encrypted::New) => None,
        Ok(Encrypted::Replaced { unfinished, .. }) => unfinished,
    };
    if let Some(error @ Unfinished::Sync(_)) = &unfinished {
        let message = format!(
            "the database has a new key, but {error}. Both keys are kept, the new one in {place}: run limbic key rotate \
             again to finish"
        );
        return Ok(Outcome { key, message, is_finished: false });
    }
    Ok(promoted(&source, database, key, unfinished.as_ref()))
}

/// The key that a database gets, stored as the next one.
fn next_key(source: &Source, database: &Path, present: &Key) -> limbic_core::Result<Key> {
    match source.next(database)? {
        Some(next) if next.bytes() != present.bytes() => return Ok(next),
        Some(_) => source.discard_next(database)?,
        None => {}
    }
    let key = random_key();
    source.store_next(database, &key)?;
    Ok(key)
}

/// Makes the key of a database the present one.
fn promoted(source: &Source, database: &Path, key: Key, unfinished: Option<&Unfinished>) -> Outcome {
    match source.promote(database, &key) {
        Ok(kept) => {
            let kept = kept.map_or_else(String::new, |path| {
                let path = path.display();
                format!(". The old key stays in {path}, for copies and other databases: delete it when none needs it")
            });
            let message = format!(
                "the database has a new key, and the old recovery phrase no longer opens it{}{kept}",
                unfinished_suffix(unfinished)
            );
            Outcome { key, message, is_finished: unfinished.is_none() }
        }
        Err(error) => {
            let place = source.next_place(database);
            let message = format!(
                "the database has a new key, which is in {place}, and could not take the place of the old one ({error}): \
                 keep the recovery phrase, and run limbic key rotate again to finish"
            );
            Outcome { key, message, is_finished: false }
        }
    }
}

/// Returns the key of a database, after it was tried.
fn export(database: &Path) -> Result<Outcome> {
    let named = database.display();
    let key =
        of_database(database)?.with_context(|| format!("{named} is not encrypted, or has no key here"))?;
    let path = unicode(database)?;
    if !database.is_file() {
        bail!("there is no database to try the key with: {named}");
    }
    if opens(&StdHost, path, &key)? {
        let message = "this phrase opens the database: keep it where the database is not".to_owned();
        return Ok(Outcome { key, message, is_finished: true });
    }
    let next = Source::of_environment()?
        .next(database)?
        .filter(|next| opens(&StdHost, path, next).is_ok_and(|opens| opens));
    let key = next.ok_or(limbic_core::Error::WrongKey)?;
    let message =
        "this phrase opens the database, whose rotation was interrupted: run limbic key rotate to finish it";
    Ok(Outcome { key, message: message.to_owned(), is_finished: true })
}

/// The end of a message that says what was not done.
fn unfinished_suffix(unfinished: Option<&Unfinished>) -> String {
    unfinished.map_or_else(String::new, |error| format!(", but {error}"))
}

fn unicode(database: &Path) -> Result<&str> {
    database.to_str().context("the path of the database is not Unicode")
}

fn random_key() -> Key {
    let mut bytes = [0; Key::BYTES];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    Key::new(bytes)
}
