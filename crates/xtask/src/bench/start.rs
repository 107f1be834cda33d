//! Time from starting a server to its first answers, and from the end of its input or a signal to its end.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;

use super::server::{DROP_IN, Server};
use super::table::{Outcome, Table, median, millis, ratio};
use crate::mcp::Client;
use crate::project;
use crate::tools::Toolbox;

const ROUNDS: usize = 11;
/// A server is idle by then: its encoder has loaded, and V8 has optimized what the first calls use.
pub(super) const IDLE: Duration = Duration::from_secs(2);
/// The measured servers with their options. With `DROP_IN`, Limbic takes the place of the reference server.
const SERVERS: [(Server, &[&str]); 4] =
    [(Server::Node, &[]), (Server::Node, &DROP_IN), (Server::Native, &[]), (Server::Reference, &[])];

/// Starts the servers alternately, so that other load on the machine affects all of them.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    let folder = project::target().join("bench-start");
    let mut listed: [Vec<f64>; 4] = Default::default();
    let mut written: [Vec<f64>; 4] = Default::default();
    let mut ended: [Vec<f64>; 4] = Default::default();
    let mut stopped: [Vec<f64>; 4] = Default::default();
    // The first round warms the disk's cache and is not counted.
    for round in 0..=ROUNDS {
        for (index, (server, options)) in SERVERS.iter().enumerate() {
            let Started { mut client, until_list, until_write } = start(tools, *server, &folder, options)?;
            if round > 0 {
                listed[index].push(until_list.as_secs_f64() * 1000.0);
                written[index].push(until_write.as_secs_f64() * 1000.0);
                thread::sleep(IDLE);
                let is_signal = cfg!(unix) && round % 2 == 0;
                let until_end = end(tools, &mut client, is_signal)?;
                let times = if is_signal { &mut stopped } else { &mut ended };
                times[index].push(until_end.as_secs_f64() * 1000.0);
            }
        }
    }
    fs::remove_dir_all(&folder)?;
    let mut table = Table::new(
        &format!("Start and end, median of {ROUNDS} alternating runs; half of them end by a signal"),
        &[
            "what",
            "limbic",
            "drop-in",
            "limbic native",
            "reference",
            "limbic : reference",
            "drop-in : reference",
        ],
    );
    table.note("drop-in: with --compat server-memory, as it takes the place of the reference server; with its encoder.");
    let mut numbers = json!({});
    for (label, name, times) in [
        ("from start to tools listed", "listed", listed),
        ("from start to first write answered", "written", written),
        ("from end of input to end of process", "ended", ended),
        ("from SIGTERM to end of process", "stopped", stopped),
    ] {
        let [node, drop_in, native, reference] = times.map(median);
        table.row(vec![
            label.to_owned(),
            millis(node),
            millis(drop_in),
            millis(native),
            millis(reference),
            ratio(node, reference),
            ratio(drop_in, reference),
        ]);
        numbers[name] = json!({
            "node_millis": node,
            "drop_in_millis": drop_in,
            "native_millis": native,
            "reference_millis": reference,
        });
    }
    Ok(Outcome { table, numbers })
}

/// A server that has answered its first write, to a new file.
pub(super) struct Started {
    pub client: Client,
    /// From the start of the process to the list of tools.
    pub until_list: Duration,
    /// From the start of the process to the answer of the write.
    pub until_write: Duration,
}

/// Starts a server in an emptied folder, lists its tools and writes.
pub(super) fn start(tools: &Toolbox, server: Server, folder: &Path, extra: &[&str]) -> Result<Started> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let mut command = server.command(tools, &folder.join("memory"), extra)?;
    let start = Instant::now();
    let mut client = Client::start(&mut command)?;
    client.initialize()?;
    client.request("tools/list", json!({}))?;
    let until_list = start.elapsed();
    client.call("create_entities", json!({"entities": [entity()]}))?;
    Ok(Started { client, until_list, until_write: start.elapsed() })
}

/// Ends an idle server, by a signal or the end of its input. Returns how long it takes.
pub(super) fn end(tools: &Toolbox, client: &mut Client, is_signal: bool) -> Result<Duration> {
    let process = client.process().to_string();
    let start = Instant::now();
    if is_signal {
        ensure!(tools.command("kill").arg(process).status()?.success(), "the server cannot be sent a signal");
    } else {
        client.end_input();
    }
    ensure!(client.wait(), "the server does not end");
    Ok(start.elapsed())
}

fn entity() -> serde_json::Value {
    json!({"name": "Ada", "entityType": "person", "observations": ["likes tea"]})
}
