//! An encrypted database with its key file, for both programs.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use anyhow::Result;
use limbic_tests::{
    BackEnd,
    stdio::{Program, Server},
};

/// Text that stands in the database only as long as it is not encrypted.
pub const SECRET: &str = "quelxomandril";

/// A database that is encrypted by one program, and used by both.
pub struct Vault {
    pub folder: tempfile::TempDir,
}

impl Vault {
    pub fn db(&self) -> PathBuf {
        self.folder.path().join("memory.db")
    }

    pub fn key_file(&self) -> PathBuf {
        self.folder.path().join("key")
    }

    /// Runs `key` with the key file. Returns the exit code, standard output and standard error.
    pub fn key(&self, program: Program, action: &str) -> Result<(Option<i32>, String, String)> {
        outcome(&self.command(program, &["key", action])?.output()?)
    }

    /// A command on the database with the key file.
    pub fn command(&self, program: Program, arguments: &[&str]) -> Result<Command> {
        let words = program.words()?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(arguments).arg("--db").arg(self.db());
        command.env("LIMBIC_KEY_FILE", self.key_file());
        Ok(command)
    }

    /// The content of the key file with this suffix; empty if there is none.
    pub fn kept(&self, suffix: &str) -> String {
        let path = format!("{}{suffix}", self.key_file().display());
        fs::read_to_string(path).unwrap_or_default().trim().to_owned()
    }

    pub fn keep(&self, suffix: &str, phrase: &str) -> Result<()> {
        let path = PathBuf::from(format!("{}{suffix}", self.key_file().display()));
        fs::write(&path, phrase)?;
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        Ok(())
    }

    /// Reads the graph in a server with this environment variable.
    pub fn graph(&self, program: Program, variable: (&str, &str)) -> Result<(bool, String)> {
        let mut server = Server::alone_with(program, &self.db(), variable)?;
        let answer = server.call("read_graph", "{}")?;
        server.stop()?;
        Ok(answer)
    }

    /// Counts the occurrences of a text in the files.
    pub fn traces(&self, wanted: &str) -> Result<usize> {
        let mut found = 0;
        for entry in fs::read_dir(self.folder.path())? {
            let path = entry?.path();
            if path.is_file() {
                found += fs::read(&path)?
                    .windows(wanted.len())
                    .filter(|piece| *piece == wanted.as_bytes())
                    .count();
            }
        }
        Ok(found)
    }
}

/// The exit code, standard output and standard error of a program.
pub fn outcome(output: &Output) -> Result<(Option<i32>, String, String)> {
    let [out, err] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    Ok((output.status.code(), out.trim().to_owned(), err))
}
