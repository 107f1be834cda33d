//! The cipher of a page: AES-256 in CBC mode, then HMAC-SHA512 of the ciphertext, the vector and the page's number.
//!
//! The layout of a page, and of page 1: <https://www.zetetic.net/sqlcipher/design/>. The key of the authentication
//! codes is derived from the key and the salt, which is the start of page 1.

use aes::{
    Aes256Dec, Aes256Enc, Block,
    cipher::{BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, KeyInit},
};
use hmac::{Hmac, Mac};
use sha2::Sha512;
use zeroize::Zeroizing;

use super::key::Key;

/// The size of a page, in bytes.
pub(crate) const PAGE_BYTES: usize = 4096;

/// How many bytes at the end of a page SQLite does not use.
pub(crate) const RESERVED_BYTES: usize = VECTOR_BYTES + CODE_BYTES;

/// The length of the salt, in bytes.
pub(crate) const SALT_BYTES: usize = 16;

/// The start of a plain database.
pub(super) const PLAIN: &[u8; SALT_BYTES] = b"SQLite format 3\0";

/// The length of an initialisation vector, in bytes.
pub(super) const VECTOR_BYTES: usize = 16;

/// The length of an authentication code, in bytes.
const CODE_BYTES: usize = 64;

/// Where the vector begins, and the authentication code.
const VECTOR_AT: usize = PAGE_BYTES - RESERVED_BYTES;
const CODE_AT: usize = VECTOR_AT + VECTOR_BYTES;

/// The mask of the salt from which the key of the authentication codes is derived, and the number of iterations.
const SALT_MASK: u8 = 0x3a;
const ITERATIONS: u32 = 2;

/// The cipher of the pages of one database.
pub(crate) struct PageCipher {
    salt: [u8; SALT_BYTES],
    encryption: Aes256Enc,
    decryption: Aes256Dec,
    codes: Hmac<Sha512>,
}

impl PageCipher {
    pub fn new(key: &Key, salt: [u8; SALT_BYTES]) -> PageCipher {
        let masked = salt.map(|byte| byte ^ SALT_MASK);
        let mut code_key = Zeroizing::new([0; Key::BYTES]);
        pbkdf2::pbkdf2_hmac::<Sha512>(key.bytes(), &masked, ITERATIONS, &mut *code_key);
        PageCipher {
            salt,
            encryption: Aes256Enc::new(key.bytes().into()),
            decryption: Aes256Dec::new(key.bytes().into()),
            codes: Hmac::new_from_slice(&*code_key).expect("HMAC takes keys of any length"),
        }
    }

    pub fn salt(&self) -> &[u8; SALT_BYTES] {
        &self.salt
    }

    /// Encrypts a page in place; its last [`RESERVED_BYTES`] are overwritten.
    pub fn seal(&self, number: u32, page: &mut [u8], vector: [u8; VECTOR_BYTES]) {
        let start = start_of(number);
        page[VECTOR_AT..CODE_AT].copy_from_slice(&vector);
        let (blocks, _) = Block::slice_as_chunks_mut(&mut page[start..VECTOR_AT]);
        cbc::Encryptor::inner_iv_init(&self.encryption, &vector.into()).encrypt_blocks(blocks);
        page[..start].copy_from_slice(&self.salt[..start]);
        let code = self.code(number, page).finalize().into_bytes();
        page[CODE_AT..].copy_from_slice(&code);
    }

    /// Decrypts a page in place, with zeros at its end. Returns false, and leaves the page as it is, if it was not
    /// encrypted as this page with this key and salt.
    pub fn open(&self, number: u32, page: &mut [u8]) -> bool {
        if self.code(number, page).verify_slice(&page[CODE_AT..]).is_err() {
            return false;
        }
        let start = start_of(number);
        let vector: [u8; VECTOR_BYTES] = page[VECTOR_AT..CODE_AT].try_into().expect("it has this length");
        let (blocks, _) = Block::slice_as_chunks_mut(&mut page[start..VECTOR_AT]);
        cbc::Decryptor::inner_iv_init(&self.decryption, &vector.into()).decrypt_blocks(blocks);
        page[..start].copy_from_slice(&PLAIN[..start]);
        page[VECTOR_AT..].fill(0);
        true
    }

    fn code(&self, number: u32, page: &[u8]) -> Hmac<Sha512> {
        self.codes.clone().chain_update(&page[start_of(number)..CODE_AT]).chain_update(number.to_le_bytes())
    }
}

/// Where the ciphertext of a page begins: the salt stands before that of page 1.
fn start_of(number: u32) -> usize {
    if number == 1 { SALT_BYTES } else { 0 }
}

/// Where a page lies in the file. They are numbered from 1.
pub(super) fn offset_of(number: u32) -> u64 {
    u64::from(number - 1) * PAGE_BYTES as u64
}
