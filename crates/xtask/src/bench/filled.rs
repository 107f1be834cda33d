//! Databases of a given size, created once per run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::project;
use crate::tools::{Toolbox, say};

/// The folder of filled databases.
pub struct Filled {
    folder: PathBuf,
}

impl Filled {
    /// Removes the databases of earlier runs: the schema may have changed.
    pub fn new() -> Result<Self> {
        let folder = project::target().join("bench-data");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// A copy of a database with `count` entities and test embeddings for all of them.
    pub fn database(&self, tools: &Toolbox, entities: usize, copy: &str) -> Result<PathBuf> {
        self.copied(tools, ("fill", "entities"), entities, copy)
    }

    /// A copy of a database with `count` memories in three domains.
    pub fn memories(&self, tools: &Toolbox, memories: usize, copy: &str) -> Result<PathBuf> {
        self.copied(tools, ("fill-memories", "memories"), memories, copy)
    }

    /// A file of the reference server with the same entities as [`Filled::database`].
    pub fn lines(&self, tools: &Toolbox, entities: usize) -> Result<PathBuf> {
        let filled = self.filled(tools, ("fill", "entities"), entities)?;
        let file = self.folder.join(format!("{entities}.jsonl"));
        if !file.exists() {
            let [from, to] = [text(&filled)?, text(&file)?];
            let arguments = ["export", "--format", "jsonl", "--db", from, "--out", to];
            tools.run(&program().to_string_lossy(), &arguments)?;
        }
        Ok(file)
    }

    fn copied(
        &self,
        tools: &Toolbox,
        (command, what): (&str, &str),
        count: usize,
        copy: &str,
    ) -> Result<PathBuf> {
        let filled = self.filled(tools, (command, what), count)?;
        let copied = self.folder.join(format!("{count} {what} {copy}.db"));
        fs::copy(&filled, &copied)?;
        Ok(copied)
    }

    fn filled(&self, tools: &Toolbox, (command, what): (&str, &str), count: usize) -> Result<PathBuf> {
        let filled = self.folder.join(format!("{count} {what}.db"));
        if !filled.exists() {
            say(&format!("filling a memory with {count} {what}"));
            let arguments =
                ["bench", command, "--db", text(&filled)?, &format!("--{what}"), &count.to_string()];
            tools.run(&program().to_string_lossy(), &arguments)?;
        }
        Ok(filled)
    }
}

/// The native program.
fn program() -> PathBuf {
    project::target().join("release").join("limbic")
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("the project's folder must be named in valid text")
}
