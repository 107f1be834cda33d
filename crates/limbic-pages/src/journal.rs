//! Files in memory: the journals of connections. A store needs none, because it never holds a part of a transaction.

use std::cell::RefCell;

use limbic_vfs::{HostError, HostFile, Inode};

/// A file in memory that is gone when it is closed.
#[derive(Default)]
pub struct Journal(RefCell<Vec<u8>>);

fn index(offset: u64) -> Result<usize, HostError> {
    usize::try_from(offset).map_err(|_| HostError::Full)
}

impl HostFile for Journal {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError> {
        let content = self.0.borrow();
        let rest = content.get(index(offset)?..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        let (start, mut content) = (index(offset)?, self.0.borrow_mut());
        let end = start.checked_add(bytes.len()).ok_or(HostError::Full)?;
        if content.len() < end {
            content.resize(end, 0);
        }
        content[start..end].copy_from_slice(bytes);
        Ok(())
    }

    fn truncate(&self, size_bytes: u64) -> Result<(), HostError> {
        let mut content = self.0.borrow_mut();
        content.resize(index(size_bytes)?, 0);
        content.shrink_to_fit();
        Ok(())
    }

    fn sync(&self) -> Result<(), HostError> {
        Ok(())
    }

    fn size(&self) -> Result<u64, HostError> {
        u64::try_from(self.0.borrow().len()).map_err(|_| HostError::Full)
    }

    fn inode(&self) -> Result<Inode, HostError> {
        Ok(Inode { device: 0, number: 0 })
    }
}
