//! Projects on disk: which folders may be read, which files they have by git's ignore rules, and how these are read.
//!
//! [`ProjectFiles`] has the rules, over a [`Disk`] and a [`Parsers`] that a shell provides; [`DiskFiles`] are those of
//! this process. Only folders below a root are opened. Links are not followed, and a file is read only if no folder on
//! its way is a link. Ignore rules may be above the root; nothing else is read there.

#[cfg(feature = "native")]
mod prefetch;
mod disk;
mod git;
#[cfg(feature = "native")]
mod native;
#[cfg(feature = "native")]
mod opened;
mod parsers;
mod paths;
mod project_files;
mod seen;
mod walk;

pub use disk::{Disk, Entry, Failure, Kind, Stat};
#[cfg(feature = "native")]
pub use native::DiskFiles;
#[cfg(feature = "native")]
pub use opened::{open_without_waiting, place_of};
pub use parsers::Parsers;
pub use project_files::ProjectFiles;
