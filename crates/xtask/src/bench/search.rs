//! Latency of a search at different database sizes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use super::filled::Filled;
use super::server::Server;
use super::table::{Outcome, Table, millis};
use crate::mcp::Client;
use crate::tools::Toolbox;

const SIZES: [usize; 3] = [1_000, 10_000, 50_000];
const SEARCHES: usize = 101;
const WRITES_A_SECOND: u32 = 20;
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
            "Search: search_semantic, median and 95th percentile of {SEARCHES} as a client sees it, without the question's encoding"
        ),
        &["entities", "limbic", "limbic, written to", "limbic native", "native, written to"],
    );
    table.note(&format!("written to: another process makes {WRITES_A_SECOND} writes a second"));
    let mut numbers = json!({});
    for size in SIZES {
        let mut row = vec![size.to_string()];
        let mut measured = json!({});
        for (server, name) in [(Server::Node, "node"), (Server::Native, "native")] {
            let database = filled.database(tools, size, name)?;
            for writing in [false, true] {
                let writer = writing.then(|| Writer::start(tools, &database)).transpose()?;
                let mut client = server.start(tools, &database, &["--test-encoder"])?;
                let (median, p95) = times(&mut client)?;
                if let Some(writer) = writer {
                    writer.stop()?;
                }
                row.push(format!("{} / {}", millis(median), millis(p95)));
                let name = if writing { format!("{name}_while_written") } else { name.to_owned() };
                measured[name] = json!({"median_millis": median, "p95_millis": p95});
            }
        }
        table.row(row);
        numbers[size.to_string()] = measured;
    }
    Ok(Outcome { table, numbers })
}

/// Median and 95th percentile of a series of searches.
fn times(client: &mut Client) -> Result<(f64, f64)> {
    let mut times = Vec::with_capacity(SEARCHES);
    // The first searches load the vectors into memory and are not counted.
    for number in 0..SEARCHES + 3 {
        let time = search(client, QUESTIONS[number % QUESTIONS.len()])?;
        if number >= 3 {
            times.push(time);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok((times[SEARCHES / 2], times[SEARCHES * 95 / 100]))
}

fn search(client: &mut Client, question: &str) -> Result<f64> {
    let start = Instant::now();
    client.call("search_semantic", json!({"query": question, "limit": 10}))?;
    Ok(start.elapsed().as_secs_f64() * 1000.0)
}

/// A process that writes to the same file until it is dropped.
struct Writer {
    stopped: Arc<AtomicBool>,
    thread: JoinHandle<Result<()>>,
}

impl Writer {
    fn start(tools: &Toolbox, database: &Path) -> Result<Self> {
        let mut client = Server::Native.start(tools, database, &["--test-encoder"])?;
        let stopped = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stopped);
        let thread = thread::spawn(move || {
            let mut number = 0_u64;
            while !seen.load(Ordering::Relaxed) {
                number += 1;
                let text = format!("The log has line {number}");
                client.call(
                    "create_entities",
                    json!({"entities": [{"name": "log", "entityType": "log", "observations": [text]}]}),
                )?;
                thread::sleep(Duration::from_secs(1) / WRITES_A_SECOND);
            }
            Ok(())
        });
        Ok(Self { stopped, thread })
    }

    fn stop(self) -> Result<()> {
        self.stopped.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| anyhow::anyhow!("the writer panicked"))?
    }
}
