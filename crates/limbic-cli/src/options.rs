//! Options and their environment variables; an option takes precedence over its variable.

use std::env;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use clap::Args;

use limbic_memory::environment::{path_variable, variable};
use limbic_memory::files;
use limbic_memory::location::Location;
use limbic_memory::paths;
use limbic_memory::settings::default_database;
pub use limbic_memory::settings::{ModelChoice, Settings, data_folder};
use limbic_tools::{
    ALL_TOOLSETS, COMPAT_NAMES, Limbic, OUTPUT_SCHEMAS, WriteRights, is_toolset, nearest, toolset_names,
};

const MODEL_DIMENSIONS: &str = "LIMBIC_MODEL_DIMENSIONS";
const READ_ONLY: &str = "LIMBIC_READ_ONLY";

/// The accepted values of `--redact`.
const REDACTED: [&str; 1] = ["pii"];

/// Maximum retention of the search log in days: a hundred years.
const MAX_DAYS: u32 = 36_500;

/// The database, and the tools to offer.
#[derive(Args, Clone, Default)]
pub struct DatabaseOptions {
    /// Database file, or postgres://user@host/database?memory=name; created if missing. `&cache=1GB` at the end of an
    /// address keeps up to 1 GB of its pages in memory instead of 256 MB [env: LIMBIC_DB] [default: limbic/memory.db in
    /// the data folder]
    #[arg(long, value_name = "PATH")]
    db: Option<PathBuf>,
    /// Toolsets to offer, or "all" [env: LIMBIC_TOOLSETS]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    toolsets: Vec<String>,
    /// Accept a database on a network or shared disk that one machine at a time uses [env: LIMBIC_SHARED_DISK]
    #[arg(long)]
    shared_disk: bool,
    /// Offer only tools that change nothing [env: LIMBIC_READ_ONLY]
    #[arg(long)]
    read_only: bool,
    /// Offer the tools of another server instead: server-memory or memory-graph; or beside those of Limbic the code
    /// tools of memory-mcp-server [env: LIMBIC_COMPAT]
    #[arg(long, value_name = "NAME")]
    compat: Option<String>,
    /// Only user whose memories are read and stored; the graph and the code index are then not offered [env:
    /// LIMBIC_USER]
    #[arg(long, value_name = "ID")]
    user: Option<String>,
    /// Output schemas in the list of tools: full, short or none [env: LIMBIC_OUTPUT_SCHEMAS] [default: none]
    #[arg(long, value_name = "HOW")]
    output_schemas: Option<String>,
    /// Retention of the search log in days; 0 disables it [env: LIMBIC_SEARCH_LOG_DAYS] [default: 90]
    #[arg(long, value_name = "DAYS", allow_negative_numbers = true)]
    search_log_days: Option<String>,
    /// Log searches without their queries [env: LIMBIC_PRIVATE_LOG]
    #[arg(long)]
    private_log: bool,
    /// Remove from memories before they are stored: "pii" for e-mail addresses, phone and card numbers and IP
    /// addresses [env: LIMBIC_REDACT]
    #[arg(long, value_name = "WHAT")]
    redact: Option<String>,
    /// Refuse secrets in the graph also with --compat server-memory, which otherwise stores what it is given [env:
    /// LIMBIC_SCAN_GRAPH]
    #[arg(long)]
    scan_graph: bool,
    /// Folder whose projects may be indexed [env: LIMBIC_CODE_ROOT] [default: the working directory]
    #[arg(long, value_name = "DIR")]
    code_root: Option<PathBuf>,
    #[command(flatten)]
    model: ModelOptions,
    /// For tests: stop the clock at this time
    #[arg(long, value_name = "MILLIS", allow_negative_numbers = true)]
    test_clock: Option<i64>,
    /// For tests: run each call only when the embedding queue is empty
    #[arg(long)]
    settle: bool,
}

