//! A write buffer for journals, which combines many small writes into few large ones.
//!
//! For every page SQLite appends three pieces to the journal (page number, content, checksum), and it writes to the
//! database only after the journal is synced. Journal writes can therefore stay in this process until that sync; reads
//! are served from the buffer. The header that other programs see counts no pages before the sync.

use std::cell::{Cell, RefCell};

use crate::{
    HostError, HostFile, Inode,
    file::{HEADER_BYTES, ends_transaction},
    mutex::lock,
    opened::SharedLocks,
};

/// The buffer is flushed at this size, which limits the memory of a long transaction.
const MAX_BYTES: usize = 256 * 1024;
/// Attempts to write the header of a transaction that could not be ended.
const MAX_RESTORES: usize = 3;
/// An ended journal is overwritten in pieces of this size.
const ERASED_AT_ONCE: usize = 64 * 1024;
/// SQLite begins each part of a journal at a multiple of this, the sector size of a device that is powersafe.
const SECTOR_BYTES: u64 = 512;
/// A journal keeps at most this length after a transaction: what lies beyond is overwritten and cut off. Most
/// transactions fit, so that their journal need not grow. All of it is overwritten after each, because another process
/// may have written it.
const MAX_KEPT_BYTES: u64 = 256 * 1024;

/// A file whose writes are buffered until it is synced. Closing it flushes the buffer and ignores failures, since
/// unsynced data has no guarantee.
///
/// # Failed syncs
/// After a failed sync the operating system may have dropped what it was to write, and the next sync may succeed
/// nevertheless. What was written since the last successful sync is therefore kept and written again before the next
/// one.
///
/// A sync that writes zeros over the header ends the transaction. If it fails, the header is written back, so that the
/// journal stays valid and the transaction, whose failure SQLite reports, is rolled back by the next reader. The file
/// then accepts no writes until it is opened again.
///
/// # Erasing
/// The journal holds the pages as they were before the transaction, and so the texts that the transaction deleted.
/// After its end has been synced, the rest of the file is overwritten with zeros. That is not synced: SQLite ignores
/// what follows a cleared header. A failure is not reported, because the transaction has ended; the next one tries
/// again.
///
/// # The end of a journal
/// A journal has parts, each with a header, and a rollback goes on with the next part while there is a header. Behind a
/// new journal the disk may hold parts of an earlier one: zeros that were written over them are lost if the sync that
/// should have brought them to the disk fails, and from then on they can be read but are not on the disk. Each sync
/// therefore writes zeros behind the journal, where the next header would be.
pub(crate) struct WriteBuffer {
    file: Box<dyn HostFile>,
    buffered: RefCell<Buffered>,
    /// The writes to the file since the last successful sync.
    unsynced: RefCell<Unsynced>,
    condition: Cell<Condition>,
    /// The offset before which bytes may be other than zeros; `None` while nothing is known of the file.
    filled_to: Cell<Option<u64>>,
    /// Where the journal of this transaction ends.
    end: Cell<u64>,
    /// The end behind which zeros were written.
    marked_end: Cell<u64>,
    /// The locks under which the file may be written.
    locks: Option<SharedLocks>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    Sound,
    /// A write or sync has failed since the last successful sync.
    Failed,
    /// A transaction could not be ended.
    Refused,
}

/// Written and unsynced ranges, in order.
#[derive(Default)]
struct Unsynced {
    ranges: Vec<Buffered>,
    /// Whether some were not kept, because they are more than [`MAX_BYTES`].
    is_incomplete: bool,
}

impl Unsynced {
    fn keep(&mut self, range: Buffered) {
        let kept: usize = self.ranges.iter().map(|range| range.bytes.len()).sum();
        if self.is_incomplete || kept > MAX_BYTES {
            *self = Unsynced { ranges: Vec::new(), is_incomplete: true };
        } else {
            self.ranges.push(range);
        }
    }
}

/// A contiguous range of the file. It is kept until all of it is written, because SQLite rolls back from it after a
/// failure.
#[derive(Default)]
struct Buffered {
    offset: u64,
    bytes: Vec<u8>,
}

