//! Measures the traffic between a server and a store of pages: bytes and round trips of calls, by the sizes of a page
//! and of the cache.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::OpenFlags;
use limbic_encoder::Encoder;
use limbic_memory::files;
use limbic_memory::host::SystemHost;
use limbic_memory::location::Location;
use limbic_pages::metered::{Meter, Metered, Traffic};
use limbic_pages::simulated::{Faults, SimulatedServer};
use limbic_pages::{CacheSize, PAGE_BYTES, PageStore, PagesHost};
use limbic_tools::{Limbic, Options};
use limbic_vfs::Access;
use serde_json::{Value, json};

use super::{data, fill};

/// Number of calls of each kind after the first one.
const CALLS: usize = 40;
/// The path that names the simulated store's database.
const PATH: &str = "replayed";

/// The settings to compare: every page size with every cache and every distance.
pub struct Plan {
    /// Sizes of a page in kilobytes.
    pub page_kilobytes: Vec<usize>,
    /// Sizes of the cache, as in an address.
    pub caches: Vec<String>,
    /// Times of a round trip in microseconds.
    pub trip_micros: Vec<u64>,
}

/// Moves a copy of the database into a simulated store for each combination, and returns for each what is moved by the
/// first recall of a new server, by later ones, by a store, and by a recall after the store of another server.
pub fn run(db: &Path, plan: &Plan) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let mut rows = Vec::new();
    for kilobytes in &plan.page_kilobytes {
        let page_bytes = kilobytes * 1_024;
        ensure!(
            page_bytes.is_multiple_of(PAGE_BYTES) && page_bytes.is_power_of_two() && page_bytes <= 65_536,
            "--page-kilobytes must be 4, 8, 16, 32 or 64, but got {kilobytes}"
        );
        let content = with_pages_of(db, &folder.path().join("copy.db"), page_bytes)?;
        for cache in &plan.caches {
            let cache_size = CacheSize::parse(cache)
                .with_context(|| format!("--caches must be {}, but got {cache:?}", CacheSize::EXPECTED))?;
            for micros in &plan.trip_micros {
                eprintln!("pages of {kilobytes} kB, a cache of {cache}, round trips of {micros} µs");
                let store = Replayed::new(&content, page_bytes, cache_size, Duration::from_micros(*micros))?;
                let [first, recall, write, after_another] = store.measure()?;
                rows.push(json!({
                    "page_kilobytes": kilobytes,
                    "cache": cache,
                    "trip_micros": micros,
                    "database_bytes": content.len(),
                    "first_recall": first,
                    "recall": recall,
                    "store": write,
                    "recall_after_another_store": after_another,
                }));
            }
        }
    }
    Ok(Value::Array(rows))
}

/// Returns the content of a copy that has pages of this size.
fn with_pages_of(db: &Path, copy: &Path, page_bytes: usize) -> Result<Vec<u8>> {
    fs::copy(db, copy).with_context(|| format!("{} cannot be copied", db.display()))?;
    let connection = files::connect(&Location::File(copy.to_owned()), false, false)?;
    connection.execute_batch(&format!("PRAGMA page_size = {page_bytes}; VACUUM"))?;
    let found: usize = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    ensure!(found == page_bytes, "the copy has pages of {found} bytes, not {page_bytes}");
    drop(connection);
    Ok(fs::read(copy)?)
}

/// A simulated store with a memory.
struct Replayed {
    server: SimulatedServer,
    meter: Meter,
    group: u64,
    cache_size: CacheSize,
    trip: Duration,
}

impl Replayed {
    fn new(content: &[u8], page_bytes: usize, cache_size: CacheSize, trip: Duration) -> Result<Replayed> {
        let server = SimulatedServer::new(1, Faults::default());
        let mut rest = content;
        limbic_pages::import(&mut *server.connect(), &mut rest, &mut |_| false, &mut || Ok(()))?;
        let group = u64::try_from(page_bytes / PAGE_BYTES)?;
        Ok(Replayed { server, meter: Meter::default(), group, cache_size, trip })
    }

