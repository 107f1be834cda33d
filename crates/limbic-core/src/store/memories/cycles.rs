//! Cycles of links whose type must not have any.

use std::collections::{HashMap, HashSet};

use rusqlite::params;

use crate::{Result, Transaction};

/// Types whose links must not form a cycle.
const ACYCLIC: [&str; 2] = ["supersedes", "refines"];

/// Whether links of a type must not form a cycle.
pub(super) fn is_acyclic(link_type: &str) -> bool {
    ACYCLIC.contains(&link_type)
}

/// Finds out whether links from one memory would close a cycle. The memories that lead to it are looked up once for all
/// of its links, and no further than those that a target leads to, or the other way round: a long chain costs nothing
/// where either end of the new link is an end of the chain.
pub(crate) struct CycleSearch<'m> {
    from: &'m str,
    by_type: HashMap<String, Search>,
}

/// The search for links of one type.
#[derive(Default)]
struct Search {
    /// The memories that lead to the first one, as far as they are known, and those of them to look at next.
    before: HashSet<String>,
    before_next: Vec<String>,
    /// Rows that were read in each direction, for all links together.
    rows_before: usize,
    rows_after: usize,
}

impl<'m> CycleSearch<'m> {
    /// A search for the links that start from this memory. While it is in use, no link may be created that leads to
    /// this memory, directly or through others.
    pub(crate) fn from(from: &'m str) -> Self {
        Self { from, by_type: HashMap::new() }
    }

    /// Whether a link to this memory would close a cycle of a type that must not have one.
    ///
    /// # Errors
    /// If the links cannot be read.
    pub(crate) fn finds(&mut self, tx: &Transaction<'_>, to: &str, link_type: &str) -> Result<bool> {
        if !is_acyclic(link_type) {
            return Ok(false);
        }
        let from = self.from;
        let search = self.by_type.entry(link_type.to_owned()).or_insert_with(|| Search {
            before: HashSet::from([from.to_owned()]),
            before_next: vec![from.to_owned()],
            ..Search::default()
        });
        search.finds(tx, to, link_type)
    }
}

impl Search {
    fn finds(&mut self, tx: &Transaction<'_>, to: &str, link_type: &str) -> Result<bool> {
        let mut after = HashSet::from([to.to_owned()]);
        let mut after_next = vec![to.to_owned()];
        if self.before.contains(to) {
            return Ok(true);
        }
        loop {
            if self.before_next.is_empty() || after_next.is_empty() {
                return Ok(false);
            }
            // The direction that has cost less goes on.
            if self.rows_before <= self.rows_after {
                let Some(id) = self.before_next.pop() else { return Ok(false) };
                let found = neighbours(tx, TO, &id, link_type)?;
                self.rows_before += 1 + found.len();
                let mut meets = false;
                for id in found {
                    meets |= after.contains(&id);
                    if self.before.insert(id.clone()) {
                        self.before_next.push(id);
                    }
                }
                if meets {
                    return Ok(true);
                }
            } else {
                let Some(id) = after_next.pop() else { return Ok(false) };
                let found = neighbours(tx, FROM, &id, link_type)?;
                self.rows_after += 1 + found.len();
                for id in found {
                    if self.before.contains(&id) {
                        return Ok(true);
                    }
                    if after.insert(id.clone()) {
                        after_next.push(id);
                    }
                }
            }
        }
    }
}

/// The targets of a memory's links of a type.
const FROM: &str = "SELECT target FROM MEMORY_EDGES WHERE source = ?1 AND type = ?2
    UNION ALL SELECT targetNodeId FROM DOMAIN_REFS WHERE nodeId = ?1 AND description = ?2";

/// The sources of the links of a type that lead to a memory.
const TO: &str = "SELECT source FROM MEMORY_EDGES WHERE target = ?1 AND type = ?2
    UNION ALL SELECT nodeId FROM DOMAIN_REFS WHERE targetNodeId = ?1 AND description = ?2";

fn neighbours(tx: &Transaction<'_>, sql: &str, id: &str, link_type: &str) -> Result<Vec<String>> {
    let mut statement = tx.prepare_cached(sql)?;
    let rows = statement.query_map(params![id, link_type], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    const TABLES: &str = "CREATE TABLE MEMORY_EDGES (source, target, type);
        CREATE TABLE DOMAIN_REFS (nodeId, targetNodeId, description)";

    fn with_links(
        links: &[(String, String)],
        check: impl FnOnce(&Transaction<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(TABLES)?;
        let transaction = connection.transaction()?;
        for (number, (from, to)) in links.iter().enumerate() {
            let table = if number % 3 == 0 { "DOMAIN_REFS" } else { "MEMORY_EDGES" };
            transaction.execute(&format!("INSERT INTO {table} VALUES (?1, ?2, 'supersedes')"), [from, to])?;
        }
        check(&Transaction::new(&transaction, 0))
    }

    fn chain(name: char, length: usize) -> Vec<(String, String)> {
        (1..length).map(|end| (format!("{name}{}", end - 1), format!("{name}{end}"))).collect()
    }

    fn rows(search: &CycleSearch<'_>) -> usize {
        search.by_type.values().map(|search| search.rows_before + search.rows_after).sum()
    }

    #[test]
    fn a_cycle_is_found_wherever_it_is() -> Result<()> {
        // Links from lower to higher numbers, each of which is or is not there.
        for bits in 0_u32..1 << 6 {
            let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
            let of = |(from, to): (u32, u32)| (from.to_string(), to.to_string());
            let there: Vec<(u32, u32)> =
                (0..pairs.len()).filter(|bit| bits >> bit & 1 == 1).map(|bit| pairs[bit]).collect();
            let leads = |from: u32, to: u32| {
                let mut reached = vec![from];
                // The targets have higher numbers.
                for id in from..4 {
                    if reached.contains(&id) {
                        reached.extend(there.iter().filter(|(source, _)| *source == id).map(|(_, end)| *end));
                    }
                }
                reached.contains(&to)
            };
            let links: Vec<_> = there.iter().copied().map(of).collect();
            with_links(&links, |tx| {
                for from in 0..4 {
                    let id = from.to_string();
                    let mut search = CycleSearch::from(&id);
                    for to in 0..4 {
                        let found = search.finds(tx, &to.to_string(), "supersedes")?;
                        assert_eq!(found, leads(to, from), "{from} to {to} of {there:?}");
                        assert!(!search.finds(tx, &to.to_string(), "supports")?);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    #[test]
    fn a_long_chain_is_not_read_for_each_link() -> Result<()> {
        with_links(&[chain('a', 1000), chain('b', 1000)].concat(), |tx| {
            for (from, to) in [("new", "a0"), ("a999", "new"), ("a999", "b999"), ("a0", "b0")] {
                let mut search = CycleSearch::from(from);
                assert!(!search.finds(tx, to, "supersedes")?);
                assert!(rows(&search) < 10, "{from} to {to}: {} rows", rows(&search));
            }
            let mut search = CycleSearch::from("a999");
            for number in 0..1000 {
                assert!(!search.finds(tx, &format!("b{number}"), "supersedes")?);
            }
            assert!(rows(&search) < 5000, "{} rows for a thousand links", rows(&search));
            assert!(search.finds(tx, "a0", "supersedes")?);
            Ok(())
        })
    }
}