/// The encoder.
#[derive(Args, Clone, Default)]
pub struct ModelOptions {
    /// Folder with another sentence model: model.onnx, tokenizer.json and its configuration; see limbic model check
    /// [env: LIMBIC_MODEL]
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Truncate its vectors to their first N dimensions, as Matryoshka models allow [env: LIMBIC_MODEL_DIMENSIONS]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    model_dimensions: Option<String>,
    /// Use no model: keyword search only [env: LIMBIC_NO_MODEL]
    #[arg(long, conflicts_with = "model")]
    no_model: bool,
    /// For tests: use a deterministic encoder instead of the model
    #[arg(long)]
    test_encoder: bool,
}

/// An existing database, for commands of a person who may read the whole of it.
#[derive(Args, Clone, Default)]
pub struct ExistingDatabase {
    /// Database file, or address of a memory in PostgreSQL [env: LIMBIC_DB] [default: limbic/memory.db in the data
    /// folder]
    #[arg(long, value_name = "PATH", global = true)]
    db: Option<PathBuf>,
    /// Accept a database on a network or shared disk that one machine at a time uses [env: LIMBIC_SHARED_DISK]
    #[arg(long, global = true)]
    shared_disk: bool,
}

/// [`ExistingDatabase`] resolved with the environment.
pub struct Existing {
    /// The database.
    pub db: Location,
    accepts_shared_disk: bool,
}

impl ExistingDatabase {
    /// Resolves the options with the environment and the defaults.
    pub fn resolve(self) -> Result<Existing> {
        let accepts_shared_disk = self.shared_disk || switch("LIMBIC_SHARED_DISK")?;
        Ok(Existing { db: database(self.db)?, accepts_shared_disk })
    }
}

impl Existing {
    /// Checks that the database is not a file that is missing.
    pub fn require(&self) -> Result<()> {
        if self.db.is_missing() {
            bail!("the database does not exist: {}", self.db);
        }
        Ok(())
    }

    /// Opens the database.
    pub fn open(&self, options: &limbic_tools::Options) -> Result<Limbic, limbic_tools::Error> {
        files::open(&self.db, options, self.accepts_shared_disk)
    }

    /// Opens the database for a command that changes it, and creates none: a misspelt name would become an empty
    /// memory.
    pub fn open_to_change(&self, options: &limbic_tools::Options) -> anyhow::Result<Limbic> {
        self.require()?;
        #[cfg(feature = "postgres")]
        if let Location::Store(address) = &self.db {
            // Marks the address as found, so that `open` creates no memory.
            limbic_pages::postgres::PostgresStore::open_existing(address)?;
        }
        Ok(self.open(options)?)
    }

    /// Opens the database for a command that changes nothing. A memory in PostgreSQL is opened for reading only, which
    /// a standby allows, unless it has to be upgraded; a file as the options say, so that the journal of a killed
    /// program is rolled back.
    pub fn open_to_read(&self, options: &limbic_tools::Options) -> Result<Limbic, limbic_tools::Error> {
        if self.db.file().is_none() {
            let reading = limbic_tools::Options { read_only: true, ..options.clone() };
            match self.open(&reading) {
                Err(limbic_tools::Error::ReadOnly) => {}
                opened => return opened,
            }
        }
        self.open(options)
    }
}

/// Whether `LIMBIC_READ_ONLY` is on, for commands without the option.
pub fn is_read_only() -> Result<bool> {
    switch(READ_ONLY)
}

/// Checks that `LIMBIC_READ_ONLY` is off before a command changes a database.
///
/// # Errors
/// A sentence with the command if the variable is on; or its value is not one of [`switch`].
pub fn require_writable(command: &str) -> Result<()> {
    if is_read_only()? {
        bail!("{READ_ONLY} is on, but {command} changes the database: unset it for this command");
    }
    Ok(())
}

