//! `limbic pages`: moves a memory between a database file and PostgreSQL, lists those of a store and removes one.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use limbic_core::db::{open_checked, wal::WalFile};
use limbic_core::rusqlite::{Connection, OpenFlags};
use limbic_core::store::unused;
use limbic_pages::postgres::{self, PostgresStore, StoredMemory};
use limbic_pages::{Address, CopyError, StoreError};
use limbic_tools::{Error, Options};
use limbic_vfs::{Host, Reader, StdHost};
use serde_json::{Value, json};

use crate::options;
use crate::output;
use crate::protected;
use crate::target::{self, Replaces, Target};
use crate::tokens::{self, Tokens};
use limbic_memory::location::Location;
use limbic_memory::{files, key, paths};

/// The error if the tokens cannot be read, with the option that leaves them out.
const WITHOUT: &str = "the named tokens cannot be read, and nothing was changed; --no-tokens leaves them out";

/// The exit code when nothing was removed for lack of a confirmation.
const UNCONFIRMED: u8 = 1;

/// The actions of `limbic pages`.
#[derive(Subcommand)]
pub enum Pages {
    /// Write a memory in PostgreSQL into a new database file, which is not encrypted, and its named tokens beside it
    Export {
        #[command(flatten)]
        store: StoreOptions,
        #[command(flatten)]
        tokens: TokenOptions,
        /// Replace an existing file, such as the database of an earlier export, unless a program has it open
        #[arg(long)]
        force: bool,
        /// The file to write
        file: PathBuf,
    },
    /// Store a database file and its named tokens as a new memory in PostgreSQL, or as one in which nothing was stored;
    /// the file and its tokens stay as they are
    Import {
        #[command(flatten)]
        store: StoreOptions,
        #[command(flatten)]
        tokens: TokenOptions,
        /// Store an encrypted file, whose pages are not encrypted in PostgreSQL
        #[arg(long)]
        decrypt: bool,
        /// The database file to read
        file: PathBuf,
    },
    /// Print the memories of a store, one JSON object per line; the memory that the address names does not matter
    List {
        #[command(flatten)]
        store: StoreOptions,
    },
    /// Remove a memory from its store, with its named tokens; servers that have it open answer with an error
    Drop {
        #[command(flatten)]
        store: StoreOptions,
        /// Remove it; without this it is only shown
        #[arg(long)]
        yes: bool,
        /// The memory's name, which the address need not repeat
        name: String,
    },
}

/// The memory in PostgreSQL.
#[derive(Args)]
pub struct StoreOptions {
    /// The memory: postgres://user@host/database?memory=name [env: LIMBIC_DB]
    #[arg(long, value_name = "ADDRESS")]
    db: Option<PathBuf>,
}

/// Whether clients can use their tokens at the other place.
#[derive(Args)]
pub struct TokenOptions {
    /// Leave the named tokens of clients out; without this they are valid at both places, each until it is revoked
    /// there
    #[arg(long)]
    no_tokens: bool,
}

impl StoreOptions {
    fn resolve(self) -> Result<Box<Address>> {
        match options::database(self.db)? {
            Location::Store(address) => Ok(address),
            Location::File(_) => {
                bail!(
                    "--db (LIMBIC_DB) must be the address of a memory: postgres://user@host/database?memory=name"
                )
            }
        }
    }
}