impl Buffered {
    fn end(&self) -> u64 {
        self.offset + as_u64(self.bytes.len())
    }

    /// Adds bytes that overlap the range or directly follow it; returns false for any others.
    fn absorb(&mut self, bytes: &[u8], offset: u64) -> bool {
        if self.bytes.is_empty() {
            self.offset = offset;
        }
        if offset < self.offset || offset > self.end() {
            return false;
        }
        let start = as_usize(offset - self.offset);
        let inside = bytes.len().min(self.bytes.len() - start);
        self.bytes[start..start + inside].copy_from_slice(&bytes[..inside]);
        self.bytes.extend_from_slice(&bytes[inside..]);
        true
    }

    /// Removes what lies at or beyond `size_bytes`.
    fn cut(&mut self, size_bytes: u64) {
        self.bytes.truncate(as_usize(size_bytes.saturating_sub(self.offset).min(as_u64(self.bytes.len()))));
    }

    /// Whether writing it ends a transaction.
    fn clears_header(&self) -> bool {
        ends_transaction(&self.bytes, self.offset)
    }

    /// Overlays the `read` bytes read at `offset` with the buffered range; returns the number of valid bytes.
    fn overlay(&self, buffer: &mut [u8], offset: u64, read: usize) -> usize {
        let length = as_u64(buffer.len());
        let index = |at: u64| as_usize(at.saturating_sub(offset).min(length));
        let (from, to) = (index(self.offset), index(self.end()));
        if self.bytes.is_empty() || to == 0 {
            return read;
        }
        // A gap between the end of the file and the buffered range reads as zeros, as it will after the flush.
        if read < from {
            buffer[read..from].fill(0);
        }
        let skipped = as_usize(offset.saturating_sub(self.offset));
        buffer[from..to].copy_from_slice(&self.bytes[skipped..][..to - from]);
        read.max(to)
    }
}

impl WriteBuffer {
    pub fn new(file: Box<dyn HostFile>, locks: Option<SharedLocks>) -> Self {
        let (buffered, unsynced) = (RefCell::default(), RefCell::default());
        Self {
            file,
            buffered,
            unsynced,
            condition: Cell::new(Condition::Sound),
            filled_to: Cell::new(None),
            end: Cell::new(0),
            marked_end: Cell::new(0),
            locks,
        }
    }

    fn flush(&self) -> Result<(), HostError> {
        let mut buffered = self.buffered.borrow_mut();
        if !buffered.bytes.is_empty() {
            self.confirm()?;
            self.file.write_at(&buffered.bytes, buffered.offset)?;
            self.filled_to.set(self.filled_to.get().map(|filled| filled.max(buffered.end())));
            self.unsynced.borrow_mut().keep(std::mem::take(&mut *buffered));
        }
        Ok(())
    }

    fn write_and_sync(&self) -> Result<(), HostError> {
        if self.condition.get() == Condition::Failed {
            let unsynced = self.unsynced.borrow();
            if unsynced.is_incomplete {
                return Err(HostError::Io("an earlier sync has failed".to_owned()));
            }
            self.confirm()?;
            for range in &unsynced.ranges {
                self.file.write_at(&range.bytes, range.offset)?;
            }
        }
        self.flush()?;
        self.file.sync()
    }

    fn put(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        if self.buffered.borrow().bytes.len() >= MAX_BYTES {
            self.flush()?;
        }
        if self.buffered.borrow_mut().absorb(bytes, offset) {
            return Ok(());
        }
        self.flush()?;
        *self.buffered.borrow_mut() = Buffered { offset, bytes: bytes.to_vec() };
        Ok(())
    }

    /// Writes zeros where the next header would be.
    fn mark_end(&self) -> Result<(), HostError> {
        let end = self.end.get();
        if self.marked_end.get() < end {
            let zeros = vec![0; as_usize(end.next_multiple_of(SECTOR_BYTES) + SECTOR_BYTES - end)];
            self.put(&zeros, end)?;
            self.marked_end.set(end);
        }
        Ok(())
    }

