//! Personalised PageRank: the proximity of each node of a graph to some seeds, over all paths.
//!
//! A random walk starts at a seed. At each node it follows one of the outgoing edges with probability `DAMPING`, in
//! proportion to their weights, or else jumps back to a seed; from a node without outgoing edges it always jumps back.
//! A node's rank is the share of time that the walk spends there, divided by the square root of the node's out-degree,
//! since a node that is linked to everything says little about the seeds.
//!
//! Pure: no database, and the same bits for the same edges in the same order. After L. Page, S. Brin, R. Motwani and
//! T. Winograd, "The PageRank Citation Ranking" (1999), section 6.

/// A node's number: 0 for the first.
pub(crate) type NodeIndex = usize;

/// Probability of following an edge rather than jumping back to a seed.
const DAMPING: f64 = 0.5;

/// The ranks have converged when an iteration changes them by less than this in total.
const TOLERANCE: f64 = 1e-6;

/// Maximum number of iterations. Each halves the remaining error.
const MAX_ROUNDS: usize = 15;

/// A directed edge. An undirected one is given as two edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Edge {
    /// The source.
    pub from: NodeIndex,
    /// The target.
    pub to: NodeIndex,
    /// Weight relative to the other edges of its source. An edge whose weight is not positive and finite is ignored.
    pub weight: f64,
}

impl Edge {
    fn can_be_walked(&self) -> bool {
        self.weight > 0.0 && self.weight.is_finite()
    }
}

/// The rank of every node, 0 to 1, divided by the square root of its out-degree; higher is nearer to the seeds.
///
/// `nodes` is the number of nodes; all indexes are below it. Of the seeds' weights only the proportions matter: those
/// of a node that is named twice are added, and a node whose weight is not above 0 is not a seed. Without seeds every
/// rank is 0.
///
/// # Panics
/// When an edge or a seed names a node that is not below `nodes`.
#[must_use]
pub(crate) fn personalised(nodes: usize, edges: &[Edge], seeds: &[(NodeIndex, f64)]) -> Vec<f64> {
    let mut ranks = visits(nodes, edges, seeds);
    let mut out_degrees = vec![0_u32; nodes];
    for edge in edges.iter().filter(|edge| edge.can_be_walked()) {
        out_degrees[edge.from] += 1;
    }
    for (rank, degree) in ranks.iter_mut().zip(out_degrees) {
        *rank /= f64::from(degree.max(1)).sqrt();
    }
    ranks
}

/// The share of time that the walk spends at each node. Together they make 1, or 0 without seeds.
fn visits(nodes: usize, edges: &[Edge], seeds: &[(NodeIndex, f64)]) -> Vec<f64> {
    let Some(home) = shares_of_seeds(nodes, seeds) else { return vec![0.0; nodes] };
    let steps = Steps::new(nodes, edges);
    let mut ranks = home.clone();
    for _ in 0..MAX_ROUNDS {
        let mut arriving = vec![0.0; nodes];
        for step in &steps.taken {
            arriving[step.to] += ranks[step.from] * step.share;
        }
        let stranded: f64 = steps.dead_ends.iter().map(|node| ranks[*node]).sum();
        let jumping = (1.0 - DAMPING) + DAMPING * stranded;
        let mut moved = 0.0;
        for (node, rank) in ranks.iter_mut().enumerate() {
            let next = jumping * home[node] + DAMPING * arriving[node];
            moved += (next - *rank).abs();
            *rank = next;
        }
        if moved < TOLERANCE {
            break;
        }
    }
    ranks
}

/// Returns the probability of each node as the target of a jump; empty without seeds.
fn shares_of_seeds(nodes: usize, seeds: &[(NodeIndex, f64)]) -> Option<Vec<f64>> {
    let mut shares = vec![0.0; nodes];
    for (node, weight) in seeds.iter().filter(|(_, weight)| *weight > 0.0) {
        shares[*node] += weight;
    }
    let all: f64 = shares.iter().sum();
    (all > 0.0).then(|| shares.iter().map(|weight| weight / all).collect())
}

/// The edges as transitions of the walk.
struct Steps {
    taken: Vec<Step>,
    /// Nodes without outgoing edges, in ascending order.
    dead_ends: Vec<NodeIndex>,
}

struct Step {
    from: NodeIndex,
    to: NodeIndex,
    /// The probability of this edge: its weight relative to those of all edges of its source.
    share: f64,
}

impl Steps {
    fn new(nodes: usize, edges: &[Edge]) -> Self {
        let mut leaving = vec![0.0; nodes];
        for edge in edges.iter().filter(|edge| edge.can_be_walked()) {
            leaving[edge.from] += edge.weight;
        }
        let taken = edges
            .iter()
            .filter(|edge| edge.can_be_walked())
            .map(|edge| Step { from: edge.from, to: edge.to, share: edge.weight / leaving[edge.from] })
            .collect();
        let dead_ends = (0..nodes).filter(|node| leaving[*node] <= 0.0).collect();
        Self { taken, dead_ends }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The remaining error after the last iteration: each halves the distance to the final ranks.
    const CLOSE: f64 = 1e-4;

    fn edge(from: NodeIndex, to: NodeIndex, weight: f64) -> Edge {
        Edge { from, to, weight }
    }

    fn assert_close(found: &[f64], wanted: &[f64]) {
        let close = found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < CLOSE);
        assert!(found.len() == wanted.len() && close, "found {found:?}, wanted {wanted:?}");
    }

