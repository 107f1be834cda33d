//! Keys of encrypted databases, and the encryption of a database.

use js_sys::Function;
use limbic_core::{Error, Result};
use limbic_encryption::{Encrypted, Key, Unfinished};
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

/// What `encrypt_database` has done.
#[wasm_bindgen]
pub struct EncryptedDatabase(Encrypted);

#[wasm_bindgen]
impl EncryptedDatabase {
    /// The number of rows that were encrypted; `undefined` if there was no database, and an empty one was created.
    #[wasm_bindgen(getter)]
    pub fn rows(&self) -> Option<f64> {
        match &self.0 {
            Encrypted::New => None,
            Encrypted::Replaced { content, .. } => Some(crate::file_host::number(content.rows)),
        }
    }

    /// The number of their tables.
    #[wasm_bindgen(getter)]
    pub fn tables(&self) -> Option<usize> {
        match &self.0 {
            Encrypted::New => None,
            Encrypted::Replaced { content, .. } => Some(content.tables),
        }
    }

    /// What could not be done afterwards, as the end of a sentence.
    #[wasm_bindgen(getter)]
    pub fn unfinished(&self) -> Option<String> {
        self.rest().map(ToString::to_string)
    }

    /// Whether the original may come back with a power failure, so that its key must be kept.
    #[wasm_bindgen(getter)]
    pub fn may_come_back(&self) -> bool {
        matches!(self.rest(), Some(Unfinished::Sync(_)))
    }

    fn rest(&self) -> Option<&Unfinished> {
        match &self.0 {
            Encrypted::New => None,
            Encrypted::Replaced { unfinished, .. } => unfinished.as_ref(),
        }
    }
}

/// Encrypts the database at `path`; `old` is its key if it is encrypted already. `choose_key` returns the key that it gets,
/// and stores it; it is called at most once, while no other program can use the database.
///
/// # Errors
/// As opening the database; `database_busy` while another program uses it, `disk_full`; what `choose_key` throws. The
/// database is unchanged then, unless the error says that this is unknown.
#[wasm_bindgen]
pub fn encrypt_database(
    host: FileHost,
    path: &str,
    old: Option<String>,
    choose_key: &Function,
    shared_disk: bool,
) -> std::result::Result<EncryptedDatabase, JsValue> {
    let mut refusal = None;
    let mut choose = || {
        let chosen = choose_key.call0(&JsValue::NULL).map_err(|error| {
            refusal = Some(error);
            Error::invalid("no key was chosen")
        })?;
        key(&chosen.as_string().unwrap_or_default())
    };
    let encrypted = || {
        let host = JsHost::new(host);
        let old = old.map(|text| key(&text)).transpose()?;
        limbic_encryption::encrypt(&host, Box::new(host.clone()), path, old, &mut choose, shared_disk)
    };
    let done = encrypted();
    done.map(EncryptedDatabase).map_err(|error| refusal.unwrap_or_else(|| thrown(error)))
}

/// Whether a key is that of the encrypted database at `path`; false if there is no database.
///
/// # Errors
/// `not_encrypted`; those of opening the file.
#[wasm_bindgen]
pub fn opens_database(host: FileHost, path: &str, text: &str) -> std::result::Result<bool, JsValue> {
    key(text).and_then(|key| limbic_encryption::opens(&JsHost::new(host), path, &key)).map_err(thrown)
}
