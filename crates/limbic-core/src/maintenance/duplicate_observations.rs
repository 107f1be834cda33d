//! Near-duplicates among the observations of an entity.

use super::union_find::clusters;
use crate::{
    Result, Transaction,
    model::similarity::{Match, PreparedText, Thresholds},
    search::Mode,
    store::{
        graph::observations::{self, Observation},
        vectors::observation_similarity,
    },
};

/// Maximum number of observations that are compared with each other: the newest.
const MAX_COMPARED: usize = 1000;

/// The near-duplicate observations of an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Duplicates {
    /// How many current observations the entity has.
    pub total: usize,
    /// Observations that were compared, oldest first: all, or the newest of very many.
    pub compared: Vec<Observation>,
    /// Pairs, highest score first, then by row number.
    pub pairs: Vec<Pair>,
    /// Row numbers of the observations that pairs connect, in ascending order.
    pub clusters: Vec<Vec<i64>>,
    /// Whether vectors could be compared, or words only.
    pub mode: Mode,
}

/// Two near-duplicate observations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Index of the older observation in [`Duplicates::compared`].
    pub a: usize,
    /// Index of the newer observation.
    pub b: usize,
    /// Similarity, 0 to 1.
    pub score: f64,
    /// The criterion that matched.
    pub kind: Match,
}

/// Compares the current observations of an entity: by sentence vectors if all have one, else by words.
pub fn find(tx: &Transaction<'_>, entity_id: i64, thresholds: Thresholds) -> Result<Duplicates> {
    let mut compared = observations::current(tx, entity_id)?;
    let total = compared.len();
    compared.drain(..total.saturating_sub(MAX_COMPARED));
    let mut vectors = observation_similarity::vectors(tx, entity_id)?;
    let complete = compared.iter().all(|observation| vectors.contains_key(&observation.id));
    let prepared: Vec<PreparedText> = compared
        .iter()
        .map(|known| PreparedText::new(known.content.clone(), vectors.remove(&known.id).filter(|_| complete)))
        .collect();
    let mut pairs = Vec::new();
    for (b, newer) in prepared.iter().enumerate() {
        for (a, older) in prepared[..b].iter().enumerate() {
            if let Some((score, kind)) = older.matches(newer, thresholds) {
                pairs.push(Pair { a, b, score, kind });
            }
        }
    }
    pairs.sort_by(|x, y| y.score.total_cmp(&x.score).then((x.a, x.b).cmp(&(y.a, y.b))));
    let clusters = clusters(compared.len(), pairs.iter().map(|pair| (pair.a, pair.b)))
        .into_iter()
        .map(|cluster| cluster.into_iter().map(|index| compared[index].id).collect())
        .collect();
    let mode = if complete { Mode::Hybrid } else { Mode::Lexical };
    Ok(Duplicates { total, compared, pairs, clusters, mode })
}
