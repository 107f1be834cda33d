//! Three servers over HTTP, with four clients each, on one memory in PostgreSQL with a standby, while servers are
//! killed, PostgreSQL crashes and the standby is promoted. A client whose server is gone continues its session on
//! another server. No acknowledged write is lost, no failed write is visible, and the history of all clients is
//! strictly serializable.
//!
//! `cargo xtask storm` runs it in full: 30 kills and 10 crashes.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};
use limbic_core::rusqlite::Connection;
use limbic_support::{
    free_port,
    http::{Client, Server},
    postgres::Cluster,
};
use limbic_tests::{
    history::{Event, Operation, Outcome, anomalies},
    stdio::limbic_binary,
};
use serde_json::{Value, json};
use tempfile::tempdir;

const SERVERS: usize = 3;
const CLIENTS: usize = 12;
const LISTS: usize = 3;
const PAUSE: Duration = Duration::from_millis(600);
/// The environment variable that selects the full size.
const FULL: &str = "LIMBIC_STORM";

/// The number of kills and crashes.
struct Size {
    kills: usize,
    /// Numbers of kills after which PostgreSQL crashes, before and after the standby is promoted.
    kills_per_crash: usize,
    promoted_after: usize,
}

impl Size {
    fn chosen() -> Self {
        match std::env::var(FULL).as_deref() {
            Ok("full") => Self { kills: 30, kills_per_crash: 3, promoted_after: 20 },
            _ => Self { kills: 8, kills_per_crash: 3, promoted_after: 7 },
        }
    }
}

/// A server that is restarted whenever it has ended.
struct Slot {
    port: u16,
    server: Mutex<Option<Server>>,
}

