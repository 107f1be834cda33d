//! The neighbourhood of a memory: linked memories, mentioned entities, and memories that mention the same entities.
//!
//! Most functions read the neighbours of several memories or entities at once: a statement for each would take most of
//! the time of a search.
//!
//! Functions that return memories take a [`FilterEvaluator`] and return only those that it admits.

use std::{cmp::Ordering, collections::BTreeMap};

use rusqlite::{Row, params_from_iter, types::Value};

use super::{
    FilterEvaluator,
    filter_evaluator::list,
    near_duplicate_edges::{DISMISSED, NEAR_DUPLICATE, POSSIBLE_CONTRADICTION},
};
use crate::{Result, Transaction, model::row_map::RowMap};

/// The maximum number of links that are followed from one memory: the strongest.
const MAX_LINKS: usize = 32;

/// The number of strongest links of which the admitted ones are selected.
const MAX_ENDS: usize = 256;

/// The maximum number of rows of a table that are read of one memory or entity, in each direction: of edges and
/// relations, the newest.
const MAX_READ: usize = 1_000;

/// The number of rows of several memories or entities above which only the first of each are read.
const MAX_ROWS: usize = 4_000;

/// The maximum number of entities of one memory that count.
const MAX_ENTITIES: usize = 16;

/// The maximum number of relations of one entity that count: those with the highest weight.
const MAX_RELATIONS: usize = 16;

/// Above this number of mentioning memories, an entity carries no information about one of them.
const MAX_MENTIONS: usize = 200;

/// The maximum number of memories mentioning an entity that count: the newest.
const MAX_NEWEST_MENTIONS: usize = 64;

/// The lists of several memories or entities, by the number of the memory or entity. Empty lists may be omitted.
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
    let of_edges = format!("strength >= ?2 AND {} AND NOT {DISMISSED}", of_types("type"));
    let of_references = format!("?2 <= 1.0 AND {}", of_types("coalesce(description, '')"));
    let to = |id: &str, condition: &str| {
        format!("(SELECT number FROM memory_numbers WHERE id = iif({condition}, {id}, NULL))")
    };
    let (to_target, to_source) = (to("target", &of_edges), to("source", &of_edges));
    let to_referenced = to("targetNodeId", &of_references);
    let to_referring = to("nodeId", &format!("bidirectional AND {of_references}"));
    let sql = |reading: Reading| {
        format!(
            "{STARTS}
             SELECT starts.number, {to_target}, strength, true FROM starts CROSS JOIN {}
             UNION ALL SELECT starts.number, {to_source}, strength, true FROM starts CROSS JOIN {}
             UNION ALL SELECT starts.number, {to_referenced}, 1.0, bidirectional FROM starts CROSS JOIN {}
             UNION ALL SELECT starts.number, {to_referring}, 1.0, true FROM starts CROSS JOIN {}",
            reading.edges("source"),
            reading.edges("target"),
            reading.references("nodeId"),
            reading.references("targetNodeId"),
        )
    };
    let rows = read(tx, sql, &values, |row| {
        let Some(number) = row.get(1)? else { return Ok(None) };
        Ok(Some((row.get(0)?, Neighbour { number, strength: row.get(2)?, goes_back: row.get(3)? })))
    })?;
    let others = rows.into_iter().filter(|(start, other)| other.number != *start);
    let strongest =
        |a: &Neighbour, b: &Neighbour| b.strength.total_cmp(&a.strength).then(a.number.cmp(&b.number));
    let ends = grouped(others, strongest, MAX_ENDS);
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

/// SQL for the memories of a [`list`] of numbers, which is the first parameter.
const STARTS: &str = "WITH starts AS MATERIALIZED (SELECT n.number, n.id FROM json_each(?1) AS asked
    CROSS JOIN memory_numbers AS n ON n.number = asked.value)";

/// Which rows of a memory or entity are read.
#[derive(Clone, Copy)]
enum Reading {
    /// All rows.
    All,
    /// The first rows in the order of an index, at most [`MAX_READ`].
    First,
}

