//! How a memory is opened.

use std::env;
use std::path::{Path, PathBuf};

use limbic_core::Error;
use limbic_encoder::Configuration;
use limbic_tools::{Limbic, Options as ToolOptions, Shell};
use zeroize::Zeroizing;

use crate::{
    failure::Failure,
    location::Location,
    memory::{MODEL_HINT, Memory},
    secret_text::SecretText,
    settings::{ModelChoice, Settings, default_database},
};

/// Every tool, those of the explorer's pages included.
const TOOLSETS: [&str; 2] = ["all", "explorer"];

/// The tools for one user are among these.
const TOOLSETS_OF_USER: [&str; 1] = ["all"];

/// How a memory is opened; each option has a default.
#[derive(Clone, Debug, Default)]
pub struct Options {
    tools: ToolOptions,
    accepts_shared_disk: bool,
    secret: Option<SecretText>,
    model: Option<ModelChoice>,
    model_dimensions: Option<usize>,
    code_root: Option<PathBuf>,
}

impl Options {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Refuses every change.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.tools.read_only = read_only;
        self
    }

    /// The folder of the sentence model: `model.onnx`, `tokenizer.json` and its configuration, and the table
    /// `subwords.bin` with which source code is found by meaning before it is embedded. Default: `model` beside the
    /// executable, or `pkg/model` of the clone that it was built in.
    #[must_use]
    pub fn model(mut self, folder: impl Into<PathBuf>) -> Self {
        self.model = Some(ModelChoice::Folder(folder.into(), None));
        self
    }

    /// Truncates the vectors of the model in the folder of [`Options::model`] to `dimensions` numbers, a multiple of
    /// 8, as Matryoshka models allow. Without such a folder, opening fails.
    #[must_use]
    pub fn model_dimensions(mut self, dimensions: usize) -> Self {
        self.model_dimensions = Some(dimensions);
        self
    }

    /// Uses no model: keyword search only.
    #[must_use]
    pub fn without_model(mut self) -> Self {
        self.model = Some(ModelChoice::None);
        self
    }

    /// For tests: a deterministic encoder instead of a model.
    #[doc(hidden)]
    #[must_use]
    pub fn test_encoder(mut self) -> Self {
        self.model = Some(ModelChoice::Test);
        self
    }

    /// The only user whose memories are read and stored. Tools for records without an owner, such as the graph, fail.
    #[must_use]
    pub fn user(mut self, user: impl Into<String>) -> Self {
        self.tools.user = Some(user.into());
        self
    }

    /// Removes personal data before storing: `pii` is the only value.
    #[must_use]
    pub fn redact(mut self, what: impl Into<String>) -> Self {
        self.tools.redact = Some(what.into());
        self
    }

    /// Days to keep searches in the search log; 0 disables it. Default: 90.
    #[must_use]
    pub fn search_log_days(mut self, days: u32) -> Self {
        self.tools.search_log_days = Some(days);
        self
    }

    /// Logs searches without their queries.
    #[must_use]
    pub fn private_log(mut self, is_private: bool) -> Self {
        self.tools.private_log = is_private;
        self
    }

    /// Accepts a database on a network or shared disk, which one machine at a time may use.
    #[must_use]
    pub fn shared_disk(mut self, accepts: bool) -> Self {
        self.accepts_shared_disk = accepts;
        self
    }

    /// The key of an encrypted database, as 64 hexadecimal digits or as its recovery phrase. With it, a plain database
    /// is refused, and a new one is encrypted. Default: what the environment or the keychain has, see
    /// [`Options::open`].
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.secret = Some(SecretText::Key(Zeroizing::new(key.into())));
        self
    }

    /// The passphrase of an encrypted database, instead of [`Options::key`].
    #[must_use]
    pub fn passphrase(mut self, passphrase: impl Into<String>) -> Self {
        self.secret = Some(SecretText::Passphrase(Zeroizing::new(passphrase.into())));
        self
    }

    /// The folder whose projects may be indexed. Default: the working directory.
    #[must_use]
    pub fn code_root(mut self, folder: impl Into<PathBuf>) -> Self {
        self.code_root = Some(folder.into());
        self
    }

    /// Opens a database, and creates it if it does not exist. `path` may begin with `~` and contain variables such as
    /// `$HOME`; with the feature `postgres` it may be the address of a memory, `postgres://…`. Without [`Options::key`]
    /// and [`Options::passphrase`], the key of an encrypted database comes from where the server takes it:
    /// `LIMBIC_KEY`, `LIMBIC_KEY_FILE`, `LIMBIC_PASSPHRASE`, `LIMBIC_PASSPHRASE_FILE` or the keychain. Nobody is asked
    /// for it.
    ///
    /// The sentence model is loaded first, which takes part of a second in a release build.
    ///
    /// # Errors
    /// `invalid_argument` for a path or an option; `model_not_found` if the folder has no model, `model_unusable` if it
    /// cannot be loaded; or the database cannot be opened, and is not changed: it is not a database (`not_a_database`),
    /// belongs to another program (`foreign_database`) or a newer version (`newer_version`), is damaged
    /// (`database_damaged`), locked (`locked_elsewhere`, `database_busy`), on a shared disk (`shared_disk`), encrypted
    /// and without a key (`encrypted_database`) or with another one (`wrong_key`), plain although a key is given
    /// (`not_encrypted`), or with [`Options::read_only`] missing (`cannot_open`).
    pub fn open(self, path: impl AsRef<Path>) -> Result<Memory, Failure> {
        let location = Location::parse(path.as_ref(), "the path")?;
        self.open_at(location)
    }

    /// Opens the database that the server uses unless another one is named: `limbic/memory.db` in the platform's data
    /// folder.
    ///
    /// # Errors
    /// As [`Options::open`], and if no home folder is known.
    pub fn open_default(self) -> Result<Memory, Failure> {
        self.open_at(default_database()?)
    }

    fn open_at(mut self, db: Location) -> Result<Memory, Failure> {
        let toolsets: &[&str] = if self.tools.user.is_none() { &TOOLSETS } else { &TOOLSETS_OF_USER };
        self.tools.toolsets = toolsets.iter().map(|&name| name.to_owned()).collect();
        self.tools.code = true;
        self.tools.shell = Shell::Library;
        Limbic::check(&self.tools)?;
        let here = |error| Error::invalid(format!("there is no working directory: set code_root ({error})"));
        let code_root = self.code_root.map_or_else(|| env::current_dir().map_err(here), Ok)?;
        let secret = self.secret.map(|text| text.read(&db)).transpose()?;
        Memory::start(Settings {
            db,
            accepts_shared_disk: self.accepts_shared_disk,
            secret,
            tools: self.tools,
            code_root,
            model: chosen(self.model, self.model_dimensions)?,
            drains_queue: false,
        })
    }
}

