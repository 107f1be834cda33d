//! Resident memory of a server with a loaded model.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::server::Server;
use super::table::{Outcome, Table};
use crate::mcp::Client;
use crate::project;
use crate::tools::Toolbox;

/// Target in megabytes.
const AIM_MEGABYTES: f64 = 300.0;

/// Measures the resident memory of the process after it has encoded and searched.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    let folder = project::target().join("bench-memory");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut table = Table::new("Memory with the model loaded", &["server", "resident", "peak", "target"]);
    let mut numbers = json!({});
    for (name, label, server) in
        [("node", "limbic", Server::Node), ("native", "limbic native", Server::Native)]
    {
        let mut client = server.start(tools, &folder.join(format!("{name}.db")), &[])?;
        use_model(&mut client)?;
        let (resident, peak) = memory_of(client.process())?;
        let cells = [resident, peak].map(|megabytes| format!("{megabytes:.0} MB"));
        table
            .row([vec![label.to_owned()], cells.to_vec(), vec![format!("< {AIM_MEGABYTES:.0} MB")]].concat());
        numbers[name] = json!({"resident_megabytes": resident, "peak_megabytes": peak});
    }
    fs::remove_dir_all(&folder)?;
    Ok(Outcome { table, numbers })
}

/// Stores entities, waits for their embeddings, and searches.
fn use_model(client: &mut Client) -> Result<()> {
    let text = "a sentence of some length that the encoder has to read before it can be found ".repeat(12);
    let entities: Vec<_> =
        (0..20).map(|n| json!({"name": format!("entity {n}"), "observations": [&text]})).collect();
    client.call("create_entities", json!({"entities": entities}))?;
    let start = Instant::now();
    loop {
        let answer = client.call("search_semantic", json!({"query": "what must be read first?"}))?;
        if answer["pending_embeddings"] == json!(0) && answer["mode"] == json!("hybrid") {
            return Ok(());
        }
        if start.elapsed() > Duration::from_secs(120) {
            bail!("embeddings of twenty entities are still pending after two minutes");
        }
        thread::sleep(Duration::from_millis(200));
    }
}

/// Current and peak resident memory in megabytes, from `/proc`.
pub fn memory_of(process: u32) -> Result<(f64, f64)> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))
        .context("resident memory is measured on Linux only; omit `memory` on other systems")?;
    let read = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let kilobytes: f64 = line?.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kilobytes / 1000.0)
    };
    read("VmRSS").zip(read("VmHWM")).context("/proc has no VmRSS or VmHWM")
}
