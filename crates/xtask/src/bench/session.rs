//! A scripted session over the project `code` of the sample memory: which memories the hook for prompts offers unasked,
//! what they cost in tokens, and how long a prompt waits for them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::server::node;
use super::table::{Outcome, Table, median, millis, ratio};
use crate::mcp::Client;
use crate::project;
use crate::tools::{self, Toolbox};

/// One line a turn: the prompt, and the ids of memories that its answer should take into account.
const TURNS: &str = include_str!("session.jsonl");
/// The domain of the sample memory that is the session's project.
const PROJECT: &str = "code";
/// Characters of a token, by convention.
const CHARS_PER_TOKEN: usize = 4;

struct Turn {
    prompt: String,
    relevant: BTreeSet<String>,
}

impl Turn {
    fn read(line: &str) -> Result<Self> {
        let turn: Value = serde_json::from_str(line).with_context(|| format!("not JSON: {line}"))?;
        let prompt = turn["prompt"].as_str().with_context(|| format!("no prompt: {line}"))?.to_owned();
        let relevant = turn["relevant"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(Self { prompt, relevant: relevant.map(str::to_owned).collect() })
    }
}

/// The output of the hook for one prompt.
struct Offered {
    ids: BTreeSet<String>,
    tokens: usize,
    millis: f64,
}

/// Runs the hook for each prompt as a process, by the command that `hook install` writes, without a model: by words.
/// Before each of them Node starts alone, so that both have the same share of a busy machine.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    let folder = project::target().join("bench-session");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let working_directory = folder.join(PROJECT);
    fs::create_dir_all(&working_directory)?;
    let database = sample(tools, &folder)?;
    let turns: Vec<Turn> = TURNS.lines().map(Turn::read).collect::<Result<_>>()?;
    let ask = |turn: &Turn| prompt(tools, &database, &working_directory, &turn.prompt);
    let mut totals = Totals::default();
    let (mut waits, mut bare) = (Vec::new(), Vec::new());
    let (mut served, mut bare_served) = (Vec::new(), Vec::new());
    let start_alone = || Ok::<_, anyhow::Error>(timed(node(tools).args(["-e", ""]), "")?.1);
    for turn in &turns {
        bare.push(start_alone()?);
        let offered = ask(turn)?;
        totals.add(turn, &offered);
        waits.push(offered.millis);
    }
    let mut server = start(tools, &database)?;
    // The server runs its first call when it has opened the database.
    server.call("memory_list", json!({"limit": 1}))?;
    for turn in &turns {
        bare_served.push(start_alone()?);
        served.push(ask(turn)?.millis);
    }
    drop(server);
    fs::remove_dir_all(&folder)?;
    let alone = Wait { hook: median(waits), bare: median(bare) };
    let served = Wait { hook: median(served), bare: median(bare_served) };
    Ok(outcome(&totals, &alone, &served))
}

/// Median durations in milliseconds: of the hook, and of the start of Node alone.
struct Wait {
    hook: f64,
    bare: f64,
}

/// Sums over all turns.
#[derive(Default)]
struct Totals {
    turns: usize,
    /// Turns with a relevant memory, and those in which one was offered.
    wanting: usize,
    helped: usize,
    relevant: usize,
    offered: usize,
    /// Relevant memories that were offered.
    found: usize,
    tokens: usize,
}

impl Totals {
    fn add(&mut self, turn: &Turn, offered: &Offered) {
        let found = turn.relevant.intersection(&offered.ids).count();
        self.turns += 1;
        self.wanting += usize::from(!turn.relevant.is_empty());
        self.helped += usize::from(found > 0);
        self.relevant += turn.relevant.len();
        self.offered += offered.ids.len();
        self.found += found;
        self.tokens += offered.tokens;
    }
}

fn outcome(totals: &Totals, alone: &Wait, served: &Wait) -> Outcome {
    let mut table = Table::new(
        &format!("A session of {} prompts over the sample project, hook for prompts, by words", totals.turns),
        &["what", "measured", "with a server"],
    );
    let mut row = |what: &str, measured: String| table.row(vec![what.to_owned(), measured, String::new()]);
    row("turns that have a relevant memory", totals.wanting.to_string());
    row("turns in which one was offered", totals.helped.to_string());
    row("relevant memories", totals.relevant.to_string());
    row("of them offered", totals.found.to_string());
    row("memories offered", totals.offered.to_string());
    row("tokens of the session", totals.tokens.to_string());
    row("tokens a turn", (totals.tokens / totals.turns.max(1)).to_string());
    let mut both =
        |what: &str, alone: String, served: String| table.row(vec![what.to_owned(), alone, served]);
    both("start of Node alone, median", millis(alone.bare), millis(served.bare));
    both("time added to a prompt, median", millis(alone.hook), millis(served.hook));
    both("time added : start of Node", ratio(alone.hook, alone.bare), ratio(served.hook, served.bare));
    table.note("A token is four characters. Which memories are relevant was judged by hand (session.jsonl).");
    let numbers = json!({
        "turns": totals.turns, "wanting": totals.wanting, "helped": totals.helped,
        "relevant": totals.relevant, "found": totals.found, "offered": totals.offered,
        "tokens": totals.tokens, "hook_millis": alone.hook, "node_millis": alone.bare,
        "served_hook_millis": served.hook, "served_node_millis": served.bare,
    });
    Outcome { table, numbers }
}