/// Returns a model that exists, with these dimensions: a program without messages to a person must not fall back to
/// keyword search because a file is missing.
fn chosen(model: Option<ModelChoice>, dimensions: Option<usize>) -> Result<ModelChoice, Failure> {
    if dimensions.is_some_and(|number| number == 0 || !number.is_multiple_of(8)) {
        return Err(Error::invalid("model_dimensions must be a multiple of 8").into());
    }
    if dimensions.is_some() && !matches!(model, Some(ModelChoice::Folder(..))) {
        let message =
            "model_dimensions truncates the vectors of a model that Options::model names: name its folder";
        return Err(Error::invalid(message).into());
    }
    let model = model.unwrap_or_else(ModelChoice::bundled);
    let places = match model {
        ModelChoice::Folder(folder, _) if has_model(&folder) => {
            return Ok(ModelChoice::Folder(folder, dimensions));
        }
        ModelChoice::Folder(folder, _) => vec![folder],
        ModelChoice::Missing(places) => places,
        ModelChoice::None | ModelChoice::Test => return Ok(model),
    };
    let places: Vec<String> = places.iter().map(|folder| folder.display().to_string()).collect();
    let message =
        format!("model.onnx and tokenizer.json, a sentence model, are not in {}", places.join(" or "));
    Err(Failure { hint: Some(MODEL_HINT.to_owned()), ..Failure::new("model_not_found", message) })
}

/// Whether a folder has the files without which no model can be loaded.
fn has_model(folder: &Path) -> bool {
    let has = |name: &&str| folder.join(name).is_file();
    Configuration::MODEL_FILES.iter().any(has) && has(&"tokenizer.json")
}
