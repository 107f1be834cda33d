//! Latency of storing, recalling and maintaining many memories.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::filled::Filled;
use super::server::Server;
use super::table::{Outcome, Table, millis};
use crate::mcp::Client;
use crate::project;
use crate::tools::Toolbox;

const MEMORIES: usize = 100_000;
/// Warm-up calls, which load vectors and pages and are not counted.
const UNCOUNTED: usize = 3;
/// Pause between two calls, in which background work ends, as between the calls of an agent.
const PAUSE: Duration = Duration::from_millis(50);
/// Runs of each hook.
const HOOKS: usize = 11;
/// Words of the memories. Every query combines other words, so that no cache helps.
const SUBJECTS: [&str; 7] = ["harbour", "orchestra", "bicycle", "glacier", "kitchen", "library", "vineyard"];
const VERBS: [&str; 5] = ["needs", "avoids", "delays", "improves", "forgets"];
const OBJECTS: [&str; 8] =
    ["permits", "rainwater", "violins", "brakes", "contracts", "shelves", "antennas", "visitors"];

/// A measured call: label, tool, number of runs, and the arguments of each run.
struct Measured {
    label: &'static str,
    key: &'static str,
    tool: &'static str,
    times: usize,
    arguments: fn(usize) -> Value,
}

const fn measured(
    label: &'static str,
    key: &'static str,
    tool: &'static str,
    times: usize,
    arguments: fn(usize) -> Value,
) -> Measured {
    Measured { label, key, tool, times, arguments }
}

/// The current domain holds four in five of the memories, `small` one in a hundred.
const CALLS: [Measured; 9] = [
    measured("recall: a question", "query", "memory_recall", 101, |number| asked(number, json!({}))),
    measured("… in all domains", "all_domains", "memory_recall", 101, |number| {
        asked(number, json!({"domain": "*"}))
    }),
    measured("… in a small domain", "small_domain", "memory_recall", 101, |number| {
        asked(number, json!({"domain": "small"}))
    }),
    measured("… of a category", "category", "memory_recall", 101, |number| {
        asked(number, json!({"category": "decision"}))
    }),
    measured("… of one user of many", "user", "memory_recall", 101, |number| {
        asked(number, json!({"user_id": "user 7", "domain": "*"}))
    }),
    measured(
        "recall: a subject, no question",
        "subject",
        "memory_recall",
        31,
        |_| json!({"subject": "glacier"}),
    ),
    measured("recall: no question at all", "standing", "memory_recall", 31, |_| json!({})),
    measured(
        "store: one memory",
        "store",
        "memory_store",
        101,
        |number| json!({"content": format!("Note {number} after lunch: {}", question(number)), "subject": "bench"}),
    ),
    measured("maintain: dry run", "maintain", "memory_maintain", 5, |_| json!({})),
];

fn asked(number: usize, mut filter: Value) -> Value {
    filter["query"] = question(number).into();
    filter
}

/// The query of a run, in one of four forms: about things, about a week, about a named person, keywords only.
pub fn question(number: usize) -> String {
    let round = number / 4;
    let subject = SUBJECTS[round % SUBJECTS.len()];
    let verb = VERBS[round % VERBS.len()];
    let object = OBJECTS[round % OBJECTS.len()];
    match number % 4 {
        0 => format!("which {subject} {verb} {object}?"),
        1 => format!("who of the {subject} {verb} since week {}?", number % 53),
        2 => format!("what did Case{} say about {object}?", number * 37 % 1_000),
        _ => format!("{object} and {subject}"),
    }
}

/// Measures calls from the client's side. The test encoder replaces the model, so encoding costs nothing.
pub fn run(tools: &Toolbox, filled: &Filled) -> Result<Outcome> {
    let mut table = Table::new(
        &format!(
            "Memories: {MEMORIES} of them, median and 95th percentile as a client sees it, without the question's encoding"
        ),
        &["call", "limbic", "limbic native"],
    );
    table.note(&format!(
        "{} ms between an answer and the next call; no question twice in a row of calls",
        PAUSE.as_millis()
    ));
    let mut numbers = json!({});
    let mut rows: Vec<Vec<String>> = CALLS.iter().map(|call| vec![call.label.to_owned()]).collect();
    for (server, name) in [(Server::Node, "node"), (Server::Native, "native")] {
        let database = filled.memories(tools, MEMORIES, name)?;
        let mut client =
            server.start(tools, &database, &["--test-encoder", "--toolsets", "memory,domain"])?;
        for (call, row) in CALLS.iter().zip(&mut rows) {
            let (median, p95) = times(&mut client, call)?;
            row.push(format!("{} / {}", millis(median), millis(p95)));
            numbers[name][call.key] = json!({"median_millis": median, "p95_millis": p95});
        }
    }
    for row in rows {
        table.row(row);
    }
    for memories in [1_000, MEMORIES] {
        let database = filled.memories(tools, memories, "hook")?;
        for name in ["session-start", "pre-tool-use", "post-tool-use"] {
            let (median, p95) = hook(tools, &database, name)?;
            table.row(vec![
                format!("hook {name} as a process, {memories} memories"),
                format!("{} / {}", millis(median), millis(p95)),
                String::new(),
            ]);
            numbers["hook"][name][memories.to_string()] = json!({"median_millis": median, "p95_millis": p95});
        }
    }
    Ok(Outcome { table, numbers })
}

/// Measures a hook from process start to exit, for a session start, a tool that is about to run, and a tool that
/// failed.
fn hook(tools: &Toolbox, database: &Path, name: &str) -> Result<(f64, f64)> {
    let input = json!({
        "session_id": "bench",
        "hook_event_name": name,
        "cwd": "/atlas",
        "tool_name": "Bash",
        "tool_input": {"command": "harbour needs permits"},
        "error": "the harbour needs permits",
    })
    .to_string();
    let mut times = Vec::with_capacity(HOOKS);
    for number in 0..HOOKS + UNCOUNTED {
        let start = Instant::now();
        let mut child = tools
            .command("node")
            .arg(project::node_main())
            .args(["hook", name, "--db"])
            .arg(database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        child.stdin.take().context("the hook's input was piped")?.write_all(input.as_bytes())?;
        let output = child.wait_with_output()?;
        let time = start.elapsed().as_secs_f64() * 1000.0;
        ensure!(!output.stdout.is_empty(), "the hook {name} printed nothing");
        if number >= UNCOUNTED {
            times.push(time);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok((times[HOOKS / 2], times[HOOKS * 95 / 100]))
}

/// Median and 95th percentile of a series of calls.
fn times(client: &mut Client, call: &Measured) -> Result<(f64, f64)> {
    let mut times = Vec::with_capacity(call.times);
    for number in 0..call.times + UNCOUNTED {
        let arguments = (call.arguments)(number);
        let start = Instant::now();
        let answer = client.call(call.tool, arguments)?;
        let time = start.elapsed().as_secs_f64() * 1000.0;
        ensure!(answer.is_object(), "{} answered {answer}", call.tool);
        ensure!(
            answer["memories"] != json!([]),
            "{} found nothing: a search without results is quicker",
            call.label
        );
        if number >= UNCOUNTED {
            times.push(time);
        }
        thread::sleep(PAUSE);
    }
    times.sort_by(f64::total_cmp);
    Ok((times[call.times / 2], times[call.times * 95 / 100]))
}
