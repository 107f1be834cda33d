//! The Louvain method: finds communities, groups of nodes with more edges among themselves than expected by chance.
//!
//! After V. Blondel, J.-L. Guillaume, R. Lambiotte and E. Lefebvre, "Fast unfolding of communities in large networks"
//! (2008): each node moves to the neighbouring community that raises modularity most; when none moves any more, each
//! community becomes one node and the procedure is repeated. As in V. Traag, L. Waltman and N. J. van Eck, "From
//! Louvain to Leiden" (2019), only nodes whose neighbours have moved are visited again, and every community is
//! connected.
//!
//! Deterministic: nodes are visited in the order of their numbers.

use std::collections::VecDeque;

/// Minimum gain of a move, relative to the heaviest edge: larger than rounding errors.
const MIN_GAIN: f64 = 1e-9;

/// An undirected graph with weights.
pub(crate) struct Graph {
    /// Start of each node's neighbours in `neighbours`, followed by the end of the last.
    starts: Vec<usize>,
    /// The neighbours of each node in ascending order, with the weight of the edge.
    neighbours: Vec<(usize, f64)>,
    /// The weight of each node's edge to itself.
    loops: Vec<f64>,
    /// The weights of all edges at each node; an edge to itself has two ends there.
    strengths: Vec<f64>,
}

