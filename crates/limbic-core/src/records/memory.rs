//! Memories as records, with their tags.

mod checks;
mod origin;
mod record;
mod rows;
mod update;

pub(crate) use checks::check_secret;
pub(super) use checks::check_secret_by_topics;
pub(super) use checks::{check_confidence, check_content};
pub use origin::WrittenBy;
pub use record::Memory;
pub(super) use record::{one, other_word};
pub(super) use rows::{Names, read};
pub use update::Edits;

use super::{Merger, Outcome, Record, Tables, Take};
use crate::{Error, Result, Transaction, store::domains};
use update::StoredRow;

impl Record for Memory {
    const KIND: &'static str = "memory";
    const HAS_USERS: bool = true;

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if tables.has("MEMORY_NODES", &["id", "domain", "content"]) {
            read(tables, &rows::OURS, take)
        } else {
            Ok(())
        }
    }

    /// Of two states of a memory, the one changed later is kept; of its usage, that of the later access.
    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        if let Some(reason) = self.wrong() {
            return Ok(Outcome::Refused(reason));
        }
        let domain = match &self.domain {
            None => domains::current(tx)?,
            Some(named) => match domains::find(tx, named)? {
                Some(domain) => domain,
                None => return Ok(Outcome::Refused(Error::DomainNotFound(named.clone()).to_string())),
            },
        };
        let (mut record, ahead) = self.with_timestamps(tx)?;
        if let Some(redact_json) = merger.redacts() {
            record.redact(redact_json);
        }
        match StoredRow::find(tx, &self.id)? {
            None => {
                record.insert(tx, &domain)?;
                record.write_origin(tx, merger.import())?;
                Ok(Outcome::Added)
            }
            Some(known) => record.update(tx, &known, &domain, ahead, merger),
        }
    }
}

/// Whether a memory with this id exists.
pub(super) fn exists(tx: &Transaction<'_>, id: &str) -> Result<bool> {
    Ok(tx.prepare_cached("SELECT 1 FROM MEMORY_NODES WHERE id = ?1")?.exists([id])?)
}

/// Returns the reason for rejecting a record whose memory is missing.
pub(super) fn missing(id: &str) -> Outcome {
    Outcome::Refused(Error::MemoryNotFound(id.to_owned()).to_string())
}
