//! The neighbourhood of a memory: linked memories, mentioned entities, and memories that mention the same entities.
//!
//! Functions that return memories take a [`FilterEvaluator`] and return only those that it admits.

use rusqlite::{params_from_iter, types::Value};

use super::{
    FilterEvaluator,
    near_duplicate_edges::{DISMISSED, NEAR_DUPLICATE, POSSIBLE_CONTRADICTION},
};
use crate::{Result, Transaction};

/// The maximum number of links that are followed from one memory: the strongest.
const MAX_LINKS: usize = 32;

/// The number of strongest links of which the admitted ones are selected.
const MAX_ENDS: usize = 256;

/// The maximum number of entities of one memory that count.
const MAX_ENTITIES: usize = 16;

/// The maximum number of relations of one entity that count: those with the highest weight.
const MAX_RELATIONS: usize = 16;

/// Above this number of mentioning memories, an entity carries no information about one of them.
const MAX_MENTIONS: usize = 200;

/// The maximum number of memories mentioning an entity that count: the newest.
const MAX_NEWEST_MENTIONS: usize = 64;

/// A selection of links.
#[derive(Debug, Clone, Copy, Default)]
pub struct LinkFilter<'a> {
    /// Types of links; empty for all.
    pub types: &'a [String],
    /// Minimum strength, 0 to 1.
    pub min_strength: f64,
}

/// A link seen from one of its ends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Neighbour {
    /// The memory at the other end.
    pub number: i64,
    /// 0 to 1.
    pub strength: f64,
    /// Whether it is also followed from there.
    pub goes_back: bool,
}

/// Returns the admitted memories that links lead to, strongest first, then by number. An edge is followed from either
/// end, a reference across domains from its start, or from both ends if it is bidirectional. Automatic edges between
/// near memories are followed only if their type is selected.
pub(crate) fn linked(
    tx: &Transaction<'_>,
    number: i64,
    links: LinkFilter<'_>,
    evaluator: &mut FilterEvaluator<'_>,
) -> Result<Vec<Neighbour>> {
    let mut values: Vec<Value> = vec![number.into(), links.min_strength.into()];
    let mut types = Vec::new();
    for name in links.types {
        values.push(name.clone().into());
        types.push(format!("?{}", values.len()));
    }
    let of_types = |column: &str| {
        if types.is_empty() {
            format!("{column} NOT IN ('{NEAR_DUPLICATE}', '{POSSIBLE_CONTRADICTION}')")
        } else {
            format!("{column} IN ({})", types.join(", "))
        }
    };
    let (of_edges, of_references) = (of_types("type"), of_types("coalesce(description, '')"));
    let start = "(SELECT id FROM memory_numbers WHERE number = ?1)";
    let mut statement = tx.prepare_cached(&format!(
        "WITH ends(id, strength, goes_back) AS (
            SELECT target, strength, true FROM MEMORY_EDGES WHERE source = {start} AND {of_edges} AND NOT {DISMISSED}
            UNION ALL SELECT source, strength, true FROM MEMORY_EDGES WHERE target = {start} AND {of_edges} AND NOT {DISMISSED}
            UNION ALL SELECT targetNodeId, 1.0, bidirectional FROM DOMAIN_REFS
                WHERE nodeId = {start} AND {of_references}
            UNION ALL SELECT nodeId, 1.0, true FROM DOMAIN_REFS
                WHERE targetNodeId = {start} AND bidirectional AND {of_references})
         SELECT n.number, ends.strength, ends.goes_back FROM ends JOIN memory_numbers AS n ON n.id = ends.id
         WHERE ends.strength >= ?2 AND n.number <> ?1
         ORDER BY ends.strength DESC, n.number LIMIT {MAX_ENDS}"
    ))?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(Neighbour { number: row.get(0)?, strength: row.get(1)?, goes_back: row.get(2)? })
    })?;
    let ends: Vec<Neighbour> = rows.collect::<rusqlite::Result<_>>()?;
    let numbers: Vec<i64> = ends.iter().map(|end| end.number).collect();
    evaluator.test(tx, &numbers)?;
    let mut linked = Vec::new();
    for end in ends {
        if linked.len() < MAX_LINKS && evaluator.admits(tx, end.number)? {
            linked.push(end);
        }
    }
    Ok(linked)
}

