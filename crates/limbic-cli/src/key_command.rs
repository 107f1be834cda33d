//! `limbic key` and `--encrypt`: encrypts a database, and shows or replaces its key.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Subcommand;
use limbic_encryption::{Encrypted, Key, Secret, Unfinished, encrypt, opening_key, opens, recovery_phrase};
use limbic_vfs::{Host, StdHost};

use limbic_memory::host::SystemHost;
use limbic_memory::in_use;
use limbic_memory::key::passphrase;
use limbic_memory::key::source::{
    RetainedKey, Source, is_derived, is_not_plain, new_passphrase, of_database,
};
use limbic_memory::location::Location;

use crate::{options, output};

/// The exit code if the database has the key that is shown, and something else is left to do.
const UNFINISHED: u8 = 2;
/// Why the key of an encrypted database cannot be exported.
const NO_KEY: &str =
    "is encrypted, and its key is not in the keychain: name the file of its key with LIMBIC_KEY_FILE";

/// The actions of `limbic key`.
#[derive(Subcommand)]
pub enum KeyAction {
    /// Encrypt a database, by a copy that replaces it, or create an encrypted one; shows the recovery phrase
    Encrypt {
        #[command(flatten)]
        options: KeyOptions,
        /// Derive the key from a passphrase: LIMBIC_PASSPHRASE_FILE, LIMBIC_PASSPHRASE, or one entered at the terminal
        #[arg(long)]
        passphrase: bool,
    },
    /// Encrypt the database with a new key: random, or from a new passphrase if it has one; shows the new recovery
    /// phrase
    Rotate {
        #[command(flatten)]
        options: KeyOptions,
        /// Derive the new key from a passphrase: LIMBIC_NEW_PASSPHRASE_FILE, LIMBIC_NEW_PASSPHRASE, or one entered
        #[arg(long, conflicts_with = "random_key")]
        passphrase: bool,
        /// Replace the passphrase by a random key, in LIMBIC_KEY_FILE or the keychain
        #[arg(long)]
        random_key: bool,
    },
    /// Show the recovery phrase, which opens the database as LIMBIC_KEY
    Export {
        #[command(flatten)]
        options: KeyOptions,
    },
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

/// The kind of the key that a rotation gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A key of the same kind as the present one.
    Same,
    /// A key that is derived from a passphrase.
    Passphrase,
    /// A random key.
    Random,
}

/// The result of an action, with the key of the database after it.
struct Outcome {
    key: Key,
    message: String,
    is_finished: bool,
}

/// Runs the command. The recovery phrase alone goes to standard output.
pub fn run(action: KeyAction) -> Result<ExitCode> {
    let (KeyAction::Encrypt { options, .. }
    | KeyAction::Rotate { options, .. }
    | KeyAction::Export { options }) = &action;
    let accepts_shared_disk = options.shared_disk || options::switch("LIMBIC_SHARED_DISK")?;
    let location = options::database(options.db.clone())?;
    let database = location.file().with_context(|| {
        format!("{location} is not a file, and cannot be encrypted: keep PostgreSQL on an encrypted disk")
    })?;
    let outcome = match action {
        KeyAction::Encrypt { passphrase, .. } => {
            let encrypted = match is_not_plain(database) {
                true => None,
                false => encrypt_file(database, accepts_shared_disk, &Source::of_new(database, passphrase)?)?,
            };
            encrypted.with_context(|| {
                format!("{location} is already encrypted; limbic key rotate gives it another key")
            })?
        }
        KeyAction::Rotate { passphrase: true, .. } => {
            rotate(database, accepts_shared_disk, Kind::Passphrase)?
        }
        KeyAction::Rotate { random_key: true, .. } => rotate(database, accepts_shared_disk, Kind::Random)?,
        KeyAction::Rotate { .. } => rotate(database, accepts_shared_disk, Kind::Same)?,
        KeyAction::Export { .. } => export(database)?,
    };
    log!("{}", outcome.message);
    output::line(&recovery_phrase(&outcome.key))?;
    Ok(if outcome.is_finished { ExitCode::SUCCESS } else { ExitCode::from(UNFINISHED) })
}

