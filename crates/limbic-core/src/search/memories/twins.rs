//! Of memories that say nearly the same, the older one answers for both where the newer one adds nothing.

use std::collections::HashMap;

use super::ranked::Ranked;
use crate::{
    Result, Unit,
    maintain::near_duplicates,
    store::memories::{self as rows, near},
};

/// The first `limit` hits without those for which an older one stands. That takes the better of their places.
pub fn collapsed(unit: &Unit<'_>, mut hits: Vec<Ranked>, limit: usize) -> Result<Vec<Ranked>> {
    let mut place = 0;
    while place < hits.len().min(limit) {
        match stands_for(unit, &hits, place)? {
            None => place += 1,
            Some(older) => {
                let score = hits[place].score;
                hits.remove(place);
                if older > place {
                    let mut older = hits.remove(older - 1);
                    older.score = score;
                    hits.insert(place, older);
                }
            }
        }
    }
    Ok(hits)
}

/// The place of the older hit that says all that this one says.
fn stands_for(unit: &Unit<'_>, hits: &[Ranked], place: usize) -> Result<Option<usize>> {
    let older = near::older(unit, hits[place].id())?;
    if older.is_empty() {
        return Ok(None);
    }
    let Some(newer) = rows::by_number(unit, hits[place].signals.id)? else { return Ok(None) };
    let places: HashMap<i64, usize> =
        hits.iter().enumerate().map(|(place, hit)| (hit.signals.id, place)).collect();
    for number in older {
        if let Some(place) = places.get(&number)
            && let Some(older) = rows::by_number(unit, number)?
            && near_duplicates::adds_nothing(&newer, &older)
        {
            return Ok(Some(*place));
        }
    }
    Ok(None)
}