/// Returns the entities that a memory mentions, by row number.
pub(crate) fn mentioned(tx: &Transaction<'_>, number: i64) -> Result<Vec<i64>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT entity_id FROM memory_entities JOIN memory_numbers ON id = memory_id WHERE number = ?1
         ORDER BY entity_id LIMIT {MAX_ENTITIES}"
    ))?;
    let rows = statement.query_map([number], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the admitted memories that mention an entity, newest first; none if too many do.
pub(crate) fn mentioning(
    tx: &Transaction<'_>,
    entity_id: i64,
    evaluator: &mut FilterEvaluator<'_>,
) -> Result<Vec<i64>> {
    let count: usize = tx
        .prepare_cached("SELECT count(*) FROM (SELECT 1 FROM memory_entities WHERE entity_id = ?1 LIMIT ?2)")?
        .query_row([entity_id, i64::try_from(MAX_MENTIONS).unwrap_or(i64::MAX) + 1], |row| row.get(0))?;
    if count > MAX_MENTIONS {
        return Ok(Vec::new());
    }
    let mut statement = tx.prepare_cached(
        "SELECT n.number FROM memory_entities AS x JOIN memory_numbers AS n ON n.id = x.memory_id
         WHERE x.entity_id = ?1 ORDER BY n.number DESC",
    )?;
    let rows = statement.query_map([entity_id], |row| row.get(0))?;
    let numbers: Vec<i64> = rows.collect::<rusqlite::Result<_>>()?;
    let mut mentioning = Vec::new();
    for some in numbers.chunks(MAX_NEWEST_MENTIONS) {
        evaluator.test(tx, some)?;
        for number in some {
            if mentioning.len() < MAX_NEWEST_MENTIONS && evaluator.admits(tx, *number)? {
                mentioning.push(*number);
            }
        }
        if mentioning.len() == MAX_NEWEST_MENTIONS {
            break;
        }
    }
    Ok(mentioning)
}

/// Returns the entities at the other ends of an entity's active relations, with their weights: heaviest first, then by
/// row number.
pub(crate) fn related_entities(tx: &Transaction<'_>, entity_id: i64) -> Result<Vec<(i64, f64)>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT to_entity AS other, weight FROM relations WHERE from_entity = ?1 AND active AND to_entity <> ?1
         UNION ALL
         SELECT from_entity, weight FROM relations WHERE to_entity = ?1 AND active AND from_entity <> ?1
         ORDER BY weight DESC, other LIMIT {MAX_RELATIONS}"
    ))?;
    let rows = statement.query_map([entity_id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the support of a memory: the sum of the strengths of the admitted links `supports` to it, and of its links
/// to memories that it refines or supersedes.
pub(crate) fn backing(tx: &Transaction<'_>, id: &str, evaluator: &mut FilterEvaluator<'_>) -> Result<f64> {
    let mut statement = tx.prepare_cached(
        "SELECT n.number, e.strength FROM MEMORY_EDGES AS e JOIN memory_numbers AS n ON n.id = e.source
         WHERE e.target = ?1 AND e.type = 'supports'
         UNION ALL
         SELECT n.number, e.strength FROM MEMORY_EDGES AS e JOIN memory_numbers AS n ON n.id = e.source
         WHERE e.source = ?1 AND e.type IN ('refines', 'supersedes')
         ORDER BY 1, 2",
    )?;
    let rows = statement.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let links: Vec<(i64, f64)> = rows.collect::<rusqlite::Result<_>>()?;
    let numbers: Vec<i64> = links.iter().map(|(number, _)| *number).collect();
    evaluator.test(tx, &numbers)?;
    let mut sum = 0.0;
    for (number, strength) in links {
        if evaluator.admits(tx, number)? {
            sum += strength;
        }
    }
    Ok(sum)
}
