//! The neighbourhood of a memory: linked memories, mentioned entities, and memories that mention the same entities.
//!
//! Most functions read the neighbours of several memories or entities at once: a statement for each would take most of
//! the time of a search.
//!
//! Functions that return memories take a [`FilterEvaluator`] and return only those that it admits.

use std::collections::BTreeMap;

use rusqlite::{params_from_iter, types::Value};

use super::{
    FilterEvaluator,
    filter_evaluator::list,
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

/// Lists by the number of what they belong to. Empty ones may be omitted.
pub(crate) type Lists<T> = BTreeMap<i64, Vec<T>>;

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
    Ok(linked_to(tx, &[number], links, evaluator)?.remove(&number).unwrap_or_default())
}

/// Returns what [`linked`] returns for each of several memories, by number. Those without links are omitted.
pub(crate) fn linked_to(
    tx: &Transaction<'_>,
    numbers: &[i64],
    links: LinkFilter<'_>,
    evaluator: &mut FilterEvaluator<'_>,
) -> Result<Lists<Neighbour>> {
    let mut values: Vec<Value> = vec![list(numbers.iter().copied()).into(), links.min_strength.into()];
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
    let mut statement = tx.prepare_cached(&format!(
        "WITH starts(start, start_id) AS (
            SELECT number, id FROM memory_numbers WHERE number IN (SELECT value FROM json_each(?1))),
         ends(start, id, strength, goes_back) AS (
            SELECT start, target, strength, true FROM starts CROSS JOIN MEMORY_EDGES ON source = start_id
                WHERE {of_edges} AND NOT {DISMISSED}
            UNION ALL SELECT start, source, strength, true FROM starts CROSS JOIN MEMORY_EDGES ON target = start_id
                WHERE {of_edges} AND NOT {DISMISSED}
            UNION ALL SELECT start, targetNodeId, 1.0, bidirectional FROM starts
                CROSS JOIN DOMAIN_REFS ON nodeId = start_id WHERE {of_references}
            UNION ALL SELECT start, nodeId, 1.0, true FROM starts
                CROSS JOIN DOMAIN_REFS ON targetNodeId = start_id WHERE bidirectional AND {of_references})
         SELECT ends.start, n.number, ends.strength, ends.goes_back
         FROM ends CROSS JOIN memory_numbers AS n ON n.id = ends.id
         WHERE ends.strength >= ?2 AND n.number <> ends.start
         ORDER BY ends.start, ends.strength DESC, n.number"
    ))?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok((row.get(0)?, Neighbour { number: row.get(1)?, strength: row.get(2)?, goes_back: row.get(3)? }))
    })?;
    let ends = grouped(rows, MAX_ENDS)?;
    evaluator.test(tx, &ends.values().flatten().map(|end| end.number).collect::<Vec<_>>())?;
    let mut linked = Lists::new();
    for (start, ends) in ends {
        let admitted: &mut Vec<Neighbour> = linked.entry(start).or_default();
        for end in ends {
            if admitted.len() < MAX_LINKS && evaluator.admits(tx, end.number)? {
                admitted.push(end);
            }
        }
    }
    Ok(linked)
}

/// Returns the entities that each of these memories mentions, by row number.
pub(crate) fn mentioned(tx: &Transaction<'_>, numbers: &[i64]) -> Result<Lists<i64>> {
    let mut statement = tx.prepare_cached(
        "SELECT n.number, x.entity_id FROM json_each(?1) AS asked
         CROSS JOIN memory_numbers AS n ON n.number = asked.value
         CROSS JOIN memory_entities AS x ON x.memory_id = n.id ORDER BY n.number, x.entity_id",
    )?;
    let rows = statement.query_map([list(numbers.iter().copied())], |row| Ok((row.get(0)?, row.get(1)?)))?;
    grouped(rows, MAX_ENTITIES)
}

