//! Databases whose key is derived from a passphrase, in both programs.

use std::fs;

use anyhow::{Result, ensure};
use limbic_tests::{
    BackEnd,
    stdio::{Program, Server},
};
use tempfile::tempdir;

use super::vault::{SECRET, Vault, outcome};

const FIRST: &str = "an old l\u{e9}opard eats figs";
/// The same with the accent as a character of its own.
const FIRST_DECOMPOSED: &str = "an old le\u{301}opard eats figs";
const SECOND: &str = "seven blue doors creak";

const VARIABLE: &str = "LIMBIC_PASSPHRASE";
const NEW: &str = "LIMBIC_NEW_PASSPHRASE";

/// Runs `key` with these variables alone. Returns the exit code, standard output and standard error.
fn key(
    vault: &Vault,
    program: Program,
    words: &[&str],
    variables: &[(&str, &str)],
) -> Result<(Option<i32>, String, String)> {
    let mut command = vault.command(program, &[&["key"], words].concat())?;
    command.env_remove("LIMBIC_KEY_FILE").envs(variables.iter().copied());
    outcome(&command.stdin(std::process::Stdio::null()).output()?)
}

/// A database with [`SECRET`] that is not encrypted.
fn plain(program: Program) -> Result<Vault> {
    let vault = Vault { folder: tempdir()? };
    let create = format!(r#"{{"entities": [{{"name": "{SECRET}", "observations": ["a fact"]}}]}}"#);
    let mut server = Server::alone(program, &vault.db())?;
    ensure!(!server.call("create_entities", &create)?.0);
    server.stop()?;
    Ok(vault)
}

fn opens(vault: &Vault, program: Program, variable: (&str, &str)) -> Result<()> {
    let (is_error, graph) = vault.graph(program, variable)?;
    ensure!(!is_error && graph.contains(SECRET), "{graph}");
    Ok(())
}

/// A secret of another database is refused, named in no message, and changes nothing.
fn is_refused(vault: &Vault, program: Program, variable: (&str, &str)) -> Result<()> {
    let before = fs::read(vault.db())?;
    let (_, refused) = vault.graph(program, variable)?;
    ensure!(refused.contains(r#""code":"wrong_key""#) && refused.contains("passphrase"), "{refused}");
    ensure!(!refused.contains(variable.1), "{refused}");
    ensure!(fs::read(vault.db())? == before, "the file was changed");
    Ok(())
}

/// One program encrypts with a passphrase in a file; both read with it, and with the recovery phrase.
fn is_encrypted_by(program: Program, other: Program) -> Result<()> {
    let vault = plain(program)?;
    let path = vault.folder.path().join("passphrase").to_string_lossy().into_owned();
    let file = ("LIMBIC_PASSPHRASE_FILE", path.as_str());
    for (text, variables, message) in [
        ("tiny words", &[file][..], "at least 12 characters"),
        (FIRST, &[file, (VARIABLE, SECOND)], "cannot be combined"),
    ] {
        fs::write(&path, text)?;
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        let (code, out, stderr) = key(&vault, program, &["encrypt"], variables)?;
        ensure!(code == Some(2) && out.is_empty() && stderr.contains(message), "{stderr}");
        ensure!(!stderr.contains(text) && vault.traces("SQLite format")? > 0, "{stderr}");
    }
    // Line ends are not part of it.
    fs::write(&path, format!("{FIRST}\r\n"))?;
    let (code, phrase, stderr) = key(&vault, program, &["encrypt", "--passphrase"], &[file])?;
    ensure!(code == Some(0) && phrase.len() == 69 && stderr.contains("overwrote the original"), "{stderr}");
    ensure!(vault.traces(SECRET)? + vault.traces("SQLite format")? == 0);
    ensure!(fs::read(vault.db())?.starts_with(b"LKD\x01"));
    for reader in [program, other] {
        opens(&vault, reader, (VARIABLE, FIRST_DECOMPOSED))?;
        opens(&vault, reader, ("LIMBIC_KEY", &phrase))?;
        is_refused(&vault, reader, (VARIABLE, SECOND))?;
        let (_, refused) = vault.graph(reader, ("LIMBIC_NO_KEY", "1"))?;
        ensure!(refused.contains("encrypted_database") && refused.contains(VARIABLE), "{refused}");
        ensure!(key(&vault, reader, &["export"], &[(VARIABLE, FIRST)])?.1 == phrase);
        let (code, out, stderr) = key(&vault, reader, &["export"], &[])?;
        ensure!(
            code == Some(2) && out.is_empty() && stderr.contains("derived from a passphrase"),
            "{stderr}"
        );
    }
    // An export replaces neither file.
    for out in [&vault.db().to_string_lossy(), path.as_str()] {
        let mut command = vault.command(other, &["export", "--force", "--out", out])?;
        command.env_remove("LIMBIC_KEY_FILE").env("LIMBIC_PASSPHRASE_FILE", &path);
        let (code, _, stderr) = outcome_of(&mut command)?;
        ensure!(code != Some(0) && stderr.contains("name another file"), "{out}: {stderr}");
    }
    #[cfg(unix)]
    {
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
        let (_, refused) = vault.graph(other, file)?;
        ensure!(refused.contains("LIMBIC_PASSPHRASE_FILE") && refused.contains("chmod 600"), "{refused}");
    }
    Ok(())
}

fn outcome_of(command: &mut std::process::Command) -> Result<(Option<i32>, String, String)> {
    outcome(&command.output()?)
}

#[test]
fn a_passphrase_that_native_sets_opens_the_database_in_both_programs() -> Result<()> {
    is_encrypted_by(Program::Native, Program::Node)
}

#[test]
fn a_passphrase_that_node_sets_opens_the_database_in_both_programs() -> Result<()> {
    is_encrypted_by(Program::Node, Program::Native)
}

/// The key is rotated to another passphrase, to a random key, back to a passphrase, and from the recovery phrase.
fn is_rotated_by(program: Program, other: Program) -> Result<()> {
    let vault = plain(program)?;
    let key_file = vault.key_file().to_string_lossy().into_owned();
    let key_file = ("LIMBIC_KEY_FILE", key_file.as_str());
    let (_, first, _) = key(&vault, program, &["encrypt"], &[(VARIABLE, FIRST)])?;
    let (code, _, stderr) = key(&vault, program, &["rotate"], &[(VARIABLE, FIRST)])?;
    ensure!(code == Some(2) && stderr.contains(NEW), "{stderr}");
    let (code, _, stderr) = key(&vault, program, &["rotate"], &[(VARIABLE, SECOND), (NEW, SECOND)])?;
    ensure!(code == Some(2) && stderr.contains("does not open") && !stderr.contains(SECOND), "{stderr}");
    let (code, _, stderr) = key(&vault, program, &["rotate"], &[(VARIABLE, FIRST), (NEW, "short")])?;
    ensure!(code == Some(2) && stderr.contains("at least 12 characters"), "{stderr}");
    opens(&vault, program, (VARIABLE, FIRST))?;

    let (code, second, stderr) = key(&vault, program, &["rotate"], &[(VARIABLE, FIRST), (NEW, SECOND)])?;
    ensure!(code == Some(0) && second != first, "{stderr}");
    opens(&vault, other, (VARIABLE, SECOND))?;
    is_refused(&vault, other, (VARIABLE, FIRST))?;
    is_refused(&vault, other, ("LIMBIC_KEY", &first))?;

    let to_random = ["rotate", "--random-key"];
    let variables = [(VARIABLE, SECOND), key_file];
    let (code, third, stderr) = key(&vault, other, &to_random, &variables)?;
    ensure!(code == Some(0) && vault.kept("") == third && vault.kept(".new").is_empty(), "{stderr}");
    ensure!(stderr.contains(&format!("The key is in {}", key_file.1)), "{stderr}");
    opens(&vault, program, key_file)?;
    is_refused(&vault, program, (VARIABLE, SECOND))?;
    ensure!(!fs::read(vault.db())?.starts_with(b"LKD"));
    // As if it had been interrupted before the key got its name.
    fs::rename(vault.key_file(), format!("{}.new", key_file.1))?;
    let (code, finished, stderr) = key(&vault, program, &to_random, &variables)?;
    ensure!(code == Some(0) && finished == third && vault.kept("") == third, "{stderr}");

    let to_passphrase = ["rotate", "--passphrase"];
    let (code, fourth, stderr) = key(&vault, program, &to_passphrase, &[key_file, (NEW, FIRST)])?;
    ensure!(code == Some(0) && stderr.contains(key_file.1) && vault.kept("") == third, "{stderr}");
    opens(&vault, other, (VARIABLE, FIRST))?;
    is_refused(&vault, other, key_file)?;
    // Whoever forgets a passphrase sets another one.
    let (code, fifth, stderr) =
        key(&vault, other, &to_passphrase, &[("LIMBIC_KEY", &fourth), (NEW, SECOND)])?;
    ensure!(code == Some(0) && fifth != fourth, "{stderr}");
    opens(&vault, program, (VARIABLE, SECOND))?;
    ensure!(key(&vault, other, &["export"], &[(VARIABLE, SECOND)])?.1 == fifth);

    // Other databases may need the key that the file has already.
    let (code, shared, stderr) = key(&vault, program, &to_random, &variables)?;
    ensure!(code == Some(0) && shared == third && vault.kept("") == third, "{stderr}");
    ensure!(vault.kept(".new").is_empty() && vault.kept(".old").is_empty(), "{stderr}");
    opens(&vault, other, key_file)?;
    let (code, again, stderr) = key(&vault, program, &to_random, &variables)?;
    ensure!(code == Some(0) && again == third, "{stderr}");
    fs::rename(vault.key_file(), format!("{}.new", key_file.1))?;
    let (code, exported, stderr) = key(&vault, program, &["export"], &[key_file])?;
    ensure!(code == Some(0) && exported == third && stderr.contains("was interrupted"), "{stderr}");
    ensure!(vault.graph(program, key_file)?.1.contains("key rotate"));
    Ok(())
}

#[test]
fn native_rotates_to_a_passphrase_and_from_it() -> Result<()> {
    is_rotated_by(Program::Native, Program::Node)
}

#[test]
fn node_rotates_to_a_passphrase_and_from_it() -> Result<()> {
    is_rotated_by(Program::Node, Program::Native)
}

/// A server with a passphrase creates its database encrypted, unless the passphrase is too short.
fn is_created_by(program: Program) -> Result<()> {
    let vault = Vault { folder: tempdir()? };
    let (is_error, refused) = vault.graph(program, (VARIABLE, "short"))?;
    ensure!(is_error && refused.contains("at least 12 characters") && !vault.db().exists(), "{refused}");
    ensure!(!vault.graph(program, (VARIABLE, FIRST))?.0);
    ensure!(fs::read(vault.db())?.starts_with(b"LKD\x01"));
    ensure!(!vault.graph(program, (VARIABLE, FIRST))?.0);
    Ok(())
}

#[test]
fn a_native_server_creates_its_database_with_a_passphrase() -> Result<()> {
    is_created_by(Program::Native)
}

#[test]
fn a_node_server_creates_its_database_with_a_passphrase() -> Result<()> {
    is_created_by(Program::Node)
}

/// Programs at a terminal of their own, made by util-linux.
#[cfg(target_os = "linux")]
mod terminal {
    use std::{
        io::{Read, Write},
        process::{Command, Stdio},
        thread,
        time::Duration,
    };

    use super::*;

    /// How long a program has to stop showing what is typed, after its question.
    const PAUSE: Duration = Duration::from_secs(1);

    /// Answers the questions of `key` in order. Returns whether it succeeded, and what the terminal shows.
    fn typed(
        vault: &Vault,
        program: Program,
        words: &str,
        answers: &[(&str, &str)],
    ) -> Result<(bool, String)> {
        let words = program
            .words()?
            .iter()
            .map(|word| format!("'{}'", word.display()))
            .chain([format!("key {words} --db '{}'", vault.db().display())])
            .collect::<Vec<_>>()
            .join(" ");
        let mut terminal = Command::new("script")
            .args(["--quiet", "--return", "--command", &words, "/dev/null"])
            .env_remove("LIMBIC_KEY_FILE")
            .env("PATH", format!("{}:{}", vault.folder.path().display(), std::env::var("PATH")?))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut keyboard = terminal.stdin.take().expect("it is piped");
        let mut screen = terminal.stdout.take().expect("it is piped");
        let (mut shown, mut piece) = (String::new(), [0; 4096]);
        let mut answers = answers.iter();
        let mut waiting = answers.next();
        loop {
            let count = screen.read(&mut piece)?;
            if count == 0 {
                break;
            }
            shown.push_str(&String::from_utf8_lossy(&piece[..count]));
            if let Some((question, answer)) = waiting
                && shown.contains(question)
            {
                thread::sleep(PAUSE);
                keyboard.write_all(format!("{answer}\r").as_bytes())?;
                keyboard.flush()?;
                waiting = answers.next();
            }
        }
        Ok((terminal.wait()?.success() && waiting.is_none(), shown))
    }

    fn is_asked_for_by(program: Program) -> Result<()> {
        let vault = plain(program)?;
        let twice = |again: &'static str| [("New passphrase", FIRST), ("Repeat", again)];
        let (is_done, shown) = typed(&vault, program, "encrypt --passphrase", &twice(SECOND))?;
        ensure!(!is_done && shown.contains("differ") && vault.traces("SQLite format")? > 0, "{shown}");
        let (is_done, shown) = typed(&vault, program, "encrypt --passphrase", &twice(FIRST))?;
        ensure!(is_done && !shown.contains(FIRST), "{shown}");
        opens(&vault, program, (VARIABLE, FIRST))?;
        let (is_done, shown) = typed(&vault, program, "export", &[("Passphrase of", SECOND)])?;
        ensure!(!is_done && shown.contains("does not open") && !shown.contains(SECOND), "{shown}");
        let all = [("Passphrase of", FIRST), ("New passphrase", SECOND), ("Repeat", SECOND)];
        let (is_done, shown) = typed(&vault, program, "rotate", &all)?;
        ensure!(is_done && !shown.contains(FIRST) && !shown.contains(SECOND), "{shown}");
        opens(&vault, program, (VARIABLE, SECOND))
    }

    #[test]
    fn native_asks_for_a_passphrase_and_does_not_show_it() -> Result<()> {
        is_asked_for_by(Program::Native)
    }

    #[test]
    fn node_asks_for_a_passphrase_and_does_not_show_it() -> Result<()> {
        is_asked_for_by(Program::Node)
    }
}
