//! Tokens in the store of a memory: all its servers know the same ones.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use limbic_pages::Address;
use limbic_pages::StoreError;
use limbic_pages::postgres::{TokenRow, TokenTable};

use super::storage::{Entry, Storage};

/// The tokens of a memory in PostgreSQL.
pub struct StoredTokens(Mutex<TokenTable>);

impl StoredTokens {
    /// The tokens of the memory at this address.
    pub fn new(address: &Address, read_only: bool) -> Self {
        Self(Mutex::new(TokenTable::new(address, read_only)))
    }

    fn run<T>(&self, work: impl FnOnce(&mut TokenTable) -> Result<T, StoreError>) -> Result<T> {
        // A panic leaves a table whose connection is made again if it has broken.
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(work(&mut table)?)
    }
}

impl Storage for StoredTokens {
    fn add(&self, name: &str, sha256: &str, text: &str) -> Result<bool> {
        self.run(|table| table.add(name, sha256, text))
    }

    fn list(&self) -> Result<Vec<Entry>> {
        Ok(self.run(TokenTable::list)?.into_iter().map(entry).collect())
    }

    fn candidates(&self, sha256: &str) -> Result<Vec<Entry>> {
        Ok(self.run(|table| table.find(sha256))?.into_iter().map(entry).collect())
    }

    fn remove(&self, name: &str) -> Result<bool> {
        self.run(|table| table.remove(name))
    }

    fn note_use(&self, name: &str, since_1970: Duration) -> Result<()> {
        self.run(|table| table.note_use(name, since_1970))
    }
}

fn entry(TokenRow { name, rights, used }: TokenRow) -> Entry {
    Entry { name, text: rights, used }
}
