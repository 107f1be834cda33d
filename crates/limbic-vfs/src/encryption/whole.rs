//! Whole encrypted databases: written as a new file, and read back.

use std::sync::Arc;

use super::{DatabaseCipher, EncryptedDatabase, Key, PAGE_BYTES};
use crate::{Host, HostError, HostFile, OpenMode};

/// Writes a plain database, whose pages must have the size and leave the room that encryption needs, encrypted to an
/// empty file, and syncs it. `pages` are its bytes.
///
/// # Errors
/// [`HostError::NotFound`] if there is no file; any other. A part may have been written.
pub fn write_encrypted(host: &Arc<dyn Host>, path: &str, key: &Key, pages: &[u8]) -> Result<(), HostError> {
    let file = host.open(path, OpenMode::Write)?;
    let file = EncryptedDatabase::new(file, Arc::new(DatabaseCipher::new(key.clone(), host.clone())));
    for (page, offset) in pages.chunks(PAGE_BYTES).zip((0..).step_by(PAGE_BYTES)) {
        file.write_at(page, offset)?;
    }
    file.sync(false)
}

/// Reads an encrypted database: its bytes as a plain one. Takes no lock, and ignores a journal.
///
/// # Errors
/// [`HostError::WrongKey`], [`HostError::NotEncrypted`], [`HostError::Damaged`]; any other.
pub fn read_encrypted(host: &Arc<dyn Host>, path: &str, key: &Key) -> Result<Vec<u8>, HostError> {
    let file = host.open(path, OpenMode::Read)?;
    let cipher = Arc::new(DatabaseCipher::new(key.clone(), host.clone()));
    cipher.require_key(&*file, path)?;
    let size = file.size()?;
    let mut bytes = vec![0; usize::try_from(size).map_err(|_| HostError::Full)?];
    let file = EncryptedDatabase::new(file, cipher);
    for (page, offset) in bytes.chunks_exact_mut(PAGE_BYTES).zip((0..).step_by(PAGE_BYTES)) {
        file.read_at(page, offset)?;
    }
    Ok(bytes)
}

/// Whether a key is that of the encrypted database at `path`; false if there is no such file, or it is empty. Takes no
/// lock.
///
/// # Errors
/// [`HostError::NotEncrypted`]; any other, except [`HostError::WrongKey`].
pub fn is_key_of(host: &Arc<dyn Host>, path: &str, key: &Key) -> Result<bool, HostError> {
    let file = match host.open(path, OpenMode::Read) {
        Err(HostError::NotFound) => return Ok(false),
        other => other?,
    };
    if file.size()? == 0 {
        return Ok(false);
    }
    match DatabaseCipher::new(key.clone(), host.clone()).require_key(&*file, path) {
        Err(HostError::WrongKey) => Ok(false),
        other => other.map(|()| true),
    }
}