/// Encrypts the database of a server unless it is encrypted. The recovery phrase is shown at a terminal only, where a
/// person may be asked for the passphrase, too.
pub fn prepare(location: &Location, accepts_shared_disk: bool) -> Result<()> {
    use std::io::IsTerminal;

    let database = location.file().with_context(|| {
        format!(
            "--encrypt (LIMBIC_ENCRYPT) needs a file, but got {location}: leave it out, and keep PostgreSQL on an encrypted \
             disk"
        )
    })?;
    if is_not_plain(database) {
        // A wrong key is reported when the database is opened; a passphrase at the terminal can be entered again.
        if is_derived(database) && passphrase::can_ask() {
            remember_tried(&Source::of_encrypted(database)?, database)?;
        }
        return Ok(());
    }
    let source = Source::of_new(database, false)?;
    let Some(outcome) = encrypt_file(database, accepts_shared_disk, &source)? else {
        // Another program has encrypted it, perhaps with a passphrase of its own.
        if is_derived(database) && matches!(source, Source::Passphrase(_)) {
            remember_tried(&source, database)?;
        }
        return Ok(());
    };
    source.remember();
    log!("{}", outcome.message);
    match std::io::stderr().is_terminal() {
        true => log!("recovery phrase: {}", recovery_phrase(&outcome.key)),
        false => log!("limbic key export shows its recovery phrase"),
    }
    Ok(())
}

/// Remembers a passphrase if it opens the database.
fn remember_tried(source: &Source, database: &Path) -> Result<()> {
    let secret = source.read(database)?.context("there is no passphrase")?;
    if !opens(&StdHost, unicode(database)?, &secret)? {
        return Err(limbic_core::Error::WrongKey.into());
    }
    source.remember();
    Ok(())
}

/// Encrypts a plain database, or creates an encrypted one. `None` if another program was faster.
fn encrypt_file(database: &Path, accepts_shared_disk: bool, source: &Source) -> Result<Option<Outcome>> {
    in_use::require_free(database)?;
    let path = unicode(database)?;
    let mut chosen = None;
    let mut choose = || {
        let secret = match source.read(database)? {
            Some(secret) => secret,
            None => {
                let key = random_key();
                source.store(database, &key)?;
                Secret::Key(key)
            }
        };
        chosen = Some(secret.clone());
        Ok(secret)
    };
    let done = encrypt(&StdHost, Box::new(SystemHost), path, None, &mut choose, accepts_shared_disk);
    let (done, secret) = match (done, chosen) {
        (Err(_), None) if is_not_plain(database) => return Ok(None),
        (done, secret) => (done?, secret.context("no key was chosen")?),
    };
    let (message, unfinished) = match done {
        Encrypted::New => ("created an encrypted database".to_owned(), None),
        Encrypted::Replaced { content, unfinished } => {
            let end = if unfinished.is_none() { ", and overwrote the original" } else { "" };
            (format!("encrypted {} rows of {} tables{end}", content.rows, content.tables), unfinished)
        }
    };
    Ok(Some(Outcome {
        key: key_of(path, secret)?,
        message: format!("{message}{}; keep the recovery phrase", unfinished_suffix(unfinished.as_ref())),
        is_finished: unfinished.is_none(),
    }))
}

