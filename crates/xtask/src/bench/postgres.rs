//! Latency of writes and recalls of a memory in PostgreSQL, with added network latency.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use limbic_support::postgres::Cluster;
use serde_json::{Value, json};

use super::bloat::Room;
use super::filled::Filled;
use super::memory::memory_of;
use super::programs::native;
use super::server::Server;
use super::table::{Outcome, Table, median, millis, ratio};
use crate::mcp::Client;
use crate::project;
use crate::setup;
use crate::tools::{self, Toolbox, say};

/// Numbers of memories that are measured by default; 17,000 are 100 MB.
pub const SIZES: [usize; 3] = [10_000, 17_000, 100_000];
/// Added time of a round trip in microseconds; 0 is a connection without the proxy.
const LATENCIES_MICROS: [u64; 3] = [0, 500, 2_000];
/// The last of these in milliseconds.
const MILLIS_FAR: f64 = 2.0;
/// Calls of each kind. Those before them load pages into the server.
const CALLS: Calls = Calls { counted: 41, uncounted: 5 };
/// Servers that are started to measure their first answer. The one before them loads pages into PostgreSQL, for the
/// first column too, which follows the import.
const STARTS: Calls = Calls { counted: 3, uncounted: 1 };
/// Memories that are stored before the room is measured that pages take, twice.
const STORED: usize = 1_000;
/// Pause between two calls, as between the calls of an agent.
const PAUSE: Duration = Duration::from_millis(30);
const SUBJECTS: [&str; 7] = ["harbour", "orchestra", "bicycle", "glacier", "kitchen", "library", "vineyard"];
const OBJECTS: [&str; 8] =
    ["permits", "rainwater", "violins", "brakes", "contracts", "shelves", "antennas", "visitors"];

/// Numbers of calls.
#[derive(Clone, Copy)]
struct Calls {
    counted: usize,
    uncounted: usize,
}

/// Runs the rows for each size: a file first, then PostgreSQL from near to far.
pub fn run(tools: &Toolbox, filled: &Filled, sizes: &[usize]) -> Result<Outcome> {
    let mut tools = tools.clone();
    setup::postgres::ensure(&mut tools)?;
    native(&tools)?;
    let cluster = Cluster::start()?.context(setup::postgres::BY_HAND)?;
    let mut table = Table::new(
        "A memory in PostgreSQL on this machine: median as a client of the native server sees it, words only",
        &["call", "memories", "file", "PostgreSQL", "ratio", "+ 0.5 ms", "+ 2 ms", "round trips"],
    );
    table.note("The added time is that of a round trip, by a proxy between server and PostgreSQL. The ratio is to the file.");
    table.note(
        "The round trips that a call waits for are counted by what 2 ms more for each of them add to it.",
    );
    let mut numbers = json!({});
    for &memories in sizes {
        let file = filled.memories(&tools, memories, "postgres")?;
        let megabytes = fs::metadata(&file)?.len() as f64 / 1e6;
        table.note(&format!("{memories} memories are {megabytes:.0} MB."));
        let database = format!("bench_{memories}");
        cluster.sql("postgres", &format!("CREATE DATABASE {database}"))?;
        let address = cluster.address_in(&database, "bench");
        say("copying it into PostgreSQL");
        let mut import = tools.command(project::target().join("release").join("limbic"));
        tools::run(import.args(["pages", "import", "--db", &address]).arg(&file))?;
        // Otherwise the first servers wait for PostgreSQL to write what was imported.
        cluster.sql("postgres", "CHECKPOINT")?;
        let imported = Room::of(&cluster, &database)?;
        let mut columns = vec![measure(&tools, &file)?];
        for micros in LATENCIES_MICROS {
            let address = match micros {
                0 => address.clone(),
                _ => {
                    let port = proxy(cluster.port(), Duration::from_micros(micros / 2))?;
                    address.replace(&format!(":{}/", cluster.port()), &format!(":{port}/"))
                }
            };
            columns.push(measure(&tools, &PathBuf::from(address))?);
        }
        for (row, label) in
            ["recall", "store", "start of a server until its first recall is answered"].iter().enumerate()
        {
            let [file, near, farther, far] = [0, 1, 2, 3].map(|column: usize| columns[column].millis[row]);
            table.row(vec![
                (*label).to_owned(),
                memories.to_string(),
                millis(file),
                millis(near),
                ratio(near, file),
                millis(farther),
                millis(far),
                format!("{:.0}", (far - near) / MILLIS_FAR),
            ]);
        }
        let places = ["file", "added_0_micros", "added_500_micros", "added_2000_micros"];
        for (place, Measured { millis: [recall, store, start], megabytes }) in places.iter().zip(&columns) {
            numbers[memories.to_string()][place] = json!({
                "recall_millis": recall,
                "store_millis": store,
                "first_recall_millis": start,
                "resident_megabytes": megabytes,
            });
        }
        if let (Some(file), Some(near)) = (columns[0].megabytes, columns[1].megabytes) {
            table.note(&format!("Resident memory of the server: {file:.0} MB on a file, {near:.0} MB here."));
        }
        let (notes, room) = bloat(&tools, &cluster, &database, &address, &imported)?;
        notes.iter().for_each(|note| table.note(note));
        numbers[memories.to_string()]["room"] = room;
    }
    Ok(Outcome { table, numbers })
}

