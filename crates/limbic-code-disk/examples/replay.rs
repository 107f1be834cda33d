//! Replays a history: after each revision, the tables of an index that is kept up to date are compared with those of a
//! fresh one. Prints one JSON object a revision, for `cargo xtask bench code --replay`.
//!
//! Usage: `replay WORK_TREE REVISION...`. It checks the revisions out.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a program, not the crate")]

#[path = "../tests/support/rows.rs"]
mod rows;

use std::path::Path;
use std::process::Command;
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use limbic_code_disk::DiskFiles;
use limbic_core::{Host, rusqlite::Connection};
use limbic_tools::{Limbic, Options};
use serde_json::{Value, json};

/// Maximum number of differing rows that a line shows.
const MAX_SHOWN_ROWS: usize = 3;

/// The clock of this machine: an index compares it with the times of files.
struct SystemHost;

impl Host for SystemHost {
    fn now_millis(&self) -> i64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [tree, revisions @ ..] = arguments.as_slice() else {
        anyhow::bail!("usage: replay WORK_TREE REVISION...")
    };
    limbic_vfs::register_vec0();
    let folder = tempfile::tempdir()?;
    let kept = folder.path().join("kept.db");
    let mut limbic = open(&kept, tree)?;
    for revision in revisions {
        let arguments = ["-C", tree, "checkout", "--quiet", "--detach", "--force", revision];
        ensure!(Command::new("git").args(arguments).status()?.success(), "git cannot check {revision} out");
        let (files, update_millis) = index(&mut limbic, tree)?;
        let fresh = folder.path().join("fresh.db");
        let (_, fresh_millis) = index(&mut open(&fresh, tree)?, tree)?;
        let (updated, full) = (rows_of(&kept)?, rows_of(&fresh)?);
        let only = |a: &[String], b: &[String]| -> Vec<String> {
            let differs = |row: &&String| b.binary_search(row).is_err();
            a.iter().filter(differs).take(MAX_SHOWN_ROWS).map(|row| row.chars().take(200).collect()).collect()
        };
        let line = json!({ "revision": revision, "files": files, "rows": full.len(), "is_equal": updated == full,
            "update_millis": update_millis, "fresh_millis": fresh_millis,
            "only_updated": only(&updated, &full), "only_fresh": only(&full, &updated) });
        println!("{line}");
        std::fs::remove_file(&fresh)?;
    }
    Ok(())
}

fn open(database: &Path, tree: &str) -> Result<Limbic> {
    let options = Options { toolsets: vec!["code".into()], code: true, ..Options::default() };
    let mut limbic = Limbic::open(Connection::open(database)?, Box::new(SystemHost), options)?;
    limbic.set_code_files(Box::new(DiskFiles::below_root(tree.as_ref())));
    Ok(limbic)
}

fn rows_of(database: &Path) -> Result<Vec<String>> {
    rows::rows(&Connection::open(database)?)
}

/// Indexes the tree. Returns the number of files, and milliseconds.
fn index(limbic: &mut Limbic, tree: &str) -> Result<(u64, f64)> {
    let start = Instant::now();
    let arguments = json!({ "path": tree, "project_id": "p", "wait": true }).to_string();
    let answer = limbic.call("index_project", &arguments, &[]);
    limbic.finish()?;
    ensure!(!answer.is_error, "{}", answer.json);
    let status: Value = serde_json::from_str(&answer.json)?;
    ensure!(status["status"] == "completed", "{status}");
    let files = status["total_files"].as_u64().context("the status counts files")?;
    Ok((files, start.elapsed().as_secs_f64() * 1000.0))
}
