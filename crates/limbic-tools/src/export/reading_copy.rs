//! A read-only copy of the database, for a standalone page.

use limbic_core::{
    Engine, Error, Result, records::export_database::reading_copy as copies, store::graph::entities,
};

use super::secrets;
use crate::suggest::nearest;

/// A read-only copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadingCopy {
    /// Entities, observations, relations, reflections, memories and links.
    pub records: u64,
    /// A SQLite file that `Limbic` opens.
    pub database: Vec<u8>,
    /// A sentence with the number of records, by kind, that contain what looks like a credential.
    pub warning: Option<String>,
}

/// Copies all records that the explorer shows; or only the entities of some types, their observations, relations and
/// reflections, and the memories that mention them.
///
/// # Errors
/// [`Error::InvalidArgument`] if no entity has a named type.
pub fn reading_copy(memory: &mut Engine, types: &[String]) -> Result<ReadingCopy> {
    memory.read(|tx| {
        let known = entities::types(tx)?;
        for wanted in types {
            if known.values().any(|known| known == wanted) {
                continue;
            }
            let mut known: Vec<&str> = known.values().map(String::as_str).collect();
            known.sort_unstable();
            known.dedup();
            return Err(Error::InvalidArgument {
                message: format!("There is no entity of type {wanted:?} (there are: {})", known.join(", ")),
                hint: nearest(wanted, known).map(|name| format!("Did you mean {name:?}?")),
            });
        }
        let types = (!types.is_empty()).then(|| serde_json::json!(types).to_string());
        let mut copy = copies::build(tx, types.as_deref())?;
        let records = copies::records(&copy)?;
        let database = copy.serialize("main")?.to_vec();
        let warning =
            copies::read(&mut copy, tx.now_millis(), |copied| secrets::warning(copied, None, "limbic"))?;
        Ok(ReadingCopy { records, database, warning })
    })
}
