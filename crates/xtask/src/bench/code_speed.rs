//! Speed and memory of the code index on a made project of 10,000 files, beside universal-ctags (definitions only) and
//! ripgrep where they are installed.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::memory::memory_of;
use super::server::Server;
use super::table::{Outcome, Table, median, millis, ratio};
use crate::mcp::Client;
use crate::project;
use crate::tools::{Toolbox, say};

/// Number of files, a quarter each in Python, TypeScript, Go and Rust.
const FILES: usize = 10_000;
/// Number of functions of a file: with [`LINES`] they make it 6 KB long, so that the project has 100,000 chunks.
const FUNCTIONS: usize = 10;
/// Number of lines of a function that add to its result.
const LINES: usize = 9;
/// Number of files that a branch switch changes.
const SWITCHED: usize = 500;
/// Number of files, for a rate.
const FILES_INDEXED: f64 = 10_000.0;
/// Interval at which the progress is asked for, which takes 10 to 20 ms of an index of this size.
const PAUSE: Duration = Duration::from_millis(250);
/// Number of repetitions of what takes milliseconds.
const RUNS: usize = 15;

/// The measurements of a server, in milliseconds and megabytes.
struct Measured {
    index: f64,
    sweep: f64,
    saved: f64,
    switched: f64,
    callers: f64,
    search: f64,
    /// The same while the project is watched: no answer is preceded by a comparison of its files.
    watched_callers: f64,
    watched_search: f64,
    /// Before the first index.
    start_megabytes: f64,
    peak_megabytes: f64,
}

/// A row of the table: what is measured, its time, and the name and time of a peer that is installed.
type Row<'a> = (&'a str, fn(&Measured) -> f64, Option<(&'a str, f64)>);

/// Measures the Node server and the native one.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    let folder = project::target().join("bench-code-speed");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let tree = folder.join("made");
    say(&format!("writing {FILES} files"));
    for number in 0..FILES {
        write(&tree, number, 0)?;
    }
    let mut measured = Vec::new();
    for (name, server) in [("node", Server::Node), ("native", Server::Native)] {
        say(&format!("indexing with the {name} server"));
        measured.push(measure(tools, server, &folder, &tree, name)?);
    }
    let ctags = timed(tools, "ctags", &["--recurse", "--output-format=json", "-f", "-"], &tree);
    let ripgrep = timed(tools, "rg", &["--line-number", "--word-regexp", "total_77_3"], &tree);
    let rows: [Row; 8] = [
        ("index", |it| it.index, ctags.map(|it| ("ctags, definitions only", it))),
        ("sweep, nothing changed", |it| it.sweep, None),
        ("search after one saved file", |it| it.saved, None),
        ("sweep, 500 files changed", |it| it.switched, None),
        ("callers of a function", |it| it.callers, ripgrep.map(|it| ("ripgrep, its name", it))),
        ("search_code, words", |it| it.search, ripgrep.map(|it| ("ripgrep, one name", it))),
        ("callers, watched project", |it| it.watched_callers, None),
        ("search_code, watched project", |it| it.watched_search, None),
    ];
    let title = format!("Code index of {FILES} files, {:.0} MB", megabytes(&tree)?);
    let mut table = Table::new(&title, &["what", "node", "native", "peer", "peer's time", "node / peer"]);
    for (what, of, peer) in rows {
        let ours: Vec<f64> = measured.iter().map(of).collect();
        let cells = match peer {
            Some((name, theirs)) => [name.to_owned(), millis(theirs), ratio(ours[0], theirs)],
            None => ["-", "-", "-"].map(str::to_owned),
        };
        let both = ours.iter().map(|it| millis(*it)).collect::<Vec<_>>();
        table.row([vec![what.to_owned()], both, cells.to_vec()].concat());
    }
    let cells = |what: &str, cell: &dyn Fn(&Measured) -> String| {
        [vec![what.to_owned()], measured.iter().map(cell).collect(), vec!["-".to_owned(); 3]].concat()
    };
    table.row(cells("files indexed per second", &|it| format!("{:.0}", 1000.0 * FILES_INDEXED / it.index)));
    table.row(cells("memory before", &|it| format!("{:.0} MB", it.start_megabytes)));
    table.row(cells("peak memory while indexing", &|it| format!("{:.0} MB", it.peak_megabytes)));
    table.note(
        "goals on Node: index 30 s, sweep 1 s, 500 files 3 s, callers 5 ms, search 40 ms, peak 200 MB more",
    );
    let numbers = measured.iter().map(|it| {
        json!({"index_millis": it.index, "sweep_millis": it.sweep, "saved_millis": it.saved,
            "switched_millis": it.switched, "callers_millis": it.callers, "search_millis": it.search,
            "watched_callers_millis": it.watched_callers, "watched_search_millis": it.watched_search,
            "start_megabytes": it.start_megabytes, "peak_megabytes": it.peak_megabytes})
    });
    let numbers =
        json!({"servers": numbers.collect::<Vec<Value>>(), "ctags_millis": ctags, "ripgrep_millis": ripgrep});
    fs::remove_dir_all(&folder)?;
    Ok(Outcome { table, numbers })
}