/// Encrypts a database with another key, or finishes what was interrupted. A next key that an earlier run has stored is
/// used rather than replaced: it may be the key of this database, or of another one that shares the key file.
fn rotate(database: &Path, accepts_shared_disk: bool, kind: Kind) -> Result<Outcome> {
    if !is_not_plain(database) {
        require_file(database)?;
        bail!("{} is not encrypted: limbic key encrypt encrypts it", database.display());
    }
    in_use::require_free(database)?;
    let present = if kind == Kind::Random { Source::of_passphrase(database) } else { Ok(None) }?;
    let present = present.map_or_else(|| Source::of_encrypted(database), Ok)?;
    // Where a random key is kept.
    let beside;
    let keys = match &present {
        Source::Passphrase(_) => {
            beside = Source::of_keys()?;
            &beside
        }
        stored => stored,
    };
    let path = unicode(database)?;
    let old = present.read(database)?;
    // In place of a passphrase: other databases may need it, so that no other key takes its place.
    let shared = if kind == Kind::Random && matches!(present, Source::Passphrase(_)) {
        keys.shared(database)?
    } else {
        None
    };
    if !old.as_ref().map_or(Ok(false), |old| opens(&StdHost, path, old))? {
        if let Some(next) = keys.next(database)?
            && opens(&StdHost, path, &next.clone().into())?
        {
            StdHost.sync_folder(limbic_vfs::folder_of(path)).context("the folder cannot be synced")?;
            let finished = promoted(keys, database, next, None);
            return Ok(if kind == Kind::Passphrase { finished.then_again() } else { finished });
        }
        if let Some(shared) = shared
            && opens(&StdHost, path, &shared.clone().into())?
        {
            return Ok(moved(keys, database, shared, None));
        }
        return Err(match old {
            Some(_) => limbic_core::Error::WrongKey.into(),
            None => anyhow::anyhow!("the present key is missing: set LIMBIC_KEY_FILE"),
        });
    }
    let is_derived =
        kind == Kind::Passphrase || kind == Kind::Same && matches!(present, Source::Passphrase(_));
    let new = is_derived.then(|| new_passphrase(database)).transpose()?;
    let mut chosen = None;
    let mut choose = || {
        let secret = match &new {
            Some(given) => Secret::Passphrase(given.passphrase()),
            None => Secret::Key(match &shared {
                Some(shared) => shared.clone(),
                None => next_key(keys, database, old.as_ref())?,
            }),
        };
        chosen = Some(secret.clone());
        Ok(secret)
    };
    let done = encrypt(&StdHost, Box::new(SystemHost), path, old.clone(), &mut choose, accepts_shared_disk);
    let Some(secret) = chosen else {
        done?;
        bail!("no key was chosen")
    };
    let unfinished = match (done, &secret) {
        (Err(error), secret) if shared.is_some() || matches!(secret, Secret::Passphrase(_)) => {
            return Err(error.into());
        }
        (Err(error), _) => {
            let place = keys.next_place(database);
            bail!("{error}. The next limbic key rotate uses the new key, which is in {place}")
        }
        (Ok(Encrypted::New), _) => None,
        (Ok(Encrypted::Replaced { unfinished, .. }), _) => unfinished,
    };
    let (is_derived, key) = (matches!(secret, Secret::Passphrase(_)), key_of(path, secret)?);
    if is_derived {
        return Ok(derived(&present, database, key, unfinished.as_ref()));
    }
    if shared.is_some() {
        return Ok(moved(keys, database, key, unfinished.as_ref()));
    }
    if let Some(error @ Unfinished::Sync(_)) = &unfinished {
        let message = format!(
            "the database has a new key, but {error}. Both keys are kept, the new one in {}: run limbic key rotate again to \
             finish",
            keys.next_place(database)
        );
        return Ok(Outcome { key, message, is_finished: false });
    }
    let mut outcome = promoted(keys, database, key, unfinished.as_ref());
    if matches!(present, Source::Passphrase(_)) {
        let place = keys.place(database);
        outcome
            .message
            .push_str(&format!(". The key is in {place}: unset LIMBIC_PASSPHRASE for this database"));
    }
    Ok(outcome)
}

/// The key that a database gets, stored as the next one. `present` opens it now.
fn next_key(keys: &Source, database: &Path, present: Option<&Secret>) -> limbic_core::Result<Key> {
    let is_present =
        |key: &Key| matches!(present, Some(Secret::Key(present)) if present.bytes() == key.bytes());
    match keys.next(database)? {
        Some(next) if !is_present(&next) => return Ok(next),
        Some(_) => keys.discard_next(database)?,
        None => {}
    }
    let key = random_key();
    keys.store_next(database, &key)?;
    Ok(key)
}

