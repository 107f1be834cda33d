//! Keys of encrypted databases, for both shells: their text forms, and the encryption of a database that exists. The
//! cipher itself is in `limbic-vfs`.

mod key_text;
mod replace;

pub use key_text::{KeyTextError, key_of, recovery_phrase};
pub use limbic_vfs::Key;
pub use replace::{Encrypted, Unfinished, encrypt, opens};