fn measure(tools: &Toolbox, server: Server, folder: &Path, tree: &Path, name: &str) -> Result<Measured> {
    let root = folder.to_string_lossy();
    let options = ["--no-model", "--toolsets", "code", "--code-root", &root];
    let mut client = server.start(tools, &folder.join(format!("{name}.db")), &options)?;
    client.call("list_projects", json!({}))?;
    let (start_megabytes, _) = memory_of(client.process())?;
    let index = index(&mut client, tree)?;
    let (_, peak_megabytes) = memory_of(client.process())?;
    let sweep = median((0..3).map(|_| self::index(&mut client, tree)).collect::<Result<_>>()?);
    let mut saved = Vec::new();
    for run in 1..=RUNS {
        write(tree, 77, run)?;
        saved.push(search(&mut client, &format!("total_77_3 {run}"))?);
    }
    let callers = time_of_callers(&mut client)?;
    let search = time_of_searches(&mut client)?;
    for number in 0..SWITCHED {
        write(tree, number * (FILES / SWITCHED), RUNS + 1)?;
    }
    let switched = self::index(&mut client, tree)?;
    for number in 0..SWITCHED {
        write(tree, number * (FILES / SWITCHED), 0)?;
    }
    write(tree, 77, 0)?;
    self::index(&mut client, tree)?;
    client.call("index_project", json!({"path": tree, "project_id": "p", "watch": true}))?;
    wait(&mut client)?;
    Ok(Measured {
        index,
        sweep,
        saved: median(saved),
        switched,
        callers,
        search,
        watched_callers: time_of_callers(&mut client)?,
        watched_search: time_of_searches(&mut client)?,
        start_megabytes,
        peak_megabytes,
    })
}

/// The median time of finding the callers of a function.
fn time_of_callers(client: &mut Client) -> Result<f64> {
    let times = (0..RUNS).map(|run| {
        let symbol = format!("p:{}#total_{}_3", path(run * 4), run * 4);
        let answer = call(client, "symbol_graph", json!({"symbol_id": symbol, "action": "callers"}))?;
        ensure!(
            answer.1["edges"].as_array().is_some_and(|edges| !edges.is_empty()),
            "{symbol} has no callers"
        );
        Ok(answer.0)
    });
    Ok(median(times.collect::<Result<_>>()?))
}

/// The median time of a search for words that every function has.
fn time_of_searches(client: &mut Client) -> Result<f64> {
    let times = (0..RUNS).map(|run| search(client, &format!("sum of the rows in part {run}")));
    Ok(median(times.collect::<Result<_>>()?))
}

/// Indexes until nothing waits. Returns milliseconds.
fn index(client: &mut Client, tree: &Path) -> Result<f64> {
    let start = Instant::now();
    client.call("index_project", json!({"path": tree, "project_id": "p"}))?;
    wait(client)?;
    Ok(start.elapsed().as_secs_f64() * 1000.0)
}

/// Waits for the end of an index.
fn wait(client: &mut Client) -> Result<()> {
    loop {
        let status = client.call("get_index_status", json!({"project_id": "p"}))?;
        match status["status"].as_str() {
            Some("completed") => return Ok(()),
            Some("indexing") => std::thread::sleep(PAUSE),
            _ => anyhow::bail!("the index failed: {status}"),
        }
    }
}

