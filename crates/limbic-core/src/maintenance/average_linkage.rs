//! Average-linkage clustering: repeatedly merges the two groups with the highest mean similarity, until none reaches a
//! threshold.

/// Maximum number of items that are clustered; each other item joins the group with the highest mean similarity.
const MAX_CLUSTERED: usize = 200;

/// Groups the numbers below `count`. Groups are merged at a mean similarity of `floor` or more; some have one member.
/// Each group is in ascending order, and groups are ordered by their first number. The same input gives the same
/// groups.
pub(crate) fn groups(count: usize, floor: f64, similarity: impl Fn(usize, usize) -> f64) -> Vec<Vec<usize>> {
    let sample: Vec<usize> = if count <= MAX_CLUSTERED {
        (0..count).collect()
    } else {
        (0..MAX_CLUSTERED).map(|index| index * count / MAX_CLUSTERED).collect()
    };
    let core = linked(&sample, floor, &similarity);
    let mut grown = core.clone();
    for item in (0..count).filter(|item| sample.binary_search(item).is_err()) {
        let nearest = core
            .iter()
            .enumerate()
            .map(|(index, group)| (index, mean(group.iter().map(|member| similarity(item, *member)))))
            .filter(|(_, mean)| *mean >= floor)
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        match nearest {
            Some((index, _)) => grown[index].push(item),
            None => grown.push(vec![item]),
        }
    }
    for group in &mut grown {
        group.sort_unstable();
    }
    grown.sort_unstable();
    grown
}

fn linked(items: &[usize], floor: f64, similarity: &impl Fn(usize, usize) -> f64) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = items.iter().map(|item| vec![*item]).collect();
    // `means[i][j]` for j < i: mean similarity between the members of groups i and j.
    let mut means: Vec<Vec<f64>> = items
        .iter()
        .enumerate()
        .map(|(index, item)| items[..index].iter().map(|other| similarity(*other, *item)).collect())
        .collect();
    while let Some((low, high)) = closest(&means, floor) {
        let (low_size, high_size) = (size(&groups[low]), size(&groups[high]));
        for other in (0..groups.len()).filter(|other| *other != low && *other != high) {
            let joined = (at(&means, other, low) * low_size + at(&means, other, high) * high_size)
                / (low_size + high_size);
            means[other.max(low)][other.min(low)] = joined;
        }
        means.remove(high);
        for row in &mut means[high..] {
            row.remove(high);
        }
        let members = groups.remove(high);
        groups[low].extend(members);
    }
    groups
}

/// Returns the two groups with the highest mean similarity, the earliest of equals.
fn closest(means: &[Vec<f64>], floor: f64) -> Option<(usize, usize)> {
    let mut best = None;
    let mut best_mean = floor;
    for (high, row) in means.iter().enumerate() {
        for (low, mean) in row.iter().enumerate() {
            if *mean > best_mean || (best.is_none() && *mean >= floor) {
                (best, best_mean) = (Some((low, high)), *mean);
            }
        }
    }
    best
}

fn at(means: &[Vec<f64>], a: usize, b: usize) -> f64 {
    means[a.max(b)][a.min(b)]
}

fn size(group: &[usize]) -> f64 {
    f64::from(u32::try_from(group.len()).unwrap_or(u32::MAX))
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), number| (sum + number, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_with_a_high_mean_similarity_are_merged() {
        let places = [0.0_f64, 10.0, 0.1, 10.1, 30.0, 0.2];
        let near = |a: usize, b: usize| 1.0 / (1.0 + (places[a] - places[b]).abs());
        assert_eq!(groups(6, 0.5, near), [vec![0, 2, 5], vec![1, 3], vec![4]]);
        assert_eq!(groups(6, 0.0, near), [vec![0, 1, 2, 3, 4, 5]]);
        assert!(groups(0, 0.5, near).is_empty());
    }

    #[test]
    fn items_beyond_the_maximum_join_a_group() {
        let count = 3 * MAX_CLUSTERED;
        let same_third = |a: usize, b: usize| if a % 3 == b % 3 { 1.0 } else { 0.0 };
        let found = groups(count, 0.5, |a, b| same_third(a * 3 / count, b * 3 / count));
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|group| group.len() == MAX_CLUSTERED));
    }
}
