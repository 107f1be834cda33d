//! Measures the time that encryption adds to writes, to recalls and to opening a database.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::filled::Filled;
use super::recall::question;
use super::server::Server;
use super::table::{Outcome, Table, median, millis, ratio};
use crate::mcp::Client;
use crate::project;
use crate::tools::{Toolbox, say};

const MEMORIES: usize = 10_000;
/// Calls of each kind, and warm-up calls, which are not counted.
const ROUNDS: usize = 101;
const UNCOUNTED: usize = 3;
/// Starts of each server.
const STARTS: usize = 7;

const OPTIONS: [&str; 3] = ["--test-encoder", "--toolsets", "memory,domain"];

/// How a database is kept, and the variable that opens it.
type Kept = (&'static str, &'static str, Option<(&'static str, &'static str)>);

const PLAIN: Kept = ("plain", "plain", None);
const KEY: Kept = (
    "encrypted",
    "key",
    Some(("LIMBIC_KEY", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")),
);
const PASSPHRASE: Kept =
    ("with a passphrase", "passphrase", Some(("LIMBIC_PASSPHRASE", "the bench opens it again")));

/// Measures the same calls on plain and encrypted databases with the same memories, in turn.
pub fn run(tools: &Toolbox, filled: &Filled) -> Result<Outcome> {
    let mut table = Table::new(
        &format!(
            "Encryption: {MEMORIES} memories, medians of {ROUNDS} alternating calls and {STARTS} starts, as a client sees it"
        ),
        &["", "plain", "encrypted", "encrypted : plain", "with a passphrase"],
    );
    let mut numbers = json!({});
    for (server, label, name) in
        [(Server::Node, "limbic", "node"), (Server::Native, "limbic native", "native")]
    {
        let databases = [PLAIN, KEY, PASSPHRASE]
            .map(|kept| database(tools, filled, kept, name).map(|database| (kept, database)));
        let [plain, key, passphrase] = databases;
        let (plain, key, passphrase) = (plain?, key?, passphrase?);
        let mut starts: [Vec<f64>; 3] = Default::default();
        for number in 0..=STARTS {
            for ((kept, database), times) in [&plain, &key, &passphrase].into_iter().zip(&mut starts) {
                let start = Instant::now();
                let mut client = client(tools, server, *kept, database)?;
                recall(&mut client, number)?;
                // The first start brings the files into the system's cache.
                if number > 0 {
                    times.push(start.elapsed().as_secs_f64() * 1000.0);
                }
            }
        }
        let mut clients = [client(tools, server, PLAIN, &plain.1)?, client(tools, server, KEY, &key.1)?];
        let (mut stores, mut recalls): ([Vec<f64>; 2], [Vec<f64>; 2]) = Default::default();
        for number in 0..ROUNDS + UNCOUNTED {
            for (index, client) in clients.iter_mut().enumerate() {
                let [stored, recalled] = [store(client, number)?, recall(client, number)?];
                if number >= UNCOUNTED {
                    stores[index].push(stored);
                    recalls[index].push(recalled);
                }
            }
        }
        let [of_plain, of_key, of_passphrase] = starts.map(median);
        let rows = [
            ("store: one memory", "store", stores.map(median), None),
            ("recall: a question", "recall", recalls.map(median), None),
            ("start, and the first recall", "start", [of_plain, of_key], Some(of_passphrase)),
        ];
        for (what, measured, [plain, key], passphrase) in rows {
            table.row(vec![
                format!("{label}, {what}"),
                millis(plain),
                millis(key),
                ratio(key, plain),
                passphrase.map(millis).unwrap_or_default(),
            ]);
            numbers[name][measured] =
                json!({"plain_millis": plain, "key_millis": key, "passphrase_millis": passphrase});
        }
    }
    table.note("AES-256 and HMAC-SHA512 for each page that is read or written; pages stay decrypted in a cache of 64 MB.");
    table.note("A passphrase costs Argon2id with 64 MiB and three passes each time that a program opens the database.");
    Ok(Outcome { table, numbers })
}

/// A copy of the memories that is kept in this way.
fn database(tools: &Toolbox, filled: &Filled, (label, key, variable): Kept, server: &str) -> Result<PathBuf> {
    let database = filled.memories(tools, MEMORIES, &format!("{server} {key}"))?;
    if let Some((name, value)) = variable {
        say(&format!("encrypting a copy: {label}"));
        let mut command = tools.command(project::target().join("release").join("limbic"));
        command.args(["key", "encrypt", "--db"]).arg(&database).env(name, value);
        let output = command.output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(database)
}

fn client(tools: &Toolbox, server: Server, (_, _, variable): Kept, database: &Path) -> Result<Client> {
    let mut command: Command = server.command(tools, database, &OPTIONS)?;
    if let Some((name, value)) = variable {
        command.env(name, value);
    }
    let mut client = Client::start(&mut command)?;
    client.initialize()?;
    Ok(client)
}

/// Stores a memory. Returns the time in milliseconds.
fn store(client: &mut Client, number: usize) -> Result<f64> {
    let content = format!("Note {number} of the encrypted bench: {}", question(number));
    timed(client, "memory_store", json!({"content": content, "subject": "bench"})).map(|(_, time)| time)
}

/// Recalls memories. Returns the time in milliseconds.
fn recall(client: &mut Client, number: usize) -> Result<f64> {
    let (answer, time) = timed(client, "memory_recall", json!({"query": question(number)}))?;
    ensure!(answer["memories"] != json!([]), "nothing was found: a search without results is quicker");
    Ok(time)
}

fn timed(client: &mut Client, tool: &str, arguments: Value) -> Result<(Value, f64)> {
    let start = Instant::now();
    let answer = client.call(tool, arguments)?;
    Ok((answer, start.elapsed().as_secs_f64() * 1000.0))
}
