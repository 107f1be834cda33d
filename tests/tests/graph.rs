//! Traversal and community detection on generated graphs.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use limbic_protocol::SplitMix64;
use limbic_tests::{memory::Native, memory_file::ask_by_words};
use serde_json::{Value, json};

const ENTITIES: usize = 120;

/// A relation between two entities by their numbers.
type Link = (usize, usize, f64);

fn name(number: usize) -> String {
    format!("entity {number}")
}

/// Returns four hundred relations, most of them within groups of twelve.
fn links() -> Vec<Link> {
    let mut random = SplitMix64::new(11);
    let mut next =
        |limit: usize| usize::try_from(random.below(u64::try_from(limit).unwrap_or(1))).unwrap_or_default();
    let mut links = BTreeMap::new();
    while links.len() < 400 {
        let from = next(ENTITIES);
        let to = if next(10) < 8 { from / 12 * 12 + next(12) } else { next(ENTITIES) };
        if from != to {
            links.insert((from, to), [0.25, 0.5, 1.0][next(3)]);
        }
    }
    links.into_iter().map(|((from, to), weight)| (from, to, weight)).collect()
}

fn filled(links: &[Link]) -> Result<Native> {
    let mut memory = Native::in_memory()?;
    let entities: Vec<Value> = (0..ENTITIES).map(|number| json!({ "name": name(number) })).collect();
    ask_by_words(memory.limbic(), "create_entities", &json!({ "entities": entities }))?;
    let relations: Vec<Value> = links
        .iter()
        .map(|(from, to, weight)| {
            json!({ "from": name(*from), "to": name(*to), "relationType": "knows", "weight": weight })
        })
        .collect();
    ask_by_words(memory.limbic(), "create_relations", &json!({ "relations": relations }))?;
    Ok(memory)
}

/// The distance of each entity from a start, and the largest product of weights among the shortest paths.
fn distances(links: &[Link], start: usize, depth: u64, direction: &str) -> BTreeMap<String, (u64, f64)> {
    let mut known = BTreeMap::from([(start, (0, 1.0))]);
    for distance in 1..=depth {
        let mut found: BTreeMap<usize, (u64, f64)> = BTreeMap::new();
        for (from, to, weight) in links {
            let ways = [(from, to, direction != "incoming"), (to, from, direction != "outgoing")];
            for (one, other, _) in ways.into_iter().filter(|way| way.2) {
                let Some((before, strength)) = known.get(one).filter(|known| known.0 + 1 == distance) else {
                    continue;
                };
                let best = found.entry(*other).or_insert((before + 1, 0.0));
                best.1 = best.1.max(strength * weight);
            }
        }
        for (number, way) in found {
            known.entry(number).or_insert(way);
        }
    }
    known
        .into_iter()
        .filter(|(number, _)| *number != start)
        .map(|(number, way)| (name(number), way))
        .collect()
}

#[test]
fn traversals_equal_a_breadth_first_search() -> Result<()> {
    let links = links();
    let mut memory = filled(&links)?;
    for start in (0..ENTITIES).step_by(7) {
        for direction in ["outgoing", "incoming", "both"] {
            for depth in 1..=3 {
                let asked = json!({ "name": name(start), "depth": depth, "direction": direction, "limit": 1000, "max_tokens": 1_000_000 });
                let found = ask_by_words(memory.limbic(), "graph_neighbors", &asked)?;
                let wanted = distances(&links, start, depth, direction);
                let nodes = found["nodes"].as_array().context("nodes")?;
                ensure!(
                    nodes.len() == wanted.len() && found["totals"]["nodes"] == wanted.len(),
                    "{asked}: {found}"
                );
                let mut last = (0, f64::INFINITY);
                for node in nodes {
                    let node_name = node["name"].as_str().context("name")?;
                    let (distance, strength) = wanted.get(node_name).copied().context("a node too many")?;
                    ensure!(node["depth"] == distance, "{asked}: {node} is at {distance}");
                    let in_order = distance > last.0 || (distance == last.0 && strength <= last.1);
                    ensure!(in_order, "{asked}: {node} is at the wrong index");
                    last = (distance, strength);
                }
            }
        }
    }
    Ok(())
}