impl DatabaseOptions {
    /// Resolves the options with the environment and the defaults.
    pub fn resolve(self) -> Result<Settings> {
        let user = or_variable(self.user, "LIMBIC_USER")?;
        let compat = one_of(given_or(self.compat, "--compat", "LIMBIC_COMPAT")?, &COMPAT_NAMES)?;
        if user.is_some() && compat.is_some() {
            bail!(
                "--user (LIMBIC_USER) and --compat cannot be combined: the tools of other servers cannot be limited to a \
                 user"
            );
        }
        let toolsets = toolsets(&self.toolsets, user.is_some())?;
        let db = database(self.db)?;
        let write_rights = if db.file().is_some() { WriteRights::File } else { WriteRights::Store };
        let days = given_or(self.search_log_days, "--search-log-days", "LIMBIC_SEARCH_LOG_DAYS")?;
        let tools = limbic_tools::Options {
            read_only: self.read_only || switch(READ_ONLY)?,
            toolsets,
            compat,
            output_schemas: one_of(
                given_or(self.output_schemas, "--output-schemas", "LIMBIC_OUTPUT_SCHEMAS")?,
                &OUTPUT_SCHEMAS,
            )?,
            search_log_days: days.map(|(text, named)| log_days(&text, named)).transpose()?,
            private_log: self.private_log || switch("LIMBIC_PRIVATE_LOG")?,
            redact: one_of(given_or(self.redact, "--redact", "LIMBIC_REDACT")?, &REDACTED)?,
            scan_graph: self.scan_graph || switch("LIMBIC_SCAN_GRAPH")?,
            user,
            test_clock: self.test_clock,
            code: true,
            write_rights,
            ..limbic_tools::Options::default()
        };
        let code_root = match path_or(self.code_root, "--code-root", "LIMBIC_CODE_ROOT") {
            Some((path, named)) => paths::expanded(&path, named)?,
            None => env::current_dir().context("there is no working directory: set --code-root")?,
        };
        Ok(Settings {
            db,
            secret: None,
            accepts_shared_disk: self.shared_disk || switch("LIMBIC_SHARED_DISK")?,
            tools,
            code_root,
            model: self.model.resolve()?,
            drains_queue: self.settle,
        })
    }
}

/// Returns the location of the database: that of `--db`, of its variable, or the default one. Warns of a password in
/// `--db`, which other users of the machine can read in the list of processes.
pub fn database(given: Option<PathBuf>) -> Result<Location> {
    let Some((path, named)) = path_or(given, "--db", "LIMBIC_DB") else { return Ok(default_database()?) };
    let location = Location::parse(&path, named)?;
    #[cfg(feature = "postgres")]
    if let Location::Store(address) = &location
        && address.has_password()
        && named == "--db"
    {
        log!(
            "--db has a password, which others can see in the list of processes: set PGPASSWORD, or write it into \
             ~/.pgpass or a service file"
        );
    }
    Ok(location)
}

/// Returns the value of an option, or else of its variable.
///
/// # Errors
/// If the variable is not UTF-8.
pub fn or_variable(given: Option<String>, name: &str) -> Result<Option<String>> {
    Ok(match given {
        Some(value) => Some(value),
        None => variable(name)?,
    })
}

/// As [`or_variable`], with the name of the one that has it.
pub fn given_or(
    given: Option<String>,
    option: &'static str,
    name: &'static str,
) -> Result<Option<(String, &'static str)>> {
    let named = if given.is_some() { option } else { name };
    Ok(or_variable(given, name)?.map(|value| (value, named)))
}

/// Returns the path of an option, or else of its variable, with the name of the one that has it. It may have any
/// encoding.
pub fn path_or(
    given: Option<PathBuf>,
    option: &'static str,
    name: &'static str,
) -> Option<(PathBuf, &'static str)> {
    given.map(|path| (path, option)).or_else(|| Some((path_variable(name)?, name)))
}

/// Checks that a value is one of these words.
fn one_of(given: Option<(String, &str)>, known: &[&str]) -> Result<Option<String>> {
    let Some((value, named)) = given else { return Ok(None) };
    require_one_of(&value, named, known)?;
    Ok(Some(value))
}

