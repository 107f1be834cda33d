//! Near memories among the hits: of one statement the older one stands for both, and of a possible contradiction the newer
//! one comes first.

use std::collections::HashMap;

use super::ranked::Ranked;
use crate::{
    Result, Transaction,
    store::memories::{self as rows, near_duplicate_edges},
};

/// The first `limit` hits without those for which an older one stands, which takes the better of their places, and with
/// the newer one of each possible contradiction before the older one: the two exchange their places. What is pinned is
/// hidden behind none.
pub(crate) fn collapsed(tx: &Transaction<'_>, mut hits: Vec<Ranked>, limit: usize) -> Result<Vec<Ranked>> {
    let mut place = 0;
    // Moments of a wrong clock may order three memories in a circle.
    let mut exchanges = hits.len();
    while place < hits.len().min(limit) {
        match beside(tx, &hits, place)? {
            Beside::Nobody => place += 1,
            Beside::StandsFor(older) => {
                let score = hits[place].score;
                hits.remove(place);
                if older > place {
                    let mut older = hits.remove(older - 1);
                    older.score = score;
                    hits.insert(place, older);
                }
            }
            Beside::Newer(_) if exchanges == 0 => place += 1,
            Beside::Newer(newer) => {
                exchanges -= 1;
                let scores = (hits[place].score, hits[newer].score);
                hits.swap(place, newer);
                (hits[place].score, hits[newer].score) = scores;
            }
        }
    }
    Ok(hits)
}

/// Puts the newer one of each possible contradiction before the older one: the two exchange their places.
pub(crate) fn newer_first(tx: &Transaction<'_>, memories: &mut [rows::MemoryNode]) -> Result<()> {
    let mut exchanges = memories.len();
    let mut place = 0;
    while let Some(own) = memories.get(place) {
        let near = near_duplicate_edges::near_to(tx, own)?;
        let mut newest = place;
        for there in place + 1..memories.len() {
            let other = &memories[there];
            if near.iter().any(|near| !near.is_same && near.memory.number == other.number)
                && near_duplicate_edges::is_newer(tx, other, &memories[newest])?
            {
                newest = there;
            }
        }
        if newest == place || exchanges == 0 {
            place += 1;
        } else {
            exchanges -= 1;
            memories.swap(place, newest);
        }
    }
    Ok(())
}

/// What there is for a hit among the others.
enum Beside {
    /// Nothing that concerns it.
    Nobody,
    /// At this place, an older one that is the same statement.
    StandsFor(usize),
    /// At this place behind it, a newer one that it may contradict.
    Newer(usize),
}

fn beside(tx: &Transaction<'_>, hits: &[Ranked], place: usize) -> Result<Beside> {
    let Some(own) = rows::by_number(tx, hits[place].signals.id)? else { return Ok(Beside::Nobody) };
    let near = near_duplicate_edges::near_to(tx, &own)?;
    if near.is_empty() {
        return Ok(Beside::Nobody);
    }
    let places: HashMap<i64, usize> =
        hits.iter().enumerate().map(|(place, hit)| (hit.signals.id, place)).collect();
    let mut newest: Option<(usize, rows::MemoryNode)> = None;
    for other in near {
        let Some(there) = places.get(&other.memory.number).copied() else { continue };
        let is_newer = near_duplicate_edges::is_newer(tx, &other.memory, &own)?;
        if other.is_same && !is_newer && !own.pinned {
            return Ok(Beside::StandsFor(there));
        }
        let is_newest = match &newest {
            Some((_, known)) => near_duplicate_edges::is_newer(tx, &other.memory, known)?,
            None => true,
        };
        if !other.is_same && is_newer && there > place && is_newest {
            newest = Some((there, other.memory));
        }
    }
    Ok(newest.map_or(Beside::Nobody, |(there, _)| Beside::Newer(there)))
}