/// Returns the admitted memories that mention each of these entities, newest first; none of an entity that too many
/// mention.
pub(crate) fn mentioning(
    tx: &Transaction<'_>,
    entity_ids: &[i64],
    evaluator: &mut FilterEvaluator<'_>,
) -> Result<Lists<i64>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT x.entity_id, n.number FROM json_each(?1) AS asked
         CROSS JOIN memory_entities AS x ON x.entity_id = asked.value
         CROSS JOIN memory_numbers AS n ON n.id = x.memory_id
         WHERE NOT EXISTS (SELECT 1 FROM memory_entities WHERE entity_id = asked.value LIMIT 1 OFFSET {MAX_MENTIONS})
         ORDER BY x.entity_id, n.number DESC"
    ))?;
    let rows =
        statement.query_map([list(entity_ids.iter().copied())], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let all: Lists<i64> = grouped(rows, MAX_MENTIONS)?;
    let newest: Vec<i64> =
        all.values().flat_map(|numbers| numbers.iter().take(MAX_NEWEST_MENTIONS)).copied().collect();
    evaluator.test(tx, &newest)?;
    let mut mentioning = Lists::new();
    for (entity_id, numbers) in all {
        let admitted: &mut Vec<i64> = mentioning.entry(entity_id).or_default();
        for some in numbers.chunks(MAX_NEWEST_MENTIONS) {
            evaluator.test(tx, some)?;
            for number in some {
                if admitted.len() < MAX_NEWEST_MENTIONS && evaluator.admits(tx, *number)? {
                    admitted.push(*number);
                }
            }
            if admitted.len() == MAX_NEWEST_MENTIONS {
                break;
            }
        }
    }
    Ok(mentioning)
}