/// Checks that the value of an option or variable is one of these words.
///
/// # Errors
/// A sentence with the words, and with the nearest one if it is near.
pub fn require_one_of(value: &str, named: &str, known: &[&str]) -> Result<()> {
    if known.contains(&value) {
        return Ok(());
    }
    let near = nearest(value, known.iter().copied()).map(|near| format!(". Did you mean {near:?}?"));
    let list = match known {
        [one] => format!("{one:?}"),
        several => format!("one of {}", several.join(", ")),
    };
    bail!("{named} must be {list}, but got {value:?}{}", near.unwrap_or_default())
}

/// Returns the toolsets of `--toolsets`, or else of its variable; empty for the default ones.
fn toolsets(given: &[String], has_user: bool) -> Result<Vec<String>> {
    let (named, listed) = match given {
        [] => {
            let listed = variable("LIMBIC_TOOLSETS")?.unwrap_or_default();
            ("LIMBIC_TOOLSETS", listed.split(',').map(str::to_owned).collect())
        }
        given => ("--toolsets", given.to_vec()),
    };
    let listed = names(&listed);
    if let Some(unknown) = listed.iter().find(|name| !is_toolset(name, false)) {
        let known: Vec<&str> = toolset_names(false).into_iter().chain([ALL_TOOLSETS]).collect();
        require_one_of(unknown, named, &known)?;
    }
    if let Some(wrong) = listed.iter().find(|name| has_user && !is_toolset(name, true)) {
        bail!(
            "{named} {wrong} has no tools for one user: leave it out, or --user (LIMBIC_USER) (usable: {}, \
             {ALL_TOOLSETS})",
            toolset_names(true).join(", ")
        );
    }
    Ok(listed)
}

impl ModelOptions {
    /// Resolves the options with the environment, and looks for the bundled model.
    pub fn resolve(self) -> Result<ModelChoice> {
        // A bad value is refused, also where it would not be used.
        let dimensions = dimensions_or_variable(self.model_dimensions)?;
        if self.test_encoder {
            return Ok(ModelChoice::Test);
        }
        if self.no_model || (self.model.is_none() && switch("LIMBIC_NO_MODEL")?) {
            return Ok(ModelChoice::None);
        }
        if let Some((folder, named)) = path_or(self.model, "--model", "LIMBIC_MODEL") {
            return Ok(ModelChoice::Folder(paths::expanded(&folder, named)?, dimensions));
        }
        Ok(ModelChoice::bundled())
    }
}

/// Returns the number of dimensions of `--model-dimensions`, or else of its variable.
pub fn dimensions_or_variable(given: Option<String>) -> Result<Option<usize>> {
    let Some((text, named)) = given_or(given, "--model-dimensions", MODEL_DIMENSIONS)? else {
        return Ok(None);
    };
    match digits::<usize>(&text) {
        Some(number) if number > 0 && number.is_multiple_of(8) => Ok(Some(number)),
        _ => bail!("{named} must be a multiple of 8, but got {text:?}"),
    }
}

fn log_days(text: &str, named: &str) -> Result<u32> {
    match digits(text) {
        Some(days) if days <= MAX_DAYS => Ok(days),
        _ => bail!("{named} must be a whole number from 0 to {MAX_DAYS}, but got {text:?}"),
    }
}

/// Parses a number of ASCII digits alone: Rust's own parser also takes a plus sign.
fn digits<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Trims names, and leaves out empty ones.
pub fn names(list: &[String]) -> Vec<String> {
    list.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Whether a variable is on.
pub fn switch(name: &str) -> Result<bool> {
    let value = variable(name)?.unwrap_or_default();
    match value.to_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "" | "0" | "false" | "no" | "off" => Ok(false),
        _ => bail!("{name} must be one of 1, true, yes, on, 0, false, no, off, but got {value:?}"),
    }
}
