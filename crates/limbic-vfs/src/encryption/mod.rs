//! Encrypted databases, in the format of SQLCipher 4 with its default settings and a raw key.
//!
//! The files of a database are encrypted where they leave this process: SQLite sees plain pages of 4,096 bytes, of
//! which it leaves the last 80 unused, for an initialisation vector and an authentication code. So all of SQLite works
//! as on plain databases, every build encrypts alike, and a plain database costs nothing. SQLCipher's pager does the
//! same a layer above; the bytes are the same, also in the rollback journal, so that SQLCipher opens these files with
//! `PRAGMA key = "x'...'"` and rolls back their journals. Temporary files are in memory. WAL files are refused.
//!
//! The raw key may be derived from a passphrase (`secret`). The salt of the derivation is the one that the format has
//! in the first 16 bytes of the file. So every copy of the file has it, and replacing the file replaces both at once.

mod database;
mod journal;
mod key;
mod page;
mod secret;
mod whole;

use std::sync::{Arc, Mutex};

pub(crate) use database::EncryptedDatabase;
pub(crate) use journal::EncryptedJournal;
pub use key::Key;
use page::PageCipher;
use page::{PAGE_BYTES, PLAIN, RESERVED_BYTES, SALT_BYTES};
pub use secret::{Passphrase, Secret, has_passphrase};
pub use whole::{opening_key, read_encrypted, write_encrypted};

use crate::{Host, HostError, HostFile, OpenMode, mutex::lock};

/// How many bytes at the end of each page encryption needs, as SQLite's `SQLITE_FCNTL_RESERVE_BYTES` takes it.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "it is a part of a page")]
pub const ENCRYPTION_BYTES: i32 = RESERVED_BYTES as i32;

/// The start of a rollback journal that is not cleared.
const JOURNAL: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// Where a journal's header has the number of pages before the transaction.
const PAGES_BEFORE: std::ops::Range<usize> = 16..20;

/// How many pages are tried with a key: after a power failure, some may be incomplete until the journal is rolled back.
const TRIED_PAGES: u32 = 8;

/// How often a key is tried: another process may be writing the pages.
const ATTEMPTS: u32 = 5;
const PAUSE_MICROS: u64 = 20_000;

/// The cipher of a database, which its database file and its journal share.
pub(crate) struct DatabaseCipher {
    secret: Secret,
    host: Arc<dyn Host>,
    /// That of the salt in the file; `None` while the file is empty.
    pages: Mutex<Option<Arc<PageCipher>>>,
}

impl DatabaseCipher {
    pub fn new(secret: Secret, host: Arc<dyn Host>) -> DatabaseCipher {
        DatabaseCipher { secret, host, pages: Mutex::new(None) }
    }

    /// Checks that the secret is that of the database, or that the database is empty.
    ///
    /// # Errors
    /// [`HostError::WrongKey`], [`HostError::NotEncrypted`], and those of the host.
    pub fn require_key(&self, file: &dyn HostFile, path: &str) -> Result<(), HostError> {
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                self.host.sleep_micros(PAUSE_MICROS);
            }
            if self.is_key_of(file)? || self.is_being_created(path) {
                return Ok(());
            }
        }
        Err(HostError::WrongKey)
    }

    fn is_key_of(&self, file: &dyn HostFile) -> Result<bool, HostError> {
        let size = file.size()?;
        let mut page = [0; PAGE_BYTES];
        if size == 0 {
            return Ok(true);
        }
        for number in 1..=TRIED_PAGES {
            let read = file.read_at(&mut page, page::offset_of(number))?;
            if number == 1 && page.starts_with(PLAIN) {
                return Err(HostError::NotEncrypted);
            }
            if read < PAGE_BYTES {
                break;
            }
            let cipher = match number {
                1 => match self.with_salt(&page) {
                    Err(HostError::WrongKey) => return Ok(false),
                    other => Some(other?),
                },
                _ => self.current(),
            };
            if cipher.is_some_and(|cipher| cipher.open(number, &mut page)) {
                return Ok(true);
            }
        }
        // The salt may be that of a creation that is rolled back: the next one chooses its own.
        *lock(&self.pages) = None;
        Ok(false)
    }

    /// Whether the transaction that created the database was not committed: a rollback will make it empty.
    fn is_being_created(&self, path: &str) -> bool {
        let mut header = [0; PAGES_BEFORE.end];
        let journal = self.host.open(&format!("{path}-journal"), OpenMode::Read);
        let read = journal.and_then(|journal| journal.read_at(&mut header, 0));
        read == Ok(header.len()) && header.starts_with(&JOURNAL) && header[PAGES_BEFORE] == [0; 4]
    }

    /// The cipher of a database whose first page starts with this salt.
    ///
    /// # Errors
    /// As [`Secret::key`].
    fn with_salt(&self, first_page: &[u8]) -> Result<Arc<PageCipher>, HostError> {
        let salt = first_page[..SALT_BYTES].try_into().expect("a page is longer than its salt");
        let mut pages = lock(&self.pages);
        if let Some(known) = pages.as_ref().filter(|known| *known.salt() == salt) {
            return Ok(known.clone());
        }
        let key = self.secret.key(&salt)?;
        Ok(pages.insert(Arc::new(PageCipher::new(&key, salt))).clone())
    }

    /// The cipher of a database that is created.
    fn with_new_salt(&self) -> Result<Arc<PageCipher>, HostError> {
        let mut salt = [0; SALT_BYTES];
        self.host.fill_random(&mut salt);
        self.with_salt(&self.secret.new_salt(salt))
    }

    fn current(&self) -> Option<Arc<PageCipher>> {
        lock(&self.pages).clone()
    }

    /// Encrypts a page under a new initialisation vector.
    fn seal(&self, cipher: &PageCipher, number: u32, page: &mut [u8]) {
        let mut vector = [0; page::VECTOR_BYTES];
        self.host.fill_random(&mut vector);
        cipher.seal(number, page, vector);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use std::fs;

    use super::*;
    use crate::StdHost;

    #[test]
    fn the_salt_of_a_creation_that_is_rolled_back_is_not_kept() {
        let folder = tempfile::tempdir().expect("there is a temporary folder");
        let path = folder.path().join("memory.db").to_string_lossy().into_owned();
        let journal = [&JOURNAL[..], &[0; PAGE_BYTES]].concat();
        fs::write(&path, [7; PAGE_BYTES]).expect("the folder is writable");
        fs::write(format!("{path}-journal"), journal).expect("the folder is writable");
        let host: Arc<dyn Host> = Arc::new(StdHost);
        let cipher = DatabaseCipher::new(Key::new([1; Key::BYTES]).into(), host.clone());
        let file = host.open(&path, OpenMode::Read).expect("the file was written");
        assert_eq!(cipher.require_key(&*file, &path), Ok(()));
        assert!(cipher.current().is_none());
    }
}
