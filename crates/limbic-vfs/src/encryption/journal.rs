//! An encrypted rollback journal as SQLite sees it: plain.
//!
//! SQLite reads and writes each record in three pieces: the number of a page, its content, a checksum of the content
//! (<https://www.sqlite.org/fileformat2.html#the_rollback_journal>). The content is encrypted as in the database. The
//! checksum in the file is that of the encrypted content, as SQLCipher writes it, so that it reveals nothing of the
//! plain one. It is a sum of some of the bytes, so that it can be converted.

use std::{cell::Cell, sync::Arc};

use super::{DatabaseCipher, PAGE_BYTES};
use crate::{HostError, HostFile, Inode};

/// The length of a page's number, and of a checksum, in bytes.
const WORD_BYTES: usize = 4;

/// The checksum is the sum of every byte at this distance, from the end, and of a random number.
const SUMMED_AT: usize = 200;

/// A word that is expected at an offset, and a number that belongs to it.
type Expected = Cell<Option<(u64, u32)>>;

/// A journal.
pub(crate) struct EncryptedJournal {
    file: Box<dyn HostFile>,
    cipher: Arc<DatabaseCipher>,
    /// Where the content of a page will be written, and the page's number.
    announced: Expected,
    /// Where the checksum of a page will be written, and what is added to it.
    written: Expected,
    /// Where the checksum of a page will be read, and what is subtracted from it.
    read: Expected,
}

impl EncryptedJournal {
    pub fn new(file: Box<dyn HostFile>, cipher: Arc<DatabaseCipher>) -> EncryptedJournal {
        let (announced, written, read) = (Cell::default(), Cell::default(), Cell::default());
        EncryptedJournal { file, cipher, announced, written, read }
    }

    /// The number of the page whose content is at `offset`.
    fn number(&self, offset: u64) -> Result<u32, HostError> {
        let mut word = [0; WORD_BYTES];
        let at = offset.checked_sub(WORD_BYTES as u64);
        let read = at.map_or(Ok(0), |at| self.file.read_at(&mut word, at))?;
        Ok(if read == WORD_BYTES { u32::from_be_bytes(word) } else { 0 })
    }

    fn write_page(&self, plain: &[u8], offset: u64) -> Result<(), HostError> {
        let number = match self.announced.take() {
            Some((at, number)) if at == offset => number,
            _ => self.number(offset)?,
        };
        let cipher = self.cipher.current().filter(|_| number > 0);
        let cipher =
            cipher.ok_or_else(|| HostError::Io("a page of the journal has no number or salt".to_owned()))?;
        let mut page = plain.to_vec();
        self.cipher.seal(&cipher, number, &mut page);
        self.written.set(Some((end_of(offset), sum(&page).wrapping_sub(sum(plain)))));
        self.file.write_at(&page, offset)
    }

    fn read_page(&self, page: &mut [u8], offset: u64) -> Result<usize, HostError> {
        let count = self.file.read_at(page, offset)?;
        if count < PAGE_BYTES {
            return Ok(count);
        }
        let number = self.number(offset)?;
        let sealed = sum(page);
        let is_open = number > 0 && self.cipher.current().is_some_and(|cipher| cipher.open(number, page));
        // What is not a record of this transaction is for SQLite to ignore: its checksum must be wrong.
        let difference = if is_open { sealed.wrapping_sub(sum(page)) } else { 1 };
        self.read.set(Some((end_of(offset), difference)));
        Ok(count)
    }
}

impl HostFile for EncryptedJournal {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError> {
        if buffer.len() == PAGE_BYTES {
            return self.read_page(buffer, offset);
        }
        let count = self.file.read_at(buffer, offset)?;
        if let (Ok(word), Some(difference)) =
            (<&mut [u8; WORD_BYTES]>::try_from(buffer), taken(&self.read, offset))
        {
            *word = u32::from_be_bytes(*word).wrapping_sub(difference).to_be_bytes();
        }
        Ok(count)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        if bytes.len() == PAGE_BYTES {
            return self.write_page(bytes, offset);
        }
        let Ok(word) = <[u8; WORD_BYTES]>::try_from(bytes).map(u32::from_be_bytes) else {
            return self.file.write_at(bytes, offset);
        };
        if let Some(difference) = taken(&self.written, offset) {
            return self.file.write_at(&word.wrapping_add(difference).to_be_bytes(), offset);
        }
        self.announced.set(Some((offset + WORD_BYTES as u64, word)));
        self.file.write_at(bytes, offset)
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

/// Takes the number that belongs to the word at this offset, if it is the one that is expected.
fn taken(expected: &Expected, offset: u64) -> Option<u32> {
    expected.take().filter(|(at, _)| *at == offset).map(|(_, number)| number)
}

fn end_of(offset: u64) -> u64 {
    offset + PAGE_BYTES as u64
}

/// The part of a checksum that the content determines.
fn sum(page: &[u8]) -> u32 {
    let offsets = (1..).map_while(|step| PAGE_BYTES.checked_sub(step * SUMMED_AT)).filter(|at| *at > 0);
    offsets.map(|at| u32::from(page[at])).fold(0, u32::wrapping_add)
}
