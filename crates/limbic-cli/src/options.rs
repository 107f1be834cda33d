//! Options and their environment variables; an option takes precedence over its variable.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

use limbic_memory::location::{Location, variable};
use limbic_memory::paths;
use limbic_memory::settings::default_database;
pub use limbic_memory::settings::{ModelChoice, Settings, data_folder};

const SEARCH_LOG_DAYS: &str = "LIMBIC_SEARCH_LOG_DAYS";
const MODEL_DIMENSIONS: &str = "LIMBIC_MODEL_DIMENSIONS";

/// The accepted value of `--redact`.
const PERSONAL_DATA: &str = "pii";

/// The accepted values of `--output-schemas`.
const OUTPUT_SCHEMAS: [&str; 3] = ["full", "short", "none"];

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
    /// Offer only read-only tools [env: LIMBIC_READ_ONLY]
    #[arg(long)]
    read_only: bool,
    /// Offer the tools of another server instead [env: LIMBIC_COMPAT]
    #[arg(long, value_name = "NAME", value_parser = ["server-memory", "memory-graph", "memory-mcp-server"])]
    compat: Option<String>,
    /// Only user whose memories are read and stored; the graph and the code index are then not offered [env:
    /// LIMBIC_USER]
    #[arg(long, value_name = "ID")]
    user: Option<String>,
    /// Output schemas in the list of tools [env: LIMBIC_OUTPUT_SCHEMAS] [default: none]
    #[arg(long, value_name = "HOW", value_parser = OUTPUT_SCHEMAS)]
    output_schemas: Option<String>,
    /// Retention of the search log in days; 0 disables it [env: LIMBIC_SEARCH_LOG_DAYS] [default: 90]
    #[arg(long, value_name = "DAYS", value_parser = days, allow_negative_numbers = true)]
    search_log_days: Option<u32>,
    /// Log searches without their queries [env: LIMBIC_PRIVATE_LOG]
    #[arg(long)]
    private_log: bool,
    /// Remove from memories before they are stored: "pii" for e-mail addresses, phone and card numbers and IP
    /// addresses [env: LIMBIC_REDACT]
    #[arg(long, value_name = "WHAT", value_parser = [PERSONAL_DATA])]
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
    /// For tests: start the test clock at this time
    #[arg(long, value_name = "MILLIS", allow_negative_numbers = true)]
    test_clock: Option<i64>,
    /// For tests: drain the embedding queue before each call
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
    #[arg(long, value_name = "N", value_parser = model_dimensions)]
    model_dimensions: Option<usize>,
    /// Use no model: keyword search only [env: LIMBIC_NO_MODEL]
    #[arg(long, conflicts_with = "model")]
    no_model: bool,
    /// For tests: use a deterministic encoder instead of the model
    #[arg(long)]
    test_encoder: bool,
}

impl DatabaseOptions {
    /// As [`DatabaseOptions::resolve`], for a command of a person who may read the whole file: only `--user` limits it
    /// to a user, and the variable is ignored.
    pub fn resolve_for_person(self) -> Result<Settings> {
        let user = self.user.clone();
        let mut settings = self.resolve()?;
        settings.tools.user = user;
        // These commands offer no tools to clients.
        settings.tools.toolsets.clear();
        settings.tools.compat = None;
        Ok(settings)
    }

    /// Resolves the options with the environment and the defaults.
    pub fn resolve(self) -> Result<Settings> {
        let toolsets = match self.toolsets.is_empty() {
            true => variable("LIMBIC_TOOLSETS").map(|text| text.split(',').map(str::to_owned).collect()),
            false => Some(self.toolsets),
        };
        let compat = self.compat.or_else(|| variable("LIMBIC_COMPAT"));
        let search_log_days = match self.search_log_days {
            None => variable(SEARCH_LOG_DAYS).map(|text| days(&text).context(SEARCH_LOG_DAYS)).transpose()?,
            given => given,
        };
        let tools = limbic_tools::Options {
            read_only: self.read_only || switch("LIMBIC_READ_ONLY")?,
            toolsets: names(&toolsets.unwrap_or_default()),
            compat,
            output_schemas: output_schemas(self.output_schemas)?,
            search_log_days,
            private_log: self.private_log || switch("LIMBIC_PRIVATE_LOG")?,
            redact: redact(self.redact)?,
            scan_graph: self.scan_graph || switch("LIMBIC_SCAN_GRAPH")?,
            user: self.user.or_else(|| variable("LIMBIC_USER")),
            test_clock: self.test_clock,
            code: true,
            ..limbic_tools::Options::default()
        };
        let named = self.code_root.map(|path| (path, "--code-root"));
        let code_root =
            match named.or_else(|| Some((variable("LIMBIC_CODE_ROOT")?.into(), "LIMBIC_CODE_ROOT"))) {
                Some((path, named)) => paths::expanded(&path, named)?,
                None => env::current_dir().context("there is no working directory: set --code-root")?,
            };
        Ok(Settings {
            db: database(self.db)?,
            secret: None,
            accepts_shared_disk: self.shared_disk || switch("LIMBIC_SHARED_DISK")?,
            tools,
            code_root,
            model: self.model.resolve()?,
            drains_queue: self.settle,
        })
    }
}

