//! Three servers of four clients each on one memory in PostgreSQL, while servers are killed and PostgreSQL crashes: no
//! acknowledged write is lost, none that failed is seen, and every read finds what was acknowledged before it, on
//! whichever server.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{
    postgres::Cluster,
    stdio::{self, Server},
};
use serde_json::{Value, json};
use tempfile::tempdir;

const SERVERS: usize = 3;
const CLIENTS: usize = 4;
const RUN_FOR: Duration = Duration::from_secs(8);
const KILL_EVERY: Duration = Duration::from_millis(900);
const CRASH_AFTER: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(5)];

/// What the clients know.
#[derive(Default)]
struct Known {
    /// The texts and ids of acknowledged memories, in order.
    acknowledged: Vec<(String, String)>,
    failed: BTreeSet<String>,
    /// Answers that failed although nothing was wrong with the call, by code.
    codes: HashMap<String, u32>,
    stale: Vec<String>,
}

struct Slot {
    pid: AtomicU32,
}

fn run_server(
    number: usize,
    address: &Path,
    slot: &Slot,
    known: &Mutex<Known>,
    stop: &AtomicBool,
) -> Result<()> {
    let mut round = 0;
    while !stop.load(Ordering::Relaxed) {
        // A server that is killed while it starts is started again.
        let Ok(mut server) = Server::native_of_several(address) else { continue };
        slot.pid.store(server.pid(), Ordering::Relaxed);
        while !stop.load(Ordering::Relaxed) && clients(number, round, &mut server, known).is_ok() {
            round += 1;
        }
        round += 1;
        slot.pid.store(0, Ordering::Relaxed);
    }
    Ok(())
}

/// Each client stores a memory, and the first also reads the one that was acknowledged last, by any server. Fails when the
/// server is gone: what was not answered is unknown then.
fn clients(number: usize, round: u32, server: &mut Server, known: &Mutex<Known>) -> Result<()> {
    let last = known.lock().unwrap().acknowledged.last().cloned();
    let read = last.as_ref().map(|(_, id)| json!({ "name": "memory_get", "arguments": { "ids": [id] } }));
    let read = read.map(|call| server.ask("tools/call", &call.to_string())).transpose()?;
    let mut asked = HashMap::new();
    for client in 0..CLIENTS {
        let text = format!("server{number} client{client} round{round} keeps its word");
        let call = json!({ "name": "memory_store", "arguments": { "content": text } });
        asked.insert(server.ask("tools/call", &call.to_string())?, text);
    }
    let mut left = asked.len() + usize::from(read.is_some());
    while left > 0 {
        let message = server.next_message()?;
        let Some(id) = message["id"].as_u64() else { continue };
        left -= 1;
        let answer = message["result"]["content"][0]["text"].as_str().context("an answer has a text")?;
        let is_error = message["result"]["isError"].as_bool().unwrap_or(false);
        let mut known = known.lock().unwrap();
        let found: Value = serde_json::from_str(answer)?;
        if is_error {
            *known.codes.entry(found["code"].to_string()).or_default() += 1;
        }
        match (asked.remove(&id), is_error) {
            (Some(text), false) => {
                let id = found["memory"]["id"].as_str().context("an answer has an id")?.to_owned();
                known.acknowledged.push((text, id));
            }
            (Some(text), true) if found["code"] != "outcome_unknown" => _ = known.failed.insert(text),
            (None, false) if last.as_ref().is_some_and(|(text, _)| !answer.contains(text)) => {
                known.stale.push(answer.to_owned());
            }
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn nothing_acknowledged_is_lost_when_servers_and_postgresql_die() -> Result<()> {
    let Some(cluster) = Cluster::start()? else { return Ok(()) };
    let address = PathBuf::from(cluster.address("storm"));
    let (known, stop) = (Arc::new(Mutex::new(Known::default())), Arc::new(AtomicBool::new(false)));
    let slots: Vec<Arc<Slot>> = (0..SERVERS).map(|_| Arc::new(Slot { pid: AtomicU32::new(0) })).collect();
    let servers: Vec<_> = (0..SERVERS)
        .map(|number| {
            let (address, slot, known, stop) =
                (address.clone(), slots[number].clone(), known.clone(), stop.clone());
            thread::spawn(move || run_server(number, &address, &slot, &known, &stop))
        })
        .collect();
    let (start, mut kills, mut crashes) = (Instant::now(), 0_u32, 0);
    while start.elapsed() < RUN_FOR {
        thread::sleep(Duration::from_millis(20));
        if crashes < CRASH_AFTER.len() && start.elapsed() > CRASH_AFTER[crashes] {
            cluster.crash()?;
            cluster.resume()?;
            crashes += 1;
        }
        if start.elapsed() > KILL_EVERY * (kills + 1) {
            let pid = slots[usize::try_from(kills)? % SERVERS].pid.load(Ordering::Relaxed);
            kills += 1;
            if pid != 0 {
                // One that has ended meanwhile cannot be killed.
                Command::new("kill").args(["-9", &pid.to_string()]).output()?;
            }
        }
    }
    stop.store(true, Ordering::Relaxed);
    for server in servers {
        server.join().map_err(|_| anyhow::anyhow!("a client panicked"))??;
    }
    let folder = tempdir()?;
    let file = folder.path().join("storm.db");
    let mut export = Command::new(stdio::limbic_binary()?);
    let exported = export.args(["pages", "export", "--db"]).arg(&address).arg(&file).output()?;
    ensure!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
    let connection = Connection::open(&file)?;
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    ensure!(check == "ok", "{check}");
    let mut statement = connection.prepare("SELECT content FROM memories")?;
    let stored: BTreeSet<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let known = known.lock().unwrap();
    let lost: Vec<_> = known.acknowledged.iter().filter(|(text, _)| !stored.contains(text)).collect();
    let seen: Vec<_> = known.failed.iter().filter(|text| stored.contains(*text)).collect();
    eprintln!(
        "{} acknowledged, {} stored, {kills} kills, {crashes} crashes, failures {:?}",
        known.acknowledged.len(),
        stored.len(),
        known.codes
    );
    ensure!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), known.acknowledged.len());
    ensure!(seen.is_empty(), "these were reported as failed: {seen:?}");
    ensure!(known.stale.is_empty(), "reads before what was acknowledged: {:?}", known.stale);
    ensure!(known.acknowledged.len() > 100, "only {} were stored", known.acknowledged.len());
    Ok(())
}