    /// The header in the file, if the buffer is about to clear it.
    fn header_to_clear(&self) -> Result<Option<Vec<u8>>, HostError> {
        if !self.buffered.borrow().clears_header() {
            return Ok(None);
        }
        let mut header = [0; HEADER_BYTES];
        let read = self.file.read_at(&mut header, 0)?;
        Ok(Some(header[..read].to_vec()))
    }

    /// Checks that the file is still that of the transaction, and may be written.
    fn confirm(&self) -> Result<(), HostError> {
        let Some(locks) = &self.locks else { return Ok(()) };
        lock(locks).confirm_step()
    }

    fn refuse(&self) {
        self.condition.set(Condition::Refused);
        *self.buffered.borrow_mut() = Buffered::default();
    }

    /// Makes the journal valid again after its transaction could not be ended.
    fn restore(&self, header: &[u8]) {
        self.refuse();
        // The journal of another would be damaged.
        if self.confirm().is_err() {
            return;
        }
        if (0..MAX_RESTORES).any(|_| self.file.write_at(header, 0).is_ok()) {
            // The transaction has failed whether or not this reaches the disk before a power failure.
            let _ = self.file.sync();
        }
    }

    /// Overwrites what the ended transaction left behind the header.
    fn erase(&self) {
        // Whatever an earlier process left is overwritten as well, once.
        let Ok(filled_to) = self.filled_to.get().map_or_else(|| self.file.size(), Ok) else { return };
        let zeros = vec![0; as_usize(filled_to.min(as_u64(ERASED_AT_ONCE)))];
        let mut offset = as_u64(HEADER_BYTES);
        while offset < filled_to {
            let length = as_usize((filled_to - offset).min(as_u64(ERASED_AT_ONCE)));
            // Without the locks, the journal of another would be damaged.
            if self.confirm().and_then(|()| self.file.write_at(&zeros[..length], offset)).is_err() {
                return;
            }
            offset += as_u64(length);
        }
        if filled_to > MAX_KEPT_BYTES && self.file.truncate(MAX_KEPT_BYTES).is_err() {
            return;
        }
        self.filled_to.set(Some(0));
    }

    fn require_writable(&self) -> Result<(), HostError> {
        if self.condition.get() == Condition::Refused {
            return Err(HostError::Io("the transaction could not be ended".to_owned()));
        }
        Ok(())
    }
}

impl HostFile for WriteBuffer {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError> {
        let read = self.file.read_at(buffer, offset)?;
        if offset < as_u64(HEADER_BYTES) {
            // A rollback begins here. In a journal that another has ended there would be nothing to roll back, and
            // SQLite would keep the changed pages in its cache.
            self.confirm()?;
        }
        Ok(self.buffered.borrow().overlay(buffer, offset, read))
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        self.require_writable()?;
        self.put(bytes, offset)?;
        self.end.set(self.end.get().max(offset + as_u64(bytes.len())));
        Ok(())
    }

    fn truncate(&self, size_bytes: u64) -> Result<(), HostError> {
        self.require_writable()?;
        self.confirm()?;
        self.file.truncate(size_bytes)?;
        self.filled_to.set(self.filled_to.get().map(|filled| filled.min(size_bytes)));
        self.end.set(self.end.get().min(size_bytes));
        self.marked_end.set(self.marked_end.get().min(size_bytes));
        self.buffered.borrow_mut().cut(size_bytes);
        self.unsynced.borrow_mut().ranges.iter_mut().for_each(|range| range.cut(size_bytes));
        Ok(())
    }

    fn sync(&self) -> Result<(), HostError> {
        self.require_writable()?;
        let header = self.header_to_clear().inspect_err(|_| self.refuse())?;
        let has_ended = header.is_some();
        if !has_ended {
            self.mark_end()?;
        }
        match (self.write_and_sync(), header) {
            (Ok(()), _) => {
                *self.unsynced.borrow_mut() = Unsynced::default();
                self.condition.set(Condition::Sound);
                if has_ended {
                    self.end.set(0);
                    self.marked_end.set(0);
                    self.erase();
                }
                Ok(())
            }
            (Err(error), Some(header)) => {
                self.restore(&header);
                Err(error)
            }
            (Err(error), None) => {
                self.condition.set(Condition::Failed);
                Err(error)
            }
        }
    }

