//! Reads a source line by line; only a buffer as long as the longest line is in memory.

use limbic_core::{Error, Result};

use crate::source::Source;

/// Bytes read at once.
const PIECE_BYTES: usize = 256 * 1024;

/// Maximum length of a line; longer lines are skipped.
const MAX_LINE_BYTES: usize = 32 * 1024 * 1024;

/// The byte order mark that some editors write before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A line that is not blank.
pub struct Line<'a> {
    /// Its number, beginning with 1.
    pub number: usize,
    /// Its bytes without the line's end, or why there are none.
    pub bytes: std::result::Result<&'a [u8], String>,
}

/// Reads lines.
pub struct Lines {
    path: String,
    buffer: Vec<u8>,
    /// Offsets in the buffer: the start of the next line, and the end of the part without a line break.
    start: usize,
    searched: usize,
    offset: u64,
    number: usize,
    has_ended: bool,
}

impl Lines {
    /// Starts at the beginning. `path` is for messages.
    pub fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            offset: 0,
            number: 0,
            has_ended: false,
        }
    }

    /// Number of bytes of the source consumed so far.
    pub fn position(&self) -> u64 {
        self.offset - u64::try_from(self.buffer.len() - self.start).unwrap_or_default()
    }

    /// Returns the next line that is not blank, of the same source each time.
    ///
    /// # Errors
    /// [`Error::UnreadableSource`].
    pub fn next(&mut self, source: &mut dyn Source) -> Result<Option<Line<'_>>> {
        let mut is_too_long = false;
        loop {
            let end = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
            let end = match end {
                Some(index) => Some(self.searched + index),
                None if self.has_ended && (self.start < self.buffer.len() || is_too_long) => {
                    Some(self.buffer.len())
                }
                None => None,
            };
            if let Some(end) = end {
                let line = self.start..end;
                self.start = (end + 1).min(self.buffer.len());
                self.searched = self.start;
                self.number += 1;
                if is_too_long {
                    let reason = format!("the line is longer than {MAX_LINE_BYTES} bytes");
                    return Ok(Some(Line { number: self.number, bytes: Err(reason) }));
                }
                if !self.buffer[line.clone()].iter().all(u8::is_ascii_whitespace) {
                    return Ok(Some(Line { number: self.number, bytes: Ok(&self.buffer[line]) }));
                }
                continue;
            }
            if self.has_ended {
                return Ok(None);
            }
            if self.buffer.len() - self.start > MAX_LINE_BYTES {
                is_too_long = true;
                self.start = self.buffer.len();
            }
            self.fill(source)?;
        }
    }

    fn fill(&mut self, source: &mut dyn Source) -> Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let end = self.buffer.len();
        self.searched = end;
        self.buffer.resize(end + PIECE_BYTES, 0);
        let count = source
            .read_at(&mut self.buffer[end..], self.offset)
            .map_err(|reason| Error::UnreadableSource { path: self.path.clone(), reason })?;
        self.buffer.truncate(end + count);
        if self.offset == 0 && self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.start = BYTE_ORDER_MARK.len();
            self.searched = self.start;
        }
        self.offset += u64::try_from(count).unwrap_or_default();
        self.has_ended = count == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: Vec<u8>) -> Vec<(usize, std::result::Result<String, String>)> {
        let mut source = bytes;
        let mut lines = Lines::new("file");
        let mut found = Vec::new();
        while let Some(line) = lines.next(&mut source).expect("memory can be read") {
            let text = line.bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            found.push((line.number, text));
        }
        assert_eq!(lines.position(), source.size());
        found
    }

    #[test]
    fn blank_lines_count_and_the_last_needs_no_end() {
        let found = lines(b"\xef\xbb\xbfone\n\n  \r\ntwo\r\nthree".to_vec());
        let expected = [(1, "one"), (4, "two\r"), (5, "three")].map(|(n, text)| (n, Ok(text.to_owned())));
        assert_eq!(found, expected);
        assert!(lines(Vec::new()).is_empty());
    }

    #[test]
    fn lines_may_be_longer_than_a_piece_but_not_without_end() {
        let mut bytes = vec![b'a'; PIECE_BYTES * 2 + 7];
        bytes.push(b'\n');
        bytes.extend(vec![b'b'; MAX_LINE_BYTES + 2 * PIECE_BYTES]);
        bytes.extend(b"\nlast");
        let found = lines(bytes);
        assert_eq!(found[0].1.as_ref().map(String::len), Ok(PIECE_BYTES * 2 + 7));
        assert!(found[1].1.as_ref().is_err_and(|reason| reason.contains("longer")));
        assert_eq!(found[2], (3, Ok("last".to_owned())));
        assert_eq!(found.len(), 3);
    }
}
