//! `cargo xtask start`: builds the server, tries it, says how to use it, and opens the explorer on it.

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

/// The longest wait for the sample's embeddings: the encoder reads some thirty texts a second.
const PATIENCE: Duration = Duration::from_secs(600);

/// Answered by a fact that says it in other words.
const QUESTION: &str = "Does the siren ring when the internet is down?";

/// Sets up, builds, asks a sample memory, prints the client's settings and serves the explorer until Ctrl-C: on that
/// sample, or on the database named.
pub fn run(database: Option<PathBuf>) -> Result<()> {
    let tools = build::run()?;
    let main = project::node_main();
    let sample = sample(&tools, &main)?;
    print_settings(&main);
    let shown = database.unwrap_or(sample);
    say(&format!("serving the explorer on {}; Ctrl-C ends it", shown.display()));
    let mut server = tools.command("node");
    // Nobody speaks MCP on its input, so the page alone keeps it.
    tools::run(server.arg(&main).arg("--ui").arg("--db").arg(&shown).stdin(Stdio::null()))
}

/// Makes the sample memory anew, since an earlier run may have changed it, and asks it something.
fn sample(tools: &Toolbox, main: &Path) -> Result<PathBuf> {
    let folder = project::cache()?.join("sample");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("remove it by hand: {}", folder.display()))?;
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
    wait_for_embeddings(&mut server)?;

    say(&format!("asking: {QUESTION}"));
    let answer = server.call("search_semantic", json!({"query": QUESTION, "limit": 3, "explain": true}))?;
    print_answer(&answer)?;
    Ok(database)
}

/// Embeddings are made in the background; a search says how many are outstanding.
fn wait_for_embeddings(server: &mut Client) -> Result<()> {
    let start = Instant::now();
    loop {
        // A search that can find nothing: one that found something would count as use of it.
        let arguments = json!({"query": "anything", "entity_type": "no such type"});
        let answer = server.call("search_semantic", arguments)?;
        if answer["pending_embeddings"] == json!(0) {
            println!("    embedded after {:.1} s", start.elapsed().as_secs_f64());
            return Ok(());
        }
        if start.elapsed() > PATIENCE {
            bail!("the encoder did not get through the facts in time: {answer}");
        }
        thread::sleep(Duration::from_millis(500));
    }
}

fn print_answer(answer: &Value) -> Result<()> {
    let results = answer["results"].as_array().context("search_semantic answered without results")?;
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
        bail!("the search found nothing by meaning: {answer}");
    }
    Ok(())
}

/// What the score is made of: signals with their shares, then the factors of use and time.
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
    println!("              because: {}", signals.join(", "));
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
    println!("It works. For your MCP client's settings (Claude Desktop, Cursor and most others):");
    println!();
    println!("{settings:#}");
    println!();
    println!("Claude Code: claude mcp add limbic -- node {}", main.display());
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
