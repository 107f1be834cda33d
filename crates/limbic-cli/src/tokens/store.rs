//! Tokens in the store of a memory: all its servers know the same ones.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use limbic_pages::Address;
use limbic_pages::StoreError;
use limbic_pages::postgres::{TokenRow, TokenTable};

use super::storage::{Entry, Storage, Unusable};

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
        self.run(|table| table.add(name, sha256, &in_ascii(text)))
    }

    fn list(&self) -> Result<Vec<Entry>> {
        Ok(self.run(TokenTable::list)?.into_iter().map(entry).collect())
    }

    fn require_database(&self) -> Result<()> {
        self.run(TokenTable::require_memory)
    }

    fn check(&self) -> Result<(), Unusable> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.check().map_err(|error| match error {
            StoreError::Refused(_) => Unusable::Refused,
            _ => Unusable::Unreachable,
        })
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

/// Returns JSON in ASCII: the encoding of a database may lack other characters, such as those of a user.
fn in_ascii(json: &str) -> String {
    let escaped = |letter: char| match letter.is_ascii() {
        true => letter.to_string(),
        false => letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
    };
    json.chars().map(escaped).collect()
}

fn entry(TokenRow { name, rights, used }: TokenRow) -> Entry {
    Entry { name, text: rights, used }
}

#[cfg(test)]
mod tests {
    use super::in_ascii;

    #[test]
    fn json_in_ascii_has_the_same_value() {
        let json = r#"{"user":"Ada \"\u00e9\" é 漢字 😀"}"#;
        let ascii = in_ascii(json);
        assert!(ascii.is_ascii(), "{ascii}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
        assert_eq!(value(&ascii), value(json));
    }
}
