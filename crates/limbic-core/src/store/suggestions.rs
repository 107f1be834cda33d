//! Words that complete what somebody has begun to write.

use rusqlite::params;

use super::{entities, memories::CATEGORIES};
use crate::{Result, Unit, text};

/// What is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The name of an entity.
    Entity,
    /// The id of a domain.
    Domain,
    /// The category of a memory.
    Category,
    /// A tag of memories.
    Tag,
}

/// The first `limit` words that begin so, without regard to case, in alphabetical order; and how many there are.
///
/// # Errors
/// Those of the database.
pub fn beginning_with(
    unit: &Unit<'_>,
    kind: Kind,
    begun: &str,
    limit: usize,
) -> Result<(usize, Vec<String>)> {
    let sql = match kind {
        Kind::Entity => return entities::beginning_with(unit, begun, limit),
        Kind::Category => {
            let begun = text::fold(begun);
            let words: Vec<String> = CATEGORIES
                .iter()
                .filter(|word| word.starts_with(&begun))
                .map(|word| (*word).to_owned())
                .collect();
            return Ok((words.len(), words.into_iter().take(limit).collect()));
        }
        Kind::Domain => "SELECT id AS word FROM DOMAINS",
        Kind::Tag => "SELECT DISTINCT tag AS word FROM MEMORY_TAGS",
    };
    let mut statement = unit.prepare_cached(&format!(
        "SELECT word FROM ({sql}) WHERE ?1 = '' OR instr(fold(word), ?1) = 1 ORDER BY fold(word), word"
    ))?;
    let words: Vec<String> = statement
        .query_map(params![text::fold(begun)], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok((words.len(), words.into_iter().take(limit).collect()))
}
