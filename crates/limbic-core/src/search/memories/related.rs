//! Memories reachable through links from a memory.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Error, Result, Transaction,
    store::memories::{
        self as rows, Filter, FilterEvaluator, MemoryNode,
        neighbourhood::{self, LinkFilter},
    },
};

/// The maximum number of steps.
const MAX_DEPTH: usize = 5;

/// The maximum number of memories whose links are followed.
const MAX_OPEN: usize = 500;

/// The start and the links to follow.
#[derive(Debug, Clone, Copy)]
pub struct RelatedQuery<'a> {
    /// The memory to start from; it is not among the results.
    pub start_id: &'a str,
    /// Maximum number of results.
    pub limit: usize,
    /// Which memories may be found. Links are followed through all memories of the same domain and user.
    pub filter: &'a Filter<'a>,
    /// Which links to follow.
    pub links: LinkFilter<'a>,
}

/// Returns the memories reachable through links, each with the product of the strengths on the best path: highest
/// first, then by number.
///
/// # Errors
/// [`Error::MemoryNotFound`] for a start that does not exist or is another user's; errors of the [`Filter`].
pub fn related(tx: &Transaction<'_>, query: RelatedQuery<'_>) -> Result<Vec<(MemoryNode, f64)>> {
    let start = rows::get(tx, query.start_id)?;
    if query.filter.user_id.is_some() && start.user_id.as_deref() != query.filter.user_id {
        return Err(Error::MemoryNotFound(query.start_id.to_owned()));
    }
    let mut evaluator = FilterEvaluator::new(tx, query.filter)?;
    let mut walk = FilterEvaluator::of_single(tx, &super::query::walked(query.filter))?;
    let mut found = Vec::new();
    let mut left: BTreeSet<i64> = BTreeSet::new();
    let mut ahead: BTreeMap<i64, (f64, usize)> = BTreeMap::from([(start.number, (1.0, 0))]);
    while let Some((number, (strength, depth))) = best(&ahead) {
        ahead.remove(&number);
        left.insert(number);
        if number != start.number
            && evaluator.admits(tx, number)?
            && let Some(memory) = rows::by_number(tx, number)?
        {
            found.push((memory, strength));
        }
        if found.len() == query.limit || left.len() == MAX_OPEN {
            break;
        }
        if depth == MAX_DEPTH {
            continue;
        }
        for link in neighbourhood::linked(tx, number, query.links, &mut walk)? {
            if left.contains(&link.number) {
                continue;
            }
            let reached = (crate::model::numbers::round(strength * link.strength, 6), depth + 1);
            let known = ahead.entry(link.number).or_insert(reached);
            if reached.0 > known.0 {
                *known = reached;
            }
        }
    }
    Ok(found)
}

/// Returns the strongest node that is not yet expanded; of equal ones the one with the shortest path, then the lowest
/// number.
fn best(ahead: &BTreeMap<i64, (f64, usize)>) -> Option<(i64, (f64, usize))> {
    ahead
        .iter()
        .min_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.1.1.cmp(&b.1.1)).then(a.0.cmp(b.0)))
        .map(|(number, reached)| (*number, *reached))
}