/// Runs the command, and reports what was copied on standard error.
pub fn run(what: Pages) -> Result<ExitCode> {
    match what {
        Pages::Export { store, tokens, force, file } => {
            let (address, path) = (store.resolve()?, paths::expanded(&file, "FILE")?);
            let tokens = tokens.resolve(&Location::Store(address.clone()), &Location::File(path.clone()));
            export(&address, &path, force, tokens)?;
        }
        Pages::Import { store, tokens, decrypt, file } => {
            options::require_writable("pages import")?;
            let (address, path) = (store.resolve()?, paths::expanded(&file, "FILE")?);
            let tokens = tokens.resolve(&Location::File(path.clone()), &Location::Store(address.clone()));
            import(&address, &path, decrypt, tokens)?;
        }
        Pages::List { store } => list(&*store.resolve()?)?,
        Pages::Drop { store, yes, name } => return drop_memory(&store.resolve()?.with_memory(&name)?, yes),
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the memories of the store.
fn list(address: &Address) -> Result<()> {
    for memory in postgres::memories(address)? {
        output::line(&described(&memory).to_string())?;
    }
    Ok(())
}

fn described(memory: &StoredMemory) -> Value {
    let time = |since: Duration| tokens::timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    let StoredMemory { name, size_bytes, pages, commits, created, written } = memory;
    json!({
        "name": name,
        "bytes": size_bytes,
        "pages": pages,
        "commits": commits,
        "created": time(*created),
        "last_written": (*commits > 0).then(|| time(*written)),
    })
}

/// Removes a memory, or shows it.
fn drop_memory(address: &Address, is_confirmed: bool) -> Result<ExitCode> {
    if is_confirmed {
        options::require_writable("pages drop")?;
    } else {
        let found = postgres::memories(address)?.into_iter().find(|memory| memory.name == address.memory());
        let Some(found) = found else {
            bail!("there is no memory at {address}; limbic pages list names them")
        };
        output::line(&described(&found).to_string())?;
        log!("nothing was removed; run the command again with --yes to remove this memory and its tokens");
        return Ok(ExitCode::from(UNCONFIRMED));
    }
    let removed =
        PostgresStore::open_existing(address).map_err(CopyError::from).and_then(|mut store| store.remove());
    match removed {
        Ok(bytes) => log!("removed {address} ({bytes} bytes) and its tokens"),
        Err(CopyError::Store(StoreError::Lost(why))) => bail!(
            "{why}. It is unknown whether the memory was removed: limbic pages list shows it if it was not"
        ),
        Err(error) => return Err(error.into()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a database holds nothing that was stored in it. One that cannot be read may.
fn is_unused(database: Vec<u8>) -> bool {
    let length = database.len();
    open_checked(Cursor::new(database), length, WalFile::Absent)
        .and_then(|connection| unused::is_unused(&connection))
        .unwrap_or(false)
}

impl TokenOptions {
    fn resolve(&self, from: &Location, to: &Location) -> Option<MovedTokens> {
        let tokens =
            || MovedTokens { from: Tokens::of(from, true), to: Tokens::of(to, false), place: to.to_string() };
        (!self.no_tokens).then(tokens)
    }
}

/// The named tokens that go along.
struct MovedTokens {
    from: Tokens,
    to: Tokens,
    place: String,
}

impl MovedTokens {
    /// Fails if a token would take the name of another one.
    fn check(&self) -> Result<()> {
        let clashes = self.from.clashes_with(&self.to).context(WITHOUT)?;
        if clashes.is_empty() {
            return Ok(());
        }
        bail!(
            "there are other tokens of the same names at {}, and nothing was changed: {}; revoke them on one side with limbic \
             token revoke, or leave them out with --no-tokens",
            self.place,
            clashes.join(", ")
        )
    }

    fn copy(&self) -> Result<()> {
        let names = self.from.copy_to(&self.to)?;
        if !names.is_empty() {
            log!(
                "these tokens are valid at {} as well, until they are revoked there: {}",
                self.place,
                names.join(", ")
            );
        }
        Ok(())
    }
}

fn export(address: &Address, path: &Path, replaces: bool, tokens: Option<MovedTokens>) -> Result<()> {
    let unwritable =
        |reason: String| anyhow::anyhow!("the file cannot be written: {reason}: {}", path.display());
    let mut store = PostgresStore::open(address, true)?;
    if !replaces && protected::is_memory(path) {
        return Err(unwritable(target::exists()));
    }
    // Kept until the end, so that no other program writes to what is replaced.
    let replaced = if replaces { lock_replaced(path)? } else { None };
    let replaces = if replaces { Replaces::Databases } else { Replaces::Nothing };
    let mut target = Target::create(path, replaces, None).map_err(unwritable)?;
    tokens.as_ref().map_or(Ok(()), MovedTokens::check)?;
    let bytes = limbic_pages::export(&mut store, &mut |piece| target.write(piece))?;
    if let Some(found) = damage_in(target.temporary()) {
        bail!(
            "the memory at {address} is damaged ({found}), and nothing was written to {}: restore a backup of the database; \
             limbic check lists the damage",
            path.display()
        );
    }
    target.finish().map_err(unwritable)?;
    drop(replaced);
    log!("exported {bytes} bytes of {address} to {}", path.display());
    log!("the file is not encrypted; limbic key encrypt --db FILE encrypts it");
    tokens
        .as_ref()
        .map_or(Ok(()), MovedTokens::copy)
        .context("the file is written, but its tokens are not: run token create")
}

/// Locks the memory that an export replaces, if there is one: no other program has it open, and what a killed one has
/// left is rolled back, which would otherwise be done to the new file.
fn lock_replaced(path: &Path) -> Result<Option<Connection>> {
    if !protected::is_memory(path) {
        return Ok(None);
    }
    let refused = |reason: String| {
        anyhow::anyhow!(
            "the database there cannot be replaced: {reason}; name another file: {}",
            path.display()
        )
    };
    let real = path.to_str().and_then(|path| StdHost.real_path(path).ok());
    let real = real.ok_or_else(|| refused("its path cannot be used".to_owned()))?;
    let user = limbic_vfs::opened_by(Arc::new(StdHost), &real).map_err(|error| refused(error.to_string()))?;
    if let Some(user) = user {
        return Err(refused(format!("{user} has it open")));
    }
    let accepts_shared_disk = options::switch("LIMBIC_SHARED_DISK")?;
    let connected = files::connect(&Location::File(path.to_owned()), false, accepts_shared_disk);
    let locked = connected.and_then(|connection| {
        connection.execute_batch("PRAGMA journal_mode = PERSIST; BEGIN EXCLUSIVE")?;
        Ok(connection)
    });
    locked.map(Some).map_err(|error| refused(error.to_string()))
}

fn import(address: &Address, path: &Path, decrypts: bool, tokens: Option<MovedTokens>) -> Result<()> {
    if !path.is_file() {
        bail!("there is no database file to import: {}", path.display());
    }
    let secret = key::of_database(path)?;
    if secret.is_some() && !decrypts {
        bail!(
            "{} is encrypted, but PostgreSQL would store its pages as plain ones; nothing was changed. Protect them there with \
             PostgreSQL's roles, sslmode=verify-full and an encrypted disk, and repeat with --decrypt",
            path.display()
        );
    }
    let file = Location::File(path.to_owned());
    let is_older = require_memory(&file).map_err(|error| unusable(error, path))?;
    // No other program writes to it while it is read. This rolls back the journal of a killed program.
    let connection = files::connect(&file, true, false)?;
    connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema").with_context(|| {
        format!(
            "{} cannot be read; if another program left it in WAL mode, which the import does not change, import a copy \
             that limbic compact --db COPY has converted",
            path.display()
        )
    })?;
    require_whole(&connection, path)?;
    let name = path.to_str().context("the path of the file is not Unicode")?;
    let is_decrypted = secret.is_some();
    let mut reader: Box<dyn Read> = match secret {
        Some(secret) => {
            let host: Arc<dyn Host> = Arc::new(StdHost);
            Box::new(Cursor::new(limbic_vfs::read_encrypted(&host, name, &secret)?))
        }
        None => Box::new(Reader::open(&StdHost, name)?.0),
    };
    let is_new = match PostgresStore::open(address, true) {
        Err(StoreError::Refused(_)) => true,
        opened => opened.map(|_| false)?,
    };
    let mut store = PostgresStore::open(address, false)?;
    // Tokens that are stored without the memory, where its commit fails, are recognised by the next attempt.
    let mut copy_tokens = || {
        let copied = tokens.as_ref().map_or(Ok(()), |tokens| tokens.check().and_then(|()| tokens.copy()));
        copied.map_err(|error| format!("{error:#}"))
    };
    let imported = limbic_pages::import(&mut store, &mut *reader, &mut is_unused, &mut copy_tokens);
    if imported.is_err() && is_new {
        // An empty memory would look like one that was imported. If this fails as well, the next import uses it.
        let _ = store.remove_if_unused();
    }
    let bytes = imported.map_err(|error| match error {
        CopyError::NotEmpty | CopyError::Busy => anyhow::anyhow!("{error} ({address})"),
        CopyError::Store(StoreError::Lost(_) | StoreError::Unreachable(_)) => anyhow::anyhow!(
            "the connection was lost during the import, and nothing of {} was stored: run it again ({error})",
            path.display()
        ),
        CopyError::Store(StoreError::OutcomeUnknown(_)) => anyhow::anyhow!(
            "{error}. If limbic pages list shows content for the memory, it is imported; otherwise run the import again"
        ),
        other => other.into(),
    })?;
    connection.execute_batch("COMMIT")?;
    log!("imported {bytes} bytes of {} into {address}", path.display());
    if is_decrypted {
        log!("the file is encrypted, and the pages in PostgreSQL are not");
    }
    if is_older {
        log!("the memory is of an earlier version, and the first server that opens it there upgrades it");
    }
    Ok(())
}

/// Fails unless the file is a memory that this program knows, and leaves it as it is. Returns whether it is of an
/// earlier version, or in WAL mode, which reading it shows.
fn require_memory(file: &Location) -> Result<bool, Error> {
    let options = Options { read_only: true, ..Options::default() };
    match files::open(file, &options, false) {
        Ok(memory) => memory.close().map(|()| false),
        Err(Error::ReadOnly) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Checks that SQLite finds no damage in the file: a store would keep it, and its backups, too.
fn require_whole(connection: &Connection, path: &Path) -> Result<()> {
    let Some(found) = damage(connection) else { return Ok(()) };
    bail!(
        "{} is damaged ({found}), and nothing was changed: restore a copy, and import that; limbic check lists the damage",
        path.display()
    )
}

/// The damage that SQLite finds in a file that no other program uses.
fn damage_in(path: &Path) -> Option<String> {
    limbic_vfs::register_vec0();
    match Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY) {
        Ok(connection) => damage(&connection),
        Err(error) => Some(error.to_string()),
    }
}

/// The first damage that SQLite finds.
fn damage(connection: &Connection) -> Option<String> {
    let checked: Result<String, Error> =
        connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(Error::from);
    match checked {
        Ok(found) if found == "ok" => None,
        // A line for the database may precede the finding.
        Ok(found) => Some(found.lines().last().unwrap_or_default().to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

/// Names the file that cannot be imported and says what to do: the hints of these errors are about `--db`, which is the
/// memory in PostgreSQL here.
fn unusable(error: Error, path: &Path) -> anyhow::Error {
    let what_to_do = match error {
        Error::NotADatabase => "FILE must be the database file of a memory".to_owned(),
        Error::ForeignDatabase(_) => {
            "FILE must be the database file of a memory; the tool migrate imports this one into a memory".to_owned()
        }
        Error::Damaged(_) => "restore a copy, and import that".to_owned(),
        Error::Encrypted => {
            "give its key with LIMBIC_KEY_FILE or LIMBIC_KEY, or its passphrase with LIMBIC_PASSPHRASE_FILE or \
             LIMBIC_PASSPHRASE"
                .to_owned()
        }
        Error::LockedElsewhere(_) => format!(
            "end that program; if it has ended without closing the file, `limbic unlock --db {}` shows its locks and \
             removes them",
            path.display()
        ),
        other => return other.into(),
    };
    anyhow::anyhow!("{error} ({}): {what_to_do}; nothing was changed", path.display())
}
