//! Time from starting a server to its first answers.

use std::fs;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::Outcome;
use super::server::Server;
use super::table::{Table, median, millis, ratio};
use crate::mcp::Client;
use crate::project;
use crate::tools::Toolbox;

const ROUNDS: usize = 11;
const SERVERS: [Server; 3] = [Server::Node, Server::Native, Server::Reference];

/// Starts the servers alternately, so that other load on the machine affects all of them.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    let folder = project::target().join("bench-start");
    let mut listed: [Vec<f64>; 3] = Default::default();
    let mut written: [Vec<f64>; 3] = Default::default();
    // The first round warms the disk's cache and is not counted.
    for round in 0..=ROUNDS {
        for (index, server) in SERVERS.iter().enumerate() {
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            fs::create_dir_all(&folder)?;
            let mut command = server.command(tools, &folder.join("memory"), &[])?;
            let start = Instant::now();
            let mut client = Client::start(&mut command)?;
            client.initialize()?;
            client.request("tools/list", json!({}))?;
            let until_list = start.elapsed();
            client.call("create_entities", json!({"entities": [entity()]}))?;
            let until_write = start.elapsed();
            if round > 0 {
                listed[index].push(until_list.as_secs_f64() * 1000.0);
                written[index].push(until_write.as_secs_f64() * 1000.0);
            }
        }
    }
    fs::remove_dir_all(&folder)?;
    let mut table = Table::new(
        &format!("Start, median of {ROUNDS} alternating runs"),
        &["from start to", "limbic", "limbic native", "reference", "limbic : reference"],
    );
    let mut numbers = json!({});
    for (label, name, times) in
        [("tools listed", "listed", listed), ("first write answered", "written", written)]
    {
        let [node, native, reference] = times.map(median);
        table.row(vec![
            label.to_owned(),
            millis(node),
            millis(native),
            millis(reference),
            ratio(node, reference),
        ]);
        numbers[name] = json!({"node_millis": node, "native_millis": native, "reference_millis": reference});
    }
    Ok(Outcome { table, numbers })
}

fn entity() -> serde_json::Value {
    json!({"name": "Ada", "entityType": "person", "observations": ["likes tea"]})
}