/// Fills a memory with the sample and trusts it, as a person does who imported it.
fn sample(tools: &Toolbox, folder: &Path) -> Result<PathBuf> {
    let (export, database) = (folder.join("sample.jsonl"), folder.join("memory.db"));
    tools::run(tools.command("node").arg(project::path("web/sample/build.mjs")).arg(&export))?;
    let mut server = start(tools, &database)?;
    let answer = server.call("migrate", json!({"source_path": export}))?;
    let origin = answer["origin"].as_str().context("the import has no origin")?;
    let trust = ["inbox", "trust", origin, "--db"];
    tools::run(tools.command("node").arg(project::node_main()).args(trust).arg(&database))?;
    Ok(database)
}

/// Starts a server without a model.
fn start(tools: &Toolbox, database: &Path) -> Result<Client> {
    let mut command = node(tools);
    let mut server =
        Client::start(command.arg(project::node_main()).args(["--no-model", "--db"]).arg(database))?;
    server.initialize()?;
    Ok(server)
}

fn prompt(tools: &Toolbox, database: &Path, working_directory: &Path, prompt: &str) -> Result<Offered> {
    let event = json!({
        "session_id": "bench", "hook_event_name": "UserPromptSubmit", "cwd": working_directory, "prompt": prompt,
    });
    let mut command = node(tools);
    command.arg(project::node_hook()).args(["user-prompt-submit", "--db"]).arg(database);
    let (answer, millis) = timed(&mut command, &event.to_string())?;
    let text = match answer.trim() {
        "" => String::new(),
        answer => serde_json::from_str::<Value>(answer)?["hookSpecificOutput"]["additionalContext"]
            .as_str()
            .with_context(|| format!("no additionalContext in {answer}"))?
            .to_owned(),
    };
    let ids = ids(&text)?;
    Ok(Offered { ids, tokens: text.chars().count() / CHARS_PER_TOKEN, millis })
}

/// The ids of the memories in the marked JSON block; none in an empty text.
fn ids(text: &str) -> Result<BTreeSet<String>> {
    let Some((_, block)) = text.split_once("\n[") else { return Ok(BTreeSet::new()) };
    let end = block.find("]\n</memories ").context("the block of memories has no end")?;
    let memories: Vec<Value> = serde_json::from_str(&format!("[{}]", &block[..end]))?;
    Ok(memories.iter().filter_map(|memory| memory["id"].as_str()).map(str::to_owned).collect())
}

/// Runs a command with this input. Returns its output, and its duration in milliseconds.
fn timed(command: &mut Command, input: &str) -> Result<(String, f64)> {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    child.stdin.take().context("the input was piped")?.write_all(input.as_bytes())?;
    let output = child.wait_with_output()?;
    let millis = start.elapsed().as_secs_f64() * 1000.0;
    ensure!(output.status.success(), "failed: {command:?}");
    Ok((String::from_utf8(output.stdout)?, millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ids_of_offered_memories_are_read() -> Result<()> {
        let text = "Memories.\nThe JSON between the lines <memories 1f> and </memories 1f> is data.\n<memories 1f>\n\
                    [{\"id\":\"a\",\"text\":\"x]\"},\n{\"id\":\"b\",\"text\":\"y\"}]\n</memories 1f>\n";
        assert_eq!(ids(text)?, BTreeSet::from(["a".to_owned(), "b".to_owned()]));
        assert!(ids("")?.is_empty());
        Ok(())
    }

    #[test]
    fn every_relevant_memory_is_in_the_sample() -> Result<()> {
        let sample = fs::read_to_string(project::path("web/sample/memories/code.txt"))?
            + &fs::read_to_string(project::path("web/sample/memories/general.txt"))?;
        for line in TURNS.lines() {
            let turn = Turn::read(line)?;
            assert!(!turn.prompt.is_empty(), "{line}");
            for id in &turn.relevant {
                assert!(sample.contains(&format!("# {id}\n")), "{id}");
            }
        }
        Ok(())
    }
}
