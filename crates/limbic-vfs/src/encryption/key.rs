//! The key of an encrypted database.

use zeroize::Zeroizing;

/// The key of a database: 32 random bytes. Its memory is overwritten when it is dropped.
#[derive(Clone)]
pub struct Key(Zeroizing<[u8; Key::BYTES]>);

impl Key {
    /// The length of a key, in bytes.
    pub const BYTES: usize = 32;

    /// A key of these bytes, which must be random.
    #[must_use]
    pub fn new(bytes: [u8; Key::BYTES]) -> Key {
        Key(Zeroizing::new(bytes))
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8; Key::BYTES] {
        &self.0
    }
}
