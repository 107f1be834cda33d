//! The options of a shell for opening a memory.

use limbic_core::{Error, Result};
use limbic_tools::Options;
use serde::Deserialize;

use crate::thrown::set_shell;

/// The options of a shell, and the file.
#[derive(Deserialize)]
pub struct OpenOptions {
    /// Path of the database, `:memory:`, or its name in the browser's storage.
    #[serde(default = "default_path")]
    pub path: String,
    /// Folder of the browser's storage.
    #[serde(default = "default_directory")]
    pub directory: String,
    /// Whether the database may be on a disk that other machines can write to.
    #[serde(default, rename = "sharedDisk")]
    pub shared_disk: bool,
    /// The secret of an encrypted database.
    #[serde(flatten)]
    pub secret: SecretText,
    /// Folder whose projects may be indexed, if the shell reads source code.
    #[serde(default, rename = "codeRoot")]
    pub code_root: Option<String>,
    /// The options of the tools.
    #[serde(flatten)]
    pub tools: Options,
}

/// The secret of an encrypted database: a key or a passphrase; neither for a plain one.
#[derive(Default, Deserialize)]
pub struct SecretText {
    /// The key in one of its text forms.
    #[serde(default)]
    pub key: Option<String>,
    /// The passphrase from which the key is derived.
    #[serde(default)]
    pub passphrase: Option<String>,
}

fn default_path() -> String {
    "memory.db".to_owned()
}

fn default_directory() -> String {
    "limbic".to_owned()
}

impl OpenOptions {
    /// Reads options from JSON, and remembers their shell.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`].
    pub fn read(json: &str) -> Result<Self> {
        let options: Self = serde_json::from_str(json)
            .map_err(|error| Error::invalid(format!("The options of the memory cannot be read: {error}")))?;
        set_shell(options.tools.shell);
        Ok(options)
    }
}
