//! An encrypted database file as SQLite sees it: plain.

use std::{cell::RefCell, ops::Range, sync::Arc};

use super::{DatabaseCipher, PAGE_BYTES, RESERVED_BYTES, page::offset_of};
use crate::{HostError, HostFile, Inode};

/// Where a database's header has the size of its pages, in bytes, and how many of them are unused.
const HEADER_PAGE_BYTES: Range<usize> = 16..18;
const HEADER_RESERVED: usize = 20;

/// Where it has its change counter, how many pages it has, and the change counter for which that number is valid.
const HEADER_CHANGE: Range<usize> = 24..28;
const HEADER_PAGES: Range<usize> = 28..32;
const HEADER_PAGES_VALID: Range<usize> = 92..96;

/// The page that SQLite never writes, because its locks are there: that of the byte at 1 GiB.
const LOCK_PAGE: u32 = (1 << 18) + 1;

/// A database file. It is read and written in whole pages.
pub(crate) struct EncryptedDatabase {
    file: Box<dyn HostFile>,
    cipher: Arc<DatabaseCipher>,
    /// The first page as it was read last, encrypted and plain: SQLite reads a part of it in each transaction.
    first_page: RefCell<Option<(Vec<u8>, Vec<u8>)>>,
}

impl EncryptedDatabase {
    pub fn new(file: Box<dyn HostFile>, cipher: Arc<DatabaseCipher>) -> EncryptedDatabase {
        EncryptedDatabase { file, cipher, first_page: RefCell::new(None) }
    }

    /// Reads a page; false if the file ends before its end.
    fn read_page(&self, number: u32, page: &mut [u8]) -> Result<bool, HostError> {
        if self.file.read_at(page, offset_of(number))? < PAGE_BYTES {
            return Ok(false);
        }
        if number == 1 {
            return self.open_first(page).map(|()| true);
        }
        let is_authentic = if is_zero(page) {
            self.may_be_unwritten(number)?
        } else {
            self.cipher.current().is_some_and(|cipher| cipher.open(number, page))
        };
        if is_authentic { Ok(true) } else { Err(HostError::Damaged(number)) }
    }

    /// Whether a page that was never written may be in the file. SQLite extends a file by writing its last page, and
    /// the others are zeros until they are written. Once the header counts them, they are written: Limbic's connections
    /// have `secure_delete`, without which SQLite leaves out pages that are freed in the transaction that adds them.
    fn may_be_unwritten(&self, number: u32) -> Result<bool, HostError> {
        let mut first = vec![0; PAGE_BYTES];
        if number == LOCK_PAGE || self.file.read_at(&mut first, 0)? < PAGE_BYTES || is_zero(&first) {
            return Ok(true);
        }
        self.open_first(&mut first)?;
        let is_counted = first[HEADER_CHANGE] == first[HEADER_PAGES_VALID];
        let pages = first[HEADER_PAGES].try_into().map(u32::from_be_bytes).expect("it has four bytes");
        Ok(is_counted && number > pages)
    }

    fn open_first(&self, page: &mut [u8]) -> Result<(), HostError> {
        let mut known = self.first_page.borrow_mut();
        if let Some((_, plain)) = known.as_ref().filter(|(sealed, _)| sealed == page) {
            page.copy_from_slice(plain);
            return Ok(());
        }
        let sealed = page.to_vec();
        let cipher = match self.cipher.with_salt(page) {
            Err(HostError::WrongKey) => return Err(HostError::Damaged(1)),
            other => other?,
        };
        if !cipher.open(1, page) {
            return Err(HostError::Damaged(1));
        }
        *known = Some((sealed, page.to_vec()));
        Ok(())
    }

    fn write_page(&self, number: u32, plain: &[u8]) -> Result<(), HostError> {
        if number == 1 && !is_suitable(plain) {
            return Err(HostError::Io("the pages do not have the form of an encrypted database".to_owned()));
        }
        let cipher = match self.cipher.current() {
            Some(cipher) => cipher,
            None => self.cipher.with_new_salt()?,
        };
        let mut page = plain.to_vec();
        self.cipher.seal(&cipher, number, &mut page);
        self.file.write_at(&page, offset_of(number))
    }
}

impl HostFile for EncryptedDatabase {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError> {
        if let Some(number) = page_at(buffer, offset) {
            return Ok(if self.read_page(number, buffer)? { PAGE_BYTES } else { 0 });
        }
        let (start, number) = (within(offset), number_at(offset));
        let end = start + buffer.len();
        if end > PAGE_BYTES {
            return Err(HostError::Io("a read crosses the end of a page".to_owned()));
        }
        let mut page = vec![0; PAGE_BYTES];
        match self.read_page(number, &mut page) {
            // When SQLite opens a file, before it rolls back a journal, it wants to know the form of the pages.
            Ok(false) | Err(HostError::Damaged(_)) if offset == 0 => set_form(&mut page),
            Ok(false) => return Ok(0),
            other => _ = other?,
        }
        buffer.copy_from_slice(&page[start..end]);
        Ok(buffer.len())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        match page_at(bytes, offset) {
            Some(number) => self.write_page(number, bytes),
            None => Err(HostError::Io("an encrypted database is written in pages of 4,096 bytes".to_owned())),
        }
    }

    fn truncate(&self, size_bytes: u64) -> Result<(), HostError> {
        self.file.truncate(size_bytes)
    }

    fn sync(&self) -> Result<(), HostError> {
        self.file.sync()
    }

    fn size(&self) -> Result<u64, HostError> {
        self.file.size()
    }

    fn inode(&self) -> Result<Inode, HostError> {
        self.file.inode()
    }
}

fn is_zero(page: &[u8]) -> bool {
    page.iter().all(|byte| *byte == 0)
}

/// Whether a first page says that its database has pages that can be encrypted.
fn is_suitable(page: &[u8]) -> bool {
    let mut wanted = vec![0; PAGE_BYTES];
    set_form(&mut wanted);
    page[HEADER_PAGE_BYTES] == wanted[HEADER_PAGE_BYTES] && page[HEADER_RESERVED] == wanted[HEADER_RESERVED]
}

/// Makes zeros the header of an empty database whose pages can be encrypted.
fn set_form(page: &mut [u8]) {
    let size = u16::try_from(PAGE_BYTES).expect("pages are small");
    page.fill(0);
    page[HEADER_PAGE_BYTES].copy_from_slice(&size.to_be_bytes());
    page[HEADER_RESERVED] = u8::try_from(RESERVED_BYTES).expect("it is a part of a page");
}

/// The number of the page that has exactly these bytes.
fn page_at(bytes: &[u8], offset: u64) -> Option<u32> {
    (bytes.len() == PAGE_BYTES && within(offset) == 0).then(|| number_at(offset))
}

fn number_at(offset: u64) -> u32 {
    u32::try_from(offset / PAGE_BYTES as u64 + 1).expect("SQLite numbers pages with 32 bits")
}

fn within(offset: u64) -> usize {
    usize::try_from(offset % PAGE_BYTES as u64).expect("pages are small")
}