    /// Edges and seeds of a made-up graph: the same for the same number.
    fn made_up(seed: u64) -> (usize, Vec<Edge>, Vec<(NodeIndex, f64)>) {
        let mut random = limbic_protocol::SplitMix64::new(seed);
        let nodes = 2 + random.index(30);
        let edges = (0..random.index(90))
            .map(|_| {
                let weight = [0.0, 0.5, 1.0, 1.5, 2.0][random.index(5)];
                edge(random.index(nodes), random.index(nodes), weight)
            })
            .collect();
        let seeds = (0..1 + random.index(4))
            .map(|_| (random.index(nodes), [1.0, 2.0, 3.0][random.index(3)]))
            .collect();
        (nodes, edges, seeds)
    }

    #[test]
    fn two_nodes_that_lead_to_each_other() {
        // a = 1/2 + b/2 and b = a/2, so a = 2/3.
        let ranks = personalised(2, &[edge(0, 1, 1.0), edge(1, 0, 1.0)], &[(0, 1.0)]);
        assert_close(&ranks, &[2.0 / 3.0, 1.0 / 3.0]);
    }

    #[test]
    fn steps_follow_weights_and_dead_ends_lead_home() {
        // The seed gets 1/2 and half of what is stranded; its neighbours get 3/8 and 1/8 of it: 2/3, 1/4 and 1/12.
        let ranks = personalised(4, &[edge(0, 1, 3.0), edge(0, 2, 1.0)], &[(0, 1.0)]);
        assert_close(&ranks, &[2.0 / 3.0 / 2.0_f64.sqrt(), 1.0 / 4.0, 1.0 / 12.0, 0.0]);
    }

    #[test]
    fn a_hub_is_worth_less_than_what_is_linked_to_little() {
        let mut edges = vec![edge(0, 1, 1.0), edge(0, 2, 1.0), edge(2, 0, 1.0)];
        edges.extend((3..12).map(|node| edge(1, node, 1.0)));
        let ranks = personalised(12, &edges, &[(0, 1.0)]);
        let walked = visits(12, &edges, &[(0, 1.0)]);
        assert_eq!(walked[1].to_bits(), walked[2].to_bits());
        assert_eq!(ranks[2].to_bits(), walked[2].to_bits());
        assert_eq!(ranks[1].to_bits(), (walked[1] / 3.0).to_bits());
    }

    #[test]
    fn only_what_can_be_reached_from_a_seed_has_a_rank() {
        let ranks = personalised(4, &[edge(0, 1, 1.0), edge(2, 3, 1.0), edge(2, 0, 1.0)], &[(0, 1.0)]);
        assert!(ranks[0] > ranks[1] && ranks[1] > 0.0);
        assert_eq!(ranks[2..], [0.0, 0.0]);
    }

    #[test]
    fn of_seeds_only_the_proportions_matter() {
        let edges = [edge(0, 1, 1.0), edge(1, 2, 2.0), edge(2, 0, 1.0)];
        let ranks = personalised(3, &edges, &[(0, 0.25), (2, 0.75)]);
        assert_eq!(personalised(3, &edges, &[(0, 1.0), (2, 3.0)]), ranks);
        assert_eq!(personalised(3, &edges, &[(2, 2.0), (0, 1.0), (2, 1.0), (1, 0.0), (1, -1.0)]), ranks);
    }

    #[test]
    fn without_seeds_there_are_no_ranks() {
        assert_eq!(personalised(2, &[edge(0, 1, 1.0)], &[]), [0.0, 0.0]);
        assert_eq!(personalised(2, &[edge(0, 1, 1.0)], &[(0, 0.0), (1, f64::NAN)]), [0.0, 0.0]);
        assert!(personalised(0, &[], &[]).is_empty());
    }

    #[test]
    fn weights_that_are_not_positive_and_finite_are_ignored() {
        let edges = [
            edge(0, 1, 1.0),
            edge(1, 0, 1.0),
            edge(0, 2, 0.0),
            edge(0, 2, -1.0),
            edge(1, 2, f64::NAN),
            edge(0, 2, f64::INFINITY),
        ];
        assert_eq!(personalised(3, &edges, &[(0, 1.0)]), personalised(3, &edges[..2], &[(0, 1.0)]));
    }

    #[test]
    fn the_ranks_sum_to_one() {
        for number in 0..500 {
            let (nodes, edges, seeds) = made_up(number);
            let walked = visits(nodes, &edges, &seeds);
            assert!(walked.iter().all(|rank| *rank >= 0.0), "graph {number}: {walked:?}");
            let all: f64 = walked.iter().sum();
            assert!((all - 1.0).abs() < 1e-9, "graph {number}: {all}");
            let seeded: f64 = seeds.iter().map(|(_, weight)| weight).sum();
            for (node, weight) in &seeds {
                assert!(
                    walked[*node] >= 0.5 * weight / seeded,
                    "graph {number}: a seed has at least its jumps"
                );
            }
        }
    }

    #[test]
    fn the_same_call_gives_the_same_bits() {
        let (nodes, edges, seeds) = made_up(7);
        let bits = || personalised(nodes, &edges, &seeds).into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(), bits());
    }
}