impl Graph {
    /// Creates a graph of `nodes` nodes, numbered from 0. The weights of edges between the same two nodes are added.
    pub(crate) fn new(nodes: usize, edges: impl IntoIterator<Item = (usize, usize, f64)>) -> Self {
        let mut edges: Vec<(usize, usize, f64)> =
            edges.into_iter().map(|(a, b, weight)| (a.min(b), a.max(b), weight)).collect();
        edges.sort_by_key(|(a, b, _)| (*a, *b));
        edges.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        let mut starts = vec![0; nodes + 1];
        for (a, b, _) in edges.iter().filter(|(a, b, _)| a != b) {
            starts[a + 1] += 1;
            starts[b + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut free = starts.clone();
        let mut graph = Self {
            neighbours: vec![(0, 0.0); starts[nodes]],
            starts,
            loops: vec![0.0; nodes],
            strengths: vec![0.0; nodes],
        };
        for (a, b, weight) in edges {
            graph.strengths[a] += weight;
            graph.strengths[b] += weight;
            if a == b {
                graph.loops[a] = weight;
                continue;
            }
            for (one, other) in [(a, b), (b, a)] {
                graph.neighbours[free[one]] = (other, weight);
                free[one] += 1;
            }
        }
        graph
    }

    /// Returns the number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.loops.len()
    }

    /// Returns the neighbours of a node without itself, in ascending order, with the weight of the edge.
    pub(crate) fn neighbours(&self, node: usize) -> &[(usize, f64)] {
        &self.neighbours[self.starts[node]..self.starts[node + 1]]
    }

    /// Returns all edges, each once.
    fn edges(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let between = (0..self.nodes()).flat_map(|node| {
            self.neighbours(node).iter().filter(move |(to, _)| *to > node).map(move |(to, w)| (node, *to, *w))
        });
        between.chain((0..self.nodes()).map(|node| (node, node, self.loops[node])))
    }

    /// Returns twice the total weight of the edges.
    fn doubled_weight(&self) -> f64 {
        self.strengths.iter().sum()
    }
}

/// Returns the community of each node: 0 for that of the first node, and so on in order of appearance.
///
/// `resolution` above 1 gives more and smaller communities, below 1 fewer and larger ones.
pub(crate) fn communities(graph: &Graph, resolution: f64) -> Vec<usize> {
    let (mut of_nodes, mut count) = numbered(&move_nodes(graph, resolution));
    let mut above = merged(graph, &of_nodes, count);
    loop {
        let (of_communities, fewer) = numbered(&move_nodes(&above, resolution));
        if fewer == count {
            return connected(graph, &of_nodes);
        }
        for community in &mut of_nodes {
            *community = of_communities[*community];
        }
        above = merged(&above, &of_communities, fewer);
        count = fewer;
    }
}

/// Returns Newman's modularity: the share of weight within communities, minus its expected value by chance. At most 1.
pub(crate) fn modularity(graph: &Graph, communities: &[usize]) -> f64 {
    let doubled = graph.doubled_weight();
    if doubled <= 0.0 {
        return 0.0;
    }
    let mut strengths = vec![0.0; graph.nodes()];
    for (node, community) in communities.iter().enumerate() {
        strengths[*community] += graph.strengths[node];
    }
    let inside: f64 = graph
        .edges()
        .filter(|(a, b, _)| communities[*a] == communities[*b])
        .map(|(_, _, weight)| weight)
        .sum();
    let by_chance: f64 = strengths.iter().map(|strength| (strength / doubled) * (strength / doubled)).sum();
    2.0 * inside / doubled - by_chance
}

/// Moves nodes between communities, starting with one node in each, until no move raises modularity.
fn move_nodes(graph: &Graph, resolution: f64) -> Vec<usize> {
    let doubled = graph.doubled_weight();
    let mut community: Vec<usize> = (0..graph.nodes()).collect();
    let mut strengths = graph.strengths.clone();
    let mut queue: VecDeque<usize> = (0..graph.nodes()).collect();
    let mut is_queued = vec![true; graph.nodes()];
    // The weight between the current node and each neighbouring community; zero for all others.
    let mut links = vec![0.0; graph.nodes()];
    while let Some(node) = queue.pop_front() {
        is_queued[node] = false;
        let own = community[node];
        for (neighbour, weight) in graph.neighbours(node) {
            links[community[*neighbour]] += weight;
        }
        strengths[own] -= graph.strengths[node];
        let gain = |candidate: usize| {
            links[candidate] - resolution * graph.strengths[node] * (strengths[candidate] / doubled)
        };
        let (mut best, mut most) = (own, gain(own));
        for (neighbour, _) in graph.neighbours(node) {
            let candidate = community[*neighbour];
            let gain = gain(candidate);
            if gain > most + MIN_GAIN {
                (best, most) = (candidate, gain);
            }
        }
        for (neighbour, _) in graph.neighbours(node) {
            links[community[*neighbour]] = 0.0;
        }
        strengths[best] += graph.strengths[node];
        community[node] = best;
        if best == own {
            continue;
        }
        for (neighbour, _) in graph.neighbours(node) {
            if community[*neighbour] != best && !is_queued[*neighbour] {
                is_queued[*neighbour] = true;
                queue.push_back(*neighbour);
            }
        }
    }
    community
}

/// Renumbers communities in order of appearance. Returns them with their count.
fn numbered(communities: &[usize]) -> (Vec<usize>, usize) {
    let mut numbers = vec![None; communities.len()];
    let mut count = 0;
    let numbered = communities
        .iter()
        .map(|community| {
            *numbers[*community].get_or_insert_with(|| {
                count += 1;
                count - 1
            })
        })
        .collect();
    (numbered, count)
}

/// Returns the graph whose nodes are the communities of this one.
fn merged(graph: &Graph, communities: &[usize], count: usize) -> Graph {
    Graph::new(count, graph.edges().map(|(a, b, weight)| (communities[a], communities[b], weight)))
}

/// Splits communities that are not connected into their components, which never lowers modularity.
fn connected(graph: &Graph, communities: &[usize]) -> Vec<usize> {
    let mut parts = vec![None; graph.nodes()];
    let mut count = 0;
    for start in 0..graph.nodes() {
        if parts[start].is_some() {
            continue;
        }
        parts[start] = Some(count);
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            for (neighbour, _) in graph.neighbours(node) {
                if parts[*neighbour].is_none() && communities[*neighbour] == communities[node] {
                    parts[*neighbour] = Some(count);
                    open.push(*neighbour);
                }
            }
        }
        count += 1;
    }
    parts.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges between all pairs of these nodes.
    fn clique(nodes: std::ops::Range<usize>) -> Vec<(usize, usize, f64)> {
        nodes.clone().flat_map(|a| (a + 1..nodes.end).map(move |b| (a, b, 1.0))).collect()
    }

    /// Cliques of five in a ring, each linked to the next by one edge.
    fn ring(cliques: usize) -> Graph {
        let edges = (0..cliques).flat_map(|number| {
            let mut edges = clique(5 * number..5 * number + 5);
            edges.push((5 * number, (5 * number + 8) % (5 * cliques), 1.0));
            edges
        });
        Graph::new(5 * cliques, edges)
    }

