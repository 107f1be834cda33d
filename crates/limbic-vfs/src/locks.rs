//! The locks of a connection, as SQLite asks for them. Two implementations exist: lock files, and the locks of a host that
//! coordinates its connections itself, such as a database server.

pub use rsqlite_vfs::LockLevel;

use crate::HostError;

/// The locks of one connection on one database.
pub trait Locks: Send {
    /// Raises the level, as `xLock`. Returns false if another connection is in the way: SQLite then waits and tries again.
    ///
    /// # Errors
    /// Any [`HostError`]; the level is unchanged.
    fn lock(&mut self, level: LockLevel) -> Result<bool, HostError>;

    /// Lowers the level, as `xUnlock`.
    ///
    /// It reports no failure: SQLite releases the locks of a transaction after it has committed, and would report a
    /// failure as that of the commit.
    fn unlock(&mut self, level: LockLevel);

    /// Whether any connection is at RESERVED or above, as `xCheckReservedLock`; `None` if that is uncertain.
    ///
    /// "Yes" tells SQLite that a journal belongs to a writer at work and needs no rollback. As long as it is
    /// uncertain whether that writer lives, the only safe answer is BUSY.
    ///
    /// # Errors
    /// Any [`HostError`].
    fn check_reserved(&mut self) -> Result<Option<bool>, HostError>;

    /// To be called before the database or its journal is written: fails if the locks may no longer be this connection's.
    ///
    /// # Errors
    /// [`HostError::Io`]: they are not.
    fn confirm_write(&mut self) -> Result<(), HostError>;

    /// To be called after the database was read, and before the bytes are used: a lock that is held afterwards was held
    /// while they were read.
    ///
    /// # Errors
    /// [`HostError::Io`] and [`HostError::Changed`]: it is not.
    fn confirm_read(&mut self) -> Result<(), HostError>;

    /// To be called before a step of a commit, such as writing the journal: checks the locks whenever the last check was.
    ///
    /// # Errors
    /// As [`Locks::confirm_write`].
    fn confirm_step(&mut self) -> Result<(), HostError>;

    /// That the file at the database's path is the one that is open, and has no other name.
    ///
    /// # Errors
    /// [`HostError::Moved`], [`HostError::ManyNames`].
    fn require_in_place(&self) -> Result<(), HostError>;
}
