//! `cargo xtask bench`: measures latency, size and retrieval quality, with alternatives for comparison.

mod answers;
#[cfg(unix)]
mod bloat;
mod code;
mod code_memories;
mod code_replay;
mod code_search;
mod code_speed;
mod encode;
mod encryption;
mod filled;
mod locks;
mod memory;
mod pages;
mod peers;
#[cfg(unix)]
mod postgres;
mod programs;
mod recall;
mod retrieval;
mod search;
mod server;
mod session;
mod sizes;
mod start;
mod table;
mod writes;

use std::fs;

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde_json::{Map, Value};

use crate::project;
use crate::tools::{Toolbox, say};
use filled::Filled;
use programs::servers;
use table::Outcome;

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Arguments {
    /// Benchmarks to run [default: all]
    names: Vec<Name>,
    /// With `code`: compare an updated index with a fresh one after each of 50 commits, instead of scoring relations
    #[arg(long)]
    replay: bool,
    /// With `writes`: numbers of entities [default: 1000,10000,50000]; with `postgres` and `pages`: numbers of
    /// memories [default: 10000,17000,100000 and 10000,100000]
    #[arg(long, value_delimiter = ',', value_name = "COUNT")]
    sizes: Vec<usize>,
}

impl Arguments {
    fn sizes_or<'a>(&'a self, default: &'a [usize]) -> &'a [usize] {
        if self.sizes.is_empty() { default } else { &self.sizes }
    }
}

/// The measurements.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Time from starting the server to its list of tools and to its first write, and time until it has ended
    Start,
    /// Latency of the reference server's tools, and time until the server has ended, at different database sizes
    Writes,
    /// Time that locks shared between processes add to a write
    Locks,
    /// Latency of a search without the encoding of its query
    Search,
    /// Latency of storing, recalling and maintaining 100,000 memories
    Recall,
    /// Memories that the hook for prompts offers in a scripted session, their tokens, and the time that they take
    Session,
    /// Time that encryption adds to storing, recalling and opening memories
    Encryption,
    /// Time to encode texts of different lengths
    Encode,
    /// Sizes of the shipped modules
    Sizes,
    /// Resident memory of a server with a loaded model
    Memory,
    /// Retrieval quality on public data sets
    Retrieval,
    /// Evidence per token of recall, and with LIMBIC_LLM_URL a language model's answers, on LoCoMo
    Answers,
    /// Definitions and calls of the code index, on public repositories
    Code,
    /// States of memories linked to functions, over the releases of public packages
    CodeMemories,
    /// Speed and memory of the code index on 10,000 files, beside universal-ctags and ripgrep
    CodeSpeed,
    /// Search of source code, by each signal and by both
    CodeSearch,
    /// Bytes and round trips of calls on a simulated store, with other sizes of a page and of the cache
    Pages,
    /// Writes and recalls of a memory in PostgreSQL, at different distances, and the room that its pages take
    #[cfg(unix)]
    Postgres,
}

impl Name {
    /// Whether it measures what [`servers`] builds; the others build what they need.
    fn needs_servers(self) -> bool {
        #[cfg(unix)]
        if self == Name::Postgres {
            return false;
        }
        !matches!(
            self,
            Name::Answers | Name::Code | Name::CodeMemories | Name::CodeSearch | Name::Locks | Name::Pages
        )
    }
}

/// Builds, runs the benchmarks, prints tables and merges the numbers into `target/bench.json`.
pub fn run(arguments: &Arguments) -> Result<()> {
    let names = if arguments.names.is_empty() { Name::value_variants() } else { &arguments.names };
    let needs_servers = names.iter().any(|name| name.needs_servers());
    let tools = if needs_servers { servers()? } else { Toolbox::new() };
    let filled = Filled::new()?;
    let mut outcomes = Vec::new();
    for name in names {
        let mut label = name.to_possible_value().expect("every name can be given").get_name().to_owned();
        if *name == Name::Code && arguments.replay {
            label.push_str("-replay");
        }
        say(&format!("measuring: {label}"));
        let outcome = measure(*name, arguments, &tools, &filled)?;
        println!("\n{}", outcome.table);
        outcomes.push((label, outcome.numbers));
    }
    keep(outcomes)
}

fn measure(name: Name, arguments: &Arguments, tools: &Toolbox, filled: &Filled) -> Result<Outcome> {
    match name {
        Name::Start => start::run(tools),
        Name::Writes => writes::run(tools, filled, arguments.sizes_or(&writes::SIZES)),
        Name::Locks => locks::run(tools),
        Name::Search => search::run(tools, filled),
        Name::Recall => recall::run(tools, filled),
        Name::Session => session::run(tools),
        Name::Encryption => encryption::run(tools, filled),
        Name::Encode => encode::run(tools),
        Name::Sizes => sizes::run(tools),
        Name::Memory => memory::run(tools),
        Name::Retrieval => retrieval::run(tools),
        Name::Answers => answers::run(tools),
        Name::Code if arguments.replay => code_replay::run(tools),
        Name::Code => code::run(tools),
        Name::CodeMemories => code_memories::run(tools),
        Name::CodeSearch => code_search::run(tools),
        Name::CodeSpeed => code_speed::run(tools),
        Name::Pages => pages::run(tools, filled, arguments.sizes_or(&pages::SIZES)),
        #[cfg(unix)]
        Name::Postgres => postgres::run(tools, filled, arguments.sizes_or(&postgres::SIZES)),
    }
}

/// Keeps the numbers of benchmarks that were not run.
fn keep(outcomes: Vec<(String, Value)>) -> Result<()> {
    let file = project::target().join("bench.json");
    let known = fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str(&text).ok());
    let mut all: Map<String, Value> = known.unwrap_or_default();
    all.extend(outcomes);
    let text = serde_json::to_string_pretty(&Value::Object(all))?;
    fs::write(&file, format!("{text}\n")).with_context(|| format!("cannot write {}", file.display()))?;
    println!("numbers: {}", file.display());
    Ok(())
}
