//! How many memories there are, and which words their fields hold.

use super::{Word, frequent, number};
use crate::{
    Result, Unit,
    store::explore::records::{links, memories},
};

/// How many there are of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Memories that are current.
    pub memories: u64,
    /// Memories that have ended or expired, or that another contradicts.
    pub ended: u64,
    /// Links and references.
    pub links: u64,
    /// Domains, empty ones too.
    pub domains: u64,
}

/// Counts memories, their links and domains.
///
/// # Errors
/// Those of the database.
pub fn counts(unit: &Unit<'_>) -> Result<Counts> {
    let (all, current) = memories::count(unit, None)?;
    Ok(Counts {
        memories: current,
        ended: all.saturating_sub(current),
        links: links::count(unit, None)?,
        domains: number(unit, "SELECT count(*) FROM DOMAINS")?,
    })
}

/// The words in the fields of all memories, each list with the most frequent first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// What sort of statement they are.
    pub categories: Vec<Word>,
    /// What they are of.
    pub memory_types: Vec<Word>,
    /// Where they stand.
    pub tiers: Vec<Word>,
    /// Where they belong, with domains that are empty.
    pub domains: Vec<Word>,
    /// Whose they are, where that is known.
    pub users: Vec<Word>,
}

/// The words in the fields of all memories.
///
/// # Errors
/// Those of the database.
pub fn words(unit: &Unit<'_>) -> Result<Words> {
    Ok(Words {
        categories: frequent(unit, "category", "MEMORY_NODES")?,
        memory_types: frequent(unit, "memory_type", "MEMORY_NODES")?,
        tiers: frequent(unit, "coalesce(tier, 'l4')", "MEMORY_NODES")?,
        domains: domains(unit)?,
        users: frequent(unit, "user_id", "MEMORY_NODES WHERE user_id IS NOT NULL")?,
    })
}

fn domains(unit: &Unit<'_>) -> Result<Vec<Word>> {
    let mut statement = unit.prepare_cached(
        "SELECT d.id, (SELECT count(*) FROM MEMORY_NODES AS m WHERE m.domain = d.id) AS n FROM DOMAINS AS d
         ORDER BY n DESC, d.id LIMIT ?1",
    )?;
    let rows =
        statement.query_map([super::WORDS_MAX], |row| Ok(Word { name: row.get(0)?, count: row.get(1)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