fn search(client: &mut Client, query: &str) -> Result<f64> {
    let (millis, answer) = call(client, "search_code", json!({"query": query, "mode": "words"}))?;
    ensure!(answer["count"].as_u64() > Some(0), "{query} finds nothing");
    Ok(millis)
}

fn call(client: &mut Client, tool: &str, arguments: Value) -> Result<(f64, Value)> {
    let start = Instant::now();
    let answer = client.call(tool, arguments)?;
    Ok((start.elapsed().as_secs_f64() * 1000.0, answer))
}

/// The median of three runs of a program in the tree; `None` if it is not installed or fails.
fn timed(tools: &Toolbox, program: &str, arguments: &[&str], tree: &Path) -> Option<f64> {
    let run = |_| {
        let start = Instant::now();
        let mut command = tools.command(program);
        command.args(arguments).arg(".").current_dir(tree).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().ok().filter(std::process::ExitStatus::success)?;
        Some(start.elapsed().as_secs_f64() * 1000.0)
    };
    (0..3).map(run).collect::<Option<Vec<f64>>>().map(median)
}

fn megabytes(tree: &Path) -> Result<f64> {
    let mut bytes = 0;
    for number in 0..FILES {
        bytes += fs::metadata(tree.join(path(number)))?.len();
    }
    Ok(f64::from(u32::try_from(bytes).context("the files are shorter than 4 GB")?) / 1e6)
}

/// The path of a file: a hundred files a folder.
fn path(number: usize) -> String {
    let ending = ["py", "ts", "go", "rs"][number % 4];
    format!("part{}/file{number}.{ending}", number / 100)
}

/// Writes a file whose functions call each other. `version` changes the body of each.
fn write(tree: &Path, number: usize, version: usize) -> Result<()> {
    let mut text = String::new();
    for function in 0..FUNCTIONS {
        let (name, next) = (format!("total_{number}_{function}"), format!("total_{number}_{}", function + 1));
        let last = function + 1 == FUNCTIONS;
        let call = if last { "0".to_owned() } else { format!("{next}(rows)") };
        let doc =
            format!("The sum of the rows in part {} of report {number}, step {function}.", number / 100);
        let (indent, field, factor, end) = [
            ("    ", "amount", "factor", ""),
            ("  ", "amount", "factor", ";"),
            ("\t", "Amount", "Factor", ""),
            ("    ", "amount", "factor", ";"),
        ][number % 4];
        let lines: String = (0..LINES)
            .map(|at| format!("{indent}found += rows[{at}].{field} * rows[{at}].{factor} + {at}{end}\n"))
            .collect();
        let wrote = match number % 4 {
            0 => write!(
                text,
                "def {name}(rows):\n    \"\"\"{doc}\"\"\"\n    found = {version}\n    for row in rows:\n        \
                 found += row.amount * {function}\n{lines}    return found + {call}\n\n\n"
            ),
            1 => write!(
                text,
                "/** {doc} */\nexport function {name}(rows: Row[]): number {{\n  let found = {version};\n  for (const \
                 row of rows) found += row.amount * {function};\n{lines}  return found + {call};\n}}\n\n"
            ),
            2 => write!(
                text,
                "{}// {name} is {doc}\nfunc {name}(rows []Row) int {{\n\tfound := {version}\n\tfor _, row := range rows \
                 {{\n\t\tfound += row.Amount * {function}\n\t}}\n{lines}\treturn found + {call}\n}}\n\n",
                if function == 0 { format!("package part{}\n\n", number / 100) } else { String::new() }
            ),
            _ => write!(
                text,
                "/// {doc}\npub fn {name}(rows: &[Row]) -> u64 {{\n    let mut found = {version};\n    for row in rows \
                 {{\n        found += row.amount * {function};\n    }}\n{lines}    found + {call}\n}}\n\n"
            ),
        };
        wrote.context("a string takes text")?;
    }
    let file = tree.join(path(number));
    fs::create_dir_all(file.parent().context("a file lies in a folder")?)?;
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
}
