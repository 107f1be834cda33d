//! One search in memories of different sizes.

use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::Outcome;
use super::filled::Filled;
use super::server::Server;
use super::table::{Table, median, millis};
use crate::mcp::Client;
use crate::tools::Toolbox;

const SIZES: [usize; 3] = [1_000, 10_000, 50_000];
const SEARCHES: usize = 41;
const QUESTIONS: [&str; 6] = [
    "which garden needs rainwater?",
    "who delays the contracts of the harbour?",
    "what did the orchestra forget about violins?",
    "brakes of the bicycle",
    "does the library share its shelves with visitors?",
    "satellite antennas since week 12",
];

/// Searches from the client's side. The test encoder stands in for the model, so the question costs nothing.
pub fn run(tools: &Toolbox, filled: &Filled) -> Result<Outcome> {
    let mut table = Table::new(
        &format!(
            "Search: search_semantic, median of {SEARCHES} as a client sees it, without the question's encoding"
        ),
        &["entities", "limbic", "limbic native"],
    );
    let mut numbers = json!({});
    for size in SIZES {
        let mut node =
            Server::Node.start(tools, &filled.database(tools, size, "node")?, &["--test-encoder"])?;
        let mut native =
            Server::Native.start(tools, &filled.database(tools, size, "native")?, &["--test-encoder"])?;
        let mut times: [Vec<f64>; 2] = Default::default();
        // The first ones bring the vectors into memory and are not counted.
        for number in 0..SEARCHES + 3 {
            for (index, client) in [&mut node, &mut native].into_iter().enumerate() {
                let time = search(client, QUESTIONS[number % QUESTIONS.len()])?;
                if number >= 3 {
                    times[index].push(time);
                }
            }
        }
        let [node, native] = times.map(median);
        table.row(vec![size.to_string(), millis(node), millis(native)]);
        numbers[size.to_string()] = json!({"node_millis": node, "native_millis": native});
    }
    Ok(Outcome { table, numbers })
}

fn search(client: &mut Client, question: &str) -> Result<f64> {
    let start = Instant::now();
    client.call("search_semantic", json!({"query": question, "limit": 10}))?;
    Ok(start.elapsed().as_secs_f64() * 1000.0)
}
