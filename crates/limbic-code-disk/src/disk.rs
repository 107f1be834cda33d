//! Access to files, as shells have it: natively, or in JavaScript.

use limbic_tools::FileStat;

/// Synchronous access to a disk. A path is given as an absolute base and a path from there, with `/` between names; an
/// empty one means the base itself, an absolute one replaces it.
pub trait Disk {
    /// Returns the absolute path of an existing file or folder, with links resolved.
    ///
    /// # Errors
    /// If it does not exist, or cannot be accessed.
    fn real_path(&self, base: &str, path: &str) -> Result<String, Failure>;

    /// Lists a folder, in any order.
    ///
    /// # Errors
    /// When it cannot be read.
    fn list(&self, base: &str, folder: &str) -> Result<Vec<Entry>, Failure>;

    /// Returns the metadata of a path; a link is not followed.
    ///
    /// # Errors
    /// If it does not exist, or cannot be accessed.
    fn stat(&self, base: &str, path: &str) -> Result<Stat, Failure>;

    /// Reads a regular file to which no link leads from the base, which is a real path. The opened file is checked, not
    /// its path: another process may put a link there in between.
    ///
    /// # Errors
    /// When it cannot be read; [`Failure::Missing`] also if a link leads to it, or if it is no regular file.
    fn read(&self, base: &str, path: &str) -> Result<Vec<u8>, Failure>;

    /// Returns the user's home folder, if there is one.
    fn home(&self) -> Option<String>;

    /// Waits for a few milliseconds.
    fn pause(&self);
}

/// The kind of a folder's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, which is not followed.
    Link,
    /// Something else that is not read: a socket, a pipe, a device.
    Other,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name; `Err` has what of it can be shown, if it is not valid UTF-8.
    pub name: Result<String, String>,
    /// The kind of entry.
    pub kind: Kind,
}

/// Metadata of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The kind of entry.
    pub kind: Kind,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change in nanoseconds since 1970; -1 if there is none.
    pub mtime: i64,
}

impl From<Stat> for FileStat {
    fn from(Stat { size, mtime, .. }: Stat) -> Self {
        Self { size, mtime }
    }
}

/// Why a disk refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// There is nothing at the path, or a file where a folder must be.
    Missing,
    /// This user may not read it.
    Denied,
    /// Links lead in a circle.
    LinkCircle,
    /// A name is longer than the disk allows.
    NameTooLong,
    /// The real path is not valid UTF-8.
    NotUnicode,
    /// Any other error, with the system's message.
    Other(String),
}

impl Failure {
    /// The reason as a sentence without a full stop, the same on every shell except for [`Failure::Other`].
    #[must_use]
    pub fn sentence(self) -> String {
        match self {
            Self::Missing => "there is nothing".to_owned(),
            Self::Denied => "you may not read it".to_owned(),
            Self::LinkCircle => "its links lead in a circle".to_owned(),
            Self::NameTooLong => "its name is too long".to_owned(),
            Self::NotUnicode => "its name is not valid UTF-8".to_owned(),
            Self::Other(reason) => reason,
        }
    }
}
