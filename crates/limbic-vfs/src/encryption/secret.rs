//! The secret of an encrypted database: its key, or the passphrase from which its key is derived.

use std::sync::{Arc, Mutex};

use argon2::{Algorithm, Argon2, Block, Params, Version};
use zeroize::Zeroizing;

use super::{key::Key, page::SALT_BYTES};
use crate::{HostError, mutex::lock};

/// The start of the salt of a database whose key is derived from a passphrase. The version of the derivation follows,
/// and random bytes.
const MARK: &[u8; 3] = b"LKD";

/// The only version of the derivation: Argon2id, version 0x13, with the second recommended option of RFC 9106, section
/// 4.
const VERSION: u8 = 1;
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;
const LANES: u32 = 4;

/// How much of the salt is not random.
const FIXED_BYTES: usize = MARK.len() + 1;

/// The secret of an encrypted database.
#[derive(Clone)]
pub enum Secret {
    /// Its key.
    Key(Key),
    /// The passphrase from which its key is derived, with the salt in the file.
    Passphrase(Passphrase),
}

impl From<Key> for Secret {
    fn from(key: Key) -> Secret {
        Secret::Key(key)
    }
}

impl Secret {
    /// The key of a database with this salt.
    ///
    /// # Errors
    /// For a passphrase: [`HostError::WrongKey`] if the key of the database is not derived from one, [`HostError::Io`]
    /// if a later version derived it or there are not 64 MiB of free memory.
    pub(super) fn key(&self, salt: &[u8; SALT_BYTES]) -> Result<Key, HostError> {
        match self {
            Secret::Key(key) => Ok(key.clone()),
            Secret::Passphrase(passphrase) => passphrase.key(salt),
        }
    }

    /// The salt of a database that gets this secret, from random bytes.
    pub(super) fn new_salt(&self, mut random: [u8; SALT_BYTES]) -> [u8; SALT_BYTES] {
        match self {
            Secret::Key(_) if has_passphrase(&random) => random[0] = !random[0],
            Secret::Key(_) => {}
            Secret::Passphrase(_) => {
                random[..MARK.len()].copy_from_slice(MARK);
                random[MARK.len()] = VERSION;
            }
        }
        random
    }
}

/// A passphrase. Its memory is overwritten when it is dropped, and that of the derivation after the derivation.
#[derive(Clone)]
pub struct Passphrase(Arc<Inner>);

struct Inner {
    text: Zeroizing<String>,
    /// The last salt with the key that was derived with it: a derivation takes a large part of a second.
    derived: Mutex<Option<([u8; SALT_BYTES], Key)>>,
}

impl PartialEq for Passphrase {
    fn eq(&self, other: &Passphrase) -> bool {
        self.0.text == other.0.text
    }
}

impl Passphrase {
    /// A passphrase of this text, whose bytes count as they are.
    #[must_use]
    pub fn new(text: String) -> Passphrase {
        Passphrase(Arc::new(Inner { text: Zeroizing::new(text), derived: Mutex::new(None) }))
    }

    fn key(&self, salt: &[u8; SALT_BYTES]) -> Result<Key, HostError> {
        if !has_passphrase(salt) {
            return Err(HostError::WrongKey);
        }
        if salt[MARK.len()] != VERSION {
            return Err(HostError::Io(
                "the key of the database is derived from a passphrase in a way that this version of Limbic does not \
                 know: open it with the version that encrypted it"
                    .to_owned(),
            ));
        }
        let mut derived = lock(&self.0.derived);
        if let Some((_, key)) = derived.as_ref().filter(|(known, _)| known == salt) {
            return Ok(key.clone());
        }
        let mut bytes = Zeroizing::new([0; Key::BYTES]);
        let failed = |reason: String| {
            HostError::Io(format!("the key cannot be derived from the passphrase ({reason})"))
        };
        let argon2 = argon2id();
        let mut blocks = blocks(argon2.params().block_count()).ok_or_else(|| {
            failed(format!("it takes {} MiB of memory, which are not free", MEMORY_KIB / 1024))
        })?;
        argon2
            .hash_password_into_with_memory(self.0.text.as_bytes(), salt, &mut *bytes, &mut **blocks)
            .map_err(|error| failed(error.to_string()))?;
        let key = Key::new(*bytes);
        *derived = Some((*salt, key.clone()));
        Ok(key)
    }
}

fn argon2id() -> Argon2<'static> {
    let parameters = Params::new(MEMORY_KIB, PASSES, LANES, Some(Key::BYTES));
    Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters.expect("the standard's numbers are valid"))
}

/// The memory of a derivation, which is overwritten when it is dropped; `None` if there is not enough.
fn blocks(count: usize) -> Option<Zeroizing<Box<[Block]>>> {
    let mut blocks = Vec::new();
    blocks.try_reserve_exact(count).ok()?;
    blocks.resize(count, Block::new());
    Some(Zeroizing::new(blocks.into_boxed_slice()))
}

/// Whether a file with this start is a database whose key is derived from a passphrase.
#[must_use]
pub fn has_passphrase(start: &[u8]) -> bool {
    start.len() >= FIXED_BYTES && start.starts_with(MARK)
}

#[cfg(test)]
mod tests {
    use argon2::{AssociatedData, ParamsBuilder};

    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// RFC 9106, section 5.3.
    #[test]
    fn argon2id_gives_the_tag_of_the_standard() {
        let mut parameters = ParamsBuilder::new();
        parameters.m_cost(32).t_cost(3).p_cost(4).output_len(32);
        parameters.data(AssociatedData::new(&[4; 12]).expect("12 bytes are allowed"));
        let parameters = parameters.build().expect("the parameters are those of the standard");
        let argon2 = Argon2::new_with_secret(&[3; 8], Algorithm::Argon2id, Version::V0x13, parameters)
            .expect("8 bytes are allowed");
        let mut tag = [0; 32];
        argon2.hash_password_into(&[1; 32], &[2; 16], &mut tag).expect("the lengths are allowed");
        assert_eq!(hex(&tag), "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659");
    }

    /// The key is that of the reference implementation, as `argon2-cffi` for Python has it.
    #[test]
    fn the_derivation_of_version_1_never_changes() {
        let salt = *b"LKD\x01twelve bytes";
        let key =
            Passphrase::new("a passphrase of some words".to_owned()).key(&salt).expect("64 MiB are free");
        assert_eq!(hex(key.bytes()), "121d7b7cde3f62b2bb97d0f8ffe83dc0c90cc3eaa771455f37d915acf91fa210");
    }

    #[test]
    fn too_much_memory_is_no_abort() {
        assert!(blocks(usize::MAX / Block::SIZE).is_none());
        assert_eq!(blocks(3).map(|blocks| blocks.len()), Some(3));
    }

    #[test]
    fn a_salt_marks_a_key_that_is_derived_from_a_passphrase() {
        let passphrase = Passphrase::new("a passphrase".to_owned());
        let salt = Secret::Passphrase(passphrase.clone()).new_salt([7; SALT_BYTES]);
        assert!(has_passphrase(&salt) && salt[FIXED_BYTES..] == [7; SALT_BYTES - FIXED_BYTES]);
        let random = Secret::Key(Key::new([1; Key::BYTES])).new_salt(salt);
        assert!(!has_passphrase(&random));
        assert!(matches!(passphrase.key(&random), Err(HostError::WrongKey)));
        let mut later = salt;
        later[MARK.len()] = VERSION + 1;
        assert!(matches!(passphrase.key(&later), Err(HostError::Io(_))));
    }
}