impl Slot {
    fn keep_running(&self, address: &str, stop: &AtomicBool) -> Result<()> {
        while !stop.load(Ordering::Relaxed) {
            let mut server = self.server.lock().unwrap();
            if server.as_mut().is_none_or(Server::has_ended) {
                let mut limbic = Command::new(limbic_binary()?);
                limbic.args(["serve", "--no-model", "--toolsets", "graph,memory,explorer", "--db", address]);
                *server = Some(Server::start(limbic.stderr(Stdio::null()), self.port)?);
            }
            drop(server);
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn kill(&self) {
        if let Some(server) = self.server.lock().unwrap().as_mut() {
            server.kill();
        }
    }
}

/// The knowledge of a client about its operations.
#[derive(Default)]
struct Known {
    history: Vec<Event>,
    /// The texts of memories.
    acknowledged: Vec<String>,
    failed: BTreeSet<String>,
    /// Numbers of failed answers to valid calls, by code.
    codes: BTreeMap<String, u32>,
    moves: u32,
}

struct Storm {
    start: Instant,
    ports: Vec<u16>,
    stop: AtomicBool,
}

impl Storm {
    /// Calls the client's server. Returns `None` if the server is gone, and selects the next one.
    fn call(
        &self,
        client: &Client,
        server: &mut usize,
        known: &mut Known,
        (tool, arguments): (&str, Value),
    ) -> Option<(bool, Value)> {
        match client.at(self.ports[*server]).call(tool, &arguments) {
            Ok((is_error, answer)) => {
                if is_error {
                    *known.codes.entry(answer["code"].to_string()).or_default() += 1;
                }
                Some((is_error, answer))
            }
            Err(_) => {
                *server = (*server + 1) % SERVERS;
                known.moves += 1;
                thread::sleep(Duration::from_millis(10));
                None
            }
        }
    }

    fn last_read(&self) -> Result<Event> {
        let (tool, arguments) = read();
        let start = self.start.elapsed();
        let rows = answered(|| Client::new(self.ports[0]).call(tool, &arguments))?;
        Ok(Event { start, end: self.start.elapsed(), operation: Operation::Read(lists(&rows)) })
    }

    fn client(&self, number: usize) -> Known {
        let (mut known, mut server) = (Known::default(), number % SERVERS);
        let mut client = Client::new(self.ports[server]);
        while client.initialize(&format!("client {number}")).is_err() {
            thread::sleep(Duration::from_millis(10));
        }
        for round in 0.. {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let start = self.start.elapsed();
            let operation = match round % 4 {
                0 | 2 => {
                    let (list, value) =
                        ((number + round) % LISTS, format!("client {number} in round {round}"));
                    let call = ("add_observations", json!({"name": named(list), "observations": [value]}));
                    let answer = self.call(&client, &mut server, &mut known, call);
                    Some(Operation::Append { list, value, outcome: outcome(answer.as_ref()) })
                }
                1 => {
                    let text = format!("text of client{number} in round{round}");
                    let call = ("memory_store", json!({"content": text}));
                    let answer = self.call(&client, &mut server, &mut known, call);
                    match outcome(answer.as_ref()) {
                        Outcome::Acknowledged => known.acknowledged.push(text),
                        Outcome::Failed => _ = known.failed.insert(text),
                        Outcome::Unknown => {}
                    }
                    None
                }
                _ => {
                    let answer = self.call(&client, &mut server, &mut known, read());
                    answer.filter(|(is_error, _)| !is_error).map(|(_, rows)| Operation::Read(lists(&rows)))
                }
            };
            known.history.extend(operation.map(|operation| Event {
                start,
                end: self.start.elapsed(),
                operation,
            }));
        }
        known
    }
}

/// Repeats a call until a server answers.
fn answered(call: impl Fn() -> Result<(bool, Value)>) -> Result<Value> {
    let start = Instant::now();
    loop {
        match call() {
            Ok((is_error, answer)) => {
                ensure!(!is_error, "{answer}");
                return Ok(answer);
            }
            Err(error) if start.elapsed() > Duration::from_secs(60) => return Err(error),
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

fn named(list: usize) -> String {
    format!("List {list}")
}

fn read() -> (&'static str, Value) {
    let sql = "SELECT name, content FROM observations JOIN entities ON entities.id = entity_id ORDER BY observations.id";
    ("query_sql", json!({"sql": sql, "limit": 10_000, "max_tokens": 2_500_000}))
}

fn lists(answer: &Value) -> Vec<Vec<String>> {
    let rows = answer["rows"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (0..LISTS)
        .map(|list| rows.iter().filter(|row| row[0] == named(list)).map(|row| text(&row[1])).collect())
        .collect()
}

fn outcome(answer: Option<&(bool, Value)>) -> Outcome {
    match answer {
        Some((false, _)) => Outcome::Acknowledged,
        Some((true, failure)) if failure["code"] != "outcome_unknown" => Outcome::Failed,
        _ => Outcome::Unknown,
    }
}

/// Kills servers one after the other, and PostgreSQL between kills.
fn disturb(size: &Size, slots: &[Slot], primary: &Cluster, standby: &Cluster) -> Result<usize> {
    let (mut current, mut crashes) = (primary, 0);
    for kill in 1..=size.kills {
        thread::sleep(PAUSE);
        slots[kill % SERVERS].kill();
        if kill % size.kills_per_crash == 0 {
            current.crash()?;
            current.resume()?;
            crashes += 1;
        }
        if kill == size.promoted_after {
            primary.crash()?;
            standby.promote()?;
            current = standby;
        }
    }
    thread::sleep(PAUSE);
    Ok(crashes)
}

/// Writes the pages to a file, checks its integrity, and returns the texts of its memories.
fn stored(address: &str, file: &Path) -> Result<BTreeSet<String>> {
    let mut export = Command::new(limbic_binary()?);
    let exported = export.args(["pages", "export", "--db", address]).arg(file).output()?;
    ensure!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
    let connection = Connection::open(file)?;
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    ensure!(check == "ok", "{check}");
    let mut statement = connection.prepare("SELECT content FROM memories")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

#[test]
fn nothing_acknowledged_is_lost_when_servers_and_postgresql_die() -> Result<()> {
    let Some(primary) = Cluster::start()? else { return Ok(()) };
    let standby = primary.standby()?;
    primary.wait_for_standby()?;
    let address = primary.address_with(&standby, "storm");
    let ports = (0..SERVERS).map(|_| free_port()).collect::<Result<Vec<_>>>()?;
    let slots: Vec<Slot> = ports.iter().map(|port| Slot { port: *port, server: Mutex::new(None) }).collect();
    let storm = Storm { start: Instant::now(), ports, stop: AtomicBool::new(false) };
    let (size, all_stop) = (Size::chosen(), AtomicBool::new(false));

    let (known, crashes, last) = thread::scope(|scope| -> Result<_> {
        let servers: Vec<_> = slots
            .iter()
            .map(|slot| {
                let (address, stop) = (&address, &all_stop);
                scope.spawn(move || slot.keep_running(address, stop))
            })
            .collect();
        let ended = (|| -> Result<_> {
            let first = Client::new(storm.ports[0]);
            let entities: Vec<Value> = (0..LISTS).map(|list| json!({"name": named(list)})).collect();
            answered(|| first.call("create_entities", &json!({"entities": entities})))?;
            let storm = &storm;
            let clients: Vec<_> =
                (0..CLIENTS).map(|number| scope.spawn(move || storm.client(number))).collect();
            let crashes = disturb(&size, &slots, &primary, &standby);
            storm.stop.store(true, Ordering::Relaxed);
            let known = clients
                .into_iter()
                .map(|client| client.join().map_err(|_| anyhow!("a client panicked")))
                .collect::<Result<Vec<Known>>>()?;
            Ok((known, crashes?, storm.last_read()?))
        })();
        storm.stop.store(true, Ordering::Relaxed);
        all_stop.store(true, Ordering::Relaxed);
        for server in servers {
            server.join().map_err(|_| anyhow!("a server's thread panicked"))??;
        }
        ended
    })?;

    let folder = tempdir()?;
    let stored = stored(&address, &folder.path().join("storm.db"))?;
    let mut codes: BTreeMap<&str, u32> = BTreeMap::new();
    for (code, count) in known.iter().flat_map(|known| &known.codes) {
        *codes.entry(code).or_default() += count;
    }
    let acknowledged: Vec<&String> = known.iter().flat_map(|known| &known.acknowledged).collect();
    let history: Vec<Event> =
        known.iter().flat_map(|known| known.history.iter().cloned()).chain([last]).collect();
    eprintln!(
        "{} memories acknowledged, {} operations on lists, {} kills, {crashes} crashes, one promotion, {} moves to \
         another server, failures {codes:?}",
        acknowledged.len(),
        history.len(),
        size.kills,
        known.iter().map(|known| known.moves).sum::<u32>(),
    );
    let lost: Vec<_> = acknowledged.iter().filter(|text| !stored.contains(**text)).collect();
    ensure!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), acknowledged.len());
    let seen: Vec<_> =
        known.iter().flat_map(|known| &known.failed).filter(|text| stored.contains(*text)).collect();
    ensure!(seen.is_empty(), "these were reported as failed: {seen:?}");
    let anomalies = anomalies(&history);
    ensure!(anomalies.is_empty(), "{} anomalies, such as {:?}", anomalies.len(), anomalies.first());
    ensure!(acknowledged.len() > 30 && history.len() > 60, "too little was done");
    Ok(())
}