/// Returns the entities at the other ends of the active relations of each of these entities, with their weights:
/// heaviest first, then by row number.
pub(crate) fn related_entities(tx: &Transaction<'_>, entity_ids: &[i64]) -> Result<Lists<(i64, f64)>> {
    let mut statement = tx.prepare_cached(
        "SELECT r.from_entity AS start, r.to_entity AS other, r.weight AS weight FROM json_each(?1) AS asked
         CROSS JOIN relations AS r ON r.from_entity = asked.value WHERE r.active AND r.to_entity <> r.from_entity
         UNION ALL
         SELECT r.to_entity, r.from_entity, r.weight FROM json_each(?1) AS asked
         CROSS JOIN relations AS r ON r.to_entity = asked.value WHERE r.active AND r.from_entity <> r.to_entity
         ORDER BY start, weight DESC, other",
    )?;
    let rows = statement
        .query_map([list(entity_ids.iter().copied())], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    grouped(rows, MAX_RELATIONS)
}

/// Returns the first `limit` items of each list. Rows are items with the key of their list, in the order of the keys.
fn grouped<T>(rows: impl Iterator<Item = rusqlite::Result<(i64, T)>>, limit: usize) -> Result<Lists<T>> {
    let mut lists = Lists::new();
    for row in rows {
        let (key, item) = row?;
        let items: &mut Vec<T> = lists.entry(key).or_default();
        if items.len() < limit {
            items.push(item);
        }
    }
    Ok(lists)
}

/// Returns the support of each of these memories, by number: the sum of the strengths of the admitted links `supports`
/// to it, and of its links to memories that it refines or supersedes. Memories without such links are omitted.
pub(crate) fn backing(
    tx: &Transaction<'_>,
    numbers: &[i64],
    evaluator: &mut FilterEvaluator<'_>,
) -> Result<BTreeMap<i64, f64>> {
    let mut statement = tx.prepare_cached(
        "SELECT own.number, n.number, e.strength FROM json_each(?1) AS asked
         CROSS JOIN memory_numbers AS own ON own.number = asked.value
         CROSS JOIN MEMORY_EDGES AS e ON e.target = own.id AND e.type = 'supports'
         CROSS JOIN memory_numbers AS n ON n.id = e.source
         UNION ALL
         SELECT own.number, own.number, e.strength FROM json_each(?1) AS asked
         CROSS JOIN memory_numbers AS own ON own.number = asked.value
         CROSS JOIN MEMORY_EDGES AS e ON e.source = own.id AND e.type IN ('refines', 'supersedes')
         ORDER BY 1, 2, 3",
    )?;
    let rows = statement
        .query_map([list(numbers.iter().copied())], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let links: Vec<(i64, i64, f64)> = rows.collect::<rusqlite::Result<_>>()?;
    evaluator.test(tx, &links.iter().map(|(_, number, _)| *number).collect::<Vec<_>>())?;
    let mut sums = BTreeMap::new();
    for (own, number, strength) in links {
        if evaluator.admits(tx, number)? {
            *sums.entry(own).or_default() += strength;
        }
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, params};

    use super::*;
    use crate::{Database, Host, store::memories::Filter};

    struct Still;

    impl Host for Still {
        fn now_millis(&self) -> i64 {
            0
        }

        fn fill_random(&self, buffer: &mut [u8]) {
            buffer.fill(7);
        }
    }

    /// Memories, of which the first is linked to all others, and entities, of which the first is mentioned by 200
    /// memories and the second by 201.
    const MEMORIES: i64 = 300;

    fn filled() -> Result<Database> {
        limbic_vfs::register_vec0();
        let mut database = Database::open(Connection::open_in_memory()?, Box::new(Still), false)?;
        database.write(|tx| {
            crate::store::domains::create(tx, "general", "general", None)?;
            for entity in ["Ada", "Bob", "Cy"] {
                tx.execute("INSERT INTO entities (name, entity_type) VALUES (?1, 'person')", [entity])?;
            }
            let id = |number: i64| format!("m{number:03}");
            for number in 1..=MEMORIES {
                tx.execute(
                    "INSERT INTO MEMORY_NODES (id, domain, content, timestamp, user_id)
                     VALUES (?1, 'general', '', '1969-12-31T00:00:00.000Z', iif(?2 % 10 = 0, 'other', 'own'))",
                    params![id(number), number],
                )?;
            }
            for number in 1..=MEMORIES {
                for (target, link_type) in [("m001", "supports"), ("m002", "refines"), ("m003", "near_duplicate")] {
                    tx.execute(
                        "INSERT INTO MEMORY_EDGES (id, source, target, type, strength, timestamp, domain)
                         VALUES (?1 || ?2, ?1, ?2, ?3, (?4 % 7) / 7.0, '', 'general')",
                        params![id(number), target, link_type, number],
                    )?;
                }
                for (entity_id, mentions) in [(1, 200), (2, 201), (3, 70)] {
                    if number <= mentions {
                        tx.execute("INSERT INTO memory_entities VALUES (?1, ?2, 0)", params![id(number), entity_id])?;
                    }
                }
            }
            Ok(())
        })?;
        Ok(database)
    }

    #[test]
    fn neighbours_of_several_are_those_of_each() -> Result<()> {
        let numbers: Vec<i64> = (1..=MEMORIES).collect();
        let user = Filter { user_id: Some("own"), ..Filter::default() };
        filled()?.read(|tx| {
            for filter in [&Filter::default(), &user] {
                let mut evaluator = FilterEvaluator::of_single(tx, filter)?;
                let links = LinkFilter::default();
                let linked = linked_to(tx, &numbers, links, &mut evaluator)?;
                let backing_of_all = backing(tx, &numbers, &mut evaluator)?;
                let mentioned_by_all = mentioned(tx, &numbers)?;
                for number in &numbers {
                    let mut alone = FilterEvaluator::of_single(tx, filter)?;
                    let one = super::linked(tx, *number, links, &mut alone)?;
                    assert_eq!(linked.get(number).cloned().unwrap_or_default(), one, "{number}");
                    assert_eq!(backing_of_all.get(number), backing(tx, &[*number], &mut alone)?.get(number));
                    assert_eq!(mentioned_by_all.get(number), mentioned(tx, &[*number])?.get(number));
                }
                assert_eq!(linked.get(&1).map(Vec::len), Some(MAX_LINKS));
            }
            Ok(())
        })
    }

    #[test]
    fn an_entity_that_too_many_memories_mention_has_none() -> Result<()> {
        filled()?.read(|tx| {
            let user = Filter { user_id: Some("own"), ..Filter::default() };
            let mut evaluator = FilterEvaluator::of_single(tx, &user)?;
            let found = mentioning(tx, &[3, 1, 2], &mut evaluator)?;
            let newest =
                |last: i64| (1..=last).rev().filter(|number| number % 10 > 0).take(MAX_NEWEST_MENTIONS);
            assert_eq!(found.get(&1), Some(&newest(200).collect()));
            assert_eq!(found.get(&2), None);
            assert_eq!(found.get(&3), Some(&newest(70).collect()));
            Ok(())
        })
    }
}