/// Stores memories, and measures what the pages take before and after VACUUM, and after as many stores again.
fn bloat(
    tools: &Toolbox,
    cluster: &Cluster,
    database: &str,
    address: &str,
    imported: &Room,
) -> Result<(Vec<String>, Value)> {
    let (mut notes, mut numbers) = (Vec::new(), json!({}));
    let mut note = |name: &str, label: String, room: &Room| {
        notes.push(format!("{label}: {}", room.shown()));
        numbers[name] = room.numbers();
    };
    note("imported", "The table of pages after the import".to_owned(), imported);
    say(&format!("storing {STORED} memories twice, to measure the room that they take"));
    store_many(tools, address, 0)?;
    let written = Room::of(cluster, database)?;
    let runs = written.autovacuum_runs();
    note(
        "written",
        format!("after the calls above, {STORED} stores more and {runs} runs of autovacuum"),
        &written,
    );
    note("vacuumed", "after VACUUM".to_owned(), &Room::vacuumed(cluster, database)?);
    store_many(tools, address, STORED)?;
    note("written_again", format!("after {STORED} stores more"), &Room::of(cluster, database)?);
    Ok((notes, numbers))
}

fn store_many(tools: &Toolbox, address: &str, first: usize) -> Result<()> {
    let mut client = connect(tools, Path::new(address))?;
    for number in first..first + STORED {
        let content = format!("Entry {number} of the log: {}", question(number));
        client.call("memory_store", json!({"content": content, "subject": "bench"}))?;
    }
    Ok(())
}

/// What is measured of a server.
struct Measured {
    /// Medians of a recall, a write, and the time from its start to its first answer.
    millis: [f64; 3],
    /// Its resident memory after the calls, without the model; `None` where the system does not say.
    megabytes: Option<f64>,
}

fn measure(tools: &Toolbox, database: &Path) -> Result<Measured> {
    let starts = times(STARTS, |number| {
        let mut client = connect(tools, database)?;
        recall(&mut client, number).map(|()| client)
    })?;
    let mut client = connect(tools, database)?;
    let recalls = times(CALLS, |number| recall(&mut client, number))?;
    let stores = times(CALLS, |number| {
        let content = format!("Note {number} after lunch: {}", question(number));
        client.call("memory_store", json!({"content": content, "subject": "bench"})).map(drop)
    })?;
    let megabytes = memory_of(client.process()).ok().map(|(resident, _)| resident);
    Ok(Measured { millis: [median(recalls), median(stores), median(starts)], megabytes })
}

