//! Union-find: connected components of a graph that is given as pairs.

use std::collections::BTreeMap;

/// Returns the components of at least two numbers below `count`: each in ascending order, ordered by their first
/// number.
pub(crate) fn clusters(count: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut parents: Vec<usize> = (0..count).collect();
    for (a, b) in pairs {
        let (a, b) = (root(&mut parents, a), root(&mut parents, b));
        // The smaller number is the root, so that the result does not depend on the order of the pairs.
        parents[a.max(b)] = a.min(b);
    }
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for number in 0..count {
        found.entry(root(&mut parents, number)).or_default().push(number);
    }
    found.into_values().filter(|cluster| cluster.len() > 1).collect()
}

fn root(parents: &mut [usize], number: usize) -> usize {
    let mut root = number;
    while parents[root] != root {
        // Halving the path keeps it short.
        parents[root] = parents[parents[root]];
        root = parents[root];
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_touch_become_one_cluster() {
        assert_eq!(clusters(7, [(5, 6), (3, 1), (1, 0), (6, 5)]), [vec![0, 1, 3], vec![5, 6]]);
        assert_eq!(clusters(4, [(2, 3), (0, 1), (3, 0)]), [vec![0, 1, 2, 3]]);
        assert!(clusters(3, []).is_empty());
        assert!(clusters(0, []).is_empty());
    }
}
