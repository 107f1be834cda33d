//! Whole encrypted databases: written as a new file, and read back.

use std::sync::Arc;

use super::{DatabaseCipher, EncryptedDatabase, Key, PAGE_BYTES, SALT_BYTES, Secret};
use crate::{Host, HostError, HostFile, OpenMode};

/// Writes a plain database, whose pages must have the size and leave the room that encryption needs, encrypted to an
/// empty file, and syncs it. `pages` are its bytes.
///
/// # Errors
/// [`HostError::NotFound`] if there is no file; any other. A part may have been written.
pub fn write_encrypted(
    host: &Arc<dyn Host>,
    path: &str,
    secret: &Secret,
    pages: &[u8],
) -> Result<(), HostError> {
    let file = host.open(path, OpenMode::Write)?;
    let file = EncryptedDatabase::new(file, Arc::new(DatabaseCipher::new(secret.clone(), host.clone())));
    for (page, offset) in pages.chunks(PAGE_BYTES).zip((0..).step_by(PAGE_BYTES)) {
        file.write_at(page, offset)?;
    }
    file.sync()
}

/// Reads an encrypted database: its bytes as a plain one. Takes no lock, and ignores a journal.
///
/// # Errors
/// [`HostError::WrongKey`], [`HostError::NotEncrypted`], [`HostError::Damaged`]; any other.
pub fn read_encrypted(host: &Arc<dyn Host>, path: &str, secret: &Secret) -> Result<Vec<u8>, HostError> {
    let file = host.open(path, OpenMode::Read)?;
    let cipher = Arc::new(DatabaseCipher::new(secret.clone(), host.clone()));
    cipher.require_key(&*file, path)?;
    let size = file.size()?;
    let mut bytes = vec![0; usize::try_from(size).map_err(|_| HostError::Full)?];
    let file = EncryptedDatabase::new(file, cipher);
    for (page, offset) in bytes.chunks_exact_mut(PAGE_BYTES).zip((0..).step_by(PAGE_BYTES)) {
        file.read_at(page, offset)?;
    }
    Ok(bytes)
}

/// Returns the key of the encrypted database at `path` if this secret opens it; `None` if it does not, or there is no
/// such file, or it is empty. Takes no lock.
///
/// # Errors
/// [`HostError::NotEncrypted`]; any other, except [`HostError::WrongKey`].
pub fn opening_key(host: &Arc<dyn Host>, path: &str, secret: &Secret) -> Result<Option<Key>, HostError> {
    let file = match host.open(path, OpenMode::Read) {
        Err(HostError::NotFound) => return Ok(None),
        other => other?,
    };
    let mut salt = [0; SALT_BYTES];
    if file.read_at(&mut salt, 0)? < SALT_BYTES {
        return Ok(None);
    }
    let cipher = DatabaseCipher::new(secret.clone(), host.clone());
    match cipher.require_key(&*file, path).and_then(|()| secret.key(&salt)) {
        Err(HostError::WrongKey) => Ok(None),
        other => other.map(Some),
    }
}