fn connect(tools: &Toolbox, database: &Path) -> Result<Client> {
    Server::Native.start(tools, database, &["--no-model", "--toolsets", "memory,domain"])
}

fn recall(client: &mut Client, number: usize) -> Result<()> {
    let answer = client.call("memory_recall", json!({"query": question(number)}))?;
    let found = answer["memories"].as_array().map_or(0, Vec::len);
    ensure!(found > 0, "nothing was found, and a search without results is quicker: {answer}");
    Ok(())
}

fn question(number: usize) -> String {
    let (subject, object) = (SUBJECTS[number % SUBJECTS.len()], OBJECTS[number % OBJECTS.len()]);
    format!("which {subject} needs {object} in week {}?", number % 53)
}

/// The times of these calls, after uncounted ones, without that to drop what they return.
fn times<T>(
    Calls { counted, uncounted }: Calls,
    mut call: impl FnMut(usize) -> Result<T>,
) -> Result<Vec<f64>> {
    let mut times = Vec::with_capacity(counted);
    for number in 0..uncounted + counted {
        let start = Instant::now();
        let returned = call(number)?;
        if number >= uncounted {
            times.push(since(start));
        }
        drop(returned);
        thread::sleep(PAUSE);
    }
    Ok(times)
}

fn since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

/// Forwards connections to a port of this machine, each byte later by `delay` in each direction. Returns its own port.
fn proxy(to: u16, delay: Duration) -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client whose connection fails reports it.
            let _ = forward_both(&stream, to, delay);
        }
    });
    Ok(port)
}

fn forward_both(client: &TcpStream, to: u16, delay: Duration) -> Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, to))?;
    for stream in [client, &server] {
        stream.set_nodelay(true)?;
    }
    forward(client.try_clone()?, server.try_clone()?, delay);
    forward(server, client.try_clone()?, delay);
    Ok(())
}

fn forward(mut from: TcpStream, to: TcpStream, delay: Duration) {
    let (sender, pieces) = channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || deliver(&pieces, to));
    thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count) = from.read(&mut buffer)
            && count > 0
            && sender.send((Instant::now() + delay, buffer[..count].to_vec())).is_ok()
        {}
    });
}

fn deliver(pieces: &Receiver<(Instant, Vec<u8>)>, mut to: TcpStream) {
    while let Ok((due, piece)) = pieces.recv() {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&piece).is_err() {
            return;
        }
    }
    // The other side may be gone already.
    let _ = to.shutdown(Shutdown::Write);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_calls_are_not_counted() -> Result<()> {
        let mut made = Vec::new();
        let counted = times(STARTS, |number| {
            made.push(number);
            Ok(())
        })?;
        assert_eq!((counted.len(), made), (3, vec![0, 1, 2, 3]));
        Ok(())
    }

    #[test]
    fn the_proxy_changes_nothing() -> Result<()> {
        let echo = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = echo.local_addr()?.port();
        thread::spawn(move || {
            let (mut stream, _) = echo.accept().expect("a client connects");
            let mut reader = stream.try_clone().expect("a stream can be cloned");
            std::io::copy(&mut reader, &mut stream).expect("what comes is sent back");
            stream.shutdown(Shutdown::Write).expect("the stream is open");
        });
        let mut client = TcpStream::connect((Ipv4Addr::LOCALHOST, proxy(port, Duration::from_millis(5))?))?;
        let sent: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let mut writer = client.try_clone()?;
        let whole = sent.clone();
        let writing =
            thread::spawn(move || writer.write_all(&whole).and_then(|()| writer.shutdown(Shutdown::Write)));
        let mut received = Vec::new();
        client.read_to_end(&mut received)?;
        writing.join().expect("the writer does not panic")?;
        assert_eq!(received, sent);
        Ok(())
    }
}
