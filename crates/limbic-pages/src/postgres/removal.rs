//! Removing a memory that was created and never written.

use super::{PostgresStore, failure};
use crate::store::StoreError;

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
}
