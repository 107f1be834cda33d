//! Latency of a write at different database sizes.

use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::Outcome;
use super::filled::Filled;
use super::server::Server;
use super::table::{Table, median, millis, ratio};
use crate::mcp::Client;
use crate::tools::Toolbox;

const SIZES: [usize; 3] = [100, 1_000, 10_000];
const WRITES: usize = 41;

/// Measures writes of one entity with one observation, from the client's side, on each server.
pub fn run(tools: &Toolbox, filled: &Filled) -> Result<Outcome> {
    let mut table = Table::new(
        &format!(
            "Writes: create_entities of one entity with one observation, median of {WRITES}, as a client sees it"
        ),
        &["entities", "limbic", "limbic native", "reference", "limbic : reference"],
    );
    let mut numbers = json!({});
    for size in SIZES {
        let mut node =
            Server::Node.start(tools, &filled.database(tools, size, "node")?, &["--test-encoder"])?;
        let mut native =
            Server::Native.start(tools, &filled.database(tools, size, "native")?, &["--test-encoder"])?;
        let mut reference = Server::Reference.start(tools, &filled.lines(size)?, &[])?;
        let mut times: [Vec<f64>; 3] = Default::default();
        // The first write opens files and is not counted.
        for number in 0..=WRITES {
            for (index, client) in [&mut node, &mut native, &mut reference].into_iter().enumerate() {
                let time = write(client, number)?;
                if number > 0 {
                    times[index].push(time);
                }
            }
        }
        let [node, native, reference] = times.map(median);
        table.row(vec![
            size.to_string(),
            millis(node),
            millis(native),
            millis(reference),
            ratio(node, reference),
        ]);
        numbers[size.to_string()] =
            json!({"node_millis": node, "native_millis": native, "reference_millis": reference});
    }
    table.note(
        "Each write is on the disk when it is answered (limbic: fsync); embeddings follow in the background.",
    );
    Ok(Outcome { table, numbers })
}

fn write(client: &mut Client, number: usize) -> Result<f64> {
    let entity = json!({
        "name": format!("measured {number}"),
        "entityType": "test",
        "observations": [format!("written as number {number} while the clock was running")],
    });
    let start = Instant::now();
    client.call("create_entities", json!({"entities": [entity]}))?;
    Ok(start.elapsed().as_secs_f64() * 1000.0)
}
