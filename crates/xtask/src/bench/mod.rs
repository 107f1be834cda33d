//! `cargo xtask bench`: how fast, how big and how good, beside what one would use instead.

mod encode;
mod filled;
mod memory;
mod peers;
mod recall;
mod retrieval;
mod search;
mod server;
mod sizes;
mod start;
mod table;
mod writes;

use std::fs;

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde_json::{Map, Value};

use crate::build;
use crate::project;
use crate::tools::{Toolbox, say};
use filled::Filled;
use table::Table;

/// What to measure.
#[derive(clap::Args)]
pub struct Arguments {
    /// What to measure; everything when left out
    names: Vec<Name>,
}

/// The measurements.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// From starting the server to its list of tools, and to its first write
    Start,
    /// One entity with one observation, in memories of different sizes
    Writes,
    /// One search, without the encoding of its question
    Search,
    /// Storing, recalling and looking after 100,000 memories
    Recall,
    /// Reading texts of different lengths
    Encode,
    /// The modules that are shipped
    Sizes,
    /// What a server with a loaded model keeps in memory
    Memory,
    /// Whether the right things are found
    Retrieval,
}

/// What a measurement gave: a table to read and its numbers.
pub struct Outcome {
    /// For people.
    pub table: Table,
    /// For programs.
    pub numbers: Value,
}

/// Builds everything that is measured, measures, prints tables and adds the numbers to `target/bench.json`.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tools = build::run()?;
    say("building the native server with all optimisations");
    tools.run("cargo", &["build", "--quiet", "--release", "--package", "limbic-cli", "--bin", "limbic"])?;
    let names = if arguments.names.is_empty() { Name::value_variants() } else { &arguments.names };
    let filled = Filled::new()?;
    let mut outcomes = Vec::new();
    for name in names {
        let label = name.to_possible_value().expect("every name can be given").get_name().to_owned();
        say(&format!("measuring: {label}"));
        let outcome = measure(*name, &tools, &filled)?;
        println!("\n{}", outcome.table);
        outcomes.push((label, outcome.numbers));
    }
    keep(outcomes)
}

fn measure(name: Name, tools: &Toolbox, filled: &Filled) -> Result<Outcome> {
    match name {
        Name::Start => start::run(tools),
        Name::Writes => writes::run(tools, filled),
        Name::Search => search::run(tools, filled),
        Name::Recall => recall::run(tools, filled),
        Name::Encode => encode::run(tools),
        Name::Sizes => sizes::run(tools),
        Name::Memory => memory::run(tools),
        Name::Retrieval => retrieval::run(tools),
    }
}

/// Numbers of measurements that were not made this time stay.
fn keep(outcomes: Vec<(String, Value)>) -> Result<()> {
    let file = project::target().join("bench.json");
    let known = fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str(&text).ok());
    let mut all: Map<String, Value> = known.unwrap_or_default();
    all.extend(outcomes);
    let text = serde_json::to_string_pretty(&Value::Object(all))?;
    fs::write(&file, format!("{text}\n"))
        .with_context(|| format!("could not be written: {}", file.display()))?;
    println!("numbers: {}", file.display());
    Ok(())
}
