//! The interface to a store of pages.

use std::time::Duration;

use limbic_vfs::HostError;

/// The size of a page of the store, which is the page size of a memory's database.
pub const PAGE_BYTES: usize = 4096;

/// Identifies a commit.
pub type Token = [u8; 8];

/// How many tokens a [`Head`] keeps. [`PageStore::token`] finds those before them.
pub const MAX_TOKENS: usize = 64;

/// The state of a memory at one version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The number of commits; 0 for an empty memory.
    pub version: u64,
    /// Length of the database in bytes.
    pub size_bytes: u64,
    /// The last version that made the database shorter; 0 if none did.
    pub truncated: u64,
    /// The tokens of the last `MAX_TOKENS` commits, that of `version` first.
    pub recent: Vec<Token>,
}

impl Head {
    /// The token of a version, if it is recent enough to be known.
    #[must_use]
    pub fn token(&self, version: u64) -> Option<Token> {
        let age = usize::try_from(self.version.checked_sub(version)?).ok()?;
        self.recent.get(age).copied()
    }

    /// The head that a commit of this size leaves.
    #[must_use]
    pub fn next(&self, size_bytes: u64, token: Token) -> Head {
        let version = self.version + 1;
        let truncated = if size_bytes < self.size_bytes { version } else { self.truncated };
        let recent = std::iter::once(token).chain(self.recent.iter().copied()).take(MAX_TOKENS).collect();
        Head { version, size_bytes, truncated, recent }
    }
}

/// The result of a commit whose answer was lost, as the head of a memory shows it after the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Committed,
    NotCommitted,
    /// So much was committed since that the head has not its token.
    Unknown,
}

/// Whether the commit with this token, which would have made `version`, took effect.
pub(crate) fn outcome(head: &Head, version: u64, token: Token) -> Outcome {
    match head.token(version) {
        Some(found) if found == token => Outcome::Committed,
        Some(_) => Outcome::NotCommitted,
        None if head.version < version => Outcome::NotCommitted,
        None => Outcome::Unknown,
    }
}

/// The outcome of [`PageStore::lock`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Locked {
    /// The memory is locked, and this is its latest state.
    Yes(Head),
    /// Another transaction holds the lock.
    Busy,
    /// Another transaction has committed since the snapshot.
    Stale,
}

/// A failure of a store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// No connection can be made.
    #[error("{0}")]
    Unreachable(String),
    /// The connection broke, and with it the transaction; nothing of it was stored.
    #[error("{0}")]
    Lost(String),
    /// The store refused the operation: missing rights, another format, no such memory.
    #[error("{0}")]
    Refused(String),
    /// The store ended a transaction that was in the way of its other work. It may be repeated from its beginning.
    #[error("{0}")]
    Cancelled(String),
    /// No room is left in the store.
    #[error("the disk of the database server is full: make room there and try again")]
    Full,
    /// A commit was sent, and it is unknown whether it took effect.
    #[error("{0}")]
    OutcomeUnknown(String),
}

impl From<StoreError> for HostError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Full => HostError::Full,
            StoreError::OutcomeUnknown(text) => HostError::OutcomeUnknown(text),
            StoreError::Cancelled(text) => HostError::Cancelled(text),
            StoreError::Unreachable(text) | StoreError::Lost(text) | StoreError::Refused(text) => {
                HostError::Io(text)
            }
        }
    }
}

/// A connection to a store, for one memory. At most one transaction is open at a time: [`PageStore::head`] and
/// [`PageStore::lock`] begin one, [`PageStore::commit`] and [`PageStore::end`] end it, and so does any failure but that
/// of [`PageStore::lock`] in a snapshot.
pub trait PageStore: Send {
    /// Begins a snapshot. Connects again if the connection has broken. `known` is the version that the caller will pass
    /// to [`PageStore::changed_since`], if any, so that both can be one round trip.
    ///
    /// # Errors
    /// Any [`StoreError`] but [`StoreError::OutcomeUnknown`].
    fn head(&mut self, known: Option<u64>) -> Result<Head, StoreError>;

