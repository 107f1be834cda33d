//! Removing a memory.

use super::{PostgresStore, failure};
use crate::{
    copy::{CopyError, MAX_WAIT},
    store::{Locked, PageStore, StoreError},
};

impl PostgresStore {
    /// Removes the memory if nothing was ever committed to it. To be called only where it was created for this store: a
    /// server that has it open would no longer find it.
    ///
    /// # Errors
    /// [`StoreError::Unreachable`], [`StoreError::Refused`].
    pub fn remove_if_unused(&mut self) -> Result<(), StoreError> {
        self.rollback();
        let sql = format!(
            "DELETE FROM limbic_memories WHERE memory = {} AND version = 0 AND size_bytes = 0",
            self.name()
        );
        let address = self.address.clone();
        let connection = self.connected(self.deadline()?)?;
        connection.client.batch_execute(&sql).map_err(|error| failure::classify(&error, &address))?;
        Ok(())
    }

    /// Removes the memory with its pages and its named tokens, when no server writes it. Servers that have it open find
    /// that it is gone. Returns the length of its database in bytes.
    ///
    /// # Errors
    /// [`CopyError::Busy`], [`CopyError::Store`].
    pub fn remove(&mut self) -> Result<u64, CopyError> {
        let head = match self.lock(MAX_WAIT, None)? {
            Locked::Yes(head) => head,
            Locked::Busy | Locked::Stale => return Err(CopyError::Busy),
        };
        let removed = self.remove_rows();
        self.end();
        removed.map(|()| head.size_bytes).map_err(CopyError::from)
    }

    /// Removes the rows of the memory that is locked.
    fn remove_rows(&mut self) -> Result<(), StoreError> {
        self.clear()?;
        let name = self.name();
        let found = self.run(|connection| {
            connection.client.query("SELECT 1 WHERE to_regclass('limbic_tokens') IS NOT NULL", &[])
        });
        let has_tokens = !found.map_err(|failure| self.broken(failure))?.is_empty();
        let tokens = if has_tokens {
            format!("DELETE FROM limbic_tokens WHERE memory = {name}; ")
        } else {
            String::new()
        };
        let sql = format!("{tokens}DELETE FROM limbic_memories WHERE memory = {name}; COMMIT");
        let done = self.run(|connection| connection.client.batch_execute(&sql));
        done.map_err(|failure| self.broken(failure))?;
        self.base = None;
        Ok(())
    }
}
