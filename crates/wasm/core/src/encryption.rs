//! Keys of encrypted databases, and the encryption of a database.

use limbic_core::{Error, Result};
use limbic_encryption::{Encrypted, Key, Keys};
use wasm_bindgen::prelude::*;

use crate::{
    file_host::{FileHost, JsHost},
    thrown,
};

/// Reads a key in one of its text forms.
pub fn key(text: &str) -> Result<Key> {
    limbic_encryption::key_of(text)
        .map_err(|error| Error::invalid(format!("The key cannot be used: {error}")))
}

/// Returns the recovery phrase of a key in one of its text forms.
///
/// # Errors
/// `invalid_argument` if it has none.
#[wasm_bindgen]
pub fn recovery_phrase(text: &str) -> std::result::Result<String, JsValue> {
    key(text).map(|key| limbic_encryption::recovery_phrase(&key)).map_err(thrown)
}

/// Encrypts the database at `path` with the key `new`; `old` is its key if it is encrypted already. Returns the number of
/// rows that were encrypted; `undefined` if there was no database, and an empty one was created.
///
/// # Errors
/// As opening the database; `database_busy` while another program uses it, `disk_full`. It is unchanged then.
#[wasm_bindgen]
pub fn encrypt_database(
    host: FileHost,
    path: &str,
    old: Option<String>,
    new: &str,
    shared_disk: bool,
) -> std::result::Result<Option<f64>, JsValue> {
    let encrypted = || {
        let host = JsHost::new(host);
        let (old, new) = (old.map(|text| key(&text)).transpose()?, key(new)?);
        let keys = Keys { old, new: &new };
        limbic_encryption::encrypt(&host, Box::new(host.clone()), path, keys, shared_disk)
    };
    match encrypted().map_err(thrown)? {
        Encrypted::New => Ok(None),
        Encrypted::Replaced(content) => Ok(Some(crate::file_host::number(content.rows))),
    }
}