    /// Locks the memory for writing: turns a snapshot into a write transaction, without waiting, or begins one and
    /// waits for the lock for at most `wait`, in the order of arrival. After [`Locked::Busy`] and [`Locked::Stale`] a
    /// snapshot stays as it was; without one, no transaction is open.
    ///
    /// # Errors
    /// As [`PageStore::head`].
    fn lock(&mut self, wait: Duration, known: Option<u64>) -> Result<Locked, StoreError>;

    /// Reads pages by number. Pages that were never written are omitted: they hold zeros.
    ///
    /// # Errors
    /// As [`PageStore::head`].
    fn read(&mut self, pages: &[u64]) -> Result<Vec<(u64, Vec<u8>)>, StoreError>;

    /// The pages that commits after `version` wrote, up to the version of the transaction.
    ///
    /// # Errors
    /// As [`PageStore::head`].
    fn changed_since(&mut self, version: u64) -> Result<Vec<u64>, StoreError>;

    /// The token of the commit that made `version`, up to the version of the transaction. `None` if the store has not
    /// kept it, and for version 0.
    ///
    /// # Errors
    /// As [`PageStore::head`].
    fn token(&mut self, version: u64) -> Result<Option<Token>, StoreError>;

    /// Writes pages in a write transaction. Other servers do not see them before its commit.
    ///
    /// # Errors
    /// As [`PageStore::head`], and [`StoreError::Full`].
    fn write(&mut self, pages: &[(u64, &[u8])]) -> Result<(), StoreError>;

    /// Removes the content of the memory in a write transaction. The commit begins another history, so that connections
    /// which know the former one open the database again.
    ///
    /// # Errors
    /// As [`PageStore::head`].
    fn clear(&mut self) -> Result<(), StoreError>;

    /// Writes the last pages of a write transaction and commits it with this length of the database: returns when it is
    /// as durable as the store makes it. Pages behind the length are removed.
    ///
    /// # Errors
    /// Any [`StoreError`]; nothing was stored, unless it is [`StoreError::OutcomeUnknown`].
    fn commit(&mut self, pages: &[(u64, &[u8])], size_bytes: u64) -> Result<Head, StoreError>;

    /// Ends the transaction without storing anything. Succeeds without one.
    fn end(&mut self);
}

/// The number of the page that contains the byte at `offset`, and the distance of the byte from its beginning.
pub(crate) fn page_at(offset: u64) -> (u64, usize) {
    let page_bytes = page_bytes();
    (offset / page_bytes, usize::try_from(offset % page_bytes).unwrap_or_default())
}

/// The number of pages of a database of this length.
pub(crate) fn page_count(size_bytes: u64) -> u64 {
    size_bytes.div_ceil(page_bytes())
}

pub(crate) fn page_bytes() -> u64 {
    u64::try_from(PAGE_BYTES).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn committed(times: u8) -> Head {
        (1..=times).fold(Head::default(), |head, time| head.next(u64::from(time) * page_bytes(), [time; 8]))
    }

    #[test]
    fn a_token_shows_whether_a_commit_took_effect() {
        let head = committed(5);
        assert_eq!(outcome(&head, 5, [5; 8]), Outcome::Committed);
        assert_eq!(outcome(&head, 3, [3; 8]), Outcome::Committed);
        assert_eq!(outcome(&head, 3, [9; 8]), Outcome::NotCommitted);
        assert_eq!(outcome(&head, 6, [9; 8]), Outcome::NotCommitted);
        let late = committed(200);
        assert_eq!(outcome(&late, 200 - 63, [200 - 63; 8]), Outcome::Committed);
        assert_eq!(outcome(&late, 200 - 64, [200 - 64; 8]), Outcome::Unknown);
    }

    #[test]
    fn a_head_names_the_last_version_that_made_the_database_shorter() {
        let head = committed(3);
        assert_eq!(head.truncated, 0);
        let shorter = head.next(page_bytes(), [4; 8]);
        assert_eq!((shorter.version, shorter.truncated), (4, 4));
        assert_eq!(shorter.next(9 * page_bytes(), [5; 8]).truncated, 4);
    }

    #[test]
    fn offsets_are_pages_and_distances() {
        assert_eq!(page_at(0), (0, 0));
        assert_eq!(page_at(4095), (0, 4095));
        assert_eq!(page_at(4096), (1, 0));
        assert_eq!((page_count(0), page_count(1), page_count(4096), page_count(4097)), (0, 1, 1, 2));
    }
}
