//! Keys and passphrases of encrypted databases, and the encryption of a database.

use js_sys::Function;
use limbic_core::{Error, Result};
use limbic_encryption::{Encrypted, Key, Secret, Unfinished, two_files::Converted};
use wasm_bindgen::prelude::*;

use crate::{
    file_host::{FileHost, JsHost},
    options::SecretText,
    thrown::thrown,
};

/// Reads a key in one of its text forms.
pub fn key(text: &str) -> Result<Key> {
    limbic_encryption::key_of(text)
        .map_err(|error| Error::invalid(format!("The key cannot be used: {error}")))
}

/// Reads what opens a database; `None` for a plain one.
pub fn secret(text: &SecretText) -> Result<Option<Secret>> {
    match (&text.key, &text.passphrase) {
        (Some(text), _) => key(text).map(Secret::Key).map(Some),
        (None, Some(text)) => limbic_encryption::passphrase_of(text)
            .map(|passphrase| Some(Secret::Passphrase(passphrase)))
            .map_err(|error| Error::invalid(error.to_string())),
        (None, None) => Ok(None),
    }
}

/// Reads a secret from JSON: `{"key": text}` or `{"passphrase": text}`.
fn secret_of(json: &str) -> Result<Secret> {
    // The text of a JSON error may repeat a part of the secret.
    let text: SecretText = serde_json::from_str(json)
        .map_err(|_| Error::invalid("The secret of the database is not a JSON object"))?;
    secret(&text)?.ok_or_else(|| Error::invalid("The secret of the database is missing"))
}

/// Checks that a text can be the passphrase of a database that is about to be encrypted.
///
/// # Errors
/// `invalid_argument` if it is too short.
#[wasm_bindgen]
pub fn require_new_passphrase(text: &str) -> std::result::Result<(), JsValue> {
    let checked = limbic_encryption::new_passphrase_of(text);
    checked.map(drop).map_err(|error| thrown(Error::invalid(error.to_string())))
}

/// Returns the recovery phrase of a key in one of its text forms.
///
/// # Errors
/// `invalid_argument` if it has none.
#[wasm_bindgen]
pub fn recovery_phrase(text: &str) -> std::result::Result<String, JsValue> {
    key(text).map(|key| limbic_encryption::recovery_phrase(&key)).map_err(thrown)
}

/// The result of `encrypt_database`, `encrypt_opfs` or `decrypt_opfs`.
#[wasm_bindgen]
pub struct EncryptedDatabase(Encrypted);

impl From<Converted> for EncryptedDatabase {
    fn from(Converted { content, unfinished }: Converted) -> Self {
        Self(Encrypted::Replaced { content, unfinished })
    }
}

#[wasm_bindgen]
impl EncryptedDatabase {
    /// The number of rows that were converted; `undefined` if there was no database, and an empty one was created.
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

    /// The step that failed afterwards, as the end of a sentence.
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

/// Encrypts the database at `path`; `old` is its secret if it is encrypted already. `choose_secret` returns the secret
/// that it gets, and stores it if it is a key; it is called at most once, while no other program can use the database.
/// Secrets are JSON: `{"key": text}` or `{"passphrase": text}`.
///
/// # Errors
/// As opening the database; `database_busy` while another program uses it, `disk_full`; what `choose_secret` throws.
/// The database is unchanged then, unless the error says that this is unknown.
#[wasm_bindgen]
pub fn encrypt_database(
    host: FileHost,
    path: &str,
    old: Option<String>,
    choose_secret: &Function,
    shared_disk: bool,
) -> std::result::Result<EncryptedDatabase, JsValue> {
    let mut refusal = None;
    let mut choose = || {
        let chosen = choose_secret.call0(&JsValue::NULL).map_err(|error| {
            refusal = Some(error);
            Error::invalid("no key was chosen")
        })?;
        secret_of(&chosen.as_string().unwrap_or_default())
    };
    let encrypted = || {
        let host = JsHost::new(host);
        let old = old.map(|json| secret_of(&json)).transpose()?;
        limbic_encryption::encrypt(&host, Box::new(host.clone()), path, old, &mut choose, shared_disk)
    };
    let done = encrypted();
    done.map(EncryptedDatabase).map_err(|error| refusal.unwrap_or_else(|| thrown(error)))
}

/// Returns the recovery phrase of the encrypted database at `path` if this secret, as for `encrypt_database`, opens it;
/// `undefined` if it does not, or there is no database.
///
/// # Errors
/// `not_encrypted`; those of opening the file.
#[wasm_bindgen]
pub fn opening_phrase(
    host: FileHost,
    path: &str,
    secret: &str,
) -> std::result::Result<Option<String>, JsValue> {
    secret_of(secret)
        .and_then(|secret| limbic_encryption::opening_key(&JsHost::new(host), path, &secret))
        .map(|key| key.map(|key| limbic_encryption::recovery_phrase(&key)))
        .map_err(thrown)
}