    fn size(&self) -> Result<u64, HostError> {
        let size = self.file.size()?;
        let buffered = self.buffered.borrow();
        Ok(if buffered.bytes.is_empty() { size } else { size.max(buffered.end()) })
    }

    fn inode(&self) -> Result<Inode, HostError> {
        self.file.inode()
    }
}

impl Drop for WriteBuffer {
    fn drop(&mut self) {
        // After a failure SQLite has reported, what is left in the buffer must not take effect.
        if self.condition.get() == Condition::Sound {
            let _ = self.flush();
        }
    }
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).expect("memory is smaller than 2^64")
}

/// Converts an offset within a buffer.
fn as_usize(distance: u64) -> usize {
    usize::try_from(distance).expect("a buffer is in memory")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Host, OpenMode,
        simulator::{Fault, Machine},
    };

    fn opened() -> (Machine, WriteBuffer) {
        let machine = Machine::new(1);
        let file = machine.process().open("/journal", OpenMode::Create).expect("the disk is empty");
        (machine, WriteBuffer::new(file, None))
    }

    fn read(file: &dyn HostFile, offset: u64, max_bytes: usize) -> Vec<u8> {
        let mut buffer = vec![0xEE; max_bytes];
        let read = file.read_at(&mut buffer, offset).expect("the disk works");
        buffer.truncate(read);
        buffer
    }

    /// The length of a synced journal of this many bytes, with the zeros behind it.
    fn marked(bytes: u64) -> usize {
        as_usize(bytes.next_multiple_of(SECTOR_BYTES) + SECTOR_BYTES)
    }

    /// Bytes with zeros behind them.
    fn with_zeros(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
        bytes.resize(length.max(bytes.len()), 0);
        bytes
    }

    /// Compares contents with an unbuffered file after the same random operations; only zeros may follow.
    #[test]
    fn reads_the_same_as_an_unbuffered_file() {
        let (machine, file) = opened();
        let plain = machine.process().open("/plain", OpenMode::Create).expect("the disk is empty");
        let mut random = limbic_protocol::SplitMix64::new(7);
        for step in 0..2_000_u64 {
            let offset = random.below(300);
            let length = usize::try_from(random.below(40)).expect("small");
            let bytes = vec![u8::try_from(step % 251).expect("small"); length];
            match random.below(10) {
                0 => file.sync().expect("the disk works"),
                1 => {
                    file.truncate(offset).expect("the disk works");
                    plain.truncate(offset).expect("the disk works");
                }
                2..=4 => {
                    let end = file.size().expect("the disk works");
                    file.write_at(&bytes, end).expect("the disk works");
                    plain.write_at(&bytes, end).expect("the disk works");
                }
                _ => {
                    file.write_at(&bytes, offset).expect("the disk works");
                    plain.write_at(&bytes, offset).expect("the disk works");
                }
            }
            let found = read(&file, offset, 60);
            assert_eq!(found, with_zeros(read(&*plain, offset, 60), found.len()), "step {step}");
        }
        drop(file);
        let [found, plain] =
            ["/journal", "/plain"].map(|path| machine.process().read(path).expect("it is there"));
        assert_eq!(found, with_zeros(plain, found.len()));
    }

    #[test]
    fn adjacent_writes_are_combined_and_survive_a_failed_flush() {
        let (machine, file) = opened();
        let before = machine.calls();
        for piece in 0..30_u64 {
            file.write_at(&[7; 100], piece * 100).expect("the disk works");
        }
        assert_eq!(machine.calls(), before, "nothing is written before the sync");
        machine.plan(0, Fault::Error);
        file.sync().expect_err("the write fails");
        machine.mend();
        assert_eq!(read(&file, 0, 3_000), [7; 3_000]);
        file.sync().expect("the disk works again");
        assert_eq!(machine.process().read("/journal"), Ok(with_zeros(vec![7; 3_000], marked(3_000))));
    }

    /// A power failure loses everything that is not on the disk.
    fn survivor(machine: &Machine) -> Vec<u8> {
        machine.plan(0, Fault::PowerFailure);
        machine.process().stat("/journal").expect_err("the power fails");
        machine.process().read("/journal").expect("the file is there")
    }

    #[test]
    fn an_ended_journal_holds_zeros_alone() {
        let (machine, file) = opened();
        file.write_at(&[7; 200_000], 0).expect("the disk works");
        file.sync().expect("the disk works");
        file.write_at(&[0; HEADER_BYTES], 0).expect("the disk works");
        file.sync().expect("the disk works");
        drop(file);
        assert_eq!(machine.process().read("/journal"), Ok(vec![0; marked(200_000)]));
    }

    #[test]
    fn remains_of_an_earlier_process_in_a_journal_are_erased_with_the_next_transaction() {
        let (machine, file) = opened();
        file.write_at(&[7; 5_000_000], 0).expect("the disk works");
        file.sync().expect("the disk works");
        drop(file);
        let again = machine.process().open("/journal", OpenMode::Create).expect("the disk works");
        let file = WriteBuffer::new(again, None);
        file.write_at(&[8; 100], 0).expect("the disk works");
        file.sync().expect("the disk works");
        file.write_at(&[0; HEADER_BYTES], 0).expect("the disk works");
        file.sync().expect("the disk works");
        drop(file);
        let left = machine.process().read("/journal").expect("the file is there");
        assert_eq!(left, vec![0; as_usize(MAX_KEPT_BYTES)]);
    }

    #[test]
    fn bytes_of_a_failed_sync_are_written_again() {
        let (machine, file) = opened();
        machine.process().sync_folder("/").expect("the disk works");
        file.write_at(&[7; 3_000], 0).expect("the disk works");
        machine.plan(0, Fault::LostSync);
        file.sync().expect_err("the sync fails");
        file.sync().expect("the disk works again");
        assert_eq!(survivor(&machine), with_zeros(vec![7; 3_000], marked(3_000)));
    }

    /// Parts of an earlier transaction that follow the new journal would be rolled back with it.
    #[test]
    fn nothing_that_was_erased_follows_a_journal_after_a_failed_sync() {
        let (machine, file) = opened();
        machine.process().sync_folder("/").expect("the disk works");
        file.write_at(&[7; 9_000], 0).expect("the disk works");
        file.sync().expect("the disk works");
        file.write_at(&[0; HEADER_BYTES], 0).expect("the disk works");
        file.sync().expect("the disk works");
        file.write_at(&[8; 1_000], 0).expect("the disk works");
        machine.plan(1, Fault::LostSync);
        file.sync().expect_err("the sync fails");
        assert!(machine.mend());
        drop(file);
        let again = machine.process().open("/journal", OpenMode::Write).expect("it is there");
        let file = WriteBuffer::new(again, None);
        file.write_at(&[9; 1_000], 0).expect("the disk works");
        file.sync().expect("the disk works again");
        let left = survivor(&machine);
        assert_eq!(left[..marked(1_000)], with_zeros(vec![9; 1_000], marked(1_000)));
    }

    #[test]
    fn a_transaction_that_could_not_be_ended_stays_in_the_journal() {
        for fault in [Fault::LostSync, Fault::Error] {
            for call in 0..3 {
                let (machine, file) = opened();
                machine.process().sync_folder("/").expect("the disk works");
                file.write_at(&[7; 3_000], 0).expect("the disk works");
                file.sync().expect("the disk works");
                file.write_at(&[0; HEADER_BYTES], 0).expect("the disk works");
                machine.plan(call, fault);
                file.sync().expect_err("the sync fails");
                file.sync().expect_err("it stays refused");
                drop(file);
                let left = machine.process().read("/journal");
                assert_eq!(left, Ok(with_zeros(vec![7; 3_000], marked(3_000))), "{fault:?} at {call}");
            }
        }
    }
}