#[test]
fn pages_of_any_size_contain_every_node_and_relation_once() -> Result<()> {
    let mut memory = filled(&links())?;
    let mut asked = json!({ "name": name(5), "depth": 3, "limit": 1000, "max_tokens": 1_000_000 });
    let whole = ask_by_words(memory.limbic(), "graph_neighbors", &asked)?;
    ensure!(whole["totals"]["nodes"].as_u64() > Some(20) && whole["totals"]["edges"].as_u64() > Some(30));
    ensure!(whole.get("next_cursor").is_none(), "{whole}");
    for (limit, max_tokens) in [(1, 100), (7, 100), (1000, 150), (3, 100_000), (50, 1000)] {
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        let mut named = BTreeSet::from([name(5)]);
        asked["limit"] = limit.into();
        asked["max_tokens"] = max_tokens.into();
        asked["cursor"] = Value::Null;
        loop {
            let page = ask_by_words(memory.limbic(), "graph_neighbors", &asked)?;
            ensure!(page["totals"] == whole["totals"], "{page}");
            let found = page["nodes"].as_array().context("nodes")?;
            let walked = page["edges"].as_array().context("edges")?;
            ensure!(found.len() <= limit && found.len() + walked.len() > 0, "{page}");
            named.extend(found.iter().filter_map(|node| node["name"].as_str().map(str::to_owned)));
            for end in walked.iter().flat_map(|edge| [&edge["from"], &edge["to"]]) {
                ensure!(end.as_str().is_some_and(|end| named.contains(end)), "{end} comes before its entity");
            }
            nodes.extend(found.iter().cloned());
            edges.extend(walked.iter().cloned());
            ensure!(whole["totals"]["edges"].as_u64() >= Some(edges.len() as u64), "a relation comes twice");
            match page.get("next_cursor") {
                Some(cursor) => asked["cursor"] = cursor.clone(),
                None => break,
            }
        }
        ensure!(whole["nodes"] == Value::Array(nodes), "{limit} nodes, {max_tokens} tokens");
        ensure!(whole["edges"] == Value::Array(edges), "{limit} nodes, {max_tokens} tokens");
    }
    Ok(())
}

#[test]
fn communities_do_not_depend_on_the_order_of_relations() -> Result<()> {
    let mut links = links();
    let asked = json!({ "limit": 1000, "names_max": 1000, "max_tokens": 1_000_000 });
    let found = ask_by_words(filled(&links)?.limbic(), "graph_communities", &asked)?;
    links.reverse();
    ensure!(ask_by_words(filled(&links)?.limbic(), "graph_communities", &asked)? == found);
    ensure!(found["modularity"].as_f64() > Some(0.5), "{found}");
    // Every entity is in one community, or has no relations.
    let communities = found["communities"].as_array().context("communities")?;
    let named: Vec<&Value> = communities
        .iter()
        .flat_map(|community| community["entities"].as_array().into_iter().flatten())
        .collect();
    let distinct: BTreeSet<&str> = named.iter().filter_map(|name| name.as_str()).collect();
    ensure!(distinct.len() == named.len());
    ensure!(found["entities_without_relations"] == ENTITIES - named.len(), "{found}");
    // Most entities are with the rest of their group of twelve.
    let together: usize = communities
        .iter()
        .map(|community| {
            let mut groups: BTreeMap<usize, usize> = BTreeMap::new();
            for name in community["entities"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                let number: usize = name.trim_start_matches("entity ").parse().unwrap_or(0);
                *groups.entry(number / 12).or_default() += 1;
            }
            groups.into_values().max().unwrap_or(0)
        })
        .sum();
    ensure!(together * 10 > named.len() * 8, "{together} of {}", named.len());
    Ok(())
}
