//! Near-duplicates among the hits: of two memories with the same statement, the older one represents both; of a
//! possible contradiction, the newer one comes first, unless the question is about the older one.

use std::collections::{BTreeSet, HashMap};

use super::{query::MemoryQuery, ranked::Ranked};
use crate::{
    Result, Transaction,
    model::statements::{asks_for, repeats},
    store::memories::{self as rows, Filter, FilterEvaluator, near_duplicate_edges},
};

/// Returns the first `query.limit` hits. Hits that an older memory with the same statement represents are removed; it
/// takes the better of their ranks. Of each possible contradiction, the newer one takes the better rank, unless the
/// query is about the older one. Pinned memories are never removed.
pub(crate) fn collapsed(
    tx: &Transaction<'_>,
    mut hits: Vec<Ranked>,
    query: MemoryQuery<'_>,
) -> Result<Vec<Ranked>> {
    let limit = query.limit;
    let mut index = 0;
    // Timestamps of a wrong clock may order three memories in a cycle.
    let mut exchanges = hits.len();
    let mut edges = AutomaticEdges::default();
    while index < hits.len().min(limit) {
        let relation = match edges.first_has(tx, &hits[index..hits.len().min(limit)])? {
            true => relation(tx, &hits, index, query)?,
            false => Relation::Unrelated,
        };
        match relation {
            Relation::Unrelated => index += 1,
            Relation::StandsFor(older) => {
                let score = hits[index].score;
                hits.remove(index);
                if older > index {
                    let mut older = hits.remove(older - 1);
                    older.score = score;
                    hits.insert(index, older);
                }
            }
            Relation::Newer(_) if exchanges == 0 => index += 1,
            Relation::Newer(newer) => {
                exchanges -= 1;
                let scores = (hits[index].score, hits[newer].score);
                hits.swap(index, newer);
                (hits[index].score, hits[newer].score) = scores;
            }
        }
    }
    Ok(hits)
}

/// Which hits have automatic edges, by number. Most have none: their texts and edges need not be read.
#[derive(Default)]
struct AutomaticEdges {
    known: HashMap<i64, bool>,
}

impl AutomaticEdges {
    /// Whether the first of these hits has automatic edges. If that is not known yet, one statement finds it for all of
    /// these hits.
    fn first_has(&mut self, tx: &Transaction<'_>, hits: &[Ranked]) -> Result<bool> {
        let numbers: Vec<i64> = hits.iter().map(|hit| hit.signals.id).collect();
        let Some(first) = numbers.first() else { return Ok(false) };
        if !self.known.contains_key(first) {
            let having = near_duplicate_edges::having_edges(tx, &numbers)?;
            self.known.extend(numbers.iter().map(|number| (*number, having.contains(number))));
        }
        Ok(self.known.get(first).is_some_and(|has| *has))
    }
}

/// Swaps the ranks of the two memories of each possible contradiction, if the older one comes first.
pub(crate) fn newer_first(tx: &Transaction<'_>, memories: &mut [rows::MemoryNode]) -> Result<()> {
    let mut exchanges = memories.len();
    let mut index = 0;
    while let Some(own) = memories.get(index) {
        let near = near_duplicate_edges::near_to(tx, own)?;
        let mut newest = index;
        for there in index + 1..memories.len() {
            let other = &memories[there];
            if near.iter().any(|near| !near.is_same && near.memory.number == other.number)
                && near_duplicate_edges::is_newer(tx, other, &memories[newest])?
            {
                newest = there;
            }
        }
        if newest == index || exchanges == 0 {
            index += 1;
        } else {
            exchanges -= 1;
            memories.swap(index, newest);
        }
    }
    Ok(())
}

/// Puts the newer memory of each possible contradiction in front of the older one, also where it is not among the given
/// ones, if the filter admits it. For readers that see a selection and cannot ask for more.
///
/// # Errors
/// Errors of the filter.
pub fn with_corrections(
    tx: &Transaction<'_>,
    memories: Vec<rows::MemoryNode>,
    filter: &Filter<'_>,
) -> Result<Vec<rows::MemoryNode>> {
    let mut evaluator = FilterEvaluator::new(tx, filter)?;
    let mut present: BTreeSet<i64> = memories.iter().map(|memory| memory.number).collect();
    let mut all = Vec::with_capacity(memories.len());
    for memory in memories {
        for near in near_duplicate_edges::near_to(tx, &memory)? {
            let is_correction = !near.is_same && near_duplicate_edges::is_newer(tx, &near.memory, &memory)?;
            if is_correction
                && !present.contains(&near.memory.number)
                && evaluator.admits(tx, near.memory.number)?
            {
                present.insert(near.memory.number);
                all.push(near.memory);
            }
        }
        all.push(memory);
    }
    newer_first(tx, &mut all)?;
    Ok(all)
}

/// The relation of a hit to the other hits.
enum Relation {
    /// Neither of these.
    Unrelated,
    /// The hit at this index is older and has the same statement.
    StandsFor(usize),
    /// The lower-ranked hit at this index is newer and a possible contradiction.
    Newer(usize),
}

fn relation(tx: &Transaction<'_>, hits: &[Ranked], index: usize, query: MemoryQuery<'_>) -> Result<Relation> {
    let Some(own) = rows::by_number(tx, hits[index].signals.id)? else { return Ok(Relation::Unrelated) };
    let near = near_duplicate_edges::near_to(tx, &own)?;
    if near.is_empty() {
        return Ok(Relation::Unrelated);
    }
    let indices: HashMap<i64, usize> =
        hits.iter().enumerate().map(|(index, hit)| (hit.signals.id, index)).collect();
    let question = query.phrasings.get(hits[index].phrasing).map_or("", |phrasing| phrasing.text);
    let mut newest: Option<(usize, rows::MemoryNode)> = None;
    for other in near {
        let Some(there) = indices.get(&other.memory.number).copied() else { continue };
        let is_newer = near_duplicate_edges::is_newer(tx, &other.memory, &own)?;
        if other.is_same && !is_newer && !own.pinned {
            return Ok(Relation::StandsFor(there));
        }
        let is_newest = match &newest {
            Some((_, known)) => near_duplicate_edges::is_newer(tx, &other.memory, known)?,
            None => true,
        };
        let is_asked_for = || {
            let is_of_its_date = hits[index].signals.dates > hits[there].signals.dates;
            is_of_its_date && !repeats(question, &own.content)
                || asks_for(question, &own.content, &other.memory.content)
        };
        if !other.is_same && is_newer && there > index && is_newest && !is_asked_for() {
            newest = Some((there, other.memory));
        }
    }
    Ok(newest.map_or(Relation::Unrelated, |(there, _)| Relation::Newer(there)))
}