    /// Edges of a pseudo-random graph; most are within groups of ten.
    fn made_up(seed: u64) -> Graph {
        let mut random = limbic_protocol::SplitMix64::new(seed);
        let mut next = |below: usize| random.index(below);
        let edges: Vec<(usize, usize, f64)> = (0..150)
            .map(|_| {
                let from = next(60);
                let to = if next(10) < 7 { from / 10 * 10 + next(10) } else { next(60) };
                (from, to, [0.1, 0.3, 1.0][next(3)])
            })
            .collect();
        Graph::new(60, edges)
    }

    #[test]
    fn cliques_in_a_ring_are_communities() {
        let graph = ring(6);
        let found = communities(&graph, 1.0);
        assert_eq!(found, (0..30).map(|node| node / 5).collect::<Vec<_>>());
        // 60 of 66 edges are within communities; each of the six has a sixth of all edge ends.
        assert!((modularity(&graph, &found) - (60.0 / 66.0 - 1.0 / 6.0)).abs() < 1e-12);
    }

    #[test]
    fn weights_decide_where_edges_do_not() {
        // A square: the heavy sides determine which corners form a community.
        let sides = |a: f64, b: f64| Graph::new(4, [(0, 1, a), (1, 2, b), (2, 3, a), (3, 0, b)]);
        assert_eq!(communities(&sides(1.0, 0.1), 1.0), [0, 0, 1, 1]);
        assert_eq!(communities(&sides(0.1, 1.0), 1.0), [0, 1, 1, 0]);
    }

    #[test]
    fn a_higher_resolution_gives_smaller_communities() {
        let graph = ring(12);
        let count = |resolution| numbered(&communities(&graph, resolution)).1;
        assert_eq!(count(1.0), 12);
        assert!(count(0.1) < 12);
        assert!(count(20.0) > 12);
    }

    #[test]
    fn edges_between_the_same_nodes_add_up() {
        let once = Graph::new(3, [(0, 1, 0.75), (1, 2, 0.5), (2, 2, 0.25)]);
        let many = Graph::new(3, [(1, 0, 0.5), (2, 2, 0.25), (2, 1, 0.5), (0, 1, 0.25)]);
        assert_eq!(once.neighbours, many.neighbours);
        assert_eq!(once.strengths, many.strengths);
        assert_eq!(once.strengths, [0.75, 1.25, 1.0]);
        assert_eq!(once.edges().collect::<Vec<_>>()[..2], [(0, 1, 0.75), (1, 2, 0.5)]);
    }

    #[test]
    fn unconnected_nodes_are_never_in_one_community() {
        // Two pairs that are not connected, in one community.
        let graph = Graph::new(4, [(0, 2, 1.0), (1, 3, 1.0)]);
        assert_eq!(connected(&graph, &[0, 0, 0, 0]), [0, 1, 0, 1]);
        assert_eq!(communities(&graph, 0.01), [0, 1, 0, 1]);
    }

    #[test]
    fn a_community_whose_bridge_moved_away_is_split() {
        // 9 and 5 join through 11, which then moves to another community.
        let edges = [
            (0, 15),
            (1, 9),
            (2, 14),
            (3, 6),
            (3, 12),
            (3, 13),
            (3, 14),
            (3, 16),
            (4, 10),
            (5, 8),
            (5, 11),
            (7, 11),
            (7, 12),
            (7, 14),
            (9, 11),
            (11, 14),
            (11, 17),
            (12, 17),
        ];
        let graph = Graph::new(18, edges.map(|(a, b)| (a, b, 1.0)));
        let found = communities(&graph, 1.0);
        assert_eq!((found[1], found[5]), (found[9], found[8]));
        assert_ne!(found[9], found[5]);
    }

    #[test]
    fn generated_groups_or_better_ones_are_found() {
        for number in 0..200 {
            let graph = made_up(number);
            let found = communities(&graph, 1.0);
            let groups: Vec<usize> = (0..graph.nodes()).map(|node| node / 10).collect();
            let (reached, meant) = (modularity(&graph, &found), modularity(&graph, &groups));
            assert!(reached > meant - 0.02, "graph {number}: {reached} instead of {meant}");
            assert_eq!(connected(&graph, &found), found, "graph {number}");
            assert_eq!(communities(&graph, 1.0), found, "graph {number}");
        }
    }

    #[test]
    fn an_empty_graph_has_no_communities() {
        assert!(communities(&Graph::new(0, []), 1.0).is_empty());
        assert_eq!(communities(&Graph::new(2, []), 1.0), [0, 1]);
        assert!(modularity(&Graph::new(2, []), &[0, 1]).abs() < 1e-12);
    }
}
