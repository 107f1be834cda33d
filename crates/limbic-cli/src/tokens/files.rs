//! Tokens as files, one each in the folder `memory.db-tokens` beside the database, in the format of the Node server.

use std::fs::{self, File, FileTimes};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result};

use super::storage::{Entry, Storage, Unusable};

const FILE_ENDING: &str = ".json";

/// The tokens of a database file. The modification time of a token's file is the time of its last use; 0 before the
/// first.
pub struct TokenFiles {
    database: PathBuf,
    read_only: bool,
}

impl TokenFiles {
    /// Opens the tokens of the database at this path, which may not exist yet.
    pub fn new(database: &Path, read_only: bool) -> Self {
        Self { database: database.to_owned(), read_only }
    }

    fn path(&self, name: &str) -> PathBuf {
        token_folder(&self.database).join(format!("{name}{FILE_ENDING}"))
    }

    fn names(&self) -> Result<Vec<String>> {
        let folder = token_folder(&self.database);
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            found => found.with_context(|| format!("tokens cannot be read: {}", folder.display()))?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let file = entry?.file_name();
            names.extend(file.to_str().and_then(|file| file.strip_suffix(FILE_ENDING)).map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }

    /// Returns `None` for a token that is being revoked, or that cannot be read, which is logged.
    fn read(&self, name: String) -> Option<Entry> {
        let path = self.path(&name);
        let read = || Ok((fs::read_to_string(&path)?, fs::metadata(&path)?.modified()?));
        let found: io::Result<_> = read();
        match found {
            Ok((text, used)) => {
                let used = used.duration_since(UNIX_EPOCH).ok().filter(|used| !used.is_zero());
                Some(Entry { name, text, used })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                log!("the token {name:?} is refused: {error}");
                None
            }
        }
    }
}

impl Storage for TokenFiles {
    fn add(&self, name: &str, _sha256: &str, text: &str) -> Result<bool> {
        let folder = token_folder(&self.database);
        let unstorable = || format!("the token cannot be stored in {}", folder.display());
        make_token_folder(&folder).with_context(unstorable)?;
        let mut file = match create_private(&self.path(name)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            created => created.with_context(unstorable)?,
        };
        file.write_all(format!("{text}\n").as_bytes()).with_context(unstorable)?;
        file.set_times(unused()).with_context(unstorable)?;
        Ok(true)
    }

    fn list(&self) -> Result<Vec<Entry>> {
        Ok(self.names()?.into_iter().filter_map(|name| self.read(name)).collect())
    }

    fn check(&self) -> Result<(), Unusable> {
        // It is not opened: closing it would end SQLite's locks of this process.
        match fs::metadata(&self.database) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.read_only => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(Unusable::Refused),
            Err(_) => Err(Unusable::Unreachable),
        }
    }

    fn candidates(&self, _sha256: &str) -> Result<Vec<Entry>> {
        self.list()
    }

    fn remove(&self, name: &str) -> Result<bool> {
        if !self.names()?.iter().any(|known| known == name) {
            return Ok(false);
        }
        match fs::remove_file(self.path(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("the token {name:?} cannot be removed"))
            }
            _ => Ok(true),
        }
    }

    fn note_use(&self, name: &str, since_1970: Duration) -> Result<()> {
        let at = UNIX_EPOCH + since_1970;
        let file = File::options().append(true).open(self.path(name))?;
        Ok(file.set_times(FileTimes::new().set_modified(at).set_accessed(at))?)
    }
}

/// The folder of a database's tokens. All names of a database lead to the same one.
pub fn token_folder(database: &Path) -> PathBuf {
    // It may not exist yet.
    let mut path = fs::canonicalize(database).unwrap_or_else(|_| database.to_owned()).into_os_string();
    path.push("-tokens");
    path.into()
}

/// Creates the folder of tokens, for its owner only.
///
/// # Errors
/// Errors of the file system.
pub fn make_token_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    #[cfg(unix)]
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// Creates a file that its owner alone may read.
///
/// # Errors
/// Errors of the file system, also if the file exists.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn unused() -> FileTimes {
    FileTimes::new().set_modified(UNIX_EPOCH).set_accessed(UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_missing_can_be_created_unless_it_is_only_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("memory.db");
        let check = |read_only| TokenFiles::new(&database, read_only).check();
        assert_eq!((check(false), check(true)), (Ok(()), Err(Unusable::Unreachable)));
        File::create(&database).expect("there is room");
        assert_eq!((check(false), check(true)), (Ok(()), Ok(())));
    }
}
