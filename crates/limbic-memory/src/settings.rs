//! Settings of a database, its tools and its encoder, without their sources.

use std::env;
use std::path::{Path, PathBuf};

use limbic_core::{Error, Result};
use limbic_encryption::Secret;

use crate::environment::path_variable;
use crate::location::Location;

/// How a database is opened, and what its calls may do.
#[derive(Clone)]
pub struct Settings {
    /// The database.
    pub db: Location,
    /// Whether the database may be on a disk that other machines can write to.
    pub accepts_shared_disk: bool,
    /// The key or passphrase of an encrypted database; if `None`, that of the environment or the keychain.
    pub secret: Option<Secret>,
    /// The options of the tools.
    pub tools: limbic_tools::Options,
    /// The folder whose projects may be indexed.
    pub code_root: PathBuf,
    /// The encoder.
    pub model: ModelChoice,
    /// Whether each call drains the embedding queue first.
    pub drains_queue: bool,
}

/// The encoder, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelChoice {
    /// None: search is lexical.
    None,
    /// The deterministic encoder for tests.
    Test,
    /// The model in this folder, its vectors truncated to this number of dimensions.
    Folder(PathBuf, Option<usize>),
    /// The bundled model, which was not found in any of these folders.
    Missing(Vec<PathBuf>),
}

impl ModelChoice {
    /// Looks for the bundled model.
    pub fn bundled() -> Self {
        let places = shipped_places();
        let found = places.iter().find(|folder| folder.join("model.onnx").is_file());
        match found.cloned() {
            Some(folder) => Self::Folder(folder, None),
            None => Self::Missing(places),
        }
    }
}

/// Returns the location of the database that programs use unless another one is named.
pub fn default_database() -> Result<Location> {
    Location::of_file(data_folder()?.join("limbic").join("memory.db"), "the path of the default database")
}

/// Returns the folders of the bundled model: beside the executable, and `pkg` of the clone it was built in.
fn shipped_places() -> Vec<PathBuf> {
    let executable = env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let folders = executable.ancestors().skip(1);
    let clones = folders.clone().filter(|folder| is_clone(folder)).map(|folder| folder.join("pkg/model"));
    folders.take(1).map(|folder| folder.join("model")).chain(clones).collect()
}

/// Returns the table of static vectors in the folder of the model, or else beside the bundled model; `None` if it is in
/// neither. It serves with any model, and without one.
pub fn subwords(model: &ModelChoice) -> Option<PathBuf> {
    let own = match model {
        ModelChoice::Folder(folder, _) => Some(folder.clone()),
        ModelChoice::None | ModelChoice::Test | ModelChoice::Missing(_) => None,
    };
    let folders = own.into_iter().chain(shipped_places());
    folders.map(|folder| folder.join("subwords.bin")).find(|table| table.is_file())
}

fn is_clone(folder: &Path) -> bool {
    folder.join("Cargo.toml").is_file() && folder.join("pkg").is_dir()
}

/// Returns the platform's data folder, as the Node server does.
pub fn data_folder() -> Result<PathBuf> {
    let Some(home) = env::home_dir() else {
        return Err(Error::invalid("no home folder is known: name the database"));
    };
    if cfg!(windows) {
        return Ok(path_variable("APPDATA").unwrap_or_else(|| home.join("AppData").join("Roaming")));
    }
    if cfg!(target_os = "macos") {
        return Ok(home.join("Library").join("Application Support"));
    }
    // The XDG specification says that a relative path is to be ignored.
    let named = path_variable("XDG_DATA_HOME").filter(|folder| folder.is_absolute());
    Ok(named.unwrap_or_else(|| home.join(".local").join("share")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_static_vectors_of_the_folder_of_the_model_are_taken() {
        let folder = tempfile::tempdir().expect("there is a temporary folder");
        let model = ModelChoice::Folder(folder.path().to_owned(), None);
        let table = folder.path().join("subwords.bin");
        assert_ne!(subwords(&model), Some(table.clone()));
        std::fs::write(&table, "").expect("the folder is writable");
        assert_eq!(subwords(&model), Some(table));
    }
}
