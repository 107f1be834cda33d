//! Cycles of a directed graph.

use std::collections::{BTreeMap, BTreeSet};

/// For each node the nodes that its edges lead to.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// The groups of nodes that reach each other, each sorted, in the order of their first nodes. A node that reaches only
/// itself is in none.
pub fn cycles(graph: &Graph) -> Vec<Vec<String>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|node| (node.as_str(), reachable(graph, node))).collect();
    let mut groups = Vec::new();
    let mut done = BTreeSet::new();
    for (node, targets) in &reach {
        if done.contains(node) {
            continue;
        }
        let group: Vec<&str> = targets
            .iter()
            .copied()
            .filter(|other| reach.get(other).is_some_and(|back| back.contains(node)))
            .collect();
        if group.len() > 1 {
            done.extend(group.iter().copied());
            groups.push(group.into_iter().map(str::to_owned).collect());
        }
    }
    groups
}

/// The nodes that paths from `start` lead to; `start` itself only when one leads back.
fn reachable<'a>(graph: &'a Graph, start: &str) -> BTreeSet<&'a str> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let mut waiting: Vec<&str> = graph.get(start).into_iter().flatten().map(String::as_str).collect();
    while let Some(node) = waiting.pop() {
        if found.insert(node) {
            waiting.extend(graph.get(node).into_iter().flatten().map(String::as_str));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_reach_each_other_are_one_cycle() {
        let edges = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("e", "f"), ("f", "e"), ("d", "d")];
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph.entry(from.to_owned()).or_default().insert(to.to_owned());
        }
        assert_eq!(cycles(&graph), [["b", "c"], ["e", "f"]]);
    }
}
