//! Rows of `code_edges`: references with the symbols that they resolve to.

use limbic_code::{Reference, Relation, Resolution, Tier};
use rusqlite::{Row, params};

use super::symbols;
use crate::{Result, Transaction};

/// A relation between two symbols, with the position of the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeEdge {
    /// The enclosing symbol; `None` at the top of a file.
    pub from: Option<i64>,
    /// The symbol that is referred to.
    pub to: i64,
    /// Relation.
    pub relation: Relation,
    /// Certainty.
    pub tier: Tier,
    /// Path of the file of the reference.
    pub file_path: String,
    /// Line of the reference.
    pub line: u32,
}

/// Returns the number of a tier in the database: lower for more certain ones.
fn number(tier: Tier) -> i64 {
    match tier {
        Tier::Resolved => 1,
        Tier::Likely => 2,
        Tier::Name => 3,
    }
}

const COLUMNS: &str = "e.from_symbol, e.to_symbol, e.relation, e.tier, f.path, e.line
     FROM code_edges AS e JOIN code_files AS f ON f.id = e.file";

fn edge(row: &Row<'_>) -> rusqlite::Result<CodeEdge> {
    Ok(CodeEdge {
        from: row.get(0)?,
        to: row.get(1)?,
        // A later version of Limbic may have stored another relation.
        relation: Relation::of(row.get_ref(2)?.as_str()?).unwrap_or(Relation::References),
        tier: match row.get(3)? {
            1 => Tier::Resolved,
            2 => Tier::Likely,
            _ => Tier::Name,
        },
        file_path: row.get(4)?,
        line: row.get(5)?,
    })
}

/// Replaces the edges of a file by those of a resolution.
pub(crate) fn replace(
    tx: &Transaction<'_>,
    project: i64,
    file: i64,
    references: &[Reference],
    resolution: &Resolution,
) -> Result<()> {
    tx.prepare_cached("DELETE FROM code_edges WHERE file = ?1")?.execute([file])?;
    let places = symbols::places(tx, file)?;
    let mut insert = tx.prepare_cached(
        "INSERT OR IGNORE INTO code_edges (file, reference, line, from_symbol, to_symbol, relation, tier)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for found in &resolution.edges {
        let Some(to) = symbols::number_of(tx, project, &found.path, &found.symbol)? else { continue };
        let Some(reference) = references.get(found.reference as usize) else { continue };
        let from = reference.enclosing.and_then(|index| places.get(index as usize));
        insert.execute(params![
            file,
            found.reference,
            reference.line,
            from,
            to,
            found.relation.as_str(),
            number(found.tier)
        ])?;
    }
    Ok(())
}

/// Returns the edges to a symbol with at least this tier, by path and line.
pub fn into(tx: &Transaction<'_>, symbol: i64, least: Tier) -> Result<Vec<CodeEdge>> {
    list(tx, "e.to_symbol = ?1", symbol, least)
}

/// Returns the edges from a symbol with at least this tier, by path and line.
pub fn out_of(tx: &Transaction<'_>, symbol: i64, least: Tier) -> Result<Vec<CodeEdge>> {
    list(tx, "e.from_symbol = ?1", symbol, least)
}

fn list(tx: &Transaction<'_>, condition: &str, symbol: i64, least: Tier) -> Result<Vec<CodeEdge>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} WHERE {condition} AND e.tier <= ?2 ORDER BY e.tier, f.path, e.line, e.reference, e.to_symbol"
    ))?;
    let rows = statement.query_map(params![symbol, number(least)], edge)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the edges of the references in a line of a file with at least this tier.
pub fn in_line(
    tx: &Transaction<'_>,
    project: i64,
    path: &str,
    line: u32,
    least: Tier,
) -> Result<Vec<CodeEdge>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS} WHERE f.project = ?1 AND f.path = ?2 AND e.line = ?3 AND e.tier <= ?4
         ORDER BY e.reference, e.tier, e.to_symbol"
    ))?;
    let rows = statement.query_map(params![project, path, line, number(least)], edge)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
