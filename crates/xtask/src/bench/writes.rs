//! Latency of the reference server's tools at different database sizes.

use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Outcome;
use super::filled::Filled;
use super::server::{COMPAT, Server};
use super::table::{Table, median, millis, ratio};
use crate::mcp::Client;
use crate::tools::Toolbox;

const SIZES: [usize; 3] = [1_000, 10_000, 50_000];
const ROUNDS: usize = 15;
const SERVERS: [(Server, &str); 3] =
    [(Server::Node, "node"), (Server::Native, "native"), (Server::Reference, "reference")];

/// Measures each of the nine tools, from the client's side, on each server with the same entities.
pub fn run(tools: &Toolbox, filled: &Filled) -> Result<Outcome> {
    let mut table = Table::new(
        &format!("The reference server's tools, median of {ROUNDS} alternating calls, as a client sees it"),
        &["entities", "tool", "limbic", "limbic native", "reference", "limbic : reference"],
    );
    let mut numbers = json!({});
    for size in SIZES {
        let mut clients = [
            Server::Node.start(tools, &filled.database(tools, size, "node")?, &COMPAT)?,
            Server::Native.start(tools, &filled.database(tools, size, "native")?, &COMPAT)?,
            Server::Reference.start(tools, &filled.lines(tools, size)?, &[])?,
        ];
        let mut times = calls(0).map(|(tool, _)| (tool, <[Vec<f64>; 3]>::default()));
        // The first calls open files and are not counted.
        for round in 0..=ROUNDS {
            for ((tool, arguments), (_, times)) in calls(round).into_iter().zip(&mut times) {
                let mut answers = Vec::new();
                for (client, times) in clients.iter_mut().zip(times) {
                    let (answer, time) = timed(client, tool, &arguments)?;
                    answers.push(found(&answer));
                    if round > 0 {
                        times.push(time);
                    }
                }
                let is_same = answers.iter().all(|answer| *answer == answers[0]);
                anyhow::ensure!(is_same, "{tool} finds {answers:?} entities with {arguments}");
            }
        }
        let mut measured = json!({});
        for (tool, times) in times {
            let medians = times.map(median);
            let [node, native, reference] = medians;
            table.row(vec![
                size.to_string(),
                tool.to_owned(),
                millis(node),
                millis(native),
                millis(reference),
                ratio(node, reference),
            ]);
            measured[tool] = SERVERS
                .iter()
                .zip(medians)
                .map(|((_, name), median)| (format!("{name}_millis"), json!(median)))
                .collect();
        }
        numbers[size.to_string()] = measured;
    }
    table.note(
        "limbic: with --compat server-memory; each write is on the disk when it is answered (fsync), and",
    );
    table.note("embeddings follow in the background. The reference server does not sync its file.");
    Ok(Outcome { table, numbers })
}

/// The calls of a round: it deletes what it adds, so that the memory keeps its size.
fn calls(round: usize) -> [(&'static str, Value); 9] {
    let name = format!("measured {round}");
    let text = format!("written in round {round} while the clock was running");
    let more = format!("added in round {round}");
    let relation = json!({"from": name, "to": "harbour 0", "relationType": "near"});
    [
        (
            "create_entities",
            json!({"entities": [{"name": name, "entityType": "test", "observations": [text]}]}),
        ),
        ("create_relations", json!({"relations": [relation]})),
        ("add_observations", json!({"observations": [{"entityName": name, "contents": [more]}]})),
        ("search_nodes", json!({"query": format!("since week {}", round + 10)})),
        ("open_nodes", json!({"names": ["harbour 0", "invoice 1", "compiler 2", name]})),
        ("read_graph", json!({})),
        ("delete_observations", json!({"deletions": [{"entityName": name, "observations": [more]}]})),
        ("delete_relations", json!({"relations": [relation]})),
        ("delete_entities", json!({"entityNames": [name]})),
    ]
}

fn timed(client: &mut Client, tool: &str, arguments: &Value) -> Result<(Value, f64)> {
    let start = Instant::now();
    let answer = client.call(tool, arguments.clone()).with_context(|| format!("{tool} {arguments}"))?;
    Ok((answer, start.elapsed().as_secs_f64() * 1000.0))
}

/// The number of entities in an answer.
fn found(answer: &Value) -> Option<usize> {
    Some(answer["entities"].as_array()?.len())
}
