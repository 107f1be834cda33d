//! Measures the traffic between a server and a store of pages, with other sizes of a page and of the cache.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::encode::answer;
use super::filled::Filled;
use super::programs::native;
use super::table::{Outcome, Table};
use crate::project;
use crate::tools::{Toolbox, say};

/// Numbers of memories that are measured by default.
pub const SIZES: [usize; 2] = [10_000, 100_000];
/// The pages and caches that are compared: each page size with the default cache, then the other caches.
const COMPARED: [[&str; 2]; 2] = [["4,8,16", "256MB"], ["4", "64MB,128MB,512MB,1024MB"]];
/// The calls, by their names in what the program prints.
const CALLS: [&str; 4] = ["first_recall", "recall", "store", "recall_after_another_store"];

/// Runs the rows for each size.
pub fn run(tools: &Toolbox, filled: &Filled, sizes: &[usize]) -> Result<Outcome> {
    native(tools)?;
    let mut table = Table::new(
        "Calls on a simulated store of pages: round trips and kilobytes that it reads and writes",
        &["memories", "page", "cache", "trip", "first recall", "recall", "store", "after another's"],
    );
    table
        .note("Means of 40 calls with vectors of the test encoder; the first recall is one, with the start.");
    table.note("after another's: a recall after another server's store.");
    let mut numbers = json!({});
    for &memories in sizes {
        let file = filled.memories(tools, memories, "pages")?;
        let mut rows = Vec::new();
        for [pages, caches] in COMPARED {
            rows.extend(compare(tools, &file, pages, caches)?);
        }
        for row in &rows {
            table.row(cells(memories, row)?);
        }
        numbers[memories.to_string()] = Value::Array(rows);
    }
    Ok(Outcome { table, numbers })
}

fn compare(tools: &Toolbox, file: &Path, pages: &str, caches: &str) -> Result<Vec<Value>> {
    say(&format!("pages of {pages} kB with a cache of {caches}"));
    let program = project::target().join("release").join("limbic");
    let file = file.to_str().context("the project's folder must be named in valid text")?;
    let arguments = ["bench", "pages", "--db", file, "--page-kilobytes", pages, "--caches", caches];
    let printed = answer(tools, &program.to_string_lossy(), &arguments)?;
    printed.as_array().cloned().with_context(|| format!("limbic bench pages printed {printed}"))
}

fn cells(memories: usize, row: &Value) -> Result<Vec<String>> {
    let text = |name: &str| row[name].to_string().trim_matches('"').to_owned();
    let mut cells = vec![
        memories.to_string(),
        format!("{} kB", text("page_kilobytes")),
        text("cache"),
        format!("{} µs", text("trip_micros")),
    ];
    for call in CALLS {
        let number = |what: &str| row[call][what].as_f64().with_context(|| format!("{call} has no {what}"));
        let moved = number("read_kilobytes")? + number("written_kilobytes")?;
        cells.push(format!("{:.1}, {moved:.0} kB", number("trips")?));
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_trips_and_kilobytes_of_each_call() -> Result<()> {
        let call = |trips: f64| json!({"trips": trips, "read_kilobytes": 64.0, "written_kilobytes": 32.0});
        let row = json!({
            "page_kilobytes": 8, "cache": "256MB", "trip_micros": 2_000, "first_recall": call(100.0),
            "recall": call(1.5), "store": call(4.0), "recall_after_another_store": call(2.0),
        });
        let expected =
            ["10", "8 kB", "256MB", "2000 µs", "100.0, 96 kB", "1.5, 96 kB", "4.0, 96 kB", "2.0, 96 kB"];
        assert_eq!(cells(10, &row)?, expected);
        assert!(cells(10, &json!({})).is_err());
        Ok(())
    }
}
