//! Reads the `-wal` of a database: changes that are committed but not yet in the main file, determined as by SQLite's
//! recovery (<https://www.sqlite.org/fileformat2.html#the_write_ahead_log>).

use std::{
    collections::HashMap,
    io::{Chain, Cursor, Read},
};

use crate::{Error, Result};

/// The start of a WAL; its last bit is the byte order of the checksums.
const MAGIC: u32 = 0x377f_0682;

/// The only version of the format.
const VERSION: u32 = 3_007_000;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;

/// Maximum size of a page, in bytes.
const MAX_PAGE_BYTES: usize = 65536;

/// The bytes of page 1 with the file format versions for writing and reading.
const FORMAT: std::ops::Range<usize> = 18..20;

/// The format of a database in WAL mode.
const WAL_FORMAT: u8 = 2;

/// The format of a database with a rollback journal.
const ROLLBACK_FORMAT: u8 = 1;

/// Length of the part of a database's header that is read, in bytes.
const DATABASE_HEADER_BYTES: usize = 100;

/// The `-wal` of a database that is given as bytes, as far as it is known.
pub enum WalFile {
    /// Unknown: there may be one.
    Unknown,
    /// There is none.
    Absent,
    /// Its content.
    Bytes(Vec<u8>),
}

impl From<Vec<u8>> for WalFile {
    /// An empty WAL counts as none.
    fn from(bytes: Vec<u8>) -> Self {
        if bytes.is_empty() { Self::Absent } else { Self::Bytes(bytes) }
    }
}

/// A database whose header was read before the rest.
pub type Whole<R> = Merged<Chain<Cursor<Vec<u8>>, R>>;

/// Merges a database of `size` bytes with the committed content of its WAL. Returns it with its length in bytes.
///
/// # Errors
/// [`Error::WalMissing`] if it is in WAL mode and its WAL is unknown; [`Error::Damaged`] if the WAL cannot belong to
/// this database.
pub fn merged<R: Read>(mut main: R, size: usize, wal_file: WalFile) -> Result<(Whole<R>, usize)> {
    let mut header = Vec::new();
    let read =
        main.by_ref().take(DATABASE_HEADER_BYTES.try_into().unwrap_or(u64::MAX)).read_to_end(&mut header);
    let is_whole = read.is_ok() && header.len() == DATABASE_HEADER_BYTES;
    let wal = match wal_file {
        WalFile::Bytes(bytes) => Wal::read(bytes),
        WalFile::Absent => None,
        WalFile::Unknown if is_whole && header[FORMAT].contains(&WAL_FORMAT) => {
            return Err(Error::WalMissing);
        }
        WalFile::Unknown => None,
    };
    let mut size = size;
    if let Some(wal) = &wal {
        let page_bytes = if is_whole { u16::from_be_bytes([header[16], header[17]]) } else { 0 };
        // 1 means 65536, which does not fit into two bytes.
        let page_bytes = if page_bytes == 1 { MAX_PAGE_BYTES } else { usize::from(page_bytes) };
        size = wal.database_bytes().filter(|_| page_bytes == wal.page_bytes).ok_or_else(|| {
            Error::Damaged("the file beside it that ends in -wal belongs to another database".into())
        })?;
    }
    Ok((Merged::new(Cursor::new(header).chain(main), wal), size))
}

/// The committed pages of a WAL.
pub struct Wal {
    bytes: Vec<u8>,
    page_bytes: usize,
    /// Offsets of the newest committed content of each page.
    pages: HashMap<u32, usize>,
    /// Number of pages of the database after the last commit.
    page_count: u32,
}