/// Describes a database whose key is derived from a new passphrase now; `former` is where the key came from
/// before.
fn derived(former: &Source, database: &Path, key: Key, unfinished: Option<&Unfinished>) -> Outcome {
    let kept = match former {
        Source::Passphrase(_) => String::new(),
        kept => {
            let place = kept.place(database);
            format!(
                ". It replaces the one in {place}, which stays there for copies and other databases: unset LIMBIC_KEY and \
                 LIMBIC_KEY_FILE for this one, and remove the key when nothing needs it"
            )
        }
    };
    let message = format!(
        "the key of the database is derived from the new passphrase, and the old recovery phrase no longer opens it{}{kept}",
        unfinished_suffix(unfinished)
    );
    Outcome { key, message, is_finished: unfinished.is_none() }
}

/// Describes a database that has the key of other databases now, in place of a passphrase.
fn moved(keys: &Source, database: &Path, key: Key, unfinished: Option<&Unfinished>) -> Outcome {
    let message = format!(
        "the database has the key that was in {} already, and the passphrase no longer opens it{}. The key is in {0}: \
         unset LIMBIC_PASSPHRASE for this database",
        keys.place(database),
        unfinished_suffix(unfinished)
    );
    Outcome { key, message, is_finished: unfinished.is_none() }
}

impl Outcome {
    /// The outcome of a run that has finished an earlier rotation instead of its own.
    fn then_again(self) -> Outcome {
        let message = format!(
            "{}. That was the rotation that was interrupted: run the command again for the passphrase",
            self.message
        );
        Outcome { message, is_finished: false, ..self }
    }
}

/// Makes the key of a database the present one.
fn promoted(source: &Source, database: &Path, key: Key, unfinished: Option<&Unfinished>) -> Outcome {
    match source.promote(database, &key) {
        Ok(kept) => {
            let kept = kept.map_or_else(String::new, |RetainedKey { place, removal }| {
                format!(". The old key stays in {place}, for copies and other databases: {removal} when none needs it")
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

/// Checks that a database exists.
fn require_file(database: &Path) -> Result<()> {
    if !database.is_file() {
        bail!("the database does not exist: {}", database.display());
    }
    Ok(())
}

/// Returns the key of a database, after it was tried.
fn export(database: &Path) -> Result<Outcome> {
    let source = Source::of_encrypted(database)?;
    let path = unicode(database)?;
    let next = || -> Result<Option<Outcome>> {
        let next = source.next(database)?;
        let opening =
            next.filter(|next| opens(&StdHost, path, &next.clone().into()).is_ok_and(|opens| opens));
        Ok(opening.map(|key| {
            let message =
                "this phrase opens the database, whose rotation was interrupted: run limbic key rotate to finish it";
            Outcome { key, message: message.to_owned(), is_finished: true }
        }))
    };
    let is_encrypted = is_not_plain(database);
    let present = if is_encrypted { source.read(database)? } else { None };
    if is_encrypted
        && present.is_none()
        && let Some(outcome) = next()?
    {
        return Ok(outcome);
    }
    let secret = match is_derived(database) {
        true => present,
        // With the errors of opening it.
        false => of_database(database)?,
    };
    require_file(database)?;
    let secret = secret.with_context(|| match is_encrypted {
        true => format!("{} {NO_KEY}", database.display()),
        false => format!("{} is not encrypted", database.display()),
    })?;
    if let Some(key) = opening_key(&StdHost, path, &secret)? {
        let message = "this phrase opens the database: keep it apart from the database".to_owned();
        return Ok(Outcome { key, message, is_finished: true });
    }
    Ok(next()?.ok_or(limbic_core::Error::WrongKey)?)
}

/// The key of a database that was encrypted with this secret. An error here does not undo that.
fn key_of(path: &str, secret: Secret) -> Result<Key> {
    let reason = match secret {
        Secret::Key(key) => return Ok(key),
        derived @ Secret::Passphrase(_) => match opening_key(&StdHost, path, &derived) {
            Ok(Some(key)) => return Ok(key),
            Ok(None) => "the passphrase does not open it".to_owned(),
            Err(error) => error.to_string(),
        },
    };
    bail!(
        "the database has the new passphrase, but its recovery phrase could not be read ({reason}): limbic key export shows \
         it"
    )
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
