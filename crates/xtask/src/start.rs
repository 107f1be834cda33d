//! `cargo xtask start`: builds the server, tries it, and says how to use it.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::build;
use crate::mcp::Client;
use crate::project;
use crate::tools::say;

/// None of these words stands in the fact that answers it.
const QUESTION: &str = "Which food must I avoid when I cook for my sister?";

/// Sets up, builds, stores sample facts, asks, and prints the client's settings.
pub fn run() -> Result<()> {
    let tools = build::run()?;
    let folder = project::cache()?.join("sample");
    // The same sample each time: what an earlier run left would change the answer.
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("remove it by hand: {}", folder.display()))?;
    }
    fs::create_dir_all(&folder)?;
    let database = folder.join("memory.db");

    let main = project::node_main();
    say("starting the server on a sample database");
    let mut server = Client::start(tools.command("node").arg(&main).arg("--db").arg(&database))?;
    let greeting = server.initialize()?;
    let listed = server.request("tools/list", json!({}))?;
    let count = listed["tools"].as_array().map_or(0, Vec::len);
    println!(
        "    {} {} offers {count} tools",
        text(&greeting["serverInfo"]["name"]),
        text(&greeting["serverInfo"]["version"])
    );

    say("storing a few facts");
    store(&mut server)?;
    wait_for_embeddings(&mut server)?;

    say(&format!("asking: {QUESTION}"));
    let answer = server.call("search_semantic", json!({"query": QUESTION, "limit": 3, "explain": true}))?;
    print_answer(&answer)?;
    drop(server);

    print_settings(&main);
    Ok(())
}

fn store(server: &mut Client) -> Result<()> {
    let entities = json!([
        {"name": "Marta", "entityType": "person", "observations": [
            "My sibling Marta breaks out in hives from peanuts and shellfish",
            "Marta lives in Lisbon and teaches physics"]},
        {"name": "Tomás", "entityType": "person", "observations": [
            "Tomás plays the cello and prefers mornings for meetings"]},
        {"name": "Harbour project", "entityType": "project", "observations": [
            "The API is written in Rust and deployed on Fridays",
            "Customers complained that the export takes too long"]},
        {"name": "Kitchen", "entityType": "place", "observations": [
            "The oven runs twenty degrees too hot"]},
        {"name": "Bicycle", "entityType": "thing", "observations": [
            "The rear brake squeaks and needs new pads"]}
    ]);
    server.call("create_entities", json!({"entities": entities}))?;
    let relations = json!([
        {"from": "Tomás", "to": "Harbour project", "relationType": "works on"},
        {"from": "Marta", "to": "Tomás", "relationType": "is friends with"}
    ]);
    server.call("create_relations", json!({"relations": relations}))?;
    let observations =
        json!([{"entityName": "Harbour project", "contents": ["The deadline moved to March"]}]);
    server.call("add_observations", json!({"observations": observations}))?;
    println!("    5 entities, 8 observations, 2 relations");
    Ok(())
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
        if start.elapsed() > Duration::from_secs(60) {
            bail!("the encoder did not get through the facts within a minute: {answer}");
        }
        thread::sleep(Duration::from_millis(100));
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
        for observation in result["observations"].as_array().into_iter().flatten() {
            println!("              {}", text(observation));
        }
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
