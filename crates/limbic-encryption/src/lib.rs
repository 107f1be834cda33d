//! Keys and passphrases of encrypted databases, for both shells: their text forms, the encryption of a database that
//! exists, and the errors of opening one. The cipher itself and the derivation of keys are in `limbic-vfs`.

mod failures;
mod key_text;
mod passphrase_text;
mod replace;
pub mod two_files;

pub use failures::{busy_error, opening_error};
pub use key_text::{KeyTextError, key_of, recovery_phrase};
pub use limbic_vfs::{Key, Passphrase, Secret, has_passphrase};
pub use passphrase_text::{MIN_PASSPHRASE_CHARACTERS, PassphraseError, new_passphrase_of, passphrase_of};
pub use replace::{Encrypted, Unfinished, encrypt, opening_key, opens};
