//! Memories that nobody asks a question of: those that count most, whatever they say.

use crate::{
    Result, Unit,
    store::memories::{self as rows, Age, Filter, MemoryNode, Standing},
};

/// The memories that a filter lets in and that count most: by effective confidence, importance and freshness, then by
/// how often they were found, then by number.
///
/// # Errors
/// Those of the filter and of the database.
pub fn by_standing(
    unit: &Unit<'_>,
    filter: &Filter<'_>,
    limit: usize,
) -> Result<Vec<(MemoryNode, Standing)>> {
    let mut ranked: Vec<(f64, Age, Standing)> = rows::ages(unit, filter)?
        .into_iter()
        .map(|age| {
            let standing = age.standing(unit.now_millis());
            (super::super::round(standing.factor(), 6), age, standing)
        })
        .collect();
    ranked.sort_by(|(a_score, a, _), (b_score, b, _)| {
        b_score.total_cmp(a_score).then(b.access_count.cmp(&a.access_count)).then(a.number.cmp(&b.number))
    });
    ranked.truncate(limit);
    let mut found = Vec::with_capacity(ranked.len());
    for (_, age, standing) in ranked {
        if let Some(memory) = rows::by_number(unit, age.number)? {
            found.push((memory, standing));
        }
    }
    Ok(found)
}