/// Returns the location of the database: that of `--db`, of its variable, or the default one.
pub fn database(given: Option<PathBuf>) -> Result<Location> {
    let named = given.map(|path| (path, "--db"));
    match named.or_else(|| Some((variable("LIMBIC_DB")?.into(), "LIMBIC_DB"))) {
        Some((path, named)) => Ok(Location::parse(&path, named)?),
        None => Ok(default_database()?),
    }
}

fn output_schemas(given: Option<String>) -> Result<Option<String>> {
    match given.or_else(|| variable("LIMBIC_OUTPUT_SCHEMAS")) {
        Some(how) if !OUTPUT_SCHEMAS.contains(&how.as_str()) => {
            bail!("LIMBIC_OUTPUT_SCHEMAS must be one of {}, but got {how:?}", OUTPUT_SCHEMAS.join(", "))
        }
        how => Ok(how),
    }
}

fn redact(given: Option<String>) -> Result<Option<String>> {
    match given.or_else(|| variable("LIMBIC_REDACT")) {
        Some(what) if what != PERSONAL_DATA => {
            bail!("LIMBIC_REDACT must be {PERSONAL_DATA:?}, but got {what:?}")
        }
        what => Ok(what),
    }
}

impl ModelOptions {
    /// Resolves the options with the environment, and looks for the bundled model.
    pub fn resolve(self) -> Result<ModelChoice> {
        if self.test_encoder {
            return Ok(ModelChoice::Test);
        }
        if self.no_model || (self.model.is_none() && switch("LIMBIC_NO_MODEL")?) {
            return Ok(ModelChoice::None);
        }
        let named = self.model.map(|folder| (folder, "--model"));
        if let Some((folder, named)) =
            named.or_else(|| Some((variable("LIMBIC_MODEL")?.into(), "LIMBIC_MODEL")))
        {
            let dimensions = dimensions_or_variable(self.model_dimensions)?;
            return Ok(ModelChoice::Folder(paths::expanded(&folder, named)?, dimensions));
        }
        Ok(ModelChoice::bundled())
    }
}

/// Parses a number of dimensions.
pub fn model_dimensions(text: &str) -> Result<usize> {
    match text.parse::<usize>() {
        Ok(number) if number > 0 && number.is_multiple_of(8) => Ok(number),
        _ => bail!("must be a multiple of 8, but got {text:?}"),
    }
}

/// Returns the number of dimensions of `--model-dimensions`, or else of its variable.
pub fn dimensions_or_variable(given: Option<usize>) -> Result<Option<usize>> {
    let named = || variable(MODEL_DIMENSIONS).map(|text| model_dimensions(&text).context(MODEL_DIMENSIONS));
    given.map(Ok).or_else(named).transpose()
}

fn days(text: &str) -> Result<u32> {
    match text.parse() {
        Ok(days) if days <= MAX_DAYS => Ok(days),
        _ => bail!("must be a whole number from 0 to {MAX_DAYS}, but got {text:?}"),
    }
}

/// Trims names, and leaves out empty ones.
pub fn names(list: &[String]) -> Vec<String> {
    list.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Whether a variable is on.
pub fn switch(name: &str) -> Result<bool> {
    let value = variable(name).unwrap_or_default().to_lowercase();
    match value.as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "" | "0" | "false" | "no" | "off" => Ok(false),
        _ => bail!("{name} must be one of 1, true, yes, on, 0, false, no, off, but got {value:?}"),
    }
}
