//! Counts of memories, and the values of their fields.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Word, frequent, number};
use crate::{
    Result, Transaction,
    explore::lists::{link_list, memory_list},
};

/// Counts of memories, links and domains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Current memories.
    pub memories: u64,
    /// Memories that have ended, expired or are contradicted.
    pub memories_ended: u64,
    /// Links between memories, and references across domains.
    pub links: u64,
    /// Domains.
    pub domains: u64,
}

/// Counts memories, their links and domains.
pub fn counts(tx: &Transaction<'_>) -> Result<Counts> {
    let (all, current) = memory_list::count(tx, None)?;
    Ok(Counts {
        memories: current,
        memories_ended: all.saturating_sub(current),
        links: link_list::count(tx, None)?,
        domains: number(tx, "SELECT count(*) FROM DOMAINS")?,
    })
}

/// Values of the fields of all memories with their counts, most frequent first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// Categories.
    pub categories: Vec<Word>,
    /// Types.
    pub memory_types: Vec<Word>,
    /// Tiers.
    pub tiers: Vec<Word>,
    /// Domains, including empty ones.
    pub domains: Vec<Word>,
    /// Owners.
    pub users: Vec<Word>,
}

/// Counts the values of the fields of all memories.
pub fn words(tx: &Transaction<'_>) -> Result<Words> {
    Ok(Words {
        categories: frequent(tx, "category", "MEMORY_NODES")?,
        memory_types: frequent(tx, "memory_type", "MEMORY_NODES")?,
        tiers: frequent(tx, "coalesce(tier, 'l4')", "MEMORY_NODES")?,
        domains: domains(tx)?,
        users: frequent(tx, "user_id", "MEMORY_NODES WHERE user_id IS NOT NULL")?,
    })
}

fn domains(tx: &Transaction<'_>) -> Result<Vec<Word>> {
    let mut statement = tx.prepare_cached(
        "SELECT d.id, (SELECT count(*) FROM MEMORY_NODES AS m WHERE m.domain = d.id) AS n FROM DOMAINS AS d
         ORDER BY n DESC, d.id LIMIT ?1",
    )?;
    let rows =
        statement.query_map([super::MAX_WORDS], |row| Ok(Word { name: row.get(0)?, count: row.get(1)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
