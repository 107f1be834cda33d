//! `unlock` removes locks of owners whose liveness cannot be determined, natively and in Node.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use anyhow::{Result, ensure};
use limbic_tests::{
    BackEnd,
    stdio::{Server, limbic_binary, node_main},
};
use tempfile::tempdir;

const CREATE: &str = r#"{"entities": [{"name": "Ada", "observations": ["a fact"]}]}"#;
const OWNER: &str = "limbic-lock-1 nonce=00ff pid=4242 start=1 machine=elsewhere boot=b00 space= instance= beacon= \
                     since=1700000000000\n";

fn locks(db: &Path) -> PathBuf {
    PathBuf::from(format!("{}-locks", db.display()))
}

/// Creates the lock files that a killed writer of another machine leaves.
fn leave_a_lock_of_another_machine(db: &Path) -> Result<()> {
    let folder = locks(db);
    fs::create_dir_all(&folder)?;
    let owner = folder.join("owner-00ff");
    fs::write(&owner, OWNER)?;
    fs::hard_link(&owner, folder.join("reserved"))?;
    Ok(())
}

fn is_unlocked_by(mut unlock: impl FnMut() -> Command, start: fn(&Path) -> Result<Server>) -> Result<()> {
    let folder = tempdir()?;
    let db = folder.path().join("memory.db");
    let mut run = |args: &[&str]| -> Result<(Option<i32>, String)> {
        let Output { status, stdout, stderr } =
            unlock().arg("unlock").arg("--db").arg(&db).args(args).output()?;
        let text = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        Ok((status.code(), text))
    };
    let mut server = start(&db)?;
    ensure!(!server.call("create_entities", CREATE)?.0);
    let (code, text) = run(&["--yes"])?;
    ensure!(code == Some(0) && text.contains("is running") && text.contains("Nothing was removed"), "{text}");
    ensure!(!server.call("create_entities", &CREATE.replace("Ada", "Bob"))?.0);
    server.stop()?;
    let (code, text) = run(&[])?;
    ensure!(code == Some(0) && text.contains("No program has"), "{text}");

    leave_a_lock_of_another_machine(&db)?;
    let mut server = start(&db)?;
    let (is_error, answer) = server.call("create_entities", &CREATE.replace("Ada", "Eve"))?;
    ensure!(is_error && answer.contains(r#""code":"locked_elsewhere""#), "{answer}");
    ensure!(answer.contains("process 4242 on elsewhere") && answer.contains("unlock"), "{answer}");
    let (code, text) = run(&[])?;
    ensure!(
        code == Some(1) && text.contains("process 4242 on elsewhere, boot b00, since 2023-11-14 22:13 UTC"),
        "{text}"
    );
    ensure!(text.contains("holds the lock for writing") && text.contains("--yes"), "{text}");
    ensure!(locks(&db).join("reserved").exists(), "a plan removes nothing");
    let (code, text) = run(&["--yes"])?;
    ensure!(code == Some(0) && text.contains("Removed the lock files of 1 owner"), "{text}");
    ensure!(!server.call("create_entities", &CREATE.replace("Ada", "Eve"))?.0);
    server.stop()?;
    ensure!(!locks(&db).exists(), "a lock file remains");
    Ok(())
}

#[test]
fn the_native_command_removes_locks_of_another_machine() -> Result<()> {
    let binary = limbic_binary()?;
    is_unlocked_by(|| Command::new(&binary), Server::native_alone)
}

#[test]
fn the_node_command_removes_locks_of_another_machine() -> Result<()> {
    let main = node_main()?;
    let unlock = || {
        let mut node = Command::new("node");
        node.arg(&main);
        node
    };
    is_unlocked_by(unlock, Server::node_alone)
}
