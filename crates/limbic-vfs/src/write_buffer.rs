//! A write buffer for journals, which combines many small writes into few large ones.
//!
//! For every page SQLite appends three pieces to the journal (page number, content, checksum), and it writes to the
//! database only after the journal is synced. Journal writes can therefore stay in this process until that sync; reads are
//! served from the buffer. The header that other programs see counts no pages before the sync.

use std::cell::RefCell;

use crate::{HostError, HostFile};

/// The buffer is flushed at this size, which limits the memory of a long transaction.
const MAX_BYTES: usize = 256 * 1024;

/// A file whose writes are buffered until it is synced. Closing it flushes the buffer and ignores failures, since unsynced
/// data has no guarantee.
pub(crate) struct WriteBuffer {
    file: Box<dyn HostFile>,
    buffered: RefCell<Buffered>,
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

    /// Overlays the `read` bytes read at `offset` with the buffered range; returns the number of valid bytes.
    fn overlay(&self, buffer: &mut [u8], offset: u64, read: usize) -> usize {
        let length = as_u64(buffer.len());
        let place = |at: u64| as_usize(at.saturating_sub(offset).min(length));
        let (from, to) = (place(self.offset), place(self.end()));
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
    pub fn new(file: Box<dyn HostFile>) -> Self {
        Self { file, buffered: RefCell::default() }
    }

    fn flush(&self) -> Result<(), HostError> {
        let mut buffered = self.buffered.borrow_mut();
        if !buffered.bytes.is_empty() {
            self.file.write_at(&buffered.bytes, buffered.offset)?;
            buffered.bytes.clear();
        }
        Ok(())
    }
}

impl HostFile for WriteBuffer {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError> {
        let read = self.file.read_at(buffer, offset)?;
        Ok(self.buffered.borrow().overlay(buffer, offset, read))
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
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

    fn truncate(&self, size_bytes: u64) -> Result<(), HostError> {
        self.file.truncate(size_bytes)?;
        let mut buffered = self.buffered.borrow_mut();
        let left = as_usize(size_bytes.saturating_sub(buffered.offset).min(as_u64(buffered.bytes.len())));
        buffered.bytes.truncate(left);
        Ok(())
    }

    fn sync(&self, data_only: bool) -> Result<(), HostError> {
        self.flush()?;
        self.file.sync(data_only)
    }

    fn size(&self) -> Result<u64, HostError> {
        let size = self.file.size()?;
        let buffered = self.buffered.borrow();
        Ok(if buffered.bytes.is_empty() { size } else { size.max(buffered.end()) })
    }
}

impl Drop for WriteBuffer {
    fn drop(&mut self) {
        let _ = self.flush();
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
    use crate::{Host, OpenMode, simulator::Machine};

    fn opened() -> (Machine, WriteBuffer) {
        let machine = Machine::new(1);
        let file = machine.process().open("/journal", OpenMode::Create).expect("the disk is empty");
        (machine, WriteBuffer::new(file))
    }

    fn read(file: &dyn HostFile, offset: u64, most: usize) -> Vec<u8> {
        let mut buffer = vec![0xEE; most];
        let read = file.read_at(&mut buffer, offset).expect("the disk works");
        buffer.truncate(read);
        buffer
    }

    /// Compares contents with an unbuffered file after the same random operations.
    #[test]
    fn reads_the_same_as_an_unbuffered_file() {
        let (machine, file) = opened();
        let plain = machine.process().open("/plain", OpenMode::Create).expect("the disk is empty");
        let mut random = crate::simulator::Random::new(7);
        for step in 0..2_000_u64 {
            let offset = random.below(300);
            let length = usize::try_from(random.below(40)).expect("small");
            let bytes = vec![u8::try_from(step % 251).expect("small"); length];
            match random.below(10) {
                0 => file.sync(false).expect("the disk works"),
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
            assert_eq!(file.size(), plain.size(), "step {step}");
            assert_eq!(read(&file, offset, 60), read(&*plain, offset, 60), "step {step}");
        }
        drop(file);
        let process = machine.process();
        assert_eq!(process.read("/journal"), process.read("/plain"));
    }

    #[test]
    fn adjacent_writes_are_combined_and_survive_a_failed_flush() {
        let (machine, file) = opened();
        let before = machine.calls();
        for piece in 0..30_u64 {
            file.write_at(&[7; 100], piece * 100).expect("the disk works");
        }
        assert_eq!(machine.calls(), before, "nothing is written before the sync");
        machine.plan(0, crate::simulator::Fault::Error);
        file.sync(false).expect_err("the write fails");
        machine.mend();
        assert_eq!(read(&file, 0, 4_000), [7; 3_000]);
        file.sync(false).expect("the disk works again");
        assert_eq!(machine.process().read("/journal"), Ok(vec![7; 3_000]));
    }
}