impl Reading {
    /// Returns SQL for the edges whose column has the id of a start.
    fn edges(self, column: &str) -> String {
        // The newest first. All edges of a memory have its domain, which precedes the row in the index.
        self.of("MEMORY_EDGES", "rowid", &format!("{column} = starts.id"), "domain DESC, rowid DESC")
    }

    /// Returns SQL for the references whose column has the id of a start.
    fn references(self, column: &str) -> String {
        let order = if column == "nodeId" { "targetDomain, targetNodeId" } else { "rowid DESC" };
        self.of("DOMAIN_REFS", "rowid", &format!("{column} = starts.id"), order)
    }

    /// Returns SQL for the rows of a table, with this key, that meet a condition. An index must have this order, so
    /// that no other rows are read.
    fn of(self, table: &str, key: &str, condition: &str, order: &str) -> String {
        match self {
            Self::All => format!("{table} ON {condition}"),
            Self::First => format!(
                "{table} ON {table}.{key} IN (SELECT {key} FROM {table} WHERE {condition}
                    ORDER BY {order} LIMIT {MAX_READ})"
            ),
        }
    }
}

/// Reads rows that begin with the number of a memory or entity, at most [`MAX_READ`] from each table for each of these.
/// Every row that is read must be a row of the statement, so that the limits hold for all of them; `load` omits those
/// that do not count.
fn read<T>(
    tx: &Transaction<'_>,
    sql: impl Fn(Reading) -> String,
    values: &[Value],
    load: impl Fn(&Row<'_>) -> rusqlite::Result<Option<T>>,
) -> Result<Vec<T>> {
    // Hardly any has more, and to find the first of each takes longer.
    let mut all = tx.prepare_cached(&format!("{} LIMIT {MAX_ROWS}", sql(Reading::All)))?;
    let mut rows = all.query(params_from_iter(values))?;
    let (mut loaded, mut count, mut counts) = (Vec::new(), 0, RowMap::<usize>::default());
    while let Some(row) = rows.next()? {
        loaded.extend(load(row)?);
        *counts.entry(row.get(0)?).or_default() += 1;
        count += 1;
    }
    if count < MAX_ROWS && counts.into_values().all(|count| count <= MAX_READ) {
        return Ok(loaded);
    }
    let mut first = tx.prepare_cached(&sql(Reading::First))?;
    let rows = first.query_map(params_from_iter(values), |row| load(row))?;
    Ok(rows.filter_map(rusqlite::Result::transpose).collect::<rusqlite::Result<_>>()?)
}

/// Returns the entities that each of these memories mentions, by row number.
pub(crate) fn mentioned(tx: &Transaction<'_>, numbers: &[i64]) -> Result<Lists<i64>> {
    let sql = |reading: Reading| {
        let mentions = reading.of("memory_entities", "entity_id", "memory_id = starts.id", "entity_id");
        format!(
            "{STARTS} SELECT starts.number, entity_id FROM starts CROSS JOIN {mentions} AND memory_id = starts.id"
        )
    };
    let values = [list(numbers.iter().copied()).into()];
    let rows = read(tx, sql, &values, |row| Ok(Some((row.get(0)?, row.get(1)?))))?;
    Ok(grouped(rows, i64::cmp, MAX_ENTITIES))
}

/// Returns the admitted memories that mention each of these entities, newest first; none of an entity that too many
/// mention.
pub(crate) fn mentioning(
    tx: &Transaction<'_>,
    entity_ids: &[i64],
    evaluator: &mut FilterEvaluator<'_>,
) -> Result<Lists<i64>> {
    let tables = format!(
        "CROSS JOIN memory_entities AS x ON x.entity_id = asked.value AND NOT EXISTS (
            SELECT 1 FROM memory_entities WHERE entity_id = asked.value LIMIT 1 OFFSET {MAX_MENTIONS})
         CROSS JOIN MEMORY_NODES AS m ON m.id = x.memory_id"
    );
    let reached = evaluator.reached(tx, &tables, entity_ids)?;
    Ok(grouped(reached, |a, b| b.cmp(a), MAX_NEWEST_MENTIONS))
}

