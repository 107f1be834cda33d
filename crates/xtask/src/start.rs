//! `cargo xtask start`: builds the server, tests it on a sample memory, prints the client settings, serves the
//! explorer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::build;
use crate::mcp::Client;
use crate::project;
use crate::tools::{self, Toolbox, say};

/// Timeout for the sample's embeddings. The encoder embeds about thirty texts a second.
const EMBEDDING_TIMEOUT: Duration = Duration::from_secs(600);

/// Answered by a fact of the sample that shares no content word with it.
pub const QUESTION: &str = "Does the siren ring when the internet is down?";

/// Sets up, builds, searches a sample memory, prints the client settings and serves the explorer until Ctrl-C, on
/// `database` or on the sample.
pub fn run(database: Option<PathBuf>) -> Result<()> {
    let tools = build::run()?;
    let main = project::node_main();
    let sample = sample(&tools, &main)?;
    print_settings(&main);
    let shown = database.unwrap_or(sample);
    say(&format!("serving the explorer on {}; press Ctrl-C to stop", shown.display()));
    let mut server = tools.command("node");
    // Without a client on standard input, the server runs until it is interrupted.
    tools::run(server.arg(&main).arg("--ui").arg("--db").arg(&shown).stdin(Stdio::null()))
}

/// Creates the sample memory, replacing that of an earlier run, and searches it. Returns its file.
pub fn sample(tools: &Toolbox, main: &Path) -> Result<PathBuf> {
    let folder = project::cache()?.join("sample");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot remove {}; remove it by hand", folder.display()))?;
    }
    fs::create_dir_all(&folder)?;
    let (export, database) = (folder.join("sample.jsonl"), folder.join("memory.db"));
    tools::run(tools.command("node").arg(project::path("web/sample/build.mjs")).arg(&export))?;

    say("starting the server on a sample memory");
    let mut server = Client::start(tools.command("node").arg(main).arg("--db").arg(&database))?;
    let greeting = server.initialize()?;
    let listed = server.request("tools/list", json!({}))?;
    let count = listed["tools"].as_array().map_or(0, Vec::len);
    println!(
        "    {} {} offers {count} tools",
        text(&greeting["serverInfo"]["name"]),
        text(&greeting["serverInfo"]["version"])
    );
    let answer = server.call("migrate", json!({"source_path": export}))?;
    println!("    {} entities, {} relations", answer["entities_imported"], answer["relations_imported"]);
    wait_for_embeddings(|tool, arguments| server.call(tool, arguments))?;

    say(&format!("searching: {QUESTION}"));
    let answer = server.call("search_semantic", json!({"query": QUESTION, "limit": 3, "explain": true}))?;
    print_answer(&answer)?;
    Ok(database)
}

/// Waits until the embedding queue is empty. `call` calls a tool of the server.
///
/// # Errors
/// When a call fails, and when embeddings are still pending after [`EMBEDDING_TIMEOUT`].
fn wait_for_embeddings(mut call: impl FnMut(&str, Value) -> Result<Value>) -> Result<()> {
    let start = Instant::now();
    loop {
        // Only reads: searches of other tools are logged, and would appear in the sample's timeline.
        let answer = call("search_reflections", json!({"query": "sample", "limit": 1}))?;
        if answer["pending_embeddings"] == json!(0) {
            println!("    embedded after {:.1} s", start.elapsed().as_secs_f64());
            return Ok(());
        }
        if start.elapsed() > EMBEDDING_TIMEOUT {
            bail!("embeddings are still pending after {} s: {answer}", EMBEDDING_TIMEOUT.as_secs());
        }
        thread::sleep(Duration::from_millis(500));
    }
}

pub fn print_answer(answer: &Value) -> Result<()> {
    let results = answer["results"].as_array().context("search_semantic returned no `results`")?;
    for (index, result) in results.iter().enumerate() {
        let score = result["limbic_score"].as_f64().unwrap_or_default();
        println!(
            "    {}. {:.3}  {} ({})",
            index + 1,
            score,
            text(&result["name"]),
            text(&result["entityType"])
        );
        println!("              {}", text(&result["explanation"]["best_observation"]));
        print_reasons(result);
    }
    if results.is_empty() || answer["mode"] != json!("hybrid") {
        bail!("the semantic search returned nothing: {answer}");
    }
    Ok(())
}

/// Prints the signals of a result with their shares, then the factors of use and time.
fn print_reasons(result: &Value) {
    let explanation = &result["explanation"];
    let signals = ["vector", "late", "lexical"].map(|name| {
        let signal = &explanation[name];
        match signal["value"].as_f64() {
            Some(value) => {
                format!("{name} {value:.3} (share {:.3})", signal["share"].as_f64().unwrap_or_default())
            }
            None => format!("{name} -"),
        }
    });
    println!("              signals: {}", signals.join(", "));
    let scoring = &result["scoring"];
    println!(
        "              factors: importance {}, time {}, together {}",
        scoring["importance"], scoring["temporal_factor"], scoring["cooc_boost"]
    );
}

fn print_settings(main: &Path) {
    let settings =
        json!({"mcpServers": {"limbic": {"command": "node", "args": [main.display().to_string()]}}});
    println!();
    println!("The server works. Settings for your MCP client (Claude Desktop, Cursor and most others):");
    println!();
    println!("{settings:#}");
    println!();
    println!("Claude Code: claude mcp add limbic -- node {}", main.display());
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// That this tool logs no search is shown by the transcript `explorer/timeline`.
    #[test]
    fn waiting_for_embeddings_calls_only_a_tool_that_logs_no_search() {
        let mut calls = Vec::new();
        wait_for_embeddings(|tool, _| {
            calls.push(tool.to_owned());
            Ok(json!({"pending_embeddings": u8::from(calls.len() < 2)}))
        })
        .expect("the queue is empty at the second call");
        assert_eq!(calls, ["search_reflections", "search_reflections"]);
    }
}
