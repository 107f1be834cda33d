//! The chunks of an export.

use limbic_core::Result;

/// Approximate size of a chunk.
const PIECE_BYTES: usize = 64 * 1024;

/// Receives the chunks of an export, in order.
pub type Sink<'a> = &'a mut dyn FnMut(&[u8]) -> Result<()>;

/// Buffers small writes.
pub struct Pieces<'a> {
    buffer: Vec<u8>,
    bytes: u64,
    sink: Sink<'a>,
}

impl<'a> Pieces<'a> {
    /// Creates an empty buffer in front of a sink.
    pub fn new(sink: Sink<'a>) -> Self {
        Self { buffer: Vec::new(), bytes: 0, sink }
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// Errors of the sink.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        for part in bytes.chunks(PIECE_BYTES) {
            self.buffer.extend_from_slice(part);
            if self.buffer.len() >= PIECE_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Passes the rest to the sink. Returns the number of bytes of the whole export.
    ///
    /// # Errors
    /// Errors of the sink.
    pub fn end(mut self) -> Result<u64> {
        self.flush()?;
        Ok(self.bytes)
    }

    fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        (self.sink)(&self.buffer)?;
        self.bytes += u64::try_from(self.buffer.len()).unwrap_or_default();
        self.buffer.clear();
        Ok(())
    }
}
