//! Measures of retrieval, as defined by the data set's README.

/// The scores of one query.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Scores {
    /// nDCG@10: gain of the gold ids among the first ten, discounted by rank, relative to the ideal order.
    pub ndcg_at_10: f64,
    /// Share of the gold ids among the first five.
    pub recall_at_5: f64,
    /// Share of the gold ids among the first ten.
    pub recall_at_10: f64,
    /// 1 if any gold id is among the first five.
    pub hit_at_5: f64,
    /// Reciprocal rank of the first gold id; 0 if it was not found.
    pub reciprocal_rank: f64,
}

/// Scores a ranked list of ids against the gold ids, of which there is at least one.
pub fn score(ranked: &[String], gold: &[String]) -> Scores {
    let is_gold = |id: &String| gold.contains(id);
    let found = |first: usize| ranked.iter().take(first).filter(|id| is_gold(id)).count();
    let gain = |rank: usize| 1.0 / real(rank + 1).log2();
    let gained: f64 =
        (1..).zip(ranked.iter().take(10)).filter(|(_, id)| is_gold(id)).map(|(rank, _)| gain(rank)).sum();
    let best: f64 = (1..=gold.len().min(10)).map(gain).sum();
    Scores {
        ndcg_at_10: gained / best,
        recall_at_5: real(found(5)) / real(gold.len()),
        recall_at_10: real(found(10)) / real(gold.len()),
        hit_at_5: if found(5) > 0 { 1.0 } else { 0.0 },
        reciprocal_rank: ranked.iter().position(is_gold).map_or(0.0, |index| 1.0 / real(index + 1)),
    }
}

/// Returns the mean of a measure; 0 without values.
pub fn mean(scores: &[Scores], measure: fn(&Scores) -> f64) -> f64 {
    scores.iter().map(measure).sum::<f64>() / real(scores.len().max(1))
}

/// Returns the median of some values, the upper one of an even number of them; 0 without values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Spearman's rank correlation; ties have the mean of their ranks.
pub fn spearman(one: &[f64], other: &[f64]) -> f64 {
    correlation(&ranks(one), &ranks(other))
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let same = order[start..].iter().take_while(|index| values[**index] == values[order[start]]).count();
        let middle = real(2 * start + same - 1) / 2.0;
        for index in &order[start..start + same] {
            ranks[*index] = middle;
        }
        start += same;
    }
    ranks
}

fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let count = real(one.len());
    let (mean_one, mean_other) = (one.iter().sum::<f64>() / count, other.iter().sum::<f64>() / count);
    let pairs = || one.iter().map(|x| x - mean_one).zip(other.iter().map(|y| y - mean_other));
    let product: f64 = pairs().map(|(x, y)| x * y).sum();
    let squares = pairs().fold((0.0, 0.0), |(sum_x, sum_y), (x, y)| (sum_x + x * x, sum_y + y * y));
    product / (squares.0 * squares.1).sqrt()
}

/// Counts here are far below 2^32.
pub fn real(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn lower_ranks_have_less_gain() {
        let scores = score(&ids(&["x", "a", "y", "z", "w", "b"]), &ids(&["a", "b"]));
        let best = 1.0 + 1.0 / 3_f64.log2();
        assert!((scores.ndcg_at_10 - (1.0 / 3_f64.log2() + 1.0 / 7_f64.log2()) / best).abs() < 1e-12);
        assert_eq!((scores.recall_at_5, scores.recall_at_10, scores.hit_at_5), (0.5, 1.0, 1.0));
        assert_eq!(scores.reciprocal_rank, 0.5);
        assert_eq!(score(&ids(&["x"]), &ids(&["a"])), Scores::default());
        assert_eq!(score(&ids(&["a"]), &ids(&["a"])).ndcg_at_10, 1.0);
    }

    #[test]
    fn spearman_looks_at_order_alone() {
        assert!((spearman(&[1.0, 2.0, 3.0], &[10.0, 100.0, 1000.0]) - 1.0).abs() < 1e-12);
        assert!((spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
        // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
        assert!(
            (spearman(&[1.0, 2.0, 2.0, 4.0], &[1.0, 2.0, 3.0, 4.0]) - 0.948_683_298_050_513_8).abs() < 1e-12
        );
    }
}
