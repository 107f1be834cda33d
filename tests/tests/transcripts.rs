//! Runs every transcript on every back end: the same call on the same database gives the same bytes.

use anyhow::{Result, ensure};
use limbic_tests::{BackEnd, memory::Native, stdio::Server, transcript};
use tempfile::tempdir;

#[test]
fn native_gives_the_expected_answers() -> Result<()> {
    for case in transcript::all()? {
        let folder = tempdir()?;
        let mut native = Native::for_transcript(&folder.path().join("memory.db"), &case)?;
        let answers = transcript::run(&case, &mut native)?;
        if std::env::var_os("UPDATE").is_some() {
            transcript::update(&case, &answers)?;
        }
        compare(&case, &answers)?;
    }
    Ok(())
}

#[test]
fn native_over_stdio_gives_the_expected_answers() -> Result<()> {
    over(Server::native_for)
}

#[test]
fn node_over_stdio_gives_the_expected_answers() -> Result<()> {
    over(Server::node_for)
}

fn over(start: impl Fn(&std::path::Path, &std::path::Path) -> Result<Server>) -> Result<()> {
    for case in transcript::all()? {
        let folder = tempdir()?;
        let mut server = start(&folder.path().join("memory.db"), &case)?;
        let answers = transcript::run(&case, &mut server as &mut dyn BackEnd)?;
        server.stop()?;
        compare(&case, &answers)?;
    }
    Ok(())
}

fn compare(case: &std::path::Path, answers: &str) -> Result<()> {
    let expected = transcript::expected(case)?;
    ensure!(expected == answers, "{}: {}", case.display(), transcript::difference(&expected, answers));
    Ok(())
}
