//! The reference server's tools at different database sizes, its first write on a new file and its end.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::filled::Filled;
use super::server::Server;
use super::start::{IDLE, Started, end, start};
use super::table::{Outcome, Table, median, millis, ratio};
use crate::mcp::Client;
use crate::project;
use crate::tools::Toolbox;

/// Numbers of entities that are measured by default.
pub const SIZES: [usize; 3] = [1_000, 10_000, 50_000];
/// Calls of each tool. V8 optimizes the core during the first ones.
const ROUNDS: usize = 41;
/// How often each server is started on a new file, and ended in each of the two ways.
const STARTS: usize = 7;
const SERVERS: [(Server, &str); 3] =
    [(Server::Node, "node"), (Server::Native, "native"), (Server::Reference, "reference")];
/// Limbic's options: the reference server's tools, and no encoder, since that server has none.
const OPTIONS: [&str; 3] = ["--no-model", "--compat", "server-memory"];
/// The end of a process by the end of its input and by a signal, which only Unix has.
const ENDS: [(&str, bool); 2] = [("end of input", false), ("SIGTERM", true)];

/// The durations of each server in milliseconds, in the order of [`SERVERS`].
type Times = [Vec<f64>; 3];

/// Measures each of the nine tools, from the client's side, on each server with the same entities.
pub fn run(tools: &Toolbox, filled: &Filled, sizes: &[usize]) -> Result<Outcome> {
    let mut rows = Rows {
        table: Table::new(
            &format!(
                "The reference server's tools, median of {ROUNDS} alternating calls, as a client sees it"
            ),
            &["entities", "tool", "limbic", "limbic native", "reference", "limbic : reference"],
        ),
        numbers: Map::new(),
    };
    rows.add(0, "start to first write", first_writes(tools)?);
    for size in sizes {
        let files = [
            filled.without_embeddings(tools, *size, "node")?,
            filled.without_embeddings(tools, *size, "native")?,
            filled.lines(tools, *size)?,
        ];
        for (tool, times) in calls_of(tools, &files)? {
            rows.add(*size, tool, times);
        }
        for (way, times) in ends_of(tools, &files)? {
            rows.add(*size, way, times);
        }
    }
    let Rows { mut table, numbers } = rows;
    table.note(&format!(
        "start to first write, end of input, SIGTERM: {STARTS} runs of each server, which is idle before it ends"
    ));
    table.note(
        "limbic: with --compat server-memory; each write is on the disk when it is answered (fdatasync). The",
    );
    table
        .note("reference server does not sync its file. Off, since the reference server has none of it: the");
    table.note("encoder (--no-model), which otherwise embeds new texts between the calls.");
    Ok(Outcome { table, numbers: Value::Object(numbers) })
}

/// The table and the numbers of the same measurements.
struct Rows {
    table: Table,
    numbers: Map<String, Value>,
}

impl Rows {
    fn add(&mut self, size: usize, what: &str, times: Times) {
        let medians = times.map(median);
        let [node, native, reference] = medians;
        let cells = [millis(node), millis(native), millis(reference), ratio(node, reference)];
        self.table.row([vec![size.to_string(), what.to_owned()], cells.to_vec()].concat());
        let measured = SERVERS.iter().zip(medians);
        let measured: Map<String, Value> =
            measured.map(|((_, name), median)| (format!("{name}_millis"), json!(median))).collect();
        let of_size = self.numbers.entry(size.to_string()).or_insert_with(|| json!({}));
        of_size[what] = Value::Object(measured);
    }
}

/// From the start of the process to the answer of the first write, on a new file.
fn first_writes(tools: &Toolbox) -> Result<Times> {
    let folder = project::target().join("bench-start");
    let mut times = Times::default();
    // The first round warms the disk's cache and is not counted.
    for round in 0..=STARTS {
        for ((server, _), times) in SERVERS.into_iter().zip(&mut times) {
            let Started { until_write, .. } = start(tools, server, &folder, options(server))?;
            if round > 0 {
                times.push(until_write.as_secs_f64() * 1000.0);
            }
        }
    }
    fs::remove_dir_all(&folder)?;
    Ok(times)
}

fn calls_of(tools: &Toolbox, files: &[PathBuf; 3]) -> Result<Vec<(&'static str, Times)>> {
    let mut clients = started(tools, files)?;
    let mut times: Vec<_> = calls(0).map(|(tool, _)| (tool, Times::default())).into();
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
    Ok(times)
}

/// Ends servers that have answered a call and are idle.
fn ends_of(tools: &Toolbox, files: &[PathBuf; 3]) -> Result<Vec<(&'static str, Times)>> {
    let mut ends = Vec::new();
    for (way, is_signal) in ENDS.into_iter().filter(|(_, is_signal)| cfg!(unix) || !is_signal) {
        let mut times = Times::default();
        for _ in 0..STARTS {
            let mut clients = started(tools, files)?;
            for client in &mut clients {
                client.call("search_nodes", json!({"query": "since week 10"}))?;
            }
            thread::sleep(IDLE);
            for (client, times) in clients.iter_mut().zip(&mut times) {
                times.push(end(tools, client, is_signal)?.as_secs_f64() * 1000.0);
            }
        }
        ends.push((way, times));
    }
    Ok(ends)
}

/// Starts each server on its file.
fn started(tools: &Toolbox, files: &[PathBuf; 3]) -> Result<Vec<Client>> {
    SERVERS
        .into_iter()
        .zip(files)
        .map(|((server, _), file)| server.start(tools, file, options(server)))
        .collect()
}

fn options(server: Server) -> &'static [&'static str] {
    if server == Server::Reference { &[] } else { &OPTIONS }
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
