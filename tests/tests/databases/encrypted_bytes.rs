//! The raw bytes of encrypted databases, and what a check says of damaged ones.

use std::{fs, path::Path, process::Stdio};

use anyhow::{Result, ensure};
use limbic_tests::{
    BackEnd,
    memory::connect,
    stdio::{Program, Server},
};
use tempfile::tempdir;

use super::vault::{SECRET, Vault, outcome};

/// Length in bytes of the pieces of a vector that are searched for: too long to match by chance.
const PIECE: usize = 64;

/// The size of a page, in bytes.
const PAGE: usize = 4096;

const KEY: (&str, &str) = ("LIMBIC_KEY", "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f");

/// The start and the end of every vector of a plain database.
fn pieces_of_vectors(database: &Path) -> Result<Vec<Vec<u8>>> {
    let connection = connect(database)?;
    let mut statement = connection.prepare(
        "SELECT vector FROM text_vectors UNION ALL SELECT tokens FROM token_vectors WHERE length(tokens) > 128
         UNION ALL SELECT embedding FROM memory_embeddings UNION ALL SELECT embedding FROM entity_embeddings",
    )?;
    let vectors = statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<Vec<u8>>, _>>()?;
    let pieces = |bytes: &Vec<u8>| [bytes[..PIECE].to_vec(), bytes[bytes.len() - PIECE..].to_vec()];
    Ok(vectors.iter().flat_map(pieces).collect())
}

/// Counts the occurrences of bytes in the files of a database.
fn traces(vault: &Vault, wanted: &[u8]) -> Result<usize> {
    let mut found = 0;
    for entry in fs::read_dir(vault.folder.path())? {
        let path = entry?.path();
        if path.is_file() {
            found += fs::read(&path)?.windows(wanted.len()).filter(|window| *window == wanted).count();
        }
    }
    Ok(found)
}

/// Stores the same texts in a database with this environment variable. Returns it with its server.
fn filled(program: Program, variable: (&str, &str)) -> Result<(Vault, Server)> {
    let vault = Vault { folder: tempdir()? };
    let mut server = Server::encoding_with(program, &vault.db(), variable)?;
    let memory =
        format!(r#"{{"content": "The {SECRET} of the harbour opens at nine", "subject": "{SECRET}"}}"#);
    ensure!(!server.call("memory_store", &memory)?.0);
    let create =
        format!(r#"{{"entities": [{{"name": "A {SECRET}", "observations": ["{SECRET} is a gate"]}}]}}"#);
    ensure!(!server.call("create_entities", &create)?.0);
    // Each call waits until all texts have vectors.
    let (is_error, found) = server.call("memory_recall", r#"{"query": "when does the harbour open?"}"#)?;
    ensure!(!is_error && found.contains(SECRET), "{found}");
    Ok((vault, server))
}

/// Requires that the files of an encrypted database contain none of the bytes that those of a plain one do.
fn has_neither_text_nor_vectors(program: Program) -> Result<()> {
    let (plain, server) = filled(program, ("LIMBIC_NO_KEY", "1"))?;
    server.stop()?;
    let wanted = pieces_of_vectors(&plain.db())?;
    let visible: Vec<_> =
        wanted.iter().filter(|piece| traces(&plain, piece).is_ok_and(|found| found > 0)).collect();
    ensure!(visible.len() > 4 && traces(&plain, SECRET.as_bytes())? > 0, "nothing is in the plain file");

    let (encrypted, server) = filled(program, KEY)?;
    let check = |vault: &Vault, when: &str| -> Result<()> {
        ensure!(traces(vault, SECRET.as_bytes())? == 0, "{when}: the text is in the files");
        for piece in &visible {
            ensure!(traces(vault, piece)? == 0, "{when}: a vector is in the files");
        }
        Ok(())
    };
    check(&encrypted, "open")?;
    server.stop()?;
    check(&encrypted, "closed")?;
    let (code, _, stderr) = plain.key(program, "encrypt")?;
    ensure!(code == Some(0), "{stderr}");
    check(&plain, "encrypted afterwards")
}

#[test]
fn an_encrypted_file_of_native_has_neither_text_nor_vectors() -> Result<()> {
    has_neither_text_nor_vectors(Program::Native)
}

#[test]
fn an_encrypted_file_of_node_has_neither_text_nor_vectors() -> Result<()> {
    has_neither_text_nor_vectors(Program::Node)
}

/// Runs `check` with the key file. Returns the exit code, the findings and the summary.
fn checked(vault: &Vault, program: Program, is_encrypted: bool) -> Result<(Option<i32>, String, String)> {
    let mut command = vault.command(program, &["check"])?;
    if !is_encrypted {
        command.env_remove("LIMBIC_KEY_FILE");
    }
    outcome(&command.stdin(Stdio::null()).output()?)
}

/// A check reports a damaged page of a plain file, and of an encrypted one.
fn reports_damage(program: Program) -> Result<()> {
    let vault = Vault { folder: tempdir()? };
    let mut server = Server::alone(program, &vault.db())?;
    for number in 0..20 {
        let memory = format!(r#"{{"content": "Shelf {number} holds the maps of region {number}"}}"#);
        ensure!(!server.call("memory_store", &memory)?.0);
    }
    server.stop()?;
    for is_encrypted in [false, true] {
        let sound = fs::read(vault.db())?;
        if is_encrypted {
            let (code, _, stderr) = vault.key(program, "encrypt")?;
            ensure!(code == Some(0), "{stderr}");
        }
        let (code, findings, stderr) = checked(&vault, program, is_encrypted)?;
        ensure!(code == Some(0) && findings.is_empty() && stderr.contains("no damage found in "), "{stderr}");
        let mut bytes = fs::read(vault.db())?;
        let start = match bytes.windows(13).rposition(|piece| piece == b"Shelf 7 holds") {
            Some(at) => at - at % PAGE,
            // Any page of an encrypted file.
            None => bytes.len() / PAGE / 2 * PAGE,
        };
        bytes[start..start + 16].fill(0xff);
        fs::write(vault.db(), &bytes)?;
        let (code, findings, stderr) = checked(&vault, program, is_encrypted)?;
        ensure!(code == Some(1) && !findings.is_empty(), "{is_encrypted}: {findings}{stderr}");
        ensure!(stderr.contains("the database is damaged. Keep a copy of it"), "{is_encrypted}: {stderr}");
        ensure!(fs::read(vault.db())? == bytes, "a check changed the file");
        fs::write(vault.db(), &sound)?;
    }
    Ok(())
}

#[test]
fn the_native_check_reports_a_damaged_page_of_a_plain_and_of_an_encrypted_file() -> Result<()> {
    reports_damage(Program::Native)
}

#[test]
fn the_check_of_node_reports_a_damaged_page_of_a_plain_and_of_an_encrypted_file() -> Result<()> {
    reports_damage(Program::Node)
}