impl Wal {
    /// Reads a WAL; `None` if nothing in it is committed. As in SQLite, it ends at the first frame whose checksum does
    /// not match: later frames are left from earlier or incomplete.
    #[must_use]
    pub fn read(bytes: Vec<u8>) -> Option<Self> {
        let header = bytes.get(..HEADER_BYTES)?;
        let (magic, page_bytes) = (word(header, 0), usize::try_from(word(header, 8)).ok()?);
        let is_sane = (512..=MAX_PAGE_BYTES).contains(&page_bytes) && page_bytes.is_power_of_two();
        if magic & !1 != MAGIC || word(header, 4) != VERSION || !is_sane {
            return None;
        }
        let mut sums = Sums { is_big_endian: magic & 1 == 1, first: 0, second: 0 };
        sums.add(&header[..24]);
        if !sums.are(header, 24) {
            return None;
        }
        let (mut pages, mut open, mut page_count) = (HashMap::new(), Vec::new(), 0);
        for (number, frame) in bytes[HEADER_BYTES..].chunks_exact(FRAME_HEADER_BYTES + page_bytes).enumerate()
        {
            sums.add(&frame[..8]);
            sums.add(&frame[FRAME_HEADER_BYTES..]);
            let page = word(frame, 0);
            if frame[8..16] != header[16..24] || page == 0 || !sums.are(frame, 16) {
                break;
            }
            let start = HEADER_BYTES + number * (FRAME_HEADER_BYTES + page_bytes) + FRAME_HEADER_BYTES;
            open.push((page, start));
            let pages_after = word(frame, 4);
            if pages_after > 0 {
                pages.extend(open.drain(..));
                page_count = pages_after;
            }
        }
        (page_count > 0).then_some(Self { bytes, page_bytes, pages, page_count })
    }

    /// Returns the newest committed content of a page.
    #[must_use]
    pub fn page(&self, number: u32) -> Option<&[u8]> {
        let start = *self.pages.get(&number)?;
        Some(&self.bytes[start..start + self.page_bytes])
    }

    /// Returns the size of a page, in bytes.
    #[must_use]
    pub fn page_bytes(&self) -> usize {
        self.page_bytes
    }

    /// Returns the length of the database with these pages, in bytes.
    #[must_use]
    pub(crate) fn database_bytes(&self) -> Option<usize> {
        usize::try_from(self.page_count).ok()?.checked_mul(self.page_bytes)
    }
}

/// A reader of a database with its WAL's pages merged in. The header's format versions are changed from WAL to rollback
/// journal, because a database in memory cannot have a WAL.
pub struct Merged<R> {
    main: R,
    wal: Option<Wal>,
    piece: Vec<u8>,
    given: usize,
    page: u32,
}

/// Bytes read at once if there is no WAL.
const PIECE_BYTES: usize = 65536;

impl<R: Read> Merged<R> {
    /// Creates a reader at the start of the main file.
    pub fn new(main: R, wal: Option<Wal>) -> Self {
        Self { main, wal, piece: Vec::new(), given: 0, page: 0 }
    }

    fn next_piece(&mut self) -> std::io::Result<()> {
        let bytes = self.wal.as_ref().map_or(PIECE_BYTES, Wal::page_bytes);
        self.given = 0;
        self.piece.clear();
        self.main.by_ref().take(bytes.try_into().unwrap_or(u64::MAX)).read_to_end(&mut self.piece)?;
        self.page += 1;
        if let Some(wal) = self.wal.as_ref().filter(|wal| self.page <= wal.page_count) {
            // A page that is new in the WAL lies beyond the end of the main file.
            self.piece.resize(bytes, 0);
            if let Some(page) = wal.page(self.page) {
                self.piece.copy_from_slice(page);
            }
        } else if self.wal.is_some() {
            self.piece.clear();
        }
        if self.page == 1 && self.piece.len() >= FORMAT.end {
            self.piece[FORMAT].fill(ROLLBACK_FORMAT);
        }
        Ok(())
    }
}

impl<R: Read> Read for Merged<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.given == self.piece.len() {
            self.next_piece()?;
        }
        let rest = &self.piece[self.given..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}

/// The running checksums.
struct Sums {
    is_big_endian: bool,
    first: u32,
    second: u32,
}

impl Sums {
    fn add(&mut self, bytes: &[u8]) {
        for pair in bytes.chunks_exact(8) {
            let [left, right] = [0, 4].map(|at| {
                let word = word(pair, at);
                if self.is_big_endian { word } else { word.swap_bytes() }
            });
            self.first = self.first.wrapping_add(left).wrapping_add(self.second);
            self.second = self.second.wrapping_add(right).wrapping_add(self.first);
        }
    }

    fn are(&self, bytes: &[u8], at: usize) -> bool {
        self.first == word(bytes, at) && self.second == word(bytes, at + 4)
    }
}

/// Reads four bytes as a big-endian number.
pub(crate) fn word(bytes: &[u8], at: usize) -> u32 {
    let four = bytes[at..at + 4].try_into().expect("a range of four bytes has four");
    u32::from_be_bytes(four)
}