/// Returns the entities at the other ends of the active relations of each of these entities, with their weights:
/// heaviest first, then by row number.
pub(crate) fn related_entities(tx: &Transaction<'_>, entity_ids: &[i64]) -> Result<Lists<(i64, f64)>> {
    let sql = |reading: Reading| {
        let others = |own: &str, other: &str| {
            let relations = reading.of("relations", "id", &format!("{own} = asked.value"), "id DESC");
            format!(
                "SELECT {own}, {other}, weight, active FROM json_each(?1) AS asked CROSS JOIN {relations}"
            )
        };
        format!("{} UNION ALL {}", others("from_entity", "to_entity"), others("to_entity", "from_entity"))
    };
    let values = [list(entity_ids.iter().copied()).into()];
    let rows = read(tx, sql, &values, |row| {
        let (own, other): (i64, i64) = (row.get(0)?, row.get(1)?);
        let counts = own != other && row.get(3)?;
        Ok(if counts { Some((own, (other, row.get(2)?))) } else { None })
    })?;
    let heaviest = |a: &(i64, f64), b: &(i64, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    Ok(grouped(rows, heaviest, MAX_RELATIONS))
}

/// Returns the first `limit` items of each list in this order. Rows are items with the key of their list.
fn grouped<T>(
    rows: impl IntoIterator<Item = (i64, T)>,
    order: impl Fn(&T, &T) -> Ordering,
    limit: usize,
) -> Lists<T> {
    let mut lists: Lists<T> = Lists::new();
    for (key, item) in rows {
        lists.entry(key).or_default().push(item);
    }
    for items in lists.values_mut() {
        items.sort_by(&order);
        items.truncate(limit);
    }
    lists
}

/// Returns the support of each of these memories, by number: the sum of the strengths of the admitted links `supports`
/// to it, and of its links to memories that it refines or supersedes. Memories without such links are omitted.
pub(crate) fn backing(
    tx: &Transaction<'_>,
    numbers: &[i64],
    evaluator: &mut FilterEvaluator<'_>,
) -> Result<BTreeMap<i64, f64>> {
    let sql = |reading: Reading| {
        format!(
            "{STARTS}
             SELECT starts.number, strength,
                (SELECT number FROM memory_numbers WHERE id = iif(type = 'supports', source, NULL))
             FROM starts CROSS JOIN {}
             UNION ALL
             SELECT starts.number, strength, iif(type IN ('refines', 'supersedes'), starts.number, NULL)
             FROM starts CROSS JOIN {}",
            reading.edges("target"),
            reading.edges("source"),
        )
    };
    let values = [list(numbers.iter().copied()).into()];
    let mut links: Vec<(i64, i64, f64)> = read(tx, sql, &values, |row| {
        let Some(number) = row.get(2)? else { return Ok(None) };
        Ok(Some((row.get(0)?, number, row.get(1)?)))
    })?;
    // The same order each time, so that the sums are the same to the last bit.
    links.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
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
    use std::sync::{
        Arc,
        atomic::{self, AtomicUsize},
    };

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

    /// The number of memories in [`filled`].
    const MEMORIES: i64 = 300;

    /// Returns a database in which each memory has links to the first three, and three entities are mentioned by the
    /// first 200, 201 and 70 memories.
    fn filled() -> Result<Database> {
        filled_in(empty()?)
    }

    fn empty() -> Result<Connection> {
        limbic_vfs::register_vec0();
        Ok(Connection::open_in_memory()?)
    }

    fn filled_in(connection: Connection) -> Result<Database> {
        let mut database = Database::open(connection, Box::new(Still), false)?;
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

    #[test]
    fn related_entities_are_those_of_the_heaviest_active_relations() -> Result<()> {
        let mut database = filled()?;
        database.write(|tx| {
            tx.execute_batch(
                "WITH RECURSIVE entity(id) AS (SELECT 4 UNION ALL SELECT id + 1 FROM entity WHERE id < 30)
                 INSERT INTO entities (id, name, entity_type) SELECT id, 'entity ' || id, 'thing' FROM entity;
                 INSERT INTO relations (from_entity, to_entity, relation_type, weight, active)
                    SELECT 1, id, 'knows', 1.0 + id % 3, id <> 8 FROM entities WHERE id BETWEEN 4 AND 30;
                 INSERT INTO relations (from_entity, to_entity, relation_type, weight)
                    VALUES (2, 1, 'knows', 9.0), (1, 1, 'knows', 9.0), (2, 3, 'knows', 0.5);",
            )?;
            let found = related_entities(tx, &[3, 1, 2])?;
            // One of the nine relations of weight 3 has ended.
            let heavy = (4..=30).filter(|id| id % 3 == 2 && *id != 8).map(|id| (id, 3.0));
            let light = (4..=30).filter(|id| id % 3 == 1).map(|id| (id, 2.0));
            let expected: Vec<(i64, f64)> =
                std::iter::once((2, 9.0)).chain(heavy).chain(light).take(MAX_RELATIONS).collect();
            assert_eq!(found.get(&1), Some(&expected));
            assert_eq!(found.get(&2), Some(&vec![(1, 9.0), (3, 0.5)]));
            assert_eq!(found.get(&3), Some(&vec![(2, 0.5)]));
            Ok(())
        })
    }

    #[test]
    fn references_are_followed_from_their_start_and_bidirectional_ones_from_both_ends() -> Result<()> {
        let mut database = filled()?;
        database.write(|tx| {
            tx.execute_batch("DELETE FROM MEMORY_EDGES")?;
            let refers = |from: i64, to: i64, description: Option<&str>, bidirectional: bool| {
                tx.execute(
                    "INSERT INTO DOMAIN_REFS VALUES (printf('m%03d', ?1), 'general', 'general',
                        printf('m%03d', ?2), ?3, ?4)",
                    params![from, to, description, bidirectional],
                )
            };
            refers(1, 2, None, false)?;
            refers(1, 3, Some("supports"), true)?;
            refers(1, 1, None, true)?;
            for other in 100..140 {
                refers(4, other, None, false)?;
            }
            let supports = ["supports".to_owned()];
            let all = LinkFilter::default();
            let strict = LinkFilter { min_strength: 1.1, ..all };
            let linked = |number: i64, links: LinkFilter<'_>| {
                let filter = Filter::default();
                let mut evaluator = FilterEvaluator::of_single(tx, &filter)?;
                super::linked(tx, number, links, &mut evaluator)
            };
            let one = |number: i64, goes_back: bool| Neighbour { number, strength: 1.0, goes_back };
            assert_eq!(linked(1, all)?, [one(2, false), one(3, true)]);
            assert_eq!(linked(1, LinkFilter { types: &supports, ..all })?, [one(3, true)]);
            assert_eq!(linked(1, strict)?, []);
            assert_eq!(linked(2, all)?, []);
            assert_eq!(linked(3, all)?, [one(1, true)]);
            let first: Vec<Neighbour> = (100..140).map(|number| one(number, false)).take(MAX_LINKS).collect();
            assert_eq!(linked(4, all)?, first);
            Ok(())
        })
    }

    /// Adds links, references, mentions and relations of the first memory and the first entity.
    fn add_to_hubs(tx: &Transaction<'_>, first: usize, last: usize) -> Result<()> {
        tx.execute_batch(&format!(
            "CREATE TEMP TABLE row AS WITH RECURSIVE row(number) AS (
                SELECT {first} UNION ALL SELECT number + 1 FROM row WHERE number < {last}) SELECT number FROM row;
             INSERT INTO entities (name, entity_type) SELECT 'entity ' || number, 'thing' FROM row;
             INSERT INTO MEMORY_NODES (id, domain, content, timestamp)
                SELECT printf('n%06d', number), 'general', '', '1969-12-31T00:00:00.000Z' FROM row;
             INSERT INTO memory_entities SELECT 'm001', id, 0 FROM entities JOIN row ON name = 'entity ' || number;
             INSERT INTO memory_entities SELECT printf('n%06d', number), 1, 0 FROM row;
             INSERT INTO relations (from_entity, to_entity, relation_type, weight)
                SELECT 1, id, 'knows', 1.0 / number FROM entities JOIN row ON name = 'entity ' || number;
             INSERT INTO relations (from_entity, to_entity, relation_type, active)
                SELECT id, 1, 'knew', 0 FROM entities JOIN row ON name = 'entity ' || number;
             INSERT INTO MEMORY_EDGES
                SELECT 's' || number, printf('n%06d', number), 'm001', 'supports', 0.5, '', 'general' FROM row;
             INSERT INTO MEMORY_EDGES
                SELECT 'd' || number, 'm001', printf('n%06d', number), 'near_duplicate', 1, '', 'general' FROM row;
             INSERT INTO DOMAIN_REFS SELECT 'm001', 'general', 'general', printf('n%06d', number), '', 0 FROM row;
             INSERT INTO DOMAIN_REFS SELECT printf('n%06d', number), 'general', 'general', 'm001', '', 1 FROM row;
             DROP TABLE row;"
        ))?;
        Ok(())
    }

    #[test]
    fn of_a_hub_no_more_is_read_the_more_it_has() -> Result<()> {
        let mut connection = empty()?;
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        connection.progress_handler(
            1,
            Some(move || {
                counted.fetch_add(1, atomic::Ordering::Relaxed);
                false
            }),
        )?;
        // The number of steps of SQLite's virtual machine.
        let steps = |read: &mut dyn FnMut() -> Result<()>| -> Result<usize> {
            let before = count.load(atomic::Ordering::Relaxed);
            read()?;
            Ok(count.load(atomic::Ordering::Relaxed) - before)
        };
        filled_in(connection)?.write(|tx| {
            let read = |last: usize| -> Result<[usize; 5]> {
                let filter = Filter::default();
                let new = || FilterEvaluator::of_single(tx, &filter);
                Ok([
                    steps(&mut || linked_to(tx, &[1, 2], LinkFilter::default(), &mut new()?).map(drop))?,
                    steps(&mut || backing(tx, &[1, 2], &mut new()?).map(drop))?,
                    steps(&mut || mentioned(tx, &[1, 2]).map(drop))?,
                    steps(&mut || mentioning(tx, &[1, 2], &mut new()?).map(drop))?,
                    steps(&mut || {
                        let newest = last - MAX_READ + 1..=last;
                        let found = related_entities(tx, &[1, 3])?;
                        let names: Vec<String> = found[&1]
                            .iter()
                            .map(|(id, _)| {
                                tx.query_row("SELECT name FROM entities WHERE id = ?1", [id], |row| {
                                    row.get(0)
                                })
                            })
                            .collect::<rusqlite::Result<_>>()?;
                        let heaviest = newest.take(MAX_RELATIONS).map(|number| format!("entity {number}"));
                        assert_eq!(names, heaviest.collect::<Vec<_>>());
                        Ok(())
                    })?,
                ])
            };
            add_to_hubs(tx, 1, MAX_ROWS)?;
            let few = read(MAX_ROWS)?;
            add_to_hubs(tx, MAX_ROWS + 1, 2 * MAX_ROWS)?;
            let many = read(2 * MAX_ROWS)?;
            for (few, many) in few.into_iter().zip(many) {
                assert!(many <= few + few / 100, "{few} {many}");
            }
            Ok(())
        })
    }
}
