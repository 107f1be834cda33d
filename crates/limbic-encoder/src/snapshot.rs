//! Selects the observations that represent an entity within a token budget: Head + Tail + Diversity.
//!
//! The first observations define the entity, the last ones describe its current state; from the middle, those that
//! differ most from the selected ones are added.

use crate::text_encoder::Token;

/// Shares of the budget for the first and the last observations, in percent.
const HEAD_PERCENT: usize = 40;
const TAIL_PERCENT: usize = 40;

/// Composes a snapshot of at most `max_tokens` tokens: header, observations, relations.
///
/// The header is cut only if it exceeds the budget by itself; the relations are cut at the end of the budget.
pub fn compose<T: Token>(
    header: &[T],
    observations: &[Vec<T>],
    relations: &[T],
    max_tokens: usize,
) -> Vec<T> {
    let mut snapshot: Vec<T> = header.iter().take(max_tokens).cloned().collect();
    let ids: Vec<Vec<u32>> =
        observations.iter().map(|observation| observation.iter().map(Token::id).collect()).collect();
    let chosen = choose(&ids, max_tokens - snapshot.len());
    for index in &chosen {
        snapshot.extend(observations[*index].iter().cloned());
    }
    if chosen.is_empty()
        && let Some(last) = observations.last()
    {
        // No observation fits: the most recent one is cut.
        snapshot.extend(last.iter().take(max_tokens - snapshot.len()).cloned());
    }
    snapshot.extend(relations.iter().take(max_tokens - snapshot.len()).cloned());
    snapshot
}

/// Returns the indices of the selected observations, ascending, with at most `max_tokens` tokens in total.
pub fn choose(observations: &[Vec<u32>], max_tokens: usize) -> Vec<usize> {
    let size = |index: usize| observations[index].len();
    if observations.iter().map(Vec::len).sum::<usize>() <= max_tokens {
        return (0..observations.len()).collect();
    }
    let head = fitting(0..observations.len(), size, max_tokens * HEAD_PERCENT / 100);
    let tail = fitting((head.len()..observations.len()).rev(), size, max_tokens * TAIL_PERCENT / 100);
    let middle = head.len()..observations.len() - tail.len();
    let mut chosen: Vec<usize> = head.into_iter().chain(tail).collect();
    let left = max_tokens - chosen.iter().map(|index| size(*index)).sum::<usize>();
    chosen.extend(most_different(observations, middle, &chosen, left));
    chosen.sort_unstable();
    chosen
}

/// Takes indices from the front while the sum of their sizes is within `max_tokens`.
fn fitting(
    indices: impl Iterator<Item = usize>,
    size: impl Fn(usize) -> usize,
    max_tokens: usize,
) -> Vec<usize> {
    let mut used = 0;
    indices
        .take_while(|index| {
            used += size(*index);
            used <= max_tokens
        })
        .collect()
}

/// Repeatedly takes the candidate with the lowest maximum similarity to the selected ones.
fn most_different(
    observations: &[Vec<u32>],
    candidates: std::ops::Range<usize>,
    chosen: &[usize],
    mut max_tokens: usize,
) -> Vec<usize> {
    let sets: Vec<Vec<u32>> = observations.iter().map(|ids| set(ids)).collect();
    let nearest = |candidate: usize| {
        chosen.iter().map(|other| similarity(&sets[candidate], &sets[*other])).max().unwrap_or_default()
    };
    let mut open: Vec<(usize, Share)> = candidates.map(|candidate| (candidate, nearest(candidate))).collect();
    let mut taken = Vec::new();
    loop {
        open.retain(|(candidate, _)| observations[*candidate].len() <= max_tokens);
        let Some(&(next, _)) = open.iter().min_by_key(|(candidate, nearest)| (*nearest, *candidate)) else {
            return taken;
        };
        taken.push(next);
        max_tokens -= observations[next].len();
        open.retain(|(candidate, _)| *candidate != next);
        for (candidate, nearest) in &mut open {
            *nearest = (*nearest).max(similarity(&sets[*candidate], &sets[next]));
        }
    }
}

/// A fraction, compared by cross-multiplication, which is exact.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    part: usize,
    whole: usize,
}

impl Ord for Share {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.part * other.whole.max(1)).cmp(&(other.part * self.whole.max(1)))
    }
}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Share {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Share {}

/// Jaccard similarity: size of the intersection over size of the union.
fn similarity(left: &[u32], right: &[u32]) -> Share {
    let part = left.iter().filter(|id| right.binary_search(id).is_ok()).count();
    Share { part, whole: left.len() + right.len() - part }
}

fn set(ids: &[u32]) -> Vec<u32> {
    let mut set = ids.to_vec();
    set.sort_unstable();
    set.dedup();
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `count` observations of ten tokens each; those listed in `odd` share no token with the others.
    fn observations(count: usize, odd: &[usize]) -> Vec<Vec<u32>> {
        (0..count)
            .map(|index| {
                let first =
                    if odd.contains(&index) { 1000 + 10 * u32::try_from(index).expect("small") } else { 0 };
                (first..first + 10).collect()
            })
            .collect()
    }

    #[test]
    fn all_observations_are_selected_when_they_fit() {
        assert_eq!(choose(&observations(5, &[]), 50), vec![0, 1, 2, 3, 4]);
    }

    #[test]
    fn head_tail_and_different_observations_are_selected() {
        // Room for ten of twenty: four first, four last, and the two that differ.
        let chosen = choose(&observations(20, &[9, 12]), 100);
        assert_eq!(chosen, vec![0, 1, 2, 3, 9, 12, 16, 17, 18, 19]);
    }

    #[test]
    fn the_budget_is_never_exceeded() {
        let mut texts = observations(30, &[5, 6, 7]);
        texts[10] = (0..400).collect();
        texts[0] = (0..90).collect();
        for max_tokens in 0..200 {
            let used: usize = choose(&texts, max_tokens).iter().map(|index| texts[*index].len()).sum();
            assert!(used <= max_tokens);
        }
    }

    #[derive(Clone)]
    struct Id(u32);
    impl Token for Id {
        fn id(&self) -> u32 {
            self.0
        }
        fn is_weak(&self) -> bool {
            false
        }
    }

    fn ids(range: std::ops::Range<u32>) -> Vec<Id> {
        range.map(Id).collect()
    }

    #[test]
    fn relations_fill_the_rest_of_the_budget() {
        let snapshot = compose(&ids(0..5), &[ids(10..15)], &ids(20..40), 12);
        let snapshot: Vec<u32> = snapshot.iter().map(Token::id).collect();
        assert_eq!(snapshot, vec![0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 20, 21]);
    }

    #[test]
    fn a_header_over_the_budget_is_cut() {
        assert_eq!(compose(&ids(0..50), &[ids(0..3)], &ids(0..3), 20).len(), 20);
    }

    #[test]
    fn a_single_observation_over_the_budget_is_cut() {
        assert_eq!(compose(&ids(0..5), &[ids(0..900)], &[], 20).len(), 20);
    }
}