    /// A server that has just started.
    fn start(&self) -> Result<Limbic> {
        let (server, meter, group, trip) = (self.server.clone(), self.meter.clone(), self.group, self.trip);
        let connect = move || {
            let store = Metered::new(server.connect(), meter.clone(), group, trip);
            Ok(Box::new(store) as Box<dyn PageStore>)
        };
        let host = PagesHost::new(PATH, connect).with_cache(self.cache_size);
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_WRITE;
        let connection = limbic_vfs::connect(PATH, flags, host, Access::default())?;
        Ok(Limbic::open(connection, Box::new(SystemHost), Options::default())?)
    }

    /// The first recall of a server, with its start; the mean of later ones, of stores, and of recalls after the store
    /// of another server.
    fn measure(&self) -> Result<[Value; 4]> {
        let encoder = Encoder::test();
        let before = self.meter.traffic();
        let mut server = self.start()?;
        recall(&mut server, &encoder, 0)?;
        let first = per_call(self.meter.traffic() - before, 1);
        let recalls = self.mean(|number| recall(&mut server, &encoder, number))?;
        let stores = self.mean(|number| store(&mut server, number))?;
        let mut other = self.start()?;
        recall(&mut other, &encoder, 0)?;
        let mut after_another = Traffic::default();
        for number in 0..CALLS {
            store(&mut other, CALLS + number)?;
            let before = self.meter.traffic();
            recall(&mut server, &encoder, number)?;
            let Traffic { trips, read_bytes, written_bytes } = self.meter.traffic() - before;
            after_another.trips += trips;
            after_another.read_bytes += read_bytes;
            after_another.written_bytes += written_bytes;
        }
        Ok([first, recalls, stores, per_call(after_another, CALLS)])
    }

    fn mean(&self, mut call: impl FnMut(usize) -> Result<()>) -> Result<Value> {
        let before = self.meter.traffic();
        (0..CALLS).try_for_each(&mut call)?;
        Ok(per_call(self.meter.traffic() - before, CALLS))
    }
}

fn recall(server: &mut Limbic, encoder: &Encoder, number: usize) -> Result<()> {
    let arguments = json!({"query": fill::question(number)});
    let encodings = encoder.encode(&server.texts("memory_recall", &arguments.to_string()));
    let answer = data::call(server, "memory_recall", &arguments, &encodings)?;
    let found = answer["memories"].as_array().map_or(0, Vec::len);
    ensure!(found > 0, "nothing was found, and a search without results reads less: {answer}");
    Ok(server.finish()?)
}

fn store(server: &mut Limbic, number: usize) -> Result<()> {
    let content = format!("Note {number} after lunch: {}", fill::question(number));
    data::call(server, "memory_store", &json!({"content": content, "subject": "bench"}), &[])?;
    Ok(server.finish()?)
}

fn per_call(traffic: Traffic, calls: usize) -> Value {
    let mean = |count: u64| count as f64 / calls as f64;
    json!({
        "trips": mean(traffic.trips),
        "read_kilobytes": mean(traffic.read_bytes) / 1_024.0,
        "written_kilobytes": mean(traffic.written_bytes) / 1_024.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_pages_are_read_and_written_as_a_whole() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let db = folder.path().join("memory.db");
        crate::bench::fill_memories::run(&db, 300)?;
        let plan =
            |page_kilobytes| Plan { page_kilobytes, caches: vec!["16MB".to_owned()], trip_micros: vec![0] };
        let rows = run(&db, &plan(vec![4, 16]))?;
        let number = |row: usize, call: &str, what: &str| rows[row][call][what].as_f64().unwrap_or(f64::NAN);
        for (row, page_kilobytes) in [(0, 4.0), (1, 16.0)] {
            assert!(number(row, "first_recall", "trips") > 1.0, "{rows}");
            assert!(number(row, "store", "written_kilobytes") >= 2.0 * page_kilobytes, "{rows}");
            assert!(number(row, "recall_after_another_store", "read_kilobytes") >= page_kilobytes, "{rows}");
        }
        let refused =
            |plan: &Plan| run(&db, plan).map_or_else(|error| error.to_string(), |rows| rows.to_string());
        assert!(refused(&plan(vec![6])).contains("--page-kilobytes must be 4, 8, 16"));
        let no_cache = Plan { caches: vec!["all".to_owned()], ..plan(vec![4]) };
        assert!(refused(&no_cache).contains("--caches must be a whole number with MB or GB"));
        Ok(())
    }
}
