//! The environment variables of keys and passphrases.

use std::process::Command;

/// A key, as a recovery phrase or in hexadecimal.
pub const KEY: &str = "LIMBIC_KEY";

/// A passphrase.
pub const PASSPHRASE: &str = "LIMBIC_PASSPHRASE";
/// The file of a passphrase.
pub const PASSPHRASE_FILE: &str = "LIMBIC_PASSPHRASE_FILE";

/// The passphrase that a rotation sets.
pub const NEW_PASSPHRASE: &str = "LIMBIC_NEW_PASSPHRASE";
/// The file of that passphrase.
pub const NEW_PASSPHRASE_FILE: &str = "LIMBIC_NEW_PASSPHRASE_FILE";

/// Keeps the secrets in the environment from a program that is to be started.
pub fn remove_secrets(command: &mut Command) {
    for name in [KEY, PASSPHRASE, NEW_PASSPHRASE, "LIMBIC_TOKEN", "LIMBIC_PAGE_TOKEN"] {
        command.env_remove(name);
    }
}
