//! Measures the time that locks shared between processes, beacons and confirmations add to a write.

use std::env;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::table::{Outcome, Table, median, ratio};
use crate::project;
use crate::tools::{Toolbox, say};

const ROUNDS: usize = 5;
/// The measurements of a round: the row's name, and the names of the two medians.
const ROWS: [(&str, &str, &str); 2] = [
    ("on the disk when it returns (synchronous = FULL)", "limbic_full", "sqlite_full"),
    ("without waiting for the disk (synchronous = OFF)", "limbic_off", "sqlite_off"),
];

/// Runs `limbic-vfs`'s example `write_latency`, which writes through this VFS and SQLite's own in turn.
pub fn run(tools: &Toolbox) -> Result<Outcome> {
    say("building limbic-vfs in release mode");
    let example = ["build", "--quiet", "--release", "--package", "limbic-vfs", "--example", "write_latency"];
    tools.run("cargo", &example)?;
    let program =
        project::target().join(format!("release/examples/write_latency{}", env::consts::EXE_SUFFIX));
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let output = tools.command(&program).arg(project::target()).output()?;
        let round: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("the example failed: {}", String::from_utf8_lossy(&output.stderr)))?;
        rounds.push(round);
    }
    let mut table = Table::new(
        &format!("One transaction of one row, median of {ROUNDS} rounds of 400"),
        &["", "limbic-vfs, µs", "SQLite's own, µs", "limbic-vfs : SQLite's own", "difference, µs"],
    );
    let mut numbers = json!({});
    for (label, limbic, sqlite) in ROWS {
        let micros = |name: &str| rounds.iter().filter_map(|round| round[name].as_f64()).collect::<Vec<_>>();
        // Rounds differ by the disk's speed, the two within a round do not.
        let differences =
            micros(limbic).iter().zip(micros(sqlite)).map(|(ours, theirs)| ours - theirs).collect();
        let [ours, theirs, difference] = [micros(limbic), micros(sqlite), differences].map(median);
        table.row(vec![
            label.to_owned(),
            format!("{ours:.0}"),
            format!("{theirs:.0}"),
            ratio(ours, theirs),
            format!("{difference:.0}"),
        ]);
        numbers[limbic] = json!(ours);
        numbers[sqlite] = json!(theirs);
    }
    table.note("Both with a rollback journal that persists; SQLite's own VFS locks by fcntl.");
    Ok(Outcome { table, numbers })
}
